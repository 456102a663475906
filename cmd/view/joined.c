// SPDX-License-Identifier: GPL-2.0-only
/* Joins the runs of --no-multiplex, which count different groups. */
#include "cmd/view/joined.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "lib/base/util.h"

double td_work_of(const struct td_plan *plan,
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
		 td_work_of(view->source->plan, counted->readings, -1));
	if (td_view_keeps_runs(view) && keep(view, counted))
		return td_err_nomem(err);
	return td_totals_sum_add(&view->joined, view->source->plan, totals,
				 counted->times)
		       ? td_err_nomem(err)
		       : 0;
}
