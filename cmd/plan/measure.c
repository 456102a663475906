// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/plan/measure.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/sets/builtin.h"

/*
 * Are the metric files needed?  Levels 1 and 2 are built in for Intel, but not
 * for AMD, whose metrics are only in files.  A recording of metrics from files
 * may have none of the events that the built-in levels use.
 */
static bool wants_files(const struct td_measure *m,
			const struct td_measuring *how)
{
	const struct td_machine *machine = how->machine;
	bool intel = strcmp(machine->cpuid.vendor, "GenuineIntel") == 0;

	if (td_ask_wants_files(&m->ask) || how->opts->metrics_dir)
		return true;
	for (size_t i = 0; i < m->sets.nr; i++) {
		if (!m->sets.v[i] && !machine->pmus[i].skip &&
		    (!how->fs || !intel))
			return true;
	}
	return false;
}

static bool has_match(const struct td_metric_set *set, const char *name)
{
	for (size_t i = 0; set && i < set->nr_metrics; i++) {
		if (td_ask_matches(name, &set->metrics[i]))
			return true;
	}
	return false;
}

/* Is there a name that no set has? */
static bool misses_name(const struct td_measure *m)
{
	for (size_t i = 0; i < m->ask.nr_names; i++) {
		bool found = false;

		for (size_t j = 0; j < m->sets.nr; j++)
			found = found ||
				has_match(m->sets.v[j], m->ask.names[i]);
		if (!found)
			return true;
	}
	return false;
}

static int choose_sets(struct td_measure *m, const struct td_measuring *how,
		       struct td_err *err)
{
	const struct td_machine *machine = how->machine;
	int rc = td_sets_builtin(&m->sets, machine, err);

	if (rc || !wants_files(m, how))
		return rc;
	td_sets_free(&m->sets);
	rc = td_catalog_read(&m->catalog, err);
	if (rc)
		return rc;
	rc = td_sets_from_files(&m->sets, machine, &m->catalog.events,
				how->notes, err);
	if (rc || !misses_name(m))
		return rc;
	/* the name may be a metric of an uncore unit */
	td_sets_free(&m->sets);
	rc = td_pmu_events_read_uncore(&m->catalog.events, &machine->cpuid,
				       err);
	return rc ? rc
		  : td_sets_from_files(&m->sets, machine, &m->catalog.events,
				       how->notes, err);
}

static bool has_level_1(const struct td_tree *tree, int pmu)
{
	for (size_t i = 0; i < tree->nr_metrics; i++) {
		const struct td_metric *metric = &tree->metrics[i];

		if (metric->pmu == pmu && metric->shown && metric->value &&
		    metric->def->level == 1)
			return true;
	}
	return false;
}

/*
 * Uses the built-in sets for PMUs whose recorded events do not fit the files: a
 * recording of the built-in levels has other event names.
 */
static bool use_builtin(struct td_measure *m, const struct td_machine *machine)
{
	bool any = false;

	for (size_t i = 0; i < m->sets.nr; i++) {
		const struct td_metric_set *set =
			td_builtin_find(machine, &machine->pmus[i]);

		if (!set || set == m->sets.v[i] || machine->pmus[i].skip ||
		    has_level_1(&m->tree, (int)i))
			continue;
		m->sets.v[i] = set;
		any = true;
	}
	return any;
}

static int read_others(const struct td_sysfs *fs, struct td_machine *machine,
		       struct td_err *err)
{
	int rc = td_machine_add_builtin(machine, err);

	return rc ? rc : td_machine_read_others(fs, machine, err);
}

static int build(struct td_measure *m, struct td_plan *plan,
		 struct td_machine *machine, const struct td_sysfs *fs,
		 struct td_err *err)
{
	const struct td_tree_setup setup = {
		.machine = machine,
		.sets = &m->sets,
		.ask = &m->ask,
		.literals = &m->literals,
		.source = &m->catalog.source,
		.files = &m->catalog.events,
		.fixed = !fs,
	};
	int rc = td_tree_build(&m->tree, &plan->events, &setup, err);

	if (!rc && setup.fixed && m->ask.level && use_builtin(m, machine)) {
		td_tree_free(&m->tree);
		return td_tree_build(&m->tree, &plan->events, &setup, err);
	}
	if (rc <= 0)
		return rc;
	/* some formula names an uncore unit */
	td_tree_free(&m->tree);
	td_plan_free(plan);
	rc = read_others(fs, machine, err);
	return rc ? rc : td_tree_build(&m->tree, &plan->events, &setup, err);
}

int td_measure_build(struct td_measure *m, struct td_plan *plan,
		     const struct td_measuring *how, struct td_err *err)
{
	const struct td_opts *opts = how->opts;
	int rc;

	*m = (struct td_measure){
		.ask = {
			.level = opts->level,
			.only_level = opts->only_level,
			.names = (const char *const *)opts->metrics,
			.nr_names = opts->nr_metrics,
			.no_threshold = opts->no_threshold,
			.no_merge = opts->no_merge,
		},
	};
	td_catalog_init(&m->catalog, how->fs, how->machine, opts->metrics_dir);
	td_literals_fill(&m->literals, how->machine, how->places, how->tsc_hz,
			 how->core_wide);
	rc = choose_sets(m, how, err);
	if (!rc)
		rc = build(m, plan, how->machine, how->fs, err);
	m->tree.plan = plan;
	return rc;
}

void td_measure_free(struct td_measure *m)
{
	td_tree_free(&m->tree);
	td_sets_free(&m->sets);
	td_catalog_free(&m->catalog);
}
