// SPDX-License-Identifier: GPL-2.0-only
/* The first line is a PMU, a folder and a threshold, the rest a file. */
#include "tests/fuzz/replay.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"
#include "metrics/files/parts.h"
#include "metrics/formula/expr.h"

#define PATH "ADL/events/file.json"

static int any_name(void *ctx, const char *name)
{
	(void)ctx;
	return *name ? 0 : -1;
}

static bool parses(const char *formula)
{
	struct td_expr *expr = NULL;
	struct td_err err = { 0 };
	int rc = td_expr_parse(&expr, formula, any_name, NULL, &err);

	td_expr_free(expr);
	return rc == 0;
}

static void check_threshold(const char *text, bool fractions)
{
	struct td_err err = { 0 };
	char *out;
	int rc = td_perfmon_threshold(text, fractions, &out, &err);

	if (rc != err.code || (rc == 0) != (out != NULL))
		abort();
	free(out);
	rc = td_perfmon_name(text, strlen(text), &out, &err);
	if ((rc == 0) != (out != NULL) ||
	    (out && (strncmp(out, "tma_", 4) != 0 || strchr(out, ' '))))
		abort();
	free(out);
}

static void check_events(struct td_pmu_events *events)
{
	for (size_t i = 0; i < events->nr_events; i++) {
		const struct td_model_event *event = &events->events[i], *found;
		struct td_err err = { 0 };

		if (td_pmu_events_find(events, event->pmu, event->name, &found,
				       &err) ||
		    !found || !strchr(event->terms, '=') ||
		    strcmp(event->topic, "topic") != 0)
			abort();
	}
}

static void check_metrics(const struct td_pmu_events *events)
{
	for (size_t i = 0; i < events->nr_metrics; i++) {
		const struct td_model_metric *metric = &events->metrics[i];

		if (!*metric->name || !*metric->pmu ||
		    !parses(metric->formula) ||
		    (metric->threshold && !parses(metric->threshold)) ||
		    (metric->groups && !*metric->groups))
			abort();
	}
	if ((events->nr_skipped > 0) != (events->skipped != NULL))
		abort();
}

static void check_file(const struct td_perfmon_file *file, const char *text)
{
	struct td_pmu_events events = { 0 };
	struct td_err err = { 0 };
	int rc = td_perfmon_parse(&events, file, text, &err);

	if (rc != err.code || (rc && strncmp(err.msg, PATH, strlen(PATH)) != 0))
		abort();
	if (rc == 0) {
		td_pmu_events_sort(&events);
		check_events(&events);
		check_metrics(&events);
	}
	td_pmu_events_free(&events);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	td_autofree char *text = strndup((const char *)data, size);
	struct td_perfmon_file file = { .path = PATH, .topic = "topic" };
	char *rest = text, *line;

	if (!text)
		return 0;
	line = strsep(&rest, "\n");
	file.pmu = strsep(&line, " ");
	file.folder = line ? strsep(&line, " ") : "";
	if (!*file.pmu)
		file.pmu = "cpu";
	check_threshold(line ? line : "", true);
	check_threshold(line ? line : "", false);
	check_file(&file, rest ? rest : "");
	return 0;
}
