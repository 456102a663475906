// SPDX-License-Identifier: GPL-2.0-only
/* The names that the model's files give. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/list_parts.h"
#include "lib/util.h"

/* "uncore_cha" of the files is uncore_cha_0 and so on, as -e takes it. */
static bool is_called(const struct td_pmu *pmu, const char *name)
{
	size_t len = strlen(name);
	const char *rest = pmu->name + len;

	if (strncmp(pmu->name, name, len) != 0)
		return false;
	return !*rest || (*rest == '_' && isdigit((unsigned char)rest[1]) &&
			  !rest[1 + strspn(rest + 1, "0123456789")]);
}

/* -1: nothing of that is counted here. */
static int find_pmu(const struct td_machine *machine, const char *name)
{
	for (size_t i = 0; i < machine->nr_pmus; i++) {
		const struct td_pmu *pmu = &machine->pmus[i];

		if (!pmu->skip && pmu->cpus.nr && is_called(pmu, name))
			return (int)i;
	}
	return -1;
}

static int read_files(struct td_list *list, struct td_err *err)
{
	const unsigned int kinds = TD_LIST_BIT(TD_LIST_MODEL) |
				   TD_LIST_BIT(TD_LIST_METRIC) |
				   TD_LIST_BIT(TD_LIST_METRICGROUP);
	int rc = td_catalog_read(&list->catalog, err);

	if (!rc && list->catalog.missing.code)
		td_list_miss(list, kinds, "no events and metrics of the model",
			     list->catalog.missing.msg);
	return rc;
}

/* --- events ------------------------------------------------------------------- */

struct place {
	const struct td_model_event *event;
	int pmu;
};

static int by_topic(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	int rc = strcmp(x->event->topic, y->event->topic);

	if (!rc)
		rc = strcmp(x->event->name, y->event->name);
	return rc ? rc : x->pmu - y->pmu;
}

/* An event with a term that the PMU has not is there, but not counted. */
static int add_event(struct td_list *list, const struct place *place,
		     struct td_err *err)
{
	const struct td_model_event *model = place->event;
	const struct td_pmu *pmu = &list->machine.pmus[place->pmu];
	struct td_err unused = { 0 };
	struct td_event event;
	struct td_list_item item = {
		.kind = TD_LIST_MODEL,
		.name = model->name,
		.pmu = model->pmu,
		.topic = model->topic,
		.desc = model->desc,
	};

	if (td_event_init(&event, pmu, place->pmu, model->name, model->terms,
			  &unused) == 0)
		item.encoding = td_list_encode(list, &event, pmu, model->pmu,
					       model->terms);
	td_event_free(&event);
	return td_list_add(list, &item, err);
}

int td_list_collect_model(struct td_list *list, struct td_err *err)
{
	const struct td_pmu_events *events = &list->catalog.events;
	td_autofree struct place *places = NULL;
	size_t nr = 0;
	int rc = read_files(list, err);

	if (rc || !events->nr_events)
		return rc;
	places = calloc(events->nr_events, sizeof(*places));
	if (!places)
		return td_err_nomem(err);
	for (size_t i = 0; i < events->nr_events; i++) {
		const struct td_model_event *event = &events->events[i];
		int pmu = find_pmu(&list->machine, event->pmu);

		if (pmu >= 0)
			places[nr++] = (struct place){ event, pmu };
	}
	qsort(places, nr, sizeof(*places), by_topic);
	for (size_t i = 0; !rc && i < nr; i++)
		rc = add_event(list, &places[i], err);
	return rc;
}

/* --- metrics ------------------------------------------------------------------ */

/* Of a machine with two kinds of core those of "cpu" are the machine's. */
static bool is_here(const struct td_machine *machine,
		    const struct td_model_metric *metric)
{
	if (strcmp(metric->pmu, "cpu") == 0)
		return machine->nr_core > 0;
	return find_pmu(machine, metric->pmu) >= 0;
}

struct metric_place {
	const struct td_model_metric *metric;
	int pmu;
};

static int by_name(const void *a, const void *b)
{
	const struct metric_place *x = a, *y = b;
	int rc = strcmp(x->metric->name, y->metric->name);

	return rc ? rc : x->pmu - y->pmu;
}

static int add_metric(struct td_list *list, const struct metric_place *place,
		      struct td_err *err)
{
	const struct td_model_metric *metric = place->metric;
	const struct td_list_item item = {
		.kind = TD_LIST_METRIC,
		.name = metric->name,
		.pmu = place->pmu < 0 ? NULL : metric->pmu,
		.desc = metric->desc,
		.unit = metric->unit,
		.related = metric->groups,
	};

	return td_list_add(list, &item, err);
}

int td_list_collect_metrics(struct td_list *list, struct td_err *err)
{
	const struct td_pmu_events *events = &list->catalog.events;
	td_autofree struct metric_place *places = NULL;
	size_t nr = 0;
	int rc = read_files(list, err);

	if (rc || !events->nr_metrics)
		return rc;
	places = calloc(events->nr_metrics, sizeof(*places));
	if (!places)
		return td_err_nomem(err);
	for (size_t i = 0; i < events->nr_metrics; i++) {
		const struct td_model_metric *metric = &events->metrics[i];

		if (is_here(&list->machine, metric))
			places[nr++] = (struct metric_place){
				metric, find_pmu(&list->machine, metric->pmu)
			};
	}
	qsort(places, nr, sizeof(*places), by_name);
	for (size_t i = 0; !rc && i < nr; i++)
		rc = add_metric(list, &places[i], err);
	return rc;
}

/* --- groups ------------------------------------------------------------------- */

struct member {
	const char *group, *metric;
};

struct members {
	struct member *v;
	size_t nr;
};

static int add_members(struct td_list *list, const struct td_model_metric *m,
		       struct members *out, struct td_err *err)
{
	const char *at = m->groups ? m->groups : "";

	while (*at) {
		size_t len = strcspn(at, "; ");
		struct member *new;

		if (len) {
			new = td_array_add(&out->v, out->nr, sizeof(*new));
			if (!new)
				return td_err_nomem(err);
			new->group = td_list_keep(list, "%.*s", (int)len, at);
			new->metric = m->name;
			if (!new->group)
				return td_err_nomem(err);
			out->nr++;
		}
		at += len;
		at += strspn(at, "; ");
	}
	return 0;
}

static int by_group(const void *a, const void *b)
{
	const struct member *x = a, *y = b;
	int rc = strcmp(x->group, y->group);

	return rc ? rc : strcmp(x->metric, y->metric);
}

/* "a;b" of a group's members; one of two PMUs stands there once. */
static const char *join(struct td_list *list, const struct member *v, size_t nr)
{
	td_autofree char *text = NULL;
	size_t size = 1, len = 0;

	for (size_t i = 0; i < nr; i++)
		size += strlen(v[i].metric) + 1;
	text = malloc(size);
	for (size_t i = 0; text && i < nr; i++) {
		if (!i || strcmp(v[i].metric, v[i - 1].metric) != 0)
			len += (size_t)snprintf(text + len, size - len, "%s%s",
						i ? ";" : "", v[i].metric);
	}
	return text ? td_list_keep(list, "%s", text) : NULL;
}

static int add_groups(struct td_list *list, const struct members *members,
		      struct td_err *err)
{
	size_t end;
	int rc = 0;

	for (size_t i = 0; !rc && i < members->nr; i = end) {
		struct td_list_item item = {
			.kind = TD_LIST_METRICGROUP,
			.name = members->v[i].group,
		};

		end = i + 1;
		while (end < members->nr &&
		       strcmp(members->v[end].group, item.name) == 0)
			end++;
		item.related = join(list, &members->v[i], end - i);
		rc = item.related ? td_list_add(list, &item, err)
				  : td_err_nomem(err);
	}
	return rc;
}

int td_list_collect_groups(struct td_list *list, struct td_err *err)
{
	const struct td_pmu_events *events = &list->catalog.events;
	struct members members = { 0 };
	int rc = read_files(list, err);

	for (size_t i = 0; !rc && i < events->nr_metrics; i++) {
		if (is_here(&list->machine, &events->metrics[i]))
			rc = add_members(list, &events->metrics[i], &members,
					 err);
	}
	if (members.nr)
		qsort(members.v, members.nr, sizeof(*members.v), by_group);
	if (!rc)
		rc = add_groups(list, &members, err);
	free(members.v);
	return rc;
}
