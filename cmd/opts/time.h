/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_OPTS_TIME_H
#define TD_CMD_OPTS_TIME_H

#include "lib/base/err.h"

/* Parses an option's time in milliseconds, which must be at least min. */
int td_opts_time(const char *option, const char *arg, int min, int *out,
		 struct td_err *err);
/* Parses the time of -D, which may also be -1. */
int td_opts_delay(const char *arg, int *out, struct td_err *err);

#endif
