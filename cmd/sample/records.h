/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_SAMPLE_RECORDS_H
#define TD_CMD_SAMPLE_RECORDS_H

#include "lib/sample/record.h"

/*
 * A td_take_record of a struct td_gathering, which ctx is: samples go to its
 * take() with their spots, and what processes map into its spaces.  0 or
 * -ENOMEM.
 */
int td_gathering_take(void *ctx, const struct td_record *record, int event);

#endif
