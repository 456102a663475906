// SPDX-License-Identifier: GPL-2.0-only
#include "lib/target/target.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/number.h"
#include "lib/base/util.h"
#include "lib/target/cgroup.h"

static uint64_t hash_task(int tid, int life)
{
	return td_hash((uint64_t)(uint32_t)tid << 32 | (uint32_t)life);
}

static struct td_task_name *find(const struct td_task_names *names, int tid, int life)
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

void td_task_names_begin(struct td_task_names *names, int tid, int life)
{
	td_index_set(&names->lives, td_hash((uint32_t)tid), (size_t)life);
}

void td_task_names_set(struct td_task_names *names, int tid, const char *name)
{
	int life = life_of(names, tid);
	struct td_task_name *task = find(names, tid, life);
	size_t at;

	if (task)
		task->ended = false;
	if (task && strcmp(task->name, name) == 0)
		return;
	if (!task) {
		td_task_names_begin(names, tid, life);
		task = td_array_add(&names->v, names->nr, sizeof(*task));
		td_index_add(&names->index, hash_task(tid, life), names->nr++);
		*task = (struct td_task_name){ .tid = tid, .life = life };
	}
	free(task->name);
	task->name = td_strdup(name);
	task->returned = false;
	at = (size_t)(task - names->v);
	if (names->next > at)
		names->next = at;
}

void td_task_names_read(struct td_task_names *names, const struct td_sysfs *fs, int tid)
{
	char path[40], name[64];

	snprintf(path, sizeof(path), "%d/comm", tid);
	if (td_sysfs_read_at(fs->proc, path, name, sizeof(name)) >= 0)
		td_task_names_set(names, tid, name);
}

const char *td_task_names_find(const struct td_task_names *names, int tid)
{
	return td_task_names_find_life(names, tid, life_of(names, tid));
}

const char *td_task_names_find_life(const struct td_task_names *names, int tid, int life)
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
	td_task_names_end_life(names, tid, life_of(names, tid));
}

void td_task_names_end_life(struct td_task_names *names, int tid, int life)
{
	struct td_task_name *task = find(names, tid, life);

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
		td_index_add(&names->index, hash_task(task.tid, task.life), kept);
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

/* --- requests ---------------------------------------------------------------- */

bool td_target_attaches(const struct td_target_ask *ask)
{
	return ask->pids.nr || ask->tids.nr;
}

bool td_target_has_cgroups(const struct td_target_ask *ask)
{
	return ask->cgroups || ask->each_cgroup;
}

bool td_target_is_wide(const struct td_target_ask *ask)
{
	return !td_target_attaches(ask) && (ask->all_cpus || ask->has_cpus || !ask->command);
}

static enum td_target_kind kind_of(const struct td_target_ask *ask)
{
	if (ask->pids.nr)
		return TD_TARGET_PROCESSES;
	if (ask->tids.nr)
		return TD_TARGET_THREADS;
	if (ask->has_cpus)
		return TD_TARGET_CPUS;
	return ask->all_cpus || !ask->command ? TD_TARGET_SYSTEM : TD_TARGET_COMMAND;
}

/* Joins the words with blanks; the caller frees the result. */
static char *join(char *const *words)
{
	char *text = NULL;
	size_t size;
	FILE *fp = td_open_memstream(&text, &size);

	for (char *const *word = words; *word; word++) {
		fputs(word == words ? "" : " ", fp);
		fputs(*word, fp);
	}
	td_text_close(fp, &text);
	return text;
}

static void set_name(struct td_target_name *name, const struct td_target_ask *ask)
{
	name->kind = kind_of(ask);
	switch (name->kind) {
	case TD_TARGET_PROCESSES:
		name->text = td_ints_format(&ask->pids);
		break;
	case TD_TARGET_THREADS:
		name->text = td_ints_format(&ask->tids);
		break;
	case TD_TARGET_CPUS:
		name->text = td_ints_format(&ask->cpus);
		break;
	case TD_TARGET_COMMAND:
		name->text = join(ask->command);
		break;
	case TD_TARGET_SYSTEM:
	case TD_TARGET_FILE:
		name->text = td_strdup("");
		break;
	}
}

void td_target_make(struct td_target *target, const struct td_target_ask *ask, bool per_thread)
{
	bool wide = td_target_is_wide(ask), system_wide = wide && !per_thread;
	bool all_tasks = wide && per_thread && (ask->all_cpus || !ask->command);

	*target = (struct td_target){
		.system_wide = system_wide,
		.has_cpus = ask->has_cpus,
		.per_thread = per_thread,
		.all_tasks = all_tasks,
		.inherit = !system_wide && !ask->no_inherit && !per_thread,
		.enable_on_exec = !system_wide && !all_tasks && !td_target_attaches(ask),
		.all_user = ask->all_user,
		.all_kernel = ask->all_kernel,
	};
	set_name(&target->name, ask);
	td_ints_copy(&target->cpus, &ask->cpus);
	td_ints_copy(&target->pids, &ask->pids);
	td_ints_copy(&target->threads, &ask->tids);
}

int td_target_open_cgroups(struct td_target *target, const struct td_sysfs *fs,
			   const struct td_target_ask *ask, struct td_notes *notes,
			   struct td_err *err)
{
	td_autofree char *root = NULL;
	int rc;

	if (!td_target_has_cgroups(ask))
		return 0;
	rc = td_cgroup_root(fs, &root, err);
	if (rc)
		return rc;
	target->each_cgroup = ask->each_cgroup != NULL;
	rc = ask->each_cgroup
		     ? td_cgroups_match(&target->cgroups, root, ask->each_cgroup, notes, err)
		     : td_cgroups_name(&target->cgroups, root, ask->cgroups, err);
	for (size_t i = 0; !rc && i < target->cgroups.nr; i++)
		td_container_look(&target->cgroups, i, fs);
	return rc;
}

/* --- tasks in proc ----------------------------------------------------------- */

/*
 * Has the thread ended?  Threads other than the first of a process have no such descriptor, and
 * count as running.
 */
static bool has_ended(int tid)
{
	struct pollfd ended = { .fd = (int)syscall(SYS_pidfd_open, tid, 0), .events = POLLIN };
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

/* Reports a task that proc does not show: it has ended, or proc is not mounted. */
static int missing(const struct td_sysfs *fs, const char *what, int tid, struct td_err *err)
{
	if (kill(tid, 0) && errno != EPERM)
		return td_err_set(err, -ESRCH, "%s %d does not exist", what, tid);
	td_err_set(err, -ENOENT, "%s/%d: %s", fs->proc_path, tid, strerror(ENOENT));
	return td_err_hint(err, "is proc mounted on %s?", fs->proc_path);
}

/* Returns 0, -EMFILE, or -ESRCH if the process has ended. */
static int add_threads(const struct td_sysfs *fs, int pid, struct td_ints *tids)
{
	struct td_names names;
	char path[64];
	int tid, rc;

	snprintf(path, sizeof(path), "%d/task", pid);
	rc = td_sysfs_list(fs->proc, path, &names);
	if (rc != -EMFILE && (rc || names.nr == 0))
		rc = -ESRCH;
	for (size_t i = 0; !rc && i < names.nr; i++) {
		if (td_parse_int(names.v[i], 1, INT_MAX, &tid) == 0)
			td_ints_add(tids, tid);
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
		has = len == sizeof(wanted) - 1 && memcmp(link, wanted, (size_t)len) == 0;
	}
	td_names_free(&names);
	return has;
}

/* Opens a file of proc; returns NULL if it does not exist or must not be read. */
static FILE *open_proc(const struct td_sysfs *fs, const char *path)
{
	int fd = openat(fs->proc, path, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? NULL : td_need(fdopen(fd, "r"));
}

/* Lists the children that a thread has started. */
static void list_children(const struct td_sysfs *fs, int tid, struct td_ints *pids)
{
	td_autofree char *line = NULL;
	char path[64], *at, *next;
	size_t size = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%d/task/%d/children", tid, tid);
	file = open_proc(fs, path);
	/* one line without an end */
	at = file && getline(&line, &size, file) > 0 ? line : NULL;
	if (file)
		fclose(file);
	for (; at; at = next) {
		long pid = strtol(at, &next, 10);

		if (next == at)
			break;
		td_ints_add(pids, (int)pid);
	}
}

uint64_t td_tasks_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (uint64_t)now.tv_sec * (uint64_t)sysconf(_SC_CLK_TCK) +
	       (uint64_t)now.tv_nsec / 1000 * (uint64_t)sysconf(_SC_CLK_TCK) / 1000000;
}

/* Fields of stat in proc(5): the start and the last CPU of a task. */
enum {
	STARTTIME = 22,
	PROCESSOR = 39
};

/* Sets *value to a field of a task, which is after its name.  Returns false if it has ended. */
static bool read_stat(const struct td_sysfs *fs, int tid, int wanted, uint64_t *value)
{
	char text[1024];
	const char *rest = td_proc_stat(fs, tid, text, sizeof(text));

	if (rest)
		rest += strspn(rest, " ");
	for (int field = 3; rest && field < wanted; field++) {
		rest = strchr(rest, ' ');
		rest = rest ? rest + 1 : NULL;
	}
	if (rest)
		*value = strtoull(rest, NULL, 10);
	return rest;
}

static bool started_after(const struct td_sysfs *fs, int pid, uint64_t since)
{
	uint64_t start;

	return read_stat(fs, pid, STARTTIME, &start) && start > since;
}

/* A process, its children, their children and so on. */
struct family {
	const struct td_sysfs *fs;
	uint64_t since;
	struct td_ints pids; /* the current generation */
	struct td_ints *tids;
};

/* Adds the children of a thread to pids. */
static void add_children(const struct family *family, int tid, struct td_ints *pids)
{
	struct td_ints children = { 0 };

	list_children(family->fs, tid, &children);
	for (size_t i = 0; i < children.nr; i++) {
		if (!family->since || started_after(family->fs, children.v[i], family->since))
			td_ints_add(pids, children.v[i]);
	}
	td_ints_free(&children);
}

void td_tasks_add_family(const struct td_sysfs *fs, int pid, uint64_t since, struct td_ints *tids)
{
	struct family family = { fs, since, { 0 }, tids };

	td_ints_add(&family.pids, pid);
	while (family.pids.nr) {
		struct td_ints threads = { 0 }, children = { 0 };

		for (size_t i = 0; i < family.pids.nr; i++)
			add_threads(family.fs, family.pids.v[i], &threads);
		for (size_t i = 0; i < threads.nr; i++) {
			td_ints_add(family.tids, threads.v[i]);
			add_children(&family, threads.v[i], &children);
		}
		td_ints_free(&threads);
		td_ints_free(&family.pids);
		family.pids = children;
	}
	td_ints_free(&family.pids);
}

int td_tasks_add_processes(const struct td_sysfs *fs, struct td_ints *pids, struct td_err *err)
{
	struct td_names names;
	int pid, rc = td_sysfs_list(fs->proc, ".", &names);

	for (size_t i = 0; !rc && i < names.nr; i++) {
		if (td_parse_int(names.v[i], 1, INT_MAX, &pid) == 0)
			td_ints_add(pids, pid);
	}
	td_names_free(&names);
	return rc ? td_err_set(err, rc, "%s: %s", fs->proc_path, strerror(-rc)) : 0;
}

int64_t td_task_user(const struct td_sysfs *fs, int pid)
{
	struct stat st;
	char path[16];

	/* as task_dump_owner() of Linux has it for this directory, also of undumpable processes */
	snprintf(path, sizeof(path), "%d", pid);
	return fstatat(fs->proc, path, &st, 0) ? -1 : (int64_t)st.st_uid;
}

char *td_user_name(uid_t user)
{
	struct passwd entry, *found = NULL;
	char text[16 * 1024];
#ifdef TD_STATIC
	/* other name services need shared libraries */
	FILE *file = fopen("/etc/passwd", "re");

	while (file && fgetpwent_r(file, &entry, text, sizeof(text), &found) == 0) {
		if (entry.pw_uid == user)
			break;
	}
	if (file)
		fclose(file);
#else
	getpwuid_r(user, &entry, text, sizeof(text), &found);
#endif
	return found ? td_strdup(entry.pw_name) : td_aprintf("%u", user);
}

static int add_all_tasks(const struct td_sysfs *fs, struct td_ints *tids, struct td_err *err)
{
	struct td_ints pids = { 0 };
	int rc = td_tasks_add_processes(fs, &pids, err);

	for (size_t i = 0; !rc && i < pids.nr; i++)
		add_threads(fs, pids.v[i], tids);
	td_ints_free(&pids);
	return rc;
}

static bool has_variable(const struct td_sysfs *fs, int pid, const char *variable)
{
	td_autofree char *entry = NULL;
	char path[40];
	size_t size = 0;
	bool has = false;
	FILE *file;

	snprintf(path, sizeof(path), "%d/environ", pid);
	file = open_proc(fs, path);
	while (file && !has && getdelim(&entry, &size, '\0', file) > 0)
		has = strcmp(entry, variable) == 0;
	if (file)
		fclose(file);
	return has;
}

int td_tasks_add_with(const struct td_sysfs *fs, const char *variable, struct td_ints *pids,
		      struct td_err *err)
{
	struct td_ints all = { 0 };
	int rc = td_tasks_add_processes(fs, &all, err);

	for (size_t i = 0; !rc && i < all.nr; i++) {
		if (all.v[i] != getpid() && has_variable(fs, all.v[i], variable))
			td_ints_add(pids, all.v[i]);
	}
	td_ints_free(&all);
	return rc;
}

static int add_thread(const struct td_sysfs *fs, int tid, struct td_ints *tids, struct td_err *err)
{
	char path[32];

	snprintf(path, sizeof(path), "%d", tid);
	if (faccessat(fs->proc, path, F_OK, 0))
		return missing(fs, "thread", tid, err);
	td_ints_add(tids, tid);
	return 0;
}

/* PF_EXITING of include/linux/sched.h, which zombies also have */
#define EXITING 0x4

/* Returns true if a task is not exiting.  Its flags are field 9 of stat in proc(5). */
static bool is_alive(const struct td_sysfs *fs, int tid)
{
	unsigned int flags;
	char text[512];
	const char *rest = td_proc_stat(fs, tid, text, sizeof(text));

	return rest && sscanf(rest, " %*c %*d %*d %*d %*d %*d %u", &flags) == 1 &&
	       !(flags & EXITING);
}

static int check_process(const struct td_sysfs *fs, int pid, struct td_err *err)
{
	struct td_ints tids = { 0 };
	bool alive = false;

	add_threads(fs, pid, &tids);
	for (size_t i = 0; i < tids.nr; i++)
		alive = alive || is_alive(fs, tids.v[i]);
	td_ints_free(&tids);
	return alive ? 0 : td_err_set(err, -ESRCH, "process %d has ended", pid);
}

static int add_process(const struct td_sysfs *fs, int pid, struct td_ints *tids, struct td_err *err)
{
	int rc = add_threads(fs, pid, tids);

	if (rc == -EMFILE)
		return td_err_set(err, rc, "%s/%d: %s", fs->proc_path, pid, strerror(EMFILE));
	return rc ? missing(fs, "process", pid, err) : 0;
}

/* --- tasks of a target ------------------------------------------------------- */

static bool attaches(const struct td_target *target)
{
	return target->pids.nr || target->threads.nr;
}

int td_target_find_tasks(struct td_target *target, const struct td_sysfs *fs, struct td_err *err)
{
	int rc = 0;

	if (!target->all_tasks && !attaches(target))
		return 0;
	td_ints_free(&target->tids);
	target->since = td_tasks_now();
	if (target->all_tasks)
		return add_all_tasks(fs, &target->tids, err);
	for (size_t i = 0; !rc && i < target->pids.nr; i++)
		rc = add_process(fs, target->pids.v[i], &target->tids, err);
	for (size_t i = 0; !rc && i < target->threads.nr; i++)
		rc = add_thread(fs, target->threads.v[i], &target->tids, err);
	return rc;
}

bool td_target_leave_out_ended(struct td_target *target, const struct td_sysfs *fs)
{
	struct td_ints *tids = &target->tids;
	size_t nr = 0, before = tids->nr;
	struct td_err unused = { 0 };

	if (td_target_check_alive(target, fs, &unused))
		return false;
	for (size_t i = 0; i < before; i++) {
		if (is_alive(fs, tids->v[i]))
			tids->v[nr++] = tids->v[i];
	}
	tids->nr = nr;
	return nr && nr < before;
}

void td_target_list_running(const struct td_target *target, const struct td_sysfs *fs,
			    struct td_ints *tids)
{
	const struct td_ints *roots = attaches(target) ? &target->pids : &target->tids;

	if (target->system_wide)
		return;
	for (size_t i = 0; i < roots->nr; i++)
		td_tasks_add_family(fs, roots->v[i], target->since, tids);
	for (size_t i = 0; i < target->threads.nr; i++) {
		if (is_alive(fs, target->threads.v[i]))
			td_ints_add(tids, target->threads.v[i]);
	}
}

void td_target_list_cpus(const struct td_sysfs *fs, const struct td_ints *tids,
			 struct td_ints *cpus)
{
	uint64_t cpu;

	for (size_t i = 0; i < tids->nr; i++) {
		if (read_stat(fs, tids->v[i], PROCESSOR, &cpu))
			td_ints_add(cpus, (int)cpu);
	}
}

int td_target_check_alive(const struct td_target *target, const struct td_sysfs *fs,
			  struct td_err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < target->pids.nr; i++)
		rc = check_process(fs, target->pids.v[i], err);
	for (size_t i = 0; !rc && i < target->threads.nr; i++)
		rc = is_alive(fs, target->threads.v[i])
			     ? 0
			     : td_err_set(err, -ESRCH, "thread %d has ended", target->threads.v[i]);
	return rc;
}

void td_target_free(struct td_target *target)
{
	free(target->name.text);
	td_ints_free(&target->cpus);
	td_ints_free(&target->pids);
	td_ints_free(&target->threads);
	td_ints_free(&target->tids);
	td_cgroups_free(&target->cgroups);
	*target = (struct td_target){ 0 };
}

/* perf stat's words, in print_header() of tools/perf/util/stat-display.c */
static const char *const words[] = {
	[TD_TARGET_COMMAND] = "",           [TD_TARGET_SYSTEM] = "system wide",
	[TD_TARGET_CPUS] = "CPU(s) ",       [TD_TARGET_PROCESSES] = "process id ",
	[TD_TARGET_THREADS] = "thread id ", [TD_TARGET_FILE] = "",
};

const char *td_target_words(enum td_target_kind kind)
{
	return words[kind];
}

char *td_target_name_format(const struct td_target_name *name)
{
	return td_aprintf("%s%s", words[name->kind], name->text ? name->text : "");
}

static bool is_kind(enum td_target_kind kind, const char *text)
{
	size_t len = strlen(words[kind]);

	if (!len || strncmp(text, words[kind], len) != 0)
		return false;
	return kind != TD_TARGET_SYSTEM || !text[len];
}

void td_target_name_parse(struct td_target_name *name, const char *text)
{
	enum td_target_kind kind = TD_TARGET_COMMAND;

	for (size_t i = 0; i < TD_ARRAY_SIZE(words); i++) {
		if (is_kind((enum td_target_kind)i, text))
			kind = (enum td_target_kind)i;
	}
	name->kind = kind;
	name->text = td_strdup(text + strlen(words[kind]));
}
