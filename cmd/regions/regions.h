/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_REGIONS_REGIONS_H
#define TD_CMD_REGIONS_REGIONS_H

#include "cmd/opts/option.h"
#include "cmd/run/signals.h"

/*
 * Runs the command of the options, and shows its marked regions: of tdstat calls, only
 * the calls of those that it names.  As run() of struct td_command.
 */
int td_regions_run(const struct td_opts *opts, struct td_inherited *inherited,
		   int *status, struct td_err *err);

#endif
