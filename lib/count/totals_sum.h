/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "lib/count/aggregator.h"
#include "lib/count/report.h"
#include "lib/plan/plan.h"

/*
 * Groups of events from the same word of -e, which may mean several PMUs or units.  Free with
 * td_specs_free().
 */
struct td_specs {
	const struct td_plan *plan; /* borrowed */
	int *order;                 /* events sorted by spec */
	/* for each event, the range of its spec's events in order */
	size_t *first, *end;
};

/*
 * Groups the events.  An event without a spec is a group of its own.  So is each event of a spec
 * whose events are on one PMU and not merged, like tracepoints with *.
 */
void td_specs_build(struct td_specs *specs, const struct td_plan *plan);
void td_specs_free(struct td_specs *specs);

/*
 * Sets out for each event of a task whose value is 0 because the task was only on other
 * core types.  totals contains all events of the task.
 */
void td_specs_find_elsewhere(const struct td_specs *specs, const struct td_total *totals,
			     bool *out);

/* The sum of the totals of several runs. */
struct td_totals_sum {
	struct td_totals totals;
	struct td_index index;   /* finds ids in totals */
	unsigned int *nr_values; /* [id][event]: rounds that had a value */
	unsigned int *nr_reads;  /* [id][event]: number of rounds that counted the event */
	bool joins;              /* the rounds count different events, which become one result */
	unsigned int rounds;     /* number of rounds in the sum */
	struct td_times times;   /* sum of the times; with CPU times if all rounds have them */
};

/* Adds times.  The sum has CPU times if all addends have; first: sum is empty. */
void td_times_add(struct td_times *sum, const struct td_times *more, bool first);
/* Returns a share of the times; share 1 returns all of them. */
struct td_times td_times_part(const struct td_times *times, double share);
/*
 * Adds totals by the names of their ids.  Events of a task that was only on other core
 * types count as 0.
 */
void td_totals_sum_add(struct td_totals_sum *sum, const struct td_plan *plan,
		       const struct td_totals *more, const struct td_times *times);
/* Adds totals with each event's values multiplied by its weight. */
void td_totals_sum_add_weighted(struct td_totals_sum *sum, const struct td_plan *plan,
				const struct td_totals *more, const struct td_times *times,
				const double *weights);
/*
 * Divides sums by the number of rounds with a value.  Divides times by the number of all rounds or,
 * with joins, by the number of rounds that counted the event.
 */
void td_totals_sum_divide(struct td_totals_sum *sum);
void td_totals_sum_free(struct td_totals_sum *sum);
