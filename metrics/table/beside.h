/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_TABLE_BESIDE_H
#define TD_METRICS_TABLE_BESIDE_H

#include "lib/base/index.h"
#include "lib/count/aggregate.h"
#include "lib/count/report.h"
#include "lib/plan/plan.h"

/*
 * What events are divided by, of all ids: prepared once for all rows.  Free with
 * td_besides_free().
 */
struct td_besides {
	const struct td_plan *plan;    /* borrowed, as is the next */
	const struct td_total *totals; /* [id][event] */
	struct td_beside_event *events;
	/* Sorts of events that others are divided by, and their numbers. */
	struct td_index sorts;
	size_t nr_sorts;
	int *firsts; /* [id][sort]: the first event that was counted, or -1 */
};

/* -ENOMEM; free it, whatever the result. */
int td_besides_build(struct td_besides *besides, const struct td_plan *plan,
		     const struct td_total *totals, size_t nr_ids);
void td_besides_free(struct td_besides *besides);
/*
 * What perf stat (6.12, util/stat-shadow.c) prints beside one event's count:
 * insn per cycle, GHz, CPUs utilized, of all branches, a rate per second.
 * elapsed_ns: of the same interval.  Events are told by what they are (type,
 * config), not by name, and are divided by events of their own id, PMU and
 * modifiers alone.  What was not counted makes no ratio.  Fills in row->beside.
 */
void td_beside_fill(const struct td_besides *besides, size_t id, int event,
		    uint64_t elapsed_ns, struct td_event_row *row);

#endif
