/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_OPTS_CHECK_H
#define TD_CMD_OPTS_CHECK_H

#include "cmd/opts/opts.h"

/* A usage error if two options exclude each other; it names both. */
int td_opts_check(const struct td_opts *opts, struct td_err *err);
/* The same for the options that only counting has. */
int td_opts_check_counting(const struct td_opts *opts, struct td_err *err);

#endif
