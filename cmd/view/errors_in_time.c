// SPDX-License-Identifier: GPL-2.0-only
/* The errors of what is counted in time, and how it changed meanwhile. */
#include "cmd/view/errors_in_time.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/view/round.h"
#include "lib/base/util.h"

/* Evaluates each batch of the course by itself. */
static int add_batches(struct td_view *view, const struct td_aggregator *agg,
		       const struct td_counted *counted,
		       struct td_ranges *ranges, struct td_err *err)
{
	uint64_t all = counted->times->elapsed_ns;
	struct td_readings batch = { 0 };
	int rc = 0;

	for (size_t i = 0; !rc && i < counted->course->nr; i++) {
		uint64_t ns = td_course_batch_ns(counted->course, i,
						 counted->time_ns - all);
		struct td_times times = td_times_part(
			counted->times, all ? (double)ns / (double)all : 0);
		struct td_round round;

		if (td_course_cut_out(counted->course, i, counted->readings,
				      &batch)) {
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
 * each field of PERF_METRICS.
 */
static bool wants_errors(const struct td_view *view,
			 const struct td_counted *counted)
{
	return counted->course->nr >= TD_MIN_BATCHES ||
	       !view->sink.frame.interval || view->sink.frame.errors;
}

static int add_all(struct td_view *view, const struct td_aggregator *agg,
		   const struct td_counted *counted,
		   const struct td_totals *totals, const bool *turns,
		   struct td_errors *errors, struct td_ranges *ranges,
		   struct td_err *err)
{
	bool any = memchr(turns, true, totals->nr_events);
	int rc = add_batches(view, agg, counted, ranges, err);

	mark_turns(view->source, turns, errors);
	if (!rc && any && counted->course->nr >= TD_MIN_BATCHES)
		rc = td_view_leave_out(view, agg, counted, turns, errors, err);
	return rc ? rc
		  : td_view_add_steps(view, totals, counted->times, errors,
				      err);
}

int td_view_fill_errors_in_time(struct td_view *view,
				const struct td_aggregator *agg,
				const struct td_counted *counted,
				const struct td_totals *totals,
				struct td_report *report, struct td_err *err)
{
	td_autofree bool *turns = calloc(totals->nr_events + 1, sizeof(*turns));
	struct td_ranges ranges = { 0 };
	struct td_errors errors;
	int rc = 0;

	if (!wants_errors(view, counted)) {
		td_errors_none(report);
		return 0;
	}
	if (td_errors_begin(&errors, report) ||
	    td_ranges_begin(&ranges, report) || !turns)
		rc = td_err_nomem(err);
	errors.ranges = &ranges;
	if (!rc) {
		td_eval_find_turns(view->source->plan, totals, turns);
		rc = add_all(view, agg, counted, totals, turns, &errors,
			     &ranges, err);
	}
	if (!rc) {
		td_ranges_end(&ranges);
		td_errors_end(&errors);
	}
	td_ranges_free(&ranges);
	td_errors_free(&errors);
	return rc;
}
