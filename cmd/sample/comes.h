/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_SAMPLE_COMES_H
#define TD_CMD_SAMPLE_COMES_H

#include "cmd/sample/gathering.h"

/*
 * After the rings were read, with -a or -C: samples on CPUs that are back or, with
 * -a, have come online for the first time, and says so.  Looks for them twice a
 * second at most.  Returns 0 or -ENOMEM.
 */
int td_sampling_follow(struct td_gathering *g);

#endif
