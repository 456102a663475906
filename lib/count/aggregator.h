/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/count: sums readings of counters.
 *
 * In: struct td_readings (readings.h): each event on each CPU or in each task.
 * Out: struct td_totals: each event for each core, socket, thread or other id.
 * Finished results have the form of report.h.
 */
#pragma once

#include "lib/count/aggregation.h"
#include "lib/count/readings.h"
#include "lib/count/regions.h"
#include "lib/machine/cpu.h"
#include "lib/target/target.h"

/* Rules for summing readings.  If zeroed, all are summed. */
struct td_aggregator {
	enum td_aggregation how;
	bool raw;       /* do not scale counts up */
	bool skip_idle; /* leave out threads that did not run */
	/* index in ids of each CPU; the last id is for unknown CPUs */
	size_t *id_of_cpu, nr_cpus;
	char **ids;
	size_t nr_ids;
	size_t nr_places;                  /* number of places that the ids were made from */
	bool unknown;                      /* the innermost part of all ids is unknown and -1 */
	const struct td_task_names *names; /* names of tasks, or NULL; borrowed */
	char *const *cgroups;              /* names of the readings' cgroups; borrowed */
	char *const *containers;           /* containers of these cgroups, or NULL; borrowed */
	size_t nr_cgroups;
	const struct td_regions *regions; /* regions of the readings, or NULL; borrowed */
	bool own;                         /* count regions without nested ones */
};

/*
 * Makes the ids.  places is needed if td_aggregation_wants_places().  cache_level is for
 * TD_AGGREGATE_CACHE; 0 means the last level.  Returns -ENODATA if places has neither
 * sockets nor what the aggregation needs, or only caches of other levels.  Free with
 * td_aggregator_free(), also after an error.
 */
int td_aggregator_build(struct td_aggregator *agg, enum td_aggregation how, int cache_level,
			const struct td_place *places, size_t nr, struct td_err *err);
/* Rebuilds the ids if there are more places than before. */
int td_aggregator_follow(struct td_aggregator *agg, int cache_level, const struct td_place *places,
			 size_t nr, struct td_err *err);
void td_aggregator_free(struct td_aggregator *agg);

/* One event over all CPUs or tasks of an id. */
struct td_total {
	unsigned int nr; /* number of CPUs or tasks where it was read */
	double value;    /* scaled up to covered_ns; NaN if it never ran */
	uint64_t enabled_ns, running_ns;
	uint64_t covered_ns; /* the PMU's time on the CPUs or tasks it ran on */
	/*
	 * for joined runs, which may not all have counted the event: mean over the runs of the
	 * maximum enabled_ns and covered_ns of the events on its PMU; 0 for a single run, where the
	 * event's own times apply
	 */
	uint64_t run_enabled_ns, run_covered_ns;
	/*
	 * sum of hashes of the CPUs and tasks that the event ran on: the two events of a ratio must
	 * have run on the same ones
	 */
	uint64_t where;
	unsigned int nr_enabled; /* number of CPUs or tasks where it was enabled */
	unsigned int nr_ran;     /* number of CPUs or tasks where it ran; value sums these */
};

struct td_totals {
	struct td_total_id {
		char *name;            /* "all", "S0-D0-C3", "CPU5", "comm-tid" */
		const char *cgroup;    /* cgroup, or NULL; borrowed */
		const char *container; /* known container of the cgroup, or NULL; borrowed */
		char *label;           /* name and cgroup, or the one of both that exists */
	} * ids;
	size_t nr_ids;
	struct td_total *v; /* [id][event] */
	size_t nr_events;
	bool tasks;     /* counted in tasks, not on CPUs */
	bool all;       /* there is one id, or one for each cgroup */
	bool by_id;     /* show all events of an id, then the next id, as perf stat does */
	size_t nr_kept; /* ids with memory that the next interval reuses */
	struct {
		struct td_reading *tasks;
		int *groups;
		uint64_t *pmus;
		size_t *rows;
	} room; /* memory of td_aggregate(), also reused */
};

void td_totals_free(struct td_totals *totals);

/*
 * Sums the readings of each id.  Scales counts of a CPU up to the time that
 * the event was enabled; counts of a task to the time that the task spent on cores with
 * the event's PMU, which is the sum of the times of the PMU's multiplexed groups.  Leaves
 * out ids without readings.  Ids of one cgroup are adjacent.  totals is zeroed, or those
 * of the previous interval, whose memory is reused.  Free with td_totals_free().
 */
void td_aggregate(const struct td_aggregator *agg, const struct td_readings *delta,
		  const struct td_plan *plan, struct td_totals *totals);
