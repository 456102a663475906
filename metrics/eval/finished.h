/* SPDX-License-Identifier: GPL-2.0-only */
/* What is made of the rows of a finished report (td_eval()). */
#ifndef TD_METRICS_EVAL_FINISHED_H
#define TD_METRICS_EVAL_FINISHED_H

#include "lib/count/course.h"
#include "lib/count/report.h"
#include "metrics/tree/tree.h"

/* --- lost.c --------------------------------------------------------------- */

/*
 * Sets lost_pct of the rows, and has_lost if they are of several ids.  cgroups:
 * the ids are of cgroups, so that "a/b" has slots that "a" has, too; they are
 * not added up.  Returns -ENOMEM.
 */
int td_report_find_lost(struct td_report *report, bool cgroups);
/*
 * Puts the ids that lost most first, on all kinds of core together, and of those of
 * which that is unknown the ones with the most slots; others keep their order.  The
 * rows of an id stand together, that with the most slots first.
 */
int td_report_sort_by_size(struct td_report *report);

/* --- misfits.c ------------------------------------------------------------ */

/*
 * The four fields of level 1 may be so much of the slots before something is wrong:
 * they are rounded, and read a moment after the slots.
 */
#define TD_MOST_SUM 1.02

/*
 * Before td_report_find_misfits(): where the fields are more than rounding makes of
 * them, but not by far, values with an error have a larger one, and no misfit.
 */
void td_report_bear_sums(struct td_report *report);
/*
 * Sets the misfit of cells whose values cannot be, beyond their errors: level 1, if
 * its nodes are not all of the slots; percentages of nodes below 0 or above 100, and
 * nodes of levels 1 and 2 that are larger than their parents.  Cells that have a
 * misfit keep it.
 */
void td_report_find_misfits(struct td_report *report);

/* --- ranges.c ------------------------------------------------------------- */

/*
 * How the values of a report changed while it was counted: each batch of the
 * course is evaluated by itself.
 */
struct td_ranges {
	struct td_report *report; /* borrowed; its cells and rows get them */
	size_t nr;                /* number of batches */
	uint64_t nr_reads;        /* in all of them; 0: one in each */
	uint64_t elapsed_ns;      /* all of them */
	float *values;            /* [row][column][batch]; NaN: none */
	uint32_t *
		over; /* [row][column]: a bit for each batch over its threshold */
	float *slots; /* [row][batch]; NaN: unknown */
	/* [row][column]: how long the column's node had the most slots */
	uint64_t *ns;
};

/* Returns 0 or -ENOMEM; free it even then. */
int td_ranges_begin(struct td_ranges *ranges, struct td_report *report);
/* Adds a batch, which took ns: TD_COURSE_FEW at most. */
void td_ranges_add(struct td_ranges *ranges, const struct td_report *batch,
		   uint64_t ns);
/* Of cell number at, or of a row, in a batch; NaN: unknown. */
double td_ranges_value(const struct td_ranges *ranges, size_t at, size_t batch);
double td_ranges_slots(const struct td_ranges *ranges, size_t row,
		       size_t batch);
/* Was cell number at over its threshold in the batch? */
bool td_ranges_over(const struct td_ranges *ranges, size_t at, size_t batch);
/* The variance of the values of cell number at; 0 if there are less than two. */
double td_ranges_variance(const struct td_ranges *ranges, size_t at);
/* So many reads of equal length are as good as those of the row. */
double td_ranges_reads(const struct td_ranges *ranges, size_t row);
/* Sets each cell's low and high, and each row's phases, if there are enough. */
void td_ranges_end(struct td_ranges *ranges);
void td_ranges_free(struct td_ranges *ranges);

/* --- rested.c ------------------------------------------------------------- */

/*
 * -l auto counts the children of a node while that is over its threshold.
 * Events that are always counted go on meanwhile, so that the sums over all of
 * the time cannot be divided by each other: what such a node had of the run is
 * the sum of what it had of each batch, and so the whole is that of its
 * parents.
 *
 * While it rested it had something between nothing and what its parent had
 * then: nothing is taken, and the most is added to the error.  But where the
 * parent was over its threshold, others had their turn, or it was opened only
 * then; there it is taken to have had the same part of the parent as otherwise,
 * with an error by how much that part changes.  Where there are no batches, all
 * of that is in the error.
 *
 * What never rested had more turns while others did: it, too, is summed by
 * batches then.
 */
struct td_rested {
	const struct td_report *report; /* whose rows these are */
	double *values; /* [row][column]: of the run; NaN: it never rested */
};

/*
 * Finds the values of what rested in some batch, and adds to the errors of the
 * report, which are those of the time in which it did not.  Returns 0 or
 * -ENOMEM; free it even then.
 */
int td_rested_find(struct td_rested *rested, const struct td_tree *tree,
		   const struct td_ranges *ranges, bool *any);
/* The values of a row, one a column; NULL: there is no such row. */
const double *td_rested_values(const struct td_rested *rested,
			       const struct td_row *row);
/* Sets them.  again: the same report, whose thresholds go by these values. */
void td_rested_set(const struct td_rested *rested, struct td_report *report,
		   const struct td_report *again);
void td_rested_free(struct td_rested *rested);

/* --- errors.c ------------------------------------------------------------- */

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
