/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_RUN_HOOK_H
#define TD_CMD_RUN_HOOK_H

#include "cmd/run/given.h"
#include "lib/base/err.h"

/*
 * A command of the shell's, to its end, with what we were given.
 * option, for the error: which one it is of.
 */
int td_hook_run(const char *option, const char *command,
		const struct td_given *given, struct td_err *err);

#endif
