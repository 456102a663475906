/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_OPTS_MEANT_VALUE_H
#define TD_CMD_OPTS_MEANT_VALUE_H

#include "lib/base/err.h"

/* These add a hint to an error: what the user probably meant. */

/* For an argument of option 'C', 'p' or 't' that is no list of numbers. */
int td_meant_list(int option, const char *arg, struct td_err *err);
/* For names of levels, "-l TopdownL2". */
int td_meant_level(const char *arg, struct td_err *err);

#endif
