/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_TABLE_RATIOS_H
#define TD_METRICS_TABLE_RATIOS_H

#include <math.h>

#include "lib/base/index.h"
#include "lib/count/aggregator.h"
#include "lib/count/report.h"
#include "lib/machine/machine.h"
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

/* --- what ratio_table.c shares -------------------------------------------- */

/* The kinds of events that perf's ratios distinguish. */
enum td_ratio_kind {
	TD_KIND_NONE, /* has no ratio */
	TD_KIND_OTHER,
	TD_KIND_CLOCK,
	TD_KIND_CYCLES,
	TD_KIND_INSTRUCTIONS,
	TD_KIND_FRONTEND_STALLS,
	TD_KIND_BACKEND_STALLS,
	TD_KIND_BRANCHES,
	TD_KIND_BRANCH_MISSES,
	TD_KIND_CACHE_REFS,
	TD_KIND_CACHE_MISSES,
	TD_KIND_L1D,
	TD_KIND_L1D_MISSES,
	TD_KIND_L1I,
	TD_KIND_L1I_MISSES,
	TD_KIND_LL,
	TD_KIND_LL_MISSES,
	TD_KIND_DTLB,
	TD_KIND_DTLB_MISSES,
	TD_KIND_ITLB,
	TD_KIND_ITLB_MISSES,
};

enum td_ratio_kind td_ratio_kind(const struct td_event *event);
/* Are events divided by events of this kind? */
bool td_ratio_is_divisor(enum td_ratio_kind kind);
/* What the modifiers exclude, as bits: user, kernel, hypervisor, host, idle. */
unsigned int td_ratio_excluded(const struct td_modifiers *mods);

/* Software events can be in a group of any PMU. */
bool td_ratio_is_software(const struct td_event *event);

/* What is known of an event before counting. */
struct td_ratio_event {
	enum td_ratio_kind kind;
	unsigned int excluded; /* see td_ratio_excluded() */
	/* with others: it runs at other times than events outside */
	bool grouped;
	/* The numbers as a divisor: for all events, and for its group alone. */
	size_t divisor, divisor_in_group; /* TD_NO_DIVISOR: it is none */
};

#define TD_NO_DIVISOR SIZE_MAX

/*
 * The key of a divisor: its kind, what modifiers exclude, its PMU (not for
 * clocks), and the group if the event has one.  Different divisors have
 * different keys: kinds take 6 bits, excluded modes 6, PMUs 20 and groups 32.
 */
static inline uint64_t td_ratio_divisor_key(enum td_ratio_kind kind,
					    unsigned int excluded, int pmu,
					    int group)
{
	uint64_t pmu_key = kind == TD_KIND_CLOCK ? 0 : (uint64_t)pmu + 1;

	return td_hash((uint64_t)kind | (uint64_t)excluded << 6 |
		       pmu_key << 12 | (uint64_t)((int64_t)group + 1) << 32);
}

static inline bool td_ratio_is_counted(const struct td_event *event,
				       const struct td_total *total)
{
	return !event->hidden && !event->refusal && !isnan(total->value);
}

/* --- ratio_table.c: the table of --metric-only ---------------------------- */

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
