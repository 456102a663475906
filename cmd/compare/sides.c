// SPDX-License-Identifier: GPL-2.0-only
/* Recordings of A and of B, and in what they are not alike. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/compare/compare.h"
#include "lib/base/util.h"

/* --- what makes recordings hard to compare -------------------------------- */

static void check_processor(const struct td_recorded *first,
			    const struct td_recorded *other,
			    struct td_notes *notes)
{
	const struct td_cpuid *of_a = &first->rec.machine.cpuid;
	const struct td_cpuid *of_b = &other->rec.machine.cpuid;
	char a[48], b[48];

	if (td_cpuid_is_same(of_a, of_b))
		return;
	td_cpuid_format(of_a, a);
	td_cpuid_format(of_b, b);
	td_notes_add(notes, "%s is of another processor than %s: %s, not %s",
		     other->rec.path, first->rec.path, b, a);
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

static void check_metrics(const struct td_recorded *first,
			  const struct td_recorded *other,
			  struct td_notes *notes)
{
	const struct td_ask *a = &first->request.ask, *b = &other->request.ask;

	if (first->rec.info.of_events ||
	    (a->level == b->level && a->drill == b->drill &&
	     a->only_level == b->only_level &&
	     a->bottlenecks == b->bottlenecks && same_names(a, b)))
		return;
	td_notes_add(notes, "%s has other metrics or levels than %s",
		     other->rec.path, first->rec.path);
}

/* What perf stat wrote has no target. */
static void check_target(const struct td_recorded *first,
			 const struct td_recorded *other,
			 struct td_notes *notes)
{
	const struct td_target_name *of_a = &first->rec.info.target;
	const struct td_target_name *of_b = &other->rec.info.target;
	td_autofree char *a = td_target_name_format(of_a);
	td_autofree char *b = td_target_name_format(of_b);

	if (of_a->kind == TD_TARGET_FILE || of_b->kind == TD_TARGET_FILE ||
	    !a || !b || strcmp(a, b) == 0)
		return;
	td_notes_add(notes, "%s is of another target than %s: '%s', not '%s'",
		     other->rec.path, first->rec.path, b, a);
}

static bool share_a_pmu(const struct td_machine *a, const struct td_machine *b)
{
	for (size_t i = 0; i < a->nr_core; i++) {
		if (!a->pmus[i].skip &&
		    td_machine_find_pmu(b, a->pmus[i].name) >= 0)
			return true;
	}
	return !a->nr_core || !b->nr_core;
}

/*
 * Notes in what a recording is not like the first one: another processor, other
 * metrics, another target.  An error if they have nothing to compare: events and a
 * tree, or no PMU in common.
 */
static int check_alike(const struct td_recorded *first,
		       const struct td_recorded *other, struct td_notes *notes,
		       struct td_err *err)
{
	const char *a = first->rec.path, *b = other->rec.path;

	if (first->rec.info.of_events != other->rec.info.of_events)
		return td_err_set(err, -EINVAL,
				  "%s has events and %s a tree: they cannot be "
				  "compared",
				  first->rec.info.of_events ? a : b,
				  first->rec.info.of_events ? b : a);
	if (!share_a_pmu(&first->rec.machine, &other->rec.machine))
		return td_err_set(
			err, -EINVAL,
			"%s and %s have no PMU in common: they cannot "
			"be compared",
			a, b);
	check_processor(first, other, notes);
	check_metrics(first, other, notes);
	check_target(first, other, notes);
	return 0;
}

/*
 * What a recording is to be like: the first of its side.  Only the first of B is
 * told from A, as what is said of it is true of the others.
 */
static const struct td_recorded *like_of(const struct td_sides *sides,
					 size_t index)
{
	return &sides->v[index > sides->nr_a ? sides->nr_a : 0].recorded;
}

static int read_next(struct td_sides *sides, const struct td_opts *opts,
		     struct td_notes *notes, struct td_err *err)
{
	const struct td_recorded *like = like_of(sides, sides->nr);
	struct td_whole *whole = &sides->v[sides->nr];
	const char *path = opts->patterns[sides->nr++];
	int rc = td_whole_read(whole, path, opts, notes, err);

	return rc ? rc : check_alike(like, &whole->recorded, notes, err);
}

int td_sides_read(struct td_sides *sides, const struct td_opts *opts,
		  struct td_notes *notes, struct td_err *err)
{
	size_t nr = opts->nr_patterns;
	int rc = 0;

	*sides = (struct td_sides){
		.v = calloc(nr, sizeof(*sides->v)),
		.inputs = calloc(nr, sizeof(*sides->inputs)),
		.nr_a = opts->diff.nr_before ? opts->diff.nr_before : 1,
	};
	if (!sides->v || !sides->inputs)
		return td_err_nomem(err);
	while (!rc && sides->nr < nr)
		rc = read_next(sides, opts, notes, err);
	return rc;
}

/* Is each of a command, which ran to its end? */
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
 * Two commands do the same work, however many instructions they need for it.  Who
 * recorded a machine may have stopped anywhere.  Counts of events are always those
 * of a run.
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

static struct td_diff_side side_of(const struct td_sides *sides, size_t first,
				   size_t nr)
{
	return (struct td_diff_side){
		.v = sides->inputs + first,
		.nr = nr,
		.name = sides->v[first].recorded.rec.path,
		.is_command = sides->names[0],
		.of_runs = is_of_runs(sides),
	};
}

int td_sides_compare(struct td_sides *sides, enum td_per per,
		     struct td_diff *diff, struct td_err *err)
{
	const struct td_diff_side a = side_of(sides, 0, sides->nr_a);
	const struct td_diff_side b =
		side_of(sides, sides->nr_a, sides->nr - sides->nr_a);
	int rc = 0;

	if (per == TD_PER_DEFAULT)
		per = choose_per(sides);
	for (size_t i = 0; !rc && i < sides->nr; i++)
		rc = td_whole_eval(&sides->v[i], per, &sides->inputs[i], err);
	return rc ? rc : td_diff_make(diff, &a, &b, per, err);
}

bool td_sides_is_written(const struct td_sides *sides, int fd)
{
	for (size_t i = 0; i < sides->nr; i++) {
		if (td_recording_is_written(&sides->v[i].recorded.rec, fd))
			return true;
	}
	return false;
}

void td_sides_warn(const struct td_sides *sides)
{
	for (size_t i = 0; i < sides->nr; i++)
		td_recorded_warn(&sides->v[i].recorded.rec);
}

void td_sides_free(struct td_sides *sides)
{
	for (size_t i = 0; i < sides->nr; i++)
		td_whole_free(&sides->v[i]);
	free(sides->v);
	free(sides->inputs);
	for (size_t s = 0; s < TD_DIFF_SIDES; s++)
		free(sides->names[s]);
	*sides = (struct td_sides){ 0 };
}

/* --- ids -------------------------------------------------------------------- */

/* Notes an id that only one side has.  Returns the row behind its last one. */
static size_t note_id(const struct td_diff *diff, size_t row,
		      struct td_notes *notes)
{
	const char *id = diff->rows[row].id;
	/* the time is of all ids: who has no time may have them nevertheless */
	bool all = diff->rows[row].kind == TD_DIFF_TIME;
	bool has[TD_DIFF_SIDES] = { all, all };

	for (; row < diff->nr && !strcmp(diff->rows[row].id, id); row++) {
		for (int s = 0; s < TD_DIFF_SIDES; s++)
			has[s] |= !isnan(diff->rows[row].value.of[s]);
	}
	if (has[TD_DIFF_A] != has[TD_DIFF_B])
		td_notes_add(notes, "%s: only in %s", id,
			     has[TD_DIFF_A] ? "A" : "B");
	return row;
}

/* The rows of an id follow each other. */
void td_note_ids(const struct td_diff *diff, struct td_notes *notes)
{
	size_t i = 0;

	while (diff->has_ids && i < diff->nr)
		i = note_id(diff, i, notes);
}

/* --- cores ---------------------------------------------------------------- */

#define PERCENT 100
/* points by which the shares of one kind may differ: it was chance, or is small */
#define APART 10

/* The slots of all ids of a side on a kind of core; NULL: on all kinds. */
static double slots_of(const struct td_sides *sides, int side, const char *pmu)
{
	size_t first = side == TD_DIFF_A ? 0 : sides->nr_a;
	size_t end = side == TD_DIFF_A ? sides->nr_a : sides->nr;
	double sum = 0;

	for (size_t i = first; i < end; i++) {
		const struct td_report *report = &sides->v[i].report;

		for (size_t r = 0; r < report->nr_rows; r++) {
			const struct td_row *row = &report->rows[r];

			if (!isnan(row->slots) &&
			    (!pmu || strcmp(row->pmu, pmu) == 0))
				sum += row->slots;
		}
	}
	return sum;
}

/* NaN if there are none. */
static double share_of(const struct td_sides *sides, int side, const char *pmu)
{
	return PERCENT * slots_of(sides, side, pmu) /
	       slots_of(sides, side, NULL);
}

/* The kind that most of both ran on. */
static const struct td_pmu *find_usual(const struct td_machine *machine,
				       const struct td_sides *sides)
{
	const struct td_pmu *usual = NULL;
	double most = 0;

	for (size_t i = 0; i < machine->nr_core; i++) {
		const struct td_pmu *pmu = &machine->pmus[i];
		double share = share_of(sides, TD_DIFF_A, pmu->name) +
			       share_of(sides, TD_DIFF_B, pmu->name);

		if (!pmu->skip && share > most) {
			usual = pmu;
			most = share;
		}
	}
	return usual;
}

/* Its command chooses its CPUs, whatever it is started on. */
static bool is_pinned(const struct td_sides *sides, int side)
{
	const char *name = sides->names[side];

	return name && strncmp(name, "taskset ", 8) == 0;
}

static void add_note(const struct td_sides *sides, const struct td_pmu *pmu,
		     double a, double b, struct td_notes *notes)
{
	td_autofree char *cpus = td_ints_format(&pmu->cpus);

	if (!cpus) {
		notes->lost = true;
		return;
	}
	td_notes_add(notes,
		     "A and B ran on different kinds of core: %.0f %% of the "
		     "slots of A were of %s, and %.0f %% of B's",
		     a, pmu->name, b);
	if (is_pinned(sides, TD_DIFF_A) || is_pinned(sides, TD_DIFF_B))
		td_notes_add(notes,
			     "taskset put them there: the CPUs of %s "
			     "are %s",
			     pmu->name, cpus);
	else if (sides->names[TD_DIFF_A])
		td_notes_add(notes,
			     "to keep both on one kind, begin the line with "
			     "taskset -c %s",
			     cpus);
	else if (sides->v[0].recorded.rec.info.tasks)
		td_notes_add(notes,
			     "to record both on one kind: tdstat record -o "
			     "FILE -- taskset -c %s COMMAND",
			     cpus);
	else
		td_notes_add(notes,
			     "to record one kind alone: tdstat record -o FILE "
			     "-C %s",
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
