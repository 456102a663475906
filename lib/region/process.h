/* SPDX-License-Identifier: MIT */
#ifndef TD_REGION_PROCESS_H
#define TD_REGION_PROCESS_H

#include <stdbool.h>

#include "lib/region/spec.h"
#include "lib/region/store.h"

/* What all threads of the process share. */
struct td_process {
	/* Of the process, from 1 on; 0 in a child until td_process_forked(). */
	uint32_t *number;
	bool wiped;      /* the kernel sets it to 0 in whatever child */
	uint32_t forked; /* how many forks are behind it */
	char *prefix; /* of the files' names; NULL: regions are not counted */
	struct td_group_spec spec;
	struct td_store store;
	struct td_store parents; /* until the child has a file */
	unsigned int every;
	size_t open; /* in a child of fork(): regions that the parent is in */
};

extern struct td_process td_process;

/* Which process it is: differs from that of its parent.  0: it is a new child. */
static inline uint32_t td_process_now(void)
{
	return __atomic_load_n(td_process.number, __ATOMIC_ACQUIRE);
}

/* Reads the environment.  False: regions are not to be counted. */
bool td_process_start(void);
/*
 * What threads need before they are counted, once: what to count, if td_process_start()
 * did not tell.  Returns 0 or a negative errno.
 */
int td_process_prepare(void);
/*
 * In a child, by its first mark or pthread_atfork(), the first of which counts:
 * nothing is the parent's.  open: regions that the parent is in.  False: another
 * thread is at it.
 */
bool td_process_forked(size_t open);
/*
 * Makes the file, once: in a child, by the first thread that is in a region.  A
 * child that may not make one goes on in its parent's.  False if there is none.
 */
bool td_process_has_store(void);
/* Sets a flag of the file's head. */
static inline void td_process_notes(uint32_t *flag)
{
	__atomic_store_n(flag, 1, __ATOMIC_RELAXED);
}
/*
 * Notes in the file, if there is one, that a thread could not open its counters, and a
 * first reason.
 */
void td_process_lacks_counters(int error);

#endif
