// SPDX-License-Identifier: GPL-2.0-only
/* Items of the model: events of its files, metrics and their groups. */
#include <fnmatch.h>
#include <stdarg.h>
#include <strings.h>

#include "cmd/list/parts.h"
#include "metrics/files/pmu_events.h"

/* Names of sections: those that perf list accepts, and the kinds in tdstat list -j. */
static const struct {
	const char *word;
	unsigned int kinds;
} sections[] = {
	{ "hw", TD_LIST_BIT(TD_LIST_HARDWARE) },
	{ "hardware", TD_LIST_BIT(TD_LIST_HARDWARE) },
	{ "cache", TD_LIST_BIT(TD_LIST_CACHE) },
	{ "hwcache", TD_LIST_BIT(TD_LIST_CACHE) },
	{ "pmu", TD_LIST_BIT(TD_LIST_SYSFS) | TD_LIST_BIT(TD_LIST_MODEL) },
	{ "sysfs", TD_LIST_BIT(TD_LIST_SYSFS) },
	{ "model", TD_LIST_BIT(TD_LIST_MODEL) },
	{ "sw", TD_LIST_BIT(TD_LIST_SOFTWARE) },
	{ "software", TD_LIST_BIT(TD_LIST_SOFTWARE) },
	{ "tool", TD_LIST_BIT(TD_LIST_TOOL) },
	{ "tracepoint", TD_LIST_BIT(TD_LIST_TRACEPOINT) },
	{ "metric", TD_LIST_BIT(TD_LIST_METRIC) },
	{ "metrics", TD_LIST_BIT(TD_LIST_METRIC) },
	{ "metricgroup", TD_LIST_BIT(TD_LIST_METRICGROUP) },
	{ "metricgroups", TD_LIST_BIT(TD_LIST_METRICGROUP) },
};

#define METRICS (TD_LIST_BIT(TD_LIST_METRIC) | TD_LIST_BIT(TD_LIST_METRICGROUP))

static void read_pattern(struct td_list_pattern *pattern, const char *text)
{
	pattern->text = text;
	pattern->is_glob = strpbrk(text, "*?[") != NULL;
	pattern->closest.wanted = text;
	for (size_t i = 0; i < TD_ARRAY_SIZE(sections); i++) {
		if (strcasecmp(sections[i].word, text) == 0)
			pattern->section = sections[i].kinds;
		else
			td_closest_offer(&pattern->closest, sections[i].word);
	}
}

/* Return the sections to search; only names of tracepoints contain a colon. */
static unsigned int kinds_of(const struct td_list_pattern *pattern)
{
	if (pattern->section)
		return pattern->section;
	return strchr(pattern->text, ':') ? TD_LIST_BIT(TD_LIST_TRACEPOINT) : TD_LIST_ALL;
}

/*
 * If metrics are requested as a section with names, as in "metrics tma_mem*", only list metrics
 * with these names.  Other sections are shorter, and their names have less in common.
 */
static void narrow(struct td_list *list)
{
	unsigned int named = 0;
	bool has_names = false;

	for (size_t i = 0; i < list->nr_patterns; i++) {
		unsigned int kinds = kinds_of(&list->patterns[i]);

		has_names = has_names || kinds == TD_LIST_ALL;
		named |= kinds == TD_LIST_ALL ? 0 : kinds;
	}
	list->narrow = has_names && named && !(named & ~METRICS);
	if (list->narrow)
		list->kinds = list->certain = named;
}

void td_list_read_patterns(struct td_list *list)
{
	const struct td_opts *opts = list->opts;

	if (!opts->nr_patterns) {
		list->kinds = list->certain = TD_LIST_ALL;
		return;
	}
	list->patterns = td_calloc(opts->nr_patterns, sizeof(*list->patterns));
	list->nr_patterns = opts->nr_patterns;
	for (size_t i = 0; i < opts->nr_patterns; i++) {
		unsigned int kinds;

		read_pattern(&list->patterns[i], opts->patterns[i]);
		kinds = kinds_of(&list->patterns[i]);
		list->kinds |= kinds;
		list->certain |= kinds == TD_LIST_ALL ? 0 : kinds;
	}
	narrow(list);
}

/* Does the pattern match?  A glob matches the whole name, other text any part of it. */
static bool is_in(const struct td_list_pattern *pattern, const char *name)
{
	if (!name)
		return false;
	if (pattern->is_glob)
		return fnmatch(pattern->text, name, FNM_NOESCAPE | FNM_CASEFOLD) == 0;
	return strcasestr(name, pattern->text) != NULL;
}

static bool is_whole(const struct td_list_pattern *pattern, const char *name)
{
	return name &&
	       (pattern->is_glob ? is_in(pattern, name) : strcasecmp(pattern->text, name) == 0);
}

static bool is_group_of(const struct td_list_pattern *pattern, const char *groups)
{
	td_autofree char *copy = groups ? td_strdup(groups) : NULL;
	char *rest = copy, *group;

	while ((group = strsep(&rest, ";"))) {
		/* globs match groups with case, as with -M */
		if (pattern->is_glob ? fnmatch(pattern->text, group, FNM_NOESCAPE) == 0
				     : is_whole(pattern, group))
			return true;
	}
	return false;
}

static bool is_match(const struct td_list_pattern *pattern, const struct td_list_item *item,
		     bool in_text)
{
	if (pattern->section)
		return pattern->section & TD_LIST_BIT(item->kind);
	if (is_in(pattern, item->name) || is_in(pattern, item->alias) ||
	    is_in(pattern, item->bare) || is_whole(pattern, item->topic) ||
	    is_whole(pattern, item->pmu))
		return true;
	if (item->kind == TD_LIST_METRIC && is_group_of(pattern, item->related))
		return true;
	return in_text && !pattern->is_glob && is_in(pattern, item->desc);
}

static void offer(struct td_closest *closest, const char *name)
{
	if (name)
		td_closest_offer(closest, name);
}

/*
 * Match the item against all patterns.  Each pattern stores whether it matches, or the closest
 * name.
 */
static bool is_wanted(struct td_list *list, const struct td_list_item *item)
{
	bool wanted = list->nr_patterns == 0;

	td_for_each(struct td_list_pattern, pattern, list->patterns, list->nr_patterns) {
		if (is_match(pattern, item, list->opts->request.verbose)) {
			pattern->has_match = true;
			wanted = wanted || !list->narrow || !pattern->section;
		} else if (!pattern->has_match) {
			offer(&pattern->closest, item->name);
			offer(&pattern->closest, item->alias);
			offer(&pattern->closest, item->bare);
		}
	}
	return wanted;
}

static int no_match(const struct td_list *list, const struct td_list_pattern *pattern,
		    struct td_err *err)
{
	if (pattern->section)
		return td_err_set(err, -ENOENT, "%s: this machine has none", pattern->text);
	td_err_set(err, -ENOENT, "nothing %s '%s'", pattern->is_glob ? "matches" : "is called",
		   pattern->text);
	err->usage = true;
	if (pattern->closest.best[0] && !pattern->is_glob)
		return td_err_hint(err, "did you mean '%s'?", pattern->closest.best);
	if (!list->machine.nr_core)
		return td_err_hint(
			err,
			"this machine shows no PMU of its cores: tdstat list --model NAME lists "
			"the events of a processor, such as alderlake");
	return td_err_hint(err, "tdstat list without a pattern shows everything");
}

int td_list_check(struct td_list *list, struct td_err *err)
{
	for (size_t i = 0; i < list->nr_patterns; i++) {
		struct td_err why = { 0 };

		if (list->patterns[i].has_match)
			continue;
		if (!list->nr_items)
			return no_match(list, &list->patterns[i], err);
		no_match(list, &list->patterns[i], &why);
		td_notes_add(&list->notes, "%s%s%s", why.msg, why.hint[0] ? ": " : "", why.hint);
	}
	return 0;
}

/* --- items, and their strings ------------------------------------------------ */

void td_list_add(struct td_list *list, const struct td_list_item *item)
{
	if (is_wanted(list, item))
		td_array_push(&list->items, &list->nr_items, item, sizeof(*item));
}

/* Let the list own the string. */
static const char *own(struct td_list *list, char *text)
{
	td_array_push(&list->strings.v, &list->strings.nr, &text, sizeof(text));
	return text;
}

const char *td_list_format(struct td_list *list, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	td_vasprintf(&text, fmt, ap);
	va_end(ap);
	return own(list, text);
}

const char *td_list_encode(struct td_list *list, const struct td_event *event,
			   const struct td_pmu *pmu, const char *pmu_name, const char *terms)
{
	char *text = NULL;
	size_t size;
	FILE *fp;

	if (list->opts->request.show.format != TD_FORMAT_JSON && !list->opts->request.verbose)
		return NULL;
	fp = td_open_memstream(&text, &size);
	td_encoding_put(fp, pmu, pmu_name, event, terms);
	td_text_close(fp, &text);
	return own(list, text);
}

void td_list_miss(struct td_list *list, unsigned int kinds, const char *what, const char *why)
{
	td_notes_add(list->certain & kinds ? &list->notes : &list->missing, "%s: %s", what, why);
}

/* Returns the index of a PMU that the files name; -1 if it cannot be counted here. */
static int list_find_pmu(const struct td_machine *machine, const char *name)
{
	for (size_t i = 0; i < machine->nr_pmus; i++) {
		const struct td_pmu *pmu = &machine->pmus[i];

		if (!pmu->skip && pmu->cpus.nr && td_pmu_matches(pmu->name, name))
			return (int)i;
	}
	return -1;
}

/*
 * --model: does the processor have this uncore unit?  It has no PMU, so its events have no
 * encodings.
 */
static bool list_has_unit(const struct td_list *list, const char *name)
{
	return list->opts->request.model && td_pmu_kind(name) == TD_PMU_OTHER;
}

/* Read the model's files, or note why there are none. */
static int list_read_files(struct td_list *list, struct td_err *err)
{
	const unsigned int kinds = TD_LIST_BIT(TD_LIST_MODEL) | METRICS;
	struct td_catalog *catalog = &list->catalog;
	int rc = td_catalog_read(catalog, err);

	if (!rc && catalog->missing.code)
		td_list_miss(list, kinds, "no events and metrics of the model",
			     catalog->missing.msg);
	if (!rc && catalog->events.dir)
		rc = td_pmu_events_read_uncore(&catalog->events, err);
	return rc ?: td_pmu_events_parse_all(&catalog->events, err);
}

/* --- events --------------------------------------------------------------- */

/* Compare two events of the list.  a and b are their indices. */
static int by_topic(const void *a, const void *b, void *ctx)
{
	const struct td_list *list = ctx;
	const struct td_model_event *events = list->catalog.events.events;
	const struct td_model_event *x = &events[*(const size_t *)a];
	const struct td_model_event *y = &events[*(const size_t *)b];
	int rc = strcmp(x->topic, y->topic);

	rc = rc ?: strcmp(x->name, y->name);
	return rc ? rc
		  : list_find_pmu(&list->machine, x->pmu) - list_find_pmu(&list->machine, y->pmu);
}

/* Add an event.  If the PMU lacks one of its terms, it is listed without an encoding. */
static void add_event(struct td_list *list, const struct td_model_event *model)
{
	int index = list_find_pmu(&list->machine, model->pmu);
	const struct td_pmu *pmu = index < 0 ? NULL : &list->machine.pmus[index];
	struct td_err why = { 0 };
	struct td_event event;
	struct td_list_item item = {
		.kind = TD_LIST_MODEL,
		.name = model->name,
		.pmu = model->pmu,
		.topic = model->topic,
		.desc = model->desc,
		.errata = model->errata,
	};

	if (pmu) {
		if (!td_event_init(&event, pmu, index, model->name, model->terms, &why))
			item.encoding = td_list_encode(list, &event, pmu, model->pmu, model->terms);
		td_event_free(&event);
	}
	td_list_add(list, &item);
}

int td_list_collect_model(struct td_list *list, struct td_err *err)
{
	const struct td_pmu_events *events = &list->catalog.events;
	td_autofree size_t *order = NULL;
	size_t nr = 0;
	int rc = list_read_files(list, err);

	if (rc || !events->nr_events)
		return rc;
	order = td_calloc(events->nr_events, sizeof(*order));
	for (size_t i = 0; i < events->nr_events; i++) {
		const struct td_model_event *event = &events->events[i];

		if (list_find_pmu(&list->machine, event->pmu) >= 0 ||
		    list_has_unit(list, event->pmu))
			order[nr++] = i;
	}
	qsort_r(order, nr, sizeof(*order), by_topic, list);
	for (size_t i = 0; i < nr; i++)
		add_event(list, &events->events[order[i]]);
	return 0;
}

/* --- metrics and their PMUs ----------------------------------------------- */

/* Make the sets of metrics for both sections, as for -M. */
static int make_sets(struct td_list *list, struct td_err *err)
{
	struct td_notes *notes = list->certain & METRICS ? &list->notes : &list->missing;

	if (list->sets.v)
		return 0;
	if (list_read_files(list, err))
		return err->code;
	td_sets_from_files(&list->sets, &list->machine, &list->catalog.events, notes);
	return 0;
}

/* A metric and its PMU. */
struct metric_item {
	const struct td_metric_def *def;
	const struct td_model_metric *model; /* NULL: it is built in */
	const char *pmu;                     /* NULL: the whole machine */
	int order;
};

/* Find the metric in the files by the pointer to its name. */
static const struct td_model_metric *find_model(const struct td_pmu_events *files,
						const struct td_metric_def *def)
{
	for (size_t i = 0; i < files->nr_metrics; i++) {
		if (files->metrics[i].name == def->name)
			return &files->metrics[i];
	}
	return NULL;
}

/*
 * Find the PMU of a metric; sets contain metrics of other units at the first core PMU.
 * Returns false if the unit does not exist on this machine.
 */
static bool fill_item(const struct td_list *list, size_t set, const struct td_metric_def *def,
		      struct metric_item *out)
{
	const struct td_machine *machine = &list->machine;

	*out = (struct metric_item){
		.def = def,
		.model = find_model(&list->catalog.events, def),
		.pmu = machine->pmus[set].name,
		.order = (int)set,
	};
	if (!out->model || strcmp(out->model->pmu, out->pmu) == 0)
		return true;
	if (strcmp(out->model->pmu, TD_EACH_CORE) == 0)
		return machine->nr_core;
	if (strcmp(out->model->pmu, TD_NO_CORE) == 0) {
		out->pmu = machine->nr_core == 1 ? out->pmu : NULL;
		return true;
	}
	out->order = list_find_pmu(machine, out->model->pmu);
	/* on a hybrid processor, metrics of "cpu" belong to the whole machine */
	out->pmu = out->order < 0 && !list_has_unit(list, out->model->pmu) ? NULL : out->model->pmu;
	return out->pmu || strcmp(out->model->pmu, "cpu") == 0;
}

static void add_set(const struct td_list *list, size_t set, struct metric_item **out, size_t *nr)
{
	const struct td_metric_set *metrics = list->sets.v[set];

	for (size_t i = 0; metrics && i < metrics->nr_metrics; i++) {
		const struct td_metric_def *def = &metrics->metrics[i];
		struct metric_item item;

		if (!def->part && fill_item(list, set, def, &item))
			td_array_push(out, nr, &item, sizeof(item));
	}
}

static int by_name(const void *a, const void *b)
{
	const struct metric_item *x = a, *y = b;
	int rc = strcmp(x->def->name, y->def->name);

	return rc ?: x->order - y->order;
}

/* Find all metrics, sorted by name.  The caller frees *out, on error as well. */
static int find_items(struct td_list *list, struct metric_item **out, size_t *nr,
		      struct td_err *err)
{
	int rc = make_sets(list, err);

	for (size_t i = 0; !rc && i < list->sets.nr; i++)
		add_set(list, i, out, nr);
	if (*nr)
		qsort(*out, *nr, sizeof(**out), by_name);
	return rc;
}

/* --- metrics -------------------------------------------------------------- */

/* Return the groups of a metric, "a;b", owned by the list. */
static const char *join_groups(struct td_list *list, const struct td_metric_def *def)
{
	char buf[TD_GROUPS_SIZE], group[TD_GROUP_NAME];
	const char *groups = td_metric_def_groups(def, buf), *before = "";
	char *text = NULL;
	size_t size;
	FILE *fp = td_open_memstream(&text, &size);

	while (td_next_group(&groups, group)) {
		fprintf(fp, "%s%s", before, group);
		before = ";";
	}
	td_text_close(fp, &text);
	return own(list, text);
}

/* Return the ScaleUnit of a metric: "100%". */
static const char *scale_unit(struct td_list *list, const struct metric_item *from)
{
	if (from->model)
		return from->model->unit;
	if (!*from->def->unit)
		return NULL;
	return td_list_format(list, "%g%s", from->def->factor, from->def->unit);
}

static void add_metric(struct td_list *list, const struct metric_item *from)
{
	const struct td_list_item item = {
		.kind = TD_LIST_METRIC,
		.name = from->def->name,
		.pmu = from->pmu,
		.desc = from->def->desc,
		.errata = from->def->errata,
		.unit = scale_unit(list, from),
		.related = join_groups(list, from->def),
		.metric = from->def,
	};

	td_list_add(list, &item);
}

int td_list_collect_metrics(struct td_list *list, struct td_err *err)
{
	td_autofree struct metric_item *items = NULL;
	size_t nr = 0;
	int rc = find_items(list, &items, &nr, err);

	for (size_t i = 0; !rc && i < nr; i++)
		add_metric(list, &items[i]);
	return rc;
}

/* --- groups --------------------------------------------------------------- */

static int by_group(const void *a, const void *b)
{
	const struct td_list_item *x = a, *y = b;
	int rc = strcmp(x->name, y->name);

	return rc ?: strcmp(x->related, y->related);
}

/* Join the members of a group, "a;b"; a metric of two PMUs appears once. */
static const char *join(struct td_list *list, const struct td_list_item *v, size_t nr)
{
	char *text = NULL;
	size_t size;
	FILE *fp = td_open_memstream(&text, &size);

	for (size_t i = 0; i < nr; i++) {
		if (!i || strcmp(v[i].related, v[i - 1].related) != 0)
			fprintf(fp, "%s%s", i ? ";" : "", v[i].related);
	}
	td_text_close(fp, &text);
	return own(list, text);
}

static void add_groups(struct td_list *list, const struct td_list_item *members, size_t nr)
{
	size_t end;

	for (size_t i = 0; i < nr; i = end) {
		struct td_list_item item = members[i];

		end = i + 1;
		while (end < nr && strcmp(members[end].name, item.name) == 0)
			end++;
		item.related = join(list, &members[i], end - i);
		td_list_add(list, &item);
	}
}

int td_list_collect_groups(struct td_list *list, struct td_err *err)
{
	td_autofree struct td_list_item *members = NULL;
	td_autofree struct metric_item *items = NULL;
	size_t nr = 0, nr_members = 0;
	int rc = find_items(list, &items, &nr, err);

	if (rc)
		return rc;
	for (size_t i = 0; i < nr; i++) {
		char buf[TD_GROUPS_SIZE], group[TD_GROUP_NAME];
		const char *groups = td_metric_def_groups(items[i].def, buf);

		while (td_next_group(&groups, group)) {
			const struct td_list_item member = {
				.kind = TD_LIST_METRICGROUP,
				.name = td_list_format(list, "%s", group),
				.related = items[i].def->name,
			};

			td_array_push(&members, &nr_members, &member, sizeof(member));
		}
	}
	if (nr_members)
		qsort(members, nr_members, sizeof(*members), by_group);
	add_groups(list, members, nr_members);
	return 0;
}
