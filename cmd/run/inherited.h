/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_RUN_INHERITED_H
#define TD_CMD_RUN_INHERITED_H

#include <stdbool.h>
#include <sys/resource.h>

#include "lib/base/err.h"

/*
 * Process state that we inherited and changed, to restore it in children; what
 * signals did before, signals.h knows.
 */
struct td_inherited {
	bool sigchld_ignored;
	struct rlimit nofile;
	bool nofile_raised;
};

/*
 * Stops ignoring SIGCHLD, raises the limit of open files, and keeps the right to
 * count from commands.
 */
void td_inherited_change(struct td_inherited *inherited);
/* Restores the state in a child before its exec(). */
void td_inherited_restore(const struct td_inherited *inherited);
/* Adds a hint to an error for lack of descriptors, unless it has one. */
void td_inherited_hint(struct td_err *err);

#endif
