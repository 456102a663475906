/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_PLAN_TARGET_H
#define TD_CMD_PLAN_TARGET_H

#include "cmd/opts/opts.h"
#include "lib/machine/sysfs.h"
#include "lib/target/target.h"

/*
 * Makes the target from the options; the command's thread is added when it has
 * been forked.  Free with td_target_free(), even after an error.
 */
int td_target_make(struct td_target *target, const struct td_opts *opts,
		   struct td_err *err);
/*
 * Opens the cgroups of -G or --for-each-cgroup; notes tell which cannot be
 * opened.
 */
int td_target_open_cgroups(struct td_target *target, const struct td_sysfs *fs,
			   const struct td_opts *opts, struct td_notes *notes,
			   struct td_err *err);

#endif
