// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/view/round.h"

#include <errno.h>
#include <stdlib.h>

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

int td_view_leave_out(struct td_view *view, const struct td_aggregator *agg,
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
