// SPDX-License-Identifier: GPL-2.0-only
/* Turns counts into rows: of an interval, of all intervals, of all runs. */
#include <math.h>

#include "cmd/view/errors.h"
#include "cmd/view/next.h"
#include "cmd/view/view.h"
#include "metrics/eval/finished.h"
#include "metrics/slow/slow.h"
#include "metrics/table/table.h"

/* --- regions ----------------------------------------------------------- */

#define PERCENT 100

/* Exclusive slots of regions: without those of the regions inside them, so that they add up. */
struct own {
	struct td_round round;
	struct td_index by_row; /* rows of round: td_report_index() */
	double all;             /* slots of all rows */
	bool sampled;           /* slots include those of skipped calls */
};

static void make_own(struct td_view *view, const struct td_counted *counted, struct own *own)
{
	struct td_aggregator agg = view->aggregator;
	const struct td_regions *regions = view->source->regions;
	struct td_report *report = &own->round.report;

	*own = (struct own){ 0 };
	agg.own = true;
	td_round_eval(&own->round, view, &agg, counted->readings, counted->times);
	for (size_t i = 0; i < report->nr_rows; i++)
		own->all += isnan(report->rows[i].slots) ? 0 : report->rows[i].slots;
	td_report_index(report, &own->by_row);
	if (!regions->functions)
		td_report_find_lost(report, false);
	for (size_t i = 0; i < regions->nr; i++)
		own->sampled |= regions->v[i].calls.skipped > 0;
}

/*
 * Find the exclusive slots of a row.  Returns NULL if there are none, or if they are
 * unknown: slots of skipped calls are included in those of the enclosing region.
 */
static const struct td_row *find_own(const struct own *own, const struct td_row *row)
{
	return own->sampled ? NULL : td_report_find(&own->round.report, &own->by_row, row);
}

/*
 * Set the loss of a row to the loss in its exclusive slots, which add up, in % of the program's
 * slots.  The relative error is that of the inclusive slots.
 */
static void set_lost(const struct td_row *own, struct td_row *row)
{
	double lost_pct = own ? own->lost_pct : NAN;

	row->lost_error *= lost_pct / row->lost_pct;
	row->lost_pct = lost_pct;
}

/* Return the region of a row.  If it has none, return a region with unknown calls. */
static const struct td_region *find(const struct td_regions *regions, const char *id)
{
	static const struct td_region unknown = { 0 };
	const struct td_region *region = td_regions_find(regions, id, false);

	if (!region)
		region = td_regions_find(regions, id, true);
	return region ? region : &unknown;
}

/* Return the number of calls on the row's PMU, or on all PMUs for a merged row. */
static uint64_t calls_on(const struct td_source *source, const struct td_region *region,
			 const char *name)
{
	int pmu = td_machine_find_pmu(source->machine, name);

	if (pmu < 0)
		return region->calls.counted;
	return pmu < TD_REGION_PMUS ? region->on[pmu] : 0;
}

static double whole_pct(const struct td_source *source, const struct td_region *region,
			const char *name)
{
	int pmu = td_machine_find_pmu(source->machine, name);
	uint64_t whole = 0, on = calls_on(source, region, name);

	for (int i = 0; i < TD_REGION_PMUS; i++)
		whole += pmu < 0 || pmu == i ? region->whole[i] : 0;
	return whole && on ? PERCENT * (double)whole / (double)on : NAN;
}

/* Return the number of calls that each counted call represents. */
static double sampling(const struct td_calls *calls)
{
	return calls->counted ? (double)(calls->counted + calls->skipped) / (double)calls->counted
			      : NAN;
}

/* Return the time on the row's PMU, or on all PMUs for a merged row. */
static double ns_on(const struct td_source *source, const uint64_t ns[TD_REGION_PMUS],
		    const char *name)
{
	int pmu = td_machine_find_pmu(source->machine, name);
	double sum = 0;

	for (int i = 0; i < TD_REGION_PMUS; i++)
		sum += pmu < 0 || pmu == i ? (double)ns[i] : 0;
	return sum;
}

/* Sum the time of all calls of a timed function, over its buckets. */
static double time_of(const struct td_regions *regions, int timed)
{
	double sum = 0;

	td_for_each(const struct td_region, region, regions->v, regions->nr) {
		if (region->timed == timed && !region->slow && !region->own)
			sum += (double)region->calls.time_ns;
	}
	return sum;
}

static void add_timed(const struct td_source *source, const struct td_row *row,
		      struct td_region_facts *facts)
{
	const struct td_region *region = find(source->regions, row->id);
	const struct td_call_facts *of = &region->facts;
	double calls = of->known ? (double)region->calls.counted : NAN;
	double reasons = of->waiting_only ? NAN : calls;

	facts->timed = region->timed;
	if (!region->timed)
		return;
	facts->of = source->regions->timed[region->timed - 1].name;
	facts->bucket = region->bucket;
	facts->slow = region->slow;
	facts->took_ns = ns_on(source, region->took_ns, row->pmu);
	facts->on_ns = ns_on(source, region->on_ns, row->pmu);
	facts->time_pct = PERCENT * facts->took_ns / time_of(source->regions, region->timed);
	facts->on_cpu_pct = of->known ? PERCENT * facts->on_ns / facts->took_ns : NAN;
	facts->interrupted_ns = of->interrupts ? ns_on(source, region->interrupted_ns, row->pmu) /
							 (double)facts->calls
					       : NAN;
	facts->waited_ns = (double)of->waited_ns / calls;
	facts->preempted_ns = (double)of->preempted_ns / reasons;
	facts->faults = (double)of->faults / reasons;
	facts->switches = (double)of->switches / reasons;
	facts->migrations = (double)of->migrations / reasons;
}

static struct td_region_facts make_facts(const struct td_source *source, const struct td_row *row,
					 const struct own *own, const struct td_row *own_row)
{
	const struct td_region *region = find(source->regions, row->id);
	const struct td_calls *calls = &region->calls;
	uint64_t on = calls_on(source, region, row->pmu);
	double per_call = on ? row->slots / (double)on : NAN;
	double least = source->regions->least_slots;
	/* inclusive slots do not add up */
	double percent = own->all > 0 ? PERCENT / own->all : NAN;

	return (struct td_region_facts){
		.outside = region->outside,
		.function = source->regions->functions,
		.calls = on,
		.lost = calls->lost,
		.skipped = calls->skipped,
		.moved = calls->moved,
		.migrated = calls->migrated,
		.switched = calls->switched,
		.time_ns = calls->time_ns,
		.whole_pct = whole_pct(source, region, row->pmu),
		.slots_per_call = region->outside ? NAN : per_call,
		.inclusive_pct = own->sampled && region->outside
					 ? NAN
					 : percent * row->slots * sampling(calls),
		.exclusive_pct = own_row ? percent * own_row->slots : NAN,
		.cost_pct = PERCENT * (double)calls->cost_ns /
			    (double)(calls->cost_ns + calls->time_ns),
		.least_slots = (region->outside ? row->slots : per_call) < least ? least : NAN,
	};
}

/*
 * Return the sort key of the rows of an id, and set *end to the row after them.  Rows of an id are
 * contiguous: see by_region() in lib/count.
 */
static double order_of(const struct td_report *report, size_t first, size_t *end)
{
	const struct td_region_facts *facts = &report->regions[first];
	const char *id = report->rows[first].id;
	double sum = 0;

	for (*end = first; *end < report->nr_rows && strcmp(report->rows[*end].id, id) == 0;
	     ++*end) {
		double share = report->regions[*end].inclusive_pct;

		sum += isnan(share) ? 0 : share;
	}
	/* rows of a function follow each other: the shortest calls first, the slow ones last */
	if (facts->timed)
		return -(double)(facts->timed * 2 * TD_REGION_BUCKETS +
				 facts->slow * TD_REGION_BUCKETS + (int)facts->bucket);
	return facts->outside ? -1 : sum;
}

static int by_order(const void *a, const void *b)
{
	const struct td_row *x = a, *y = b;
	int rc = strcmp(x->id, y->id);

	if (x->region->order > y->region->order)
		return -1;
	if (x->region->order < y->region->order)
		return 1;
	return rc ?: -strcmp(x->pmu, y->pmu);
}

/* Return why the row's metrics would only be noise; NULL: they are not. */
static const char *why_not(const struct td_row *row, uint64_t period)
{
	const struct td_region_facts *facts = row->region;

	if (facts->timed)
		return td_slow_why_not(row, period);
	return facts->outside || facts->calls >= TD_MIN_WINDOWS ? NULL : "fewer than 30 windows";
}

static void forget_few(struct td_row *row, struct td_region_facts *facts, size_t nr_columns,
		       uint64_t period)
{
	const char *sampled = td_slow_why_not_sampled(row, period);
	const char *why = why_not(row, period);

	/* otherwise the row might be reported as the biggest loss */
	if (why && facts->function)
		row->lost_pct = row->lost_error = NAN;
	/* without samples, the slots would be 0 */
	if (sampled)
		row->slots = facts->slots_per_call = NAN;
	for (size_t i = 0; why && i < nr_columns; i++) {
		struct td_cell *cell = &row->cells[i];

		/* without samples, a share is not a number anyway */
		if (cell->status != TD_STATUS_OK &&
		    !(sampled && cell->status == TD_STATUS_NOT_COUNTED))
			continue;
		cell->status = TD_STATUS_NOT_COUNTED;
		cell->why = why;
	}
}

static void add_facts(const struct td_source *source, const struct own *own,
		      struct td_report *report)
{
	const struct td_regions *regions = source->regions;

	report->regions = td_calloc(report->nr_rows + 1, sizeof(*report->regions));
	for (size_t i = 0; i < report->nr_rows; i++) {
		struct td_row *row = &report->rows[i];
		const struct td_row *own_row = find_own(own, row);

		report->regions[i] = make_facts(source, row, own, own_row);
		if (!regions->functions && own->all > 0)
			set_lost(own_row, row);
		add_timed(source, row, &report->regions[i]);
		row->region = &report->regions[i];
	}
	if (regions->nr_timed) {
		report->timed = regions->timed;
		report->nr_timed = regions->nr_timed;
		report->slow = td_calloc(regions->nr_timed + 1, sizeof(*report->slow));
		for (size_t i = 0; i < regions->nr_timed; i++)
			td_slow_find(report, &regions->timed[i], i, &report->slow[i]);
	}
	for (size_t i = 0; i < report->nr_rows; i++) {
		int timed = report->regions[i].timed;

		if (regions->functions || timed)
			forget_few(&report->rows[i], &report->regions[i], report->nr_columns,
				   timed ? regions->timed[timed - 1].period : 0);
	}
	report->functions = regions->functions;
}

/* Find clear values for each id.  Call it before the rows are sorted: they are ordered by id. */
static void find_clear(struct td_view *view, const struct td_totals *totals,
		       const struct td_times *times, struct td_report *report)
{
	size_t first = 0;

	for (size_t i = 0; i < totals->nr_ids; i++) {
		struct td_totals of_id = *totals;
		struct td_report rows = *report;

		of_id.ids += i;
		of_id.nr_ids = 1;
		of_id.v += i * totals->nr_events;
		rows.rows += first;
		rows.nr_rows = 0;
		while (first < report->nr_rows &&
		       strcmp(report->rows[first].id, of_id.ids->label) == 0) {
			rows.nr_rows++;
			first++;
		}
		td_view_find_clear(view, &of_id, times, &rows);
	}
}

/*
 * Add the facts of regions to the rows of a report, and sort them by slots.  The report was
 * computed from counted and totals.
 */
static void view_fill_regions(struct td_view *view, const struct td_counted *counted,
			      const struct td_totals *totals, struct td_report *report)
{
	struct own own;
	size_t end;

	find_clear(view, totals, counted->times, report);
	make_own(view, counted, &own);
	add_facts(view->source, &own, report);
	for (size_t i = 0; i < report->nr_rows; i = end) {
		double order = order_of(report, i, &end);

		for (size_t j = i; j < end; j++)
			report->regions[j].order = order;
	}
	/* without rows there is no array */
	if (report->nr_rows)
		qsort(report->rows, report->nr_rows, sizeof(*report->rows), by_order);
	/* this is known here, because timed calls precede the counts in a recording */
	view->sink.frame.timed = report->nr_timed > 0;
	td_index_free(&own.by_row);
	td_round_free(&own.round);
}

/* Remove CPU times from rows of regions: only their duration is known, not their time on a CPU. */
static void view_forget_busy(struct td_report *report)
{
	report->mostly_waited = false;
	report->tasks_pct = NAN;
	td_for_each(struct td_row, row, report->rows, report->nr_rows) {
		row->busy_pct = row->ghz = row->ipc = NAN;
		row->activity.cycles = row->activity.instructions = NAN;
		row->idle &= row->share_pct < TD_FEW_SLOTS_PCT;
	}
}

/* --- the sum of all rows, for a viewer --------------------------------------- */

static int give(struct td_view *view, const struct td_aggregator *agg,
		const struct td_counted *counted, const struct td_totals *totals,
		struct td_err *err)
{
	const struct td_viewer *viewer = view->viewer;
	const struct td_times *times = counted->times;
	struct td_verdict verdict;
	struct td_report report = { 0 };
	int rc;

	td_eval(&view->evaluation, totals, times, view->merge, &report);
	report.time_ns = counted->time_ns;
	td_view_fill_errors(view, agg, counted, totals, &report);
	td_report_find_misfits(&report);
	if (totals->tasks)
		td_report_drop_absent(&report);
	td_view_find_verdict(view, totals, times, &report, &verdict);
	rc = viewer->whole(viewer->ctx, &report, &verdict, err);
	td_report_free(&report);
	return rc;
}

/* Give the viewer all rows of an interval as one. */
static int view_put_total(struct td_view *view, const struct td_counted *counted,
			  struct td_err *err)
{
	/* counts are scaled up if the rows are, too */
	const struct td_aggregator all = { .raw = view->aggregator.raw,
					   .skip_idle = view->aggregator.skip_idle };
	struct td_totals totals = { 0 };
	int rc;

	if (!view->viewer || !view->viewer->whole || !view->source->tree ||
	    view->source->nr_cgroups)
		return 0;
	td_aggregate(&all, counted->readings, view->source->plan, &totals);
	rc = give(view, &all, counted, &totals, err);
	td_totals_free(&totals);
	return rc;
}

/* --- from counts to rows ---------------------------------------------------- */

struct rows {
	struct td_view *view;
	/* NULL: several runs, each with its own timeline */
	const struct td_counted *counted;
	uint64_t time_ns;
	const struct td_times *times;
	const struct td_totals *totals;
	/* show the counts, collect them for the mean of runs, or show the mean */
	enum {
		SHOW,
		COLLECT,
		SHOW_MEAN
	} purpose;
};

/* Set the means over runs.  The value of a node that was idle is the mean of its values. */
static void fill_means(const struct rows *r, struct td_report *report)
{
	struct td_spreads *spreads = &r->view->spreads;
	td_autofree double *values =
		td_calloc(report->nr_rows * report->nr_columns + 1, sizeof(*values));
	struct td_paused paused = { .report = report, .values = values };

	td_spreads_fill_report(spreads, report);
	td_report_index(report, &paused.index);
	if (td_spreads_find_paused(spreads, report, values))
		td_view_set_paused(r->view, &paused, r->totals, r->times, report);
	td_index_free(&paused.index);
}

/* Describe the rows for programs: kind of row, host, number and length of the interval. */
static void describe(const struct rows *r, struct td_report *report)
{
	struct td_view *view = r->view;
	bool interval = view->sink.frame.interval;
	double seconds =
		r->times && r->times->elapsed_ns ? (double)r->times->elapsed_ns / 1e9 : NAN;

	td_report_set_context(report, view->sink.frame.how, view->sink.frame.host,
			      r->purpose == SHOW_MEAN ? TD_ROW_MEAN
			      : interval              ? TD_ROW_INTERVAL
						      : TD_ROW_SUMMARY,
			      interval ? (double)++view->nr_intervals : NAN, seconds);
}

/* Mark a thread that hardly ran, and CPUs that had nothing to do, which lose nothing. */
static void mark_idle_task(struct td_row *row)
{
	row->idle |= row->busy_pct < TD_IDLE_PCT;
	if (!td_row_is_idle_task(row))
		return;
	row->idle = true;
	row->lost_pct = row->lost_error = NAN;
}

/* Find impossible values, idle rows and the biggest loss. */
static void judge_rows(const struct td_view *view, struct td_report *report)
{
	enum td_aggregation how = view->sink.frame.how;

	td_report_find_misfits(report);
	if (td_aggregation_by_task(how))
		td_report_drop_absent(report);
	td_report_find_lost(report, view->source->nr_cgroups);
	for (size_t i = 0; td_aggregation_names_tasks(how) && i < report->nr_rows; i++)
		mark_idle_task(&report->rows[i]);
}

/* Return true for the final result on a page.  Its intervals are not sorted by size. */
static bool is_page(const struct td_view *view)
{
	return view->sink.writer.out->whole && !view->sink.frame.interval;
}

/* Drop the rows after those of the first ids.  0: keep all. */
static void keep_first(struct td_report *report, int ids)
{
	size_t nr = 0;

	if (!ids || !report->nr_rows)
		return;
	for (; nr < report->nr_rows; nr++) {
		if (nr && strcmp(report->rows[nr].id, report->rows[nr - 1].id) != 0 && !--ids)
			break;
	}
	report->nr_rows = nr;
}

/* Show the verdict on a finished report of these totals, if it is wanted and worth showing. */
static void put_verdict(struct td_view *view, const struct td_totals *totals,
			const struct td_times *times, struct td_report *report)
{
	const struct td_out *out = view->sink.writer.out;
	struct td_verdict verdict, others[TD_VERDICT_OTHERS];
	struct td_advice advice = { .verdict = &verdict, .others = others };

	if (!view->verdict || !out->verdict || report->nr_timed)
		return;
	td_view_find_verdict(view, totals, times, report, &verdict);
	if (view->focus)
		td_focus_copy(view->focus, &verdict);
	if (verdict.situation == TD_SITUATION_NONE && !verdict.losers[0].id &&
	    !(verdict.between_pct > 0))
		return;
	/* the verdict on one function or region is its tree, which -v shows */
	if (report->regions && verdict.row)
		return;
	advice.nr_others = td_verdict_find_others(others, &verdict, report);
	td_next_make(&advice, view->source, view->verdict);
	out->verdict(&view->sink.writer, report, &advice);
	td_next_free(&advice);
}

/* Show a report after judge_rows(), sorted for its readers. */
static int show(const struct rows *r, struct td_report *report, struct td_err *err)
{
	struct td_view *view = r->view;
	const struct td_viewer *viewer = view->viewer;
	const struct td_frame *frame = &view->sink.frame;
	size_t nr = report->nr_rows;

	/* regions are sorted already */
	if ((view->by_lost && report->has_lost) ||
	    (is_page(view) && frame->how != TD_AGGREGATE_REGION))
		td_report_sort_by_size(report);
	if (report->has_lost)
		keep_first(report, view->top);
	describe(r, report);
	if (!viewer)
		view->sink.writer.out->report(&view->sink.writer, report);
	else if (viewer->report(viewer->ctx, report, err))
		return err->code;
	/* the verdict is of all */
	report->nr_rows = nr;
	if (!frame->interval)
		put_verdict(view, r->totals, r->times, report);
	return 0;
}

static int put_tree(const struct rows *r, struct td_err *err)
{
	struct td_view *view = r->view;
	struct td_report *report = &view->report;

	td_eval(&view->evaluation, r->totals, r->times, view->merge, report);
	report->time_ns = r->time_ns;
	report->elapsed_ns = r->times->elapsed_ns;
	if (view->source->regions && view->source->regions->nr)
		view_forget_busy(report);
	if (r->counted)
		td_view_fill_errors(r->view, &r->view->aggregator, r->counted, r->totals, report);
	else if (r->purpose == SHOW)
		td_view_fill_joined_errors(r->view, r->totals, r->times, report);
	else if (r->purpose == SHOW_MEAN)
		fill_means(r, report);
	judge_rows(view, report);
	if (view->sink.frame.how == TD_AGGREGATE_REGION && r->counted)
		view_fill_regions(view, r->counted, r->totals, report);
	if (r->purpose == COLLECT) {
		td_spreads_add_report(&view->spreads, report);
		return 0;
	}
	if (view->ranked && (view->sink.writer.out->for_people || is_page(view)))
		td_report_rank(report);
	return show(r, report, err);
}

/* --metric-only: show the ratios of events instead of their counts. */
static void put_ratios(const struct rows *r, const struct td_event_report *events)
{
	struct td_view *view = r->view;
	struct td_writer *writer = &view->sink.writer;
	struct td_report *report = &view->report;

	td_ratio_table_fill(&view->ratios, events, report);
	describe(r, report);
	writer->out->report(writer, report);
}

static void put_events(const struct rows *r)
{
	struct td_view *view = r->view;
	struct td_writer *writer = &view->sink.writer;
	struct td_event_report *report = &view->events.report;

	td_event_rows(&view->events, r->totals, r->times);
	report->time_ns = r->time_ns;
	report->elapsed_ns = r->times->elapsed_ns;
	if (view->source->latencies && view->source->latencies->nr)
		td_event_rows_set_latencies(report, view->source->plan, view->source->latencies);
	if (r->purpose == COLLECT)
		td_spreads_add_events(&view->spreads, report);
	if (r->purpose == SHOW_MEAN)
		td_spreads_fill_events(&view->spreads, report);
	if (view->only_ratios)
		put_ratios(r, report);
	else if (r->purpose != COLLECT)
		writer->out->events(writer, report);
}

static int put_rows(const struct rows *r, struct td_err *err)
{
	td_sink_measure(&r->view->sink);
	if (r->view->source->tree)
		return put_tree(r, err);
	put_events(r);
	return 0;
}

#define CLEAR_TERMINAL "\033[H\033[2J"

static void add_part(struct td_view *view, const struct td_readings *part, uint64_t time_ns)
{
	td_readings_merge(&view->whole, &view->whole_index, part);
	td_timeline_add(&view->whole_timeline, &view->whole, time_ns);
}

/*
 * Adds the batches of a long interval as batches of the sum, with the times of the intervals that
 * were added, because nothing was counted between files.
 */
void td_view_add_to_total(struct td_view *view, const struct td_counted *counted)
{
	const struct td_timeline *timeline = counted->timeline;
	uint64_t begun_ns = view->whole_times.elapsed_ns;
	struct td_readings part = { 0 };

	td_times_add(&view->whole_times, counted->times, !view->whole.nr);
	if (timeline->nr < 2) {
		add_part(view, counted->readings, view->whole_times.elapsed_ns);
		return;
	}
	for (size_t i = 0; i < timeline->nr; i++) {
		td_timeline_cut_out(timeline, i, counted->readings, &part);
		add_part(view, &part,
			 begun_ns + td_since(timeline->points[i].time_ns,
					     counted->time_ns - counted->times->elapsed_ns));
	}
	free(part.v);
}

int td_view_put(struct td_view *view, const struct td_counted *counted, struct td_err *err)
{
	const struct td_times *times = counted->times;
	struct td_totals *totals = &view->totals;
	const struct rows rows = { view,  counted, counted->time_ns,
				   times, totals,  view->mean ? COLLECT : SHOW };
	struct td_sink *sink = &view->sink;

	if (view_put_total(view, counted, err) || td_view_follow(view, err))
		return err->code;
	td_aggregate(&view->aggregator, counted->readings, view->source->plan, totals);
	if (view->nr_joined) {
		td_view_add_joined(view, totals, counted);
		return 0;
	}
	if (view->mean)
		td_totals_sum_add(&view->sum, view->source->plan, totals, times);
	if (view->summary)
		td_view_add_to_total(view, counted);
	/* per thread, there may be no rows, which only a viewer shows */
	if (!view->viewer && td_aggregation_by_task(sink->frame.how) && !totals->nr_ids)
		return td_sink_check(sink, err);
	if (sink->frame.clear && sink->frame.interval) {
		fputs(CLEAR_TERMINAL, sink->writer.fp);
		sink->writer.header_done = false;
	}
	return put_rows(&rows, err) ? err->code : td_sink_check(sink, err);
}

static void put_end(struct td_view *view, const struct td_usage *usage)
{
	if (view->sink.writer.out->end)
		view->sink.writer.out->end(&view->sink.writer, usage);
}

/* Write the table of a run without intervals, as in perf stat. */
static int put_summary(struct td_view *view, const struct td_usage *usage, struct td_err *err)
{
	const struct td_counted counted = { view->whole_times.elapsed_ns, &view->whole_times,
					    &view->whole, &view->whole_timeline };
	struct td_totals totals = { 0 };
	const struct rows rows = {
		view,    &counted, usage->from_ns + usage->elapsed_ns, &view->whole_times,
		&totals, SHOW
	};
	int rc;

	td_aggregate(&view->aggregator, &view->whole, view->source->plan, &totals);
	td_timeline_end(&view->whole_timeline, &view->whole, view->whole_times.elapsed_ns);
	view->sink.frame.interval = false;
	view->sink.writer.summary = true;
	view->sink.writer.header_done = view->sink.writer.out->one_header;
	rc = put_rows(&rows, err);
	put_end(view, usage);
	view->sink.frame.interval = true;
	view->sink.writer.summary = false;
	view->whole.nr = 0;
	td_index_clear(&view->whole_index);
	td_timeline_clear(&view->whole_timeline);
	view->whole_times = (struct td_times){ 0 };
	td_totals_free(&totals);
	return rc;
}

int td_view_end_run(struct td_view *view, const struct td_usage *usage, struct td_err *err)
{
	int rc = 0;

	view->nr_intervals = 0;
	if (view->mean || view->nr_joined) {
		td_times_add(&view->runs_times,
			     &(struct td_times){ usage->elapsed_ns, usage->has_times,
						 usage->user_ns, usage->sys_ns },
			     !view->nr_runs);
		td_array_push(&view->runs_ns, &view->nr_runs, &usage->elapsed_ns,
			      sizeof(usage->elapsed_ns));
		return 0;
	}
	if (view->summary)
		rc = put_summary(view, usage, err);
	else
		put_end(view, usage);
	/* each run has its own title */
	if (view->sink.writer.out->for_people)
		view->sink.writer.header_done = false;
	return rc ?: td_sink_check(&view->sink, err);
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
	/* perf stat -r does not show CPU times; joined runs represent one run */
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
	struct td_writer *writer = &view->sink.writer;
	int rc;

	if (!joined->rounds)
		return 0;
	if (writer->out->for_people)
		view->sink.frame.runs = (int)joined->rounds;
	td_totals_sum_divide(joined);
	if (view->mean)
		td_totals_sum_add(&view->sum, view->source->plan, &joined->totals, &joined->times);
	rc = put_rows(&rows, err);
	if (!rc && !view->mean) {
		put_end(view, &usage);
		view->nr_runs = 0;
		view->runs_times = (struct td_times){ 0 };
		writer->header_done = writer->header_done && !writer->out->for_people;
	}
	td_totals_sum_free(joined);
	td_view_drop_kept(view);
	return rc ?: td_sink_check(&view->sink, err);
}

int td_view_end(struct td_view *view, struct td_err *err)
{
	struct td_usage usage = mean_usage(view);
	const struct rows rows = {
		view, NULL, usage.elapsed_ns, &view->sum.times, &view->sum.totals, SHOW_MEAN
	};
	int rc;

	if (!view->mean || !view->nr_runs)
		return 0;
	view->sink.frame.runs = (int)view->nr_runs;
	td_totals_sum_divide(&view->sum);
	rc = put_rows(&rows, err);
	if (!rc)
		put_end(view, &usage);
	return rc ?: td_sink_check(&view->sink, err);
}
