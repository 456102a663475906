/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "lib/plan/plan.h"

/* Modes of a task's CPU. */
enum {
	TD_MODE_GUEST = 1,
	TD_MODE_KERNEL,
	TD_MODE_USER,
};

/* One event of the plan on one CPU (tid -1) or in one task (cpu -1). */
struct td_reading {
	int event, cpu, tid;
	uint64_t value, enabled_ns, running_ns;
	int cgroup; /* 1 + index of a cgroup; 0: all tasks */
	int life;   /* number of earlier tasks with this tid */
	int region; /* 1 + index in a struct td_regions, or the mode; 0: none */
	int nr;     /* number of CPUs in the sum; 0: one */
};

/* One read of all counters, always in the same order. */
struct td_readings {
	struct td_reading *v;
	size_t nr;
	bool behind;      /* some could not be read until the next read */
	uint64_t read_ns; /* td_counter_read(): monotonic time of the last one */
	uint64_t took_ns; /* td_counter_read(): duration up to read_ns */
};

/* Returns true if a count decreased without wrapping around 64 bits. */
static inline bool td_count_is_backwards(uint64_t now, uint64_t before)
{
	return now < before && before - now <= INT64_MAX;
}

/*
 * Sets delta to now minus before; all three have the same length.  The
 * delta of a counter that went backwards is 0 and never ran.
 */
void td_readings_delta(const struct td_readings *now, const struct td_readings *before,
		       struct td_readings *delta);
/* Copies; reuses the memory of to. */
void td_readings_copy(struct td_readings *to, const struct td_readings *from);
void td_readings_add(struct td_readings *sum, const struct td_readings *delta);

/*
 * Adds delta to sum; CPUs and tasks that sum does not have yet are appended.
 * index finds the readings of sum; clear both together.
 */
void td_readings_merge(struct td_readings *sum, struct td_index *index,
		       const struct td_readings *delta);

/* Sets all counts to 0. */
void td_readings_clear(struct td_readings *sum);
/* Return true if any counter was enabled, or ran on the hardware. */
bool td_readings_enabled(const struct td_readings *delta);
bool td_readings_ran(const struct td_readings *delta);
/*
 * Lists the CPUs where events were enabled but none of them ran, because another program holds the
 * counters.  events is a flag for each event of the plan.  Free out with td_ints_free().
 */
void td_readings_held_cpus(const struct td_readings *delta, const bool *events,
			   struct td_ints *out);

/* Returns the sum of an event's counts. */
double td_readings_value(const struct td_readings *sum, int event);
/*
 * Returns the share of the time (in %) that a group ran, over all CPUs or tasks; NaN if
 * it was never enabled.
 */
double td_readings_share(const struct td_readings *sum, const struct td_group *group);
