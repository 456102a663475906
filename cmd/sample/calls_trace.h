/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_SAMPLE_CALLS_TRACE_H
#define TD_CMD_SAMPLE_CALLS_TRACE_H

#include "cmd/sample/calling.h"

/* tdstat calls --engine=pt: when calls begin and end, by Intel Processor Trace. */

/* Can the machine, and is libipt there? */
bool td_calls_trace_is_here(const struct td_calling *calling);
/* What to trace of the function that was found, and how.  Frees nothing on errors. */
int td_calls_trace_open(struct td_calling *calling, struct td_err *err);
/* Shows what would be traced. */
void td_calls_trace_show(const struct td_calling *calling);
/* Gives the calls that had not been known to end.  0 or -ENOMEM. */
int td_calls_trace_end(struct td_calling *calling);
/* What was lost. */
void td_calls_trace_say(const struct td_calling *calling);
void td_calls_trace_free(struct td_calling *calling);

#endif
