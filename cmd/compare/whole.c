// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/compare/whole.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "cmd/compare/work.h"
#include "cmd/view/errors.h"
#include "metrics/table/latency_rows.h"
#include "metrics/table/rows.h"

#define PERCENT 100

/* --- reading ---------------------------------------------------------------- */

static int add_intervals(struct td_whole *whole, struct td_err *err)
{
	struct td_recording *rec = &whole->recorded.rec;
	struct td_readings delta = { 0 };
	uint64_t time_ns = 0;
	int rc = 0;

	while (!rc) {
		struct td_counted counted = { 0, &rec->times, &delta,
					      &rec->course };

		rc = td_recording_next(rec, &time_ns, &delta, err);
		counted.time_ns = time_ns;
		if (!rc && td_view_add_to_whole(&whole->view, &counted))
			rc = td_err_nomem(err);
	}
	free(delta.v);
	if (!rec->ended)
		rec->usage.elapsed_ns = time_ns;
	return rc < 0 ? rc : 0;
}

/* Cgroups may have others in them, so that a sum would count these twice. */
static int check(const struct td_recording *rec, struct td_err *err)
{
	if (!rec->info.nr_cgroups)
		return 0;
	return td_err_set(err, -ENODATA,
			  "%s is of cgroups, which cannot be compared yet",
			  rec->path);
}

static int sum_up(struct td_whole *whole, struct td_err *err)
{
	const struct td_recording *rec = &whole->recorded.rec;
	struct td_view *view = &whole->view;
	int rc;

	if (td_course_end(&view->whole_course, &view->whole,
			  rec->usage.elapsed_ns))
		return td_err_nomem(err);
	rc = td_aggregate(&view->aggregator, &view->whole, &rec->plan,
			  &whole->totals, err);
	if (!rc && !whole->totals.nr_ids)
		return td_err_set(err, -ENODATA, "%s has no counts", rec->path);
	if (rc)
		return rc;
	whole->instructions =
		td_instructions_of(&rec->plan, &rec->machine, whole->totals.v);
	whole->ipc = td_ipc_of(&rec->plan, &rec->machine, whole->totals.v,
			       &whole->nr_ipc);
	return whole->ipc ? 0 : td_err_nomem(err);
}

int td_whole_read(struct td_whole *whole, const char *path,
		  const struct td_opts *opts, struct td_notes *notes,
		  struct td_err *err)
{
	struct td_recorded *recorded = &whole->recorded;
	int rc;

	*whole = (struct td_whole){ 0 };
	rc = td_recorded_open(recorded, path, opts, err);
	if (!rc)
		rc = check(&recorded->rec, err);
	if (!rc)
		rc = td_recorded_measure(recorded, notes, err);
	recorded->source.how = TD_AGGREGATE_ALL;
	if (!rc)
		rc = td_view_init(&whole->view, &recorded->source,
				  &recorded->opts, err);
	if (!rc)
		rc = add_intervals(whole, err);
	return rc ? rc : sum_up(whole, err);
}

/* --- results ---------------------------------------------------------------- */

/* How many units of work there were; NaN: unknown. */
static double work_of(const struct td_whole *whole,
		      const struct td_totals *totals,
		      const struct td_times *times)
{
	const struct td_recording *rec = &whole->recorded.rec;

	switch (whole->per) {
	case TD_PER_INSTRUCTIONS:
		return totals->nr_ids
			       ? td_instructions_of(&rec->plan, &rec->machine,
						    totals->v)
			       : NAN;
	case TD_PER_SECOND:
		return times->elapsed_ns ? (double)times->elapsed_ns / 1e9
					 : NAN;
	case TD_PER_RUN:
		return 1;
	default:
		return NAN;
	}
}

/* From percent of the slots to slots per unit of work. */
static void scale(void *ctx, const struct td_totals *totals,
		  const struct td_times *times, struct td_report *report)
{
	const struct td_whole *whole = ctx;
	bool share = whole->per == TD_PER_SLOTS;
	double work = work_of(whole, totals, times);

	for (size_t r = 0; r < report->nr_rows; r++) {
		const struct td_row *row = &report->rows[r];
		double factor = (share ? 1 : row->slots / work) / PERCENT;

		for (size_t c = 0; c < report->nr_columns; c++)
			row->cells[c].value *= factor;
	}
}

static struct td_counted counted_of(const struct td_whole *whole)
{
	const struct td_view *view = &whole->view;

	return (struct td_counted){
		whole->recorded.rec.usage.elapsed_ns,
		&view->whole_times,
		&view->whole,
		&view->whole_course,
	};
}

/* One more report of the same counts; scaled, if the view has a scale. */
static int eval(struct td_whole *whole, struct td_report *report,
		struct td_err *err)
{
	const struct td_counted counted = counted_of(whole);
	struct td_view *view = &whole->view;
	int rc = td_eval(&view->evaluation, &whole->totals, &view->whole_times,
			 false, report, err);

	if (!rc && view->scale)
		view->scale(whole, &whole->totals, &view->whole_times, report);
	return rc ? rc
		  : td_view_fill_errors(view, &counted, &whole->totals, report,
					err);
}

static int eval_tree(struct td_whole *whole, struct td_err *err)
{
	struct td_recorded *recorded = &whole->recorded;
	struct td_view *view = &whole->view;
	int rc = td_evaluation_make(&view->evaluation, &recorded->measure.tree,
				    &recorded->rec.plan, err);

	td_tree_set_latencies(&recorded->measure.tree,
			      &recorded->rec.latencies);
	if (!rc)
		rc = eval(whole, &whole->report, err);
	view->scale = scale;
	view->scale_ctx = whole;
	return rc ? rc : eval(whole, &whole->scaled, err);
}

static int eval_events(struct td_whole *whole, struct td_err *err)
{
	const struct td_recording *rec = &whole->recorded.rec;
	int rc = td_event_rows(&rec->plan, &whole->totals,
			       &whole->view.whole_times, false, &whole->events,
			       err);

	if (!rc)
		td_event_rows_set_latencies(&whole->events, &rec->plan,
					    &rec->latencies);
	return rc;
}

static int check_work(const struct td_whole *whole, double work,
		      struct td_err *err)
{
	const struct td_recording *rec = &whole->recorded.rec;

	if (whole->per == TD_PER_SLOTS && rec->info.of_events)
		return td_err_usage(err,
				    "--per slots: %s has events and no tree",
				    rec->path);
	if (whole->per == TD_PER_SLOTS || !isnan(work))
		return 0;
	td_err_set(err, -ENODATA, "--per %s: %s does not tell how many",
		   td_per_option(whole->per), rec->path);
	return td_err_hint(
		err, whole->per == TD_PER_INSTRUCTIONS
			     ? "record -M with a metric that needs "
			       "instructions, such as tma_info_thread_ipc, "
			       "or compare --per slots"
			     : "compare --per slots");
}

int td_whole_eval(struct td_whole *whole, enum td_per per,
		  struct td_diff_input *input, struct td_err *err)
{
	const struct td_recording *rec = &whole->recorded.rec;
	bool events = rec->info.of_events;
	double work;
	int rc;

	whole->per = per;
	work = work_of(whole, &whole->totals, &whole->view.whole_times);
	rc = check_work(whole, work, err);
	if (!rc)
		rc = events ? eval_events(whole, err) : eval_tree(whole, err);
	*input = (struct td_diff_input){
		.report = events ? NULL : &whole->report,
		.scaled = events ? NULL : &whole->scaled,
		.events = events ? &whole->events : NULL,
		.work = work,
		.elapsed_s = rec->usage.elapsed_ns
				     ? (double)rec->usage.elapsed_ns / 1e9
				     : NAN,
		.ipc = whole->ipc,
		.nr_ipc = whole->nr_ipc,
	};
	return rc;
}

void td_whole_free(struct td_whole *whole)
{
	struct td_err unused;

	td_report_free(&whole->report);
	td_report_free(&whole->scaled);
	td_event_report_free(&whole->events);
	td_totals_free(&whole->totals);
	free(whole->ipc);
	td_view_close(&whole->view, &unused);
	td_recorded_close(&whole->recorded);
}
