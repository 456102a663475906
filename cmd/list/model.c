// SPDX-License-Identifier: GPL-2.0-only
/* Lists what is known of the model: the events of its files, metrics, their groups. */
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

		if (!pmu->skip && pmu->cpus.nr &&
		    td_pmu_matches(pmu->name, name))
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
	const unsigned int kinds = TD_LIST_BIT(TD_LIST_MODEL) |
				   TD_LIST_BIT(TD_LIST_METRIC) |
				   TD_LIST_BIT(TD_LIST_METRICGROUP);
	struct td_catalog *catalog = &list->catalog;
	int rc = td_catalog_read(catalog, err);

	if (!rc && catalog->missing.code)
		td_list_miss(list, kinds, "no events and metrics of the model",
			     catalog->missing.msg);
	if (!rc && catalog->events.dir)
		rc = td_pmu_events_read_uncore(&catalog->events,
					       &list->machine.cpuid, err);
	return rc ? rc : td_pmu_events_parse_all(&catalog->events, err);
}

/* --- events --------------------------------------------------------------- */

/* a and b are indices of the list's events. */
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

/*
 * Adds an event.  One with a term that the PMU does not have is listed, but
 * cannot be counted.
 */
static int add_event(struct td_list *list, const struct td_model_event *model,
		     struct td_err *err)
{
	int index = td_list_find_pmu(&list->machine, model->pmu);
	const struct td_pmu *pmu =
		index < 0 ? NULL : &list->machine.pmus[index];
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

	if (!pmu)
		return td_list_add(list, &item, err);
	if (td_event_init(&event, pmu, index, model->name, model->terms,
			  &why) == 0)
		item.encoding = td_list_encode(list, &event, pmu, model->pmu,
					       model->terms);
	td_event_free(&event);
	if (why.code == -ENOMEM)
		return td_err_nomem(err);
	return td_list_add(list, &item, err);
}

int td_list_collect_model(struct td_list *list, struct td_err *err)
{
	const struct td_pmu_events *events = &list->catalog.events;
	td_autofree size_t *order = NULL;
	size_t nr = 0;
	int rc = td_list_read_files(list, err);

	if (rc || !events->nr_events)
		return rc;
	order = calloc(events->nr_events, sizeof(*order));
	if (!order)
		return td_err_nomem(err);
	for (size_t i = 0; i < events->nr_events; i++) {
		const struct td_model_event *event = &events->events[i];

		if (td_list_find_pmu(&list->machine, event->pmu) >= 0 ||
		    td_list_has_unit(list, event->pmu))
			order[nr++] = i;
	}
	qsort_r(order, nr, sizeof(*order), by_topic, list);
	for (size_t i = 0; !rc && i < nr; i++)
		rc = add_event(list, &events->events[order[i]], err);
	return rc;
}

/* --- metrics and their PMUs ----------------------------------------------- */

#define KINDS (TD_LIST_BIT(TD_LIST_METRIC) | TD_LIST_BIT(TD_LIST_METRICGROUP))

/*
 * Keeps notes about the sets for output if metrics were asked for, or if
 * nothing matches.
 */
static void keep_notes(struct td_list *list, const struct td_notes *notes)
{
	for (size_t i = 0; i < notes->nr; i++)
		td_notes_add(list->certain & KINDS ? &list->notes
						   : &list->missing,
			     "%s", notes->v[i]);
}

/* Makes the sets for both sections, the same as for -M. */
static int make_sets(struct td_list *list, struct td_err *err)
{
	struct td_notes notes = { 0 };
	int rc;

	if (list->sets.v)
		return 0;
	rc = td_list_read_files(list, err);
	if (!rc)
		rc = td_sets_from_files(&list->sets, &list->machine,
					&list->catalog.events, &notes, err);
	keep_notes(list, &notes);
	td_notes_free(&notes);
	return rc;
}

/* A metric and its PMU. */
struct metric_item {
	const struct td_metric_def *def;
	const struct td_model_metric *model; /* NULL: it is built in */
	const char *pmu;                     /* NULL: the whole machine */
	int order;
};

/* Finds a metric of the files, whose name is the same string. */
static const struct td_model_metric *
find_model(const struct td_pmu_events *files, const struct td_metric_def *def)
{
	for (size_t i = 0; i < files->nr_metrics; i++) {
		if (files->metrics[i].name == def->name)
			return &files->metrics[i];
	}
	return NULL;
}

/*
 * Finds the PMU of a metric; sets have metrics of no core with the first core
 * PMU. False: its unit does not exist on this machine.
 */
static bool fill_item(const struct td_list *list, size_t set,
		      const struct td_metric_def *def, struct metric_item *out)
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
	/* on a hybrid, metrics of "cpu" belong to the whole machine */
	out->pmu = out->order < 0 && !td_list_has_unit(list, out->model->pmu)
			   ? NULL
			   : out->model->pmu;
	return out->pmu || strcmp(out->model->pmu, "cpu") == 0;
}

static int add_set(const struct td_list *list, size_t set,
		   struct metric_item **out, size_t *nr, struct td_err *err)
{
	const struct td_metric_set *metrics = list->sets.v[set];

	for (size_t i = 0; metrics && i < metrics->nr_metrics; i++) {
		const struct td_metric_def *def = &metrics->metrics[i];
		struct metric_item item;

		if (!def->part && fill_item(list, set, def, &item) &&
		    td_array_push(out, nr, &item, sizeof(item)))
			return td_err_nomem(err);
	}
	return 0;
}

static int by_name(const void *a, const void *b)
{
	const struct metric_item *x = a, *y = b;
	int rc = strcmp(x->def->name, y->def->name);

	return rc ? rc : x->order - y->order;
}

/* Finds all metrics, sorted by name; *out is to be freed even after an error. */
static int find_items(struct td_list *list, struct metric_item **out,
		      size_t *nr, struct td_err *err)
{
	int rc = make_sets(list, err);

	for (size_t i = 0; !rc && i < list->sets.nr; i++)
		rc = add_set(list, i, out, nr, err);
	if (*nr)
		qsort(*out, *nr, sizeof(**out), by_name);
	return rc;
}

/* --- the metrics that -M takes -------------------------------------------- */

/*
 * Returns a metric's groups, "a;b", kept by the list; NULL if memory ran out.
 */
static const char *join_groups(struct td_list *list,
			       const struct td_metric_def *def)
{
	char buf[TD_GROUPS_SIZE], group[TD_GROUP_NAME];
	const char *groups = td_metric_def_groups(def, buf), *before = "";
	td_autofree char *text = NULL;
	size_t size;
	FILE *fp = open_memstream(&text, &size);

	if (!fp)
		return NULL;
	while (td_next_group(&groups, group)) {
		fprintf(fp, "%s%s", before, group);
		before = ";";
	}
	return td_text_close(fp, &text) == 0 ? td_list_keep(list, "%s", text)
					     : NULL;
}

/* The ScaleUnit of a metric: "100%". */
static const char *scale_unit(struct td_list *list,
			      const struct metric_item *from)
{
	if (from->model)
		return from->model->unit;
	if (!*from->def->unit)
		return NULL;
	return td_list_keep(list, "%g%s", from->def->factor, from->def->unit);
}

static int add_metric(struct td_list *list, const struct metric_item *from,
		      struct td_err *err)
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

	return item.related ? td_list_add(list, &item, err) : td_err_nomem(err);
}

int td_list_collect_metrics(struct td_list *list, struct td_err *err)
{
	td_autofree struct metric_item *items = NULL;
	size_t nr = 0;
	int rc = find_items(list, &items, &nr, err);

	for (size_t i = 0; !rc && i < nr; i++)
		rc = add_metric(list, &items[i], err);
	return rc;
}

/* --- groups --------------------------------------------------------------- */

/* Adds each group of a metric, with the metric as its member. */
static int add_member(struct td_list *list, const struct td_metric_def *metric,
		      struct td_list_item **members, size_t *nr)
{
	char buf[TD_GROUPS_SIZE], group[TD_GROUP_NAME];
	const char *groups = td_metric_def_groups(metric, buf);
	int rc = 0;

	while (!rc && td_next_group(&groups, group)) {
		const struct td_list_item member = {
			.kind = TD_LIST_METRICGROUP,
			.name = td_list_keep(list, "%s", group),
			.related = metric->name,
		};

		rc = member.name ? td_array_push(members, nr, &member,
						 sizeof(member))
				 : -ENOMEM;
	}
	return rc;
}

static int by_group(const void *a, const void *b)
{
	const struct td_list_item *x = a, *y = b;
	int rc = strcmp(x->name, y->name);

	return rc ? rc : strcmp(x->related, y->related);
}

/* Joins a group's members, "a;b"; a metric of two PMUs appears once. */
static const char *join(struct td_list *list, const struct td_list_item *v,
			size_t nr)
{
	td_autofree char *text = NULL;
	size_t size = 1, len = 0;

	for (size_t i = 0; i < nr; i++)
		size += strlen(v[i].related) + 1;
	text = malloc(size);
	for (size_t i = 0; text && i < nr; i++) {
		if (!i || strcmp(v[i].related, v[i - 1].related) != 0)
			len += (size_t)snprintf(text + len, size - len, "%s%s",
						i ? ";" : "", v[i].related);
	}
	return text ? td_list_keep(list, "%s", text) : NULL;
}

static int add_groups(struct td_list *list, const struct td_list_item *members,
		      size_t nr, struct td_err *err)
{
	size_t end;
	int rc = 0;

	for (size_t i = 0; !rc && i < nr; i = end) {
		struct td_list_item item = members[i];

		end = i + 1;
		while (end < nr && strcmp(members[end].name, item.name) == 0)
			end++;
		item.related = join(list, &members[i], end - i);
		rc = item.related ? td_list_add(list, &item, err)
				  : td_err_nomem(err);
	}
	return rc;
}

int td_list_collect_groups(struct td_list *list, struct td_err *err)
{
	td_autofree struct td_list_item *members = NULL;
	td_autofree struct metric_item *items = NULL;
	size_t nr = 0, nr_members = 0;
	int rc = find_items(list, &items, &nr, err);

	for (size_t i = 0; !rc && i < nr; i++) {
		if (add_member(list, items[i].def, &members, &nr_members))
			rc = td_err_nomem(err);
	}
	if (nr_members)
		qsort(members, nr_members, sizeof(*members), by_group);
	return rc ? rc : add_groups(list, members, nr_members, err);
}
