/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "lib/count/readings.h"
#include "lib/plan/plan.h"
#include "lib/target/target.h"

/* The counts of a group on a CPU at the end of a slice: when its task left the CPU. */
struct td_slice_end {
	int group; /* group of the plan */
	int cpu;
	/* tid or pid, TD_TASK_IDLE or TD_TASK_LOST; or the lower half of a cgroup's id */
	int task;
	int life; /* number of earlier tasks with this number; or the upper half of the id */
	uint64_t enabled_ns, running_ns;
	const uint64_t *pairs; /* value and id of each member */
};

/* Sums of counts per task; see td_readings_merge(). */
struct td_slice_sums {
	struct td_readings sum;
	struct td_index index;
};

void td_slice_sums_free(struct td_slice_sums *sums);

/*
 * Attributes the counts of CPUs to tasks: at each context switch, all that a group has counted
 * since the previous one belongs to the task that leaves the CPU.  An interval ends with a look at
 * each CPU and group, which also ends a slice.  A zeroed struct is empty.
 */
struct td_slices {
	const struct td_plan *plan;
	bool by_cpu;                   /* counts have their CPU; else -1 */
	struct td_slice_place *places; /* each CPU and group */
	size_t nr_places;
	struct td_index by_place;
	struct td_slice_sums now, next; /* this interval; after the looks */
	struct td_slice_sums past;      /* the last interval */
};

/* Adds a slice: the counts since the end of the previous one. */
void td_slices_add(struct td_slices *slices, const struct td_slice_end *end);
/*
 * Adds a look at a CPU: ends is true for the last one of an interval, false if another group has
 * the counters from now on.  Slices that ended before it may still be added afterwards, in order.
 */
void td_slices_look(struct td_slices *slices, const struct td_slice_end *end, bool ends);
/* Notes that samples of a CPU were lost: its next slice is that of TD_TASK_LOST. */
void td_slices_lose(struct td_slices *slices, int cpu);
/* Adds the looks, after all slices before them. */
void td_slices_settle(struct td_slices *slices);
/* Ends the interval.  Returns its counts, valid until the next call. */
const struct td_readings *td_slices_end(struct td_slices *slices);
void td_slices_free(struct td_slices *slices);
