/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/count: sums readings of counters.
 *
 * In: struct td_readings (readings.h): each event on each CPU or in each task.
 * Out: struct td_totals: each event for each core, socket, thread or other id.
 * Finished results have the form of report.h.
 */
#ifndef TD_LIB_COUNT_AGGREGATE_H
#define TD_LIB_COUNT_AGGREGATE_H

#include "lib/count/aggregator.h"
#include "lib/count/readings.h"

/* One event over all CPUs or tasks of an id. */
struct td_total {
	unsigned int nr; /* number of CPUs or tasks where it was read */
	double value;    /* scaled up to the whole time; NaN if it never ran */
	uint64_t enabled_ns, running_ns;
	uint64_t covered_ns; /* the PMU's time on the CPUs or tasks it ran on */
	/*
	 * Of joined runs, which may not all have counted the event: the longest
	 * enabled_ns and covered_ns of the events of its PMU in each run, as a
	 * mean of all runs.  0: there is one run, and its events tell.
	 */
	uint64_t run_enabled_ns, run_covered_ns;
	/*
	 * A sum of hashes of the CPUs and tasks it ran on: the two events of a
	 * ratio must have run on the same ones.
	 */
	uint64_t where;
};

struct td_total_id {
	char *name;         /* "all", "S0-D0-C3", "CPU5", "comm-tid" */
	const char *cgroup; /* borrowed; NULL: none */
	char *label;        /* name and cgroup, or the one there is */
};

struct td_totals {
	struct td_total_id *ids;
	size_t nr_ids;
	struct td_total *v; /* [id][event] */
	size_t nr_events;
	bool tasks; /* counted in tasks, not on CPUs */
	bool all;   /* ids are not told apart, but for cgroups */
	/* Show all events of an id, then the next id, as perf stat does. */
	bool by_id;
};

/*
 * Sums the readings of each id.  On a CPU, a count is scaled up to the time it
 * was enabled; in a task, to the time that the task spent on cores with the
 * event's PMU, which is how long the PMU's groups ran in turn.  Ids without
 * readings are left out.  Rows of one cgroup stand together.  Free with
 * td_totals_free(), also after an error.
 */
int td_aggregate(const struct td_aggregator *agg,
		 const struct td_readings *delta, const struct td_plan *plan,
		 struct td_totals *totals, struct td_err *err);
void td_totals_free(struct td_totals *totals);

#endif
