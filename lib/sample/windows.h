/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_SAMPLE_WINDOWS_H
#define TD_LIB_SAMPLE_WINDOWS_H

#include "lib/base/index.h"
#include "lib/plan/plan.h"

/* The counts of a group when it was sampled. */
struct td_window_end {
	uint64_t time_ns;
	int group; /* of the plan */
	int cpu, tid;
	int spot;
	/* of each member of the group, with its id behind it */
	const uint64_t *pairs;
};

/* What a thread did between two samples of one group. */
struct td_window {
	int group;
	size_t stream; /* of windows that follow each other: of a thread or CPU */
	int from, to; /* spots; the same, -1: what was between is not known */
	uint64_t time_ns;
	uint64_t *values; /* one for each member */
};

/* Windows of threads, or of CPUs; a zeroed struct has none. */
struct td_windows {
	const struct td_plan *plan;
	/*
	 * Longer windows are of times when samples were held back, or fell into
	 * what interrupts do: what was between is not known.  0: no limit.
	 */
	uint64_t longest_ns;
	/* of whole CPUs: their counts are those of a CPU, not of a thread */
	bool of_cpus;
	struct td_window *v;
	size_t nr;
	/* The last sample of each thread or CPU, and group; and on each CPU. */
	struct td_window_last *last;
	size_t nr_last;
	struct td_index by_key;
	/* What broke the windows of a thread or a CPU last. */
	struct td_window_break *breaks;
	size_t nr_breaks;
	struct td_index by_broken;
};

/*
 * Adds the window that this sample ends.  The first one of a thread or CPU begins
 * with its counts, at 0; so does that of a thread on another CPU, where the sampler
 * has other events, but its time begins with the sample before.  What was in between
 * is known if there was a sample before, the thread kept its CPU, and nothing broke.  A window in which the event
 * that is sampled was stopped is left out.  Returns 0 or -ENOMEM.
 */
int td_windows_add(struct td_windows *windows, const struct td_window_end *end);
/*
 * The thread lost its CPU (of_cpu is not set), or samples of the CPU were lost: at
 * time_ns.  Returns 0 or -ENOMEM.
 */
int td_windows_break(struct td_windows *windows, bool of_cpu, int number,
		     uint64_t time_ns);
/*
 * At time_ns the kernel let the event go on that it had stopped after the sample
 * before, as there were too many.  Linux 6.12 stops this event alone
 * (x86_pmu_handle_irq() in arch/x86/events/core.c), so that the counts of its group
 * are not of one time.  Returns 0 or -ENOMEM.
 */
int td_windows_resume(struct td_windows *windows, int cpu, int tid,
		      uint64_t time_ns);
/* Forgets the windows, but not the last samples. */
void td_windows_clear(struct td_windows *windows);
void td_windows_free(struct td_windows *windows);

#endif
