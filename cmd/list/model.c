// SPDX-License-Identifier: GPL-2.0-only
/* Lists the events of the model's files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/list/parts.h"
#include "lib/base/util.h"

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
	return list->opts->model && td_pmu_kind(name) == TD_PMU_OTHER;
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
