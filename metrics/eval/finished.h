/* SPDX-License-Identifier: GPL-2.0-only */
/* Additions to the rows of a finished report (td_eval()). */
#pragma once

#include "lib/count/report.h"
#include "lib/count/timeline.h"
#include "metrics/tree/tree.h"

/*
 * Sets lost_pct of the rows, and sets has_lost if the report has several ids.  cgroups: ids are
 * cgroups; slots of "a/b" are part of those of "a", and are counted once.
 */
void td_report_find_lost(struct td_report *report, bool cgroups);
/*
 * Sorts ids by the lost slots of all their core types, or by slots if the losses are unknown;
 * the sort is stable.  The rows of an id are adjacent, the one with most slots first.
 */
void td_report_sort_by_size(struct td_report *report);

/*
 * If the sum of the fields is too large by more than rounding, but not by much, adds the excess to
 * the errors of values instead of marking them as misfits.  Call before td_report_find_misfits().
 */
void td_report_widen_errors(struct td_report *report);
/*
 * Sets the misfit of cells whose values are impossible even with their errors: all nodes of
 * level 1 if they do not sum to 100 %, nodes below 0 or above 100 %, and nodes of levels 1 and 2
 * that are larger than their parents.  A misfit that is already set is kept.
 */
void td_report_find_misfits(struct td_report *report);

/* --- errors.c: how values changed ------------------------------------------ */

/* Changes of a report's values over time, from an evaluation of each batch. */
struct td_ranges {
	struct td_report *report; /* borrowed; its cells and rows are set */
	size_t nr;                /* number of batches */
	uint64_t nr_reads;        /* number of reads in all batches; 0: one per batch */
	uint64_t elapsed_ns;      /* duration of all batches */
	float *values;            /* [row][column][batch]; NaN: none */
	uint32_t *over;           /* [row][column]: a bit for each batch above the threshold */
	float *slots;             /* [row][batch]; NaN: unknown */
	uint64_t *ns;             /* [row][column]: how long the node had most slots */
};

void td_ranges_begin(struct td_ranges *ranges, struct td_report *report);
/* Adds a batch, which took ns.  There may be up to TD_TIMELINE_FEW batches. */
void td_ranges_add(struct td_ranges *ranges, const struct td_report *batch, uint64_t ns);
/* Sets each cell's low and high, and each row's phases, if there are enough batches. */
void td_ranges_end(struct td_ranges *ranges);
void td_ranges_free(struct td_ranges *ranges);

/* --- errors.c: nodes that were not measured all the time --------------------- */

/*
 * -l auto counts some events all the time, but the children of a node only while the node is
 * above its threshold.  Sums of both over the run cannot be divided by each other.  The value
 * of such a child over the run is the sum of its values in the batches, as a share of all slots.
 *
 * While the child was paused, it was between 0 and the value of its parent: 0 is used, and the
 * maximum is added to the error.  But if the parent was above its threshold, other families
 * were counted or the groups were just being opened; then the child is extrapolated with its
 * usual part of the parent, with an error from the variation of that part.  Without batches,
 * the error spans 0 to the value of the parent.
 *
 * Nodes that were never paused were multiplexed less while other nodes were paused, so they
 * are summed over batches as well.
 */
struct td_paused {
	const struct td_report *report; /* the report with the rows of values */
	struct td_index index;          /* td_report_index() of the report */
	double *values; /* [row][column]: value over the run; NaN: measured all the time */
};

/*
 * Finds the values of nodes that were paused in some batch, and adds the errors from pauses to the
 * report.  Returns true if there are such nodes.
 */
bool td_paused_find(struct td_paused *paused, const struct td_tree *tree,
		    const struct td_ranges *ranges);
void td_paused_free(struct td_paused *paused);

/* --- errors.c: the errors of values ------------------------------------------ */

/*
 * The errors of a report's values: half of the 95 % confidence interval.
 *
 * For counts in time, it is the measurement error of this run: how far the value may be from
 * that of counters that are always on.  Events that were counted all the time have only the
 * step of PERF_METRICS, 1/255 of the slots.  Multiplexed and paused events were counted in a
 * part of each batch.  The deviation of a batch from both of its neighbours shows how much the
 * uncounted part may differ from the counted part (after W. G. Cochran, Sampling Techniques,
 * 8.3).  Phases of a program are not an error.  Only the time of a phase change is uncertain: it
 * is unknown between two time slices of a group.
 *
 * Calls, sample pairs and the runs of --no-multiplex are samples of all such calls, pairs and
 * runs, so the error is that of a mean (lib/count/timeline.h).
 *
 * A row that was joined from several runs has a series of batches for each run.  Each batch of
 * each run is left out in turn, and the variances of the series add up, because runs are
 * independent.
 */

struct td_errors {
	struct td_report *report; /* borrowed; its cells get the errors */
	/* state of computing a cell's error; [row][column] */
	struct td_uncertainty {
		struct td_jackknife series; /* the current series */
		double steps;               /* sum of squared changes by one step of each field */
		double cost;                /* square of the change by the cost of counting */
		/* number of series that have ended and counted the cell's events */
		unsigned int nr_series;
		bool too_short;    /* a series had too few batches */
		double variance;   /* sum of the variances of series */
		double per_degree; /* sum over series of variance^2 / degrees of freedom */
		double of_batch;   /* minimum over series of the variance between batches */
		bool together;     /* each series that counted one of the events counted all */
		bool turns;        /* in time: an event was multiplexed or paused */
		/* for counts in time: sums over batches, whose number is series.nr_counted */
		struct {
			/* the last two values, relative to the value over the whole row */
			double last, before;
			double part;    /* share of the counted time in the last batch */
			double noise;   /* sum of squared deviations, weighted by part */
			double changes; /* sum of squared differences of neighbours */
		} batches;
	} * v;
	const struct td_ranges *ranges; /* for counts in time; else NULL */
	/*
	 * relative error of metrics whose events were counted in different runs, because the
	 * runs differ; 0: they do not
	 */
	double apart;
};

/* For counts over time, set errors->ranges after the call. */
void td_errors_begin(struct td_errors *errors, struct td_report *report);
/*
 * Adds a batch.  rest is the report without this batch (in time: without its time slices), and
 * whole the report itself.  For one of several series, whole has the running_ns of that series.
 */
void td_errors_add(struct td_errors *errors, const struct td_report *whole,
		   const struct td_report *rest);
/* Ends a series.  Call after its last batch, with the same whole. */
void td_errors_end_series(struct td_errors *errors, const struct td_report *whole);
/* Adds the report with a field of PERF_METRICS larger by one step. */
void td_errors_add_step(struct td_errors *errors, const struct td_report *larger);
/*
 * Adds the error from the cost of probes.  with is the report on the same counts including that
 * cost.  The cost was measured with an empty function; in the program, probes may lose as many
 * slots as the program does.
 */
void td_errors_add_cost(struct td_errors *errors, const struct td_report *with);
/*
 * Sets each cell's error, or too_short if a series that counted its events had too few batches.
 * For counts in time there is one series, which need not be ended.
 */
void td_errors_end(struct td_errors *errors);
/*
 * The rows of a PMU are of a program that is in step with the turns of its groups: removes the
 * errors of multiplexed values, and widens those of fields of PERF_METRICS, which are rounded the
 * same way in each turn.  Call after td_errors_end().
 */
void td_errors_in_step(const struct td_errors *errors, const char *pmu);
/* Marks all cells as read too rarely for an error. */
void td_errors_none(struct td_report *report);
void td_errors_free(struct td_errors *errors);
