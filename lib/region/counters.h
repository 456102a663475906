/* SPDX-License-Identifier: MIT */
/*
 * The counters of a thread: a group for each PMU, open from the thread's first
 * region to its end.
 *
 * A region's counts are the difference of two totals: of slots and events as they
 * are, of a field of PERF_METRICS as 255ths of slots.  Both may wrap around.
 */
#ifndef TD_REGION_COUNTERS_H
#define TD_REGION_COUNTERS_H

#include "lib/region/pmc.h"

/* A moment: what was counted until then. */
struct td_moment {
	uint64_t totals[TD_REGION_VALUES];
	uint64_t time_ns;
	uint64_t uncounted_ns; /* the thread ran without its counters */
	uint64_t waited_ns;    /* it had no CPU; only differences are of use */
	/* a field is a 255th of so many slots, but of none for what begins here */
	uint64_t step;
	bool fresh;
	uint32_t switches; /* changes when a group was scheduled */
	uint32_t group;    /* 1 + the one that counts; 0: none */
	uint32_t cpu;      /* UINT32_MAX: unknown */
};

/*
 * Did the thread run without its counters for more than a hundredth of the time
 * between two moments?
 */
bool td_moment_is_lost(const struct td_moment *from,
		       const struct td_moment *to);

/* Sets begin to the first moment.  Returns 0 or a negative errno. */
int td_thread_counters_open(struct td_thread_counters *counters,
			    const struct td_group_spec *spec,
			    struct td_moment *begin);
void td_thread_counters_close(struct td_thread_counters *counters);
/* In a child: closes the parent's, which go on there. */
void td_thread_counters_forget(struct td_thread_counters *counters);
/* Returns 0 or a negative errno. */
int td_thread_counters_look(struct td_thread_counters *counters,
			    struct td_moment *moment);
/*
 * Looks, then sets PERF_METRICS to 0 so that its steps are small again: by read(),
 * which also tells whether the counters ran all of the time.  The moment is fresh.
 */
int td_thread_counters_restart(struct td_thread_counters *counters,
			       struct td_moment *moment);

#endif
