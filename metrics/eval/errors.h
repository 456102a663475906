/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_EVAL_ERRORS_H
#define TD_METRICS_EVAL_ERRORS_H

#include "lib/count/course.h"
#include "lib/count/report.h"
#include "metrics/eval/ranges.h"

/*
 * The errors of a report's values: half the width of the 95 % interval.
 *
 * Of what is counted in time, it is the error of measurement of this very run:
 * how far the value may be from that of counters that never rest.  Events that
 * were counted all the time have none but the step of PERF_METRICS, 1/255 of the
 * slots.  Events that took turns, or rested, were seen in a part of each batch
 * of the course only.  How much a batch stands out from both of its neighbours
 * tells how much the part that was not seen may differ from the one that was
 * (after W. G. Cochran, Sampling Techniques, 8.3).  That a program did one thing
 * first and then another is no error, but for when it went over between two
 * turns.
 *
 * Calls, windows and the runs of --no-multiplex stand for others like them: there
 * the error is that of a mean, by lib/count/course.h.
 *
 * A row that was joined of several runs has a series of batches for each run.
 * Each batch of each run is left out in turn, and the variances of the series
 * add up, as runs have nothing to do with each other.
 */

/* What is known of a cell's error. */
struct td_uncertainty {
	struct td_jackknife series; /* the one that is being added */
	double steps; /* squares of what one step of each field changes */
	/* of the series that have ended, if its events were counted in them: */
	unsigned int nr_series;
	bool too_short;    /* one had too few batches */
	double variance;   /* sum over the series */
	double per_degree; /* sum of variance^2 / degrees of freedom */
	double of_batch;   /* the least variance between batches */
	/* each series that counted one of its events counted all of them */
	bool together;
	/* in time: an event of it took turns, or rested */
	bool turns;
	/* and what its batches tell; series has their number */
	struct {
		/* of the last two: how much more than the whole's value */
		double last, before;
		double part;    /* of all that they ran, in the last one */
		double chance;  /* squares of what stood out, by part */
		double changes; /* squares of the differences of neighbours */
	} batches;
};

struct td_errors {
	struct td_report *report; /* borrowed; its cells get the errors */
	struct td_uncertainty *v; /* [row][column] */
	/* what is counted in time: the ranges of the batches; else NULL */
	const struct td_ranges *ranges;
	/*
	 * The series are of runs that did not do the same: by which part of its
	 * value a metric may be wrong whose events are not together.  0: they did.
	 */
	double apart;
};

/* Returns 0 or -ENOMEM; free it even then.  ranges are set later. */
int td_errors_begin(struct td_errors *errors, struct td_report *report);
/*
 * Adds the report without one batch; in time, without the turns of one batch.
 * whole is the report itself; for a series
 * that is one of several, with the running_ns of the events in that series.
 */
void td_errors_add(struct td_errors *errors, const struct td_report *whole,
		   const struct td_report *rest);
/* After the last batch of a series, with the same whole. */
void td_errors_end_series(struct td_errors *errors,
			  const struct td_report *whole);
/* Adds the report with a field of PERF_METRICS larger by one step. */
void td_errors_add_step(struct td_errors *errors,
			const struct td_report *larger);
/*
 * Sets each cell's error, or that a series in which its events were counted had
 * too few batches.  In time, there is one series, and it need not be ended.
 */
void td_errors_end(struct td_errors *errors);
/* In place of all that: the cells have none, as they were read too rarely. */
void td_errors_none(struct td_report *report);
void td_errors_free(struct td_errors *errors);

#endif
