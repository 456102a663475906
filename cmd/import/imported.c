// SPDX-License-Identifier: GPL-2.0-only
/* Makes a recording of a tree from a file of perf stat. */
#include <strings.h>

#include "cmd/import/perf.h"
#include "cmd/plan/catalog.h"
#include "cmd/wing.h"
#include "metrics/sets/set.h"

/* --- imported cores ---------------------------------------------------- */

static const char *const fields[] = {
	"slots",
	"topdown-retiring",
	"topdown-bad-spec",
	"topdown-fe-bound",
	"topdown-be-bound",
	"topdown-heavy-ops",
	"topdown-mem-bound",
	"topdown-fetch-lat",
	"topdown-br-mispredict",
};

#define NR_LEVEL_1 5

/* Events that correct fields of PERF_METRICS on some cores. */
static const char dropped[] = "INT_MISC.UOP_DROPPING", clears[] = "INT_MISC.CLEARS_COUNT";

/*
 * Is it a top-down event?  id is a name without PMU and modifiers, such as "slots" or
 * "TOPDOWN_RETIRING.ALL".
 */
static bool imported_is_topdown(const char *id)
{
	return strcmp(id, "slots") == 0 || strncasecmp(id, "topdown", 7) == 0;
}

/*
 * Return the event that is needed to correct values of this core and was not counted; NULL: none.
 */
static const char *missing_correction(const struct td_pmu *pmu, enum td_uarch uarch)
{
	if (!td_pmu_has_slots(pmu))
		return NULL;
	if (td_uarch_has(uarch, TD_CORE_DROPS) && !td_pmu_has_event(pmu, dropped))
		return dropped;
	if (td_uarch_has(uarch, TD_CORE_CLEARS) && !td_pmu_has_event(pmu, clears))
		return clears;
	return NULL;
}

/* Add all fields that the core has to the PMU, because formulas depend on them. */
static void note_fields(struct td_pmu *pmu)
{
	size_t nr = td_uarch_has(pmu->uarch, TD_CORE_FIELDS_4) ? NR_LEVEL_1 : TD_ARRAY_SIZE(fields);

	if (pmu->uarch == TD_UARCH_UNKNOWN || !td_pmu_has_slots(pmu))
		return;
	for (size_t i = 0; i < nr; i++)
		td_recording_note_event(pmu, fields[i]);
}

/* Return the first of SLOTS and the level 1 fields that is missing; NULL: none or all are. */
static const char *missing_field(const struct td_pmu *pmu)
{
	const char *first = NULL;
	size_t nr = 0;

	for (size_t i = 0; i < NR_LEVEL_1; i++) {
		bool counted = td_pmu_has_event(pmu, fields[i]);

		nr += counted;
		if (!counted && !first)
			first = fields[i];
	}
	return nr ? first : NULL;
}

/* --- notes ------------------------------------------------------------- */

static bool has_model(const struct td_machine *machine)
{
	return machine->cpuid.family;
}

static void note_pmu(const struct td_recording *rec, struct td_pmu *pmu, struct td_notes *notes)
{
	const struct td_machine *machine = &rec->machine;
	const char *lacking;

	if (pmu->skip)
		return;
	if (!has_model(machine)) {
		pmu->skip = !td_builtin_find(machine, pmu);
		td_notes_add(notes, "%s: %s is not %s; name its processor with --model NAME",
			     rec->path, pmu->name, pmu->skip ? "shown" : "corrected");
		return;
	}
	lacking = missing_correction(pmu, td_model_uarch(machine->model, pmu->name));
	if (lacking)
		td_notes_add(notes, "%s: %s has no %s, which would correct its shares", rec->path,
			     pmu->name, lacking);
}

static bool has_some(const struct td_machine *machine)
{
	for (size_t i = 0; i < machine->nr_core; i++) {
		if (!machine->pmus[i].skip && td_builtin_find(machine, &machine->pmus[i]))
			return true;
	}
	return false;
}

static void imported_note(const struct td_imported *imported, struct td_recording *rec,
			  struct td_notes *notes)
{
	struct td_machine *machine = &rec->machine;

	if (!imported->tree || (!has_model(machine) && !has_some(machine)))
		return;
	if (imported->misfit)
		td_notes_add(notes, "%s: %s", rec->path, imported->misfit);
	for (size_t i = 0; i < machine->nr_core; i++)
		note_pmu(rec, &machine->pmus[i], notes);
}

/* Return the first top-down event on "cpu", which hybrid models do not have. */
static const char *unplaced(const struct td_imported *imported, const struct td_recording *rec)
{
	const struct td_machine *machine = &rec->machine;
	int cpu = td_machine_find_pmu(machine, "cpu");

	if (cpu < 0 || !machine->model || !td_model_is_hybrid(machine->model))
		return NULL;
	for (size_t i = 0; i < imported->nr; i++) {
		if (rec->plan.events.v[i].pmu == cpu && imported->names[i] &&
		    imported_is_topdown(imported->names[i]))
			return imported->names[i];
	}
	return NULL;
}

/* Note why a PMU has no tree.  Returns false for other reasons. */
static bool note_missing(const struct td_recording *rec, const struct td_pmu *pmu,
			 struct td_notes *notes)
{
	const char *field = missing_field(pmu);

	if (field && (td_pmu_has_slots(pmu) || !strcmp(pmu->name, "cpu")))
		td_notes_add(notes, "%s: no tree because %s has no %s; its events are shown",
			     rec->path, pmu->name, field);
	else if (!has_model(&rec->machine))
		td_notes_add(
			notes,
			"%s: no tree because the core of %s is unknown; its events are shown; use "
			"--model NAME",
			rec->path, pmu->name);
	else
		return false;
	return true;
}

static void imported_why(const struct td_imported *imported, const struct td_recording *rec,
			 const struct td_err *err, struct td_notes *notes)
{
	const struct td_machine *machine = &rec->machine;
	const char *name = unplaced(imported, rec);
	size_t len = strlen(rec->path);

	if (imported->misfit) {
		td_notes_add(notes, "%s: no tree because %s; its events are shown", rec->path,
			     imported->misfit);
		return;
	}
	if (name) {
		td_notes_add(notes,
			     "%s: no tree because both core types have %s; its events are shown",
			     rec->path, name);
		return;
	}
	for (size_t i = 0; i < machine->nr_core; i++) {
		if (note_missing(rec, &machine->pmus[i], notes))
			return;
	}
	/* most errors begin with the path */
	td_notes_add(notes, "%s: no tree: %s; its events are shown", rec->path,
		     strncmp(err->msg, rec->path, len) == 0 && strncmp(err->msg + len, ": ", 2) == 0
			     ? err->msg + len + 2
			     : err->msg);
}

/* --- PMUs ------------------------------------------------------------------ */

/* Set *has if this PMU of the model has the event, whose terms are ignored. */
static int has_event(const struct td_pmu *pmu, const char *id, struct td_catalog *catalog,
		     bool *has, struct td_err *err)
{
	td_autofree char *name = td_strndup(id, strcspn(id, ","));
	const char *terms = NULL;
	int rc = 0;

	*has = td_pmu_has_event(pmu, name);
	if (!*has)
		rc = catalog->source.model_event(catalog, pmu, name, &terms, err);
	*has = *has || terms;
	return rc;
}

/* Set *pmu to the only PMU with this event; NULL: no PMU has it, or several do. */
static int only_pmu(const struct td_machine *made, const char *id, struct td_catalog *catalog,
		    const char **pmu, struct td_err *err)
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

/* Choose the PMU of each event; NULL: keep it. */
static int choose_pmus(const struct td_recording *rec, const struct td_perf_spelling *spellings,
		       const struct td_machine *made, struct td_catalog *catalog, const char **pmus,
		       struct td_err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < rec->plan.events.nr; i++) {
		size_t pmu = (size_t)rec->plan.events.v[i].pmu;

		if (pmu < rec->machine.nr_core && !spellings[i].pmu)
			rc = only_pmu(made, spellings[i].id, catalog, &pmus[i], err);
	}
	return rc;
}

static bool is_used(const struct td_recording *rec, const char *const *pmus, const char *name)
{
	for (size_t i = 0; i < rec->plan.events.nr; i++) {
		int pmu = rec->plan.events.v[i].pmu;
		const char *own = pmus[i] ? pmus[i] : rec->machine.pmus[pmu].name;

		if (strcmp(own, name) == 0)
			return true;
	}
	return false;
}

static void add_pmu(struct td_recording *rec, const struct td_pmu *pmu)
{
	if (td_machine_find_pmu(&rec->machine, pmu->name) < 0)
		td_recording_add_pmu(rec, pmu->name, pmu->kind, pmu->type);
}

/* Add the PMUs of the model in its order, then all others. */
static void add_pmus(struct td_recording *rec, const struct td_machine *old,
		     const struct td_machine *made, const char *const *pmus)
{
	/* is_used() needs the old PMUs */
	struct td_recording before = *rec;

	before.machine = *old;
	td_for_each(const struct td_pmu, pmu, made->pmus, made->nr_core) {
		if (is_used(&before, pmus, pmu->name))
			add_pmu(rec, pmu);
	}
	for (size_t i = 0; i < old->nr_pmus; i++) {
		if (i >= old->nr_core || is_used(&before, pmus, old->pmus[i].name))
			add_pmu(rec, &old->pmus[i]);
	}
}

static void move_events(struct td_recording *rec, const struct td_machine *old,
			const char *const *pmus)
{
	struct td_plan *plan = &rec->plan;

	for (size_t i = 0; i < plan->events.nr; i++) {
		struct td_event *event = &plan->events.v[i];
		const char *name = pmus[i] ? pmus[i] : old->pmus[event->pmu].name;

		event->pmu = td_machine_find_pmu(&rec->machine, name);
	}
	for (size_t g = 0; g < plan->nr_groups; g++)
		plan->groups[g].pmu = plan->events.v[plan->groups[g].members[0]].pmu;
}

/*
 * Move each event without a PMU in its name to the only PMU of the model with such an
 * event; others stay on "cpu".  made: a machine of the model.  The machine of rec then
 * has those PMUs of the model that have events.
 */
static int import_pmus(struct td_recording *rec, const struct td_perf_spelling *spellings,
		       const struct td_machine *made, struct td_catalog *catalog,
		       struct td_err *err)
{
	td_autofree const char **pmus = td_calloc(rec->plan.events.nr + 1, sizeof(*pmus));
	struct td_machine *machine = &rec->machine, old = *machine;
	int rc = choose_pmus(rec, spellings, made, catalog, pmus, err);

	if (rc)
		return rc;
	machine->pmus = NULL;
	machine->nr_core = machine->nr_pmus = 0;
	add_pmus(rec, &old, made, pmus);
	move_events(rec, &old, pmus);
	for (size_t i = 0; i < old.nr_pmus; i++)
		td_pmu_free(&old.pmus[i]);
	free(old.pmus);
	return 0;
}

/* --- names of events -------------------------------------------------------- */

/*
 * Return the modifiers of a PMU's top-down events, which its tree gets as well; "" if they differ.
 */
static const char *modifiers_of(const struct td_perf_spelling *names,
				const struct td_events *events, int pmu)
{
	const char *mods = NULL;

	for (size_t i = 0; i < events->nr; i++) {
		if (events->v[i].pmu != pmu || !imported_is_topdown(names[i].id))
			continue;
		if (mods && strcmp(mods, names[i].mods) != 0)
			return "";
		mods = names[i].mods;
	}
	return mods ? mods : "";
}

/*
 * Return the name of an event in the tree.  Without metric files, there are only the built-in
 * levels, which use the names in sysfs.
 */
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

/* Rename an event to its name in formulas, and keep the old name. */
static void rename_event(struct td_imported *imported, struct td_recording *rec,
			 const struct td_perf_spelling *names, size_t index)
{
	const struct td_machine *machine = &rec->machine;
	struct td_events *events = &rec->plan.events;
	const struct td_perf_spelling *spelling = &names[index];
	struct td_event *event = &events->v[index];
	const char *common = modifiers_of(names, events, event->pmu);
	const char *mods = spelling->mods;
	char *name;

	/* hide events that were never counted from formulas */
	if (event->refusal)
		mods = "?";
	else if (strcmp(mods, common) == 0)
		mods = "";
	name = td_aprintf("%s/%s/%s", machine->pmus[event->pmu].name,
			  known_as(imported, spelling->id), mods);
	imported->names[index] = event->name;
	event->name = name;
}

static void rename_all(struct td_imported *imported, struct td_recording *rec,
		       const struct td_perf_spelling *names)
{
	struct td_events *events = &rec->plan.events;

	imported->names = td_calloc(events->nr + 1, sizeof(char *));
	imported->nr = events->nr;
	for (size_t i = 0; i < events->nr; i++) {
		if (events->v[i].pmu < (int)rec->machine.nr_core)
			rename_event(imported, rec, names, i);
	}
}

static void note_events(struct td_recording *rec)
{
	struct td_machine *machine = &rec->machine;

	td_for_each(const struct td_event, event, rec->plan.events.v, rec->plan.events.nr) {
		if (event->pmu < (int)machine->nr_core)
			td_recording_note_name(&machine->pmus[event->pmu], event->name);
	}
	td_for_each(struct td_pmu, pmu, machine->pmus, machine->nr_core) {
		/* the core of the model needs its correction */
		if (machine->model && missing_correction(pmu, pmu->uarch))
			pmu->uarch = TD_UARCH_UNKNOWN;
		note_fields(pmu);
	}
}

/* --- the whole file --------------------------------------------------------- */

/* Say which name contains a PMU of cores, or SLOTS of one, that the model does not have. */
static char *find_misfit(const struct td_perf_spelling *names, size_t nr,
			 const struct td_machine *made, const char *model)
{
	for (size_t i = 0; i < nr; i++) {
		const char *name = names[i].pmu;
		int pmu = name ? td_machine_find_pmu(made, name) : -1;

		if (name && td_pmu_kind(name) == TD_PMU_CORE && pmu < 0)
			return td_aprintf("%s is not a PMU of --model %s", name, model);
		if (pmu >= 0 && strcmp(names[i].id, "slots") == 0 &&
		    !td_pmu_has_slots(&made->pmus[pmu]))
			return td_aprintf("%s of --model %s has no slots", name, model);
	}
	return NULL;
}

static int place(struct td_imported *imported, struct td_recording *rec,
		 const struct td_perf_spelling *names, const struct td_request *request,
		 struct td_err *err)
{
	struct td_sysfs none;
	struct td_machine made = { 0 };
	struct td_catalog catalog = { 0 };
	int rc = td_select_model(&none, &made, request, err);

	if (rc)
		return rc;
	rec->machine.cpuid = made.cpuid;
	rec->machine.model = made.model;
	imported->misfit = find_misfit(names, rec->plan.events.nr, &made, request->model);
	td_catalog_init(&catalog, NULL, &made, request->metrics_dir);
	rc = import_pmus(rec, names, &made, &catalog, err);
	rc = rc ?: td_catalog_read(&catalog, err);
	imported->no_files = !catalog.events.dir;
	td_catalog_free(&catalog);
	td_machine_free(&made);
	return rc;
}

/* Return 2 if some PMU has all four fields of level 2 in PERF_METRICS. */
static int level_of(const struct td_machine *machine, const struct td_events *events)
{
	for (size_t pmu = 0; pmu < machine->nr_core; pmu++) {
		size_t nr = 0;

		td_for_each(const struct td_event, event, events->v, events->nr) {
			nr += event->pmu == (int)pmu && !event->refusal &&
			      td_event_is_metric(event) && event->config[0] >= 0x8400;
		}
		if (nr >= 4)
			return 2;
	}
	return 1;
}

static bool has_topdown(const struct td_perf_spelling *names, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (imported_is_topdown(names[i].id))
			return true;
	}
	return false;
}

static bool counts_both_threads(const struct td_machine *machine)
{
	for (size_t i = 0; i < machine->nr_core; i++) {
		if (td_pmu_has_event(&machine->pmus[i], "CPU_CLK_UNHALTED.DISTRIBUTED") ||
		    td_pmu_has_event(&machine->pmus[i], "CPU_CLK_UNHALTED.THREAD_ANY"))
			return true;
	}
	return false;
}

/* Are the events those of --print-perf, which prints all that formulas need? */
static bool is_printed(const struct td_perf_spelling *names, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (names[i].group >= 0)
			return true;
	}
	return false;
}

static int import(struct td_imported *imported, struct td_recording *rec,
		  const struct td_perf_spelling *names, const struct td_request *request,
		  struct td_err *err)
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
	rename_all(imported, rec, names);
	note_events(rec);
	td_perf_join_groups(&rec->plan, names);
	td_perf_join_slots(&rec->plan);
	td_perf_find_command(rec);
	rec->machine.smt = counts_both_threads(&rec->machine);
	imported->smt_unknown = !rec->machine.smt && !is_printed(names, rec->plan.events.nr);
	return 0;
}

/*
 * Make a recording of a tree if the counts allow it.  A file of perf stat does not name
 * the processor, and not always the PMU of an event.
 *
 * - The PMU is the one in the event's name; else the only one of --model with such an
 *   event; else "cpu".
 * - The core of a PMU is that of --model.  Without it, cores with SLOTS are not
 *   corrected, and E-cores have no tree because their width is unknown.
 * - If CPU_CLK_UNHALTED.DISTRIBUTED or THREAD_ANY was counted, formulas use it as with
 *   hyper-threading; without, it equals the cycles of the thread.  --print-perf has them if
 *   formulas need them, so that without them there is no hyper-threading.
 * - An event in several groups belongs to the first, unless --print-perf named the groups.
 */
static int import_tree(struct td_imported *imported, struct td_recording *rec,
		       const struct td_request *request, struct td_err *err)
{
	struct td_perf_spelling *names;
	size_t nr = rec->plan.events.nr;
	int rc = 0;

	*imported = (struct td_imported){ 0 };
	if (!rec->perf || request->no_tree)
		return 0;
	names = td_calloc(nr + 1, sizeof(*names));
	for (size_t i = 0; i < nr; i++)
		td_perf_spell(rec->plan.events.v[i].name, &names[i]);
	if (request->model || has_topdown(names, nr))
		rc = import(imported, rec, names, request, err);
	for (size_t i = 0; i < nr; i++)
		free(names[i].copy);
	free(names);
	return rc;
}

static void import_undo(struct td_imported *imported, struct td_recording *rec)
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

static void imported_free(struct td_imported *imported)
{
	for (size_t i = 0; i < imported->nr; i++)
		free(imported->names[i]);
	free(imported->names);
	free(imported->misfit);
	*imported = (struct td_imported){ 0 };
}

static const struct td_importer importer = {
	.file = &td_perf_output,
	.tree = import_tree,
	.note = imported_note,
	.why = imported_why,
	.undo = import_undo,
	.free = imported_free,
};

const struct td_wing td_wing_import = {
	.name = "import",
	.importer = &importer,
};
