/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_OUT_SINK_H
#define TD_CMD_OUT_SINK_H

#include "cmd/opts/opts.h"
#include "cmd/out/out.h"
#include "cmd/out/writers.h"
#include "lib/count/aggregate.h"
#include "lib/count/totals_sum.h"
#include "lib/machine/machine.h"
#include "metrics/eval/eval.h"
#include "metrics/table/ratio_table.h"
#include "metrics/table/rows.h"
#include "metrics/table/spread.h"

/*
 * Where counts become numbers that somebody reads: aggregated, evaluated,
 * written, and the stream looked at.
 */
struct td_sink {
	const struct td_tree *tree; /* NULL: a table of events */
	/* borrowed, like the tree */
	const struct td_plan *plan;
	const struct td_machine *machine;
	const struct td_aggregator *aggregator;
	bool merge;
	struct td_evaluation evaluation; /* of the tree */
	struct td_ratio_table *ratios;   /* in place of events; else NULL */
	bool summary;                    /* behind the intervals, all of them */
	bool mean;                       /* one result of several runs */
	bool table;                      /* with the time of each of them */
	struct td_readings whole;        /* of the intervals, for the summary */
	struct td_index whole_index;
	struct td_times whole_times;
	struct td_totals_sum sum; /* of the runs */
	struct td_spreads spreads;
	uint64_t *runs_ns;
	size_t nr_runs;
	struct td_frame frame;
	struct td_writer writer;
	bool to_file;     /* the stream is ours to close */
	bool is_new;      /* what the file held is to go */
	bool starts;      /* with the line that says when */
	bool waits;       /* for ^C: who watches is told so */
	bool attached;    /* or for the end of what is counted */
	const char *name; /* of the stream, for errors */
};

/*
 * Opens opts->output unless record takes that name for itself; else standard
 * error if a command owns standard output, or standard output.  target and
 * interval go into the frame.
 */
int td_sink_open(struct td_sink *sink, const struct td_opts *opts,
		 const struct td_target_name *target, bool interval,
		 struct td_err *err);
int td_sink_begin(struct td_sink *sink, struct td_err *err);
/* times: of the same interval; time_ns: its end, since counting began. */
int td_sink_counts(struct td_sink *sink, uint64_t time_ns,
		   const struct td_times *times,
		   const struct td_readings *delta, struct td_err *err);
/* A run is over. */
int td_sink_end_run(struct td_sink *sink, const struct td_usage *usage,
		    struct td_err *err);
/* All of them are. */
int td_sink_end(struct td_sink *sink, struct td_err *err);
/* What was not written by now is an error.  Closed twice is fine. */
int td_sink_close(struct td_sink *sink, struct td_err *err);

/* sink_rows.c: the stream has no error. */
int td_sink_check(struct td_sink *sink, struct td_err *err);

#endif
