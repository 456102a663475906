// SPDX-License-Identifier: GPL-2.0-only
/* Items of the model: events of its files, metrics and their groups. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/list/parts.h"
#include "lib/base/util.h"
#include "metrics/files/pmu_events.h"

int td_list_find_pmu(const struct td_machine *machine, const char *name)
{
	for (size_t i = 0; i < machine->nr_pmus; i++) {
		const struct td_pmu *pmu = &machine->pmus[i];

		if (!pmu->skip && pmu->cpus.nr && td_pmu_matches(pmu->name, name))
			return (int)i;
	}
	return -1;
}

bool td_list_has_unit(const struct td_list *list, const char *name)
{
	return list->opts->request.model && td_pmu_kind(name) == TD_PMU_OTHER;
}

int td_list_read_files(struct td_list *list, struct td_err *err)
{
	const unsigned int kinds = TD_LIST_BIT(TD_LIST_MODEL) | TD_LIST_BIT(TD_LIST_METRIC) |
				   TD_LIST_BIT(TD_LIST_METRICGROUP);
	struct td_catalog *catalog = &list->catalog;
	int rc = td_catalog_read(catalog, err);

	if (!rc && catalog->missing.code)
		td_list_miss(list, kinds, "no events and metrics of the model",
			     catalog->missing.msg);
	if (!rc && catalog->events.dir)
		rc = td_pmu_events_read_uncore(&catalog->events, err);
	return rc ? rc : td_pmu_events_parse_all(&catalog->events, err);
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

	if (!rc)
		rc = strcmp(x->name, y->name);
	return rc ? rc
		  : td_list_find_pmu(&list->machine, x->pmu) -
			       td_list_find_pmu(&list->machine, y->pmu);
}

/* Add an event.  If the PMU lacks one of its terms, it is listed without an encoding. */
static void add_event(struct td_list *list, const struct td_model_event *model)
{
	int index = td_list_find_pmu(&list->machine, model->pmu);
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
	int rc = td_list_read_files(list, err);

	if (rc || !events->nr_events)
		return rc;
	order = td_calloc(events->nr_events, sizeof(*order));
	for (size_t i = 0; i < events->nr_events; i++) {
		const struct td_model_event *event = &events->events[i];

		if (td_list_find_pmu(&list->machine, event->pmu) >= 0 ||
		    td_list_has_unit(list, event->pmu))
			order[nr++] = i;
	}
	qsort_r(order, nr, sizeof(*order), by_topic, list);
	for (size_t i = 0; i < nr; i++)
		add_event(list, &events->events[order[i]]);
	return 0;
}

/* --- metrics and their PMUs ----------------------------------------------- */

#define KINDS (TD_LIST_BIT(TD_LIST_METRIC) | TD_LIST_BIT(TD_LIST_METRICGROUP))

/* Make the sets of metrics for both sections, as for -M. */
static int make_sets(struct td_list *list, struct td_err *err)
{
	struct td_notes *notes = list->certain & KINDS ? &list->notes : &list->missing;

	if (list->sets.v)
		return 0;
	if (td_list_read_files(list, err))
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
	out->order = td_list_find_pmu(machine, out->model->pmu);
	/* on a hybrid processor, metrics of "cpu" belong to the whole machine */
	out->pmu =
		out->order < 0 && !td_list_has_unit(list, out->model->pmu) ? NULL : out->model->pmu;
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

	return rc ? rc : x->order - y->order;
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
	td_autofree char *text = NULL;
	size_t size;
	FILE *fp = td_open_memstream(&text, &size);

	while (td_next_group(&groups, group)) {
		fprintf(fp, "%s%s", before, group);
		before = ";";
	}
	td_text_close(fp, &text);
	return td_list_format(list, "%s", text);
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

/* Add each group of a metric, with the metric as its member. */
static void add_member(struct td_list *list, const struct td_metric_def *metric,
		       struct td_list_item **members, size_t *nr)
{
	char buf[TD_GROUPS_SIZE], group[TD_GROUP_NAME];
	const char *groups = td_metric_def_groups(metric, buf);

	while (td_next_group(&groups, group)) {
		const struct td_list_item member = {
			.kind = TD_LIST_METRICGROUP,
			.name = td_list_format(list, "%s", group),
			.related = metric->name,
		};

		td_array_push(members, nr, &member, sizeof(member));
	}
}

static int by_group(const void *a, const void *b)
{
	const struct td_list_item *x = a, *y = b;
	int rc = strcmp(x->name, y->name);

	return rc ? rc : strcmp(x->related, y->related);
}

/* Join the members of a group, "a;b"; a metric of two PMUs appears once. */
static const char *join(struct td_list *list, const struct td_list_item *v, size_t nr)
{
	td_autofree char *text = NULL;
	size_t size;
	FILE *fp = td_open_memstream(&text, &size);

	for (size_t i = 0; i < nr; i++) {
		if (!i || strcmp(v[i].related, v[i - 1].related) != 0)
			fprintf(fp, "%s%s", i ? ";" : "", v[i].related);
	}
	td_text_close(fp, &text);
	return td_list_format(list, "%s", text);
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
	for (size_t i = 0; i < nr; i++)
		add_member(list, items[i].def, &members, &nr_members);
	if (nr_members)
		qsort(members, nr_members, sizeof(*members), by_group);
	add_groups(list, members, nr_members);
	return 0;
}
