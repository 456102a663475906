// SPDX-License-Identifier: GPL-2.0-only
/* Finds the levels and parents of metrics. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/base/index.h"
#include "lib/base/util.h"
#include "metrics/files/pmu_events.h"

bool td_next_group(const char **list, char name[TD_GROUP_NAME])
{
	const char *from;
	size_t len;

	do {
		from = *list + strspn(*list, "; ");
		len = strcspn(from, ";");
		*list = from + len;
	} while (len >= TD_GROUP_NAME);
	memcpy(name, from, len);
	name[len] = '\0';
	return len > 0;
}

/* Return the level of "TopdownL2", "tma_L2_group" or AMD's "PipelineL2"; 0 for other groups. */
static int level_of_group(const char *name)
{
	static const char *const prefixes[] = { "TopdownL", "tma_L", "PipelineL" };

	for (size_t i = 0; i < TD_ARRAY_SIZE(prefixes); i++) {
		size_t len = strlen(prefixes[i]);
		const char *digit = name + len;

		if (strncmp(name, prefixes[i], len) == 0 && *digit >= '1' && *digit <= '9' &&
		    (digit[1] == '\0' || strcmp(digit + 1, "_group") == 0))
			return *digit - '0';
	}
	return 0;
}

int td_groups_level(const char *metric, const char *groups)
{
	const char *list = groups ? groups : "";
	char name[TD_GROUP_NAME];
	int level = 0;

	/* tma_info_* are in the group of a level, but are not nodes of the tree */
	if (strncmp(metric, "tma_info_", 9) == 0)
		return 0;
	while (!level && td_next_group(&list, name))
		level = level_of_group(name);
	return level;
}

static const char *find_above(const struct td_pmu_events *events, const struct td_index *names,
			      const struct td_model_metric *child, const char *name)
{
	uint64_t hash = td_hash_any_case(name);
	size_t step = 0, i;

	while ((i = td_index_next(names, hash, &step)) != TD_NOT_FOUND) {
		const struct td_model_metric *metric = &events->metrics[i];

		if (metric->level == child->level - 1 && strcasecmp(metric->name, name) == 0 &&
		    strcmp(metric->pmu, child->pmu) == 0)
			return metric->name;
	}
	return NULL;
}

/* Find the metric with a group of the child: tma_backend_bound for "tma_backend_bound_group". */
static const char *find_owner(const struct td_pmu_events *events, const struct td_index *names,
			      const struct td_model_metric *child)
{
	const char *list = child->groups ? child->groups : "", *owner = NULL;
	size_t end = strlen("_group");
	char name[TD_GROUP_NAME];

	while (!owner && td_next_group(&list, name)) {
		size_t len = strlen(name);

		if (len <= end || strcmp(name + len - end, "_group") != 0)
			continue;
		name[len - end] = '\0';
		owner = find_above(events, names, child, name);
	}
	return owner;
}

void td_pmu_events_find_parents(struct td_pmu_events *events, size_t first)
{
	struct td_index names = { 0 };

	for (size_t i = 0; first < events->nr_metrics && i < events->nr_metrics; i++)
		td_index_add(&names, td_hash_any_case(events->metrics[i].name), i);
	for (size_t i = first; i < events->nr_metrics; i++) {
		struct td_model_metric *metric = &events->metrics[i];
		const char *owner = metric->level < 2 ? NULL : find_owner(events, &names, metric);

		if (owner)
			metric->parent = td_strdup(owner);
	}
	td_index_free(&names);
}

/* --- corrections of level 1 --------------------------------------------------- */

#define CORRECTION "INT_MISC."

/*
 * Truncate the formula before its correction, which is the last summand:
 * "topdown\-fe\-bound / (...) - INT_MISC.UOP_DROPPING / tma_info_thread_slots".
 */
static void cut(char *formula)
{
	char *at = strstr(formula, CORRECTION);

	while (at && at > formula) {
		at--;
		if (strncmp(at, " - ", 3) == 0 || strncmp(at, " + ", 3) == 0) {
			*at = '\0';
			return;
		}
	}
}

void td_pmu_events_leave_uncorrected(struct td_pmu_events *events)
{
	for (size_t i = 0; i < events->nr_metrics; i++) {
		if (events->metrics[i].level == 1)
			cut(events->metrics[i].formula);
	}
}
