// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/compare/cores.h"

#include <math.h>
#include <string.h>

#include "lib/base/util.h"

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
	else
		td_notes_add(notes,
			     "to record both on one kind: tdstat record -o "
			     "FILE -- taskset -c %s COMMAND",
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
