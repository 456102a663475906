// SPDX-License-Identifier: GPL-2.0-only
/* Makes the command lines that a verdict leads to. */
#include "cmd/view/next.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/opts/again.h"
#include "lib/base/shell.h"
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
		       const struct td_opts *opts)
{
	if (opts->subcommand == TD_REPORT)
		put_recorded(fp, source->target);
	else
		td_again_put_command(fp, opts);
}

static void put_target_for_perf(FILE *fp, const struct td_source *source,
				const struct td_opts *opts)
{
	if (opts->subcommand != TD_REPORT) {
		td_again_put_perf(fp, opts);
		return;
	}
	put_recorded(fp, source->target);
	if (source->target->kind != TD_TARGET_COMMAND)
		fputs(" -- sleep 10", fp);
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
			  const struct td_opts *opts)
{
	switch (verdict->deeper) {
	case TD_DEEPER_NOTHING:
		break;
	case TD_DEEPER_LEVEL:
		/* -l auto has gone there; -M says what is to be shown */
		if (opts->drill || opts->nr_metrics)
			return false;
		return verdict->level <= facts->levels ||
		       (set && verdict->level <= set->levels);
	case TD_DEEPER_GROUP:
		return facts->has_group;
	case TD_DEEPER_ROWS:
		return !opts->interval_ms && opts->subcommand != TD_REPORT;
	}
	return false;
}

/* To where the time goes, unless no groups may take turns. */
static void put_level(FILE *fp, const struct td_verdict *verdict,
		      const struct td_opts *opts)
{
	if (opts->no_multiplex)
		fprintf(fp, " -l %d", verdict->level);
	else
		fputs(" -l auto", fp);
}

static void put_count(FILE *fp, const struct td_verdict *verdict,
		      const struct td_source *source,
		      const struct td_opts *opts)
{
	fputs("tdstat", fp);
	if (opts->subcommand != TD_REPORT)
		td_again_put_options(fp, opts);
	if (verdict->deeper == TD_DEEPER_ROWS)
		fputs(opts->drill ? " -I 1000 -l auto" : " -I 1000", fp);
	else
		td_again_put_runs(fp, opts);
	if (verdict->deeper == TD_DEEPER_LEVEL)
		put_level(fp, verdict, opts);
	else if (verdict->deeper == TD_DEEPER_GROUP)
		fprintf(fp, " -M %s_group", td_verdict_last(verdict)->name);
	put_target(fp, source, opts);
}

/* P: as precise as the PMU can be with this event. */
static void put_where(FILE *fp, const char *pmu,
		      const struct td_metric_facts *facts,
		      const struct td_source *source,
		      const struct td_opts *opts)
{
	fputs("perf record -e ", fp);
	for (size_t i = 0; i < facts->nr_events; i++)
		fprintf(fp, "%s%s/%s/P", i ? "," : "", pmu, facts->events[i]);
	put_target_for_perf(fp, source, opts);
}

static bool has_text(const char *name)
{
	const struct td_explanation *text;

	for (size_t i = 0; (text = td_explanation_at(i)); i++) {
		if (td_explanation_matches(text, name))
			return true;
	}
	return false;
}

/*
 * The facts of the path's last node.  If it has no events to sample, those of
 * the nearest node above it.
 */
static void find_facts(const struct td_verdict *verdict,
		       const struct td_source *source,
		       struct td_metric_facts *facts)
{
	const struct td_facts_source *from = &source->facts;
	const char *pmu = verdict->row->pmu;
	struct td_metric_facts above = { 0 };
	size_t i = verdict->nr_path;

	*facts = (struct td_metric_facts){ 0 };
	if (!from->find || (!i && !verdict->tied[0].node))
		return;
	from->find(from->ctx, pmu,
		   i ? verdict->path[i - 1].name : verdict->tied[0].name,
		   facts);
	while (!facts->nr_events && i-- > 1) {
		from->find(from->ctx, pmu, verdict->path[i - 1].name, &above);
		memcpy(facts->events, above.events, sizeof(above.events));
		facts->nr_events = above.nr_events;
	}
}

/* Returns -1 if memory ran out, like those below. */
static int close_line(FILE *fp, char **line)
{
	if (fclose(fp) == 0)
		return 0;
	free(*line);
	*line = NULL;
	return -1;
}

static int make_count(struct td_next *next, const struct td_verdict *verdict,
		      const struct td_metric_facts *facts,
		      const struct td_source *source,
		      const struct td_opts *opts)
{
	const struct td_metric_set *set = set_of(source, verdict->row->pmu);
	size_t size;
	FILE *fp;

	if (!can_go_deeper(verdict, set, facts, opts))
		return 0;
	fp = open_memstream(&next->count, &size);
	if (!fp)
		return -1;
	put_count(fp, verdict, source, opts);
	return close_line(fp, &next->count);
}

static int make_where(struct td_next *next, const struct td_verdict *verdict,
		      const struct td_metric_facts *facts,
		      const struct td_source *source,
		      const struct td_opts *opts)
{
	size_t size;
	FILE *fp;

	/* cgroups: perf record wants one for each event */
	if (!verdict->nr_path || !facts->nr_events || opts->cgroups ||
	    opts->each_cgroup)
		return 0;
	fp = open_memstream(&next->where, &size);
	if (!fp)
		return -1;
	put_where(fp, verdict->row->pmu, facts, source, opts);
	return close_line(fp, &next->where);
}

static int make_explain(struct td_next *next, const struct td_verdict *verdict)
{
	const struct td_found *last = td_verdict_last(verdict);

	if (!last || !has_text(last->name))
		return 0;
	if (asprintf(&next->explain, "tdstat explain %s", last->name) >= 0)
		return 0;
	next->explain = NULL;
	return -1;
}

int td_next_make(struct td_next *next, const struct td_verdict *verdict,
		 const struct td_source *source, const struct td_opts *opts,
		 struct td_err *err)
{
	struct td_metric_facts facts;
	int rc = 0;

	*next = (struct td_next){ 0 };
	if (!verdict->row)
		return 0;
	find_facts(verdict, source, &facts);
	if (opts->subcommand != TD_REPORT || is_known(source->target)) {
		rc = make_count(next, verdict, &facts, source, opts);
		if (!rc)
			rc = make_where(next, verdict, &facts, source, opts);
	}
	if (!rc)
		rc = make_explain(next, verdict);
	return rc ? td_err_nomem(err) : 0;
}

void td_next_free(struct td_next *next)
{
	free(next->count);
	free(next->where);
	free(next->explain);
	*next = (struct td_next){ 0 };
}
