// SPDX-License-Identifier: GPL-2.0-only
/* The verdict on a finished report, with the commands to type next. */
#include "cmd/view/verdict.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/view/next.h"

static bool is_worth_showing(const struct td_verdict *verdict)
{
	return verdict->situation != TD_SITUATION_NONE || verdict->losers[0] ||
	       verdict->between_pct > 0;
}

/* The evaluation was used for other counts since, to find the errors. */
int td_view_find_clear(struct td_view *view, const struct td_totals *totals,
		       const struct td_times *times, struct td_report *report,
		       struct td_err *err)
{
	struct td_report again = { 0 };
	int rc = td_eval(&view->evaluation, totals, times, view->merge, &again,
			 err);

	if (!rc)
		td_eval_find_clear(&view->evaluation, report);
	td_report_free(&again);
	return rc;
}

int td_view_find_verdict(struct td_view *view, const struct td_totals *totals,
			 const struct td_times *times, struct td_report *report,
			 struct td_verdict *verdict, struct td_err *err)
{
	int rc = td_view_find_clear(view, totals, times, report, err);

	if (!rc)
		td_verdict_find(verdict, report);
	return rc;
}

int td_view_put_verdict(struct td_view *view, const struct td_totals *totals,
			const struct td_times *times, struct td_report *report,
			struct td_err *err)
{
	const struct td_out *out = view->sink.writer.out;
	struct td_verdict verdict, others[TD_VERDICT_OTHERS];
	struct td_advice advice = { .verdict = &verdict, .others = others };
	int rc;

	if (!view->verdict || !out->verdict || report->nr_timed)
		return 0;
	rc = td_view_find_verdict(view, totals, times, report, &verdict, err);
	if (rc)
		return rc;
	if (view->focus)
		td_focus_take(view->focus, &verdict);
	if (!is_worth_showing(&verdict))
		return 0;
	/* of one function, it is the tree, and -v shows that */
	if (view->verdict->does.samples && verdict.row)
		return 0;
	advice.nr_others = td_verdict_find_others(others, &verdict, report);
	rc = td_next_make(&advice, view->source, view->verdict, err);
	if (!rc)
		out->verdict(&view->sink.writer, report, &advice);
	td_next_free(&advice);
	return rc;
}
