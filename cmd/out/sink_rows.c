// SPDX-License-Identifier: GPL-2.0-only
/* Turns counts into rows: of an interval, of all intervals, of all runs. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "cmd/out/sink.h"
#include "lib/base/util.h"
#include "metrics/eval/eval.h"

/* Show the counts, collect them for the mean of runs, or show the mean. */
enum purpose {
	SHOW,
	COLLECT,
	SHOW_MEAN,
};

struct rows {
	struct td_sink *sink;
	uint64_t time_ns;
	const struct td_times *times;
	const struct td_totals *totals;
	enum purpose purpose;
};

static int put_tree(const struct rows *r, struct td_err *err)
{
	struct td_sink *sink = r->sink;
	struct td_report report;
	int rc = td_eval(sink->tree, r->totals, r->times, sink->merge, &report,
			 err);

	report.time_ns = r->time_ns;
	if (!rc && sink->frame.how == TD_AGGREGATE_THREAD)
		td_report_drop_absent(&report);
	if (!rc && r->purpose == COLLECT &&
	    td_spreads_add_report(&sink->spreads, &report))
		rc = td_err_nomem(err);
	if (!rc && r->purpose == SHOW_MEAN &&
	    td_spreads_fill_report(&sink->spreads, &report))
		rc = td_err_nomem(err);
	if (!rc && r->purpose != COLLECT)
		sink->writer.out->report(&sink->writer, &report);
	td_report_free(&report);
	return rc;
}

/* --metric-only: shows the ratios of events instead of their counts. */
static int put_ratios(const struct rows *r,
		      const struct td_event_report *events, struct td_err *err)
{
	struct td_sink *sink = r->sink;
	struct td_report report;
	int rc = td_ratio_table_fill(sink->ratios, events, &report, err);

	if (!rc)
		sink->writer.out->report(&sink->writer, &report);
	td_report_free(&report);
	return rc;
}

static int put_events(const struct rows *r, struct td_err *err)
{
	struct td_sink *sink = r->sink;
	struct td_event_report report;
	int rc = td_event_rows(sink->plan, r->totals, r->times, sink->merge,
			       &report, err);

	report.time_ns = r->time_ns;
	if (!rc && r->purpose == COLLECT &&
	    td_spreads_add_events(&sink->spreads, &report))
		rc = td_err_nomem(err);
	if (!rc && r->purpose == SHOW_MEAN &&
	    td_spreads_fill_events(&sink->spreads, &report))
		rc = td_err_nomem(err);
	if (!rc && sink->ratios)
		rc = put_ratios(r, &report, err);
	else if (!rc && r->purpose != COLLECT)
		sink->writer.out->events(&sink->writer, &report);
	td_event_report_free(&report);
	return rc;
}

static int put_rows(const struct rows *r, struct td_err *err)
{
	return r->sink->plan->asked ? put_events(r, err) : put_tree(r, err);
}

#define CLEAR_TERMINAL "\033[H\033[2J"

static void clear_terminal(struct td_sink *sink)
{
	if (!sink->frame.clear || !sink->frame.interval)
		return;
	fputs(CLEAR_TERMINAL, sink->writer.fp);
	sink->writer.header_done = false;
}

/* Adds raw counts, which are scaled up once, by the time of all intervals. */
static int add_to_whole(struct td_sink *sink, const struct td_times *times,
			const struct td_readings *delta)
{
	td_times_add(&sink->whole_times, times, !sink->whole.nr);
	return td_readings_merge(&sink->whole, &sink->whole_index, delta);
}

int td_sink_counts(struct td_sink *sink, uint64_t time_ns,
		   const struct td_times *times,
		   const struct td_readings *delta, struct td_err *err)
{
	struct td_totals totals = { 0 };
	const struct rows rows = { sink, time_ns, times, &totals,
				   sink->mean ? COLLECT : SHOW };
	int rc =
		td_aggregate(sink->aggregator, delta, sink->plan, &totals, err);

	if (!rc && sink->mean &&
	    td_totals_sum_add(&sink->sum, sink->plan, &totals, times))
		rc = td_err_nomem(err);
	if (!rc && sink->summary && add_to_whole(sink, times, delta))
		rc = td_err_nomem(err);
	/* per thread, there may be no rows */
	if (!rc && (sink->frame.how != TD_AGGREGATE_THREAD || totals.nr_ids)) {
		clear_terminal(sink);
		rc = put_rows(&rows, err);
	}
	td_totals_free(&totals);
	return rc ? rc : td_sink_check(sink, err);
}

static void put_end(struct td_sink *sink, const struct td_usage *usage)
{
	if (sink->writer.out->end)
		sink->writer.out->end(&sink->writer, usage);
}

/* As in perf stat: the table of a run without intervals. */
static int put_summary(struct td_sink *sink, const struct td_usage *usage,
		       struct td_err *err)
{
	struct td_totals totals = { 0 };
	const struct rows rows = { sink, usage->elapsed_ns, &sink->whole_times,
				   &totals, SHOW };
	int rc = td_aggregate(sink->aggregator, &sink->whole, sink->plan,
			      &totals, err);

	sink->frame.interval = false;
	sink->writer.summary = true;
	sink->writer.header_done = sink->writer.out->one_header;
	if (!rc)
		rc = put_rows(&rows, err);
	put_end(sink, usage);
	sink->frame.interval = true;
	sink->writer.summary = false;
	sink->whole.nr = 0;
	td_index_clear(&sink->whole_index);
	sink->whole_times = (struct td_times){ 0 };
	td_totals_free(&totals);
	return rc;
}

static int keep_time(struct td_sink *sink, const struct td_usage *usage,
		     struct td_err *err)
{
	uint64_t *slot =
		td_array_add(&sink->runs_ns, sink->nr_runs, sizeof(*slot));

	if (!slot)
		return td_err_nomem(err);
	*slot = usage->elapsed_ns;
	sink->nr_runs++;
	return 0;
}

int td_sink_end_run(struct td_sink *sink, const struct td_usage *usage,
		    struct td_err *err)
{
	int rc = 0;

	if (sink->mean)
		return keep_time(sink, usage, err);
	if (sink->summary)
		rc = put_summary(sink, usage, err);
	else
		put_end(sink, usage);
	/* each run has its own title */
	if (sink->writer.out->for_people)
		sink->writer.header_done = false;
	return rc ? rc : td_sink_check(sink, err);
}

static struct td_usage mean_usage(const struct td_sink *sink)
{
	struct td_spread spread = { 0 };
	struct td_usage usage = {
		.runs_ns = sink->runs_ns,
		.nr_runs = sink->nr_runs,
		.table = sink->table,
	};

	for (size_t i = 0; i < sink->nr_runs; i++)
		td_spread_add(&spread, (double)sink->runs_ns[i]);
	usage.elapsed_ns = (uint64_t)llround(spread.mean);
	usage.error_ns = td_spread_error(&spread);
	return usage;
}

int td_sink_end(struct td_sink *sink, struct td_err *err)
{
	struct td_usage usage = mean_usage(sink);
	const struct rows rows = { sink, usage.elapsed_ns, &sink->sum.times,
				   &sink->sum.totals, SHOW_MEAN };
	int rc;

	if (!sink->mean || !sink->nr_runs)
		return 0;
	sink->frame.runs = (int)sink->nr_runs;
	td_totals_sum_divide(&sink->sum);
	rc = put_rows(&rows, err);
	if (!rc)
		put_end(sink, &usage);
	return rc ? rc : td_sink_check(sink, err);
}
