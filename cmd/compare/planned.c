// SPDX-License-Identifier: GPL-2.0-only
/* Checks that the names of --fail-above have rows: before commands run, or in recordings. */
#include "cmd/compare/compare.h"
#include "cmd/plan/job.h"
#include "lib/plan/clocks.h"

/* --- the rows --------------------------------------------------------------- */

static void add(struct td_diff *rows, const struct td_diff_row *row)
{
	td_array_push(&rows->rows, &rows->nr, row, sizeof(*row));
}

static void add_times(struct td_diff *rows)
{
	static const char *const times[] = { "elapsed", "user", "sys" };

	for (size_t i = 0; i < TD_ARRAY_SIZE(times); i++)
		add(rows,
		    &(struct td_diff_row){ .kind = TD_DIFF_TIME, .name = times[i], .unit = "s" });
}

static bool counts_clock(const struct td_plan *plan, int pmu, enum td_clock_event clock)
{
	td_for_each(const struct td_event, event, plan->events.v, plan->events.nr) {
		if (event->pmu == pmu && td_clock_modifiers(event->name, clock))
			return true;
	}
	return false;
}

static void add_ipc(struct td_diff *rows, const struct td_job *job)
{
	const struct td_diff_row ipc = { .kind = TD_DIFF_IPC, .name = "IPC", .unit = "" };

	for (int pmu = 0; pmu < (int)job->machine.nr_core; pmu++) {
		if (counts_clock(&job->plan, pmu, TD_CLOCK_INSTRUCTIONS) &&
		    counts_clock(&job->plan, pmu, TD_CLOCK_CYCLES)) {
			add(rows, &ipc);
			return;
		}
	}
}

static void add_tree(struct td_diff *rows, const struct td_tree *tree)
{
	for (size_t pmu = 0; tree && pmu < tree->nr_pmus; pmu++) {
		td_for_each(const struct td_node, node, tree->nodes[pmu], tree->nr_nodes[pmu]) {
			const struct td_column *column = &tree->columns[node->column];

			add(rows, &(struct td_diff_row){ .kind = TD_DIFF_METRIC,
							 .name = column->name,
							 .unit = column->unit,
							 .level = node->level });
		}
	}
}

/* --- missing rows ------------------------------------------------------------- */

/* Plan a dry run, which opens no event.  The request must outlive the job. */
static int plan(struct td_job *job, struct td_request *request)
{
	struct td_err unused = { 0 };

	request->dry_run = true;
	return td_job_plan(job, request, &unused);
}

/* Return the level of the node with this name; 0: there is no such node. */
static int find_level(const struct td_diff *nodes, const char *name)
{
	for (size_t i = 0; i < nodes->nr; i++) {
		if (td_node_is_called(nodes->rows[i].name, name))
			return nodes->rows[i].level;
	}
	return 0;
}

/*
 * May the recording have nodes of this level, which is not compared?  Older recordings do not
 * contain their level.
 */
static bool may_have(const struct td_recorded *recorded, int level)
{
	const struct td_ask *ask = &recorded->rec.info.ask;

	return recorded->request.ask.level < level && (!td_ask_is_made(ask) || ask->level >= level);
}

/* Return the error for a node of a level without a row in the recording. */
static int not_recorded(const struct td_recorded *recorded, const char *name, int level,
			struct td_err *err)
{
	const struct td_ask *ask = &recorded->rec.info.ask;
	const char *path = recorded->rec.path;

	if (may_have(recorded, level)) {
		td_err_usage(err, "--fail-above %s: a node of level %d, which is not compared",
			     name, level);
		return td_err_hint(err, "-l %d compares it, if it was recorded", level);
	}
	if (ask->level && ask->level < level)
		td_err_usage(err,
			     "--fail-above %s: a node of level %d, and %s was recorded at level %d",
			     name, level, path, ask->level);
	else
		td_err_usage(err, "--fail-above %s: a node of level %d, which %s does not have",
			     name, level, path);
	return recorded->request.does.imports
		       ? td_err_hint(err, "for perf stat: tdstat --print-perf -l %d", level)
		       : td_err_hint(err, "tdstat record -l %d records it", level);
}

/* Explain a missing name, which a deeper level may have.  recorded is NULL for commands. */
static int explain(const struct td_limits *limits, const struct td_diff *rows,
		   const struct td_diff *nodes, const struct td_recorded *recorded,
		   struct td_err *err)
{
	const char *name = td_limits_find_missing(limits, rows);
	int level = find_level(nodes, name);

	if (!level)
		return td_limits_check(limits, rows, nodes, err);
	if (recorded)
		return not_recorded(recorded, name, level, err);
	td_err_usage(err, "--fail-above %s: a node of level %d, which would not be measured", name,
		     level);
	return td_err_hint(err, "-l %d measures it", level);
}

/* Check the names; without metric files of the processor, its nodes are unknown. */
static int check(const struct td_limits *limits, const struct td_diff *rows,
		 const struct td_request *asked, const struct td_recorded *recorded,
		 struct td_err *err)
{
	struct td_request request = *asked;
	struct td_diff nodes = { 0 };
	struct td_job job;
	int rc;

	if (!td_limits_find_missing(limits, rows) || td_request_has_events(asked))
		return td_limits_check(limits, rows, NULL, err);
	request.ask = (struct td_ask){ .level = TD_MAX_LEVEL };
	if (!plan(&job, &request))
		add_tree(&nodes, job.tree);
	rc = explain(limits, rows, &nodes, recorded, err);
	td_diff_free(&nodes);
	td_job_free(&job);
	return rc;
}

int td_sides_check_limits(const struct td_sides *sides, const struct td_limits *limits,
			  const struct td_diff *diff, const struct td_opts *opts,
			  struct td_err *err)
{
	const struct td_recorded *first = &sides->v[0].recorded;
	struct td_request request = opts->request;
	char model[48];

	if (first->rec.info.of_events || !first->rec.machine.cpuid.family)
		return td_limits_check(limits, diff, NULL, err);
	td_cpuid_format(&first->rec.machine.cpuid, model);
	request.model = model;
	request.target.all_cpus = true;
	return check(limits, diff, &request, first, err);
}

int td_planned_check(const struct td_limits *limits, const struct td_opts *opts, struct td_err *err)
{
	struct td_request asked = opts->request;
	struct td_diff rows = { 0 };
	struct td_job job;
	int rc = 0;

	if (!td_ask_is_made(&asked.ask) && !td_request_has_events(&asked))
		asked.ask.level = 1;
	if (!limits->nr)
		return 0;
	if (!plan(&job, &asked)) {
		add_times(&rows);
		add_ipc(&rows, &job);
		add_tree(&rows, job.tree);
		for (size_t i = 0; !job.tree && i < job.plan.events.nr; i++) {
			if (!job.plan.events.v[i].hidden)
				add(&rows, &(struct td_diff_row){ .kind = TD_DIFF_EVENT,
								  .name = job.plan.events.v[i].name,
								  .unit = "" });
		}
		rc = check(limits, &rows, &asked, NULL, err);
	}
	td_job_free(&job);
	td_diff_free(&rows);
	return rc;
}
