// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/view/errors.h"

#include <errno.h>
#include <stdlib.h>

#include "metrics/eval/errors.h"

struct filling {
	struct td_view *view;
	const struct td_counted *counted;
	struct td_errors errors;
};

/* A further report; it borrows names from totals. */
struct round {
	struct td_totals totals;
	struct td_report report;
};

static int eval(struct td_view *view, const struct td_readings *readings,
		const struct td_times *times, struct round *round,
		struct td_err *err)
{
	int rc;

	*round = (struct round){ 0 };
	rc = td_aggregate(&view->aggregator, readings, view->source->plan,
			  &round->totals, err);
	return rc ? rc
		  : td_eval(&view->evaluation, &round->totals, times,
			    view->merge, &round->report, err);
}

static void free_round(struct round *round)
{
	td_report_free(&round->report);
	td_totals_free(&round->totals);
}

/* Without a batch; of CPU times, the same share is left as of the time. */
static struct td_times times_without(const struct td_counted *counted,
				     size_t batch)
{
	struct td_times times = *counted->times;
	uint64_t all = times.elapsed_ns;
	uint64_t out = td_course_batch_ns(counted->course, batch,
					  counted->time_ns - all);
	double share;

	if (!all || out > all)
		return times;
	share = (double)(all - out) / (double)all;
	times.elapsed_ns = all - out;
	times.user_ns = (uint64_t)(share * (double)times.user_ns);
	times.system_ns = (uint64_t)(share * (double)times.system_ns);
	return times;
}

static int leave_out_batches(struct filling *f, struct td_err *err)
{
	const struct td_counted *counted = f->counted;
	struct td_readings rest = { 0 };
	int rc = 0;

	for (size_t i = 0; !rc && i < counted->course->nr; i++) {
		struct td_times times = times_without(counted, i);
		struct round round;

		if (td_course_leave_out(counted->course, i, counted->readings,
					&rest)) {
			rc = td_err_nomem(err);
			break;
		}
		rc = eval(f->view, &rest, &times, &round, err);
		if (!rc)
			td_errors_add(&f->errors, f->errors.report,
				      &round.report);
		free_round(&round);
	}
	free(rest.v);
	return rc;
}

static int add_steps(struct filling *f, struct td_err *err)
{
	const struct td_plan *plan = f->view->source->plan;
	struct td_evaluation *evaluation = &f->view->evaluation;
	int rc = 0;

	for (size_t i = 0; !rc && i < plan->events.nr; i++) {
		struct round round;

		if (!td_evaluation_has_step(evaluation, (int)i))
			continue;
		evaluation->stepped = 1 + (int)i;
		rc = eval(f->view, f->counted->readings, f->counted->times,
			  &round, err);
		if (!rc)
			td_errors_add_step(&f->errors, &round.report);
		free_round(&round);
	}
	evaluation->stepped = 0;
	return rc;
}

int td_view_fill_errors(struct td_view *view, const struct td_counted *counted,
			struct td_report *report, struct td_err *err)
{
	struct filling f = { view, counted };
	int rc = td_errors_begin(&f.errors, report) ? td_err_nomem(err) : 0;

	if (!rc && counted->course->nr >= TD_MIN_BATCHES) {
		rc = leave_out_batches(&f, err);
		if (!rc)
			rc = add_steps(&f, err);
	}
	if (!rc) {
		td_errors_end_series(&f.errors, report);
		td_errors_end(&f.errors);
	}
	td_errors_free(&f.errors);
	return rc;
}
