/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "lib/count/batched.h"
#include "lib/count/regions.h"
#include "lib/plan/plan.h"
#include "lib/sample/locations.h"

/* The counts of a group in a sample. */
struct td_window_end {
	uint64_t time_ns;
	int group; /* group of the plan */
	int cpu, tid, location;
	const uint64_t *pairs; /* value and id of each member */
};

/* Sample pairs of threads or CPUs.  A zeroed struct is empty. */
struct td_windows {
	const struct td_plan *plan;
	/*
	 * In longer windows it is unknown what ran, because samples were delayed or interrupts took
	 * a part of the time.  0: no limit.
	 */
	uint64_t longest_ns;
	bool of_cpus; /* counts are those of CPUs, not of threads */
	/* A sample pair: the time between two consecutive samples of a group. */
	struct td_window {
		int group;
		size_t stream; /* number of its thread or CPU, and group */
		int from, to;  /* locations; both -1: what ran in between is unknown */
		bool paired;   /* there was a previous sample, and none was lost in between */
		uint64_t time_ns;
		uint64_t *values; /* one for each member */
	} * v;
	size_t nr;
	/* the last sample of each stream, and its counts on each CPU */
	struct td_window_last *last;
	size_t nr_last;
	struct td_index by_key;
	/* the last break of each thread or CPU */
	struct td_window_break *breaks;
	size_t nr_breaks;
	struct td_index by_broken;
};

/*
 * Adds the window that ends with this sample.  The counts of a thread or CPU start at 0; so do
 * those of a thread on another CPU, where the sampler has other events.  The function in between is
 * known if there was a previous sample, the thread kept its CPU, and there was no break.  Windows
 * in which the sampled event was stopped are left out.
 */
void td_windows_add(struct td_windows *windows, const struct td_window_end *end);
/* Notes that a thread lost its CPU or, with of_cpu, that samples of a CPU were lost. */
void td_windows_break(struct td_windows *windows, bool of_cpu, int number, uint64_t time_ns);
/*
 * Notes that the kernel resumed an event that it had throttled after the previous sample.  Linux
 * 6.12 stops only this event (x86_pmu_handle_irq() in arch/x86/events/core.c), so the counts of its
 * group cover different times.
 */
void td_windows_resume(struct td_windows *windows, int cpu, int tid, uint64_t time_ns);
/* Forgets the windows, but not the last samples. */
void td_windows_clear(struct td_windows *windows);
void td_windows_free(struct td_windows *windows);

/* Sums of windows that are within one function.  A zeroed struct is empty. */
struct td_function_counts {
	struct td_function_count *v;
	size_t nr;
	struct td_index index;
	struct td_function_stream *streams;
	size_t nr_streams;
};

/* Adds windows.  Their locations must be resolved. */
void td_function_counts_add(struct td_function_counts *counts, const struct td_windows *windows,
			    const struct td_locations *locations);
/*
 * Adds a region for each function, with its name.  Windows that are not within one function,
 * or may not be, are outside of all.  Call it once, after the last windows.
 */
void td_function_counts_to_regions(struct td_function_counts *counts, const struct td_plan *plan,
				   const struct td_locations *locations, struct td_regions *regions,
				   struct td_batched *batched);
void td_function_counts_free(struct td_function_counts *counts);
