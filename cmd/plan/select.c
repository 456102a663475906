// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/plan/select.h"

#include "cmd/plan/catalog.h"
#include "cmd/rights.h"
#include "lib/counter/probe.h"
#include "metrics/eval/eval.h"
#include "metrics/sets/set.h"
#include "metrics/sets/sets.h"

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
	if (td_aggregation_sums_tasks(td_request_aggregation(request)))
		return "-l 3 estimates";
	if (request->ask.only_level == 2)
		return "-M TopdownL2 estimates";
	return request->ask.level == 2 ? "-M TopdownL1,TopdownL2 (or -l 3) estimates"
				       : "-M TopdownL1 (or -l 3) estimates";
}

/*
 * Refuse a task or a cgroup.  The hint is true because the formulas of files count half of the
 * thread's clocks as core clocks while the other thread runs (CPU_CLK_UNHALTED.ONE_THREAD_ACTIVE).
 */
static int refuse_task(const struct td_sysfs *fs, struct td_machine *machine,
		       const struct td_request *request, struct td_err *err)
{
	enum td_aggregation how = td_request_aggregation(request);
	bool cgroup = td_target_has_cgroups(&request->target);
	const char *rows = cgroup ? "--for-each-cgroup" : td_aggregation_option(how);
	td_autofree char *whole =
		cgroup || td_aggregation_sums_tasks(how)
			? td_aprintf("the machine without %s", rows)
			: td_strdup("the machine while it runs (tdstat -a -- COMMAND)");

	td_err_set(
		err, -ENOTSUP,
		"%s: the two threads of a core share its slots: those of one %s cannot be counted",
		processor(machine), cgroup ? "cgroup" : "program");
	/* profile, calls and regions do not accept -M */
	if (request->does.samples || request->does.regions || !has_files(fs, machine, request))
		return td_err_hint(err, "count %s, or switch hyper-threading off", whole);
	return td_err_hint(
		err,
		"%s them, assuming half of the slots while the core's other thread runs; or count "
		"%s, or switch hyper-threading off",
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

/* Does the --cputype mean this PMU: "core" or "cpu_core"? */
static bool is_type(const struct td_pmu *pmu, const char *type)
{
	if (strcmp(pmu->name, type) == 0)
		return true;
	return strncmp(pmu->name, "cpu_", 4) == 0 && strcmp(pmu->name + 4, type) == 0;
}

/* List the PMUs: "cpu_core, cpu_atom" or "cpu_core (CPUs 0-3), cpu_atom (CPUs 4-7)". */
static void list_pmus(const struct td_machine *machine, bool cpus, char *buf, size_t size)
{
	size_t len = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < machine->nr_core && len < size; i++) {
		const struct td_pmu *pmu = &machine->pmus[i];
		td_autofree char *text = td_ints_format(&pmu->cpus);

		len += (size_t)snprintf(buf + len, size - len, "%s%s%s%s%s", i ? ", " : "",
					pmu->name, cpus ? " (CPUs " : "", cpus ? text : "",
					cpus ? ")" : "");
	}
}

static int check_online(const struct td_machine *machine, const struct td_request *request,
			struct td_err *err)
{
	td_autofree char *online = NULL;

	for (size_t i = 0; i < request->target.cpus.nr; i++) {
		if (td_ints_has(&machine->online, request->target.cpus.v[i]))
			continue;
		online = td_ints_format(&machine->online);
		td_err_set(err, -ENODEV, "-C: CPU %d is not online", request->target.cpus.v[i]);
		return td_err_hint(err, "this machine's CPUs are %s", online);
	}
	return 0;
}

static bool shares_cpu(const struct td_ints *a, const struct td_ints *b)
{
	for (size_t i = 0; i < a->nr; i++) {
		if (td_ints_has(b, a->v[i]))
			return true;
	}
	return false;
}

static int nothing_left(const struct td_machine *machine, const struct td_request *request,
			bool type_known, struct td_err *err)
{
	td_autofree char *cpus = td_ints_format(&request->target.cpus);
	char pmus[256];

	list_pmus(machine, type_known, pmus, sizeof(pmus));
	if (!type_known)
		td_err_set(err, -ENODEV, "--cputype %s: this machine has no such cores",
			   request->cputype);
	else
		td_err_set(err, -ENODEV, "-C %s: none of these CPUs belongs to %s", cpus,
			   request->cputype ? request->cputype : "a core PMU");
	return td_err_hint(err, "its PMUs are %s", pmus);
}

/* Return a usage error for a type that no machine has. */
static int check_type(const struct td_machine *machine, const char *type, struct td_err *err)
{
	static const char *const types[] = { "cpu", "core", "atom", "lowpower" };
	const char *name = type + (strncmp(type, "cpu_", 4) == 0 ? 4 : 0);

	for (size_t i = 0; i < TD_ARRAY_SIZE(types); i++) {
		if (strcmp(name, types[i]) == 0)
			return 0;
	}
	for (size_t i = 0; i < machine->nr_core; i++) {
		if (is_type(&machine->pmus[i], type))
			return 0;
	}
	td_err_usage(err, "--cputype %s: no machine has such cores", type);
	return td_err_hint(err, "core types: core, atom and lowpower");
}

int td_select_pmus(struct td_machine *machine, const struct td_request *request, struct td_err *err)
{
	bool type_known = !request->cputype;
	size_t left = 0;
	int rc = request->cputype ? check_type(machine, request->cputype, err) : 0;

	if (!rc && request->target.has_cpus)
		rc = check_online(machine, request, err);

	if (!rc && machine->nr_core == 0 && request->cputype && td_request_has_events(request))
		return td_err_set(err, -ENODEV,
				  "--cputype %s: this machine has no PMU for its cores",
				  request->cputype);
	if (rc || machine->nr_core == 0)
		return rc;
	td_for_each(struct td_pmu, pmu, machine->pmus, machine->nr_core) {
		/* a recording may contain only some of the core types */
		if (request->cputype)
			pmu->skip = !is_type(pmu, request->cputype);
		type_known |= !pmu->skip;
		if (request->target.has_cpus && !shares_cpu(&pmu->cpus, &request->target.cpus))
			pmu->skip = true;
		left += !pmu->skip;
	}
	return left ? 0 : nothing_left(machine, request, type_known, err);
}

/*
 * Leave PERF_METRICS out if they cannot or should not be counted, and the general counters of
 * the core can count levels 1 and 2 instead.
 */
static void select_slots(struct td_machine *machine, const struct td_ask *ask, bool live)
{
	td_for_each(struct td_pmu, pmu, machine->pmus, machine->nr_core) {
		if (pmu->skip || !td_pmu_has_slots(pmu) ||
		    !td_uarch_has(pmu->uarch, TD_CORE_FIELDS))
			continue;
		if (ask->no_perf_metrics || (live && !td_slots_probe(pmu)))
			td_pmu_forget_slots(pmu);
	}
}

bool td_select_general(struct td_machine *machine)
{
	td_for_each(const struct td_pmu, pmu, machine->pmus, machine->nr_core) {
		if (!pmu->skip && td_pmu_has_slots(pmu) &&
		    !td_uarch_has(pmu->uarch, TD_CORE_FIELDS))
			return false;
	}
	select_slots(machine, &(struct td_ask){ .no_perf_metrics = true }, false);
	return true;
}

int td_select_machine(struct td_sysfs *fs, struct td_machine *machine,
		      const struct td_request *request, struct td_err *err)
{
	const char *sys = td_rights_getenv("SYSFS_PATH");
	const char *proc = td_rights_getenv("PROCFS_PATH");
	const char *cpuid = td_rights_getenv("PERF_CPUID");
	int rc;

	if (request->model) {
		rc = td_select_model(fs, machine, request, err);
		if (!rc)
			select_slots(machine, &request->ask, false);
		return rc ? rc : td_select_pmus(machine, request, err);
	}
	rc = td_sysfs_open(fs, sys ? sys : "/sys", proc ? proc : "/proc", err);
	if (!rc)
		rc = td_machine_read(fs, cpuid, machine, err);
	if (!rc)
		rc = td_select_pmus(machine, request, err);
	if (!rc)
		select_slots(machine, &request->ask,
			     !sys && !request->dry_run && !td_request_has_events(request));
	return rc;
}

/* Return " (Gracemont)", or "" for an unknown core. */
static const char *in_brackets(char buf[64], enum td_uarch uarch)
{
	snprintf(buf, 64, " (%s)", td_uarch_name(uarch));
	return uarch == TD_UARCH_UNKNOWN ? "" : buf;
}

/* Maximum level for calls, regions and functions, which are not multiplexed. */
#define MAX_LEVEL_OF_PARTS 2

static bool shows_parts(const struct td_request *request)
{
	return request->profile || td_request_aggregation(request) == TD_AGGREGATE_REGION;
}

/* Note nodes that were not recorded, and the command that records them. */
static void note_dropped(const struct td_pmu *pmu, size_t nr, const struct td_request *request,
			 struct td_notes *notes)
{
	char remedy[80];

	if (shows_parts(request) && request->ask.level > MAX_LEVEL_OF_PARTS)
		snprintf(remedy, sizeof(remedy),
			 "functions, calls and regions support only levels 1 and 2");
	else if (shows_parts(request) && !request->profile)
		snprintf(remedy, sizeof(remedy),
			 "add -l %d to the command that recorded the others", request->ask.level);
	else if (request->does.imports)
		snprintf(remedy, sizeof(remedy), "for perf stat: tdstat --print-perf -l %d",
			 request->ask.level);
	else
		snprintf(remedy, sizeof(remedy), "tdstat %s -l %d records all",
			 request->profile ? "profile --samples FILE" : "record",
			 request->ask.level);
	td_notes_add(notes, "%s: %zu metric%s of these levels %s not recorded: %s", pmu->name, nr,
		     nr > 1 ? "s" : "", nr > 1 ? "were" : "was", remedy);
}

static void note_level(const struct td_tree *tree, const struct td_machine *machine, size_t i,
		       const struct td_request *request, struct td_notes *notes)
{
	const struct td_pmu *pmu = &machine->pmus[i];
	bool recorded = request->does.replays;
	char core[64];

	if (!tree->sets[i])
		td_notes_add(notes, "%s %s: not shown", pmu->name,
			     recorded ? "was not recorded" : "has no top-down events");
	else if (recorded && tree->nr_dropped[i])
		note_dropped(pmu, tree->nr_dropped[i], request, notes);
	/* if the built-in tree replaces that of files, another note says so */
	else if (!request->ask.drill && !request->level_or_less &&
		 tree->levels[i] < request->ask.level &&
		 (recorded || tree->sets[i]->files || request->ask.level <= 2))
		td_notes_add(notes, "%s%s: %s level %d", pmu->name, in_brackets(core, pmu->uarch),
			     tree->levels[i] < tree->sets[i]->levels ||
					     (recorded && !tree->sets[i]->files)
				     ? "recorded only at"
				     : "there is only",
			     tree->levels[i]);
}

/* --bottlenecks: note what is shown instead for cores without bottleneck metrics. */
static void note_bottlenecks(const struct td_tree *tree, const struct td_machine *machine, size_t i,
			     struct td_notes *notes)
{
	const struct td_metric_set *set = tree->sets[i];
	const struct td_pmu *pmu = &machine->pmus[i];

	if (!set)
		td_notes_add(
			notes,
			"%s (%s): not shown, because it has neither bottleneck metrics nor a tree",
			pmu->name, td_uarch_name(pmu->uarch));
	else if (!td_set_has_bottlenecks(set))
		td_notes_add(
			notes,
			"%s (%s) has no bottleneck metrics: the tree down to level %d is shown "
			"instead",
			pmu->name, td_uarch_name(pmu->uarch), tree->levels[i]);
}

/* --energy: note which counters the machine or the recording lacks. */
static void note_package(const struct td_tree *tree, struct td_notes *notes)
{
	td_for_each(const struct td_metric, metric, tree->metrics, tree->nr_metrics) {
		const char *why = td_metric_refusal(tree, metric);

		if (!why || !metric->shown || !td_package_is_main(metric->def))
			continue;
		if (td_package_lacks_formula(metric->def))
			why = "the files of this model have no formula for it";
		td_notes_add(notes, "--energy: no %s: %s", metric->name, why);
	}
}

/* Note why metrics have no value: those requested by name, or with -v all. */
static void note_refusals(const struct td_tree *tree, const struct td_request *request,
			  struct td_notes *notes)
{
	td_for_each(const struct td_metric, metric, tree->metrics, tree->nr_metrics) {
		const char *why = td_metric_refusal(tree, metric);
		const char *pmu = tree->machine->pmus[metric->pmu].name;
		bool named = false;

		for (size_t j = 0; j < request->ask.nr_names && !named; j++)
			named = strcmp(request->ask.names[j], metric->name) == 0;
		if (why && metric->shown && !metric->def->package && (named || request->verbose))
			td_notes_add(notes, "%s%s%s%s is not supported: %s", metric->name,
				     metric->def->apart ? "" : " (", metric->def->apart ? "" : pmu,
				     metric->def->apart ? "" : ")", why);
	}
}

/* Set the first reason as the error because no metric can be counted. */
static int nothing_shown(const struct td_tree *tree, const struct td_machine *machine,
			 const struct td_request *request, struct td_err *err)
{
	td_for_each(const struct td_metric, metric, tree->metrics, tree->nr_metrics) {
		if (!metric->shown || !td_metric_refusal(tree, metric))
			continue;
		td_err_set(err, -ENODEV, "%s (%s): %s", metric->name,
			   machine->pmus[metric->pmu].name, td_metric_refusal(tree, metric));
		if (!request->does.replays || shows_parts(request))
			return -ENODEV;
		return request->does.imports
			       ? td_err_hint(err, "for perf stat: tdstat --print-perf -M %s",
					     metric->name)
			       : td_err_hint(err, "tdstat record -M %s records it", metric->name);
	}
	if (request->does.replays)
		return td_err_set(err, -ENODEV, "%s: its events do not make a top-down tree",
				  request->input);
	return td_why_no_tree(machine, err);
}

static int check_merge(const struct td_tree *tree, struct td_notes *notes, struct td_err *err)
{
	size_t nr_lacking, nr_parts;

	if (!td_merge_count(tree, &nr_lacking, &nr_parts))
		return td_err_usage(
			err,
			"--hybrid-merge: none of these metrics is a share that all core types have");
	if (nr_lacking)
		td_notes_add(notes,
			     "--hybrid-merge: %zu metric%s left out that not all core types have%s",
			     nr_lacking + nr_parts, nr_lacking + nr_parts == 1 ? " is" : "s are",
			     nr_parts ? ", or that without these do not add up to their parent"
				      : "");
	return 0;
}

int td_check_shown_metrics(const struct td_tree *tree, const struct td_machine *machine,
			   const struct td_request *request, struct td_notes *notes,
			   struct td_err *err)
{
	bool any = false;

	for (size_t i = 0; i < tree->nr_pmus; i++) {
		if (!machine->pmus[i].skip && request->ask.level)
			note_level(tree, machine, i, request, notes);
		if (!machine->pmus[i].skip && request->ask.bottlenecks)
			note_bottlenecks(tree, machine, i, notes);
	}
	for (size_t i = 0; i < tree->nr_metrics; i++)
		any = any || (tree->metrics[i].shown && tree->metrics[i].value);
	if (!any)
		return nothing_shown(tree, machine, request, err);
	note_refusals(tree, request, notes);
	note_package(tree, notes);
	return request->show.hybrid_merge ? check_merge(tree, notes, err) : 0;
}

static const char *refusal_of(const struct td_metric *metric, const struct td_events *events)
{
	for (size_t i = 0; i < metric->events.nr; i++) {
		const char *why = events->v[metric->events.v[i]].refusal;

		if (why)
			return why;
	}
	return NULL;
}

int td_check_opened_metrics(const struct td_tree *tree, const struct td_events *events,
			    struct td_err *err)
{
	const char *first = NULL;

	td_for_each(const struct td_metric, metric, tree->metrics, tree->nr_metrics) {
		const char *why;

		if (!metric->shown || !metric->value)
			continue;
		why = refusal_of(metric, events);
		if (!why)
			return 0;
		first = first ? first : why;
	}
	return first ? td_err_set(err, -ENODEV, "%s", first) : 0;
}
