/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_TABLE_ROWS_PARTS_H
#define TD_METRICS_TABLE_ROWS_PARTS_H

#include "metrics/table/rows.h"

/* What rows.c and rows_prepare.c share. */
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
