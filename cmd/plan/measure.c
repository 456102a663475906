// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/plan/measure.h"

#include <math.h>
#include <strings.h>

#include "cmd/plan/select.h"
#include "metrics/explain/explain.h"
#include "metrics/sets/set.h"
#include "metrics/sets/sets.h"

/*
 * Are the metric files needed?  Levels 1 and 2 are built in, but not for all vendors.  A
 * recording of metrics from files may lack the events of the built-in levels.
 */
static bool wants_files(const struct td_measure *m, const struct td_measuring *how)
{
	const struct td_machine *machine = how->machine;
	bool built_in = td_builtin_is_for(machine);

	if (td_ask_wants_files(&m->ask) || how->request->metrics_dir)
		return true;
	for (size_t i = 0; i < machine->nr_core && (!how->fs || !built_in); i++) {
		const struct td_pmu *pmu = &machine->pmus[i];

		if (!pmu->skip && !td_builtin_find(machine, pmu))
			return true;
	}
	return false;
}

/* Remove the trees of cores without level 1, at which -l auto starts. */
static void leave_out_without_level_1(struct td_sets *sets, const struct td_machine *machine)
{
	for (size_t i = 0; td_builtin_is_for(machine) && i < machine->nr_core; i++) {
		if (!td_builtin_find(machine, &machine->pmus[i]))
			sets->v[i] = NULL;
	}
}

/* Are the built-in levels enough?  They are for -l auto, unless the user named the files. */
static bool can_do_without_files(const struct td_measure *m, const struct td_measuring *how)
{
	return m->ask.drill && how->fs && !how->request->metrics_dir &&
	       td_builtin_is_for(how->machine);
}

/*
 * Did perf stat leave out the events that correct the shares of the core?  A known model is
 * then read as unknown.
 */
static bool is_uncorrected(const struct td_measuring *how, size_t pmu)
{
	return !how->fs && how->machine->model && how->machine->pmus[pmu].uarch == TD_UARCH_UNKNOWN;
}

static bool is_any_uncorrected(const struct td_measuring *how)
{
	const struct td_machine *machine = how->machine;

	for (size_t i = 0; i < machine->nr_core; i++) {
		if (is_uncorrected(how, i) && td_pmu_has_slots(&machine->pmus[i]))
			return true;
	}
	return false;
}

static int choose_sets(struct td_measure *m, const struct td_measuring *how, struct td_err *err)
{
	const struct td_machine *machine = how->machine;
	struct td_pmu_events *files = &m->catalog.events;
	int rc;

	if (!wants_files(m, how)) {
		td_sets_builtin(&m->sets, machine);
		return 0;
	}
	rc = td_catalog_read(&m->catalog, err);
	if (!rc && how->fs && !machine->nr_core)
		td_machine_add_builtin(m->catalog.machine);
	if (rc == -ENOENT && can_do_without_files(m, how)) {
		td_notes_add(
			how->notes,
			"%s: -l auto ends at level 2 (--metrics-dir with metric files has more)",
			err->msg);
		*err = (struct td_err){ 0 };
		td_sets_builtin(&m->sets, machine);
		return 0;
	}
	if (!rc && how->request->verbose)
		td_pmu_events_note(files, how->notes);
	if (!rc && td_sets_lack_name(&m->ask, machine, files))
		rc = td_pmu_events_read_uncore(files, err);
	if (!rc && is_any_uncorrected(how))
		td_pmu_events_leave_uncorrected(files);
	if (!rc)
		td_sets_from_files(&m->sets, machine, files, how->notes);
	if (!rc && m->ask.drill && how->fs)
		leave_out_without_level_1(&m->sets, machine);
	return rc;
}

/* Add the package's metrics.  Without the model's files, only the memory bandwidth is missing. */
static int add_package(struct td_measure *m, struct td_err *err)
{
	struct td_err missing = { 0 };
	int rc = td_catalog_read(&m->catalog, &missing);

	if (rc && rc != -ENOENT) {
		*err = missing;
		return rc;
	}
	td_sets_add_package(&m->sets, &m->catalog.events);
	return 0;
}

/* Use the built-in levels for uncorrected cores. */
static void take_uncorrected(struct td_measure *m, const struct td_measuring *how)
{
	const struct td_machine *machine = how->machine;

	for (size_t i = 0; i < m->sets.nr; i++) {
		const struct td_metric_set *set =
			is_uncorrected(how, i) ? td_builtin_find(machine, &machine->pmus[i]) : NULL;

		if (set && m->ask.level <= set->levels && !m->ask.nr_names)
			m->sets.v[i] = set;
	}
}

/* Is it the group of a level, "TopdownL2" in Intel's files or "PipelineL1" in AMD's? */
static bool is_level_group(const char *name)
{
	size_t len = strlen(name) - (*name != '\0');

	return (len == strlen("TopdownL") && strncasecmp(name, "TopdownL", len) == 0 &&
		strchr("123456", name[len])) ||
	       (len == strlen("PipelineL") && strncasecmp(name, "PipelineL", len) == 0 &&
		strchr("12", name[len]));
}

/*
 * Does any processor have a metric of this name: a node, with or without "tma_", the group of a
 * node's children, or the group of a level?
 */
static bool exists_elsewhere(const char *name)
{
	static const char group[] = "_group";
	size_t tail = strlen(group), len = strlen(name);
	char node[64];

	if (is_level_group(name))
		return true;
	if (len > tail && strcasecmp(name + len - tail, group) == 0)
		len -= tail;
	if (len >= sizeof(node) - strlen("tma_"))
		return false;
	snprintf(node, sizeof(node), "tma_%.*s", (int)len, name);
	return td_explanation_find(node) || td_explanation_find(node + strlen("tma_"));
}

static int build(struct td_measure *m, struct td_events *events, const struct td_measuring *how,
		 struct td_err *err)
{
	const struct td_tree_setup setup = {
		.machine = how->machine,
		.sets = &m->sets,
		.ask = &m->ask,
		.literals = &m->literals,
		.source = &m->catalog.source,
		.files = &m->catalog.events,
		.fixed = !how->fs,
		.latencies = how->latencies,
		.sampled = how->sampled,
		.is_elsewhere = exists_elsewhere,
	};
	int rc = td_tree_build(&m->tree, events, &setup, err);

	/* for the tree, events of unreadable PMUs are names without an event */
	if (m->catalog.unreadable.code) {
		*err = m->catalog.unreadable;
		return err->code;
	}
	return rc;
}

/* Return an error if no core type has the level of --td-level. */
static int check_level(const struct td_sets *sets, const struct td_machine *machine, int level,
		       struct td_err *err)
{
	const struct td_pmu *deepest = NULL;
	int levels = 0;

	for (size_t i = 0; i < sets->nr && i < machine->nr_pmus; i++) {
		if (machine->pmus[i].skip || !sets->v[i] || sets->v[i]->levels <= levels)
			continue;
		deepest = &machine->pmus[i];
		levels = sets->v[i]->levels;
	}
	if (!deepest || levels >= level)
		return 0;
	return td_err_set(err, -ENODEV, "%s (%s): there is only level %d", deepest->name,
			  td_uarch_name(deepest->uarch), levels);
}

int td_measure_build(struct td_measure *m, struct td_events *events, const struct td_measuring *how,
		     struct td_err *err)
{
	const struct td_request *request = how->request;
	int rc;

	*m = (struct td_measure){ .ask = request->ask };
	if (how->in_turns && m->ask.drill) {
		m->ask.drill = false;
		m->ask.level = 1;
	}
	td_catalog_init(&m->catalog, how->fs, how->machine, request->metrics_dir);
	td_literals_fill(&m->literals, how->machine, how->places, how->tsc_hz, how->core_wide);
	if (how->smt_unknown)
		m->literals.smt_on = NAN;
	rc = choose_sets(m, how, err);
	if (rc)
		return rc;
	take_uncorrected(m, how);
	rc = check_level(&m->sets, how->machine, m->ask.only_level, err);
	if (!rc && m->ask.energy)
		rc = add_package(m, err);
	if (!rc)
		rc = build(m, events, how, err);
	if (!rc)
		rc = td_check_shown_metrics(&m->tree, how->machine, request, how->notes, err);
	return rc ? rc : td_check_rows_of_cpus(&m->tree, how->machine, request, err);
}

void td_measure_free(struct td_measure *m)
{
	td_tree_free(&m->tree);
	td_sets_free(&m->sets);
	td_catalog_free(&m->catalog);
}
