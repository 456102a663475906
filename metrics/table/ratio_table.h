/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_TABLE_RATIO_TABLE_H
#define TD_METRICS_TABLE_RATIO_TABLE_H

#include "lib/base/index.h"
#include "lib/count/report.h"
#include "lib/machine/machine.h"
#include "lib/plan/plan.h"

/*
 * The table of --metric-only with events: the ratios (insn per cycle, GHz,
 * rates) without the counts, as a report of metrics.
 */
struct td_ratio_table {
	const struct td_machine *machine;
	bool merge; /* all kinds of core in one row */
	/* all that are possible, the same for each interval */
	struct td_column *columns;
	/* for each column, bits of the rows' PMUs that have it */
	uint64_t *pmus;
	struct td_node *nodes; /* one for each column, outside of any tree */
	size_t nr;
	struct td_index names; /* finds columns by name */
	uint64_t all_pmus;     /* bits of the PMUs that have any column */
};

/*
 * Returns -ENODATA if the events of plan have no ratios.  Free it even after an
 * error.
 */
int td_ratio_table_build(struct td_ratio_table *table,
			 const struct td_plan *plan,
			 const struct td_machine *machine, bool merge,
			 struct td_err *err);
/*
 * Fills a report with a row for each id and kind of core; events of no core are
 * in a row "all".  It borrows from table and events; free with td_report_free()
 * even after an error.
 */
int td_ratio_table_fill(const struct td_ratio_table *table,
			const struct td_event_report *events,
			struct td_report *report, struct td_err *err);
void td_ratio_table_free(struct td_ratio_table *table);

#endif
