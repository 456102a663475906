/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_OUT_JUNIT_H
#define TD_CMD_OUT_JUNIT_H

#include <stdio.h>

struct td_limits;

/*
 * Writes a test case for each limit.  why: what went wrong besides, or why nothing
 * was compared; NULL: nothing did.
 */
void td_out_junit(FILE *fp, const struct td_limits *limits, const char *why);

#endif
