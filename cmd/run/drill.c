// SPDX-License-Identifier: GPL-2.0-only
/* -l auto: evaluates the tree now and then, and switches groups. */

#include "cmd/run/parts.h"

/*
 * The time between decisions.  After a switch, the next read decides, so that the last
 * level is reached after only a few reads.
 */
#define DECIDE_NS UINT64_C(250000000)

void td_drilling_begin(struct td_drilling *drilling, const struct td_job *job)
{
	*drilling = (struct td_drilling){ 0 };
	if (!job->tree || !job->tree->nr_families)
		return;
	drilling->active = drilling->switched = true;
	td_evaluation_make(&drilling->evaluation, job->tree, &job->plan);
	td_drill_begin(&drilling->drill, job->tree, &job->plan);
}

void td_drilling_add(struct td_drilling *drilling, const struct td_readings *delta)
{
	td_readings_merge(&drilling->window, &drilling->index, delta);
}

/* Return true if it is time to decide.  A tick may come a little early. */
static bool is_due(const struct td_drilling *drilling, uint64_t now_ns)
{
	if (!drilling->window.nr)
		return false;
	return drilling->switched || drilling->undone ||
	       now_ns - drilling->decided_ns >= DECIDE_NS - DECIDE_NS / 10;
}

static void decide(struct td_drilling *drilling, const struct td_job *job, uint64_t now_ns)
{
	const struct td_aggregator all = { .how = TD_AGGREGATE_ALL };
	const struct td_times times = { .elapsed_ns = now_ns - drilling->decided_ns };
	struct td_totals totals = { 0 };
	struct td_report report = { 0 };

	td_aggregate(&all, &drilling->window, &job->plan, &totals);
	td_eval(&drilling->evaluation, &totals, &times, false, &report);
	drilling->switched = td_drill_decide(&drilling->drill, &report, now_ns);
	td_report_free(&report);
	td_totals_free(&totals);
}

/* Switch groups.  If tasks start and end too fast, the next read tries again. */
static int switch_groups(struct td_drilling *drilling, const struct td_job *job,
			 struct td_counter *counter, struct td_err *err)
{
	struct td_ints awake;
	int rc = 1;

	td_drill_list(&drilling->drill, &awake);
	for (int i = 0; rc > 0 && i < TD_ATTEMPTS; i++) {
		struct td_ints tasks = { 0 };

		td_target_list_running(&job->target, &job->fs, &tasks);
		rc = td_counter_enable_families(counter, &awake, &tasks, err);
		td_ints_free(&tasks);
	}
	td_ints_free(&awake);
	drilling->undone = rc > 0;
	return rc < 0 ? rc : 0;
}

int td_drilling_decide(struct td_drilling *drilling, const struct td_job *job,
		       struct td_counter *counter, uint64_t now_ns, struct td_err *err)
{
	int rc = 0;

	if (!is_due(drilling, now_ns))
		return 0;
	decide(drilling, job, now_ns);
	if (drilling->switched || drilling->undone)
		rc = switch_groups(drilling, job, counter, err);
	drilling->decided_ns = now_ns;
	drilling->window.nr = 0;
	td_index_clear(&drilling->index);
	return rc;
}

void td_drilling_end(struct td_drilling *drilling)
{
	td_drill_free(&drilling->drill);
	td_evaluation_free(&drilling->evaluation);
	free(drilling->window.v);
	td_index_free(&drilling->index);
	*drilling = (struct td_drilling){ 0 };
}
