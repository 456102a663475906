/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_COUNT_READINGS_H
#define TD_LIB_COUNT_READINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/base/index.h"
#include "lib/plan/plan.h"

/* What a task's CPU does: runs a guest, the kernel, or its program. */
enum {
	TD_MODE_GUEST = 1,
	TD_MODE_KERNEL,
	TD_MODE_USER,
};

/*
 * One event (of the plan) on one CPU (tid -1) or in one task (cpu -1).
 */
struct td_reading {
	int event, cpu, tid;
	uint64_t value, enabled_ns, running_ns;
	int cgroup; /* 0: all that runs there; else 1 + index of a cgroup */
	int life;   /* number of earlier tasks with this tid */
	/* 0: none; else 1 + index in a struct td_regions, or of modes their own */
	int region;
	int nr; /* the number of CPUs that it is the sum of; 0: it is of one */
};

/* What one read of all counters gave, always in the same order. */
struct td_readings {
	struct td_reading *v;
	size_t nr;
	bool behind; /* some could not be read; the next read has them */
	/* of td_counter_read(): when the last of them was read, monotonic */
	uint64_t read_ns;
	uint64_t took_ns; /* since it began to read them */
};

/* True if a count decreased, and not because 64 bits wrapped around. */
static inline bool td_count_is_backwards(uint64_t now, uint64_t before)
{
	return now < before && before - now <= INT64_MAX;
}

/*
 * Sets delta to now minus before; all three have the same length.  A counter
 * that went backwards gets a delta that is 0 and never ran.
 */
void td_readings_delta(const struct td_readings *now,
		       const struct td_readings *before,
		       struct td_readings *delta);
/* Uses the memory that to already has.  Returns 0 or -ENOMEM. */
int td_readings_copy(struct td_readings *to, const struct td_readings *from);
void td_readings_add(struct td_readings *sum, const struct td_readings *delta);

/*
 * Adds delta to sum; CPUs and tasks that sum does not have yet are appended.
 * index is of the readings of sum: clear both together.  Returns 0 or -ENOMEM.
 */
int td_readings_merge(struct td_readings *sum, struct td_index *index,
		      const struct td_readings *delta);

/* Sets all counts to 0. */
void td_readings_clear(struct td_readings *sum);
/* True if any counter was enabled; if any ran on the hardware. */
bool td_readings_enabled(const struct td_readings *delta);
bool td_readings_ran(const struct td_readings *delta);
/*
 * Lists the CPUs where events were enabled but none of them ran, because another program
 * holds the counters.  events: a flag for each of the plan's.  Returns 0 or -ENOMEM; free
 * out with td_ints_free().
 */
int td_readings_held_cpus(const struct td_readings *delta, const bool *events,
			  struct td_ints *out);

/* An event's counts, added up. */
double td_readings_value(const struct td_readings *sum, int event);
/*
 * The share of the time (in %) that a group ran, over all CPUs or tasks; NaN if
 * it was never enabled.
 */
double td_readings_share(const struct td_readings *sum,
			 const struct td_group *group);

#endif
