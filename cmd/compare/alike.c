// SPDX-License-Identifier: GPL-2.0-only
/* What makes recordings hard to compare. */
#include "cmd/compare/alike.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"

static void check_processor(const struct td_recorded *first,
			    const struct td_recorded *other,
			    struct td_notes *notes)
{
	char a[48], b[48];

	td_cpuid_format(&first->rec.machine.cpuid, a);
	td_cpuid_format(&other->rec.machine.cpuid, b);
	if (strcmp(a, b) != 0)
		td_notes_add(notes,
			     "%s is of another processor than %s: %s, not %s",
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
	const struct td_ask *a = &first->opts.ask, *b = &other->opts.ask;

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

static bool has_pmu(const struct td_machine *machine, const char *name)
{
	for (size_t i = 0; i < machine->nr_pmus; i++) {
		if (strcmp(machine->pmus[i].name, name) == 0)
			return true;
	}
	return false;
}

static bool share_a_pmu(const struct td_machine *a, const struct td_machine *b)
{
	for (size_t i = 0; i < a->nr_core; i++) {
		if (!a->pmus[i].skip && has_pmu(b, a->pmus[i].name))
			return true;
	}
	return !a->nr_core || !b->nr_core;
}

int td_check_alike(const struct td_recorded *first,
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
