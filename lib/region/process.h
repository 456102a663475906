/* SPDX-License-Identifier: MIT */
#ifndef TD_REGION_PROCESS_H
#define TD_REGION_PROCESS_H

#include <stdbool.h>

#include "lib/region/spec.h"
#include "lib/region/store.h"

/* What all threads of the process share. */
struct td_process {
	unsigned int number;     /* grows in a child */
	char *prefix;            /* of the files' names */
	unsigned int calibrated; /* bits of groups */
	struct td_spec spec;
	struct td_store store;
	unsigned int every;
	size_t parents; /* in a child of fork(): regions that the parent is in */
};

extern struct td_process td_process;

/* Reads the environment.  False: nothing is to be counted. */
bool td_process_start(void);
/* In a child of fork(): nothing is the parent's; open: regions it is in. */
void td_process_forked(size_t open);
/*
 * Makes the file, once: in a child, by the first thread that is in a region.
 * False if there is none.
 */
bool td_process_has_store(void);
/* Sets a flag of the file's head. */
static inline void td_process_notes(uint32_t *flag)
{
	__atomic_store_n(flag, 1, __ATOMIC_RELAXED);
}
/* Notes that a thread could not open its counters, and a first reason. */
void td_process_lacks_counters(int error);

#endif
