/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_OPTS_MEANT_VALUE_H
#define TD_CMD_OPTS_MEANT_VALUE_H

#include "lib/base/err.h"

/* These add the second line to an error: what was probably meant. */

/* A list of option 'C', 'p' or 't' that is none. */
int td_meant_list(int option, const char *arg, struct td_err *err);
/* "-l TopdownL2" */
int td_meant_level(const char *arg, struct td_err *err);

#endif
