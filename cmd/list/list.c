// SPDX-License-Identifier: GPL-2.0-only
/* tdstat list: prints events and metrics, or with --print encodings of events. */
#include <inttypes.h>
#include <linux/perf_event.h>

#include "cmd/list/parts.h"
#include "cmd/opts/groups.h"
#include "cmd/opts/option.h"
#include "cmd/output/out.h"
#include "cmd/plan/select.h"
#include "cmd/say.h"
#include "lib/base/json.h"
#include "lib/base/printable.h"
#include "lib/event/symbols.h"

/* --- hardware, caches ----------------------------------------------------- */

/* Add an event of the kernel on a PMU. */
static void add_on(struct td_list *list, const struct td_pmu *pmu, struct td_list_item item,
		   uint32_t type, uint64_t config)
{
	const struct td_event event = { .type = type, .config = { td_pmu_config(pmu, config) } };

	item.pmu = pmu->name;
	item.encoding = td_list_encode(list, &event, pmu, pmu->name, NULL);
	td_list_add(list, &item);
}

/*
 * Does the PMU have this event?  The kernel lists hardware events in the directory of the PMU
 * (filter_events() in arch/x86/events/core.c), but not cache events.
 */
static bool has_symbol(const struct td_pmu *pmu, const struct td_symbol *symbol)
{
	if (!td_pmu_alias(pmu, "cpu-cycles"))
		return true;
	return td_pmu_alias(pmu, symbol->name) ||
	       (symbol->alias && td_pmu_alias(pmu, symbol->alias));
}

static void collect_hardware(struct td_list *list)
{
	td_for_each(const struct td_symbol, symbol, td_symbols, td_nr_symbols) {
		const struct td_list_item item = {
			.kind = TD_LIST_HARDWARE,
			.name = symbol->name,
			.alias = symbol->alias,
			.desc = symbol->desc,
		};

		if (symbol->tool || symbol->type != PERF_TYPE_HARDWARE)
			continue;
		td_for_each(const struct td_pmu, pmu, list->machine.pmus, list->machine.nr_core) {
			if (!pmu->skip && has_symbol(pmu, symbol))
				add_on(list, pmu, item, symbol->type, symbol->config);
		}
	}
}

static void collect_caches(struct td_list *list)
{
	unsigned int at = 0;
	uint64_t config;
	char name[64];

	while (td_cache_next(&at, &config, name)) {
		const struct td_list_item item = {
			.kind = TD_LIST_CACHE,
			.name = td_list_format(list, "%s", name),
		};

		td_for_each(const struct td_pmu, pmu, list->machine.pmus, list->machine.nr_core) {
			if (!pmu->skip)
				add_on(list, pmu, item, PERF_TYPE_HW_CACHE, config);
		}
	}
}

/* --- sysfs ---------------------------------------------------------------- */

/* Return the length of the part of the name that all units share: "uncore_imc" in uncore_imc_0. */
static size_t family_length(const struct td_pmu *pmu)
{
	return pmu->kind == TD_PMU_OTHER ? td_pmu_stem_length(pmu->name) : strlen(pmu->name);
}

static bool is_of_family(const struct td_pmu *a, const struct td_pmu *b)
{
	size_t len = family_length(a);

	return family_length(b) == len && strncmp(a->name, b->name, len) == 0;
}

/* Does a PMU of the same family before the one at index also have the alias? */
static bool is_listed(const struct td_machine *machine, size_t index, const char *alias)
{
	for (size_t i = 0; i < index; i++) {
		if (is_of_family(&machine->pmus[i], &machine->pmus[index]) &&
		    td_pmu_alias(&machine->pmus[i], alias))
			return true;
	}
	return false;
}

/* Return the PMU's name for -e; several units share a name. */
static const char *family_name(struct td_list *list, const struct td_pmu *pmu)
{
	td_for_each(const struct td_pmu, other, list->machine.pmus, list->machine.nr_pmus) {
		if (other != pmu && is_of_family(other, pmu))
			return td_list_format(list, "%.*s", (int)family_length(pmu), pmu->name);
	}
	return pmu->name;
}

static void add_alias(struct td_list *list, const struct td_pmu *pmu, const char *pmu_name,
		      const struct td_alias *alias)
{
	struct td_err why = { 0 };
	struct td_event event;
	struct td_list_item item = {
		.kind = TD_LIST_SYSFS,
		.name = td_list_format(list, "%s/%s/", pmu_name, alias->name),
		.bare = alias->name,
		.pmu = pmu_name,
		.unit = alias->unit,
	};

	if (td_event_init(&event, pmu, 0, alias->name, NULL, &why) == 0)
		item.encoding = td_list_encode(list, &event, pmu, pmu_name, alias->terms);
	td_event_free(&event);
	td_list_add(list, &item);
}

static void collect_sysfs(struct td_list *list)
{
	if (list->opts->request.model)
		td_list_miss(list, TD_LIST_BIT(TD_LIST_SYSFS), "not all events of sysfs are known",
			     "--model has no sysfs");
	for (size_t i = 0; i < list->machine.nr_pmus; i++) {
		const struct td_pmu *pmu = &list->machine.pmus[i];
		const char *name = family_name(list, pmu);

		for (size_t j = 0; !pmu->skip && j < pmu->nr_aliases; j++) {
			const struct td_alias *alias = &pmu->aliases[j];

			if (!is_listed(&list->machine, i, alias->name))
				add_alias(list, pmu, name, alias);
		}
	}
}

/* --- events without a PMU ------------------------------------------------- */

/* Add software events, or those that tdstat measures itself. */
static void collect_symbols(struct td_list *list, enum td_list_kind kind)
{
	td_for_each(const struct td_symbol, symbol, td_symbols, td_nr_symbols) {
		struct td_event event = { .type = symbol->type, .config = { symbol->config } };
		struct td_list_item item = {
			.kind = symbol->tool ? TD_LIST_TOOL : TD_LIST_SOFTWARE,
			.name = symbol->name,
			.alias = symbol->alias,
			.desc = symbol->desc,
			.unit = symbol->unit,
		};

		if (item.kind != kind || (!symbol->tool && symbol->type != PERF_TYPE_SOFTWARE))
			continue;
		if (!symbol->tool)
			item.encoding = td_list_encode(list, &event, NULL, NULL, NULL);
		td_list_add(list, &item);
	}
}

static void add_tracepoint(struct td_list *list, const struct td_tracepoint *tracepoint)
{
	struct td_event event = { .type = PERF_TYPE_TRACEPOINT, .config = { tracepoint->id } };
	struct td_list_item item = {
		.kind = TD_LIST_TRACEPOINT,
		.name = td_list_format(list, "%s:%s", tracepoint->system, tracepoint->name),
		.topic = tracepoint->system,
		.encoding = td_list_encode(list, &event, NULL, NULL, NULL),
	};

	td_list_add(list, &item);
}

/* Skip unreadable tracepoints, which most users may not read, unless they were requested. */
static int no_tracepoints(struct td_list *list, struct td_err *err)
{
	const unsigned int kinds = TD_LIST_BIT(TD_LIST_TRACEPOINT);

	if (err->code != -ENOENT && err->code != -EACCES && err->code != -ENODEV)
		return err->code;
	if (err->code != -ENOENT && list->kinds == kinds)
		return err->code;
	if (err->code != -ENOENT)
		td_list_miss(list, kinds, "no tracepoints", err->msg);
	*err = (struct td_err){ 0 };
	return 0;
}

static int collect_tracepoints(struct td_list *list, struct td_err *err)
{
	if (list->opts->request.model) {
		td_list_miss(list, TD_LIST_BIT(TD_LIST_TRACEPOINT), "no tracepoints",
			     "they belong to a kernel, not to the processor of --model");
		return 0;
	}
	if (td_tracepoints_find_all(&list->tracepoints, err))
		return no_tracepoints(list, err);
	for (size_t i = 0; i < list->tracepoints.nr; i++)
		add_tracepoint(list, &list->tracepoints.v[i]);
	return 0;
}

/* --- all ------------------------------------------------------------------ */

/* Kinds of items on PMUs that are not core PMUs. */
#define OF_OTHERS                                                                                \
	(TD_LIST_BIT(TD_LIST_SYSFS) | TD_LIST_BIT(TD_LIST_MODEL) | TD_LIST_BIT(TD_LIST_METRIC) | \
	 TD_LIST_BIT(TD_LIST_METRICGROUP))

/* Add all matching items, in the order of the sections. */
static int collect(struct td_list *list, struct td_err *err)
{
	unsigned int kinds;
	int rc = 0;

	td_list_read_patterns(list);
	kinds = list->kinds;
	if (kinds & OF_OTHERS)
		rc = td_machine_read_others(&list->fs, NULL, &list->machine, err);
	if (rc)
		return rc;
	if (kinds & TD_LIST_BIT(TD_LIST_HARDWARE))
		collect_hardware(list);
	if (kinds & TD_LIST_BIT(TD_LIST_CACHE))
		collect_caches(list);
	if (kinds & TD_LIST_BIT(TD_LIST_SYSFS))
		collect_sysfs(list);
	if (kinds & TD_LIST_BIT(TD_LIST_MODEL))
		rc = td_list_collect_model(list, err);
	if (!rc && kinds & TD_LIST_BIT(TD_LIST_SOFTWARE))
		collect_symbols(list, TD_LIST_SOFTWARE);
	if (!rc && kinds & TD_LIST_BIT(TD_LIST_TOOL))
		collect_symbols(list, TD_LIST_TOOL);
	if (!rc && kinds & TD_LIST_BIT(TD_LIST_TRACEPOINT))
		rc = collect_tracepoints(list, err);
	if (!rc && kinds & TD_LIST_BIT(TD_LIST_METRIC))
		rc = td_list_collect_metrics(list, err);
	if (!rc && kinds & TD_LIST_BIT(TD_LIST_METRICGROUP))
		rc = td_list_collect_groups(list, err);
	return rc;
}

/* --- the terms that define an event --------------------------------------- */

/* Write the terms of an event of sysfs or the model's files, or else the name itself. */
static int put_named(FILE *fp, struct td_list *list, const struct td_pmu *pmu, const char *name,
		     struct td_err *err)
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

/* Make the list of terms.  The caller frees *out, on error as well. */
static int make_words(struct td_list *list, const struct td_pmu *pmu, const struct td_spec *spec,
		      char **out, struct td_err *err)
{
	size_t size;
	FILE *fp = td_open_memstream(out, &size);
	int rc = 0;

	if (spec->kind == TD_SPEC_NAME)
		rc = put_named(fp, list, pmu, spec->name, err);
	for (size_t i = 0; !rc && i < spec->nr_terms; i++)
		rc = put_named(fp, list, pmu, spec->terms[i].name, err);
	td_text_close(fp, out);
	return rc;
}

/* --- events --------------------------------------------------------------- */

/* Write separator and the letters of the modifiers, if any, without those of groups. */
static void put_modifiers(FILE *fp, const char *separator, const struct td_modifiers *mods)
{
	char letters[TD_MODIFIERS_SIZE];

	td_modifiers_format(mods, "ukhIGHpPSDeR", letters);
	if (*letters)
		fprintf(fp, "%s%s", separator, letters);
}

static void put_raw(FILE *fp, const struct td_machine *machine, const struct td_event *event)
{
	const struct td_pmu *pmu = &machine->pmus[event->pmu];

	if (pmu->kind != TD_PMU_CORE || td_encoding_is_numeric(event) || event->config[1] ||
	    event->config[2] || event->config[3] || event->percore)
		return;
	/* without a PMU, perf would open it on all core types */
	if (machine->nr_core > 1) {
		fprintf(fp, " %s/r%" PRIx64 "/", pmu->name, event->config[0]);
		put_modifiers(fp, "", &event->mods);
	} else {
		fprintf(fp, " r%" PRIx64, event->config[0]);
		put_modifiers(fp, ":", &event->mods);
	}
}

/*
 * Write "cpu_core/cycles/".  perf would use the event's number on all CPUs, and fail on the
 * other core type.
 */
static void put_name(FILE *fp, const struct td_machine *machine, const struct td_event *event)
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
	put_modifiers(fp, "", &event->mods);
}

static int put_event(FILE *fp, struct td_list *list, const struct td_event *event,
		     const struct td_spec *spec, struct td_err *err)
{
	td_autofree char *words = NULL;
	const struct td_pmu *pmu;
	int rc;

	if (event->refusal)
		return td_err_set(err, -ENOTSUP, "%s", event->refusal);
	/* breakpoints, and times that tdstat measures itself, have no other encoding */
	if (event->tool || event->type == PERF_TYPE_BREAKPOINT) {
		fputs(event->name, fp);
		return 0;
	}
	pmu = &list->machine.pmus[event->pmu];
	rc = make_words(list, pmu, spec, &words, err);
	if (rc)
		return rc;
	td_encoding_put(fp, pmu, pmu->name, event, words);
	put_modifiers(fp, td_encoding_is_numeric(event) ? ":" : "", &event->mods);
	put_raw(fp, &list->machine, event);
	if (td_encoding_is_numeric(event))
		put_name(fp, &list->machine, event);
	return 0;
}

static int put_line(FILE *fp, struct td_list *list, const struct td_event *event,
		    const struct td_spec *spec, struct td_err *err)
{
	td_autofree char *line = NULL;
	size_t size;
	FILE *to = td_open_memstream(&line, &size);
	int rc = put_event(to, list, event, spec, err);

	td_text_close(to, &line);
	if (rc)
		return rc;
	td_put_printable(fp, line);
	fputc('\n', fp);
	return 0;
}

static int print(FILE *fp, struct td_list *list, const char *typed, struct td_err *err)
{
	struct td_event_text text = { 0 };
	struct td_events events = { 0 };
	int rc = td_event_text_parse(&text, typed, err);

	if (!rc)
		rc = td_event_resolve(&events, &text, &list->machine, &list->catalog.source,
				      &list->notes, err);
	for (size_t i = 0; !rc && i < events.nr; i++) {
		const struct td_event *event = &events.v[i];

		rc = put_line(fp, list, event, &text.specs[event->spec], err);
	}
	td_events_free(&events);
	td_event_text_free(&text);
	return rc;
}

/* --print: print the encodings of the events in opts->patterns. */
static int list_print(FILE *fp, struct td_list *list, struct td_err *err)
{
	const struct td_opts *opts = list->opts;
	int rc = 0;

	td_machine_add_builtin(&list->machine);
	for (size_t i = 0; !rc && i < opts->nr_patterns; i++)
		rc = print(fp, list, opts->patterns[i], err);
	return rc;
}

/* --- the subcommand -------------------------------------------------------- */

/* Print notes, except one that is also the error message. */
static void say(struct td_notes *notes, const struct td_err *err)
{
	for (size_t i = 0; i < notes->nr; i++) {
		if (!err->code || strcmp(notes->v[i], err->msg) != 0)
			td_say("tdstat: %s\n", notes->v[i]);
	}
	notes->said = notes->nr;
	td_say_notes(notes); /* prints another note if notes were lost */
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

static void add_metric(struct json_object *to, const struct td_list_item *item)
{
	const struct td_metric_def *metric = item->metric;

	td_json_add(to, "groups", td_json_words(item->related, ";"));
	td_json_add(to, "level", metric->level ? json_object_new_int(metric->level) : NULL);
	td_json_put_string(to, "parent", metric->parent);
	td_json_put_string(to, "formula", metric->formula);
	td_json_put_string(to, "threshold", metric->threshold);
	if (td_is_estimate(metric->desc))
		td_json_put_string(to, "estimate", TD_ESTIMATE_BY_WORDS);
}

static void put_item(FILE *fp, const struct td_list_item *item)
{
	struct json_object *o = td_json_line();

	td_json_put_string(o, "kind", kinds[item->kind]);
	td_json_put_string(o, "name", item->name);
	td_json_put_string(o, "pmu", item->pmu);
	td_json_put_string(o, "topic", item->topic);
	td_json_put_string(o, "desc", item->desc);
	td_json_put_string(o, "encoding", item->encoding);
	if (item->alias)
		td_json_put_string(o, "alias", item->alias);
	if (item->unit || item->kind == TD_LIST_METRIC)
		td_json_put_string(o, "unit", item->unit);
	if (item->metric)
		add_metric(o, item);
	if (item->errata)
		td_json_add(o, "errata", td_json_words(item->errata, ", "));
	if (item->kind == TD_LIST_METRICGROUP)
		td_json_add(o, "metrics", td_json_words(item->related, ";"));
	td_json_put_line(fp, o);
}

/* ---------------------------------------------------------------------------- */

static int show(struct td_list *list, struct td_err *err)
{
	int rc = collect(list, err);

	if (!rc && list->opts->request.show.format == TD_FORMAT_JSON) {
		for (size_t i = 0; i < list->nr_items; i++)
			put_item(stdout, &list->items[i]);
	} else if (!rc) {
		td_list_put_text(stdout, list);
	}
	rc = rc ?: td_list_check(list, err);
	if (!list->nr_items)
		say(&list->missing, err);
	return rc;
}

static int list_names(const struct td_opts *opts, int *status, struct td_err *err)
{
	struct td_list list = { .opts = opts, .fs = { .sys = -1, .proc = -1 } };
	int rc = td_select_machine(&list.fs, &list.machine, &opts->request, err);

	(void)status;
	rc = rc ?: td_machine_check_known(&list.machine, err);
	td_catalog_init(&list.catalog, &list.fs, &list.machine, opts->request.metrics_dir);
	if (!rc)
		rc = opts->print ? list_print(stdout, &list, err) : show(&list, err);
	say(&list.notes, err);
	rc = rc ?: td_out_check(stdout, "standard output", err);
	free(list.items);
	free(list.patterns);
	td_names_free(&list.strings);
	td_notes_free(&list.notes);
	td_notes_free(&list.missing);
	td_tracepoints_free(&list.tracepoints);
	td_sets_free(&list.sets);
	td_catalog_free(&list.catalog);
	td_machine_free(&list.machine);
	td_sysfs_close(&list.fs);
	return rc;
}

static int check(const struct td_opts *opts, struct td_err *err)
{
	if (opts->print && !opts->nr_patterns)
		return td_err_usage(err, "tdstat list --print needs the name of an event");
	if (opts->print && opts->request.show.format != TD_FORMAT_TEXT)
		return td_err_usage(err, "tdstat list --print and -j exclude each other");
	return 0;
}

/* clang-format off */
static const struct td_option shown[] = {
	{ "print", 0, NULL, "show the events as encodings for all versions of perf",
	  TD_OPTION_FLAG, offsetof(struct td_opts, print) },
	{ "verbose", 'v', NULL,
	  "also search descriptions; show encodings and formulas",
	  TD_OPTION_COUNT, offsetof(struct td_opts, request.verbose) },
	{ NULL },
};
/* clang-format on */

static const struct td_option_group group_shown = { TD_SECTION_HOW, shown };

static const struct td_option_group *const groups[] = {
	&td_group_cores, &td_group_files, &td_group_model, &td_group_json, &group_shown, NULL,
};

const struct td_command td_command_list = {
	.name = "list",
	.line = "list events and metrics with their descriptions",
	.args = "[PATTERN...]\n--print EVENT...",
	.doc = "Lists what -e and -M take on this machine: events, metrics and groups of metrics. "
	       "A pattern is a part of a name, a glob or a section: hw, cache, pmu, sysfs, model, "
	       "sw, "
	       "tool, tracepoint, metrics, metricgroups.",
	.what = "What to list:",
	.examples = "  tdstat list metrics 'tma_l3*'\n"
		    "  tdstat list --model sapphirerapids model branch\n"
		    "  tdstat list --print L1-dcache-loads",
	.status = "Exit status: 0; 64 for wrong usage or if nothing matches; 1 for other errors.",
	.groups = groups,
	.word = td_value_pattern,
	.check = check,
	.run = list_names,
};
