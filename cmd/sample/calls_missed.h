/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_SAMPLE_CALLS_MISSED_H
#define TD_CMD_SAMPLE_CALLS_MISSED_H

#include "cmd/sample/calling.h"

/* Calls of the function that were not counted, and why. */
void td_calls_say_unpaired(const struct td_calling *calling, size_t function);
/* Where it is better than probes: Processor Trace. */
void td_calls_say_trace(const struct td_calling *calling);

#endif
