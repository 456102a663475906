// SPDX-License-Identifier: GPL-2.0-only
/*
 * Errors of values, and their changes over time.
 *
 * Runs of --no-multiplex: each batch of each run is left out in turn, and all runs are joined
 * again.  Events of one run may be divided by events of another, so a missing batch must not look
 * like fewer events of its run.  Therefore, the other runs are scaled down to the same work.  The
 * scale comes from the instructions of each core type, which every run counts.
 */
#include <math.h>

#include "cmd/view/errors.h"
#include "lib/plan/fit.h"
#include "metrics/eval/finished.h"

/* --- further evaluations of the same counts ------------------------------- */

void td_round_eval(struct td_round *round, struct td_view *view, const struct td_aggregator *agg,
		   const struct td_readings *readings, const struct td_times *times)
{
	*round = (struct td_round){ 0 };
	td_aggregate(agg, readings, view->source->plan, &round->totals);
	td_eval(&view->evaluation, &round->totals, times, view->merge, &round->report);
}

void td_round_free(struct td_round *round)
{
	td_report_free(&round->report);
	td_totals_free(&round->totals);
}

/* Return the times without a batch; CPU times are reduced by the same share. */
static struct td_times times_without(const struct td_counted *counted, size_t batch)
{
	struct td_times times = *counted->times;
	uint64_t all = times.elapsed_ns;
	uint64_t out = td_timeline_batch_ns(counted->timeline, batch, counted->time_ns - all);

	return !all || out > all ? times : td_times_part(&times, (double)(all - out) / (double)all);
}

/* Add the report without each batch of the timeline.  events: as in td_timeline_leave_out(). */
static void view_leave_out(struct td_view *view, const struct td_aggregator *agg,
			   const struct td_counted *counted, const bool *events,
			   struct td_errors *errors)
{
	struct td_readings rest = { 0 };

	for (size_t i = 0; i < counted->timeline->nr; i++) {
		struct td_times times = events ? *counted->times : times_without(counted, i);
		struct td_round round;

		td_timeline_leave_out(counted->timeline, i, events, counted->readings, &rest);
		td_round_eval(&round, view, agg, &rest, &times);
		td_errors_add(errors, errors->report, &round.report);
		td_round_free(&round);
	}
	free(rest.v);
}

/* Add how each step of PERF_METRICS would change the report. */
static void add_steps(struct td_view *view, const struct td_totals *totals,
		      const struct td_times *times, struct td_errors *errors)
{
	const struct td_plan *plan = view->source->plan;
	struct td_evaluation *evaluation = &view->evaluation;

	for (size_t i = 0; i < plan->events.nr; i++) {
		struct td_report larger = { 0 };

		if (!td_evaluation_has_step(evaluation, (int)i))
			continue;
		evaluation->stepped = 1 + (int)i;
		td_eval(evaluation, totals, times, view->merge, &larger);
		td_errors_add_step(errors, &larger);
		td_report_free(&larger);
	}
	evaluation->stepped = 0;
}

/* --- errors of values that are counted in time ----------------------------- */

/* Evaluate each batch by itself, after joining batches, because a few are enough here. */
static void add_batches(struct td_view *view, const struct td_aggregator *agg,
			const struct td_counted *counted, struct td_ranges *ranges)
{
	uint64_t all = counted->times->elapsed_ns;
	struct td_readings batch = { 0 };
	struct td_timeline few;

	td_timeline_join(&few, counted->timeline);
	for (size_t i = 0; i < few.nr; i++) {
		uint64_t ns = td_timeline_batch_ns(&few, i, counted->time_ns - all);
		struct td_times times =
			td_times_part(counted->times, all ? (double)ns / (double)all : 0);
		struct td_round round;

		td_timeline_cut_out(&few, i, counted->readings, &batch);
		td_round_eval(&round, view, agg, &batch, &times);
		td_ranges_add(ranges, &round.report, ns);
		td_round_free(&round);
	}
	free(batch.v);
}

static bool is_multiplexed(const struct td_metric *metric, const bool *multiplexed)
{
	for (size_t i = 0; i < metric->events.nr; i++) {
		if (multiplexed[metric->events.v[i]])
			return true;
	}
	return false;
}

/* Mark the cells with an event that was multiplexed.  A row of all PMUs has the events of all. */
static void mark_multiplexed(const struct td_source *source, const bool *multiplexed,
			     struct td_errors *errors)
{
	const struct td_report *report = errors->report;

	td_for_each(const struct td_metric, metric, source->tree->metrics,
		    source->tree->nr_metrics) {
		const char *pmu = source->machine->pmus[metric->pmu].name;

		if (metric->column < 0 || !is_multiplexed(metric, multiplexed))
			continue;
		for (size_t r = 0; r < report->nr_rows; r++) {
			const char *of = report->rows[r].pmu;

			if (!strcmp(of, pmu) || !strcmp(of, "all"))
				errors->v[r * report->nr_columns + (size_t)metric->column].turns =
					true;
		}
	}
}

/*
 * Return true if the row gets errors.  A row of an interval gets them if it was read often, or with
 * --error.  Otherwise, its error would only be that of a step, which needs another evaluation for
 * each field of PERF_METRICS.  Nodes that may have been idle between two reads need errors for
 * their values.
 */
static bool wants_errors(const struct td_view *view, const struct td_counted *counted)
{
	bool may_rest = view->source->tree->nr_families > 0;

	return counted->timeline->nr >= TD_MIN_BATCHES || (may_rest && counted->timeline->nr > 1) ||
	       !view->sink.frame.interval || view->sink.frame.errors;
}

static void add_all(struct td_view *view, const struct td_aggregator *agg,
		    const struct td_counted *counted, const struct td_totals *totals,
		    struct td_ranges *ranges, struct td_errors *errors)
{
	td_autofree bool *multiplexed = td_calloc(totals->nr_events + 1, sizeof(*multiplexed));
	bool any = false;

	add_batches(view, agg, counted, ranges);
	td_eval_find_turns(view->source->plan, totals, multiplexed);
	mark_multiplexed(view->source, multiplexed, errors);
	for (size_t i = 0; i < totals->nr_events; i++)
		any |= multiplexed[i];
	/* a value at its bound would have an error of 0 */
	view->evaluation.unbounded = true;
	if (any && counted->timeline->nr >= TD_MIN_BATCHES)
		view_leave_out(view, agg, counted, multiplexed, errors);
	view->evaluation.unbounded = false;
	add_steps(view, totals, counted->times, errors);
}

/* Sets the values in report.  again is a copy of the report, whose thresholds use these values. */
static void set_paused_errors(const struct td_paused *paused, struct td_report *report,
			      const struct td_report *again)
{
	struct td_index index;

	td_report_index(again, &index);
	for (size_t r = 0; r < report->nr_rows; r++) {
		const struct td_row *row = &report->rows[r];
		const struct td_row *other = td_report_find(again, &index, row);

		for (size_t c = 0; other && c < report->nr_columns; c++) {
			struct td_cell *cell = &row->cells[c];
			double value = paused->values[r * report->nr_columns + c];

			cell->over_threshold = other->cells[c].over_threshold;
			cell->over_unknown = other->cells[c].over_unknown;
			cell->matters = other->cells[c].matters;
			if (isnan(value))
				continue;
			cell->value = value;
			cell->paused = true;
		}
	}
	td_index_free(&index);
}

void td_view_set_paused(struct td_view *view, const struct td_paused *paused,
			const struct td_totals *totals, const struct td_times *times,
			struct td_report *report)
{
	struct td_evaluation *e = &view->evaluation;
	struct td_report again = { 0 };

	e->paused = paused;
	td_eval(e, totals, times, view->merge, &again);
	e->paused = NULL;
	set_paused_errors(paused, report, &again);
	td_report_free(&again);
}

/* Remove or widen the errors that are too small because groups are in step with the program. */
static void check_steps(struct td_view *view, const struct td_counted *counted,
			const struct td_errors *errors)
{
	const struct td_source *source = view->source;

	for (int pmu = 0; pmu < (int)source->tree->nr_pmus; pmu++) {
		int instructions = view->evaluation.clocks[pmu][TD_CLOCK_INSTRUCTIONS];

		if (!td_timeline_in_step(counted->timeline, counted->readings, source->plan, pmu,
					 instructions))
			continue;
		td_errors_in_step(errors, source->machine->pmus[pmu].name);
		errors->report->in_step = view->in_step = true;
	}
}

static void fill_errors_in_time(struct td_view *view, const struct td_aggregator *agg,
				const struct td_counted *counted, const struct td_totals *totals,
				struct td_report *report)
{
	struct td_errors errors;
	struct td_ranges ranges;

	if (!wants_errors(view, counted)) {
		td_errors_none(report);
		return;
	}
	td_errors_begin(&errors, report);
	td_ranges_begin(&ranges, report);
	errors.ranges = &ranges;
	ranges.nr_reads = counted->timeline->nr_reads;
	add_all(view, agg, counted, totals, &ranges, &errors);
	td_ranges_end(&ranges);
	td_errors_end(&errors);
	check_steps(view, counted, &errors);
	td_report_widen_errors(report);
	if (view->source->tree->nr_families) {
		struct td_paused paused;

		if (td_paused_find(&paused, view->evaluation.tree, &ranges))
			td_view_set_paused(view, &paused, totals, counted->times, report);
		td_paused_free(&paused);
	}
	td_ranges_free(&ranges);
	td_errors_free(&errors);
}

/* --- the cost of counting --------------------------------------------------- */

/* Return the cost of probes in a reading, which was subtracted. */
static uint64_t cost_of(const struct td_source *source, const struct td_reading *reading)
{
	const struct td_regions *regions = source->regions;
	int pmu = source->plan->events.v[reading->event].pmu;
	const struct td_region *region;
	const struct td_timed *timed;

	if (!reading->region || pmu < 0 || pmu >= TD_REGION_PMUS)
		return 0;
	region = &regions->v[reading->region - 1];
	timed = region->timed ? &regions->timed[region->timed - 1] : NULL;
	return timed && (size_t)reading->event < timed->nr_cost
		       ? timed->cost[reading->event] * region->on[pmu]
		       : 0;
}

static void add_cost(struct td_view *view, const struct td_aggregator *agg,
		     const struct td_counted *counted, struct td_errors *errors)
{
	const struct td_readings *readings = counted->readings;
	td_autofree struct td_reading *with = td_calloc(readings->nr + 1, sizeof(*with));
	const struct td_readings all = { .v = with, .nr = readings->nr };
	struct td_round round;
	bool any = false;

	for (size_t i = 0; i < readings->nr; i++) {
		uint64_t cost = cost_of(view->source, &readings->v[i]);

		with[i] = readings->v[i];
		with[i].value += cost;
		any |= cost > 0;
	}
	if (!any)
		return;
	td_round_eval(&round, view, agg, &all, counted->times);
	td_errors_add_cost(errors, &round.report);
	td_round_free(&round);
}

/* --- errors of samples, or in time ---------------------------------------- */

void td_view_fill_errors(struct td_view *view, const struct td_aggregator *agg,
			 const struct td_counted *counted, const struct td_totals *totals,
			 struct td_report *report)
{
	if (counted->timeline->samples) {
		struct td_errors errors;

		td_errors_begin(&errors, report);
		if (counted->timeline->nr >= TD_MIN_BATCHES) {
			view_leave_out(view, agg, counted, NULL, &errors);
			if (view->source->regions)
				add_cost(view, agg, counted, &errors);
			add_steps(view, totals, counted->times, &errors);
		}
		td_errors_end_series(&errors, report);
		td_errors_end(&errors);
		td_errors_free(&errors);
	} else {
		fill_errors_in_time(view, agg, counted, totals, report);
	}
}

/* --- the runs, which count different groups, and their joined result ------- */

/*
 * Sum the instructions of all CPUs and tasks on a PMU, or on all with -1.  Returns NaN if
 * they were not counted.
 */
static double work_of(const struct td_plan *plan, const struct td_readings *readings, int pmu)
{
	double work = NAN;

	td_for_each(const struct td_reading, reading, readings->v, readings->nr) {
		const struct td_event *event = &plan->events.v[reading->event];

		if (!event->is_work || (pmu >= 0 && event->pmu != pmu))
			continue;
		work = (isnan(work) ? 0 : work) + (double)reading->value;
	}
	return work;
}

static void add_work(struct td_work *work, double value)
{
	if (isnan(value))
		return;
	work->min = work->nr ? fmin(work->min, value) : value;
	work->max = work->nr ? fmax(work->max, value) : value;
	work->sum += value;
	work->nr++;
}

double td_work_difference(const struct td_work *work)
{
	if (work->nr < 2 || work->sum <= 0)
		return 0;
	return (work->max - work->min) / (work->sum / work->nr);
}

bool td_view_keeps_runs(const struct td_view *view)
{
	return view->source->tree && !view->mean;
}

void td_view_add_joined(struct td_view *view, const struct td_totals *totals,
			const struct td_counted *counted)
{
	if (!view->joined.rounds)
		view->work = (struct td_work){ 0 };
	view->joined.joins = true;
	add_work(&view->work, work_of(view->source->plan, counted->readings, -1));
	if (td_view_keeps_runs(view)) {
		struct td_kept_run *run = td_array_add(&view->kept, view->nr_kept, sizeof(*run));
		struct td_timeline few;

		view->nr_kept++;
		td_timeline_join(&few, counted->timeline);
		*run = (struct td_kept_run){ .time_ns = counted->time_ns,
					     .times = *counted->times };
		td_readings_copy(&run->readings, counted->readings);
		td_timeline_copy(&run->timeline, &few);
	}
	td_totals_sum_add(&view->joined, view->source->plan, totals, counted->times);
}

/* --- errors of the joined result -------------------------------------------- */

struct joining {
	struct td_view *view;
	struct td_totals *runs; /* totals of each kept run */
	struct td_errors errors;
	double *weights; /* share of work left without the batch, on the PMU of each event */
	double left;     /* share of work left without the batch, on all PMUs */
};

static bool counts(const struct td_plan *plan, int event, unsigned int run)
{
	td_for_each(const struct td_group, group, plan->groups, plan->nr_groups) {
		for (size_t i = 0; i < group->nr; i++) {
			if (group->members[i] == event && td_plan_run_counts(plan, group, run))
				return true;
		}
	}
	return false;
}

static bool are_together(const struct td_plan *plan, const struct td_ints *events)
{
	for (unsigned int run = 0; run < plan->nr_sets; run++) {
		for (size_t i = 1; i < events->nr; i++) {
			if (counts(plan, events->v[i], run) != counts(plan, events->v[0], run))
				return false;
		}
	}
	return true;
}

/* Mark cells whose events are all counted in one run, except in a row for all PMUs. */
static void find_together(struct joining *j, const struct td_report *report)
{
	const struct td_source *source = j->view->source;

	td_for_each(const struct td_metric, metric, source->tree->metrics,
		    source->tree->nr_metrics) {
		const char *pmu = source->machine->pmus[metric->pmu].name;
		bool together = are_together(source->plan, &metric->events);

		for (size_t r = 0; metric->column >= 0 && r < report->nr_rows; r++) {
			size_t at = r * report->nr_columns + (size_t)metric->column;

			if (strcmp(report->rows[r].pmu, pmu) == 0)
				j->errors.v[at].together = together;
		}
	}
}

static void begin_joining(struct joining *j, struct td_view *view, struct td_report *report)
{
	const struct td_plan *plan = view->source->plan;
	double difference = td_work_difference(&view->work);

	*j = (struct joining){
		.view = view,
		.runs = td_calloc(view->nr_kept + 1, sizeof(*j->runs)),
		.weights = td_calloc(plan->events.nr + 1, sizeof(*j->weights)),
	};
	td_errors_begin(&j->errors, report);
	/* the error of combining runs that did different work */
	j->errors.apart = difference > TD_SAME_WORK ? difference : 0;
	find_together(j, report);
	for (size_t i = 0; i < view->nr_kept; i++)
		td_aggregate(&view->aggregator, &view->kept[i].readings, plan, &j->runs[i]);
}

/* Return the share of a run's work on a PMU that is in rest; NaN: unknown. */
static double share_left(const struct joining *j, const struct td_kept_run *run,
			 const struct td_readings *rest, int pmu)
{
	const struct td_plan *plan = j->view->source->plan;
	double whole = work_of(plan, &run->readings, pmu);

	return whole > 0 ? work_of(plan, rest, pmu) / whole : NAN;
}

/* Set the weights; rest is the run without a batch, and lasted for times. */
static void weigh(struct joining *j, const struct td_kept_run *run, const struct td_readings *rest,
		  const struct td_times *times)
{
	const struct td_source *source = j->view->source;
	const struct td_events *events = &source->plan->events;

	j->left = share_left(j, run, rest, -1);
	if (isnan(j->left))
		j->left = run->times.elapsed_ns
				  ? (double)times->elapsed_ns / (double)run->times.elapsed_ns
				  : 1;
	for (size_t e = 0; e < events->nr; e++)
		j->weights[e] = j->left;
	for (int pmu = 0; pmu < (int)source->tree->nr_pmus; pmu++) {
		double left = share_left(j, run, rest, pmu);

		for (size_t e = 0; !isnan(left) && e < events->nr; e++) {
			if (events->v[e].pmu == pmu)
				j->weights[e] = left;
		}
	}
}

/* Join the runs, with rest in place of the one with this index. */
static void join(const struct joining *j, size_t which, const struct td_totals *rest,
		 const struct td_times *times, struct td_totals_sum *sum)
{
	const struct td_view *view = j->view;
	const struct td_plan *plan = view->source->plan;

	*sum = (struct td_totals_sum){ .joins = true };
	for (size_t i = 0; i < view->nr_kept; i++) {
		struct td_times part = td_times_part(&view->kept[i].times, j->left);

		if (i == which)
			td_totals_sum_add(sum, plan, rest, times);
		else
			td_totals_sum_add_weighted(sum, plan, &j->runs[i], &part, j->weights);
	}
	td_totals_sum_divide(sum);
}

/* Add the report without a batch.  whole is the report with this batch, for this run. */
static void leave_out(struct joining *j, size_t which, size_t batch, const struct td_report *whole,
		      struct td_readings *rest)
{
	struct td_view *view = j->view;
	const struct td_kept_run *run = &view->kept[which];
	const struct td_counted counted = { run->time_ns, &run->times, &run->readings,
					    &run->timeline };
	struct td_times times = times_without(&counted, batch);
	struct td_totals totals = { 0 };
	struct td_totals_sum sum;
	struct td_report report = { 0 };

	td_timeline_leave_out(&run->timeline, batch, NULL, &run->readings, rest);
	td_aggregate(&view->aggregator, rest, view->source->plan, &totals);
	weigh(j, run, rest, &times);
	join(j, which, &totals, &times, &sum);
	td_eval(&view->evaluation, &sum.totals, &sum.times, view->merge, &report);
	td_errors_add(&j->errors, whole, &report);
	td_report_free(&report);
	td_totals_sum_free(&sum);
	td_totals_free(&totals);
}

static void add_run(struct joining *j, size_t which, const struct td_totals *totals,
		    const struct td_times *times)
{
	struct td_view *view = j->view;
	const struct td_timeline *timeline = &view->kept[which].timeline;
	struct td_readings rest = { 0 };
	struct td_report whole = { 0 };

	view->evaluation.run = 1 + (unsigned int)which;
	td_eval(&view->evaluation, totals, times, view->merge, &whole);
	for (size_t i = 0; timeline->nr >= TD_MIN_BATCHES && i < timeline->nr; i++)
		leave_out(j, which, i, &whole, &rest);
	td_errors_end_series(&j->errors, &whole);
	view->evaluation.run = 0;
	free(rest.v);
	td_report_free(&whole);
}

void td_view_fill_joined_errors(struct td_view *view, const struct td_totals *totals,
				const struct td_times *times, struct td_report *report)
{
	struct joining j;

	begin_joining(&j, view, report);
	for (size_t i = 0; i < view->nr_kept; i++)
		add_run(&j, i, totals, times);
	add_steps(view, totals, times, &j.errors);
	td_errors_end(&j.errors);
	for (size_t i = 0; i < j.view->nr_kept; i++)
		td_totals_free(&j.runs[i]);
	free(j.runs);
	free(j.weights);
	td_errors_free(&j.errors);
}
