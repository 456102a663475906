// SPDX-License-Identifier: GPL-2.0-only
/* The first line is a line of a map, the rest an event file. */
#include "tests/fuzz/replay.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"
#include "metrics/files/parts.h"
#include "tests/fuzz/cheap.h"

#define PATH "model/topic.json"

static void check_map(const char *line)
{
	struct td_cpuid cpuid = { "GenuineIntel", 6, 0x97, 2, false };
	td_autofree char *text = NULL;
	struct td_map_row row;
	struct td_err err = { 0 };
	int rc;

	if (!is_cheap(line) || asprintf(&text, "%s\n", line) < 0)
		return;
	rc = td_map_find("mapfile.csv", text, &cpuid, &row, &err);
	if (rc > 1 || (rc == 1 && !*row.folder) || (rc < 0 && (rc != err.code || !err.msg[0])))
		abort();
}

static void check_event(struct td_pmu_events *events, const struct td_model_event *event)
{
	const struct td_model_event *found;
	struct td_err err = { 0 };

	if (td_pmu_events_find(events, event->pmu, event->name, &found, &err) || !found ||
	    strcmp(found->name, event->name) != 0 || strcmp(found->pmu, event->pmu) != 0)
		abort();
	for (const char *c = event->name; *c; c++) {
		if (isupper((unsigned char)*c))
			abort();
	}
	if (!strchr(event->terms, '=') || strcmp(event->topic, "topic") != 0)
		abort();
	if (event->desc && (!*event->desc || strpbrk(event->desc, "\r\n\t")))
		abort();
}

static void check_metrics(const struct td_pmu_events *events)
{
	for (size_t i = 0; i < events->nr_metrics; i++) {
		const struct td_model_metric *metric = &events->metrics[i];

		if (!*metric->name || !*metric->pmu || !*metric->formula ||
		    (metric->threshold && !*metric->threshold) ||
		    (i && strcmp(metric[-1].name, metric->name) > 0))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	td_autofree char *text = strndup((const char *)data, size);
	struct td_pmu_events events = { 0 };
	struct td_err err = { 0 };
	char *rest = text;
	int rc;

	if (!text)
		return 0;
	check_map(strsep(&rest, "\n"));
	rc = td_pmu_events_parse(&events, PATH, rest ? rest : "", &err);
	if (rc != err.code || (rc && strncmp(err.msg, PATH, strlen(PATH)) != 0))
		abort();
	if (rc == 0) {
		td_pmu_events_sort(&events);
		for (size_t i = 0; i < events.nr_events; i++)
			check_event(&events, &events.events[i]);
		check_metrics(&events);
	}
	td_pmu_events_free(&events);
	return 0;
}
