// SPDX-License-Identifier: GPL-2.0-only
/* tdstat list: prints what can be counted, or with --print its encodings. */
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/list/parts.h"
#include "cmd/opts/groups.h"
#include "cmd/opts/option.h"
#include "cmd/opts/value.h"
#include "cmd/out/out.h"
#include "cmd/plan/select.h"
#include "cmd/say.h"
#include "lib/base/json.h"
#include "lib/base/printable.h"
#include "lib/base/util.h"
#include "lib/event/symbols.h"

/* --- the terms that define an event --------------------------------------- */

/*
 * Writes the terms of an event that sysfs or the model's files name, or else
 * the name itself.
 */
static int put_named(FILE *fp, struct td_list *list, const struct td_pmu *pmu,
		     const char *name, struct td_err *err)
{
	const struct td_event_source *source = &list->catalog.source;
	const struct td_alias *alias = td_pmu_alias(pmu, name);
	const char *terms = alias ? alias->terms : NULL;
	int rc = 0;

	if (!alias)
		rc = source->model_event(source->ctx, pmu, name, &terms, err);
	fprintf(fp, ",%s", terms ? terms : name);
	return rc;
}

static int put_all_words(FILE *fp, struct td_list *list,
			 const struct td_pmu *pmu, const struct td_spec *spec,
			 struct td_err *err)
{
	int rc = 0;

	if (spec->kind == TD_SPEC_NAME)
		rc = put_named(fp, list, pmu, spec->name, err);
	for (size_t i = 0; !rc && i < spec->nr_terms; i++)
		rc = put_named(fp, list, pmu, spec->terms[i].name, err);
	return rc;
}

/* Makes the list of terms; *out is to be freed even after an error. */
static int make_words(struct td_list *list, const struct td_pmu *pmu,
		      const struct td_spec *spec, char **out,
		      struct td_err *err)
{
	size_t size;
	FILE *fp = open_memstream(out, &size);
	int rc;

	if (!fp)
		return td_err_nomem(err);
	rc = put_all_words(fp, list, pmu, spec, err);
	if (td_text_close(fp, out) && !rc)
		rc = td_err_nomem(err);
	return rc;
}

/* --- events --------------------------------------------------------------- */

static void put_raw(FILE *fp, const struct td_machine *machine,
		    const struct td_event *event)
{
	const struct td_pmu *pmu = &machine->pmus[event->pmu];

	if (pmu->kind != TD_PMU_CORE || td_encoding_is_numeric(event) ||
	    event->config[1] || event->config[2] || event->config[3] ||
	    event->percore)
		return;
	/* without a PMU, perf would open it on all kinds of core */
	if (machine->nr_core > 1) {
		fprintf(fp, " %s/r%" PRIx64 "/", pmu->name, event->config[0]);
		td_encoding_put_modifiers(fp, "", &event->mods);
	} else {
		fprintf(fp, " r%" PRIx64, event->config[0]);
		td_encoding_put_modifiers(fp, ":", &event->mods);
	}
}

/*
 * Writes "cpu_core/cycles/", as perf cannot open the event by its number: it
 * takes that for all CPUs and fails on the other kind of core.
 */
static void put_name(FILE *fp, const struct td_machine *machine,
		     const struct td_event *event)
{
	uint64_t id = event->config[0] & UINT32_MAX;
	const struct td_symbol *symbol = td_symbol_of(event->type, id);
	const char *name = symbol ? symbol->name : NULL;
	char buf[64];

	if (machine->nr_core < 2 || event->config[1] || event->percore)
		return;
	if (event->type == PERF_TYPE_HW_CACHE && td_cache_name(id, buf))
		name = buf;
	if (!name || machine->pmus[event->pmu].kind != TD_PMU_CORE)
		return;
	fprintf(fp, " %s/%s/", machine->pmus[event->pmu].name, name);
	td_encoding_put_modifiers(fp, "", &event->mods);
}

static int put_event(FILE *fp, struct td_list *list,
		     const struct td_event *event, const struct td_spec *spec,
		     struct td_err *err)
{
	td_autofree char *words = NULL;
	const struct td_pmu *pmu;
	int rc;

	if (event->refusal)
		return td_err_set(err, -ENOTSUP, "%s", event->refusal);
	/*
	 * breakpoints, and times that tdstat measures itself, stay as they are
	 */
	if (event->tool || event->type == PERF_TYPE_BREAKPOINT) {
		fputs(event->name, fp);
		return 0;
	}
	pmu = &list->machine.pmus[event->pmu];
	rc = make_words(list, pmu, spec, &words, err);
	if (rc)
		return rc;
	td_encoding_put(fp, pmu, pmu->name, event, words);
	td_encoding_put_modifiers(fp, td_encoding_is_numeric(event) ? ":" : "",
				  &event->mods);
	put_raw(fp, &list->machine, event);
	if (td_encoding_is_numeric(event))
		put_name(fp, &list->machine, event);
	return 0;
}

static int put_line(FILE *fp, struct td_list *list,
		    const struct td_event *event, const struct td_spec *spec,
		    struct td_err *err)
{
	td_autofree char *line = NULL;
	size_t size;
	FILE *to = open_memstream(&line, &size);
	int rc;

	if (!to)
		return td_err_nomem(err);
	rc = put_event(to, list, event, spec, err);
	if (td_text_close(to, &line) && !rc)
		rc = td_err_nomem(err);
	if (rc)
		return rc;
	td_put_printable(fp, line);
	fputc('\n', fp);
	return 0;
}

static int print(FILE *fp, struct td_list *list, const char *typed,
		 struct td_err *err)
{
	struct td_event_text text = { 0 };
	struct td_events events = { 0 };
	int rc = td_event_text_parse(&text, typed, err);

	if (!rc)
		rc = td_event_resolve(&events, &text, &list->machine,
				      &list->catalog.source, &list->notes, err);
	for (size_t i = 0; !rc && i < events.nr; i++) {
		const struct td_event *event = &events.v[i];

		rc = put_line(fp, list, event, &text.specs[event->spec], err);
	}
	td_events_free(&events);
	td_event_text_free(&text);
	return rc;
}

/* Prints the encodings of opts->patterns, which are events with --print. */
static int list_print(FILE *fp, struct td_list *list, struct td_err *err)
{
	const struct td_opts *opts = list->opts;
	int rc = td_machine_add_builtin(&list->machine, err);

	for (size_t i = 0; !rc && i < opts->nr_patterns; i++)
		rc = print(fp, list, opts->patterns[i], err);
	return rc;
}

/* --- the subcommand -------------------------------------------------------- */

/* The kinds of items that PMUs other than the cores' have. */
#define OF_OTHERS                                                  \
	(TD_LIST_BIT(TD_LIST_SYSFS) | TD_LIST_BIT(TD_LIST_MODEL) | \
	 TD_LIST_BIT(TD_LIST_METRIC) | TD_LIST_BIT(TD_LIST_METRICGROUP))

static int collect(struct td_list *list, struct td_err *err)
{
	int rc = td_list_read_patterns(list, err);

	if (!rc && list->kinds & OF_OTHERS)
		rc = td_machine_read_others(&list->fs, NULL, &list->machine,
					    err);
	return rc ? rc : td_list_collect(list, err);
}

/* Prints notes, except one that is the error message, too. */
static void say(struct td_notes *notes, const struct td_err *err)
{
	for (size_t i = 0; i < notes->nr; i++) {
		if (!err->code || strcmp(notes->v[i], err->msg) != 0)
			td_say("tdstat: %s\n", notes->v[i]);
	}
	notes->said = notes->nr;
	td_say_notes(notes); /* that one was lost, if one was */
}

/* --- JSON Lines: an object for each name and PMU ---------------------------- */

static const char *const kinds[] = {
	[TD_LIST_HARDWARE] = "hardware",
	[TD_LIST_CACHE] = "cache",
	[TD_LIST_SYSFS] = "sysfs",
	[TD_LIST_MODEL] = "model",
	[TD_LIST_SOFTWARE] = "software",
	[TD_LIST_TOOL] = "tool",
	[TD_LIST_TRACEPOINT] = "tracepoint",
	[TD_LIST_METRIC] = "metric",
	[TD_LIST_METRICGROUP] = "metricgroup",
};

static void add(struct json_object *to, const char *key, const char *text)
{
	td_json_add(to, key, text ? json_object_new_string(text) : NULL);
}

/* Adds the level; null for metrics outside of the tree. */
static void add_level(struct json_object *to, int level)
{
	td_json_add(to, "level", level ? json_object_new_int(level) : NULL);
}

static void add_metric(struct json_object *to, const struct td_list_item *item)
{
	const struct td_metric_def *metric = item->metric;

	td_json_add(to, "groups", td_json_words(item->related, ";"));
	add_level(to, metric->level);
	add(to, "parent", metric->parent);
	add(to, "formula", metric->formula);
	add(to, "threshold", metric->threshold);
	if (td_is_estimate(metric->desc))
		add(to, "estimate", TD_ESTIMATE_BY_WORDS);
}

static int put_item(FILE *fp, const struct td_list_item *item)
{
	struct json_object *o = td_json_line();

	add(o, "kind", kinds[item->kind]);
	add(o, "name", item->name);
	add(o, "pmu", item->pmu);
	add(o, "topic", item->topic);
	add(o, "desc", item->desc);
	add(o, "encoding", item->encoding);
	if (item->alias)
		add(o, "alias", item->alias);
	if (item->unit || item->kind == TD_LIST_METRIC)
		add(o, "unit", item->unit);
	if (item->metric)
		add_metric(o, item);
	if (item->errata)
		td_json_add(o, "errata", td_json_words(item->errata, ", "));
	if (item->kind == TD_LIST_METRICGROUP)
		td_json_add(o, "metrics", td_json_words(item->related, ";"));
	return td_json_put_line(fp, o);
}

static int put_json(FILE *fp, const struct td_list *list)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < list->nr_items; i++)
		rc = put_item(fp, &list->items[i]);
	return rc;
}

/* ---------------------------------------------------------------------------- */

static int show(struct td_list *list, struct td_err *err)
{
	int rc = collect(list, err);

	if (!rc && list->opts->request.show.format == TD_FORMAT_JSON)
		rc = put_json(stdout, list) ? td_err_nomem(err) : 0;
	else if (!rc)
		rc = td_list_put_text(stdout, list) ? td_err_nomem(err) : 0;
	if (!rc)
		rc = td_list_check(list, err);
	if (!list->nr_items)
		say(&list->missing, err);
	return rc;
}

static void free_list(struct td_list *list)
{
	free(list->items);
	free(list->patterns);
	td_names_free(&list->kept);
	td_notes_free(&list->notes);
	td_notes_free(&list->missing);
	td_tracepoints_free(&list->tracepoints);
	td_sets_free(&list->sets);
	td_catalog_free(&list->catalog);
	td_machine_free(&list->machine);
	td_sysfs_close(&list->fs);
}

static int list_names(const struct td_opts *opts, int *status,
		      struct td_err *err)
{
	struct td_list list = { .opts = opts, .fs = { .sys = -1, .proc = -1 } };
	int rc =
		td_select_machine(&list.fs, &list.machine, &opts->request, err);

	(void)status;
	if (!rc)
		rc = td_machine_check_known(&list.machine, err);
	td_catalog_init(&list.catalog, &list.fs, &list.machine,
			opts->request.metrics_dir);
	if (!rc)
		rc = opts->print ? list_print(stdout, &list, err)
				 : show(&list, err);
	say(&list.notes, err);
	if (!rc)
		rc = td_out_check(stdout, "standard output", err);
	free_list(&list);
	return rc;
}

static int check(const struct td_opts *opts, struct td_err *err)
{
	if (opts->print && !opts->nr_patterns)
		return td_err_usage(
			err, "tdstat list --print needs the name of an event");
	if (opts->print && opts->request.show.format != TD_FORMAT_TEXT)
		return td_err_usage(
			err, "tdstat list --print and -j exclude each other");
	return 0;
}

/* clang-format off */
static const struct td_option shown[] = {
	{ "print", 0, NULL, "show the events as encodings that any perf takes",
	  TD_OPTION_FLAG, offsetof(struct td_opts, print) },
	{ "verbose", 'v', NULL,
	  "search descriptions, too; show encodings and formulas",
	  TD_OPTION_COUNT, offsetof(struct td_opts, request.verbose) },
	{ NULL },
};
/* clang-format on */

static const struct td_option_group group_shown = { TD_SECTION_HOW, shown };

static const struct td_option_group *const groups[] = {
	&td_group_cores, &td_group_files, &td_group_model,
	&td_group_json,  &group_shown,    NULL,
};

const struct td_command td_command_list = {
	.name = "list",
	.line = "list events and metrics with their descriptions",
	.args = "[PATTERN...]\n--print EVENT...",
	.doc = "Lists what -e and -M take on this machine: events, metrics and "
	       "groups of metrics.  A pattern is a part of a name, a glob or a "
	       "section: hw, cache, pmu, sysfs, model, sw, tool, tracepoint, "
	       "metrics, metricgroups.",
	.what = "What to list:",
	.examples = "  tdstat list metrics 'tma_l3*'\n"
		    "  tdstat list --model sapphirerapids model branch\n"
		    "  tdstat list --print L1-dcache-loads",
	.status = "Exit status: 0; 1 if nothing matches; 64 for a wrong "
		  "option.",
	.groups = groups,
	.word = td_value_pattern,
	.check = check,
	.run = list_names,
};
