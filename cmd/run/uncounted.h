/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_RUN_UNCOUNTED_H
#define TD_CMD_RUN_UNCOUNTED_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/machine/sysfs.h"

/* Where the CPU time of a command went that has ended. */
struct td_spent {
	uint64_t used_ns;    /* with its children's */
	uint64_t counted_ns; /* while its counters were there */
	uint64_t before_ns;  /* up to its exec() */
	uint64_t switches;   /* to wait or to end, with its children's */
	uint64_t forks;      /* anybody's in that time, or UINT64_MAX */
};

/*
 * Is more missing than forks and exits account for?  In doubt, no: what it is
 * taken for is an accusation.
 */
bool td_is_much_uncounted(const struct td_spent *spent);

/* The last PID that was given to a task; 0: not known. */
uint64_t td_last_pid(const struct td_sysfs *fs);
/*
 * How many were given in between; UINT64_MAX: they may have begun again at the
 * lowest.
 */
uint64_t td_forks_between(uint64_t first_pid, uint64_t last_pid,
			  uint64_t switches);

#endif
