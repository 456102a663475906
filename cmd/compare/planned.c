// SPDX-License-Identifier: GPL-2.0-only
/* The rows that two commands will have, before any of them runs. */
#include "cmd/compare/compare.h"
#include "cmd/plan/job.h"
#include "lib/base/util.h"
#include "lib/plan/clocks.h"

/* --- the rows --------------------------------------------------------------- */

static int add(struct td_diff *rows, const struct td_diff_row *row)
{
	return td_array_push(&rows->rows, &rows->nr, row, sizeof(*row));
}

static int add_times(struct td_diff *rows)
{
	static const char *const times[] = { "elapsed", "user", "sys" };
	int rc = 0;

	for (size_t i = 0; !rc && i < TD_ARRAY_SIZE(times); i++)
		rc = add(rows, &(struct td_diff_row){ .kind = TD_DIFF_TIME,
						      .name = times[i],
						      .unit = "s" });
	return rc;
}

static bool counts_clock(const struct td_plan *plan, int pmu,
			 enum td_clock_event clock)
{
	for (size_t i = 0; i < plan->events.nr; i++) {
		const struct td_event *event = &plan->events.v[i];

		if (event->pmu == pmu && td_clock_modifiers(event->name, clock))
			return true;
	}
	return false;
}

static int add_ipc(struct td_diff *rows, const struct td_job *job)
{
	const struct td_diff_row ipc = { .kind = TD_DIFF_IPC,
					 .name = "IPC",
					 .unit = "" };

	for (int pmu = 0; pmu < (int)job->machine.nr_core; pmu++) {
		if (counts_clock(&job->plan, pmu, TD_CLOCK_INSTRUCTIONS) &&
		    counts_clock(&job->plan, pmu, TD_CLOCK_CYCLES))
			return add(rows, &ipc);
	}
	return 0;
}

static int add_nodes(struct td_diff *rows, const struct td_tree *tree,
		     size_t pmu)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < tree->nr_nodes[pmu]; i++) {
		const struct td_node *node = &tree->nodes[pmu][i];
		const struct td_column *column = &tree->columns[node->column];

		rc = add(rows, &(struct td_diff_row){ .kind = TD_DIFF_METRIC,
						      .name = column->name,
						      .unit = column->unit,
						      .level = node->level });
	}
	return rc;
}

static int add_tree(struct td_diff *rows, const struct td_tree *tree)
{
	int rc = 0;

	for (size_t pmu = 0; tree && !rc && pmu < tree->nr_pmus; pmu++)
		rc = add_nodes(rows, tree, pmu);
	return rc;
}

static int add_events(struct td_diff *rows, const struct td_job *job)
{
	const struct td_events *events = &job->plan.events;
	int rc = 0;

	for (size_t i = 0; !job->tree && !rc && i < events->nr; i++) {
		if (!events->v[i].hidden)
			rc = add(rows, &(struct td_diff_row){
					       .kind = TD_DIFF_EVENT,
					       .name = events->v[i].name,
					       .unit = "" });
	}
	return rc;
}

static int add_all(struct td_diff *rows, const struct td_job *job)
{
	int rc = add_times(rows);

	if (!rc)
		rc = add_ipc(rows, job);
	if (!rc)
		rc = add_tree(rows, job->tree);
	return rc ? rc : add_events(rows, job);
}

/* --- what they lack ----------------------------------------------------------- */

/* A dry run opens no event. */
static int plan(struct td_job *job, const struct td_request *asked,
		struct td_request *request)
{
	struct td_err unused = { 0 };

	*request = *asked;
	request->dry_run = true;
	return td_job_plan(job, request, &unused);
}

/* The level of a node that this processor has; 0: it has none of this name. */
static int find_level(const struct td_request *asked, const char *name)
{
	char *names[] = { (char *)(uintptr_t)name };
	struct td_request request = *asked;
	struct td_job job;
	int level = 0;

	request.ask = (struct td_ask){ .names = names, .nr_names = 1 };
	if (!plan(&job, &request, &request)) {
		for (size_t i = 0; i < job.tree->nr_metrics; i++) {
			const struct td_metric *metric = &job.tree->metrics[i];

			if (metric->shown &&
			    td_node_is_called(metric->name, name))
				level = metric->def->level;
		}
	}
	td_job_free(&job);
	return level;
}

/* A name that a deeper level has was not typed wrongly. */
static int check(const struct td_limits *limits, const struct td_diff *rows,
		 const struct td_request *request, struct td_err *err)
{
	const char *name = td_limits_find_missing(limits, rows);
	int level = 0;

	if (!name)
		return 0;
	if (!td_request_has_events(request))
		level = find_level(request, name);
	if (!level)
		return td_limits_check(limits, rows, err);
	td_err_usage(err,
		     "--fail-above %s: a node of level %d, which would "
		     "not be measured",
		     name, level);
	return td_err_hint(err, "-l %d measures it", level);
}

int td_planned_check(const struct td_limits *limits, const struct td_opts *opts,
		     struct td_err *err)
{
	struct td_request asked = opts->request, request;
	struct td_diff rows = { 0 };
	struct td_job job;
	int rc = 0;

	if (!td_ask_is_made(&asked.ask) && !td_request_has_events(&asked))
		asked.ask.level = 1;
	if (!limits->nr)
		return 0;
	if (!plan(&job, &asked, &request))
		rc = add_all(&rows, &job) ? td_err_nomem(err)
					  : check(limits, &rows, &asked, err);
	td_job_free(&job);
	td_diff_free(&rows);
	return rc;
}
