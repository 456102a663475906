/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <sched.h>
#include <stdbool.h>

/* Allowed CPUs of this thread before it moves. */
struct td_affinity {
	bool is_known; /* else cpus is not set, and nothing is restored */
	cpu_set_t cpus;
	int returns_to; /* 1 + its CPU, near which a command begins; 0: it need not return */
};

/* Call it before the first td_go_to_cpu(). */
struct td_affinity td_affinity_now(void);
/*
 * Moves this thread to a CPU and returns true if it runs there.  It does not if that is not
 * allowed, or if a real-time task occupies the CPU: after a time limit, a second thread moves this
 * one to another CPU, also later in the visit.  Only one thread may visit CPUs.
 */
bool td_go_to_cpu(int cpu);
/*
 * Moves back, if this thread has moved.  If all CPUs were allowed, so are those that come online
 * later, also to a command that inherits this.
 */
void td_affinity_restore(const struct td_affinity *before);
/*
 * Ends the second thread, which has the rights that this one had when it began.  The next visit
 * begins another.
 */
void td_affinity_end(void);
