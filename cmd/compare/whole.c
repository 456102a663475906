// SPDX-License-Identifier: GPL-2.0-only
/* Reads a recording to its end, and sums it up. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/compare/compare.h"
#include "lib/plan/clocks.h"
#include "metrics/table/table.h"

#define PERCENT 100

/* --- reading ---------------------------------------------------------------- */

/* How the interval went along is left out, as only its sum is compared. */
static int add_interval(struct td_whole *whole, uint64_t time_ns,
			struct td_readings *delta, struct td_err *err)
{
	static const struct td_course none;
	struct td_recording *rec = &whole->recorded.rec;
	const struct td_counted counted = { time_ns, &rec->times, delta,
					    &none };
	int rc = 0;

	if (whole->recorded.source.how == TD_AGGREGATE_THREAD)
		rc = td_threads_join(&whole->threads, &rec->names, delta);
	if (!rc)
		rc = td_view_add_to_whole(&whole->view, &counted);
	return rc ? td_err_nomem(err) : 0;
}

static int add_intervals(struct td_whole *whole, struct td_err *err)
{
	struct td_recording *rec = &whole->recorded.rec;
	struct td_readings delta = { 0 };
	uint64_t time_ns = 0;
	int rc = 0;

	while (!rc) {
		rc = td_recorded_next(rec, whole->recorded.source.how, &time_ns,
				      &delta, err);
		if (!rc)
			rc = add_interval(whole, time_ns, &delta, err);
	}
	free(delta.v);
	if (!rec->ended)
		rec->usage.elapsed_ns = time_ns;
	return rc < 0 ? rc : 0;
}

/* --- instructions and cycles, which have only names in recordings ------------ */

/* The first event of the clock that was counted on the PMU; -1: none. */
static int find_clock(const struct td_plan *plan, const struct td_total *totals,
		      int pmu, enum td_clock_event clock)
{
	for (size_t i = 0; i < plan->events.nr; i++) {
		const struct td_event *event = &plan->events.v[i];

		if (event->pmu == pmu && totals[i].nr &&
		    !isnan(totals[i].value) &&
		    td_clock_modifiers(event->name, clock))
			return (int)i;
	}
	return -1;
}

static bool counted_anything(const struct td_plan *plan,
			     const struct td_total *totals, int pmu)
{
	for (size_t i = 0; i < plan->events.nr; i++) {
		if (plan->events.v[i].pmu == pmu && totals[i].value > 0)
			return true;
	}
	return false;
}

/*
 * Instructions on all kinds of core; NaN unless they were counted on each that
 * counted anything.
 */
static double instructions_of(const struct td_plan *plan,
			      const struct td_machine *machine,
			      const struct td_total *totals)
{
	double sum = 0;

	for (int pmu = 0; pmu < (int)machine->nr_core; pmu++) {
		int event =
			find_clock(plan, totals, pmu, TD_CLOCK_INSTRUCTIONS);

		if (event >= 0)
			sum += totals[event].value;
		else if (counted_anything(plan, totals, pmu))
			return NAN;
	}
	return sum > 0 ? sum : NAN;
}

static double ipc_of(const struct td_plan *plan, const struct td_total *totals,
		     int pmu)
{
	int work = find_clock(plan, totals, pmu, TD_CLOCK_INSTRUCTIONS);
	int clock = find_clock(plan, totals, pmu, TD_CLOCK_CYCLES);

	if (work < 0 || clock < 0 || !(totals[clock].value > 0) ||
	    strcmp(td_clock_modifiers(plan->events.v[work].name,
				      TD_CLOCK_INSTRUCTIONS),
		   td_clock_modifiers(plan->events.v[clock].name,
				      TD_CLOCK_CYCLES)) != 0)
		return NAN;
	return totals[work].value / totals[clock].value;
}

/*
 * Instructions per cycle of each PMU that is not left out, to v; NaN unless it has
 * both events, of the same privilege levels.  Returns how many there are.
 */
static size_t fill_ipc(const struct td_plan *plan,
		       const struct td_machine *machine,
		       const struct td_total *totals, const char *id,
		       struct td_diff_ipc *v)
{
	size_t nr = 0;

	for (size_t i = 0; i < machine->nr_core; i++) {
		if (machine->pmus[i].skip)
			continue;
		v[nr++] = (struct td_diff_ipc){
			.id = id,
			.pmu = machine->pmus[i].name,
			.value = ipc_of(plan, totals, (int)i),
		};
	}
	return nr;
}

/* --- ids -------------------------------------------------------------------- */

static const struct td_total *totals_of(const struct td_totals *totals,
					size_t id)
{
	return totals->v + id * totals->nr_events;
}

/*
 * The index of the id of a row, from that of the row before on: the ids of both
 * have the same order, and may be many.
 */
static size_t find_id(const struct td_totals *totals, const char *label,
		      size_t from)
{
	size_t i = from;

	while (strcmp(totals->ids[i].label, label) != 0) {
		i = (i + 1) % totals->nr_ids;
		if (i == from)
			break;
	}
	return i;
}

/* Of all ids that counted them; NaN if none did. */
static double sum_instructions(const struct td_whole *whole)
{
	const struct td_recording *rec = &whole->recorded.rec;
	double sum = 0;

	for (size_t i = 0; i < whole->totals.nr_ids; i++) {
		double of_id = instructions_of(&rec->plan, &rec->machine,
					       totals_of(&whole->totals, i));

		sum += isnan(of_id) ? 0 : of_id;
	}
	return sum > 0 ? sum : NAN;
}

static int add_ipc(struct td_whole *whole)
{
	const struct td_recording *rec = &whole->recorded.rec;
	size_t nr_pmus = rec->machine.nr_core, nr = whole->totals.nr_ids;

	whole->ipc = calloc(nr * nr_pmus + 1, sizeof(*whole->ipc));
	if (!whole->ipc)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		whole->nr_ipc += fill_ipc(
			&rec->plan, &rec->machine, totals_of(&whole->totals, i),
			whole->ids[i], whole->ipc + whole->nr_ipc);
	return 0;
}

/* How much of a label is the name. */
static size_t length_of(const char *label, enum td_aggregation how)
{
	const char *dash = strrchr(label, '-');

	return how == TD_AGGREGATE_THREAD && dash && dash != label
		       ? (size_t)(dash - label)
		       : strlen(label);
}

/*
 * What both sides call the ids: "all", a cgroup, a region, the name of a thread
 * without its tid, which is another one in each run.  One piece of memory; NULL
 * if there was none.
 */
static char **name_ids(const struct td_totals *totals, enum td_aggregation how)
{
	size_t size = (totals->nr_ids + 1) * sizeof(char *);
	char **ids, *text;

	for (size_t i = 0; i < totals->nr_ids; i++)
		size += strlen(totals->ids[i].label) + 1;
	ids = calloc(1, size);
	if (!ids)
		return NULL;
	text = (char *)(ids + totals->nr_ids + 1);
	for (size_t i = 0; i < totals->nr_ids; i++) {
		const char *label = totals->ids[i].label;
		size_t length = length_of(label, how);

		ids[i] = memcpy(text, label, length);
		text += length + 1;
	}
	return ids;
}

static int sum_up(struct td_whole *whole, struct td_err *err)
{
	const struct td_recording *rec = &whole->recorded.rec;
	struct td_view *view = &whole->view;
	int rc = td_aggregate(&view->aggregator, &view->whole, &rec->plan,
			      &whole->totals, err);

	if (!rc && !whole->totals.nr_ids)
		return td_err_set(err, -ENODATA, "%s has no counts", rec->path);
	if (rc)
		return rc;
	whole->instructions = sum_instructions(whole);
	whole->ids = name_ids(&whole->totals, whole->recorded.source.how);
	whole->works = calloc(whole->totals.nr_ids + 1, sizeof(*whole->works));
	return !whole->ids || !whole->works || add_ipc(whole)
		       ? td_err_nomem(err)
		       : 0;
}

/* CPUs and what they are in are summed up, other ids are compared. */
static enum td_aggregation choose_ids(const struct td_recorded *recorded)
{
	enum td_aggregation how = recorded->source.how;

	return how == TD_AGGREGATE_THREAD || how == TD_AGGREGATE_REGION
		       ? how
		       : TD_AGGREGATE_ALL;
}

int td_whole_read(struct td_whole *whole, const char *path,
		  const struct td_opts *opts, struct td_notes *notes,
		  struct td_err *err)
{
	struct td_recorded *recorded = &whole->recorded;
	int rc;

	*whole = (struct td_whole){ 0 };
	rc = td_recorded_open(recorded, path, &opts->request, err);
	if (!rc)
		rc = td_recorded_measure(recorded, notes, err);
	recorded->source.how = choose_ids(recorded);
	if (!rc)
		rc = td_recorded_check(&recorded->rec, recorded->source.how,
				       &recorded->request, err);
	if (!rc)
		rc = td_view_init(&whole->view, &recorded->source,
				  &recorded->request, err);
	if (!rc)
		rc = add_intervals(whole, err);
	return rc ? rc : sum_up(whole, err);
}

/* --- results ---------------------------------------------------------------- */

/* How many units of work an id did; NaN: unknown. */
static double work_of(const struct td_whole *whole, enum td_per per, size_t id)
{
	const struct td_recording *rec = &whole->recorded.rec;
	const struct td_times *times = &whole->view.whole_times;

	switch (per) {
	case TD_PER_INSTRUCTIONS:
		return instructions_of(&rec->plan, &rec->machine,
				       totals_of(&whole->totals, id));
	case TD_PER_SECOND:
		return times->elapsed_ns ? (double)times->elapsed_ns / 1e9
					 : NAN;
	case TD_PER_RUN:
		return 1;
	default:
		return NAN;
	}
}

/* Only now, as the scales are found by the labels. */
static void scale_rows(struct td_whole *whole, bool share)
{
	size_t id = 0;

	for (size_t r = 0; r < whole->report.nr_rows; r++) {
		struct td_row *row = &whole->report.rows[r];
		double slots;

		id = find_id(&whole->totals, row->id, id);
		slots = share ? 1 : row->slots / whole->works[id];
		whole->scales[r] = slots / PERCENT;
		row->id = whole->ids[id];
	}
}

static int eval_tree(struct td_whole *whole, enum td_per per,
		     struct td_err *err)
{
	struct td_recorded *recorded = &whole->recorded;
	struct td_view *view = &whole->view;
	int rc = td_evaluation_make(&view->evaluation, &recorded->measure.tree,
				    &recorded->rec.plan, err);

	td_tree_set_latencies(&recorded->measure.tree,
			      &recorded->rec.latencies);
	if (!rc)
		rc = td_eval(&view->evaluation, &whole->totals,
			     &view->whole_times, false, &whole->report, err);
	if (rc)
		return rc;
	whole->scales =
		calloc(whole->report.nr_rows + 1, sizeof(*whole->scales));
	if (!whole->scales)
		return td_err_nomem(err);
	scale_rows(whole, per == TD_PER_SLOTS);
	return 0;
}

/* The same of a row of events, whose cgroup is apart from its name. */
static size_t id_of_row(const struct td_totals *totals,
			const struct td_event_row *row, size_t from)
{
	for (size_t i = from; i < from + totals->nr_ids; i++) {
		const struct td_total_id *id = &totals->ids[i % totals->nr_ids];

		if (strcmp(id->name, row->id) == 0 &&
		    !strcmp(id->cgroup ? id->cgroup : "",
			    row->cgroup ? row->cgroup : ""))
			return i % totals->nr_ids;
	}
	return from;
}

static void scale_events(struct td_whole *whole)
{
	size_t id = 0;

	for (size_t r = 0; r < whole->events.report.nr_rows; r++) {
		struct td_event_row *row = &whole->events.report.rows[r];

		id = id_of_row(&whole->totals, row, id);
		whole->scales[r] = 1 / whole->works[id];
		row->id = whole->ids[id];
	}
}

static int eval_events(struct td_whole *whole, struct td_err *err)
{
	const struct td_recording *rec = &whole->recorded.rec;
	struct td_event_report *report = &whole->events.report;
	int rc;

	whole->events.plan = &rec->plan;
	rc = td_event_rows(&whole->events, &whole->totals,
			   &whole->view.whole_times, err);
	if (rc)
		return rc;
	td_event_rows_set_latencies(report, &rec->plan, &rec->latencies);
	whole->scales = calloc(report->nr_rows + 1, sizeof(*whole->scales));
	if (!whole->scales)
		return td_err_nomem(err);
	scale_events(whole);
	return 0;
}

static int check_work(const struct td_whole *whole, enum td_per per,
		      double work, struct td_err *err)
{
	const struct td_recording *rec = &whole->recorded.rec;

	if (per == TD_PER_SLOTS && rec->info.of_events)
		return td_err_usage(err,
				    "--per slots: %s has events and no tree",
				    rec->path);
	if (per == TD_PER_SLOTS || !isnan(work))
		return 0;
	td_err_set(err, -ENODATA, "--per %s: %s does not tell how many",
		   td_per_option(per), rec->path);
	return td_err_hint(
		err, per == TD_PER_INSTRUCTIONS
			     ? "record it again, as trees have instructions "
			       "now, or compare --per slots"
			     : "compare --per slots");
}

int td_whole_eval(struct td_whole *whole, enum td_per per,
		  struct td_diff_input *input, struct td_err *err)
{
	const struct td_recording *rec = &whole->recorded.rec;
	bool events = rec->info.of_events;
	double work = NAN;
	int rc;

	for (size_t i = 0; i < whole->totals.nr_ids; i++) {
		whole->works[i] = work_of(whole, per, i);
		work = isnan(whole->works[i]) ? work : whole->works[i];
	}
	rc = check_work(whole, per, work, err);
	if (!rc)
		rc = events ? eval_events(whole, err)
			    : eval_tree(whole, per, err);
	*input = (struct td_diff_input){
		.report = events ? NULL : &whole->report,
		.events = events ? &whole->events.report : NULL,
		.scales = whole->scales,
		.elapsed_s = rec->usage.elapsed_ns
				     ? (double)rec->usage.elapsed_ns / 1e9
				     : NAN,
		.user_s = rec->usage.has_times
				  ? (double)rec->usage.user_ns / 1e9
				  : NAN,
		.sys_s = rec->usage.has_times ? (double)rec->usage.sys_ns / 1e9
					      : NAN,
		.instructions = whole->instructions,
		.ipc = whole->ipc,
		.nr_ipc = whole->nr_ipc,
	};
	return rc;
}

void td_whole_free(struct td_whole *whole)
{
	struct td_err unused;

	td_report_free(&whole->report);
	td_event_table_free(&whole->events);
	free(whole->ids);
	free(whole->works);
	free(whole->scales);
	td_totals_free(&whole->totals);
	td_threads_free(&whole->threads);
	free(whole->ipc);
	td_view_close(&whole->view, &unused);
	td_recorded_close(&whole->recorded);
}
