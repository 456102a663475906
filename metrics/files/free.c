// SPDX-License-Identifier: GPL-2.0-only
/* Frees events, metrics and unread files. */
#include <stdlib.h>

#include "metrics/files/packed.h"
#include "metrics/files/parts.h"

/* Keeps the first ones and frees the others. */
static void free_events(struct td_pmu_events *events, size_t first)
{
	for (size_t i = first; i < events->nr_events; i++) {
		struct td_model_event *event = &events->events[i];

		free(event->name);
		free(event->pmu);
		free(event->terms);
		free(event->desc);
		free(event->topic);
	}
	events->nr_events = first;
}

void td_model_metric_clear(struct td_model_metric *metric)
{
	free(metric->name);
	free(metric->pmu);
	free(metric->groups);
	free(metric->parent);
	free(metric->desc);
	free(metric->unit);
	free(metric->formula);
	free(metric->threshold);
	free(metric->sample);
	*metric = (struct td_model_metric){ 0 };
}

static void free_metrics(struct td_pmu_events *events, size_t first)
{
	for (size_t i = first; i < events->nr_metrics; i++)
		td_model_metric_clear(&events->metrics[i]);
	events->nr_metrics = first;
}

void td_events_file_clear(struct td_events_file *file)
{
	free(file->path);
	free(file->text);
	*file = (struct td_events_file){ 0 };
}

static void free_unread(struct td_pmu_events *events, size_t first)
{
	for (size_t i = first; i < events->nr_unread; i++)
		td_events_file_clear(&events->unread[i]);
	events->nr_unread = first;
}

void td_pmu_events_keep(struct td_pmu_events *events, size_t nr_events,
			size_t nr_metrics, size_t nr_unread)
{
	free_events(events, nr_events);
	free_metrics(events, nr_metrics);
	free_unread(events, nr_unread);
}

void td_pmu_events_note(const struct td_pmu_events *events,
			struct td_notes *notes)
{
	if (events->dir)
		td_notes_add(notes, "the files are %s%s%s", events->dir,
			     events->version ? ", " : "",
			     events->version ? events->version : "");
}

void td_pmu_events_free(struct td_pmu_events *events)
{
	td_pmu_events_keep(events, 0, 0, 0);
	free(events->events);
	free(events->metrics);
	free(events->unread);
	free(events->dir);
	td_descriptions_close(events);
	free(events->version);
	free(events->skipped);
	*events = (struct td_pmu_events){ 0 };
}
