/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_TABLE_ROWS_PARTS_H
#define TD_METRICS_TABLE_ROWS_PARTS_H

#include "lib/count/aggregate.h"
#include "lib/count/report.h"
#include "lib/count/specs.h"
#include "lib/plan/plan.h"
#include "metrics/table/ratios.h"

/* What rows.c and rows_prepare.c share. */
struct td_filling {
	const struct td_plan *plan;
	const struct td_totals *totals;
	const struct td_times *times;
	struct td_event_report *report;
	bool hybrid; /* merge the kinds of core */
	bool each;   /* the rows come cgroup by cgroup */
	/* the ids of the current block of rows, without last */
	size_t first, last;
	struct td_specs specs;
	struct td_ratios ratios;
	/* [id][event]: sums over the kinds of core, and their ratios */
	struct td_total *sums;
	struct td_ratios merged_ratios;
	bool *elsewhere; /* [id][event]: the tasks ran on other kinds of core */
	bool *looked_at; /* [id][PMU]: some event of it was opened */
	size_t nr_pmus;
	/* for each event: it gets no row; it belongs to some id */
	bool *left_out, *anywhere;
};

static inline const struct td_total *
td_filling_totals(const struct td_filling *f, size_t id)
{
	return f->totals->v + id * f->totals->nr_events;
}

/* Prepares what many rows need.  Returns 0 or -ENOMEM; free it even then. */
int td_filling_prepare(struct td_filling *f);
void td_filling_free(struct td_filling *f);
/* Is other the event itself, or merged into its row? */
bool td_filling_is_of_row(const struct td_filling *f, int event, int other);
/*
 * Finds the next event of the row that was opened for the id of totals.  *at is
 * f->specs.first[event] at the first call.  Returns -1 after the last.
 */
int td_filling_next(const struct td_filling *f, int event,
		    const struct td_total *totals, size_t *at);
/* Was the row's event opened for this id? */
bool td_filling_has_id(const struct td_filling *f, int event, size_t id);
/*
 * Was the event opened for this id, or refused where its PMU has others open?
 */
bool td_filling_belongs_to(const struct td_filling *f, int event, size_t id);

#endif
