// SPDX-License-Identifier: GPL-2.0-only
/* The names that the model's files give. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/list/parts.h"
#include "lib/base/util.h"

/* "uncore_cha" of the files is uncore_cha_0 and so on, as -e takes it. */
static bool is_called(const struct td_pmu *pmu, const char *name)
{
	size_t len = strlen(name);

	return strncmp(pmu->name, name, len) == 0 &&
	       (!pmu->name[len] || td_pmu_unit_at(pmu->name) == len);
}

int td_list_find_pmu(const struct td_machine *machine, const char *name)
{
	for (size_t i = 0; i < machine->nr_pmus; i++) {
		const struct td_pmu *pmu = &machine->pmus[i];

		if (!pmu->skip && pmu->cpus.nr && is_called(pmu, name))
			return (int)i;
	}
	return -1;
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
	int rc = td_list_read_files(list, err);

	if (rc || !events->nr_events)
		return rc;
	places = calloc(events->nr_events, sizeof(*places));
	if (!places)
		return td_err_nomem(err);
	for (size_t i = 0; i < events->nr_events; i++) {
		const struct td_model_event *event = &events->events[i];
		int pmu = td_list_find_pmu(&list->machine, event->pmu);

		if (pmu >= 0)
			places[nr++] = (struct place){ event, pmu };
	}
	qsort(places, nr, sizeof(*places), by_topic);
	for (size_t i = 0; !rc && i < nr; i++)
		rc = add_event(list, &places[i], err);
	return rc;
}
