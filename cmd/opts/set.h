/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_OPTS_SET_H
#define TD_CMD_OPTS_SET_H

#include "cmd/opts/option.h"

/* Sets what the option says; arg is NULL if it has no argument. */
int td_option_set(const struct td_option *option, struct td_opts *opts,
		  const char *arg, struct td_err *err);

#endif
