/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_TABLE_BESIDE_TABLE_H
#define TD_METRICS_TABLE_BESIDE_TABLE_H

#include "lib/base/index.h"
#include "lib/count/report.h"
#include "lib/machine/machine.h"
#include "lib/plan/plan.h"

/*
 * --metric-only of events: what counts come to (insn per cycle, GHz, rates)
 * without the counts, in the form of metrics.
 */
struct td_beside_table {
	const struct td_machine *machine;
	bool merge; /* all kinds of core in one row */
	struct td_column
		*columns;      /* all that there can be: the same each time */
	uint64_t *pmus;        /* a column's: bits of the machine's PMUs */
	struct td_node *nodes; /* one a column, outside of any tree */
	size_t nr;
	struct td_index names; /* of columns */
	uint64_t all_pmus;     /* bits of those that have any column */
};

/* -ENODATA: nothing of plan comes to anything.  Free it, whatever the result. */
int td_beside_table_build(struct td_beside_table *table,
			  const struct td_plan *plan,
			  const struct td_machine *machine, bool merge,
			  struct td_err *err);
/*
 * A row for each id and kind of core, of what is no core's "all".  It borrows
 * from both; free with td_report_free(), whatever the result.
 */
int td_beside_table_fill(const struct td_beside_table *table,
			 const struct td_event_report *events,
			 struct td_report *report, struct td_err *err);
void td_beside_table_free(struct td_beside_table *table);

#endif
