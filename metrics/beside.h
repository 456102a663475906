/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_BESIDE_H
#define TD_BESIDE_H

#include "lib/aggregate.h"
#include "lib/plan.h"
#include "lib/report.h"

/*
 * What perf stat (6.12, util/stat-shadow.c) prints beside one event's count:
 * insn per cycle, GHz, CPUs utilized, of all branches, a rate per second.
 * totals: one an event of the plan, all of the same id; elapsed_ns: of the
 * same interval.  Events are told by what they are (type, config), not by
 * name, and are divided by events of their own PMU and modifiers alone.  What
 * was not counted makes no ratio.  Fills in row->beside.
 */
void td_beside_fill(const struct td_plan *plan, const struct td_total *totals,
		    int event, uint64_t elapsed_ns, struct td_event_row *row);

#endif
