/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/target: the CPUs, processes, threads and cgroups to count.
 *
 * In: their names and numbers, as the user types them.
 * Out: struct td_target: numbers for the kernel, and open cgroup directories.  Also
 * the names of users and tasks.
 */
#pragma once

#include <sys/types.h>

#include "lib/machine/sysfs.h"
#include "lib/target/cgroup.h"

/* Kind of target, for titles. */
enum td_target_kind {
	TD_TARGET_COMMAND,
	TD_TARGET_SYSTEM, /* all CPUs */
	TD_TARGET_CPUS,
	TD_TARGET_PROCESSES,
	TD_TARGET_THREADS,
	TD_TARGET_FILE, /* unknown: the counts are from a file of perf stat */
};

struct td_target_name {
	enum td_target_kind kind;
	/* the command's words, a list of numbers or a path; system: empty */
	char *text;
};

/*
 * Returns the words before the text of a target, such as "process id "; for the system, the whole
 * name.
 */
const char *td_target_words(enum td_target_kind kind);
/* Returns the words and the text; the caller frees it. */
char *td_target_name_format(const struct td_target_name *name);
/*
 * Parses the result of td_target_name_format().  A command that begins with the words of another
 * kind is read as that kind.  The caller frees name->text.
 */
void td_target_name_parse(struct td_target_name *name, const char *text);

/* Request of the user. */
struct td_target_ask {
	bool all_cpus, has_cpus;
	struct td_ints cpus, pids, tids;
	bool no_inherit, all_user, all_kernel;
	char *cgroups;           /* all -G lists, joined, or NULL */
	const char *each_cgroup; /* list of --for-each-cgroup, or NULL */
	bool by_events;          /* count cgroups or tasks by events of their own */
	char **command;          /* words that end with NULL, or NULL */
	const char *overridden;  /* CPU option that is ignored because of tasks, or NULL */
};

/* Returns true if the target is tasks that already run. */
bool td_target_attaches(const struct td_target_ask *ask);
bool td_target_has_cgroups(const struct td_target_ask *ask);
/* Returns true if the target is whole CPUs or all tasks of the machine. */
bool td_target_is_wide(const struct td_target_ask *ask);

struct td_target {
	struct td_target_name name; /* printed name */
	bool system_wide;           /* count CPUs, not tasks */
	bool has_cpus;              /* count only on the CPUs in cpus */
	struct td_ints cpus;
	/* with system_wide: only tasks of these cgroups are counted, unless empty */
	struct td_cgroups cgroups;
	bool each_cgroup; /* open each event once for each of cgroups */
	/* processes with all their threads, and single threads, to attach to */
	struct td_ints pids, threads;
	struct td_ints tids; /* the tasks found, unless system_wide */
	uint64_t since;      /* td_tasks_now() when tids were found; 0 for a command */
	bool per_thread;     /* count each task separately */
	bool all_tasks;      /* count each task of the machine separately */
	/* with system_wide: CPUs may be read at each switch of tasks or cgroups */
	bool by_switches;
	bool tells_tasks;          /* with by_switches: each task has counts */
	bool by_mode;              /* count guests, kernel and user space of tasks separately */
	bool inherit;              /* also count children that start later */
	bool enable_on_exec;       /* the task is a command that will exec */
	bool all_user, all_kernel; /* count only this mode */
	bool exclude_kernel;       /* fallback if the kernel must not be counted */
	bool exclude_guest;
};

/* Fills *target; the thread of a command is added after the fork.  Free with td_target_free(). */
void td_target_make(struct td_target *target, const struct td_target_ask *ask, bool per_thread);
/* Opens the cgroups; notes name those that cannot be opened. */
int td_target_open_cgroups(struct td_target *target, const struct td_sysfs *fs,
			   const struct td_target_ask *ask, struct td_notes *notes,
			   struct td_err *err);
/*
 * Finds all threads of the processes and threads to attach to, or all tasks.
 * Returns -ESRCH if one has ended.
 */
int td_target_find_tasks(struct td_target *target, const struct td_sysfs *fs, struct td_err *err);
/*
 * Removes threads that have ended.  Returns true if there were any, others remain, and
 * no process or thread that the user named has ended.
 */
bool td_target_leave_out_ended(struct td_target *target, const struct td_sysfs *fs);
/* Adds to tids the target's tasks that still run, and the tasks that they have started since. */
void td_target_list_running(const struct td_target *target, const struct td_sysfs *fs,
			    struct td_ints *tids);
/* Adds to cpus those on which tasks ran last. */
void td_target_list_cpus(const struct td_sysfs *fs, const struct td_ints *tids,
			 struct td_ints *cpus);
/*
 * Returns -ESRCH, with a message that names it, if a process or thread to
 * attach to has ended or is a zombie.
 */
int td_target_check_alive(const struct td_target *target, const struct td_sysfs *fs,
			  struct td_err *err);
void td_target_free(struct td_target *target);

/* Returns the time as in proc: clock ticks since the machine booted. */
uint64_t td_tasks_now(void);
/*
 * Adds the threads of a process, of its children that began after since (td_tasks_now(); 0: all
 * children), and of their children.  It does not find tasks that have ended or whose parent has
 * ended, nor, in kernels without CONFIG_PROC_CHILDREN, any children.
 */
void td_tasks_add_family(const struct td_sysfs *fs, int pid, uint64_t since, struct td_ints *tids);
/*
 * Adds the processes other than this one whose environment contains "NAME=VALUE", if
 * it may be read.  Returns 0 or an error.
 */
int td_tasks_add_with(const struct td_sysfs *fs, const char *variable, struct td_ints *pids,
		      struct td_err *err);
/* Adds all processes of the machine. */
int td_tasks_add_processes(const struct td_sysfs *fs, struct td_ints *pids, struct td_err *err);
/* Returns the effective user of a process, or -1 if it has ended. */
int64_t td_task_user(const struct td_sysfs *fs, int pid);
/* Returns the name of a user, or the number of one without a name; the caller frees it. */
char *td_user_name(uid_t user);
/* Returns true if one of these tasks has ended or is a zombie. */
bool td_tasks_has_ended(const struct td_ints *tids);
/* Returns true if the process runs a KVM guest; false also if its descriptors are hidden. */
bool td_tasks_has_guest(const struct td_sysfs *fs, int pid);

/*
 * The names (comm) of tasks.  The kernel reuses the tid of a task that has
 * ended, so a task is a tid and a life: 0 for the first counted task with this
 * tid, 1 for the second.  A zeroed struct is empty.
 */
struct td_task_names {
	struct td_task_name {
		int tid, life;
		char *name;
		bool returned; /* td_task_names_next() has returned it */
		bool ended;
	} * v;
	size_t nr;
	size_t next;           /* all entries before this one were returned */
	struct td_index index; /* finds v by tid and life */
	struct td_index lives; /* the last life of each tid */
};

/* Numbers that are not those of a task: tids are below 2^22. */
enum {
	TD_TASK_IDLE = 0, /* as in the kernel */
	TD_TASK_LOST = 1 << 30,
};
#define TD_IDLE_NAME "(idle)"
#define TD_LOST_NAME "(lost)"

/* Returns the life of the next task with this tid. */
int td_task_names_next_life(const struct td_task_names *names, int tid);
/* Starts a life: tid refers to this task until the next one begins. */
void td_task_names_begin(struct td_task_names *names, int tid, int life);
/* Sets the name of the task that has this tid now. */
void td_task_names_set(struct td_task_names *names, int tid, const char *name);
/* Reads the name from proc; a task that has ended keeps its old one. */
void td_task_names_read(struct td_task_names *names, const struct td_sysfs *fs, int tid);
/* Return the name of the current task with this tid, or of a given life; NULL if unknown. */
const char *td_task_names_find(const struct td_task_names *names, int tid);
const char *td_task_names_find_life(const struct td_task_names *names, int tid, int life);
/*
 * Returns a task whose name has changed or appeared since the last call; NULL if there are no more.
 */
const struct td_task_name *td_task_names_next(struct td_task_names *names);
/* Makes td_task_names_next() return all tasks again. */
void td_task_names_rewind(struct td_task_names *names);
/* Mark the current task with this tid, or of a given life, as ended until its name is set. */
void td_task_names_end(struct td_task_names *names, int tid);
void td_task_names_end_life(struct td_task_names *names, int tid, int life);
/* Removes the names of ended tasks, but not the number of lives of their tids. */
void td_task_names_forget_ended(struct td_task_names *names);
void td_task_names_free(struct td_task_names *names);
