// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/view/errors.h"

#include "cmd/view/errors_in_time.h"
#include "cmd/view/round.h"

static int add_batches(struct td_view *view, const struct td_aggregator *agg,
		       const struct td_counted *counted,
		       const struct td_totals *totals, struct td_errors *errors,
		       struct td_err *err)
{
	int rc;

	if (counted->course->nr < TD_MIN_BATCHES)
		return 0;
	rc = td_view_leave_out(view, agg, counted, NULL, errors, err);
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
		rc = add_batches(view, agg, counted, totals, &errors, err);
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
	return td_view_fill_errors_in_time(view, agg, counted, totals, report,
					   err);
}
