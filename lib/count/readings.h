/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_COUNT_READINGS_H
#define TD_LIB_COUNT_READINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/base/index.h"
#include "lib/plan/plan.h"

/*
 * One event on one CPU (tid -1) or in one task (cpu -1).  event is an index of
 * the plan's events.
 */
struct td_reading {
	int event, cpu, tid;
	uint64_t value, enabled_ns, running_ns;
	int cgroup; /* 0: whatever runs there; else 1 + a cgroup's index */
	int life;   /* how many tasks had this tid before */
};

/* All that one look at the counters gave; the same order every time. */
struct td_readings {
	struct td_reading *v;
	size_t nr;
	bool behind; /* some could not be read yet: the next look has theirs */
};

/* Less than before, and not because it went past the end of 64 bits. */
static inline bool td_count_is_backwards(uint64_t now, uint64_t before)
{
	return now < before && before - now <= INT64_MAX;
}

/*
 * now minus before, into delta; all three of the same length.  A counter
 * that went backwards was not counted: its delta is 0 and never ran.
 */
void td_readings_delta(const struct td_readings *now,
		       const struct td_readings *before,
		       struct td_readings *delta);
void td_readings_add(struct td_readings *sum, const struct td_readings *delta);

/*
 * The same for readings that may be of other CPUs and tasks than the sum's:
 * what it does not have yet is added.  index: of the sum's readings; both are
 * emptied together.  -ENOMEM.
 */
int td_readings_merge(struct td_readings *sum, struct td_index *index,
		      const struct td_readings *delta);

/* Nothing counted yet. */
void td_readings_clear(struct td_readings *sum);
/* Was any reading enabled; did any get onto the hardware? */
bool td_readings_enabled(const struct td_readings *delta);
bool td_readings_ran(const struct td_readings *delta);
/*
 * The CPUs on which pmu's counters were enabled and none of them ran: somebody
 * else has them.  -ENOMEM; free out with td_ints_free().
 */
int td_readings_held_cpus(const struct td_readings *delta,
			  const struct td_plan *plan, int pmu,
			  struct td_ints *out);

/*
 * Per cent of the time that a group ran, of all CPUs or tasks together; NaN:
 * it was never enabled.
 */
double td_readings_share(const struct td_readings *sum,
			 const struct td_group *group);

#endif
