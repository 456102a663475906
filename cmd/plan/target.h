/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_PLAN_TARGET_H
#define TD_CMD_PLAN_TARGET_H

#include "cmd/opts/opts.h"
#include "lib/machine/sysfs.h"
#include "lib/target/target.h"

/*
 * Makes the target from the options; the command's thread is added when it has
 * been forked.
 */
int td_target_make(struct td_target *target, const struct td_opts *opts,
		   struct td_err *err);
/* Does --per-thread mean all threads of the machine? */
bool td_target_is_everyone(const struct td_opts *opts);
/*
 * Opens the cgroups of -G or --for-each-cgroup; notes tell which cannot be
 * opened.
 */
int td_target_open_cgroups(struct td_target *target, const struct td_sysfs *fs,
			   const struct td_opts *opts, struct td_notes *notes,
			   struct td_err *err);
/*
 * Finds all threads of the processes and threads to attach to, or those of all
 * processes (td_target_is_everyone()).  Returns -ESRCH if one has ended.
 */
int td_target_find_tasks(struct td_target *target, const struct td_sysfs *fs,
			 const struct td_opts *opts, struct td_err *err);
/*
 * Returns -ESRCH, with a message that names it, if a process or thread to
 * attach to has ended or is a zombie.
 */
int td_target_check_alive(const struct td_sysfs *fs, const struct td_opts *opts,
			  struct td_err *err);
void td_target_free(struct td_target *target);
/*
 * Describes the target: "system wide", "CPU(s) 0-3", "process id 7", "thread id
 * 8" or the command, "sleep 1".  To be freed; NULL if memory ran out.
 */
char *td_target_describe(const struct td_opts *opts);

#endif
