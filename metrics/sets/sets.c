// SPDX-License-Identifier: GPL-2.0-only
#include "metrics/sets/sets.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/base/util.h"
#include "metrics/sets/set.h"

/*
 * Splits a ScaleUnit: "100%" is the factor 100 and the unit "%".  The factor
 * defaults to 1, the unit to none.
 */
static void read_unit(struct td_metric_def *def, const char *text)
{
	char *end;
	double factor;

	def->unit = "";
	def->factor = 1;
	if (!text)
		return;
	factor = strtod(text, &end);
	def->factor = end != text ? factor : 1;
	def->unit = end + strspn(end, " ");
}

/* As the kernel's files call the slots of a thread, TOPDOWN.SLOTS. */
#define FILES_SLOTS "tma_info_thread_slots"

/*
 * On general counters (NULL: on PERF_METRICS), levels 1 and 2 and the slots have
 * other formulas than in the files.  All that is below refers to these by name.
 */
static const char *formula_of(const struct td_model_metric *metric,
			      const struct td_metric_set *general)
{
	const struct td_metric_def *own =
		general ? td_set_find(general, metric->name) : NULL;

	if (own)
		return own->formula;
	return general && strcmp(metric->name, FILES_SLOTS) == 0
		       ? TD_SLOTS
		       : metric->formula;
}

static int add_model_metric(struct td_made_set *made,
			    const struct td_model_metric *metric,
			    const struct td_metric_set *general)
{
	struct td_metric_def def = {
		.name = metric->name,
		.formula = formula_of(metric, general),
		.threshold = metric->threshold,
		.level = metric->level,
		.parent = metric->parent,
		.groups = metric->groups,
		.desc = metric->desc,
		.split = metric->split,
	};

	if (def.formula == metric->formula)
		def.errata = metric->errata;
	read_unit(&def, metric->unit);
	return td_made_set_add(made, &def);
}

/* The first core PMU that --cputype and -C leave. */
static size_t first_pmu(const struct td_machine *machine)
{
	size_t i = 0;

	while (i + 1 < machine->nr_core && machine->pmus[i].skip)
		i++;
	return i;
}

/*
 * Does the metric belong to this core PMU?  Metrics of uncore units and of the
 * whole package of a hybrid are shown once, with the first PMU.
 */
static bool is_of(const struct td_model_metric *metric,
		  const struct td_machine *machine, size_t pmu)
{
	int index = td_machine_find_pmu(machine, metric->pmu);

	if (strcmp(metric->pmu, TD_EACH_CORE) == 0)
		return true;
	if (!machine->nr_core)
		return strcmp(metric->pmu, TD_NO_CORE) == 0;
	if (index >= 0 && index < (int)machine->nr_core)
		return index == (int)pmu;
	return pmu == first_pmu(machine) &&
	       strncmp(metric->pmu, "cpu_", 4) != 0;
}

static void finish(struct td_made_set *made)
{
	for (size_t i = 0; i < made->nr; i++) {
		if (made->defs[i].level > made->set.levels)
			made->set.levels = made->defs[i].level;
	}
}

/* Have the files a tree for this core PMU? */
static bool has_tree(const struct td_machine *machine, size_t pmu,
		     const struct td_pmu_events *files)
{
	for (size_t i = 0; i < files->nr_metrics; i++) {
		if (files->metrics[i].level &&
		    is_of(&files->metrics[i], machine, pmu))
			return true;
	}
	return false;
}

/*
 * What everybody asks of each core.  Files have these by other names
 * (tma_info_thread_ipc, tma_info_core_ipc), or cpi alone.
 */
static const struct td_metric_def rates[] = {
	{ .name = "ipc",
	  .formula = "instructions / cpu\\-cycles",
	  .unit = "",
	  .factor = 1,
	  .desc = "Instructions per cycle of the core" },
	{ .name = "cpi",
	  .formula = "cpu\\-cycles / instructions",
	  .unit = "",
	  .factor = 1,
	  .desc = "Cycles of the core per instruction" },
};

static const struct td_metric_set rates_set = { .metrics = rates,
						.nr_metrics =
							TD_ARRAY_SIZE(rates) };

static bool is_in(const struct td_metric_set *set, const char *name)
{
	for (size_t i = 0; set && i < set->nr_metrics; i++) {
		if (td_ask_matches(name, &set->metrics[i]))
			return true;
	}
	return false;
}

/* Does td_sets_from_files() give this core PMU a metric of that name? */
static bool has_name(const char *name, const struct td_machine *machine,
		     size_t pmu, const struct td_pmu_events *files)
{
	for (size_t i = 0; i < files->nr_metrics; i++) {
		const struct td_metric_def def = {
			.name = files->metrics[i].name,
			.groups = files->metrics[i].groups,
		};

		if (td_ask_matches(name, &def) &&
		    is_of(&files->metrics[i], machine, pmu))
			return true;
	}
	return is_in(&rates_set, name) ||
	       is_in(td_l2_requests_find(machine->pmus[pmu].uarch), name) ||
	       (!has_tree(machine, pmu, files) &&
		is_in(td_builtin_find(machine, &machine->pmus[pmu]), name));
}

bool td_sets_lack_name(const struct td_ask *ask,
		       const struct td_machine *machine,
		       const struct td_pmu_events *files)
{
	for (size_t i = 0; i < ask->nr_names; i++) {
		bool found = false;

		for (size_t pmu = 0; !found && pmu < machine->nr_core; pmu++)
			found = !machine->pmus[pmu].skip &&
				has_name(ask->names[i], machine, pmu, files);
		if (!found)
			return true;
	}
	return false;
}

/*
 * Adds the number of slots as a metric: the files have none, or one that their
 * formulas need not use.
 */
static int add_slots(struct td_made_set *made, const struct td_pmu *pmu)
{
	struct td_metric_def slots = {
		.name = TD_SLOTS,
		.unit = "",
		.factor = 1,
		.part = true,
	};

	/* the sets of general counters have it */
	if (!made->set.files || made->set.general)
		return 0;
	if (td_pmu_has_slots(pmu))
		slots.formula = "slots";
	else if (td_uarch_width(pmu->uarch))
		slots.formula = "#width * CPU_CLK_UNHALTED.CORE";
	return slots.formula ? td_made_set_add(made, &slots) : 0;
}

/* Adds those of the set, which may be NULL, that the files do not have. */
static int add_set(struct td_made_set *made, const struct td_metric_set *set)
{
	int rc = 0;

	for (size_t i = 0; set && !rc && i < set->nr_metrics; i++) {
		if (!td_set_find(&made->set, set->metrics[i].name))
			rc = td_made_set_add(made, &set->metrics[i]);
	}
	return rc;
}

/* What metrics of files need of a core's built-in set, which may be NULL. */
static struct td_metric_set files_set(const struct td_metric_set *builtin)
{
	struct td_metric_set set = {
		.name = "metric files of its model",
		.files = true,
	};

	/* its events count the slots of a core, not of a thread */
	set.per_core = builtin && builtin->per_core;
	if (builtin && builtin->general) {
		set.name = "metric files of its model, on general counters";
		set.general = true;
		set.events = builtin->events;
		set.nr_events = builtin->nr_events;
	}
	return set;
}

static int add_model_metrics(struct td_made_set *made,
			     const struct td_machine *machine, size_t index,
			     const struct td_pmu_events *files,
			     const struct td_metric_set *general)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < files->nr_metrics; i++) {
		if (is_of(&files->metrics[i], machine, index))
			rc = add_model_metric(made, &files->metrics[i],
					      general);
	}
	if (td_machine_count_kinds(machine) > 1 && index == first_pmu(machine))
		td_made_set_find_apart(made);
	finish(made);
	return rc ? rc : add_set(made, made->set.levels ? general : NULL);
}

static int fill_set(struct td_made_set *made, const struct td_machine *machine,
		    size_t index, const struct td_pmu_events *files)
{
	const struct td_pmu *pmu = &machine->pmus[index];
	const struct td_metric_set *builtin = td_builtin_find(machine, pmu);
	int rc;

	made->set = files_set(builtin);
	rc = add_model_metrics(made, machine, index, files,
			       made->set.general ? builtin : NULL);
	if (rc)
		return rc;
	if (made->set.levels == 0 && builtin)
		rc = td_made_set_copy(made, builtin);
	if (!rc)
		rc = add_slots(made, pmu);
	if (!rc)
		rc = add_set(made, td_l2_requests_find(pmu->uarch));
	/* a machine without cores has no cycles */
	return rc ? rc : add_set(made, machine->nr_core ? &rates_set : NULL);
}

/* Have the files metrics besides those that all models have in common? */
static bool has_own_metrics(const struct td_pmu_events *files)
{
	for (size_t i = 0; i < files->nr_metrics; i++) {
		const char *pmu = files->metrics[i].pmu;

		if (strcmp(pmu, TD_EACH_CORE) != 0 &&
		    strcmp(pmu, TD_NO_CORE) != 0)
			return true;
	}
	return false;
}

static void note_fallback(struct td_notes *notes, const struct td_pmu *pmu,
			  const struct td_metric_set *set, bool any_files)
{
	if (!set->files && set->levels)
		td_notes_add(notes,
			     "%s (%s): %s: the tree is the built-in one, of %d "
			     "level%s (%s may have more)",
			     pmu->name, td_uarch_name(pmu->uarch),
			     any_files ? "its metric files have no tree"
				       : "there are no metric files for it",
			     set->levels, set->levels == 1 ? "" : "s",
			     any_files
				     ? "the kernel's, which tdstat comes with,"
				     : "--metrics-dir with newer files");
}

static int make_room(struct td_sets *sets, size_t nr)
{
	*sets = (struct td_sets){ 0 };
	sets->v = calloc(nr + 1, sizeof(const void *));
	sets->made = calloc(nr + 1, sizeof(*sets->made));
	sets->nr = nr;
	return sets->v && sets->made ? 0 : -ENOMEM;
}

/*
 * Without a PMU of the cores, what the kernel counts by itself is left: it
 * stands with the first PMU that there is.
 */
static size_t count_sets(const struct td_machine *machine)
{
	return machine->nr_core || !machine->nr_pmus ? machine->nr_core : 1;
}

int td_sets_from_files(struct td_sets *sets, const struct td_machine *machine,
		       const struct td_pmu_events *files,
		       struct td_notes *notes, struct td_err *err)
{
	if (make_room(sets, count_sets(machine)))
		return td_err_nomem(err);
	if (files->nr_skipped)
		td_notes_add(notes, "%s%s", files->skipped,
			     files->nr_skipped == 1
				     ? ": not shown"
				     : ": not shown, nor are others");
	for (size_t i = 0; i < sets->nr; i++) {
		struct td_made_set *made = &sets->made[i];

		if (machine->pmus[i].skip)
			continue;
		if (fill_set(made, machine, i, files))
			return td_err_nomem(err);
		if (!made->nr)
			continue;
		sets->v[i] = &made->set;
		note_fallback(notes, &machine->pmus[i], &made->set,
			      has_own_metrics(files));
	}
	return 0;
}

int td_sets_builtin(struct td_sets *sets, const struct td_machine *machine,
		    struct td_err *err)
{
	if (make_room(sets, machine->nr_core))
		return td_err_nomem(err);
	for (size_t i = 0; i < machine->nr_core; i++) {
		if (!machine->pmus[i].skip)
			sets->v[i] =
				td_builtin_find(machine, &machine->pmus[i]);
	}
	return 0;
}

void td_sets_free(struct td_sets *sets)
{
	for (size_t i = 0; sets->made && i < sets->nr; i++) {
		free(sets->made[i].defs);
		td_index_free(&sets->made[i].set.names);
	}
	free(sets->made);
	free(sets->v);
	*sets = (struct td_sets){ 0 };
}
