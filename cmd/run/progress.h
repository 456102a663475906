/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "cmd/request.h"

/*
 * Progress of work without other output: several runs, samples.  The text is at the right
 * edge of the terminal, like the right prompt of a shell, and the cursor at the left, where
 * a command may write.  Its output is never overwritten.
 */
struct td_progress {
	bool on;    /* standard error is a terminal that supports it */
	bool shown; /* a text is on the screen */
	size_t all; /* number of runs; 0: unlimited */
	size_t begun;
	uint64_t start_ns; /* start of the first run */
};

#define TD_PROGRESS_SIZE 128

/* Return the state before the first run.  all is the number of runs; 0: unlimited. */
struct td_progress td_progress_make(const struct td_request *request, size_t all);
/*
 * Show "LABEL 3 of 10" for the run that begins, with the time left for all runs; nr and of
 * belong to the label, and may differ from the numbers of all runs.
 */
void td_progress_run(struct td_progress *progress, const char *label, size_t nr, size_t of);
void td_progress_stage(struct td_progress *progress, const char *text);
/* Clear the text.  Call it before anything else is written. */
void td_progress_clear(struct td_progress *progress);

/* --- for tests --------------------------------------------------------------- */

/* Return the time left, from the mean of finished runs; UINT64_MAX: unknown, or too long. */
uint64_t td_progress_left(size_t done, size_t all, uint64_t spent_ns);
/* Format "run 3 of 10, about 40 s left", shortened to fit into columns, or "".  of 0: unlimited. */
const char *td_progress_text(char buf[TD_PROGRESS_SIZE], const char *label, size_t nr, size_t of,
			     uint64_t left_ns, unsigned int columns);
