/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_COUNTER_PARTS_H
#define TD_LIB_COUNTER_PARTS_H

#include <internal/evsel.h>
#include <internal/xyarray.h>
#include <perf/cpumap.h>
#include <perf/evsel.h>
#include <perf/threadmap.h>

#include "lib/counter/counter.h"

/*
 * What perf.c and open.c share.  These know libperf, whose own
 * read gives the leader of a group alone: the leader's descriptor is taken from
 * its internal array.
 */

/* A group of the plan, open: on CPUs x tasks, or on CPUs x cgroups. */
struct td_open_group {
	struct perf_evsel **evsels; /* evsels[0] leads */
	size_t nr;
	const int *members; /* the plan's */
	struct perf_cpu_map *cpus;
	/* Tasks; of cgroups, their descriptors stand in the place of tids. */
	struct perf_thread_map *threads;
	int cgroup; /* of threads[0]: 0: none, else 1 + its index */
};

/* All groups of the plan for the same tasks. */
struct td_open_set {
	struct td_open_group *groups;
	size_t nr_groups;
	struct td_ints tids; /* nothing: on CPUs */
	bool ended;          /* its one task has */
	int life;            /* and as td_reading has it */
	size_t id;           /* tids may come again */
	/* What the target was when groups were opened. */
	bool exclude_kernel, exclude_guest;
	size_t nr_cpus; /* that were asked for */
};

/* -1: it is not open. */
static inline int td_event_fd(const struct perf_evsel *evsel, int cpu_idx,
			      int thread)
{
	const int *fd = evsel->fd ? xyarray__entry(evsel->fd, (size_t)cpu_idx,
						   (size_t)thread)
				  : NULL;

	return fd ? *fd : -1;
}

/* CPUs x tasks */
static inline int td_group_units(const struct td_open_group *group)
{
	return perf_cpu_map__nr(group->cpus) *
	       perf_thread_map__nr(group->threads);
}

/* Does the kernel count in each of the target's cgroups?  Names the first. */
int td_check_cgroups(const struct td_counter_setup *setup, struct td_err *err);

/*
 * Opens the plan's groups for set->tids.  *index and *failed: which group and
 * member the kernel refused.  Those in front of it stay open, and the next call
 * goes on at the first group that is another one in the plan now.  If the
 * target has changed it begins anew.
 */
int td_open_set(struct td_open_set *set, const struct td_counter_setup *setup,
		size_t *index, size_t *failed);
void td_close_set(struct td_open_set *set);

#endif
