/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmd/compare: recordings, for what they have in common.
 *
 * In: files.
 * Out: of each the result of all its intervals, as metrics/diff takes it.
 */
#ifndef TD_CMD_COMPARE_WHOLE_H
#define TD_CMD_COMPARE_WHOLE_H

#include "cmd/compare/threads.h"
#include "cmd/replay/recorded.h"
#include "cmd/view/view.h"
#include "metrics/diff/diff.h"

/* A recording that was read to its end.  It must not be moved. */
struct td_whole {
	struct td_recorded recorded;
	struct td_view view; /* has the sum of the intervals */
	struct td_threads threads;
	struct td_totals totals; /* of each id, mostly of all */
	char **ids;              /* their names, which both sides share */
	double *works;           /* units of work of each; NaN: unknown */
	double instructions;     /* NaN: not counted everywhere */
	struct td_diff_ipc *ipc;
	size_t nr_ipc;
	/* the results, for one unit of work */
	struct td_report report;
	struct td_event_table events;
	double *scales; /* of their rows, as in struct td_diff_input */
};

/* Reads the whole recording.  Free it even after an error. */
int td_whole_read(struct td_whole *whole, const char *path,
		  const struct td_opts *opts, struct td_notes *notes,
		  struct td_err *err);
/*
 * Computes the results for one unit of work; input borrows them.  -ENODATA if the
 * recording does not tell how many units it has.
 */
int td_whole_eval(struct td_whole *whole, enum td_per per,
		  struct td_diff_input *input, struct td_err *err);
void td_whole_free(struct td_whole *whole);

#endif
