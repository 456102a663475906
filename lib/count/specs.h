/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_COUNT_SPECS_H
#define TD_LIB_COUNT_SPECS_H

#include "lib/count/aggregate.h"
#include "lib/plan/plan.h"

/*
 * Which events come from the same word of -e, so that they belong together:
 * those of several PMUs or units.  Free with td_specs_free().
 */
struct td_specs {
	const struct td_plan *plan; /* borrowed */
	int *order;                 /* events sorted by spec */
	/* For each event: where those of its spec begin and end in order. */
	size_t *first, *end;
};

/*
 * Events that have no spec stand alone, and so do those of a spec that are all
 * of one PMU and not merged, like tracepoints with *.  Returns 0 or -ENOMEM;
 * free also after an error.
 */
int td_specs_build(struct td_specs *specs, const struct td_plan *plan);
void td_specs_free(struct td_specs *specs);

/*
 * Sets out for each event of a task whose value is 0 because the task was only
 * on other kinds of core.  totals has all events of the task.
 */
void td_specs_find_elsewhere(const struct td_specs *specs,
			     const struct td_total *totals, bool *out);

#endif
