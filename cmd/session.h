/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_SESSION_H
#define TD_CMD_SESSION_H

#include "cmd/opts/opts.h"

/*
 * Counts as opts say, or shows what would be counted.  *status is the
 * command's, when one ran.
 */
int td_session_run(const struct td_opts *opts, int *status, struct td_err *err);

#endif
