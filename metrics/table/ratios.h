/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_TABLE_RATIOS_H
#define TD_METRICS_TABLE_RATIOS_H

#include "lib/base/index.h"
#include "lib/count/aggregate.h"
#include "lib/count/report.h"
#include "lib/plan/plan.h"

/*
 * The divisors of ratios: known once for a plan, and counted for all ids of an
 * interval.  Free with td_ratios_free().
 */
struct td_ratios {
	const struct td_plan *plan; /* borrowed, like totals */
	struct td_ratio_event *events;
	/*
	 * The number of each divisor: a kind of event, with its PMU, modifiers
	 * and group.
	 */
	struct td_index divisors;
	size_t nr_divisors;
	const struct td_total *totals; /* [id][event] */
	/* [id][divisor]: the first such event that was counted, or -1 */
	int *firsts;
};

/* Returns 0 or -ENOMEM; free it even then. */
int td_ratios_build(struct td_ratios *ratios, const struct td_plan *plan);
/* Finds the divisors in the totals of an interval.  Returns 0 or -ENOMEM. */
int td_ratios_count(struct td_ratios *ratios, const struct td_total *totals,
		    size_t nr_ids);
void td_ratios_free(struct td_ratios *ratios);
/*
 * Computes the ratios that perf stat prints next to an event's count
 * (tools/perf/util/stat-shadow.c of Linux 6.12): insn per cycle, GHz, CPUs
 * utilized, a share of another event, a rate per second.  elapsed_ns: of the
 * same interval.  Events are recognized by type and config, not by name, and
 * are divided only by events of the same id, PMU and modifiers.  An event that
 * was not counted has no ratio.  Sets row->ratios.
 */
void td_ratios_fill(const struct td_ratios *ratios, size_t id, int event,
		    uint64_t elapsed_ns, struct td_event_row *row);

#endif
