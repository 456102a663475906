/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_TABLE_EVENT_TABLE_H
#define TD_METRICS_TABLE_EVENT_TABLE_H

#include "lib/count/aggregator.h"
#include "lib/count/report.h"
#include "lib/count/totals_sum.h"
#include "lib/plan/plan.h"
#include "metrics/table/ratios.h"

/*
 * The event table.  Zeroed but for the first two; what is the same in all intervals
 * is prepared at the first, and memory is used again.  Free it with
 * td_event_table_free().
 */
struct td_event_table {
	const struct td_plan *plan; /* borrowed */
	bool hybrid;                /* an event on several kinds is one row */
	struct td_event_report report;

	/* What it was prepared for: the plan's events, and those refused. */
	size_t nr_events, nr_refused;
	struct td_specs specs;
	struct td_ratios ratios;
	size_t nr_pmus;
	/* for each event: it gets no row; its name, if it is a sum, or NULL */
	bool *left_out;
	char **names;

	/* The interval: */
	const struct td_totals *totals;
	const struct td_times *times;
	bool each; /* the rows come cgroup by cgroup */
	/* the ids of the current block of rows, without last */
	size_t first, last;
	bool *anywhere; /* for each event: it belongs to some id */
	/* [id][event]: sums over the kinds of core, and their ratios */
	struct td_total *sums;
	struct td_ratios merged_ratios;
	bool *elsewhere; /* [id][event]: the tasks ran on other kinds of core */
	bool *looked_at; /* [id][PMU]: some event of it was opened */
};

/* Also when the plan may be another one, as that of the next run. */
void td_event_table_free(struct td_event_table *table);

/* --- for rows.c ------------------------------------------------------------- */
static inline const struct td_total *
td_event_table_totals(const struct td_event_table *t, size_t id)
{
	return t->totals->v + id * t->totals->nr_events;
}

/* Prepares what is of the plan, unless that was done.  Returns 0 or -ENOMEM. */
int td_event_table_fit(struct td_event_table *t);
/* Prepares what many rows of the interval need.  Returns 0 or -ENOMEM. */
int td_event_table_prepare(struct td_event_table *t);
/* Is other the event itself, or merged into its row? */
bool td_event_table_is_of_row(const struct td_event_table *t, int event,
			      int other);
/*
 * Finds the next event of the row that was opened for the id of totals.  *at is
 * t->specs.first[event] at the first call.  Returns -1 after the last.
 */
int td_event_table_next(const struct td_event_table *t, int event,
			const struct td_total *totals, size_t *at);
/* Was the row's event opened for this id? */
bool td_event_table_has_id(const struct td_event_table *t, int event,
			   size_t id);
/*
 * Was the event opened for this id, or refused where its PMU has others open?
 */
bool td_event_table_belongs_to(const struct td_event_table *t, int event,
			       size_t id);

#endif
