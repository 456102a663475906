/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_COUNT_SPECS_H
#define TD_LIB_COUNT_SPECS_H

#include "lib/count/aggregate.h"
#include "lib/plan/plan.h"

/*
 * Which events come from the same one of the text, and so belong together:
 * those of several PMUs, or units of one.  Free with td_specs_free().
 */
struct td_specs {
	const struct td_plan *plan; /* borrowed */
	int *order;                 /* events, by spec; those of one in order */
	/* An event each: from where to where its own are in order. */
	size_t *first, *end;
};

/*
 * Events of one spec that are all of the same PMU and not merged, such as
 * tracepoints with *, have nothing to do with each other: there, and without a
 * spec, an event stands alone.  -ENOMEM; free it, whatever the result.
 */
int td_specs_build(struct td_specs *specs, const struct td_plan *plan);
void td_specs_free(struct td_specs *specs);

/*
 * Of a task, totals: all events of its id.  out: which of them have no value
 * because the task was on another kind of core all the time, so they are 0.
 */
void td_specs_find_elsewhere(const struct td_specs *specs,
			     const struct td_total *totals, bool *out);

#endif
