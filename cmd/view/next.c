// SPDX-License-Identifier: GPL-2.0-only
/* Makes the command lines that a verdict leads to. */
#include "cmd/view/next.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/opts/again.h"
#include "cmd/opts/groups.h"
#include "lib/base/printable.h"
#include "lib/base/util.h"
#include "metrics/explain/explain.h"

/* --- the same target again ------------------------------------------------ */

/*
 * Can the target of a recording be named again?  Processes have gone, and of a
 * command only its words are known, without their quotes.
 */
static bool is_known(const struct td_target_name *target)
{
	switch (target->kind) {
	case TD_TARGET_SYSTEM:
	case TD_TARGET_CPUS:
		return true;
	case TD_TARGET_COMMAND:
		return target->text && *target->text &&
		       td_is_plain_shell(target->text);
	case TD_TARGET_PROCESSES:
	case TD_TARGET_THREADS:
	case TD_TARGET_FILE:
		break;
	}
	return false;
}

/* Can what was counted be counted once more?  A process may have ended. */
static bool is_there(const struct td_source *source,
		     const struct td_request *request)
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

static void put_target(FILE *fp, const struct td_source *source,
		       const struct td_request *request)
{
	if (request->does.replays)
		put_recorded(fp, source->target);
	else
		td_again_put_command(fp, request);
}

static void put_target_to_locate(FILE *fp, const struct td_source *source,
				 const struct td_request *request)
{
	if (!request->does.replays) {
		td_again_put_target(fp, request);
		return;
	}
	put_recorded(fp, source->target);
	if (source->target->kind != TD_TARGET_COMMAND)
		fputs(" --timeout 10s", fp);
}

/* --- the commands --------------------------------------------------------- */

/* Of a merged row, that of any PMU: what is typed next shows all of them. */
static const struct td_metric_set *set_of(const struct td_source *source,
					  const char *pmu)
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

/* Can it be counted?  The set may be the built-in one, which ends earlier. */
static bool can_go_deeper(const struct td_verdict *verdict,
			  const struct td_metric_set *set,
			  const struct td_metric_facts *facts,
			  const struct td_request *request)
{
	switch (verdict->deeper) {
	case TD_DEEPER_NOTHING:
		break;
	case TD_DEEPER_LEVEL:
		/* -l auto has gone there; -M says what is to be shown */
		if (request->ask.drill || request->ask.nr_names)
			return false;
		return verdict->level <= facts->levels ||
		       (set && verdict->level <= set->levels);
	case TD_DEEPER_GROUP:
		/* the group has been counted: longer runs help, fewer nodes do not */
		return facts->has_group && !verdict->short_below;
	}
	return false;
}

/* To where the time goes, unless no groups may take turns. */
static void put_level(FILE *fp, const struct td_verdict *verdict,
		      const struct td_request *request)
{
	if (request->no_multiplex)
		fprintf(fp, " -l %d", verdict->level);
	else
		fputs(" -l auto", fp);
}

/* Would more runs, or more time, tell what this one was too short for? */
static bool is_too_short(const struct td_verdict *verdict)
{
	return !verdict->held && !verdict->waits &&
	       (verdict->short_below ||
		verdict->situation == TD_SITUATION_SHORT);
}

static bool is_of_command(const struct td_source *source,
			  const struct td_request *request)
{
	return request->does.replays ? source->target->kind == TD_TARGET_COMMAND
				     : request->target.command != NULL;
}

static bool has_group(const struct td_source *source, const char *pmu,
		      const char *node)
{
	struct td_metric_facts facts = { 0 };

	return !source->find_facts(source->facts_ctx, pmu, node, &facts) &&
	       facts.has_group;
}

/* The levels that cost little, and from there on the siblings along the path. */
static void put_groups(FILE *fp, const struct td_verdict *verdict,
		       const struct td_source *source)
{
	const struct td_found *focus = td_verdict_focus(verdict);

	fputs(" -l 2 -M ", fp);
	for (size_t i = 0; i < verdict->nr_path; i++) {
		const struct td_found *above = &verdict->path[i];

		if (above != focus && above->node->level > 1 &&
		    has_group(source, verdict->row->pmu, above->name))
			fprintf(fp, "%s_group,", above->name);
	}
	fprintf(fp, "%s_group", focus->name);
}

static void put_count(FILE *fp, const struct td_verdict *verdict, bool deeper,
		      const struct td_source *source,
		      const struct td_request *request)
{
	static const struct td_option_group *const tree[] = { &td_group_tree,
							      NULL };

	fputs("tdstat", fp);
	if (is_too_short(verdict)) {
		td_again_put_more(fp, request, is_of_command(source, request));
	} else {
		if (!request->does.replays)
			td_again_put_options(fp, request);
		td_again_put_runs(fp, request);
	}
	if (deeper && verdict->deeper == TD_DEEPER_LEVEL)
		put_level(fp, verdict, request);
	else if (!deeper && !request->does.replays)
		td_again_put_groups(fp, request, tree);
	else if (deeper && verdict->deeper == TD_DEEPER_GROUP)
		put_groups(fp, verdict, source);
	put_target(fp, source, request);
}

/*
 * The facts of the node to look at, and its name.  If it has no events
 * to sample, the name and the events of the nearest node above it that does.
 */
static int find_facts(const struct td_verdict *verdict,
		      const struct td_source *source,
		      struct td_metric_facts *facts, const char **node)
{
	const char *pmu = verdict->row->pmu, *name;
	const struct td_found *focus = td_verdict_focus(verdict);
	struct td_metric_facts above = { 0 };
	size_t i = verdict->nr_path;
	int rc;

	*node = NULL;
	*facts = (struct td_metric_facts){ 0 };
	if (!focus)
		focus = &verdict->tied[0];
	if (!source->find_facts || !focus->node)
		return 0;
	name = focus->name;
	rc = source->find_facts(source->facts_ctx, pmu, name, facts);
	if (focus == td_verdict_last(verdict))
		i--;
	while (!rc && !facts->nr_events && i-- > 0) {
		name = verdict->path[i].name;
		rc = source->find_facts(source->facts_ctx, pmu, name, &above);
		facts->nr_events = above.nr_events;
	}
	*node = facts->nr_events ? name : NULL;
	return rc;
}

/*
 * Where no node can be named, the reason is the next thing to know.  Returns a negative
 * errno if memory ran out, like those below.
 */
static int make_reasons(struct td_advice *advice,
			const struct td_source *source,
			const struct td_request *request)
{
	static const struct td_option_group *const tree[] = { &td_group_tree,
							      NULL };
	size_t size;
	FILE *fp;

	if (advice->verdict->situation != TD_SITUATION_UNKNOWN ||
	    request->verbose || request->does.replays)
		return 0;
	fp = open_memstream(&advice->next, &size);
	if (!fp)
		return -1;
	fputs("tdstat -v", fp);
	td_again_put_options(fp, request);
	td_again_put_runs(fp, request);
	td_again_put_groups(fp, request, tree);
	put_target(fp, source, request);
	return td_text_close(fp, &advice->next);
}

static int make_count(struct td_advice *advice,
		      const struct td_metric_facts *facts,
		      const struct td_source *source,
		      const struct td_request *request)
{
	const struct td_verdict *verdict = advice->verdict;
	const struct td_metric_set *set = set_of(source, verdict->row->pmu);
	bool deeper = can_go_deeper(verdict, set, facts, request);
	size_t size;
	FILE *fp;

	if (!deeper && !is_too_short(verdict))
		return make_reasons(advice, source, request);
	fp = open_memstream(&advice->next, &size);
	if (!fp)
		return -1;
	if (!deeper && request->no_multiplex && is_of_command(source, request))
		advice->next_runs =
			td_again_more_runs(request) *
			(source->plan->nr_sets > 1 ? source->plan->nr_sets : 1);
	put_count(fp, verdict, deeper, source, request);
	return td_text_close(fp, &advice->next);
}

/* Rows of a tenth of a second, where the largest node changed. */
static int make_when(struct td_advice *advice, const struct td_source *source,
		     const struct td_request *request)
{
	size_t size;
	FILE *fp;

	if (!advice->verdict->changed || request->does.replays ||
	    source->interval || request->no_multiplex)
		return 0;
	fp = open_memstream(&advice->when, &size);
	if (!fp)
		return -1;
	fputs("tdstat -I 100ms", fp);
	td_again_put_options(fp, request);
	td_again_put_command(fp, request);
	return td_text_close(fp, &advice->when);
}

static int make_where(struct td_advice *advice, const char *node,
		      const struct td_source *source,
		      const struct td_request *request)
{
	size_t size;
	FILE *fp;

	/* tdstat locate does not know cgroups */
	if (!advice->verdict->nr_path || !node ||
	    td_target_has_cgroups(&request->target))
		return 0;
	fp = open_memstream(&advice->where, &size);
	if (!fp)
		return -1;
	fprintf(fp, "tdstat locate %s", node);
	put_target_to_locate(fp, source, request);
	return td_text_close(fp, &advice->where);
}

/* Of the last node that has a text: newer files have nodes without. */
static int make_explain(struct td_advice *advice)
{
	const struct td_verdict *verdict = advice->verdict;
	const struct td_found *focus = td_verdict_focus(verdict);
	size_t i = verdict->nr_path;

	while (focus && !td_explanation_exists(focus->name))
		focus = i ? &verdict->path[--i] : NULL;
	if (!focus)
		return 0;
	advice->above = focus != td_verdict_focus(verdict);
	if (asprintf(&advice->explain, "tdstat explain %s", focus->name) >= 0)
		return 0;
	advice->explain = NULL;
	return -1;
}

int td_next_make(struct td_advice *advice, const struct td_source *source,
		 const struct td_request *request, struct td_err *err)
{
	const struct td_verdict *verdict = advice->verdict;
	struct td_metric_facts facts;
	const char *node;
	int rc;

	if (!verdict->row)
		return 0;
	rc = find_facts(verdict, source, &facts, &node);
	/* of tasks that waited, it is not the slots that took the time */
	if (!rc && !verdict->waits && is_there(source, request)) {
		rc = make_count(advice, &facts, source, request);
		if (!rc)
			rc = make_when(advice, source, request);
		if (!rc)
			rc = make_where(advice, node, source, request);
	}
	if (!rc)
		rc = make_explain(advice);
	return rc ? td_err_nomem(err) : 0;
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

static bool is_worth_showing(const struct td_verdict *verdict)
{
	return verdict->situation != TD_SITUATION_NONE ||
	       verdict->losers[0].id || verdict->between_pct > 0;
}

/* The evaluation was used for other counts since, to find the errors. */
int td_view_find_clear(struct td_view *view, const struct td_totals *totals,
		       const struct td_times *times, struct td_report *report,
		       struct td_err *err)
{
	struct td_report again = { 0 };
	int rc = td_eval(&view->evaluation, totals, times, view->merge, &again,
			 err);

	if (!rc)
		td_eval_find_clear(&view->evaluation, report);
	td_report_free(&again);
	return rc;
}

int td_view_find_verdict(struct td_view *view, const struct td_totals *totals,
			 const struct td_times *times, struct td_report *report,
			 struct td_verdict *verdict, struct td_err *err)
{
	int rc = td_view_find_clear(view, totals, times, report, err);

	if (!rc)
		td_verdict_find(verdict, report);
	return rc;
}

int td_view_put_verdict(struct td_view *view, const struct td_totals *totals,
			const struct td_times *times, struct td_report *report,
			struct td_err *err)
{
	const struct td_out *out = view->sink.writer.out;
	struct td_verdict verdict, others[TD_VERDICT_OTHERS];
	struct td_advice advice = { .verdict = &verdict, .others = others };
	int rc;

	if (!view->verdict || !out->verdict || report->nr_timed)
		return 0;
	rc = td_view_find_verdict(view, totals, times, report, &verdict, err);
	if (rc)
		return rc;
	if (view->focus)
		td_focus_take(view->focus, &verdict);
	if (!is_worth_showing(&verdict))
		return 0;
	/* of one function or region, it is the tree, and -v shows that */
	if (report->regions && verdict.row)
		return 0;
	advice.nr_others = td_verdict_find_others(others, &verdict, report);
	rc = td_next_make(&advice, view->source, view->verdict, err);
	if (!rc)
		out->verdict(&view->sink.writer, report, &advice);
	td_next_free(&advice);
	return rc;
}
