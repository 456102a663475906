// SPDX-License-Identifier: GPL-2.0-only
/*
 * What --no-multiplex joins of its runs, and the errors of that.
 *
 * Each batch of each run is left out in turn, and all runs are joined again.
 * Events of one run may be divided by those of another, so that a batch less
 * must not look like less of these events: the other runs count as if they, too,
 * had done only so much.  How much is told by the instructions of each kind of
 * core, which every run counts.
 */
#include "cmd/view/errors.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"
#include "lib/plan/sets.h"

/* --- the runs, which count different groups, and what is joined of them --- */

/*
 * Instructions of all CPUs and tasks on a PMU, or with -1 on all of them; NaN
 * if they were not counted.
 */
static double work_of(const struct td_plan *plan,
		      const struct td_readings *readings, int pmu)
{
	double work = NAN;

	for (size_t i = 0; i < readings->nr; i++) {
		const struct td_reading *reading = &readings->v[i];
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
	work->least = work->nr ? fmin(work->least, value) : value;
	work->most = work->nr ? fmax(work->most, value) : value;
	work->sum += value;
	work->nr++;
}

double td_work_difference(const struct td_work *work)
{
	if (work->nr < 2 || work->sum <= 0)
		return 0;
	return (work->most - work->least) / (work->sum / work->nr);
}

bool td_view_keeps_runs(const struct td_view *view)
{
	return view->source->tree && !view->mean;
}

/* Copies what a run counted.  Returns 0 or -ENOMEM. */
static int keep(struct td_view *view, const struct td_counted *counted)
{
	struct td_kept_run *run =
		td_array_add(&view->kept, view->nr_kept, sizeof(*run));
	struct td_course few;

	if (!run)
		return -ENOMEM;
	view->nr_kept++;
	td_course_join(&few, counted->course);
	*run = (struct td_kept_run){ .time_ns = counted->time_ns,
				     .times = *counted->times };
	if (td_readings_copy(&run->readings, counted->readings))
		return -ENOMEM;
	return td_course_copy(&run->course, &few);
}

int td_view_add_joined(struct td_view *view, const struct td_totals *totals,
		       const struct td_counted *counted, struct td_err *err)
{
	if (!view->joined.rounds)
		view->work = (struct td_work){ 0 };
	view->joined.joins = true;
	add_work(&view->work,
		 work_of(view->source->plan, counted->readings, -1));
	if (td_view_keeps_runs(view) && keep(view, counted))
		return td_err_nomem(err);
	return td_totals_sum_add(&view->joined, view->source->plan, totals,
				 counted->times)
		       ? td_err_nomem(err)
		       : 0;
}

/* --- the errors of that --------------------------------------------------- */

struct joining {
	struct td_view *view;
	struct td_totals *runs; /* of each run that was kept */
	struct td_errors errors;
	/* without the batch: what is left of its run, for each event's PMU */
	double *weights;
	double left; /* and of all PMUs */
};

static struct td_counted counted_of(const struct td_kept_run *run)
{
	return (struct td_counted){ run->time_ns, &run->times, &run->readings,
				    &run->course };
}

static bool counts(const struct td_plan *plan, int event, unsigned int run)
{
	for (size_t g = 0; g < plan->nr_groups; g++) {
		const struct td_group *group = &plan->groups[g];

		for (size_t i = 0; i < group->nr; i++) {
			if (group->members[i] == event &&
			    td_plan_run_counts(plan, group, run))
				return true;
		}
	}
	return false;
}

static bool are_together(const struct td_plan *plan,
			 const struct td_ints *events)
{
	for (unsigned int run = 0; run < plan->nr_sets; run++) {
		for (size_t i = 1; i < events->nr; i++) {
			if (counts(plan, events->v[i], run) !=
			    counts(plan, events->v[0], run))
				return false;
		}
	}
	return true;
}

/* Of a row for all PMUs none is: it is made of several metrics. */
static void find_together(struct joining *j, const struct td_report *report)
{
	const struct td_source *source = j->view->source;

	for (size_t m = 0; m < source->tree->nr_metrics; m++) {
		const struct td_metric *metric = &source->tree->metrics[m];
		const char *pmu = source->machine->pmus[metric->pmu].name;
		bool together = are_together(source->plan, &metric->events);

		for (size_t r = 0; metric->column >= 0 && r < report->nr_rows;
		     r++) {
			size_t at =
				r * report->nr_columns + (size_t)metric->column;

			if (strcmp(report->rows[r].pmu, pmu) == 0)
				j->errors.v[at].together = together;
		}
	}
}

static int begin_joining(struct joining *j, struct td_view *view,
			 struct td_report *report, struct td_err *err)
{
	const struct td_plan *plan = view->source->plan;
	double difference = td_work_difference(&view->work);
	int rc = 0;

	*j = (struct joining){
		.view = view,
		.runs = calloc(view->nr_kept + 1, sizeof(*j->runs)),
		.weights = calloc(plan->events.nr + 1, sizeof(*j->weights)),
	};
	if (td_errors_begin(&j->errors, report) || !j->runs || !j->weights)
		return td_err_nomem(err);
	/* what different runs counted belongs together only as far as this */
	j->errors.apart = difference > TD_SAME_WORK ? difference : 0;
	find_together(j, report);
	for (size_t i = 0; !rc && i < view->nr_kept; i++)
		rc = td_aggregate(&view->aggregator, &view->kept[i].readings,
				  plan, &j->runs[i], err);
	return rc;
}

static void end_joining(struct joining *j)
{
	for (size_t i = 0; j->runs && i < j->view->nr_kept; i++)
		td_totals_free(&j->runs[i]);
	free(j->runs);
	free(j->weights);
	td_errors_free(&j->errors);
}

/* What is left of a run's work on a PMU, as a share of it; NaN: unknown. */
static double share_left(const struct joining *j, const struct td_kept_run *run,
			 const struct td_readings *rest, int pmu)
{
	const struct td_plan *plan = j->view->source->plan;
	double whole = work_of(plan, &run->readings, pmu);

	return whole > 0 ? work_of(plan, rest, pmu) / whole : NAN;
}

/* rest is of the run, and lasted for times. */
static void weigh(struct joining *j, const struct td_kept_run *run,
		  const struct td_readings *rest, const struct td_times *times)
{
	const struct td_source *source = j->view->source;
	const struct td_events *events = &source->plan->events;

	j->left = share_left(j, run, rest, -1);
	if (isnan(j->left))
		j->left = run->times.elapsed_ns
				  ? (double)times->elapsed_ns /
					    (double)run->times.elapsed_ns
				  : 1;
	for (size_t e = 0; e < events->nr; e++)
		j->weights[e] = j->left;
	for (int pmu = 0; pmu < (int)source->machine->nr_core; pmu++) {
		double left = share_left(j, run, rest, pmu);

		for (size_t e = 0; !isnan(left) && e < events->nr; e++) {
			if (events->v[e].pmu == pmu)
				j->weights[e] = left;
		}
	}
}

/* Joins the runs, with rest in place of the one with this index. */
static int join(const struct joining *j, size_t which,
		const struct td_totals *rest, const struct td_times *times,
		struct td_totals_sum *sum)
{
	const struct td_view *view = j->view;
	const struct td_plan *plan = view->source->plan;
	int rc = 0;

	*sum = (struct td_totals_sum){ .joins = true };
	for (size_t i = 0; !rc && i < view->nr_kept; i++) {
		struct td_times part =
			td_times_part(&view->kept[i].times, j->left);

		if (i == which)
			rc = td_totals_sum_add(sum, plan, rest, times);
		else
			rc = td_totals_sum_add_weighted(sum, plan, &j->runs[i],
							&part, j->weights);
	}
	td_totals_sum_divide(sum);
	return rc;
}

/* whole is the report as this run sees it. */
static int leave_out(struct joining *j, size_t which, size_t batch,
		     const struct td_report *whole, struct td_readings *rest,
		     struct td_err *err)
{
	struct td_view *view = j->view;
	const struct td_kept_run *run = &view->kept[which];
	const struct td_counted counted = counted_of(run);
	struct td_times times = td_times_without(&counted, batch);
	struct td_totals totals = { 0 };
	struct td_totals_sum sum = { 0 };
	struct td_report report = { 0 };
	int rc = td_course_leave_out(&run->course, batch, NULL, &run->readings,
				     rest)
			 ? td_err_nomem(err)
			 : 0;

	if (!rc)
		rc = td_aggregate(&view->aggregator, rest, view->source->plan,
				  &totals, err);
	if (!rc)
		weigh(j, run, rest, &times);
	if (!rc && join(j, which, &totals, &times, &sum))
		rc = td_err_nomem(err);
	if (!rc)
		rc = td_eval(&view->evaluation, &sum.totals, &sum.times,
			     view->merge, &report, err);
	if (!rc)
		td_errors_add(&j->errors, whole, &report);
	td_report_free(&report);
	td_totals_sum_free(&sum);
	td_totals_free(&totals);
	return rc;
}

static int add_run(struct joining *j, size_t which,
		   const struct td_totals *totals, const struct td_times *times,
		   struct td_err *err)
{
	struct td_view *view = j->view;
	const struct td_course *course = &view->kept[which].course;
	struct td_readings rest = { 0 };
	struct td_report whole = { 0 };
	int rc;

	view->evaluation.run = 1 + (unsigned int)which;
	rc = td_eval(&view->evaluation, totals, times, view->merge, &whole,
		     err);
	for (size_t i = 0;
	     !rc && course->nr >= TD_MIN_BATCHES && i < course->nr; i++)
		rc = leave_out(j, which, i, &whole, &rest, err);
	if (!rc)
		td_errors_end_series(&j->errors, &whole);
	view->evaluation.run = 0;
	free(rest.v);
	td_report_free(&whole);
	return rc;
}

int td_view_fill_joined_errors(struct td_view *view,
			       const struct td_totals *totals,
			       const struct td_times *times,
			       struct td_report *report, struct td_err *err)
{
	struct joining j;
	int rc = begin_joining(&j, view, report, err);

	for (size_t i = 0; !rc && i < view->nr_kept; i++)
		rc = add_run(&j, i, totals, times, err);
	if (!rc)
		rc = td_view_add_steps(view, totals, times, &j.errors, err);
	if (!rc)
		td_errors_end(&j.errors);
	end_joining(&j);
	return rc;
}
