/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/target: what to count on: CPUs, processes, threads, cgroups.
 *
 * In: their names and numbers, as the user types them.
 * Out: struct td_target: numbers for the kernel, and open cgroup folders.  The
 * names of tasks are kept here, too (tasks.h).
 */
#ifndef TD_LIB_TARGET_TARGET_H
#define TD_LIB_TARGET_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/base/ints.h"
#include "lib/machine/sysfs.h"
#include "lib/target/cgroup.h"

/* What is counted, as the title of a result says it. */
enum td_target_kind {
	TD_TARGET_COMMAND,
	TD_TARGET_SYSTEM, /* all CPUs */
	TD_TARGET_CPUS,
	TD_TARGET_PROCESSES,
	TD_TARGET_THREADS,
	TD_TARGET_FILE, /* unknown: a file that perf stat wrote does not say */
};

struct td_target_name {
	enum td_target_kind kind;
	/* the command's words, a list of numbers or a path; system: empty */
	char *text;
};

/* What stands before the text: "process id "; of the system, all of it. */
const char *td_target_words(enum td_target_kind kind);
/* The words and the text, to be freed; NULL if memory ran out. */
char *td_target_name_format(const struct td_target_name *name);
/*
 * Reads what td_target_name_format() wrote.  A command that begins with the
 * words of another kind is taken for one.  Returns 0 or -ENOMEM; free
 * name->text even then.
 */
int td_target_name_parse(struct td_target_name *name, const char *text);

/* What the user asks to be counted on. */
struct td_target_ask {
	bool all_cpus, has_cpus;
	struct td_ints cpus, pids, tids;
	bool no_inherit;
	bool all_user, all_kernel;
	char *cgroups;           /* all of -G, joined; NULL: none */
	const char *each_cgroup; /* NULL: none */
	char **command;          /* NULL-terminated; NULL: none */
	const char *overridden;  /* option for CPUs, which tasks override */
};

/* Tasks that run already. */
bool td_target_attaches(const struct td_target_ask *ask);
bool td_target_has_cgroups(const struct td_target_ask *ask);
/* Whole CPUs, or all tasks of the machine. */
bool td_target_is_wide(const struct td_target_ask *ask);

struct td_target {
	struct td_target_name name; /* for people */
	bool system_wide;           /* CPUs, not tasks */
	bool has_cpus;              /* only the CPUs in cpus */
	struct td_ints cpus;
	/*
	 * With system_wide: count only tasks of these cgroups; empty:
	 * everything.
	 */
	struct td_cgroups cgroups;
	bool each_cgroup; /* open each event once for each of cgroups */
	/* to attach to: processes with all their threads, single threads */
	struct td_ints pids, threads;
	struct td_ints tids; /* the tasks found, unless system_wide */
	uint64_t since;      /* when they were; 0: a command, not begun */
	bool per_thread;     /* count each task by itself */
	bool all_tasks;      /* all tasks of the machine, each by itself */
	bool by_mode; /* the tasks' guests, kernel and user space apart */
	bool inherit; /* count children that start later, too */
	bool enable_on_exec;       /* the task is a command that will exec */
	bool all_user, all_kernel; /* only this part of all events */
	bool exclude_kernel;       /* fallback: it may not be counted */
	bool exclude_guest;
};

/*
 * The command's thread is added when it has been forked.  Free with
 * td_target_free(), even after an error.
 */
int td_target_make(struct td_target *target, const struct td_target_ask *ask,
		   bool per_thread, struct td_err *err);
/* Opens the cgroups; notes tell which cannot be opened. */
int td_target_open_cgroups(struct td_target *target, const struct td_sysfs *fs,
			   const struct td_target_ask *ask,
			   struct td_notes *notes, struct td_err *err);
/*
 * Finds all threads of the processes and threads to attach to, or all tasks.
 * Returns -ESRCH if one has ended.
 */
int td_target_find_tasks(struct td_target *target, const struct td_sysfs *fs,
			 struct td_err *err);
/*
 * Leaves out threads that have ended.  True if there were any, others are left, and no
 * process or thread that was named has ended.
 */
bool td_target_leave_out_ended(struct td_target *target,
			       const struct td_sysfs *fs);
/*
 * Adds to tids which of the target's tasks still run, and what these processes
 * have started since; may be nothing.
 */
int td_target_list_running(const struct td_target *target,
			   const struct td_sysfs *fs, struct td_ints *tids,
			   struct td_err *err);
/*
 * Returns -ESRCH, with a message that names it, if a process or thread to
 * attach to has ended or is a zombie.
 */
int td_target_check_alive(const struct td_target *target,
			  const struct td_sysfs *fs, struct td_err *err);
void td_target_free(struct td_target *target);

#endif
