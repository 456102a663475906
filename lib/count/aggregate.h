/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/count: from readings of counters to totals.
 *
 * In: struct td_readings (readings.h): each event on each CPU or in each task.
 * Out: struct td_totals: each event for each core, socket, thread or whatever is
 * asked for.  report.h is the form that results have when they are finished.
 */
#ifndef TD_LIB_COUNT_AGGREGATE_H
#define TD_LIB_COUNT_AGGREGATE_H

#include "lib/count/aggregator.h"
#include "lib/count/readings.h"

/* One event over all CPUs or tasks of an id. */
struct td_total {
	unsigned int nr; /* CPUs or tasks that it was looked at on */
	double value;    /* scaled up to the whole time, NaN: never ran */
	uint64_t enabled_ns, running_ns;
	uint64_t covered_ns; /* the PMU's time of the CPUs or tasks it ran on */
	/*
	 * On which CPUs and tasks it ran, as a sum of hashes: two events of a
	 * ratio must have run on the same ones.
	 */
	uint64_t where;
};

struct td_total_id {
	char *name;         /* "all", "S0-D0-C3", "CPU5", "comm-tid" */
	const char *cgroup; /* borrowed; NULL: none */
	char *label;        /* both of them, or the one that there is */
};

struct td_totals {
	struct td_total_id *ids;
	size_t nr_ids;
	struct td_total *v; /* [id][event] */
	size_t nr_events;
	bool tasks; /* counted in tasks, not on CPUs */
	bool all;   /* ids are not told apart, but for cgroups */
	/* All events of an id, then the next id: perf stat's order, but of CPUs. */
	bool by_id;
};

/*
 * Sums the readings of an id, each scaled up to the time that its PMU had for
 * it: a CPU's counters always have their PMU; a task's are enabled on all
 * PMUs, wherever it runs, and had this one as long as its groups, taking turns,
 * ran.  Ids of which there is no reading are left out; cgroups come one after
 * the other.  Free with td_totals_free(), whatever the result.
 */
int td_aggregate(const struct td_aggregator *agg,
		 const struct td_readings *delta, const struct td_plan *plan,
		 struct td_totals *totals, struct td_err *err);
void td_totals_free(struct td_totals *totals);

#endif
