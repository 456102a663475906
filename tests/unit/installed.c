// SPDX-License-Identifier: GPL-2.0-only
/*
 * The installed files (TD_INSTALLED) contain the same for each model as the kernel's files
 * (TD_PMU_EVENTS) that they are made from.
 */
#include "metrics/files/parts.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/test.h"

static bool same(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool same_event(const struct td_model_event *a, const struct td_model_event *b)
{
	return same(a->name, b->name) && same(a->pmu, b->pmu) && same(a->terms, b->terms) &&
	       same(a->desc, b->desc) && same(a->topic, b->topic) && same(a->errata, b->errata) &&
	       test_near(a->retire_latency, b->retire_latency, 0);
}

static bool same_metric(const struct td_model_metric *a, const struct td_model_metric *b)
{
	return same(a->name, b->name) && same(a->pmu, b->pmu) && same(a->groups, b->groups) &&
	       a->level == b->level && same(a->parent, b->parent) && same(a->desc, b->desc) &&
	       same(a->unit, b->unit) && same(a->formula, b->formula) &&
	       same(a->threshold, b->threshold) && same(a->sample, b->sample) &&
	       same(a->errata, b->errata) && a->split == b->split;
}

static void compare(const struct td_pmu_events *a, const struct td_pmu_events *b, const char *model)
{
	size_t events = 0, metrics = 0;

	while (events < a->nr_events && events < b->nr_events &&
	       same_event(&a->events[events], &b->events[events]))
		events++;
	while (metrics < a->nr_metrics && metrics < b->nr_metrics &&
	       same_metric(&a->metrics[metrics], &b->metrics[metrics]))
		metrics++;
	ok(events == a->nr_events && events == b->nr_events, "%s: %zu events", model, events);
	ok(metrics == a->nr_metrics && metrics == b->nr_metrics, "%s: %zu metrics", model, metrics);
	is_str(a->version, b->version, "%s: version", model);
}

static int read_all(struct td_pmu_events *out, const char *root, const struct td_cpuid *cpuid,
		    struct td_err *err)
{
	int rc = td_pmu_events_read(out, root, cpuid, err);

	if (!rc)
		rc = td_pmu_events_read_uncore(out, err);
	return rc ? rc : td_pmu_events_parse_all(out, err);
}

/* Two events of one name and PMU are in any order: they are left as they are. */
static bool test_model(const char *kernels, const char *installed, const char *model)
{
	struct td_pmu_events a = { 0 }, b = { 0 };
	struct td_suggest near = { .wanted = model };
	struct td_cpuid cpuid;
	struct td_err err = { 0 };
	int rc = td_pmu_events_find_model(kernels, model, &near, &cpuid, &err);

	if (rc)
		return false;
	rc = read_all(&a, kernels, &cpuid, &err);
	if (!rc)
		rc = read_all(&b, installed, &cpuid, &err);
	ok(rc == 0, "%s: read %s", model, err.msg);
	if (!rc)
		compare(&a, &b, model);
	td_pmu_events_free(&a);
	td_pmu_events_free(&b);
	return true;
}

static int is_folder(const struct dirent *entry)
{
	return entry->d_type == DT_DIR && entry->d_name[0] != '.';
}

int main(void)
{
	const char *kernels = getenv("TD_PMU_EVENTS");
	const char *installed = getenv("TD_INSTALLED");
	struct dirent **dirs = NULL;
	int nr = kernels && installed ? scandir(kernels, &dirs, is_folder, alphasort) : 0;
	size_t models = 0;

	for (int i = 0; i < nr; i++) {
		models += test_model(kernels, installed, dirs[i]->d_name);
		free(dirs[i]);
	}
	free(dirs);
	if (nr)
		ok(models > 30, "%zu models", models);
	else
		ok(true, "the installed files # SKIP no TD_PMU_EVENTS, TD_INSTALLED");
	return done_testing();
}
