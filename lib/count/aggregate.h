/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_COUNT_AGGREGATE_H
#define TD_LIB_COUNT_AGGREGATE_H

#include "lib/count/readings.h"
#include "lib/count/report.h"
#include "lib/machine/cpu.h"
#include "lib/target/task_names.h"

/* Which readings belong together.  Built once a run.  Zeroed: all of them. */
struct td_aggregator {
	enum td_aggregation how;
	bool raw;       /* counts are not scaled up to the whole time */
	bool skip_idle; /* threads that did not run are left out */
	/* of places: an index of ids a CPU; the last id is for other CPUs */
	size_t *id_of_cpu, nr_cpus;
	char **ids;
	size_t nr_ids;
	const struct td_task_names *names; /* borrowed; NULL: not known */
	char *const *cgroups;              /* borrowed: the readings' */
	size_t nr_cgroups;
};

/*
 * places: where the CPUs are, of which only some kinds of aggregation want to
 * know; cache_level: of TD_AGGREGATE_CACHE, 0: the last one.  -ENODATA: places
 * do not say it.  Free with td_aggregator_free(), whatever the result.
 */
int td_aggregator_build(struct td_aggregator *agg, enum td_aggregation how,
			int cache_level, const struct td_place *places,
			size_t nr, struct td_err *err);
void td_aggregator_free(struct td_aggregator *agg);
/* Does it need to know where CPUs are? */
bool td_aggregation_wants_places(enum td_aggregation how);

/* "all", "core": as recordings and JSON have them. */
const char *td_aggregation_name(enum td_aggregation how);
bool td_aggregation_find(const char *name, enum td_aggregation *how);

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
