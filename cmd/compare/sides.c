// SPDX-License-Identifier: GPL-2.0-only
/* Reads the recordings of both sides, and checks whether they can be compared. */
#include <math.h>

#include "cmd/compare/compare.h"
#include "lib/plan/clocks.h"
#include "metrics/table/table.h"

#define PERCENT 100

/* --- threads of one name ----------------------------------------------------- */

struct td_thread_first {
	char *name;
	int tid, life;
};

/*
 * Return the first thread with this name.  If there is none, the reading's thread becomes the
 * first.
 */
static struct td_thread_first find_first(struct td_summed *summed, const char *name,
					 const struct td_reading *reading)
{
	struct td_thread_first first = { NULL, reading->tid, reading->life };
	uint64_t hash = td_hash_text(name);
	size_t step = 0, at;

	do {
		at = td_index_next(&summed->by_name, hash, &step);
	} while (at != TD_NOT_FOUND && strcmp(summed->threads[at].name, name) != 0);
	if (at != TD_NOT_FOUND)
		return summed->threads[at];
	first.name = td_strdup(name);
	td_index_add(&summed->by_name, hash, summed->nr_threads);
	td_array_push(&summed->threads, &summed->nr_threads, &first, sizeof(first));
	return first;
}

/*
 * Add the counts of threads with the same name to the first of them, because TIDs differ from run
 * to run.
 */
static void join_threads(struct td_summed *summed, struct td_readings *readings)
{
	const struct td_task_names *names = &summed->recorded.rec.names;

	td_for_each(struct td_reading, reading, readings->v, readings->nr) {
		struct td_thread_first first;
		const char *name;

		if (reading->tid < 0)
			continue;
		name = td_task_names_find_life(names, reading->tid, reading->life);
		/* threads without a name are all different */
		if (!name)
			continue;
		first = find_first(summed, name, reading);
		reading->tid = first.tid;
		reading->life = first.life;
	}
}

/* Remove the counts of idle CPUs and unknown tasks, which no change of a program explains. */
static void remove_non_tasks(struct td_readings *readings)
{
	size_t nr = 0;

	for (size_t i = 0; i < readings->nr; i++) {
		if (readings->v[i].tid != TD_TASK_IDLE && readings->v[i].tid != TD_TASK_LOST)
			readings->v[nr++] = readings->v[i];
	}
	readings->nr = nr;
}

/* --- reading ---------------------------------------------------------------- */

static int add_intervals(struct td_summed *summed, struct td_err *err)
{
	/* only totals are compared; variation within an interval is ignored */
	static const struct td_timeline none;
	struct td_recording *rec = &summed->recorded.rec;
	enum td_aggregation how = summed->recorded.source.how;
	struct td_readings delta = { 0 };
	uint64_t time_ns = 0;
	int rc;

	while (!(rc = td_recorded_next(rec, how, &time_ns, &delta, err))) {
		const struct td_counted counted = { time_ns, &rec->times, &delta, &none };

		if (summed->recorded.source.skip_idle)
			remove_non_tasks(&delta);
		if (td_aggregation_names_tasks(how))
			join_threads(summed, &delta);
		td_view_add_to_total(&summed->view, &counted);
	}
	free(delta.v);
	if (!rec->ended)
		rec->usage.elapsed_ns = time_ns;
	return rc < 0 ? rc : 0;
}

/* --- instructions and cycles, which have only names in recordings ------------ */

/* Return the first event of the clock that was counted on the PMU; -1: none. */
static int find_clock(const struct td_plan *plan, const struct td_total *totals, int pmu,
		      enum td_clock_event clock)
{
	for (size_t i = 0; i < plan->events.nr; i++) {
		const struct td_event *event = &plan->events.v[i];

		if (event->pmu == pmu && totals[i].nr && !isnan(totals[i].value) &&
		    td_clock_modifiers(event->name, clock))
			return (int)i;
	}
	return -1;
}

static bool counted_anything(const struct td_plan *plan, const struct td_total *totals, int pmu)
{
	for (size_t i = 0; i < plan->events.nr; i++) {
		if (plan->events.v[i].pmu == pmu && totals[i].value > 0)
			return true;
	}
	return false;
}

/*
 * Return the instructions on all core types; NaN unless they were counted on each type that
 * counted anything.
 */
static double instructions_of(const struct td_plan *plan, const struct td_machine *machine,
			      const struct td_total *totals)
{
	double sum = 0;

	for (int pmu = 0; pmu < (int)machine->nr_core; pmu++) {
		int event = find_clock(plan, totals, pmu, TD_CLOCK_INSTRUCTIONS);

		if (event >= 0)
			sum += totals[event].value;
		else if (counted_anything(plan, totals, pmu))
			return NAN;
	}
	return sum > 0 ? sum : NAN;
}

static double ipc_of(const struct td_plan *plan, const struct td_total *totals, int pmu)
{
	int work = find_clock(plan, totals, pmu, TD_CLOCK_INSTRUCTIONS);
	int clock = find_clock(plan, totals, pmu, TD_CLOCK_CYCLES);

	if (work < 0 || clock < 0 || !(totals[clock].value > 0) ||
	    strcmp(td_clock_modifiers(plan->events.v[work].name, TD_CLOCK_INSTRUCTIONS),
		   td_clock_modifiers(plan->events.v[clock].name, TD_CLOCK_CYCLES)) != 0)
		return NAN;
	return totals[work].value / totals[clock].value;
}

/* --- ids -------------------------------------------------------------------- */

static const struct td_total *totals_of(const struct td_totals *totals, size_t id)
{
	return totals->v + id * totals->nr_events;
}

/*
 * Return the index of the id with this label.  from is the index for the previous row: rows
 * are in the order of their ids, so the search is short even if there are many.
 */
static size_t find_id(const struct td_totals *totals, const char *label, size_t from)
{
	size_t i = from;

	while (strcmp(totals->ids[i].label, label) != 0) {
		i = (i + 1) % totals->nr_ids;
		if (i == from)
			break;
	}
	return i;
}

/* Sum the instructions of all ids that counted them; NaN if none did. */
static double sum_instructions(const struct td_summed *summed)
{
	const struct td_recording *rec = &summed->recorded.rec;
	double sum = 0;

	for (size_t i = 0; i < summed->totals.nr_ids; i++) {
		double of_id =
			instructions_of(&rec->plan, &rec->machine, totals_of(&summed->totals, i));

		sum += isnan(of_id) ? 0 : of_id;
	}
	return sum > 0 ? sum : NAN;
}

/*
 * Add the instructions per cycle of each id and PMU that is not left out.  The value is NaN if one
 * of both events is missing, or if they count different privilege levels.
 */
static void add_ipc(struct td_summed *summed)
{
	const struct td_recording *rec = &summed->recorded.rec;

	for (size_t i = 0; i < summed->ids.nr; i++) {
		const struct td_total *totals = totals_of(&summed->totals, i);

		for (size_t pmu = 0; pmu < rec->machine.nr_core; pmu++) {
			const struct td_diff_ipc ipc = {
				.id = summed->ids.v[i],
				.pmu = rec->machine.pmus[pmu].name,
				.value = ipc_of(&rec->plan, totals, (int)pmu),
			};

			if (!rec->machine.pmus[pmu].skip)
				td_array_push(&summed->ipc, &summed->nr_ipc, &ipc, sizeof(ipc));
		}
	}
}

/* Return the length of the name in a label. */
static size_t length_of(const char *label, enum td_aggregation how)
{
	const char *dash = strrchr(label, '-');

	return td_aggregation_has_tids(how) && dash && dash != label ? (size_t)(dash - label)
								     : strlen(label);
}

static int sum_up(struct td_summed *summed, struct td_err *err)
{
	const struct td_recording *rec = &summed->recorded.rec;
	struct td_view *view = &summed->view;

	td_aggregate(&view->aggregator, &view->whole, &rec->plan, &summed->totals);
	if (!summed->totals.nr_ids)
		return td_err_set(err, -ENODATA, "%s has no counts", rec->path);
	summed->instructions = sum_instructions(summed);
	/*
	 * Set the names of the ids, which both sides share: "all", a cgroup, a region, the name of
	 * a thread without its TID, which differs from run to run.
	 */
	for (size_t i = 0; i < summed->totals.nr_ids; i++) {
		const char *label = summed->totals.ids[i].label;
		char *name = td_strndup(label, length_of(label, summed->recorded.source.how));

		td_array_push(&summed->ids.v, &summed->ids.nr, &name, sizeof(name));
	}
	summed->works = td_calloc(summed->totals.nr_ids + 1, sizeof(*summed->works));
	add_ipc(summed);
	return 0;
}

int td_summed_read(struct td_summed *summed, const char *path, const struct td_opts *opts,
		   struct td_notes *notes, struct td_err *err)
{
	struct td_recorded *recorded = &summed->recorded;

	*summed = (struct td_summed){ 0 };
	if (td_recorded_open(recorded, path, &opts->request, err) ||
	    td_recorded_measure(recorded, notes, err))
		return err->code;
	/* CPUs, cores, sockets ... are summed up; other ids are compared */
	if (!td_aggregation_names_tasks(recorded->source.how) &&
	    recorded->source.how != TD_AGGREGATE_REGION)
		recorded->source.how = TD_AGGREGATE_ALL;
	if (td_recorded_check(&recorded->rec, recorded->source.how, &recorded->request, err) ||
	    td_view_init(&summed->view, &recorded->source, &recorded->request, err) ||
	    add_intervals(summed, err))
		return err->code;
	return sum_up(summed, err);
}

/* --- results ---------------------------------------------------------------- */

/* Return the number of units of work of an id; NaN: unknown. */
static double work_of(const struct td_summed *summed, enum td_per per, size_t id)
{
	const struct td_recording *rec = &summed->recorded.rec;
	const struct td_times *times = &summed->view.whole_times;

	switch (per) {
	case TD_PER_INSTRUCTIONS:
		return instructions_of(&rec->plan, &rec->machine, totals_of(&summed->totals, id));
	case TD_PER_SECOND:
		return times->elapsed_ns ? (double)times->elapsed_ns / 1e9 : NAN;
	case TD_PER_RUN:
		return 1;
	default:
		return NAN;
	}
}

static void eval_tree(struct td_summed *summed, enum td_per per)
{
	struct td_recorded *recorded = &summed->recorded;
	struct td_view *view = &summed->view;
	size_t id = 0;

	td_evaluation_make(&view->evaluation, &recorded->measure.tree, &recorded->rec.plan);
	td_tree_set_latencies(&recorded->measure.tree, &recorded->rec.latencies);
	td_eval(&view->evaluation, &summed->totals, &view->whole_times, false, &summed->report);
	summed->scales = td_calloc(summed->report.nr_rows + 1, sizeof(*summed->scales));
	/* names come last, because ids are found by the labels */
	for (size_t r = 0; r < summed->report.nr_rows; r++) {
		struct td_row *row = &summed->report.rows[r];
		double slots;

		id = find_id(&summed->totals, row->id, id);
		slots = per == TD_PER_SLOTS ? 1 : row->slots / summed->works[id];
		summed->scales[r] = slots / PERCENT;
		row->id = summed->ids.v[id];
	}
}

/* Return the index of the id of a row of events, with name and cgroup. */
static size_t id_of_row(const struct td_totals *totals, const struct td_event_row *row, size_t from)
{
	for (size_t i = from; i < from + totals->nr_ids; i++) {
		const struct td_total_id *id = &totals->ids[i % totals->nr_ids];

		if (strcmp(id->name, row->id) == 0 &&
		    !strcmp(id->cgroup ? id->cgroup : "", row->cgroup ? row->cgroup : ""))
			return i % totals->nr_ids;
	}
	return from;
}

static void eval_events(struct td_summed *summed)
{
	const struct td_recording *rec = &summed->recorded.rec;
	struct td_event_report *report = &summed->events.report;
	size_t id = 0;

	summed->events.plan = &rec->plan;
	td_event_rows(&summed->events, &summed->totals, &summed->view.whole_times);
	td_event_rows_set_latencies(report, &rec->plan, &rec->latencies);
	summed->scales = td_calloc(report->nr_rows + 1, sizeof(*summed->scales));
	for (size_t r = 0; r < summed->events.report.nr_rows; r++) {
		struct td_event_row *row = &summed->events.report.rows[r];

		id = id_of_row(&summed->totals, row, id);
		summed->scales[r] = 1 / summed->works[id];
		row->id = summed->ids.v[id];
	}
}

static int check_work(const struct td_summed *summed, enum td_per per, double work,
		      struct td_err *err)
{
	const struct td_recording *rec = &summed->recorded.rec;

	if (per == TD_PER_SLOTS && rec->info.of_events)
		return td_err_usage(err, "--per slots: %s has events and no tree", rec->path);
	if (per == TD_PER_SLOTS || !isnan(work))
		return 0;
	td_err_set(err, -ENODATA, "--per %s: %s does not contain their number", td_per_option(per),
		   rec->path);
	return td_err_hint(
		err, per == TD_PER_INSTRUCTIONS
			     ? "record it again, now with instructions, or compare --per slots"
			     : "compare --per slots");
}

/*
 * Compute the results for one unit of work; input borrows them.  Returns -ENODATA if the number
 * of units is unknown.
 */
static int eval_summed(struct td_summed *summed, enum td_per per, struct td_diff_input *input,
		       struct td_err *err)
{
	const struct td_recording *rec = &summed->recorded.rec;
	bool events = rec->info.of_events;
	double work = NAN;
	int rc;

	for (size_t i = 0; i < summed->totals.nr_ids; i++) {
		summed->works[i] = work_of(summed, per, i);
		work = isnan(summed->works[i]) ? work : summed->works[i];
	}
	rc = check_work(summed, per, work, err);
	if (rc)
		return rc;
	if (events)
		eval_events(summed);
	else
		eval_tree(summed, per);
	*input = (struct td_diff_input){
		.report = events ? NULL : &summed->report,
		.events = events ? &summed->events.report : NULL,
		.scales = summed->scales,
		.elapsed_s = rec->usage.elapsed_ns ? (double)rec->usage.elapsed_ns / 1e9 : NAN,
		.user_s = rec->usage.has_times ? (double)rec->usage.user_ns / 1e9 : NAN,
		.sys_s = rec->usage.has_times ? (double)rec->usage.sys_ns / 1e9 : NAN,
		.instructions = summed->instructions,
		.ipc = summed->ipc,
		.nr_ipc = summed->nr_ipc,
	};
	return 0;
}

static void free_summed(struct td_summed *summed)
{
	struct td_err unused;

	td_report_free(&summed->report);
	td_event_table_free(&summed->events);
	td_names_free(&summed->ids);
	free(summed->works);
	free(summed->scales);
	td_totals_free(&summed->totals);
	for (size_t i = 0; i < summed->nr_threads; i++)
		free(summed->threads[i].name);
	free(summed->threads);
	td_index_free(&summed->by_name);
	free(summed->ipc);
	td_view_close(&summed->view, &unused);
	td_recorded_close(&summed->recorded);
}

/* --- what makes recordings hard to compare -------------------------------- */

static void check_processor(const struct td_recorded *first, const struct td_recorded *other,
			    struct td_notes *notes)
{
	const struct td_cpuid *of_a = &first->rec.machine.cpuid;
	const struct td_cpuid *of_b = &other->rec.machine.cpuid;
	char a[48], b[48];

	if (td_cpuid_is_same(of_a, of_b))
		return;
	td_cpuid_format(of_a, a);
	td_cpuid_format(of_b, b);
	td_notes_add(notes, "%s is from another processor than %s: %s, not %s", other->rec.path,
		     first->rec.path, b, a);
}

static bool same_names(const struct td_ask *a, const struct td_ask *b)
{
	if (a->nr_names != b->nr_names)
		return false;
	for (size_t i = 0; i < a->nr_names; i++) {
		if (strcmp(a->names[i], b->names[i]) != 0)
			return false;
	}
	return true;
}

static bool shows(const struct td_tree *tree, const struct td_metric *metric)
{
	td_for_each(const struct td_metric, other, tree->metrics, tree->nr_metrics) {
		if (other->shown && other->pmu == metric->pmu &&
		    strcmp(other->name, metric->name) == 0)
			return true;
	}
	return false;
}

/* Return true if tree shows all metrics of another one: a recording may have fewer levels. */
static bool shows_all(const struct td_tree *tree, const struct td_tree *of)
{
	for (size_t i = 0; i < of->nr_metrics; i++) {
		if (of->metrics[i].shown && !shows(tree, &of->metrics[i]))
			return false;
	}
	return true;
}

static void check_metrics(const struct td_recorded *first, const struct td_recorded *other,
			  struct td_notes *notes)
{
	const struct td_ask *a = &first->request.ask, *b = &other->request.ask;

	if (first->rec.info.of_events ||
	    (a->level == b->level && a->drill == b->drill && a->only_level == b->only_level &&
	     a->bottlenecks == b->bottlenecks && same_names(a, b) &&
	     shows_all(&first->measure.tree, &other->measure.tree) &&
	     shows_all(&other->measure.tree, &first->measure.tree)))
		return;
	td_notes_add(notes, "%s has other metrics or levels than %s", other->rec.path,
		     first->rec.path);
}

/* Compare the targets.  Files of perf stat do not contain one. */
static void check_target(const struct td_recorded *first, const struct td_recorded *other,
			 struct td_notes *notes)
{
	const struct td_target_name *of_a = &first->rec.info.target;
	const struct td_target_name *of_b = &other->rec.info.target;
	td_autofree char *a = td_target_name_format(of_a);
	td_autofree char *b = td_target_name_format(of_b);

	if (of_a->kind == TD_TARGET_FILE || of_b->kind == TD_TARGET_FILE || strcmp(a, b) == 0)
		return;
	td_notes_add(notes, "%s is from another target than %s: '%s', not '%s'", other->rec.path,
		     first->rec.path, b, a);
}

static bool share_a_pmu(const struct td_machine *a, const struct td_machine *b)
{
	for (size_t i = 0; i < a->nr_core; i++) {
		if (!a->pmus[i].skip && td_machine_find_pmu(b, a->pmus[i].name) >= 0)
			return true;
	}
	return !a->nr_core || !b->nr_core;
}

/*
 * Note how a recording differs from the first one: another processor, other metrics, another
 * target.  Returns an error if there is nothing to compare: events and a tree, or no PMU in common.
 */
static int check_alike(const struct td_recorded *first, const struct td_recorded *other,
		       struct td_notes *notes, struct td_err *err)
{
	const char *a = first->rec.path, *b = other->rec.path;

	if (first->rec.info.of_events != other->rec.info.of_events)
		return td_err_set(
			err, -EINVAL, "%s has events and %s a tree: they cannot be compared",
			first->rec.info.of_events ? a : b, first->rec.info.of_events ? b : a);
	if (!share_a_pmu(&first->rec.machine, &other->rec.machine))
		return td_err_set(err, -EINVAL,
				  "%s and %s have no PMU in common: they cannot be compared", a, b);
	check_processor(first, other, notes);
	check_metrics(first, other, notes);
	check_target(first, other, notes);
	return 0;
}

int td_sides_read(struct td_sides *sides, const struct td_opts *opts, struct td_notes *notes,
		  struct td_err *err)
{
	size_t nr = opts->nr_patterns;

	*sides = (struct td_sides){
		.v = td_calloc(nr, sizeof(*sides->v)),
		.inputs = td_calloc(nr, sizeof(*sides->inputs)),
		.nr_a = opts->diff.nr_before ? opts->diff.nr_before : 1,
	};
	for (size_t i = 0; i < nr; i++) {
		/* the first of B is compared with A; all others with the first of their side */
		const struct td_summed *first = &sides->v[i > sides->nr_a ? sides->nr_a : 0];

		sides->nr++;
		if (td_summed_read(&sides->v[i], opts->patterns[i], opts, notes, err) ||
		    check_alike(&first->recorded, &sides->v[i].recorded, notes, err))
			return err->code;
	}
	return 0;
}

/* Return true if each recording contains a command that ran to its end. */
static bool is_of_runs(const struct td_sides *sides)
{
	for (size_t i = 0; i < sides->nr; i++) {
		const struct td_recording *rec = &sides->v[i].recorded.rec;

		if (rec->info.target.kind != TD_TARGET_COMMAND || !rec->ended)
			return false;
	}
	return true;
}

/*
 * Choose the default unit of work.  Two commands do the same work, whatever number of instructions
 * they need.  A recording of a machine may have been stopped at any point.  Counts of events are
 * always per run.
 */
static enum td_per choose_per(const struct td_sides *sides)
{
	if (is_of_runs(sides) || sides->v[0].recorded.rec.info.of_events)
		return TD_PER_RUN;
	for (size_t i = 0; i < sides->nr; i++) {
		if (isnan(sides->v[i].instructions))
			return TD_PER_SLOTS;
	}
	return TD_PER_INSTRUCTIONS;
}

static struct td_diff_side side_of(const struct td_sides *sides, size_t first, size_t nr)
{
	return (struct td_diff_side){
		.v = sides->inputs + first,
		.nr = nr,
		.name = sides->v[first].recorded.rec.path,
		.is_command = sides->names[0],
		.of_runs = is_of_runs(sides),
	};
}

int td_sides_compare(struct td_sides *sides, enum td_per per, struct td_diff *diff,
		     struct td_err *err)
{
	const struct td_diff_side a = side_of(sides, 0, sides->nr_a);
	const struct td_diff_side b = side_of(sides, sides->nr_a, sides->nr - sides->nr_a);

	if (per == TD_PER_DEFAULT)
		per = choose_per(sides);
	for (size_t i = 0; i < sides->nr; i++) {
		if (eval_summed(&sides->v[i], per, &sides->inputs[i], err))
			return err->code;
	}
	td_diff_make(diff, &a, &b, per);
	return 0;
}

void td_sides_free(struct td_sides *sides)
{
	for (size_t i = 0; i < sides->nr; i++)
		free_summed(&sides->v[i]);
	free(sides->v);
	free(sides->inputs);
	for (size_t s = 0; s < TD_DIFF_SIDES; s++)
		free(sides->names[s]);
	*sides = (struct td_sides){ 0 };
}

/* --- ids -------------------------------------------------------------------- */

/* Note an id that only one side has.  Returns the row after its last one. */
static size_t note_id(const struct td_diff *diff, size_t row, struct td_notes *notes)
{
	const char *id = diff->rows[row].id;
	/* times are not per id, so a side without times may still have ids */
	bool all = diff->rows[row].kind == TD_DIFF_TIME;
	bool has[TD_DIFF_SIDES] = { all, all };

	for (; row < diff->nr && !strcmp(diff->rows[row].id, id); row++) {
		for (int s = 0; s < TD_DIFF_SIDES; s++)
			has[s] |= !isnan(diff->rows[row].value.of[s]);
	}
	if (has[TD_DIFF_A] != has[TD_DIFF_B])
		td_notes_add(notes, "%s: only in %s", id, has[TD_DIFF_A] ? "A" : "B");
	return row;
}

/* Note the ids that only one side has.  The rows of an id are consecutive. */
void td_note_ids(const struct td_diff *diff, struct td_notes *notes)
{
	size_t i = 0;

	while (diff->has_ids && i < diff->nr)
		i = note_id(diff, i, notes);
}

/* --- cores ---------------------------------------------------------------- */

/* Maximum difference of a core type's shares without a note, in points. */
#define APART 10

/* Sum the slots of all ids of a side on a core type; NULL: on all types. */
static double slots_of(const struct td_sides *sides, int side, const char *pmu)
{
	size_t first = side == TD_DIFF_A ? 0 : sides->nr_a;
	size_t end = side == TD_DIFF_A ? sides->nr_a : sides->nr;
	double sum = 0;

	for (size_t i = first; i < end; i++) {
		const struct td_report *report = &sides->v[i].report;

		td_for_each(const struct td_row, row, report->rows, report->nr_rows) {
			if (!isnan(row->slots) && (!pmu || strcmp(row->pmu, pmu) == 0))
				sum += row->slots;
		}
	}
	return sum;
}

/* Return a core type's share of the slots of a side (in %); NaN without slots. */
static double share_of(const struct td_sides *sides, int side, const char *pmu)
{
	return PERCENT * slots_of(sides, side, pmu) / slots_of(sides, side, NULL);
}

/* Return the core type with most slots on both sides together. */
static const struct td_pmu *find_usual(const struct td_machine *machine,
				       const struct td_sides *sides)
{
	const struct td_pmu *usual = NULL;
	double most = 0;

	td_for_each(const struct td_pmu, pmu, machine->pmus, machine->nr_core) {
		double share = share_of(sides, TD_DIFF_A, pmu->name) +
			       share_of(sides, TD_DIFF_B, pmu->name);

		if (!pmu->skip && share > most) {
			usual = pmu;
			most = share;
		}
	}
	return usual;
}

/* Return true if the command pins itself (taskset), whatever CPUs it starts on. */
static bool is_pinned(const struct td_sides *sides, int side)
{
	const char *name = sides->names[side];

	return name && strncmp(name, "taskset ", 8) == 0;
}

static void add_note(const struct td_sides *sides, const struct td_pmu *pmu, double a, double b,
		     struct td_notes *notes)
{
	td_autofree char *cpus = td_ints_format(&pmu->cpus);

	td_notes_add(
		notes,
		"A and B ran on different core types: %.0f %% of the slots of A were on %s, and %.0f "
		"%% of B's",
		a, pmu->name, b);
	/* files of perf stat do not contain the CPUs of a core type */
	if (!pmu->cpus.nr)
		return;
	if (is_pinned(sides, TD_DIFF_A) || is_pinned(sides, TD_DIFF_B))
		td_notes_add(notes, "taskset put them there: the CPUs of %s are %s", pmu->name,
			     cpus);
	else if (sides->names[TD_DIFF_A])
		td_notes_add(notes,
			     "to keep both on one core type, begin the line with taskset -c %s",
			     cpus);
	else if (sides->v[0].recorded.rec.info.tasks)
		td_notes_add(
			notes,
			"to record both on one core type: tdstat record -o FILE -- taskset -c %s "
			"COMMAND",
			cpus);
	else
		td_notes_add(notes, "to record only one core type: tdstat record -o FILE -C %s",
			     cpus);
}

void td_note_cores(const struct td_sides *sides, struct td_notes *notes)
{
	const struct td_machine *machine = &sides->v[0].recorded.rec.machine;
	const struct td_pmu *pmu = find_usual(machine, sides);
	double a, b;

	if (!pmu || machine->nr_core < 2)
		return;
	a = share_of(sides, TD_DIFF_A, pmu->name);
	b = share_of(sides, TD_DIFF_B, pmu->name);
	if (fabs(a - b) > APART)
		add_note(sides, pmu, a, b, notes);
}
