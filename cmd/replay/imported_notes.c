// SPDX-License-Identifier: GPL-2.0-only
/* What is said of a tree of a file of perf stat, and of its lack. */
#include <string.h>

#include "cmd/replay/imported.h"
#include "cmd/replay/imported_cores.h"
#include "metrics/sets/builtin.h"

static bool has_model(const struct td_machine *machine)
{
	return machine->cpuid.family;
}

static void note_pmu(const struct td_recording *rec, struct td_pmu *pmu,
		     struct td_notes *notes)
{
	const struct td_machine *machine = &rec->machine;
	const char *lacking = td_imported_lacks(
		pmu, has_model(machine)
			     ? td_model_uarch(machine->model, pmu->name)
			     : TD_GOLDEN_COVE);

	if (pmu->skip)
		return;
	if (!has_model(machine) && !td_builtin_find(machine, pmu)) {
		pmu->skip = true;
		td_notes_add(
			notes,
			"%s: %s is not shown: --model NAME would say which "
			"core it is",
			rec->path, pmu->name);
	} else if (lacking && has_model(machine)) {
		td_notes_add(notes,
			     "%s: %s has no %s, by which its shares would be "
			     "corrected",
			     rec->path, pmu->name, lacking);
	}
}

static bool has_some(const struct td_machine *machine)
{
	for (size_t i = 0; i < machine->nr_core; i++) {
		if (!machine->pmus[i].skip &&
		    td_builtin_find(machine, &machine->pmus[i]))
			return true;
	}
	return false;
}

void td_import_note(const struct td_imported *imported,
		    struct td_recording *rec, struct td_notes *notes)
{
	struct td_machine *machine = &rec->machine;

	if (!imported->tree || (!has_model(machine) && !has_some(machine)))
		return;
	for (size_t i = 0; i < machine->nr_core; i++)
		note_pmu(rec, &machine->pmus[i], notes);
}

/* The first top-down event that is left on "cpu", which no hybrid model has. */
static const char *unplaced(const struct td_imported *imported,
			    const struct td_recording *rec)
{
	const struct td_machine *machine = &rec->machine;
	int cpu = td_machine_find_pmu(machine, "cpu");

	if (cpu < 0 || !machine->model || !td_model_is_hybrid(machine->model))
		return NULL;
	for (size_t i = 0; i < imported->nr; i++) {
		if (rec->plan.events.v[i].pmu == cpu && imported->names[i] &&
		    td_imported_is_topdown(imported->names[i]))
			return imported->names[i];
	}
	return NULL;
}

/* Why a PMU has no tree; false if it is not the reason. */
static bool note_missing(const struct td_recording *rec,
			 const struct td_pmu *pmu, struct td_notes *notes)
{
	const char *field = td_imported_missing(pmu);

	if (field && (td_pmu_has_slots(pmu) || !strcmp(pmu->name, "cpu")))
		td_notes_add(notes,
			     "%s: no tree, as %s has no %s: its events are "
			     "shown",
			     rec->path, pmu->name, field);
	else if (!has_model(&rec->machine))
		td_notes_add(notes,
			     "%s: no tree without --model NAME, which says "
			     "what core %s is: its events are shown",
			     rec->path, pmu->name);
	else
		return false;
	return true;
}

void td_import_why(const struct td_imported *imported,
		   const struct td_recording *rec, const struct td_err *err,
		   struct td_notes *notes)
{
	const struct td_machine *machine = &rec->machine;
	const char *name = unplaced(imported, rec);
	size_t len = strlen(rec->path);

	if (name) {
		td_notes_add(notes,
			     "%s: no tree, as both kinds of core have %s: its "
			     "events are shown",
			     rec->path, name);
		return;
	}
	for (size_t i = 0; i < machine->nr_core; i++) {
		if (note_missing(rec, &machine->pmus[i], notes))
			return;
	}
	/* most errors begin with the path, too */
	td_notes_add(notes, "%s: no tree: %s: its events are shown", rec->path,
		     strncmp(err->msg, rec->path, len) == 0 &&
				     strncmp(err->msg + len, ": ", 2) == 0
			     ? err->msg + len + 2
			     : err->msg);
}
