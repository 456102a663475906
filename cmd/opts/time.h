/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_OPTS_TIME_H
#define TD_CMD_OPTS_TIME_H

#include "lib/base/err.h"

/* The time that an option names, from min milliseconds on. */
int td_opts_time(const char *option, const char *arg, int min, int *out,
		 struct td_err *err);
/* That of -D, which may also be -1. */
int td_opts_delay(const char *arg, int *out, struct td_err *err);

#endif
