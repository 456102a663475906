// SPDX-License-Identifier: GPL-2.0-only
/* The errors of what is counted in time, and how it changed meanwhile. */
#include "cmd/view/errors.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"
#include "metrics/eval/finished.h"

/* --- further evaluations of the same counts ------------------------------- */

int td_round_eval(struct td_round *round, struct td_view *view,
		  const struct td_aggregator *agg,
		  const struct td_readings *readings,
		  const struct td_times *times, struct td_err *err)
{
	int rc;

	*round = (struct td_round){ 0 };
	rc = td_aggregate(agg, readings, view->source->plan, &round->totals,
			  err);
	if (!rc)
		rc = td_eval(&view->evaluation, &round->totals, times,
			     view->merge, &round->report, err);
	return rc;
}

void td_round_free(struct td_round *round)
{
	td_report_free(&round->report);
	td_totals_free(&round->totals);
}

struct td_times td_times_without(const struct td_counted *counted, size_t batch)
{
	struct td_times times = *counted->times;
	uint64_t all = times.elapsed_ns;
	uint64_t out = td_course_batch_ns(counted->course, batch,
					  counted->time_ns - all);

	if (!all || out > all)
		return times;
	return td_times_part(&times, (double)(all - out) / (double)all);
}

/*
 * Adds the report without each batch of the course.  events: as in
 * td_course_leave_out().
 */
static int view_leave_out(struct td_view *view, const struct td_aggregator *agg,
			  const struct td_counted *counted, const bool *events,
			  struct td_errors *errors, struct td_err *err)
{
	struct td_readings rest = { 0 };
	int rc = 0;

	for (size_t i = 0; !rc && i < counted->course->nr; i++) {
		struct td_times times =
			events ? *counted->times : td_times_without(counted, i);
		struct td_round round;

		if (td_course_leave_out(counted->course, i, events,
					counted->readings, &rest)) {
			rc = td_err_nomem(err);
			break;
		}
		rc = td_round_eval(&round, view, agg, &rest, &times, err);
		if (!rc)
			td_errors_add(errors, errors->report, &round.report);
		td_round_free(&round);
	}
	free(rest.v);
	return rc;
}

int td_view_add_steps(struct td_view *view, const struct td_totals *totals,
		      const struct td_times *times, struct td_errors *errors,
		      struct td_err *err)
{
	const struct td_plan *plan = view->source->plan;
	struct td_evaluation *evaluation = &view->evaluation;
	int rc = 0;

	for (size_t i = 0; !rc && i < plan->events.nr; i++) {
		struct td_report larger = { 0 };

		if (!td_evaluation_has_step(evaluation, (int)i))
			continue;
		evaluation->stepped = 1 + (int)i;
		rc = td_eval(evaluation, totals, times, view->merge, &larger,
			     err);
		if (!rc)
			td_errors_add_step(errors, &larger);
		td_report_free(&larger);
	}
	evaluation->stepped = 0;
	return rc;
}

/* --- errors of what is counted in time ------------------------------------ */

/* Evaluates each batch of the course by itself; few of them are enough here. */
static int add_batches(struct td_view *view, const struct td_aggregator *agg,
		       const struct td_counted *counted,
		       struct td_ranges *ranges, struct td_err *err)
{
	uint64_t all = counted->times->elapsed_ns;
	struct td_readings batch = { 0 };
	struct td_course few;
	int rc = 0;

	td_course_join(&few, counted->course);
	for (size_t i = 0; !rc && i < few.nr; i++) {
		uint64_t ns =
			td_course_batch_ns(&few, i, counted->time_ns - all);
		struct td_times times = td_times_part(
			counted->times, all ? (double)ns / (double)all : 0);
		struct td_round round;

		if (td_course_cut_out(&few, i, counted->readings, &batch)) {
			rc = td_err_nomem(err);
			break;
		}
		rc = td_round_eval(&round, view, agg, &batch, &times, err);
		if (!rc)
			td_ranges_add(ranges, &round.report, ns);
		td_round_free(&round);
	}
	free(batch.v);
	return rc;
}

static bool has_turns(const struct td_metric *metric, const bool *turns)
{
	for (size_t i = 0; i < metric->events.nr; i++) {
		if (turns[metric->events.v[i]])
			return true;
	}
	return false;
}

/* Notes the cells of which an event took turns.  A row of all PMUs has them all. */
static void mark_turns(const struct td_source *source, const bool *turns,
		       struct td_errors *errors)
{
	const struct td_report *report = errors->report;

	for (size_t m = 0; m < source->tree->nr_metrics; m++) {
		const struct td_metric *metric = &source->tree->metrics[m];
		const char *pmu = source->machine->pmus[metric->pmu].name;

		if (metric->column < 0 || !has_turns(metric, turns))
			continue;
		for (size_t r = 0; r < report->nr_rows; r++) {
			const char *of = report->rows[r].pmu;

			if (!strcmp(of, pmu) || !strcmp(of, "all"))
				errors->v[r * report->nr_columns +
					  (size_t)metric->column]
					.turns = true;
		}
	}
}

/*
 * A row of an interval has an error if it was read often, or if errors were asked
 * for: it would be that of a step alone, at the price of evaluating it again for
 * each field of PERF_METRICS.  And what may have rested between two of its reads
 * has no right value without them.
 */
static bool wants_errors(const struct td_view *view,
			 const struct td_counted *counted)
{
	bool may_rest = view->source->tree->nr_families > 0;

	return counted->course->nr >= TD_MIN_BATCHES ||
	       (may_rest && counted->course->nr > 1) ||
	       !view->sink.frame.interval || view->sink.frame.errors;
}

struct in_time {
	struct td_view *view;
	const struct td_aggregator *agg;
	const struct td_counted *counted;
	const struct td_totals *totals;
	bool *turns; /* one for each event */
	struct td_errors errors;
	struct td_ranges ranges;
};

static int begin(struct in_time *t, struct td_report *report)
{
	t->turns = calloc(t->totals->nr_events + 1, sizeof(*t->turns));
	if (!t->turns || td_errors_begin(&t->errors, report) ||
	    td_ranges_begin(&t->ranges, report))
		return -ENOMEM;
	t->errors.ranges = &t->ranges;
	t->ranges.nr_reads = t->counted->course->nr_reads;
	td_eval_find_turns(t->view->source->plan, t->totals, t->turns);
	mark_turns(t->view->source, t->turns, &t->errors);
	return 0;
}

static bool any_turns(const struct in_time *t)
{
	for (size_t i = 0; i < t->totals->nr_events; i++) {
		if (t->turns[i])
			return true;
	}
	return false;
}

static int add_all(struct in_time *t, struct td_err *err)
{
	int rc = add_batches(t->view, t->agg, t->counted, &t->ranges, err);

	/* a bound that holds what is shown of all of it is no error of 0 */
	t->view->evaluation.unbounded = true;
	if (!rc && any_turns(t) && t->counted->course->nr >= TD_MIN_BATCHES)
		rc = view_leave_out(t->view, t->agg, t->counted, t->turns,
				    &t->errors, err);
	t->view->evaluation.unbounded = false;
	return rc ? rc
		  : td_view_add_steps(t->view, t->totals, t->counted->times,
				      &t->errors, err);
}

int td_view_set_rested(struct td_view *view, const struct td_rested *rested,
		       const struct td_totals *totals,
		       const struct td_times *times, struct td_report *report,
		       struct td_err *err)
{
	struct td_evaluation *e = &view->evaluation;
	struct td_report again = { 0 };
	int rc;

	e->rested = rested;
	rc = td_eval(e, totals, times, view->merge, &again, err);
	e->rested = NULL;
	if (!rc)
		td_rested_set(rested, report, &again);
	td_report_free(&again);
	return rc;
}

static int set_rested(struct in_time *t, struct td_report *report,
		      struct td_err *err)
{
	struct td_rested rested;
	bool any;
	int rc = td_rested_find(&rested, t->view->evaluation.tree, &t->ranges,
				&any);

	if (rc)
		td_err_nomem(err);
	else if (any)
		rc = td_view_set_rested(t->view, &rested, t->totals,
					t->counted->times, report, err);
	td_rested_free(&rested);
	return rc;
}

static int fill_errors_in_time(struct td_view *view,
			       const struct td_aggregator *agg,
			       const struct td_counted *counted,
			       const struct td_totals *totals,
			       struct td_report *report, struct td_err *err)
{
	struct in_time t = { view, agg, counted, totals, NULL, { 0 }, { 0 } };
	int rc;

	if (!wants_errors(view, counted)) {
		td_errors_none(report);
		return 0;
	}
	rc = begin(&t, report) ? td_err_nomem(err) : add_all(&t, err);
	if (!rc) {
		td_ranges_end(&t.ranges);
		td_errors_end(&t.errors);
		td_report_bear_sums(report);
	}
	if (!rc && view->source->tree->nr_families)
		rc = set_rested(&t, report, err);
	free(t.turns);
	td_ranges_free(&t.ranges);
	td_errors_free(&t.errors);
	return rc;
}

/* --- errors of samples, or in time ---------------------------------------- */

static int add_left_out(struct td_view *view, const struct td_aggregator *agg,
			const struct td_counted *counted,
			const struct td_totals *totals,
			struct td_errors *errors, struct td_err *err)
{
	int rc;

	if (counted->course->nr < TD_MIN_BATCHES)
		return 0;
	rc = view_leave_out(view, agg, counted, NULL, errors, err);
	return rc ? rc
		  : td_view_add_steps(view, totals, counted->times, errors,
				      err);
}

static int fill_errors_of_samples(struct td_view *view,
				  const struct td_aggregator *agg,
				  const struct td_counted *counted,
				  const struct td_totals *totals,
				  struct td_report *report, struct td_err *err)
{
	struct td_errors errors;
	int rc = td_errors_begin(&errors, report) ? td_err_nomem(err) : 0;

	if (!rc)
		rc = add_left_out(view, agg, counted, totals, &errors, err);
	if (!rc) {
		td_errors_end_series(&errors, report);
		td_errors_end(&errors);
	}
	td_errors_free(&errors);
	return rc;
}

int td_view_fill_errors(struct td_view *view, const struct td_aggregator *agg,
			const struct td_counted *counted,
			const struct td_totals *totals,
			struct td_report *report, struct td_err *err)
{
	if (counted->course->samples)
		return fill_errors_of_samples(view, agg, counted, totals,
					      report, err);
	return fill_errors_in_time(view, agg, counted, totals, report, err);
}
