// SPDX-License-Identifier: GPL-2.0-only
/* Makes a recording of a tree from a file of perf stat. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/plan/catalog.h"
#include "cmd/replay/parts.h"
#include "lib/base/util.h"
#include "lib/recording/fill.h"
#include "lib/recording/perf/perf.h"

/* --- PMUs ------------------------------------------------------------------ */

/* Does this PMU of the model have an event of that name, without its terms? */
static int has_event(const struct td_pmu *pmu, const char *id,
		     struct td_catalog *catalog, bool *has, struct td_err *err)
{
	td_autofree char *name = strndup(id, strcspn(id, ","));
	const char *terms = NULL;
	int rc = 0;

	if (!name)
		return td_err_nomem(err);
	*has = td_pmu_has_event(pmu, name);
	if (!*has)
		rc = catalog->source.model_event(catalog, pmu, name, &terms,
						 err);
	*has = *has || terms;
	return rc;
}

/* The only PMU with that event; NULL: none, or more than one. */
static int only_pmu(const struct td_machine *made, const char *id,
		    struct td_catalog *catalog, const char **pmu,
		    struct td_err *err)
{
	size_t nr = 0;
	int rc = 0;

	for (size_t i = 0; !rc && i < made->nr_core; i++) {
		bool has = false;

		rc = has_event(&made->pmus[i], id, catalog, &has, err);
		if (rc || !has)
			continue;
		*pmu = made->pmus[i].name;
		nr++;
	}
	if (nr != 1)
		*pmu = NULL;
	return rc;
}

/* The PMU of each event; NULL: of the one that it has. */
static int choose_pmus(const struct td_recording *rec,
		       const struct td_perf_spelling *spellings,
		       const struct td_machine *made,
		       struct td_catalog *catalog, const char **pmus,
		       struct td_err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < rec->plan.events.nr; i++) {
		size_t pmu = (size_t)rec->plan.events.v[i].pmu;

		if (pmu < rec->machine.nr_core && !spellings[i].pmu)
			rc = only_pmu(made, spellings[i].id, catalog, &pmus[i],
				      err);
	}
	return rc;
}

static bool is_used(const struct td_recording *rec, const char *const *pmus,
		    const char *name)
{
	for (size_t i = 0; i < rec->plan.events.nr; i++) {
		int pmu = rec->plan.events.v[i].pmu;
		const char *own =
			pmus[i] ? pmus[i] : rec->machine.pmus[pmu].name;

		if (strcmp(own, name) == 0)
			return true;
	}
	return false;
}

static int add_pmu(struct td_recording *rec, const char *name,
		   enum td_pmu_kind kind, uint32_t type)
{
	if (td_machine_find_pmu(&rec->machine, name) >= 0)
		return 0;
	return td_recording_add_pmu(rec, name, kind, type);
}

/* Those of the model first, in its order, then all others. */
static int add_pmus(struct td_recording *rec, const struct td_machine *old,
		    const struct td_machine *made, const char *const *pmus)
{
	/* whether a PMU is used is asked of the old ones */
	struct td_recording before = *rec;
	int rc = 0;

	before.machine = *old;
	for (size_t i = 0; !rc && i < made->nr_core; i++) {
		const struct td_pmu *pmu = &made->pmus[i];

		if (is_used(&before, pmus, pmu->name))
			rc = add_pmu(rec, pmu->name, pmu->kind, pmu->type);
	}
	for (size_t i = 0; !rc && i < old->nr_pmus; i++) {
		const struct td_pmu *pmu = &old->pmus[i];

		if (i >= old->nr_core || is_used(&before, pmus, pmu->name))
			rc = add_pmu(rec, pmu->name, pmu->kind, pmu->type);
	}
	return rc;
}

static void move_events(struct td_recording *rec, const struct td_machine *old,
			const char *const *pmus)
{
	struct td_plan *plan = &rec->plan;

	for (size_t i = 0; i < plan->events.nr; i++) {
		struct td_event *event = &plan->events.v[i];
		const char *name =
			pmus[i] ? pmus[i] : old->pmus[event->pmu].name;

		event->pmu = td_machine_find_pmu(&rec->machine, name);
	}
	for (size_t g = 0; g < plan->nr_groups; g++)
		plan->groups[g].pmu =
			plan->events.v[plan->groups[g].members[0]].pmu;
}

/*
 * Gives each event of a core without a PMU in its name the only PMU of the model
 * that has an event of that name.  made: a machine of the model.  Those of
 * others stay on "cpu".  The machine of rec then has the model's PMUs that have
 * events.
 */
static int import_pmus(struct td_recording *rec,
		       const struct td_perf_spelling *spellings,
		       const struct td_machine *made,
		       struct td_catalog *catalog, struct td_err *err)
{
	td_autofree const char **pmus =
		calloc(rec->plan.events.nr + 1, sizeof(*pmus));
	struct td_machine *machine = &rec->machine, old = *machine;
	int rc = pmus ? choose_pmus(rec, spellings, made, catalog, pmus, err)
		      : td_err_nomem(err);

	if (rc)
		return rc;
	machine->pmus = NULL;
	machine->nr_core = machine->nr_pmus = 0;
	if (add_pmus(rec, &old, made, pmus))
		rc = td_err_nomem(err);
	if (!rc)
		move_events(rec, &old, pmus);
	for (size_t i = 0; i < old.nr_pmus; i++)
		td_pmu_free(&old.pmus[i]);
	free(old.pmus);
	return rc;
}

/* --- names of events -------------------------------------------------------- */

static void free_names(struct td_perf_spelling *names, size_t nr)
{
	for (size_t i = 0; names && i < nr; i++)
		free(names[i].copy);
	free(names);
}

/* The spelling of each event's name; NULL: there is no memory. */
static struct td_perf_spelling *spell(const struct td_events *events)
{
	struct td_perf_spelling *names = calloc(events->nr + 1, sizeof(*names));

	for (size_t i = 0; names && i < events->nr; i++) {
		if (td_perf_spell(events->v[i].name, &names[i]) == 0)
			continue;
		free_names(names, i);
		names = NULL;
	}
	return names;
}

/*
 * The modifiers of all top-down events of a PMU, which then are those of its
 * tree; "" if they differ.
 */
static const char *modifiers_of(const struct td_perf_spelling *names,
				const struct td_events *events, int pmu)
{
	const char *mods = NULL;

	for (size_t i = 0; i < events->nr; i++) {
		if (events->v[i].pmu != pmu ||
		    !td_imported_is_topdown(names[i].id))
			continue;
		if (mods && strcmp(mods, names[i].mods) != 0)
			return "";
		mods = names[i].mods;
	}
	return mods ? mods : "";
}

/* The built-in levels have sysfs's names; without files there are no others. */
static const char *known_as(const struct td_imported *imported, const char *id)
{
	static const char *const same[][2] = {
		{ "TOPDOWN_RETIRING.ALL", "topdown-retiring" },
		{ "TOPDOWN_BAD_SPECULATION.ALL", "topdown-bad-spec" },
		{ "TOPDOWN_FE_BOUND.ALL", "topdown-fe-bound" },
		{ "TOPDOWN_BE_BOUND.ALL", "topdown-be-bound" },
		{ "TOPDOWN_RETIRING.ALL_P", "topdown-retiring" },
		{ "TOPDOWN_BAD_SPECULATION.ALL_P", "topdown-bad-spec" },
		{ "TOPDOWN_FE_BOUND.ALL_P", "topdown-fe-bound" },
		{ "TOPDOWN_BE_BOUND.ALL_P", "topdown-be-bound" },
		{ "CPU_CLK_UNHALTED.CORE", "cycles" },
	};

	for (size_t i = 0; imported->no_files && i < TD_ARRAY_SIZE(same); i++) {
		if (strcmp(same[i][0], id) == 0)
			return same[i][1];
	}
	return strcmp(id, "cpu-cycles") == 0 ? "cycles" : id;
}

/* Renames an event as formulas do; the old name goes to *old. */
static int rename_event(struct td_imported *imported, struct td_recording *rec,
			const struct td_perf_spelling *names, size_t index)
{
	const struct td_machine *machine = &rec->machine;
	struct td_events *events = &rec->plan.events;
	const struct td_perf_spelling *spelling = &names[index];
	struct td_event *event = &events->v[index];
	const char *common = modifiers_of(names, events, event->pmu);
	const char *mods = spelling->mods;
	char *name;

	/* no formula is to find what was never counted */
	if (event->refusal)
		mods = "?";
	else if (strcmp(mods, common) == 0)
		mods = "";
	if (asprintf(&name, "%s/%s/%s", machine->pmus[event->pmu].name,
		     known_as(imported, spelling->id), mods) < 0)
		return -ENOMEM;
	imported->names[index] = event->name;
	event->name = name;
	return 0;
}

static int rename_all(struct td_imported *imported, struct td_recording *rec,
		      const struct td_perf_spelling *names)
{
	struct td_events *events = &rec->plan.events;
	int rc = 0;

	imported->names = calloc(events->nr + 1, sizeof(char *));
	if (!imported->names)
		return -ENOMEM;
	imported->nr = events->nr;
	for (size_t i = 0; !rc && i < events->nr; i++) {
		if (events->v[i].pmu < (int)rec->machine.nr_core)
			rc = rename_event(imported, rec, names, i);
	}
	return rc;
}

static int note_events(struct td_recording *rec)
{
	struct td_machine *machine = &rec->machine;
	int rc = 0;

	for (size_t i = 0; !rc && i < rec->plan.events.nr; i++) {
		const struct td_event *event = &rec->plan.events.v[i];

		if (event->pmu < (int)machine->nr_core)
			rc = td_recording_note_name(&machine->pmus[event->pmu],
						    event->name);
	}
	for (size_t i = 0; !rc && i < machine->nr_core; i++)
		rc = td_imported_find_core(machine, &machine->pmus[i]);
	return rc;
}

/* --- the whole file --------------------------------------------------------- */

static int place(struct td_imported *imported, struct td_recording *rec,
		 const struct td_perf_spelling *names,
		 const struct td_request *request, struct td_err *err)
{
	struct td_sysfs none;
	struct td_machine made = { 0 };
	struct td_catalog catalog = { 0 };
	int rc = td_select_model(&none, &made, request, err);

	if (rc)
		return rc;
	rec->machine.cpuid = made.cpuid;
	rec->machine.model = made.model;
	td_catalog_init(&catalog, NULL, &made, request->metrics_dir);
	rc = import_pmus(rec, names, &made, &catalog, err);
	if (!rc)
		rc = td_catalog_read(&catalog, err);
	imported->no_files = !catalog.events.dir;
	td_catalog_free(&catalog);
	td_machine_free(&made);
	return rc;
}

/* All of level 2, which PERF_METRICS has in half of its fields. */
static int level_of(const struct td_machine *machine,
		    const struct td_events *events)
{
	for (size_t pmu = 0; pmu < machine->nr_core; pmu++) {
		size_t nr = 0;

		for (size_t i = 0; i < events->nr; i++) {
			const struct td_event *event = &events->v[i];

			nr += event->pmu == (int)pmu && !event->refusal &&
			      td_event_is_metric(event) &&
			      event->config[0] >= 0x8400;
		}
		if (nr >= 4)
			return 2;
	}
	return 1;
}

static bool has_topdown(const struct td_perf_spelling *names, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (td_imported_is_topdown(names[i].id))
			return true;
	}
	return false;
}

static bool counts_both_threads(const struct td_machine *machine)
{
	for (size_t i = 0; i < machine->nr_core; i++) {
		if (td_pmu_has_event(&machine->pmus[i],
				     "CPU_CLK_UNHALTED.DISTRIBUTED"))
			return true;
	}
	return false;
}

static int import(struct td_imported *imported, struct td_recording *rec,
		  const struct td_perf_spelling *names,
		  const struct td_request *request, struct td_err *err)
{
	int rc = request->model ? place(imported, rec, names, request, err) : 0;

	if (rc)
		return rc;
	if (!request->model)
		strcpy(rec->machine.cpuid.vendor, td_intel.name);
	rec->info.of_events = false;
	rec->info.ask.level = level_of(&rec->machine, &rec->plan.events);
	imported->tree = true;
	imported->no_files = imported->no_files || !request->model;
	if (rename_all(imported, rec, names) || note_events(rec) ||
	    td_perf_join_slots(&rec->plan) || td_perf_find_command(rec))
		return td_err_nomem(err);
	rec->machine.smt = counts_both_threads(&rec->machine);
	imported->smt_unknown = !rec->machine.smt;
	return 0;
}

int td_import_tree(struct td_imported *imported, struct td_recording *rec,
		   const struct td_request *request, struct td_err *err)
{
	struct td_perf_spelling *names;
	size_t nr = rec->plan.events.nr;
	int rc = 0;

	*imported = (struct td_imported){ 0 };
	if (!rec->perf || request->no_tree)
		return 0;
	names = spell(&rec->plan.events);
	if (!names)
		rc = td_err_nomem(err);
	else if (request->model || has_topdown(names, nr))
		rc = import(imported, rec, names, request, err);
	free_names(names, nr);
	return rc;
}

void td_import_undo(struct td_imported *imported, struct td_recording *rec)
{
	struct td_events *events = &rec->plan.events;

	for (size_t i = 0; i < imported->nr; i++) {
		char *name = imported->names[i];

		if (!name)
			continue;
		imported->names[i] = events->v[i].name;
		events->v[i].name = name;
	}
	imported->tree = false;
	rec->info.of_events = true;
	rec->info.ask.level = 0;
}

void td_imported_free(struct td_imported *imported)
{
	for (size_t i = 0; i < imported->nr; i++)
		free(imported->names[i]);
	free(imported->names);
	*imported = (struct td_imported){ 0 };
}
