// SPDX-License-Identifier: GPL-2.0-only
#include "lib/target/tasks.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/number.h"
#include "lib/base/util.h"

/* A thread that is no process has no such descriptor: it counts as there. */
static bool has_ended(int tid)
{
	struct pollfd ended = {
		.fd = (int)syscall(SYS_pidfd_open, tid, 0),
		.events = POLLIN,
	};
	int nr;

	if (ended.fd < 0)
		return errno == ESRCH;
	nr = poll(&ended, 1, 0);
	close(ended.fd);
	return nr == 1;
}

bool td_tasks_has_ended(const struct td_ints *tids)
{
	for (size_t i = 0; i < tids->nr; i++) {
		if (has_ended(tids->v[i]))
			return true;
	}
	return false;
}

/* proc does not show the task: it does not exist, or proc is not mounted. */
static int gone(const struct td_sysfs *fs, const char *what, int tid,
		struct td_err *err)
{
	if (kill(tid, 0) && errno != EPERM)
		return td_err_set(err, -ESRCH, "%s %d does not exist", what,
				  tid);
	td_err_set(err, -ENOENT, "%s/%d: %s", fs->proc_path, tid,
		   strerror(ENOENT));
	return td_err_hint(err, "is proc mounted on %s?", fs->proc_path);
}

/* Returns 0, -ENOMEM, -EMFILE, or -ESRCH if the process has ended. */
static int add_threads(const struct td_sysfs *fs, int pid, struct td_ints *tids)
{
	struct td_names names;
	char path[64];
	int tid, rc;

	snprintf(path, sizeof(path), "%d/task", pid);
	rc = td_sysfs_list(fs->proc, path, &names);
	if (rc != -ENOMEM && rc != -EMFILE && (rc || names.nr == 0))
		rc = -ESRCH;
	for (size_t i = 0; !rc && i < names.nr; i++) {
		if (td_parse_int(names.v[i], 1, INT_MAX, &tid) == 0)
			rc = td_ints_add(tids, tid);
	}
	td_names_free(&names);
	return rc;
}

bool td_tasks_has_guest(const struct td_sysfs *fs, int pid)
{
	static const char wanted[] = "anon_inode:kvm-vm";
	struct td_names names;
	char path[64], link[sizeof(wanted) + 1];
	bool has = false;

	snprintf(path, sizeof(path), "%d/fd", pid);
	if (td_sysfs_list(fs->proc, path, &names))
		return false;
	for (size_t i = 0; !has && i < names.nr; i++) {
		ssize_t len;

		snprintf(path, sizeof(path), "%d/fd/%.20s", pid, names.v[i]);
		len = readlinkat(fs->proc, path, link, sizeof(link));
		has = len == sizeof(wanted) - 1 &&
		      memcmp(link, wanted, (size_t)len) == 0;
	}
	td_names_free(&names);
	return has;
}

/* The children that a thread has started.  Returns 0 or -ENOMEM. */
static int list_children(const struct td_sysfs *fs, int tid,
			 struct td_ints *pids)
{
	td_autofree char *line = NULL;
	char path[64], *at, *next;
	size_t size = 0;
	FILE *file;
	int fd, rc = 0;

	snprintf(path, sizeof(path), "%d/task/%d/children", tid, tid);
	fd = openat(fs->proc, path, O_RDONLY | O_CLOEXEC);
	file = fd < 0 ? NULL : fdopen(fd, "r");
	if (!file) {
		td_close_fd(&fd);
		return 0;
	}
	/* one line without an end */
	at = getline(&line, &size, file) > 0 ? line : NULL;
	fclose(file);
	for (; !rc && at; at = next) {
		long pid = strtol(at, &next, 10);

		if (next == at)
			break;
		rc = td_ints_add(pids, (int)pid);
	}
	return rc;
}

uint64_t td_tasks_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (uint64_t)now.tv_sec * (uint64_t)sysconf(_SC_CLK_TCK) +
	       (uint64_t)now.tv_nsec / 1000 * (uint64_t)sysconf(_SC_CLK_TCK) /
		       1000000;
}

/* In proc(5)'s stat, field 22 is the time at which the task started. */
static bool started_after(const struct td_sysfs *fs, int pid, uint64_t since)
{
	char text[512];
	const char *rest = td_proc_stat(fs, pid, text, sizeof(text));

	if (rest)
		rest += strspn(rest, " ");
	for (int field = 3; rest && field < 22; field++) {
		rest = strchr(rest, ' ');
		rest = rest ? rest + 1 : NULL;
	}
	return rest && strtoull(rest, NULL, 10) > since;
}

/* A process, its children, their children and so on. */
struct family {
	const struct td_sysfs *fs;
	uint64_t since;
	struct td_ints pids; /* the generation that is looked at */
	struct td_ints *tids;
};

/* Adds the children of a thread to pids. */
static int add_children(const struct family *family, int tid,
			struct td_ints *pids)
{
	struct td_ints children = { 0 };
	int rc = list_children(family->fs, tid, &children);

	for (size_t i = 0; !rc && i < children.nr; i++) {
		if (!family->since ||
		    started_after(family->fs, children.v[i], family->since))
			rc = td_ints_add(pids, children.v[i]);
	}
	td_ints_free(&children);
	return rc;
}

/* Adds the threads of a generation, and goes on to the next. */
static int add_generation(struct family *family)
{
	struct td_ints threads = { 0 }, children = { 0 };
	int rc = 0;

	for (size_t i = 0; i < family->pids.nr && rc != -ENOMEM; i++)
		rc = add_threads(family->fs, family->pids.v[i], &threads);
	rc = rc == -ENOMEM ? rc : 0;
	for (size_t i = 0; !rc && i < threads.nr; i++) {
		rc = td_ints_add(family->tids, threads.v[i]);
		if (!rc)
			rc = add_children(family, threads.v[i], &children);
	}
	td_ints_free(&threads);
	td_ints_free(&family->pids);
	family->pids = children;
	return rc;
}

int td_tasks_add_family(const struct td_sysfs *fs, int pid, uint64_t since,
			struct td_ints *tids, struct td_err *err)
{
	struct family family = { fs, since, { 0 }, tids };
	int rc = td_ints_add(&family.pids, pid);

	while (!rc && family.pids.nr)
		rc = add_generation(&family);
	td_ints_free(&family.pids);
	return rc ? td_err_nomem(err) : 0;
}

static int list_processes(const struct td_sysfs *fs, struct td_ints *pids,
			  struct td_err *err)
{
	struct td_names names;
	int pid, rc = td_sysfs_list(fs->proc, ".", &names);

	for (size_t i = 0; !rc && i < names.nr; i++) {
		if (td_parse_int(names.v[i], 1, INT_MAX, &pid) == 0)
			rc = td_ints_add(pids, pid);
	}
	td_names_free(&names);
	return rc == -ENOMEM ? td_err_nomem(err)
	       : rc          ? td_err_set(err, rc, "%s: %s", fs->proc_path,
					  strerror(-rc))
			     : 0;
}

int td_tasks_add_all(const struct td_sysfs *fs, struct td_ints *tids,
		     struct td_err *err)
{
	struct td_ints pids = { 0 };
	int rc = list_processes(fs, &pids, err);

	for (size_t i = 0; !rc && i < pids.nr; i++) {
		if (add_threads(fs, pids.v[i], tids) == -ENOMEM)
			rc = td_err_nomem(err);
	}
	td_ints_free(&pids);
	return rc;
}

static bool has_variable(const struct td_sysfs *fs, int pid,
			 const char *variable)
{
	td_autofree char *entry = NULL;
	char path[40];
	size_t size = 0;
	bool has = false;
	FILE *fp;
	int fd;

	snprintf(path, sizeof(path), "%d/environ", pid);
	fd = openat(fs->proc, path, O_RDONLY | O_CLOEXEC);
	fp = fd < 0 ? NULL : fdopen(fd, "r");
	while (fp && !has && getdelim(&entry, &size, '\0', fp) > 0)
		has = strcmp(entry, variable) == 0;
	if (fp)
		fclose(fp);
	else if (fd >= 0)
		close(fd);
	return has;
}

int td_tasks_add_with(const struct td_sysfs *fs, const char *variable,
		      struct td_ints *pids, struct td_err *err)
{
	struct td_ints all = { 0 };
	int rc = list_processes(fs, &all, err);

	for (size_t i = 0; !rc && i < all.nr; i++) {
		if (all.v[i] != getpid() &&
		    has_variable(fs, all.v[i], variable) &&
		    td_ints_add(pids, all.v[i]))
			rc = td_err_nomem(err);
	}
	td_ints_free(&all);
	return rc;
}

int td_tasks_add_thread(const struct td_sysfs *fs, int tid,
			struct td_ints *tids, struct td_err *err)
{
	char path[32];

	snprintf(path, sizeof(path), "%d", tid);
	if (faccessat(fs->proc, path, F_OK, 0))
		return gone(fs, "thread", tid, err);
	return td_ints_add(tids, tid) ? td_err_nomem(err) : 0;
}

/* PF_EXITING of include/linux/sched.h, which zombies have, too. */
#define EXITING 0x4

/* In proc(5)'s stat, field 9 is the flags. */
bool td_tasks_is_alive(const struct td_sysfs *fs, int tid)
{
	unsigned int flags;
	char text[512];
	const char *rest = td_proc_stat(fs, tid, text, sizeof(text));

	return rest &&
	       sscanf(rest, " %*c %*d %*d %*d %*d %*d %u", &flags) == 1 &&
	       !(flags & EXITING);
}

int td_tasks_check_process(const struct td_sysfs *fs, int pid,
			   struct td_err *err)
{
	struct td_ints tids = { 0 };
	int rc = add_threads(fs, pid, &tids);
	bool alive = false;

	for (size_t i = 0; i < tids.nr; i++)
		alive = alive || td_tasks_is_alive(fs, tids.v[i]);
	td_ints_free(&tids);
	if (rc == -ENOMEM)
		return td_err_nomem(err);
	return alive ? 0 : td_err_set(err, -ESRCH, "process %d has ended", pid);
}

int td_tasks_add_process(const struct td_sysfs *fs, int pid,
			 struct td_ints *tids, struct td_err *err)
{
	int rc = add_threads(fs, pid, tids);

	if (rc == -ENOMEM)
		return td_err_nomem(err);
	if (rc == -EMFILE)
		return td_err_set(err, rc, "%s/%d: %s", fs->proc_path, pid,
				  strerror(EMFILE));
	return rc ? gone(fs, "process", pid, err) : 0;
}

int td_tasks_check_thread(const struct td_sysfs *fs, int tid,
			  struct td_err *err)
{
	if (td_tasks_is_alive(fs, tid))
		return 0;
	return td_err_set(err, -ESRCH, "thread %d has ended", tid);
}

/* --- names ---------------------------------------------------------------- */

static uint64_t hash_task(int tid, int life)
{
	return td_hash((uint64_t)(uint32_t)tid << 32 | (uint32_t)life);
}

static struct td_task_name *find(const struct td_task_names *names, int tid,
				 int life)
{
	size_t at = td_index_find(&names->index, hash_task(tid, life));

	return at == TD_NOT_FOUND ? NULL : &names->v[at];
}

static int life_of(const struct td_task_names *names, int tid)
{
	size_t life = td_index_find(&names->lives, td_hash((uint32_t)tid));

	return life == TD_NOT_FOUND ? 0 : (int)life;
}

int td_task_names_next_life(const struct td_task_names *names, int tid)
{
	size_t life = td_index_find(&names->lives, td_hash((uint32_t)tid));

	return life == TD_NOT_FOUND ? 0 : (int)life + 1;
}

int td_task_names_begin(struct td_task_names *names, int tid, int life)
{
	return td_index_set(&names->lives, td_hash((uint32_t)tid),
			    (size_t)life);
}

static struct td_task_name *add(struct td_task_names *names, int tid, int life)
{
	struct td_task_name *task =
		td_array_add(&names->v, names->nr, sizeof(*task));

	if (!task ||
	    td_index_add(&names->index, hash_task(tid, life), names->nr))
		return NULL;
	*task = (struct td_task_name){ .tid = tid, .life = life };
	names->nr++;
	return task;
}

static void rename_to(struct td_task_names *names, struct td_task_name *task,
		      char *name)
{
	size_t at = (size_t)(task - names->v);

	free(task->name);
	task->name = name;
	task->returned = false;
	if (names->next > at)
		names->next = at;
}

int td_task_names_set(struct td_task_names *names, int tid, const char *name)
{
	int life = life_of(names, tid);
	struct td_task_name *task = find(names, tid, life);
	char *copy;

	if (task)
		task->ended = false;
	if (task && strcmp(task->name, name) == 0)
		return 0;
	copy = strdup(name);
	if (copy && !task && !td_task_names_begin(names, tid, life))
		task = add(names, tid, life);
	if (!copy || !task) {
		free(copy);
		return -ENOMEM;
	}
	rename_to(names, task, copy);
	return 0;
}

int td_task_names_read(struct td_task_names *names, const struct td_sysfs *fs,
		       int tid)
{
	char path[40], name[64];

	snprintf(path, sizeof(path), "%d/comm", tid);
	if (td_sysfs_read_at(fs->proc, path, name, sizeof(name)) < 0)
		return 0;
	return td_task_names_set(names, tid, name);
}

const char *td_task_names_find(const struct td_task_names *names, int tid)
{
	return td_task_names_find_life(names, tid, life_of(names, tid));
}

const char *td_task_names_find_life(const struct td_task_names *names, int tid,
				    int life)
{
	const struct td_task_name *task = find(names, tid, life);

	return task ? task->name : NULL;
}

const struct td_task_name *td_task_names_next(struct td_task_names *names)
{
	while (names->next < names->nr && names->v[names->next].returned)
		names->next++;
	if (names->next == names->nr)
		return NULL;
	names->v[names->next].returned = true;
	return &names->v[names->next++];
}

void td_task_names_rewind(struct td_task_names *names)
{
	for (size_t i = 0; i < names->nr; i++)
		names->v[i].returned = false;
	names->next = 0;
}

void td_task_names_end(struct td_task_names *names, int tid)
{
	struct td_task_name *task = find(names, tid, life_of(names, tid));

	if (task)
		task->ended = true;
}

void td_task_names_forget_ended(struct td_task_names *names)
{
	size_t kept = 0;

	td_index_clear(&names->index);
	for (size_t i = 0; i < names->nr; i++) {
		const struct td_task_name task = names->v[i];

		if (task.ended) {
			free(task.name);
			continue;
		}
		/*
		 * cannot fail: the index keeps its memory, and had room for
		 * more
		 */
		td_index_add(&names->index, hash_task(task.tid, task.life),
			     kept);
		names->v[kept++] = task;
	}
	names->nr = kept;
	names->next = 0;
}

void td_task_names_free(struct td_task_names *names)
{
	for (size_t i = 0; i < names->nr; i++)
		free(names->v[i].name);
	free(names->v);
	td_index_free(&names->index);
	td_index_free(&names->lives);
	*names = (struct td_task_names){ 0 };
}
