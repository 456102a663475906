/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_SAMPLE_WITHIN_H
#define TD_CMD_SAMPLE_WITHIN_H

#include "cmd/sample/locating.h"

/*
 * tdstat locate --in FUNCTION --slower TIME: a sample counts if it was taken within a
 * call of the function that took so long, which is known when the call has ended.
 */

/* Finds the function, and probes it.  Close it even after an error. */
int td_within_open(struct td_locating *locating, struct td_err *err);
/* As td_take_sample, with all records. */
int td_within_take(struct td_locating *locating, const struct td_record *record,
		   int event, int spot, int caller);
/* Says how many calls there were, and how many samples are of them. */
void td_within_say(const struct td_locating *locating);
/* When the events are closed. */
void td_within_close(struct td_locating *locating);

#endif
