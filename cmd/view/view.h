/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmd/view: from readings to results, for live runs and recordings alike.
 *
 * In: a source (source.h), and its readings, interval by interval.
 * Out: reports for the writers of cmd/out: of an interval, of all intervals, of
 * all runs; on the stream that the request names (sink.h).
 */
#ifndef TD_CMD_VIEW_VIEW_H
#define TD_CMD_VIEW_VIEW_H

#include "cmd/view/sink.h"
#include "cmd/view/source.h"
#include "cmd/view/viewer.h"
#include "lib/count/aggregator.h"
#include "lib/count/course.h"
#include "lib/count/totals_sum.h"
#include "metrics/eval/eval.h"
#include "metrics/table/table.h"

/* How many instructions the runs of --no-multiplex had. */
struct td_work {
	unsigned int nr; /* number of runs that counted them */
	double least, most, sum;
};

/*
 * The runs of --no-multiplex, kept for the errors of what is joined of them.  A
 * run has not more than TD_COURSE_FEW points, and all together hardly more
 * readings than one run that takes turns.
 */
struct td_kept_run {
	uint64_t time_ns;
	struct td_times times;
	struct td_readings readings;
	struct td_course course;
};

/* What a live run or a report needs to show the readings of its source. */
struct td_view {
	const struct td_source *source; /* borrowed */
	struct td_aggregator aggregator;
	bool merge;                      /* one row for all kinds of core */
	bool ranked;                     /* show people the largest first */
	bool by_lost;                    /* the rows that lost most first */
	size_t nr_intervals;             /* that were shown in this run */
	struct td_evaluation evaluation; /* of the source's tree */
	struct td_totals totals;         /* of the interval */
	struct td_event_table events;    /* of the source's plan */
	struct td_report report;         /* of the interval */
	bool only_ratios;                /* of events, without their counts */
	struct td_ratio_table ratios;
	bool summary;                     /* of all intervals, after the last */
	const struct td_request *verdict; /* what to repeat; NULL: no verdict */
	struct td_focus *focus;           /* gets it; NULL: nobody wants it */
	const struct td_viewer *viewer;   /* in place of the stream; or NULL */
	bool instead; /* of what was asked for, which cannot be counted */
	bool mean;    /* show the mean of several runs */
	bool table;   /* and the time of each run */
	struct td_readings whole; /* sum of all intervals for summary */
	struct td_index whole_index;
	struct td_times whole_times;
	struct td_course whole_course; /* batches are intervals, or parts */
	struct td_totals_sum sum;      /* of the runs */
	struct td_spreads spreads;     /* of the runs' values */
	/* --no-multiplex: number of runs that make up one result; else 0 */
	unsigned int nr_joined;
	struct td_totals_sum joined; /* the runs so far */
	struct td_work work;         /* what they did */
	struct td_kept_run *kept;    /* they, if errors are wanted */
	size_t nr_kept;
	uint64_t *runs_ns;          /* the time of each run so far */
	struct td_times runs_times; /* and the sum of their times */
	size_t nr_runs;
	struct td_sink sink;
};

/*
 * Prepares the aggregation; td_aggregator_build() has its errors.  Close the
 * view even after an error.
 */
int td_view_init(struct td_view *view, const struct td_source *source,
		 const struct td_request *request, struct td_err *err);
/* Notes for people what the ids of rows lack; programs see that it is -1. */
void td_view_note(const struct td_view *view, const struct td_request *request,
		  struct td_notes *notes);
/* After a read, before its readings are summed: gives new CPUs and cgroups their ids. */
int td_view_follow(struct td_view *view, struct td_err *err);
/*
 * Opens the stream, when it is known which events can be counted, and who is the
 * viewer.
 */
int td_view_open(struct td_view *view, const struct td_request *request,
		 struct td_err *err);
/* With --append, refuses a file whose header is not that of its rows. */
int td_view_check_append(struct td_view *view, struct td_err *err);
/* When a live run starts, in ns since 1970, and in other clocks. */
void td_view_start(struct td_view *view, uint64_t start_ns,
		   const struct td_clocks *clocks);
/* Corrects the start in CLOCK_MONOTONIC, which is known better by now. */
void td_view_move_start(struct td_view *view, uint64_t mono_ns);
/* Empties the file and writes what comes before the first result. */
int td_view_begin(struct td_view *view, struct td_err *err);
/* May be called twice.  An error if anything was not written. */
int td_view_close(struct td_view *view, struct td_err *err);

/* rows.c */
/*
 * Shows an interval; for the mean of several runs, only adds it.
 */
int td_view_put(struct td_view *view, const struct td_counted *counted,
		struct td_err *err);
/*
 * Adds raw counts to view->whole, which are scaled up once, by the time of all
 * intervals.  Returns 0 or -ENOMEM.
 */
int td_view_add_to_whole(struct td_view *view,
			 const struct td_counted *counted);
/* Ends a run: shows the summary of its intervals, and its times. */
int td_view_end_run(struct td_view *view, const struct td_usage *usage,
		    struct td_err *err);
/*
 * --no-multiplex: shows what was joined of the runs so far, or adds it to the
 * mean of -r.
 */
int td_view_join(struct td_view *view, struct td_err *err);
/* Frees the runs that were kept. */
void td_view_drop_kept(struct td_view *view);
/* By how much the last runs that were joined differ, as a part of their mean. */
double td_work_difference(const struct td_work *work);
/* After the last run: shows the mean of all, unless each run was shown. */
int td_view_end(struct td_view *view, struct td_err *err);

/* regions.c */
/* Regions know how long they lasted, but not for how long they had a CPU. */
void td_view_forget_busy(struct td_report *report);

/*
 * Adds to the rows of a report what is known of their regions, and puts those with
 * the most slots first.  counted and totals are what the report was computed from.
 */
int td_view_fill_regions(struct td_view *view, const struct td_counted *counted,
			 const struct td_totals *totals,
			 struct td_report *report, struct td_err *err);

#endif
