// SPDX-License-Identifier: GPL-2.0-only
/* Tasks that a command has started, as -l auto finds them; users of processes and their names. */
#include "lib/target/target.h"

#include <pthread.h>
#include <pwd.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/util.h"
#include "tests/unit/test.h"
#include "tests/unit/tree.h"

static void *wait_for_ever(void *nothing)
{
	pause();
	return nothing;
}

/* A process, its child and its grandchild write their ids and wait. */
static _Noreturn void play(int to)
{
	int generation = 0;
	pthread_t thread;
	pid_t pid;

	while (generation < 2 && fork() == 0)
		generation++;
	if (generation == 1)
		pthread_create(&thread, NULL, wait_for_ever, NULL);
	pid = getpid();
	if (write(to, &pid, sizeof(pid)) < 0)
		_exit(1);
	pause();
	_exit(0);
}

static struct td_ints family_of(const struct td_sysfs *fs, int pid, uint64_t since)
{
	struct td_ints tids = { 0 };

	td_tasks_add_family(fs, pid, since, &tids);
	return tids;
}

/* A process with one descriptor, which is a link to this. */
static bool has_guest(const char *link)
{
	char root[] = "/tmp/tdstat-tasks-XXXXXX", path[64];
	struct td_sysfs fs;
	struct td_err err;
	bool has = false;

	if (!mkdtemp(root))
		return false;
	snprintf(path, sizeof(path), "%s/7", root);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/7/fd", root);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/7/fd/3", root);
	if (symlink(link, path) == 0 && td_sysfs_open(&fs, "/sys", root, &err) == 0) {
		has = td_tasks_has_guest(&fs, 7);
		td_sysfs_close(&fs);
	}
	test_tree_remove(root);
	return has;
}

/* KVM's names of its descriptors: kvm_dev_ioctl_create_vm() in virt/kvm. */
static void test_guests(const struct td_sysfs *fs)
{
	ok(has_guest("anon_inode:kvm-vm"), "a virtual machine");
	ok(!has_guest("anon_inode:kvm-vcpu:0"), "a CPU of another process's");
	ok(!has_guest("anon_inode:kvm-v"), "less");
	ok(!has_guest("/dev/kvm"), "the device");
	ok(!td_tasks_has_guest(fs, getpid()), "not this one");
	ok(!td_tasks_has_guest(fs, 1 << 30), "no process");
}

/* The effective user of a process, and names of users. */
static void test_users(const struct td_sysfs *fs)
{
	const struct passwd *own = getpwuid(geteuid());
	char *name = own ? td_strdup(own->pw_name) : td_aprintf("%u", geteuid()), *found;
	uid_t nameless = 4000000000;
	struct td_ints pids = { 0 };
	struct td_err err;

	ok(td_tasks_add_processes(fs, &pids, &err) == 0 && td_ints_has(&pids, getpid()),
	   "all processes, also this one");
	td_ints_free(&pids);
	ok(td_task_user(fs, getpid()) == geteuid(), "the user of this process");
	ok(td_task_user(fs, 1 << 30) == -1, "no process, no user");
	found = td_user_name(geteuid());
	is_str(found, name, "the user's name");
	free(found);
	free(name);
	while (getpwuid(nameless))
		nameless++;
	name = td_aprintf("%u", nameless);
	found = td_user_name(nameless);
	is_str(found, name, "the number of a user without a name");
	free(found);
	free(name);
}

/* This thread, where the kernel moves it. */
static void test_cpus(const struct td_sysfs *fs)
{
	int tids[] = { getpid(), 1 << 30 };
	struct td_ints cpus = { 0 };
	cpu_set_t before, one;
	size_t cpu = 0;

	sched_getaffinity(0, sizeof(before), &before);
	while (!CPU_ISSET(cpu, &before))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
	td_target_list_cpus(fs, &(struct td_ints){ tids, 2 }, &cpus);
	ok(cpus.nr == 1 && cpus.v[0] == (int)cpu, "the CPU of this thread, and none of no thread");
	td_ints_free(&cpus);
	sched_setaffinity(0, sizeof(before), &before);
}

int main(void)
{
	struct td_sysfs fs;
	struct td_ints tids;
	struct td_err err;
	pid_t child, pids[3] = { 0 };
	uint64_t before;
	int ends[2], has_children;

	if (td_sysfs_open(&fs, "/sys", "/proc", &err) || pipe(ends))
		return 1;
	test_guests(&fs);
	test_users(&fs);
	test_cpus(&fs);
	has_children = faccessat(fs.proc, "self/task", F_OK, 0) == 0 &&
		       access("/proc/thread-self/children", F_OK) == 0;
	before = td_tasks_now();
	child = fork();
	if (child == 0)
		play(ends[1]);
	for (int i = 0; i < 3; i++) {
		if (read(ends[0], &pids[i], sizeof(pids[i])) < 0)
			return 1;
	}
	tids = family_of(&fs, child, 0);
	ok(td_ints_has(&tids, child), "the process itself");
	ok(!td_ints_has(&tids, getpid()), "not its parent");
	for (int i = 0; i < 3; i++)
		ok(!has_children || td_ints_has(&tids, pids[i]), "generation %d of 3", i + 1);
	ok(!has_children || tids.nr == 4, "and a thread of one of them");
	td_ints_free(&tids);
	tids = family_of(&fs, child, td_tasks_now() + 10);
	ok(tids.nr == 1, "only what has started since, and itself");
	td_ints_free(&tids);
	tids = family_of(&fs, child, before - 1);
	ok(!has_children || tids.nr == 4, "all of them since then");
	td_ints_free(&tids);
	for (int i = 0; i < 3; i++)
		kill(pids[i], SIGKILL);
	waitpid(child, NULL, 0);
	tids = family_of(&fs, child, 0);
	ok(tids.nr == 0, "nothing of what has ended");
	td_ints_free(&tids);
	td_sysfs_close(&fs);
	return done_testing();
}
