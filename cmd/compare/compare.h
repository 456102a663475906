/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmd/compare: recordings to be compared.
 *
 * In: files, or commands to record.
 * Out: the result of all intervals of each, for metrics/diff.
 */
#pragma once

#include "cmd/opts/option.h"
#include "cmd/replay/recorded.h"
#include "cmd/view/view.h"
#include "lib/count/readings.h"
#include "lib/target/target.h"
#include "metrics/diff/diff.h"

/* --- sides.c: all recordings, A's and B's --------------------------------- */

/* All recordings, A's first.  It must not be moved. */
struct td_sides {
	/* A recording that was read to its end and summed up. */
	struct td_summed {
		struct td_recorded recorded;
		struct td_view view; /* contains the sum of the intervals */
		/* the first thread of each name, to which the counts of the others are added */
		struct td_thread_first *threads;
		size_t nr_threads;
		struct td_index by_name; /* index of threads */
		struct td_totals totals; /* totals of each id, mostly one */
		struct td_names ids;     /* names of the ids, which both sides share */
		double *works;           /* units of work of each id; NaN: unknown */
		double instructions;     /* sum of the ids that counted them; NaN: unknown */
		struct td_diff_ipc *ipc;
		size_t nr_ipc;
		struct td_report report;      /* metrics for one unit of work */
		struct td_event_table events; /* events for one unit of work */
		double *scales;               /* scales of the rows, as in struct td_diff_input */
	} * v;
	size_t nr, nr_a;
	struct td_diff_input *inputs; /* one for each recording */
	char *names[TD_DIFF_SIDES];   /* names of the commands; NULL: use those of recordings */
};

/* Read the whole recording.  td_sides_free() frees it. */
int td_summed_read(struct td_summed *summed, const char *path, const struct td_opts *opts,
		   struct td_notes *notes, struct td_err *err);
/*
 * Read the recordings that the options name, and note what makes them hard to compare.
 * Call td_sides_free() even after an error.
 */
int td_sides_read(struct td_sides *sides, const struct td_opts *opts, struct td_notes *notes,
		  struct td_err *err);
/* Compare the sides for a unit of work, or for the default one. */
int td_sides_compare(struct td_sides *sides, enum td_per per, struct td_diff *diff,
		     struct td_err *err);
void td_sides_free(struct td_sides *sides);

/* Note the cgroups, threads and regions that only one side has. */
void td_note_ids(const struct td_diff *diff, struct td_notes *notes);

/*
 * Note that the sides ran on different core types, whose shares and slots cannot be
 * compared, and how to keep both on one type.  Call it after td_sides_compare().
 */
void td_note_cores(const struct td_sides *sides, struct td_notes *notes);

/* --- planned.c: limits whose names have no row ------------------------------ */

/*
 * Return a usage error if a limit names a row that runs with these options would lack.  The error
 * includes the level that would add the row.  If runs cannot be planned here, all names are
 * accepted.
 */
int td_planned_check(const struct td_limits *limits, const struct td_opts *opts,
		     struct td_err *err);
/* Return a usage error if a limit names a row that the compared recordings lack. */
int td_sides_check_limits(const struct td_sides *sides, const struct td_limits *limits,
			  const struct td_diff *diff, const struct td_opts *opts,
			  struct td_err *err);
