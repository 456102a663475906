/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_RUN_HOOK_H
#define TD_CMD_RUN_HOOK_H

#include "cmd/run/inherited.h"
#include "lib/base/err.h"

/*
 * Runs a shell command to its end, with the signals and limits of inherited.
 * option: its name for the error, "--pre".
 */
int td_hook_run(const char *option, const char *command,
		const struct td_inherited *inherited, struct td_err *err);

#endif
