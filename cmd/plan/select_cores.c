// SPDX-License-Identifier: GPL-2.0-only
/* Requests on cores whose threads share their slots. */
#include <errno.h>

#include "cmd/plan/catalog.h"
#include "cmd/plan/select.h"

/* Is a node of the tree shown on a PMU whose slots are counted for whole cores? */
static bool needs_whole_cores(const struct td_tree *tree, const struct td_machine *machine)
{
	for (size_t i = 0; machine->smt && i < tree->nr_metrics; i++) {
		const struct td_metric *metric = &tree->metrics[i];
		const struct td_metric_set *set = tree->sets[metric->pmu];

		if (metric->shown && metric->def->level && set && set->per_core)
			return true;
	}
	return false;
}

static const char *processor(const struct td_machine *machine)
{
	return machine->model ? machine->model->name : "this processor";
}

int td_check_rows_of_cpus(const struct td_tree *tree, const struct td_machine *machine,
			  const struct td_request *request, struct td_err *err)
{
	if (td_request_aggregation(request) != TD_AGGREGATE_CPU ||
	    !needs_whole_cores(tree, machine))
		return 0;
	td_err_set(
		err, -ENOTSUP,
		"-A: %s: the two threads of a core share its slots: a single CPU has no values of "
		"its own",
		processor(machine));
	return td_err_hint(err, "use --per-core, or switch hyper-threading off");
}

/* Does the model have metric files?  Their formulas estimate the share of a thread. */
static bool has_files(const struct td_sysfs *fs, struct td_machine *machine,
		      const struct td_request *request)
{
	struct td_catalog catalog;
	struct td_err unused;
	bool found;

	td_catalog_init(&catalog, fs, machine, request->metrics_dir);
	found = td_catalog_read(&catalog, &unused) == 0 && catalog.events.dir &&
		catalog.events.nr_metrics > 0;
	td_catalog_free(&catalog);
	return found;
}

/* Return the options that select metrics of files instead of the built-in levels. */
static const char *metrics_instead(const struct td_request *request)
{
	if (request->ask.only_level == 2)
		return "-M TopdownL2 estimates";
	return request->ask.level == 2 ? "-M TopdownL1,TopdownL2 (or -l 3) estimates"
				       : "-M TopdownL1 (or -l 3) estimates";
}

/*
 * Refuse a task or a cgroup.  The hint is true because the formulas of files count half of the
 * thread's clocks as core clocks while the other thread runs
 * (CPU_CLK_UNHALTED.ONE_THREAD_ACTIVE).
 */
static int refuse_task(const struct td_sysfs *fs, struct td_machine *machine,
		       const struct td_request *request, struct td_err *err)
{
	bool cgroup = td_target_has_cgroups(&request->target);
	const char *whole =
		cgroup ? "the machine without --for-each-cgroup, or switch hyper-threading off"
		       : "the machine while it runs (tdstat -a -- COMMAND), or switch "
			 "hyper-threading off";

	td_err_set(
		err, -ENOTSUP,
		"%s: the two threads of a core share its slots: those of one %s cannot be counted",
		processor(machine), cgroup ? "cgroup" : "program");
	/* profile, calls and regions do not accept -M */
	if (request->does.samples || request->does.regions || !has_files(fs, machine, request))
		return td_err_hint(err, "count %s", whole);
	return td_err_hint(
		err,
		"%s them, assuming half of the slots while the core's other thread runs; or count "
		"%s",
		metrics_instead(request), whole);
}

int td_check_cores_of_tasks(const struct td_sysfs *fs, const struct td_tree *tree,
			    struct td_machine *machine, const struct td_request *request,
			    struct td_err *err)
{
	if (!needs_whole_cores(tree, machine))
		return 0;
	/* the formulas of files estimate a thread's share (#core_wide is 0) */
	if (tree->sets[0] && tree->sets[0]->files)
		return 0;
	return refuse_task(fs, machine, request, err);
}

int td_select_whole_cores(const struct td_sysfs *fs, const struct td_tree *tree,
			  const struct td_machine *machine, struct td_target *target,
			  struct td_notes *notes, struct td_err *err)
{
	struct td_ints siblings, online;
	int rc;

	if (!target->has_cpus || !needs_whole_cores(tree, machine))
		return 0;
	rc = td_cpu_siblings(fs, &target->cpus, &siblings, err);
	if (rc)
		return rc;
	td_ints_and(&online, &siblings, &machine->online);
	td_ints_free(&siblings);
	if (online.nr > target->cpus.nr)
		td_notes_add(notes,
			     "counting whole cores: slots are shared by the threads of a core");
	td_ints_free(&target->cpus);
	target->cpus = online;
	return 0;
}
