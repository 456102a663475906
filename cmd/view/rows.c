// SPDX-License-Identifier: GPL-2.0-only
/* Turns counts into rows: of an interval, of all intervals, of all runs. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "cmd/view/errors.h"
#include "cmd/view/next.h"
#include "cmd/view/view.h"
#include "lib/base/util.h"
#include "metrics/eval/finished.h"
#include "metrics/table/table.h"

/* --- what a viewer gets besides the rows ----------------------------------- */

static int give(struct td_view *view, const struct td_aggregator *agg,
		const struct td_counted *counted,
		const struct td_totals *totals, struct td_err *err)
{
	const struct td_viewer *viewer = view->viewer;
	const struct td_times *times = counted->times;
	struct td_verdict verdict;
	struct td_report report = { 0 };
	int rc = td_eval(&view->evaluation, totals, times, view->merge, &report,
			 err);

	report.time_ns = counted->time_ns;
	if (!rc)
		rc = td_view_fill_errors(view, agg, counted, totals, &report,
					 err);
	if (!rc)
		td_report_find_misfits(&report);
	if (!rc && totals->tasks)
		td_report_drop_absent(&report);
	if (!rc)
		rc = td_view_find_verdict(view, totals, times, &report,
					  &verdict, err);
	if (!rc)
		rc = viewer->whole(viewer->ctx, &report, &verdict, err);
	td_report_free(&report);
	return rc;
}

/* Gives the viewer all rows of an interval as one. */
static int view_put_whole(struct td_view *view,
			  const struct td_counted *counted, struct td_err *err)
{
	/* counts are scaled up if those of the rows are */
	const struct td_aggregator all = { .raw = view->aggregator.raw };
	struct td_totals totals = { 0 };
	int rc;

	if (!view->viewer || !view->viewer->whole || !view->source->tree ||
	    view->source->nr_cgroups)
		return 0;
	rc = td_aggregate(&all, counted->readings, view->source->plan, &totals,
			  err);
	if (!rc)
		rc = give(view, &all, counted, &totals, err);
	td_totals_free(&totals);
	return rc;
}

/* --- turns counts into rows ------------------------------------------------ */

struct rows {
	struct td_view *view;
	/* NULL: of several runs, each of which has a course of its own */
	const struct td_counted *counted;
	uint64_t time_ns;
	const struct td_times *times;
	const struct td_totals *totals;
	/* to show the counts, collect them for the mean of runs, or show the mean */
	enum {
		SHOW,
		COLLECT,
		SHOW_MEAN
	} purpose;
};

/* Of the means of runs; what rested in them is the mean of what it was in each. */
static int fill_means(const struct rows *r, struct td_report *report,
		      struct td_err *err)
{
	struct td_spreads *spreads = &r->view->spreads;
	td_autofree double *values = calloc(
		report->nr_rows * report->nr_columns + 1, sizeof(*values));
	const struct td_rested rested = { report, values };
	int rc = values ? td_spreads_fill_report(spreads, report) : -ENOMEM;

	if (!rc)
		rc = td_spreads_find_rested(spreads, report, values);
	if (rc < 0)
		return td_err_nomem(err);
	return rc ? td_view_set_rested(r->view, &rested, r->totals, r->times,
				       report, err)
		  : 0;
}

static int fill_errors(const struct rows *r, struct td_report *report,
		       struct td_err *err)
{
	if (r->purpose == SHOW_MEAN)
		return fill_means(r, report, err);
	if (r->counted)
		return td_view_fill_errors(r->view, &r->view->aggregator,
					   r->counted, r->totals, report, err);
	return r->purpose == SHOW
		       ? td_view_fill_joined_errors(r->view, r->totals,
						    r->times, report, err)
		       : 0;
}

static int show(const struct td_view *view, const struct td_report *report,
		struct td_writer *writer, struct td_err *err)
{
	const struct td_viewer *viewer = view->viewer;

	if (viewer)
		return viewer->report(viewer->ctx, report, err);
	writer->out->report(writer, report);
	return 0;
}

/* Programs are told what the rows are of. */
static void tell(const struct rows *r, struct td_report *report)
{
	struct td_view *view = r->view;
	bool interval = view->sink.frame.interval;
	double seconds = r->times && r->times->elapsed_ns
				 ? (double)r->times->elapsed_ns / 1e9
				 : NAN;

	td_report_tell(report, view->sink.frame.how, view->sink.frame.host,
		       r->purpose == SHOW_MEAN ? TD_ROW_MEAN
		       : interval              ? TD_ROW_INTERVAL
					       : TD_ROW_SUMMARY,
		       interval ? (double)++view->nr_intervals : NAN, seconds);
}

/* What a thread does that hardly ran is as little as what an idle CPU does. */
static void find_idle_threads(struct td_report *report)
{
	for (size_t i = 0; i < report->nr_rows; i++)
		report->rows[i].idle |= report->rows[i].busy_pct < TD_IDLE_PCT;
}

/* What the values of rows tell: what cannot be, who was idle, and who lost most. */
static int judge_rows(const struct td_view *view, struct td_report *report)
{
	enum td_aggregation how = view->sink.frame.how;

	td_report_find_misfits(report);
	if (td_aggregation_by_task(how))
		td_report_drop_absent(report);
	if (how == TD_AGGREGATE_THREAD)
		find_idle_threads(report);
	return td_report_find_lost(report, view->source->nr_cgroups);
}

/* And not its course, which is in the order of the tree, and of CPUs. */
static bool is_page(const struct td_view *view)
{
	return view->sink.writer.out->whole && !view->sink.frame.interval;
}

/* Regions have an order of their own. */
static bool wants_sorted(const struct td_view *view,
			 const struct td_report *report)
{
	return (view->by_lost && report->has_lost) ||
	       (is_page(view) && view->sink.frame.how != TD_AGGREGATE_REGION);
}

static int put_tree(const struct rows *r, struct td_err *err)
{
	struct td_view *view = r->view;
	struct td_writer *writer = &view->sink.writer;
	struct td_report *report = &view->report;
	int rc = td_eval(&view->evaluation, r->totals, r->times, view->merge,
			 report, err);

	report->time_ns = r->time_ns;
	if (!rc && view->source->regions && view->source->regions->nr)
		td_view_forget_busy(report);
	if (!rc)
		rc = fill_errors(r, report, err);
	if (!rc && judge_rows(view, report))
		rc = td_err_nomem(err);
	if (!rc && view->sink.frame.how == TD_AGGREGATE_REGION && r->counted)
		rc = td_view_fill_regions(view, r->counted, r->totals, report,
					  err);
	if (!rc && r->purpose == COLLECT &&
	    td_spreads_add_report(&view->spreads, report))
		rc = td_err_nomem(err);
	if (!rc && view->ranked && (writer->out->for_people || is_page(view)) &&
	    td_report_rank(report))
		rc = td_err_nomem(err);
	if (!rc && r->purpose != COLLECT && wants_sorted(view, report) &&
	    td_report_sort_by_size(report))
		rc = td_err_nomem(err);
	if (!rc && r->purpose != COLLECT)
		tell(r, report);
	if (!rc && r->purpose != COLLECT)
		rc = show(view, report, writer, err);
	if (!rc && r->purpose != COLLECT && !view->sink.frame.interval)
		rc = td_view_put_verdict(view, r->totals, r->times, report,
					 err);
	return rc;
}

/* --metric-only: shows the ratios of events instead of their counts. */
static int put_ratios(const struct rows *r,
		      const struct td_event_report *events, struct td_err *err)
{
	struct td_view *view = r->view;
	struct td_writer *writer = &view->sink.writer;
	struct td_report *report = &view->report;
	int rc = td_ratio_table_fill(&view->ratios, events, report, err);

	if (rc)
		return rc;
	tell(r, report);
	writer->out->report(writer, report);
	return 0;
}

static int put_events(const struct rows *r, struct td_err *err)
{
	struct td_view *view = r->view;
	struct td_writer *writer = &view->sink.writer;
	struct td_event_report *report = &view->events.report;
	int rc = td_event_rows(&view->events, r->totals, r->times, err);

	report->time_ns = r->time_ns;
	if (!rc && view->source->latencies && view->source->latencies->nr)
		td_event_rows_set_latencies(report, view->source->plan,
					    view->source->latencies);
	if (!rc && r->purpose == COLLECT &&
	    td_spreads_add_events(&view->spreads, report))
		rc = td_err_nomem(err);
	if (!rc && r->purpose == SHOW_MEAN &&
	    td_spreads_fill_events(&view->spreads, report))
		rc = td_err_nomem(err);
	if (!rc && view->only_ratios)
		rc = put_ratios(r, report, err);
	else if (!rc && r->purpose != COLLECT)
		writer->out->events(writer, report);
	return rc;
}

static int put_rows(const struct rows *r, struct td_err *err)
{
	td_sink_measure(&r->view->sink);
	return r->view->source->tree ? put_tree(r, err) : put_events(r, err);
}

#define CLEAR_TERMINAL "\033[H\033[2J"

static void clear_terminal(struct td_view *view)
{
	if (!view->sink.frame.clear || !view->sink.frame.interval)
		return;
	fputs(CLEAR_TERMINAL, view->sink.writer.fp);
	view->sink.writer.header_done = false;
}

static int add_part(struct td_view *view, const struct td_readings *part,
		    uint64_t time_ns)
{
	if (td_readings_merge(&view->whole, &view->whole_index, part))
		return -ENOMEM;
	return td_course_add(&view->whole_course, &view->whole, time_ns);
}

/* The batches of a long interval are batches of the sum, too. */
int td_view_add_to_whole(struct td_view *view, const struct td_counted *counted)
{
	const struct td_course *course = counted->course;
	struct td_readings part = { 0 };
	int rc = 0;

	td_times_add(&view->whole_times, counted->times, !view->whole.nr);
	if (course->nr < 2)
		return add_part(view, counted->readings, counted->time_ns);
	for (size_t i = 0; !rc && i < course->nr; i++) {
		rc = td_course_cut_out(course, i, counted->readings, &part);
		if (!rc)
			rc = add_part(view, &part, course->points[i].time_ns);
	}
	free(part.v);
	return rc;
}

int td_view_put(struct td_view *view, const struct td_counted *counted,
		struct td_err *err)
{
	const struct td_times *times = counted->times;
	struct td_totals *totals = &view->totals;
	const struct rows rows = {
		view,  counted, counted->time_ns,
		times, totals,  view->mean ? COLLECT : SHOW
	};
	int rc = view_put_whole(view, counted, err);

	if (!rc)
		rc = td_view_follow(view, err);
	if (!rc)
		rc = td_aggregate(&view->aggregator, counted->readings,
				  view->source->plan, totals, err);
	if (!rc && view->nr_joined)
		return td_view_add_joined(view, totals, counted, err);
	if (!rc && view->mean &&
	    td_totals_sum_add(&view->sum, view->source->plan, totals, times))
		rc = td_err_nomem(err);
	if (!rc && view->summary && td_view_add_to_whole(view, counted))
		rc = td_err_nomem(err);
	/* per thread, there may be no rows, which only a viewer shows */
	if (!rc &&
	    (view->viewer || !td_aggregation_by_task(view->sink.frame.how) ||
	     totals->nr_ids)) {
		clear_terminal(view);
		rc = put_rows(&rows, err);
	}
	return rc ? rc : td_sink_check(&view->sink, err);
}

static void put_end(struct td_view *view, const struct td_usage *usage)
{
	if (view->sink.writer.out->end)
		view->sink.writer.out->end(&view->sink.writer, usage);
}

/* As in perf stat: the table of a run without intervals. */
static int put_summary(struct td_view *view, const struct td_usage *usage,
		       struct td_err *err)
{
	const struct td_counted counted = { usage->elapsed_ns,
					    &view->whole_times, &view->whole,
					    &view->whole_course };
	struct td_totals totals = { 0 };
	const struct rows rows = {
		view,    &counted, usage->elapsed_ns, &view->whole_times,
		&totals, SHOW
	};
	int rc = td_aggregate(&view->aggregator, &view->whole,
			      view->source->plan, &totals, err);

	if (td_course_end(&view->whole_course, &view->whole, usage->elapsed_ns))
		rc = td_err_nomem(err);
	view->sink.frame.interval = false;
	view->sink.writer.summary = true;
	view->sink.writer.header_done = view->sink.writer.out->one_header;
	if (!rc)
		rc = put_rows(&rows, err);
	put_end(view, usage);
	view->sink.frame.interval = true;
	view->sink.writer.summary = false;
	view->whole.nr = 0;
	td_index_clear(&view->whole_index);
	td_course_clear(&view->whole_course);
	view->whole_times = (struct td_times){ 0 };
	td_totals_free(&totals);
	return rc;
}

static int keep_time(struct td_view *view, const struct td_usage *usage,
		     struct td_err *err)
{
	uint64_t *slot =
		td_array_add(&view->runs_ns, view->nr_runs, sizeof(*slot));

	if (!slot)
		return td_err_nomem(err);
	*slot = usage->elapsed_ns;
	td_times_add(&view->runs_times,
		     &(struct td_times){ usage->elapsed_ns, usage->has_times,
					 usage->user_ns, usage->sys_ns },
		     !view->nr_runs);
	view->nr_runs++;
	return 0;
}

int td_view_end_run(struct td_view *view, const struct td_usage *usage,
		    struct td_err *err)
{
	int rc = 0;

	view->nr_intervals = 0;
	if (view->mean || view->nr_joined)
		return keep_time(view, usage, err);
	if (view->summary)
		rc = put_summary(view, usage, err);
	else
		put_end(view, usage);
	/* each run has its own title */
	if (view->sink.writer.out->for_people)
		view->sink.writer.header_done = false;
	return rc ? rc : td_sink_check(&view->sink, err);
}

static struct td_usage mean_usage(const struct td_view *view)
{
	struct td_spread spread = { 0 };
	struct td_usage usage = {
		.runs_ns = view->runs_ns,
		.nr_runs = view->nr_runs,
		.table = view->table,
	};

	for (size_t i = 0; i < view->nr_runs; i++)
		td_spread_add(&spread, (double)view->runs_ns[i]);
	usage.elapsed_ns = (uint64_t)llround(spread.mean);
	usage.error_ns = td_spread_error(&spread);
	/* perf stat -r does not show these; here the runs stand for one */
	if (!view->mean && view->nr_runs && view->runs_times.has_cpu_times) {
		usage.has_times = true;
		usage.user_ns = view->runs_times.user_ns / view->nr_runs;
		usage.sys_ns = view->runs_times.system_ns / view->nr_runs;
	}
	return usage;
}

int td_view_join(struct td_view *view, struct td_err *err)
{
	struct td_usage usage = mean_usage(view);
	struct td_totals_sum *joined = &view->joined;
	const struct rows rows = { view,
				   NULL,
				   usage.elapsed_ns,
				   &joined->times,
				   &joined->totals,
				   view->mean ? COLLECT : SHOW };
	int rc = 0;

	if (!joined->rounds)
		return 0;
	if (view->sink.writer.out->for_people)
		view->sink.frame.runs = (int)joined->rounds;
	td_totals_sum_divide(joined);
	if (view->mean && td_totals_sum_add(&view->sum, view->source->plan,
					    &joined->totals, &joined->times))
		rc = td_err_nomem(err);
	if (!rc)
		rc = put_rows(&rows, err);
	if (!rc && !view->mean) {
		put_end(view, &usage);
		view->nr_runs = 0;
		view->runs_times = (struct td_times){ 0 };
		view->sink.writer.header_done =
			view->sink.writer.header_done &&
			!view->sink.writer.out->for_people;
	}
	td_totals_sum_free(joined);
	td_view_drop_kept(view);
	return rc ? rc : td_sink_check(&view->sink, err);
}

int td_view_end(struct td_view *view, struct td_err *err)
{
	struct td_usage usage = mean_usage(view);
	const struct rows rows = { view,
				   NULL,
				   usage.elapsed_ns,
				   &view->sum.times,
				   &view->sum.totals,
				   SHOW_MEAN };
	int rc;

	if (!view->mean || !view->nr_runs)
		return 0;
	view->sink.frame.runs = (int)view->nr_runs;
	td_totals_sum_divide(&view->sum);
	rc = put_rows(&rows, err);
	if (!rc)
		put_end(view, &usage);
	return rc ? rc : td_sink_check(&view->sink, err);
}
