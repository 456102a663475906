/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_RUN_HELD_H
#define TD_CMD_RUN_HELD_H

#include "cmd/plan/job.h"
#include "lib/count/readings.h"

/*
 * Finds CPUs where events opened but never ran, because somebody else's pinned
 * events have the counters.  Returns 1 if there are some.  The last look also
 * adds a note, and is an error if nothing is left for a tree.
 */
int td_find_held(struct td_job *job, const struct td_readings *delta, bool last,
		 struct td_err *err);

#endif
