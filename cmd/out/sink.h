/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_OUT_SINK_H
#define TD_CMD_OUT_SINK_H

#include "cmd/opts/opts.h"
#include "cmd/out/out.h"
#include "cmd/out/writers.h"
#include "lib/count/aggregate.h"
#include "lib/count/totals_sum.h"
#include "lib/machine/machine.h"
#include "metrics/table/ratio_table.h"
#include "metrics/table/rows.h"
#include "metrics/table/spread.h"
#include "metrics/tree/tree.h"

/*
 * Turns counts into output: aggregates and evaluates them, writes the results
 * and checks the stream.
 */
struct td_sink {
	struct td_tree *tree; /* borrowed, as are the next three */
	const struct td_plan *plan;
	const struct td_machine *machine;
	const struct td_aggregator *aggregator;
	bool merge;
	struct td_ratio_table *ratios; /* shown in place of events, or NULL */
	bool summary;                  /* of all intervals, after the last */
	bool mean;                     /* show the mean of several runs */
	bool table;                    /* and the time of each run */
	struct td_readings whole;      /* sum of all intervals for summary */
	struct td_index whole_index;
	struct td_times whole_times;
	struct td_totals_sum sum; /* of the runs */
	struct td_spreads spreads;
	uint64_t *runs_ns;
	size_t nr_runs;
	struct td_frame frame;
	struct td_writer writer;
	bool to_file;     /* we close the stream */
	bool is_new;      /* empty the file first */
	bool starts;      /* write a line with the date first */
	bool waits;       /* say that ^C ends counting */
	bool attached;    /* and that the end of the tasks does, too */
	const char *name; /* of the stream, for errors */
};

/*
 * Opens opts->output unless it is the name of the recording.  Otherwise results
 * go to standard error if a command runs, else to standard output.  target and
 * interval are for the frame.
 */
int td_sink_open(struct td_sink *sink, const struct td_opts *opts,
		 const char *target, bool interval, struct td_err *err);
int td_sink_begin(struct td_sink *sink, struct td_err *err);
/* Shows an interval: its times, and when it ended (since counting began). */
int td_sink_counts(struct td_sink *sink, uint64_t time_ns,
		   const struct td_times *times,
		   const struct td_readings *delta, struct td_err *err);
/* Ends a run. */
int td_sink_end_run(struct td_sink *sink, const struct td_usage *usage,
		    struct td_err *err);
/* Ends the last run. */
int td_sink_end(struct td_sink *sink, struct td_err *err);
/* An error if anything was not written.  May be called twice. */
int td_sink_close(struct td_sink *sink, struct td_err *err);

/* Flushes; an error if anything was not written. */
int td_sink_check(struct td_sink *sink, struct td_err *err);

#endif
