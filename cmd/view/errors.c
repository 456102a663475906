// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/view/errors.h"

#include <errno.h>
#include <stdlib.h>

/* A further report; it borrows names from totals. */
struct round {
	struct td_totals totals;
	struct td_report report;
};

static int eval(struct td_view *view, const struct td_aggregator *agg,
		const struct td_readings *readings,
		const struct td_times *times, struct round *round,
		struct td_err *err)
{
	int rc;

	*round = (struct round){ 0 };
	rc = td_aggregate(agg, readings, view->source->plan, &round->totals,
			  err);
	if (!rc)
		rc = td_eval(&view->evaluation, &round->totals, times,
			     view->merge, &round->report, err);
	if (!rc && view->scale)
		view->scale(view->scale_ctx, &round->totals, times,
			    &round->report);
	return rc;
}

static void free_round(struct round *round)
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

static int leave_out_batches(struct td_view *view,
			     const struct td_aggregator *agg,
			     const struct td_counted *counted,
			     struct td_errors *errors, struct td_err *err)
{
	struct td_readings rest = { 0 };
	int rc = 0;

	for (size_t i = 0; !rc && i < counted->course->nr; i++) {
		struct td_times times = td_times_without(counted, i);
		struct round round;

		if (td_course_leave_out(counted->course, i, counted->readings,
					&rest)) {
			rc = td_err_nomem(err);
			break;
		}
		rc = eval(view, agg, &rest, &times, &round, err);
		if (!rc)
			td_errors_add(errors, errors->report, &round.report);
		free_round(&round);
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
		struct td_report larger;

		if (!td_evaluation_has_step(evaluation, (int)i))
			continue;
		evaluation->stepped = 1 + (int)i;
		rc = td_eval(evaluation, totals, times, view->merge, &larger,
			     err);
		if (!rc && view->scale)
			view->scale(view->scale_ctx, totals, times, &larger);
		if (!rc)
			td_errors_add_step(errors, &larger);
		td_report_free(&larger);
	}
	evaluation->stepped = 0;
	return rc;
}

int td_view_fill_errors(struct td_view *view, const struct td_aggregator *agg,
			const struct td_counted *counted,
			const struct td_totals *totals,
			struct td_report *report, struct td_err *err)
{
	struct td_errors errors;
	int rc = td_errors_begin(&errors, report) ? td_err_nomem(err) : 0;

	if (!rc && counted->course->nr >= TD_MIN_BATCHES) {
		rc = leave_out_batches(view, agg, counted, &errors, err);
		if (!rc)
			rc = td_view_add_steps(view, totals, counted->times,
					       &errors, err);
	}
	if (!rc) {
		td_errors_end_series(&errors, report);
		td_errors_end(&errors);
	}
	td_errors_free(&errors);
	return rc;
}
