// SPDX-License-Identifier: GPL-2.0-only
/* Command lines for the next steps after a verdict. */
#include "cmd/view/next.h"

#include "cmd/opts/groups.h"
#include "cmd/opts/rerun.h"
#include "lib/base/printable.h"
#include "metrics/explain/explain.h"

/* --- the same target again ------------------------------------------------ */

/*
 * Return true if a command line can name the target of a recording: processes have ended, and the
 * words of a command were recorded without quotes.
 */
static bool is_known(const struct td_target_name *target)
{
	switch (target->kind) {
	case TD_TARGET_SYSTEM:
	case TD_TARGET_CPUS:
		return true;
	case TD_TARGET_COMMAND:
		return target->text && *target->text && td_is_plain_shell(target->text);
	case TD_TARGET_PROCESSES:
	case TD_TARGET_THREADS:
	case TD_TARGET_FILE:
		break;
	}
	return false;
}

/* Return true if the target can be counted again.  A process may have ended. */
static bool is_there(const struct td_source *source, const struct td_request *request)
{
	if (request->does.replays)
		return is_known(source->target);
	return !td_tasks_has_ended(&request->target.pids) &&
	       !td_tasks_has_ended(&request->target.tids);
}

static void put_recorded(FILE *fp, const struct td_target_name *target)
{
	if (target->kind == TD_TARGET_SYSTEM)
		fputs(" -a", fp);
	else if (target->kind == TD_TARGET_CPUS)
		fprintf(fp, " -C %s", target->text);
	else
		fprintf(fp, " -- %s", target->text);
}

static void put_target(FILE *fp, const struct td_source *source, const struct td_request *request)
{
	if (request->does.replays)
		put_recorded(fp, source->target);
	else
		td_rerun_put_command(fp, request);
}

static void put_target_to_locate(FILE *fp, const struct td_source *source,
				 const struct td_request *request)
{
	if (!request->does.replays) {
		td_rerun_put_target(fp, request);
		return;
	}
	put_recorded(fp, source->target);
	if (source->target->kind != TD_TARGET_COMMAND)
		fputs(" --timeout 10s", fp);
}

/* --- the commands --------------------------------------------------------- */

/* Return the set of a PMU; for a merged row any set, because the next command shows all PMUs. */
static const struct td_metric_set *set_of(const struct td_source *source, const char *pmu)
{
	const struct td_metric_set *any = NULL;

	for (size_t i = 0; i < source->tree->nr_pmus; i++) {
		if (strcmp(source->machine->pmus[i].name, pmu) == 0)
			return source->tree->sets[i];
		if (!any)
			any = source->tree->sets[i];
	}
	return any;
}

/* Return true if deeper nodes can be measured: files may have more levels than a built-in set. */
static bool can_go_deeper(const struct td_verdict *verdict, const struct td_metric_set *set,
			  const struct td_metric_facts *facts, const struct td_request *request)
{
	switch (verdict->deeper) {
	case TD_DEEPER_NOTHING:
		break;
	case TD_DEEPER_LEVEL:
		/* -l auto has counted this level, but -M selects what is shown */
		if (request->ask.drill || request->ask.nr_names)
			return false;
		return verdict->level <= facts->levels || (set && verdict->level <= set->levels);
	case TD_DEEPER_GROUP:
		/* the group has been counted: longer runs help, fewer nodes do not */
		return facts->has_group && !verdict->short_below;
	}
	return false;
}

/* Write -l auto, which finds the biggest loss but multiplexes, or -l with the level. */
static void put_level(FILE *fp, const struct td_verdict *verdict, const struct td_request *request)
{
	if (request->no_multiplex)
		fprintf(fp, " -l %d", verdict->level);
	else
		fputs(" -l auto", fp);
}

/* Return true if more runs, or a longer one, would be enough for a verdict. */
static bool is_too_short(const struct td_verdict *verdict)
{
	return !verdict->held && !verdict->waits &&
	       (verdict->short_below || verdict->situation == TD_SITUATION_SHORT);
}

static bool is_of_command(const struct td_source *source, const struct td_request *request)
{
	return request->does.replays ? source->target->kind == TD_TARGET_COMMAND
				     : request->target.command != NULL;
}

static bool has_group(const struct td_source *source, const char *pmu, const char *node)
{
	struct td_metric_facts facts = { 0 };

	source->find_facts(source->facts_ctx, pmu, node, &facts);
	return facts.has_group;
}

/* Write the levels that cost little, and the siblings along the path in deeper ones. */
static void put_groups(FILE *fp, const struct td_verdict *verdict, const struct td_source *source)
{
	const struct td_found *focus = td_verdict_focus(verdict);

	fputs(" -l 2 -M ", fp);
	td_for_each(const struct td_found, above, verdict->path, verdict->nr_path) {
		if (above != focus && above->node->level > 1 &&
		    has_group(source, verdict->row->pmu, above->name))
			fprintf(fp, "%s_group,", above->name);
	}
	fprintf(fp, "%s_group", focus->name);
}

static void put_count(FILE *fp, const struct td_verdict *verdict, bool deeper,
		      const struct td_source *source, const struct td_request *request)
{
	static const struct td_option_group *const tree[] = { &td_group_tree, NULL };

	fputs("tdstat", fp);
	if (is_too_short(verdict)) {
		td_rerun_put_more(fp, request, is_of_command(source, request));
	} else {
		if (!request->does.replays)
			td_rerun_put_options(fp, request);
		td_rerun_put_runs(fp, request);
	}
	if (deeper && verdict->deeper == TD_DEEPER_LEVEL)
		put_level(fp, verdict, request);
	else if (!deeper && !request->does.replays)
		td_rerun_put_groups(fp, request, tree);
	else if (deeper && verdict->deeper == TD_DEEPER_GROUP)
		put_groups(fp, verdict, source);
	put_target(fp, source, request);
}

/*
 * Find the facts of the node to look at.  Returns its name, or the name of the nearest ancestor
 * with events to sample; NULL if there is none.
 */
static const char *find_facts(const struct td_verdict *verdict, const struct td_source *source,
			      struct td_metric_facts *facts)
{
	const char *pmu = verdict->row->pmu, *name;
	const struct td_found *focus = td_verdict_focus(verdict);
	struct td_metric_facts ancestor = { 0 };
	size_t i = verdict->nr_path;

	*facts = (struct td_metric_facts){ 0 };
	if (!focus)
		focus = &verdict->tied[0];
	if (!source->find_facts || !focus->node)
		return NULL;
	name = focus->name;
	source->find_facts(source->facts_ctx, pmu, name, facts);
	if (focus == td_verdict_last(verdict))
		i--;
	while (!facts->nr_events && i-- > 0) {
		name = verdict->path[i].name;
		source->find_facts(source->facts_ctx, pmu, name, &ancestor);
		facts->nr_events = ancestor.nr_events;
	}
	return facts->nr_events ? name : NULL;
}

/* Set the command that shows the reasons if no node can be named. */
static void make_reasons(struct td_advice *advice, const struct td_source *source,
			 const struct td_request *request)
{
	static const struct td_option_group *const tree[] = { &td_group_tree, NULL };
	size_t size;
	FILE *fp;

	if (advice->verdict->situation != TD_SITUATION_UNKNOWN || request->verbose ||
	    request->does.replays)
		return;
	fp = td_open_memstream(&advice->next, &size);
	fputs("tdstat -v", fp);
	td_rerun_put_options(fp, request);
	td_rerun_put_runs(fp, request);
	td_rerun_put_groups(fp, request, tree);
	put_target(fp, source, request);
	td_text_close(fp, &advice->next);
}

static void make_count(struct td_advice *advice, const struct td_metric_facts *facts,
		       const struct td_source *source, const struct td_request *request)
{
	const struct td_verdict *verdict = advice->verdict;
	const struct td_metric_set *set = set_of(source, verdict->row->pmu);
	bool deeper = can_go_deeper(verdict, set, facts, request);
	size_t size;
	FILE *fp;

	if (!deeper && !is_too_short(verdict)) {
		make_reasons(advice, source, request);
		return;
	}
	fp = td_open_memstream(&advice->next, &size);
	if (!deeper && request->no_multiplex && is_of_command(source, request))
		advice->next_runs = td_rerun_more_runs(request) *
				    (source->plan->nr_sets > 1 ? source->plan->nr_sets : 1);
	put_count(fp, verdict, deeper, source, request);
	td_text_close(fp, &advice->next);
}

/* Set the command that shows rows of a tenth of a second if the largest node changed. */
static void make_when(struct td_advice *advice, const struct td_source *source,
		      const struct td_request *request)
{
	size_t size;
	FILE *fp;

	if (!advice->verdict->changed || request->does.replays || source->interval ||
	    request->no_multiplex)
		return;
	fp = td_open_memstream(&advice->when, &size);
	fputs("tdstat -I 100ms", fp);
	td_rerun_put_options(fp, request);
	td_rerun_put_command(fp, request);
	td_text_close(fp, &advice->when);
}

static void make_where(struct td_advice *advice, const char *node, const struct td_source *source,
		       const struct td_request *request)
{
	size_t size;
	FILE *fp;

	/* tdstat locate does not support cgroups */
	if (!advice->verdict->nr_path || !node || td_target_has_cgroups(&request->target))
		return;
	fp = td_open_memstream(&advice->where, &size);
	fprintf(fp, "tdstat locate %s", node);
	put_target_to_locate(fp, source, request);
	td_text_close(fp, &advice->where);
}

/* Set the command that explains the last node with a text: newer files have nodes without one. */
static void make_explain(struct td_advice *advice)
{
	const struct td_verdict *verdict = advice->verdict;
	const struct td_found *focus = td_verdict_focus(verdict);
	size_t i = verdict->nr_path;

	while (focus && !td_explanation_find(focus->name))
		focus = i ? &verdict->path[--i] : NULL;
	if (!focus)
		return;
	advice->above = focus != td_verdict_focus(verdict);
	advice->explain = td_aprintf("tdstat explain %s", focus->name);
}

void td_next_make(struct td_advice *advice, const struct td_source *source,
		  const struct td_request *request)
{
	const struct td_verdict *verdict = advice->verdict;
	struct td_metric_facts facts;
	const char *node;

	if (!verdict->row)
		return;
	node = find_facts(verdict, source, &facts);
	/* if tasks mostly waited, slots do not explain the time */
	if (!verdict->waits && is_there(source, request)) {
		make_count(advice, &facts, source, request);
		make_when(advice, source, request);
		make_where(advice, node, source, request);
	}
	make_explain(advice);
}

void td_next_free(struct td_advice *advice)
{
	free(advice->next);
	free(advice->when);
	free(advice->where);
	free(advice->explain);
	*advice = (struct td_advice){ 0 };
}

/* --- the verdict on a finished report, with the commands to type next ----- */

void td_view_find_clear(struct td_view *view, const struct td_totals *totals,
			const struct td_times *times, struct td_report *report)
{
	struct td_report again = { 0 };

	/* restore the evaluation, which was used for other counts to find the errors */
	td_eval(&view->evaluation, totals, times, view->merge, &again);
	td_eval_find_clear(&view->evaluation, report);
	td_report_free(&again);
}

void td_view_find_verdict(struct td_view *view, const struct td_totals *totals,
			  const struct td_times *times, struct td_report *report,
			  struct td_verdict *verdict)
{
	td_view_find_clear(view, totals, times, report);
	td_verdict_find(verdict, report);
}
