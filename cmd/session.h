/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_SESSION_H
#define TD_CMD_SESSION_H

#include "cmd/opts/opts.h"

/*
 * Counts as opts say, or shows what would be counted (--dry-run).  *status is
 * set to the command's status if one ran.
 */
int td_session_run(const struct td_opts *opts, int *status, struct td_err *err);

#endif
