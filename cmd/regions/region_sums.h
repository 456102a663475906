/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmd/regions: counts the regions that a program marks with libtdstat (lib/region).
 *
 * In: a command, and the files PREFIX.PID that its processes leave (lib/region/layout.h),
 * which may have been killed in the middle.
 * Out: readings of each region in each thread, without the cost of counting, and their
 * range over time; rows of regions, shown and recorded (cmd/sample/result.h).
 */
#pragma once

#include "lib/count/batched.h"
#include "lib/count/regions.h"
#include "lib/region/layout.h"

struct td_region_files {
	/* values at the same index in all files; borrowed */
	const struct td_region_value {
		int event;  /* index in the plan */
		int pmu;    /* index in the machine */
		int group;  /* index of its group in the files */
		bool field; /* a field of PERF_METRICS, in 255ths of slots */
	} * values;
	size_t nr_values;
	/* regions whose calls are shown, "parse,scan"; NULL: show a row of each region */
	const char *names;
	uint64_t wall_ns; /* CLOCK_REALTIME minus CLOCK_MONOTONIC */
	/* results */
	struct td_regions regions; /* regions in the order of their first calls */
	struct td_batched counts;  /* counts of each region, in batches of calls */
	unsigned int nr_processes, nr_by_read, nr_user_only, nr_with_buckets;
	uint64_t elsewhere; /* calls counted in the nearest bucket instead of their own */
	uint64_t losses[TD_REGION_NR_LOSSES];
	char unmatched[TD_REGION_NAME]; /* the first td_end() without a begin */
	int open_errno; /* error of the first counter that could not be opened, or 0 */
};

/*
 * Add a thread's counts in a region of the file with this head, and its buckets of calls after
 * checking them.
 */
void td_region_files_add(struct td_region_files *files, const struct td_region_head *head,
			 const struct td_region_record *record);

/* Complete the sums after the last record. */
void td_region_files_end(struct td_region_files *files);

/*
 * Read the files, if there are any.  values must be set.  Returns 0, or an error
 * that names the file; call td_region_files_free() in both cases.
 */
int td_region_files_read(struct td_region_files *files, const char *prefix, struct td_err *err);
void td_region_files_free(struct td_region_files *files);
