// SPDX-License-Identifier: GPL-2.0-only
/* What a viewer gets besides the rows: everything in one row a PMU. */
#include "cmd/view/errors.h"
#include "cmd/view/verdict.h"
#include "metrics/eval/misfits.h"

static int give(struct td_view *view, const struct td_aggregator *agg,
		const struct td_counted *counted,
		const struct td_totals *totals, struct td_err *err)
{
	const struct td_viewer *viewer = view->viewer;
	const struct td_times *times = counted->times;
	struct td_verdict verdict;
	struct td_report report;
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

int td_view_put_whole(struct td_view *view, const struct td_counted *counted,
		      struct td_err *err)
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
