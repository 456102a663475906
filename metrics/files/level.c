// SPDX-License-Identifier: GPL-2.0-only
/* Where metrics stand in the tree. */
#include "metrics/files/level.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/base/util.h"

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

/*
 * The level of "TopdownL2", "tma_L2_group" or AMD's "PipelineL2" (2); 0 if the
 * group is not a level.
 */
static int level_of_group(const char *name)
{
	static const char *const prefixes[] = { "TopdownL", "tma_L",
						"PipelineL" };

	for (size_t i = 0; i < TD_ARRAY_SIZE(prefixes); i++) {
		size_t len = strlen(prefixes[i]);
		const char *digit = name + len;

		if (strncmp(name, prefixes[i], len) == 0 && *digit >= '1' &&
		    *digit <= '9' &&
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

	/* these are in the groups of a level, but are no nodes of the tree */
	if (strncmp(metric, "tma_info_", 9) == 0)
		return 0;
	while (!level && td_next_group(&list, name))
		level = level_of_group(name);
	return level;
}

static const char *find_above(const struct td_pmu_events *events,
			      const struct td_model_metric *child,
			      const char *name)
{
	for (size_t i = 0; i < events->nr_metrics; i++) {
		const struct td_model_metric *metric = &events->metrics[i];

		if (metric->level == child->level - 1 &&
		    strcasecmp(metric->name, name) == 0 &&
		    strcmp(metric->pmu, child->pmu) == 0)
			return metric->name;
	}
	return NULL;
}

/*
 * The metric whose children form one of the groups: tma_backend_bound of
 * "tma_backend_bound_group"; NULL if there is none.
 */
static const char *find_owner(const struct td_pmu_events *events,
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
		owner = find_above(events, child, name);
	}
	return owner;
}

int td_pmu_events_find_parents(struct td_pmu_events *events)
{
	for (size_t i = 0; i < events->nr_metrics; i++) {
		struct td_model_metric *metric = &events->metrics[i];
		const char *owner = NULL;

		if (metric->level < 2)
			continue;
		if (metric->parent)
			owner = find_above(events, metric, metric->parent);
		if (!owner)
			owner = find_owner(events, metric);
		free(metric->parent);
		metric->parent = owner ? strdup(owner) : NULL;
		if (owner && !metric->parent)
			return -ENOMEM;
	}
	return 0;
}
