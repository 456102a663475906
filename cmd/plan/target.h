/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_PLAN_TARGET_H
#define TD_CMD_PLAN_TARGET_H

#include "cmd/opts/opts.h"
#include "lib/machine/sysfs.h"
#include "lib/target/target.h"

/* From the options; the command's own thread is added when it has been forked. */
int td_target_make(struct td_target *target, const struct td_opts *opts,
		   struct td_err *err);
/* --per-thread without any: all threads that there are. */
bool td_target_is_everyone(const struct td_opts *opts);
/* Those of -G or --for-each-cgroup; notes: what cannot be opened. */
int td_target_open_cgroups(struct td_target *target, const struct td_sysfs *fs,
			   const struct td_opts *opts, struct td_notes *notes,
			   struct td_err *err);
/*
 * Of what is attached to, all threads as they are now; without any, and per
 * thread, those of all processes.  -ESRCH: one is gone.
 */
int td_target_find_tasks(struct td_target *target, const struct td_sysfs *fs,
			 const struct td_opts *opts, struct td_err *err);
/* -ESRCH: who is attached to has ended, or is a zombie, and is named. */
int td_target_check_alive(const struct td_sysfs *fs, const struct td_opts *opts,
			  struct td_err *err);
void td_target_free(struct td_target *target);
/* "system wide", "CPU(s) 0-3", "process id 7", "thread id 8",
   "sleep 1"; to be freed. */
char *td_target_describe(const struct td_opts *opts);

#endif
