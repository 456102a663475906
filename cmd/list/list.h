/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmd/list: the subcommand tdstat list.
 *
 * In: the patterns of the command line.
 * Out: the events and metrics that match, as text or JSON, or their encodings
 * (--print).
 */
#ifndef TD_CMD_LIST_LIST_H
#define TD_CMD_LIST_LIST_H

#include "cmd/opts/opts.h"

/*
 * Runs tdstat list: prints what can be counted, or with --print its encodings.
 */
int td_list_run(const struct td_opts *opts, struct td_err *err);

#endif
