/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_TARGET_H
#define TD_CMD_TARGET_H

#include "cmd/opts.h"
#include "lib/sysfs.h"
#include "lib/target.h"

/* From the options; the command's own thread is added when it has been forked. */
int td_target_make(struct td_target *target, const struct td_opts *opts,
		   struct td_err *err);
/* All threads of the processes, as they are now.  -ESRCH: one is gone. */
int td_target_threads(const struct td_sysfs *fs, const struct td_ints *pids,
		      struct td_ints *tids, struct td_err *err);
void td_target_free(struct td_target *target);
/* "system wide", "CPU(s) 0-3", "process id 7", "sleep 1"; to be freed. */
char *td_target_describe(const struct td_opts *opts);

#endif
