/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What libtdstat counted of the regions of a program: the files PREFIX.PID
 * of its processes (lib/region/layout.h).
 *
 * In: files of processes that may have been killed in the middle.
 * Out: readings of each region in each thread, without what the counting itself
 * cost, and their course.
 */
#ifndef TD_LIB_RECORDING_REGION_SUMS_H
#define TD_LIB_RECORDING_REGION_SUMS_H

#include "lib/base/err.h"
#include "lib/count/batched.h"
#include "lib/count/regions.h"
#include "lib/region/layout.h"

/* A value of the files, in their order. */
struct td_region_value {
	int event;  /* of the plan */
	int pmu;    /* index in the machine */
	int group;  /* of the files, from 0 */
	bool field; /* of PERF_METRICS, in 255ths of slots */
};

struct td_region_files {
	const struct td_region_value *values; /* borrowed */
	size_t nr_values;
	/* whose calls alone are wanted: "parse,scan"; NULL: there are rows of all */
	const char *names;
	uint64_t wall_ns; /* from CLOCK_MONOTONIC to the clock of the wall */
	/* What was read: */
	struct td_regions regions; /* in the order of their first calls */
	struct td_batched counts;  /* in batches of calls of each region */
	unsigned int nr_processes, nr_by_read, nr_user_only, nr_with_buckets;
	uint64_t elsewhere; /* calls that are in a bucket which is not theirs */
	uint64_t losses[TD_REGION_NR_LOSSES];
	char unmatched[TD_REGION_NAME]; /* the first td_end() without a begin */
	int open_errno; /* of the first counter that could not be opened; or 0 */
};

/* A copy of a file, which its process may still be writing, or another cutting. */
struct td_region_file {
	const char *path;
	char *data; /* owned */
	uint64_t size;
	const struct td_region_head *head;
};

/* False: a record's state is not one that the library leaves. */
bool td_region_files_check(const struct td_region_file *file,
			   const struct td_region_record *record);
/*
 * Adds what a thread did in a region, and its calls by how long they took, which
 * are checked, if there are any.  Returns 0 or -ENOMEM.
 */
int td_region_files_add(struct td_region_files *files,
			const struct td_region_file *file,
			const struct td_region_record *record);
/* Ends the course, after the last record.  Returns 0 or -ENOMEM. */
int td_region_files_end(struct td_region_files *files);

/* --- region_files.c ------------------------------------------------------- */

/*
 * Reads the files that there are, which may be none.  values are given.  Returns
 * 0 or a negative errno, which names the file; free even then.
 */
int td_region_files_read(struct td_region_files *files, const char *prefix,
			 struct td_err *err);
void td_region_files_free(struct td_region_files *files);

#endif
