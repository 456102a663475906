/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <sched.h>
#include <stdbool.h>

/* Allowed CPUs of this thread before it moved. */
struct td_affinity {
	bool is_left; /* it has moved; else cpus is not set */
	cpu_set_t cpus;
	int returns_to; /* 1 + its CPU, near which a command begins; 0: it need not return */
};

/*
 * Moves this thread to a CPU and returns true if it runs there.  It does not if that is not
 * allowed, or if a real-time task occupies the CPU: after a time limit, a second thread moves this
 * one to another CPU, also later in the visit.  Only one thread may visit CPUs.
 */
bool td_go_to_cpu(int cpu);
/* Moves back. */
void td_affinity_restore(const struct td_affinity *before);
/*
 * Ends the second thread, which has the rights that this one had when it began.  The next visit
 * begins another.
 */
void td_affinity_end(void);
