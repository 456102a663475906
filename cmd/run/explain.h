/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_RUN_EXPLAIN_H
#define TD_CMD_RUN_EXPLAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/machine/sysfs.h"

/* The CPU time of a command that has ended. */
struct td_spent {
	uint64_t used_ns;    /* by the command and its children */
	uint64_t counted_ns; /* while its counters were enabled */
	uint64_t before_ns;  /* before its exec() */
	uint64_t switches;   /* voluntary ones, with its children's */
	uint64_t forks;      /* of all tasks in that time, or UINT64_MAX */
};

/*
 * True if more time is missing than forks and exits explain.  If in doubt,
 * false: the note blames the command.
 */
bool td_is_much_uncounted(const struct td_spent *spent);

/* The last pid that the kernel gave out; 0 if unknown. */
uint64_t td_last_pid(const struct td_sysfs *fs);
/*
 * The number of pids given out in between; UINT64_MAX if they may have wrapped
 * around.
 */
uint64_t td_forks_between(uint64_t first_pid, uint64_t last_pid,
			  uint64_t switches);

#endif
