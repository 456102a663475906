/* SPDX-License-Identifier: MIT */
/* Calls: what they counted goes to the sums of their region, and from those around. */
#ifndef TD_REGION_CALL_H
#define TD_REGION_CALL_H

#include "lib/region/state.h"

/* Begins a call of the region, within those that the thread is in. */
void td_call_begin(struct td_thread *thread, struct td_thread_region *region);
/* Ends the innermost call. */
void td_call_end(struct td_thread *thread);
/* Begins what is outside of all regions, when the thread has its counters. */
void td_call_begin_outside(struct td_thread *thread,
			   const struct td_moment *begin);
/* Adds what was outside until now, as when the thread ends. */
void td_call_end_outside(struct td_thread *thread);

/*
 * cost.c: measures what an empty call counts and takes, once for each kind of core.  Not
 * in a region, which would count it.
 */
void td_cost_measure(struct td_thread *thread);

#endif
