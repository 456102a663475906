/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_OPTS_CHECK_H
#define TD_CMD_OPTS_CHECK_H

#include "cmd/opts/opts.h"

/* Of options that make no sense together, a usage error that names both. */
int td_opts_check(const struct td_opts *opts, struct td_err *err);
/* The same of those that say what to count. */
int td_opts_check_counting(const struct td_opts *opts, struct td_err *err);

#endif
