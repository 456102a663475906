/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/count: sums readings of counters.
 *
 * In: struct td_readings (readings.h): each event on each CPU or in each task.
 * Out: struct td_totals: each event for each core, socket, thread or other id.
 * Finished results have the form of report.h.
 */
#ifndef TD_LIB_COUNT_AGGREGATOR_H
#define TD_LIB_COUNT_AGGREGATOR_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/err.h"
#include "lib/count/aggregation.h"
#include "lib/count/readings.h"
#include "lib/count/regions.h"
#include "lib/machine/cpu.h"
#include "lib/target/tasks.h"

/* Which readings are summed.  If zeroed, all of them. */
struct td_aggregator {
	enum td_aggregation how;
	bool raw;       /* do not scale counts up */
	bool skip_idle; /* leave out threads that did not run */
	/* For each CPU, its index in ids; the last id is for unknown CPUs. */
	size_t *id_of_cpu, nr_cpus;
	char **ids;
	size_t nr_ids;
	size_t nr_places; /* that the ids are made of */
	bool unknown;     /* the innermost part of all ids, which is -1 there */
	const struct td_task_names *names; /* borrowed; NULL: unknown */
	char *const *cgroups;              /* borrowed; of the readings */
	char *const *containers;           /* of these, or NULL; borrowed */
	size_t nr_cgroups;
	/* borrowed, of the readings; NULL: they are of no regions */
	const struct td_regions *regions;
	bool own; /* of each region, what was not in others within */
};

/*
 * places is needed if td_aggregation_wants_places().  cache_level is for
 * TD_AGGREGATE_CACHE; 0 means the last level.  -ENODATA if places has no socket and
 * nothing else that the aggregation needs, or the caches of other levels.  Free with
 * td_aggregator_free(), also after an error.
 */
int td_aggregator_build(struct td_aggregator *agg, enum td_aggregation how,
			int cache_level, const struct td_place *places,
			size_t nr, struct td_err *err);
/* Makes the ids anew if there are more places than they were made of. */
int td_aggregator_follow(struct td_aggregator *agg, int cache_level,
			 const struct td_place *places, size_t nr,
			 struct td_err *err);
void td_aggregator_free(struct td_aggregator *agg);

/* One event over all CPUs or tasks of an id. */
struct td_total {
	unsigned int nr; /* number of CPUs or tasks where it was read */
	double value;    /* scaled up to covered_ns; NaN if it never ran */
	uint64_t enabled_ns, running_ns;
	uint64_t covered_ns; /* the PMU's time on the CPUs or tasks it ran on */
	/*
	 * Of joined runs, which may not all have counted the event: the longest
	 * enabled_ns and covered_ns of the events of its PMU in each run, as a
	 * mean of all runs.  0: there is one run, and the event's own times count.
	 */
	uint64_t run_enabled_ns, run_covered_ns;
	/*
	 * A sum of hashes of the CPUs and tasks it ran on: the two events of a
	 * ratio must have run on the same ones.
	 */
	uint64_t where;
	unsigned int nr_enabled; /* of nr, where it was enabled at all */
	unsigned int nr_ran;     /* of nr, where it ran: those of its value */
};

struct td_total_id {
	char *name;            /* "all", "S0-D0-C3", "CPU5", "comm-tid" */
	const char *cgroup;    /* borrowed; NULL: none */
	const char *container; /* whose it is; borrowed; NULL: none, unknown */
	char *label;           /* name and cgroup, or the one there is */
};

struct td_totals {
	struct td_total_id *ids;
	size_t nr_ids;
	struct td_total *v; /* [id][event] */
	size_t nr_events;
	bool tasks; /* counted in tasks, not on CPUs */
	bool all;   /* there is one id, or one for each cgroup */
	/* Show all events of an id, then the next id, as perf stat does. */
	bool by_id;
	size_t nr_kept; /* ids that have memory, which the next interval may use */
	struct {
		struct td_reading *tasks;
		int *groups;
		uint64_t *pmus;
		size_t *rows;
	} room; /* of td_aggregate(), for the same reason */
};

/* Adds a reading, scaled up to full_ns unless that is 0. */
void td_total_add(struct td_total *total, const struct td_reading *reading,
		  uint64_t full_ns);
/*
 * Adds an id whose totals are not counted yet, and returns them.  Its name is this
 * one with the suffix.  NULL if memory ran out.
 */
struct td_total *td_totals_add_id(struct td_totals *totals, const char *name,
				  const char *suffix, const char *cgroup);

void td_totals_free(struct td_totals *totals);

/*
 * aggregate.c: sums the readings of each id.  On a CPU, a count is scaled up to the time it
 * was enabled; in a task, to the time that the task spent on cores with the
 * event's PMU, which is how long the PMU's groups ran in turn.  Ids without
 * readings are left out.  Rows of one cgroup stand together.  totals is zeroed, or
 * of the interval before, whose memory is used again.  Free with td_totals_free(),
 * also after an error.
 */
int td_aggregate(const struct td_aggregator *agg,
		 const struct td_readings *delta, const struct td_plan *plan,
		 struct td_totals *totals, struct td_err *err);

#endif
