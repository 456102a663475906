// SPDX-License-Identifier: GPL-2.0-only
/* Places of the files' metrics in the tree. */
#include "tests/unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"
#include "metrics/files/pmu_events.h"

static const struct {
	const char *metric, *groups;
	int level;
} levels[] = {
	{ "tma_retiring", "TopdownL1;tma_L1_group", 1 },
	{ "tma_retiring", "BvUW;Default; tma_L1_group;TmaL1", 1 },
	{ "bad_speculation_smt", "PipelineL2;bad_speculation_group", 2 },
	{ "tma_x", "tma_L6_group", 6 },
	{ "tma_info_thread_ipc", "Ret;Summary;tma_L1_group", 0 },
	{ "tma_x", "TopdownL0", 0 },
	{ "tma_x", "TopdownL12", 0 },
	{ "tma_x", "TopdownL1_groups", 0 },
	{ "tma_x", "tma_backend_bound_group", 0 },
	{ "tma_x", "", 0 },
	{ "tma_x", NULL, 0 },
};

/* A metric of files. */
static const struct {
	const char *name, *pmu, *groups;
	int level;
	const char *want;
} metrics[] = {
	{ "tma_backend_bound", "cpu_core", NULL, 1 },
	{ "tma_backend_bound", "cpu_atom", NULL, 2 },
	{ "tma_memory_bound", "cpu_core", "Backend;tma_L2_group;tma_backend_bound_group", 2,
	  "tma_backend_bound" },
	/* another level on the other core type */
	{ "tma_memory_bound", "cpu_atom", "tma_backend_bound_group", 2 },
	{ "tma_resource_bound", "cpu_atom", "tma_Backend_Bound_group", 3, "tma_backend_bound" },
	/* two levels up: not the parent */
	{ "tma_l1_bound", "cpu_core", "tma_backend_bound_group;tma_memory_bound_group", 3,
	  "tma_memory_bound" },
	{ "tma_top", "cpu_core", "tma_backend_bound_group", 1 },
	{ "tma_lost", "cpu_core", "_group;tma_nothing_group", 2 },
	{ "tma_core_bound", "cpu_core", "tma_top_group", 2, "tma_top" },
};

static char *copy(const char *text)
{
	return text ? strdup(text) : NULL;
}

/*
 * The metrics of a later file get their parents; those before it keep theirs,
 * even where the search would find it no more.
 */
static void test_later(struct td_pmu_events *events)
{
	const struct td_model_metric *before = &events->metrics[2];
	size_t last = events->nr_metrics - 1;
	const char *kept = before->parent;

	is_str(kept, events->metrics[0].name, "the parent of before");
	events->metrics[0].name[0] = 'X';
	td_pmu_events_find_parents(events, last);
	is_str(events->metrics[last].parent, "tma_top", "the later parent");
	ok(before->parent == kept, "the text of before is where it was");
}

static void test_parents(void)
{
	struct td_pmu_events events = { 0 };

	for (size_t i = 0; i < TD_ARRAY_SIZE(metrics); i++) {
		struct td_model_metric *metric =
			td_array_add(&events.metrics, events.nr_metrics, sizeof(*metric));

		*metric = (struct td_model_metric){
			.name = copy(metrics[i].name),
			.pmu = copy(metrics[i].pmu),
			.groups = copy(metrics[i].groups),
			.level = metrics[i].level,
		};
		events.nr_metrics++;
	}
	td_pmu_events_find_parents(&events, 0);
	for (size_t i = 0; i < TD_ARRAY_SIZE(metrics); i++) {
		const char *parent = events.metrics[i].parent;

		if (metrics[i].want)
			is_str(parent, metrics[i].want, "%s of %s", metrics[i].name,
			       metrics[i].pmu);
		else
			ok(!parent, "%s of %s: none", metrics[i].name, metrics[i].pmu);
	}
	test_later(&events);
	td_pmu_events_free(&events);
}

/* Takes minutes where each metric is compared with all others. */
static void test_many(void)
{
	static const size_t nr = 200000;
	struct td_pmu_events events = {
		.metrics = calloc(nr, sizeof(*events.metrics)),
		.nr_metrics = nr,
	};
	size_t right = 0;

	if (!events.metrics)
		abort();
	for (size_t i = 0; i < nr; i++) {
		struct td_model_metric *metric = &events.metrics[i];

		if (asprintf(&metric->name, "tma_%zu", i) < 0 ||
		    asprintf(&metric->groups, "tma_%zu_group", i / 2) < 0)
			abort();
		metric->pmu = copy("cpu_core");
		metric->level = i < nr / 2 ? 1 : 2;
	}
	td_pmu_events_find_parents(&events, 0);
	for (size_t i = nr / 2; i < nr; i++) {
		const char *parent = events.metrics[i].parent;

		right += parent && !strcmp(parent, events.metrics[i / 2].name);
	}
	ok(right == nr / 2, "%zu of them are right", right);
	td_pmu_events_free(&events);
}

int main(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(levels); i++)
		ok(td_groups_level(levels[i].metric, levels[i].groups) == levels[i].level,
		   "%s: level %d", levels[i].groups ? levels[i].groups : "none", levels[i].level);
	test_parents();
	test_many();
	return done_testing();
}
