// SPDX-License-Identifier: GPL-2.0-only
/* Estimates the CPU time of a command that no counter saw. */
#include "cmd/run/uncounted.h"

#include <inttypes.h>
#include <stdio.h>

#include "lib/base/util.h"

/* Less is not worth a note, as the clocks are not exact. */
#define MUCH_NS UINT64_C(100000000)

/*
 * A task's counters start with its first turn on a CPU and end inside its
 * exit() (perf_event_exit_task() in the kernel).  The time before and after is
 * 0.1 ms on an idle machine and ten times that on a busy one.
 */
#define LEAST_FORK_NS UINT64_C(1000000)

/*
 * before_ns, the time of our own fork, tells how slow the machine is.  On a
 * busy machine another fork took up to five times as long.
 */
#define FORK_FACTOR 8

/* The smallest default of pid_max (PID_MAX_DEFAULT). */
#define FEWEST_PIDS 32768

static uint64_t fork_ns(const struct td_spent *spent)
{
	uint64_t ns = FORK_FACTOR * spent->before_ns;

	return ns > LEAST_FORK_NS ? ns : LEAST_FORK_NS;
}

/*
 * Our own fork, and those of others: not more than there were on the machine,
 * nor than voluntary switches, as every task ends with one.
 */
static uint64_t most_forks(const struct td_spent *spent)
{
	return 1 + (spent->forks < spent->switches ? spent->forks
						   : spent->switches);
}

bool td_is_much_uncounted(const struct td_spent *spent)
{
	uint64_t seen = spent->counted_ns + spent->before_ns;
	uint64_t missing = td_since(spent->used_ns, seen);

	missing = td_since(missing, most_forks(spent) * fork_ns(spent));
	return missing > MUCH_NS && missing > spent->used_ns / 4;
}

uint64_t td_last_pid(const struct td_sysfs *fs)
{
	char text[128];
	uint64_t pid;

	/* the last number of proc(5)'s "0.20 0.18 0.12 1/80 11206" */
	if (td_sysfs_read_at(fs->proc, "loadavg", text, sizeof(text)) < 0 ||
	    sscanf(text, "%*s %*s %*s %*s %" SCNu64, &pid) != 1)
		return 0;
	return pid;
}

uint64_t td_forks_between(uint64_t first_pid, uint64_t last_pid,
			  uint64_t switches)
{
	if (!first_pid || last_pid < first_pid || switches >= FEWEST_PIDS)
		return UINT64_MAX;
	return last_pid - first_pid;
}
