/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmd/view: from readings to results, for live runs and recordings.
 *
 * In: a source (source.h), and its readings, interval by interval.
 * Out: reports for the writers of cmd/output: one per interval, one for all intervals, or one for
 * all runs.  The request selects the output (sink.h).
 */
#pragma once

#include "cmd/view/sink.h"
#include "cmd/view/source.h"
#include "cmd/view/viewer.h"
#include "lib/count/aggregator.h"
#include "lib/count/timeline.h"
#include "lib/count/totals_sum.h"
#include "metrics/eval/eval.h"
#include "metrics/table/table.h"

/* The state that turns the readings of a source into results. */
struct td_view {
	const struct td_source *source; /* borrowed */
	struct td_aggregator aggregator;
	bool merge;                      /* one row for all core types */
	bool ranked;                     /* largest nodes first, in output for people */
	bool by_lost;                    /* rows with the biggest loss first */
	int top;                         /* the number of ids to show; 0: all */
	size_t nr_intervals;             /* number of intervals shown in this run */
	struct td_evaluation evaluation; /* evaluation of the source's tree */
	struct td_totals totals;         /* totals of the interval */
	struct td_event_table events;    /* table of the source's events */
	struct td_report report;         /* report of the interval */
	bool only_ratios;                /* ratios of events, without counts */
	struct td_ratio_table ratios;
	bool summary;                     /* a summary follows the last interval */
	const struct td_request *verdict; /* request for commands to type; NULL: no verdict */
	struct td_focus *focus;           /* copy of the verdict for the caller; or NULL */
	const struct td_viewer *viewer;   /* receiver in place of the stream; or NULL */
	bool instead;    /* the results replace those of a request that cannot be counted */
	bool mean;       /* show the mean of several runs */
	bool table;      /* show the time of each run */
	bool in_step;    /* td_timeline_in_step() was true for a row */
	bool noted_step; /* td_view_note_step() added the note */
	struct td_readings whole; /* sum of all intervals, for the summary */
	struct td_index whole_index;
	struct td_times whole_times;
	/* its batches are intervals, or parts of them */
	struct td_timeline whole_timeline;
	struct td_totals_sum sum;    /* sum of the runs */
	struct td_spreads spreads;   /* variation of the runs' values */
	unsigned int nr_joined;      /* --no-multiplex: number of runs of a result; else 0 */
	struct td_totals_sum joined; /* --no-multiplex: sum of the runs so far */
	/* --no-multiplex: instructions of the runs */
	struct td_work {
		unsigned int nr; /* number of runs that counted instructions */
		double min, max, sum;
	} work;
	/* --no-multiplex: the runs, if errors are wanted */
	struct td_kept_run {
		uint64_t time_ns;
		struct td_times times;
		struct td_readings readings;
		struct td_timeline timeline;
	} * kept;
	size_t nr_kept;
	uint64_t *runs_ns;          /* time of each run so far */
	struct td_times runs_times; /* sum of the runs' times */
	size_t nr_runs;
	struct td_sink sink;
};

/* --- view.c --------------------------------------------------------------- */

/*
 * Prepare the aggregation; returns the errors of td_aggregator_build().  Close the view
 * even after an error.
 */
int td_view_init(struct td_view *view, const struct td_source *source,
		 const struct td_request *request, struct td_err *err);
/* In output for people, note that some ids of rows are unknown; programs see -1. */
void td_view_note(const struct td_view *view, const struct td_request *request,
		  struct td_notes *notes);
/* Note once that rows had no errors because groups were in step with the program. */
void td_view_note_step(struct td_view *view, struct td_notes *notes);
/* Assign ids to new CPUs and cgroups.  Call it after a read, before its readings are summed. */
int td_view_follow(struct td_view *view, struct td_err *err);
/* Open the stream.  Call it when the events that can be counted and the viewer are known. */
int td_view_open(struct td_view *view, const struct td_request *request, struct td_err *err);
/* With --append, refuse a file whose header does not match the rows. */
int td_view_check_append(struct td_view *view, struct td_err *err);
/* Set the start of a live run, in ns since 1970, and on other clocks. */
void td_view_start(struct td_view *view, uint64_t start_ns, const struct td_clocks *clocks);
/* Correct the start on CLOCK_MONOTONIC when it is known exactly. */
void td_view_move_start(struct td_view *view, uint64_t mono_ns);
/* Empty the file and write the lines before the first result. */
int td_view_begin(struct td_view *view, struct td_err *err);
/* Close the view; may be called twice.  Returns an error if anything was not written. */
int td_view_close(struct td_view *view, struct td_err *err);
/* Free the runs that were kept. */
void td_view_drop_kept(struct td_view *view);

/* errors.c: return the difference between the runs joined last, relative to their mean. */
double td_work_difference(const struct td_work *work);

/* --- rows.c --------------------------------------------------------------- */

/* Show an interval; for the mean of several runs, only add it. */
int td_view_put(struct td_view *view, const struct td_counted *counted, struct td_err *err);
/* Add raw counts to view->whole, which is scaled once, with the time of all intervals. */
void td_view_add_to_total(struct td_view *view, const struct td_counted *counted);
/* End a run: show the summary of its intervals, and its times. */
int td_view_end_run(struct td_view *view, const struct td_usage *usage, struct td_err *err);
/* --no-multiplex: show the result of the runs so far, or add it to the mean of -r. */
int td_view_join(struct td_view *view, struct td_err *err);
/* Show the mean of all runs, after the last one, unless each run was shown. */
int td_view_end(struct td_view *view, struct td_err *err);
