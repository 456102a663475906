/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_TABLE_ROWS_PARTS_H
#define TD_METRICS_TABLE_ROWS_PARTS_H

#include "lib/count/aggregate.h"
#include "lib/count/report.h"
#include "lib/count/specs.h"
#include "lib/plan/plan.h"
#include "metrics/table/beside.h"

/* What rows.c and rows_prepare.c share. */
struct td_filling {
	const struct td_plan *plan;
	const struct td_totals *totals;
	const struct td_times *times;
	struct td_event_report *report;
	bool hybrid;        /* kinds of core are merged, too */
	bool each;          /* cgroup by cgroup */
	size_t first, last; /* the ids that rows are wanted for */
	struct td_specs specs;
	struct td_besides besides;
	/* Of kinds of core as one: [id][event], and what they come to. */
	struct td_total *sums;
	struct td_besides merged;
	bool *elsewhere; /* [id][event], of tasks */
	bool *looked_at; /* [id][PMU]: anything of it */
	size_t nr_pmus;
	/* An event each: it has no rows; it has rows of ids. */
	bool *left_out, *anywhere;
};

static inline const struct td_total *
td_filling_totals(const struct td_filling *f, size_t id)
{
	return f->totals->v + id * f->totals->nr_events;
}

/* What is the same for many rows.  -ENOMEM; free it, whatever the result. */
int td_filling_prepare(struct td_filling *f);
void td_filling_free(struct td_filling *f);
/* An event itself, and all that is merged with it: one row. */
bool td_filling_is_of_row(const struct td_filling *f, int event, int other);
/* Was it looked at for this id? */
bool td_filling_has_id(const struct td_filling *f, int event, size_t id);
/* Was it, or would it have been: one of its PMU's? */
bool td_filling_belongs_to(const struct td_filling *f, int event, size_t id);

#endif
