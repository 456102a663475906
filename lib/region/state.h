/* SPDX-License-Identifier: MIT */
/* What a thread is in, and the regions that it has seen. */
#ifndef TD_REGION_STATE_H
#define TD_REGION_STATE_H

#include "lib/region/counters.h"
#include "lib/region/resources.h"
#include "lib/region/store.h"

/* A region of one thread. */
struct td_thread_region {
	char *name;                      /* of the thread's memory */
	struct td_region_record *record; /* NULL: there was no room */
	unsigned int every; /* in the mean, of so many calls one is counted */
	uint64_t to_skip;   /* calls until the next one that is */
	unsigned int open;  /* calls that have not ended */
	uint64_t slow_ns;   /* the least of the slowest calls */
};

/* A call that has not ended. */
struct td_call {
	struct td_thread_region *region;
	bool counted, lost; /* lost: it was to be, but there were no counts */
	struct td_moment begin;
	uint64_t within[TD_REGION_VALUES]; /* of regions directly within */
	uint64_t within_ns, children, nested;
};

struct td_thread {
	struct td_memory memory; /* of all below, too */
	uint32_t process;        /* that of td_process_now() when it was made */
	bool counts;             /* its counters are open */
	int error;               /* else why they are not, a negative errno */
	uint64_t serial;         /* of this thread in this process; never 0 */
	bool busy; /* a mark is at work: a signal handler's is left out */
	int tid;
	struct td_thread_counters counters;
	uint64_t usual_slots;  /* of a call, lately */
	uint64_t chance;       /* chooses the calls of TDSTAT_EVERY; never 0 */
	struct td_call *calls; /* TD_REGION_DEPTH */
	size_t depth, too_deep;
	struct td_thread_region outside; /* of all regions */
	struct td_call around;           /* since the last sum of the outside */
	struct td_thread_region **names; /* a hash table, at most half full */
	size_t nr_names, room;
	void *calibration; /* what measures the cost of a call works with */
};

/* thread.c: the calling thread's; NULL if it cannot be counted. */
struct td_thread *td_thread_self(void);
/*
 * The same for td_read(), for which the library counts without tdstat, too.  Returns 0
 * or a negative errno.
 */
int td_thread_to_read(struct td_thread **thread);
/* The thread's region of that name; NULL if memory ran out. */
struct td_thread_region *td_thread_region(struct td_thread *thread,
					  const char *name);

#endif
