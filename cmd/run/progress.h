/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_RUN_PROGRESS_H
#define TD_CMD_RUN_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/request.h"

/*
 * A line for work that shows nothing for long: several runs, samples.  It stands at
 * the right edge of a terminal's line, as the right prompt of a shell does, and the
 * cursor at the left, where a command may write meanwhile.  Nothing that it wrote is
 * overwritten.
 */
struct td_progress {
	bool on;    /* standard error is a terminal that can do it */
	bool shown; /* something stands there */
	size_t all; /* number of runs; 0: for ever */
	size_t begun;
	uint64_t start_ns; /* of the first run */
};

#define TD_PROGRESS_SIZE 128

/* all: number of runs; 0: for ever. */
struct td_progress td_progress_make(const struct td_request *request,
				    size_t all);
/*
 * Shows "LABEL 3 of 10" for the run that begins, with the time that is left; nr and
 * of are those of the label, which need not be those of all runs.
 */
void td_progress_run(struct td_progress *progress, const char *label, size_t nr,
		     size_t of);
void td_progress_stage(struct td_progress *progress, const char *text);
/* Call it before anything else is written. */
void td_progress_clear(struct td_progress *progress);

/* --- for tests --------------------------------------------------------------- */

/*
 * In ns, from the mean of the runs that are done; UINT64_MAX: nobody knows, or
 * would wait for it.
 */
uint64_t td_progress_left(size_t done, size_t all, uint64_t spent_ns);
/*
 * "run 3 of 10, about 40 s left"; less of it, or nothing, if that is too wide for
 * so many columns.  of 0: without end.
 */
const char *td_progress_text(char buf[TD_PROGRESS_SIZE], const char *label,
			     size_t nr, size_t of, uint64_t left_ns,
			     unsigned int columns);

#endif
