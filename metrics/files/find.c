// SPDX-License-Identifier: GPL-2.0-only
/* Finds events by name; files are parsed only when a name needs them. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/base/util.h"
#include "lib/machine/pmu.h"
#include "metrics/files/parts.h"

static int event_order(const void *a, const void *b)
{
	const struct td_model_event *x = a, *y = b;
	int rc = strcmp(x->name, y->name);

	return rc ? rc : strcmp(x->pmu, y->pmu);
}

static int metric_order(const void *a, const void *b)
{
	const struct td_model_metric *x = a, *y = b;
	int rc = strcmp(x->name, y->name);

	return rc ? rc : strcmp(x->pmu, y->pmu);
}

static void sort_events(struct td_pmu_events *events)
{
	if (events->nr_events)
		qsort(events->events, events->nr_events,
		      sizeof(*events->events), event_order);
}

void td_pmu_events_sort(struct td_pmu_events *events)
{
	sort_events(events);
	if (events->nr_metrics)
		qsort(events->metrics, events->nr_metrics,
		      sizeof(*events->metrics), metric_order);
}

struct key {
	const char *name, *pmu;
	size_t len; /* how many characters of pmu are compared */
};

static int key_order(const void *a, const void *b)
{
	const struct key *key = a;
	const struct td_model_event *event = b;
	int rc = strcasecmp(key->name, event->name);

	if (!rc)
		rc = strncmp(key->pmu, event->pmu, key->len);
	if (!rc && event->pmu[key->len])
		rc = -1;
	return rc;
}

static const struct td_model_event *find(const struct td_pmu_events *events,
					 const struct key *key)
{
	if (!events->nr_events)
		return NULL;
	return bsearch(key, events->events, events->nr_events,
		       sizeof(*events->events), key_order);
}

static const struct td_model_event *
find_parsed(const struct td_pmu_events *events, const char *pmu,
	    const char *name)
{
	struct key key = { name, pmu, strlen(pmu) };
	const struct td_model_event *event = find(events, &key);

	if (event)
		return event;
	key.len = td_pmu_stem_length(pmu);
	return find(events, &key);
}

int td_pmu_events_parse_file(struct td_pmu_events *events, size_t index,
			     struct td_err *err)
{
	struct td_events_file *file = &events->unread[index];
	size_t nr_events = events->nr_events, nr_metrics = events->nr_metrics;
	int rc = td_pmu_events_parse(events, file->path, file->text, err);

	if (rc) {
		/* the last one may lack a name */
		td_pmu_events_keep(events, nr_events, nr_metrics,
				   events->nr_unread);
		return rc;
	}
	td_events_file_clear(file);
	events->nr_unread--;
	memmove(file, file + 1, (events->nr_unread - index) * sizeof(*file));
	return 0;
}

/* The first unread file that contains the name, or else the first one. */
static size_t likeliest_file(const struct td_pmu_events *events,
			     const char *name)
{
	for (size_t i = 0; i < events->nr_unread; i++) {
		if (strcasestr(events->unread[i].text, name))
			return i;
	}
	return 0;
}

int td_pmu_events_find(struct td_pmu_events *events, const char *pmu,
		       const char *name, const struct td_model_event **out,
		       struct td_err *err)
{
	int rc = 0;

	*out = find_parsed(events, pmu, name);
	while (!rc && !*out && events->nr_unread) {
		rc = td_pmu_events_parse_file(
			events, likeliest_file(events, name), err);
		sort_events(events); /* such a file has no metrics */
		*out = find_parsed(events, pmu, name);
	}
	return rc;
}

int td_pmu_events_parse_all(struct td_pmu_events *events, struct td_err *err)
{
	int rc = 0;

	while (!rc && events->nr_unread)
		rc = td_pmu_events_parse_file(events, 0, err);
	td_pmu_events_sort(events);
	return rc;
}
