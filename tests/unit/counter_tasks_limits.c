// SPDX-License-Identifier: GPL-2.0-only
/* On the running kernel: many threads, and what the kernel refuses. */
#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "tests/unit/task_watch.h"
#include "tests/unit/test.h"

#define MANY   1000
#define NOBODY 65534

static void *note_tid(void *arg)
{
	*(int *)arg = gettid();
	return NULL;
}

static void start_threads(int nr)
{
	int tid;
	pthread_t thread;

	for (int i = 0; i < nr; i++) {
		pthread_create(&thread, NULL, note_tid, &tid);
		pthread_join(thread, NULL);
	}
}

/* Counts tids that began and later ended once. */
static size_t count_pairs(void)
{
	size_t pairs = 0;

	for (size_t i = 0; i < seen.nr; i++) {
		size_t nr[3] = { 0 };

		for (size_t j = 0; j < seen.nr; j++) {
			if (seen.v[j].tid == seen.v[i].tid)
				nr[seen.v[j].change] += j < i ? 100 : 1;
		}
		pairs += seen.v[i].change == TD_TASK_BEGAN && nr[TD_TASK_BEGAN] == 1 &&
			 nr[TD_TASK_ENDED] == 1;
	}
	return pairs;
}

static void check_many(void)
{
	struct td_task_watch *watch = begin();

	for (int i = 0; i < MANY; i += 50) {
		start_threads(50);
		take(watch);
	}
	take_all(watch, 2 * MANY);
	ok(seen.nr == 2 * MANY, "%d threads: %zu events", MANY, seen.nr);
	ok(count_pairs() == MANY, "each began once and ended once");
	ok(td_task_watch_lost(watch) == 0, "nothing is lost");
	td_task_watch_close(watch);
}

/* All records go to one buffer then, which many of them fill. */
static void stay_on_one_cpu(void)
{
	cpu_set_t all, one;

	if (sched_getaffinity(0, sizeof(all), &all))
		return; /* more than 1024 CPUs */
	CPU_ZERO(&one);
	for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &all))
			continue;
		CPU_SET(cpu, &one);
		sched_setaffinity(0, sizeof(one), &one);
		return;
	}
}

/* Lost records are counted even if no record follows them. */
static void check_flood(void)
{
	struct td_task_watch *watch = begin();
	int fd = open_dummy(PERF_FORMAT_LOST);
	uint64_t lost = 0;

	stay_on_one_cpu();
	start_threads(MANY);
	/* the last one may still be ending */
	for (int ms = 0; ms < PATIENCE && seen.nr + lost < 2 * MANY; ms++) {
		usleep(1000);
		take(watch);
		lost = td_task_watch_lost(watch);
	}
	if (fd < 0)
		ok(true, "lost at the end # SKIP this kernel cannot tell");
	else
		ok(lost && seen.nr + lost == 2 * MANY, "%zu are seen and %llu are lost", seen.nr,
		   (unsigned long long)lost);
	td_close_fd(&fd);
	seen.nr = 0;
	start_threads(1);
	take_all(watch, 2);
	ok(seen.nr == 2 && td_task_watch_lost(watch) >= lost, "then it goes on");
	td_task_watch_close(watch);
}

/* --- tasks that have ended ------------------------------------------------ */

static int start_child(void)
{
	int pid = fork();

	if (!pid) {
		pause();
		_exit(0);
	}
	return pid;
}

static void end_child(int pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void is_ended(const char *name, int tid)
{
	struct td_task_watch *watch = NULL;
	struct td_err err;
	int rc = try_watch(&watch, tid, &err);

	ok(rc == -ESRCH && err.code == -ESRCH && !watch, "%s: %d", name, rc);
	is_str(err.msg, "cannot watch for new threads and processes: a task has ended",
	       "%s: the message", name);
}

static void check_ended(void)
{
	int pid = start_child();
	siginfo_t info;

	kill(pid, SIGKILL);
	waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
	is_ended("a zombie", pid);
	waitpid(pid, NULL, 0);
	is_ended("one that is gone", pid);
}

/* Polls and reads until nothing comes; returns the number of rounds. */
static int rounds(struct td_task_watch *watch)
{
	int nr = 0;

	while (nr < 100 && is_readable(watch, nr ? 20 : PATIENCE)) {
		take(watch);
		nr++;
	}
	return nr;
}

/* A task that ended must not wake us for ever; the lower tid's is polled. */
static void check_hang_up(void)
{
	int a = start_child(), b = start_child();
	int tids[2] = { a < b ? a : b, a < b ? b : a };
	struct td_task_watch *watch = NULL;
	struct td_err err = { 0 };
	int nr;

	seen.nr = 0;
	ok(!td_task_watch_open(&watch, &(struct td_ints){ tids, 2 }, &cpus, &err),
	   "two processes %s", err.msg);
	end_child(tids[0]);
	nr = watch ? rounds(watch) : 0;
	ok(nr > 0 && nr < 100 && seen.nr == 1 && seen.v[0].tid == tids[0],
	   "one of them ends, then silence: %d rounds", nr);
	end_child(tids[1]);
	nr = watch ? rounds(watch) : 0;
	ok(nr > 0 && nr < 100 && seen.nr == 2 && seen.v[1].tid == tids[1],
	   "the other still wakes: %d rounds", nr);
	td_task_watch_close(watch);
}

/* --- refused events ------------------------------------------------------- */

static void check_nothing(void)
{
	int tid = gettid();
	struct td_ints one = { &tid, 1 }, none = { 0 };
	struct td_task_watch *watch = NULL;
	struct td_err err = { 0 };

	ok(td_task_watch_open(&watch, &none, &cpus, &err) == -EINVAL, "no task");
	is_str(err.msg, "no task to watch", "no task: the message");
	ok(td_task_watch_open(&watch, &one, &none, &err) == -EINVAL, "no CPU");
	is_str(err.msg, "no CPU to watch", "no CPU: the message");
	td_task_watch_close(NULL);
}

/* The number of open descriptors; *plain: of those without FD_CLOEXEC. */
static int count_fds(int *plain)
{
	DIR *dir = opendir("/proc/self/fd");
	const struct dirent *entry;
	int nr = 0;

	*plain = 0;
	while (dir && (entry = readdir(dir))) {
		int fd = atoi(entry->d_name);

		if (entry->d_name[0] == '.' || fd == dirfd(dir))
			continue;
		nr++;
		*plain += !(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	}
	if (dir)
		closedir(dir);
	return nr;
}

static void check_descriptors(void)
{
	int plain, plain_before, before = count_fds(&plain_before), after;
	struct td_task_watch *watch = begin();
	int nr = count_fds(&plain) - before;

	ok(nr == (int)cpus.nr + 1, "one descriptor a CPU, and one to poll: %d", nr);
	ok(plain == plain_before, "an exec closes all of them");
	td_task_watch_close(watch);
	after = count_fds(&plain);
	ok(after == before, "none is left open: %d, %d", before, after);
}

/* Watches with a limit of more descriptors than are open. */
static int watch_with_limit(int more, struct td_err *err)
{
	int low = dup(0), plain, rc;
	int before = count_fds(&plain);
	struct rlimit old, limit = { (rlim_t)(low + more), RLIM_INFINITY };
	struct td_task_watch *watch = NULL;

	close(low);
	if (getrlimit(RLIMIT_NOFILE, &old))
		return -errno;
	limit.rlim_max = old.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &limit))
		return -errno;
	rc = try_watch(&watch, gettid(), err);
	td_task_watch_close(watch);
	setrlimit(RLIMIT_NOFILE, &old);
	return count_fds(&plain) == before - 1 ? rc : -EBADFD;
}

/* Runs it in a child.  Returns 0 or a negative errno. */
static int in_child(int (*run)(char *msg), char msg[512])
{
	int pipes[2], status = 0, pid;
	ssize_t len;

	msg[0] = '\0';
	if (pipe2(pipes, O_CLOEXEC))
		return -errno;
	fflush(stdout); /* under valgrind, the child's _exit(2) flushes a copy */
	pid = fork();
	if (!pid) {
		char said[512] = "";
		int rc = run(said);

		if (write(pipes[1], said, strlen(said)) < 0)
			_exit(255);
		_exit(-rc);
	}
	close(pipes[1]);
	len = read(pipes[0], msg, 511);
	msg[len < 0 ? 0 : len] = '\0';
	close(pipes[0]);
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -EINTR;
}

static int enough(char *msg)
{
	struct td_err err = { 0 };
	int rc = watch_with_limit((int)cpus.nr + 1, &err);

	strcpy(msg, err.msg);
	return rc;
}

static int one_short(char *msg)
{
	struct td_err err = { 0 };
	int rc = watch_with_limit((int)cpus.nr, &err);

	strcpy(msg, err.msg);
	return rc;
}

static int another_users(char *msg)
{
	struct td_task_watch *watch = NULL;
	struct td_err err = { 0 };
	int rc;

	if (setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY))
		return -errno;
	rc = try_watch(&watch, getppid(), &err);
	td_task_watch_close(watch);
	strcpy(msg, err.msg);
	return rc;
}

/* The number in a file of /proc/sys/kernel; 0 if there is none. */
static long kernel_number(const char *name)
{
	char path[64];
	long number = 0;
	FILE *fp;

	snprintf(path, sizeof(path), "/proc/sys/kernel/%s", name);
	fp = fopen(path, "re");
	if (!fp)
		return 0;
	if (fscanf(fp, "%ld", &number) != 1)
		number = 0;
	fclose(fp);
	return number;
}

/* Does the kernel limit the memory, to less than what the watches below lock? */
static bool is_memory_limited(void)
{
	return kernel_number("perf_event_paranoid") >= 0 &&
	       kernel_number("perf_event_mlock_kb") <= 2000;
}

/* Opens watches until no more memory can be locked. */
static int all_that_may_be_locked(char *msg)
{
	struct rlimit none = { 0, 0 };
	struct td_task_watch *watches[200] = { NULL };
	struct rlimit files;
	struct td_err err = { 0 };
	int rc = 0;

	if (!is_memory_limited())
		return -EOPNOTSUPP;
	if (!getrlimit(RLIMIT_NOFILE, &files)) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	if (setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY) ||
	    setrlimit(RLIMIT_MEMLOCK, &none))
		return -errno;
	if (open_dummy(0) < 0)
		return -EOPNOTSUPP;
	for (size_t i = 0; !rc && i < TD_ARRAY_SIZE(watches); i++)
		rc = try_watch(&watches[i], gettid(), &err);
	for (size_t i = 0; i < TD_ARRAY_SIZE(watches); i++)
		td_task_watch_close(watches[i]);
	strcpy(msg, err.msg);
	return rc;
}

#define CANNOT "cannot watch for new threads and processes: "

static const struct {
	const char *name;
	int (*run)(char *msg);
	int code;
	const char *msg;
	bool root;
} limits[] = {
	{ "as many descriptors as it takes", enough, 0, "", false },
	{ "too few descriptors", one_short, -EMFILE, CANNOT "Too many open files", false },
	{ "another user's", another_users, -EACCES, CANNOT "this user may not: Permission denied",
	  true },
	{ "too much locked memory", all_that_may_be_locked, -EPERM,
	  CANNOT "no buffers for the kernel's records: Operation not permitted", true },
};

static void check_limits(void)
{
	char msg[512];

	for (size_t i = 0; i < TD_ARRAY_SIZE(limits); i++) {
		int rc;

		if (limits[i].root && geteuid()) {
			ok(true, "%s # SKIP cannot become another user", limits[i].name);
			continue;
		}
		rc = in_child(limits[i].run, msg);
		if (rc == -EOPNOTSUPP) {
			ok(true, "%s # SKIP it is not to be had here", limits[i].name);
			continue;
		}
		ok(rc == limits[i].code, "%s: %d", limits[i].name, rc);
		is_str(msg, limits[i].msg, "%s: the message", limits[i].name);
	}
}

int main(void)
{
	if (!may_watch())
		return 0;
	check_many();
	check_flood();
	check_ended();
	check_hang_up();
	check_nothing();
	check_descriptors();
	check_limits();
	td_ints_free(&cpus);
	return done_testing();
}
