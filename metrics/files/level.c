// SPDX-License-Identifier: GPL-2.0-only
/* Where metrics stand in the tree. */
#include <errno.h>
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

/* The names of all metrics, for find_above(). */
static int index_names(struct td_index *names,
		       const struct td_pmu_events *events)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < events->nr_metrics; i++)
		rc = td_index_add(names,
				  td_hash_any_case(events->metrics[i].name), i);
	return rc;
}

static const char *find_above(const struct td_pmu_events *events,
			      const struct td_index *names,
			      const struct td_model_metric *child,
			      const char *name)
{
	uint64_t hash = td_hash_any_case(name);
	size_t step = 0, i;

	while ((i = td_index_next(names, hash, &step)) != TD_NOT_FOUND) {
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
			      const struct td_index *names,
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

static int find_parent(const struct td_pmu_events *events,
		       const struct td_index *names,
		       struct td_model_metric *metric)
{
	const char *owner = NULL;

	if (metric->level < 2)
		return 0;
	if (metric->parent)
		owner = find_above(events, names, metric, metric->parent);
	if (!owner)
		owner = find_owner(events, names, metric);
	free(metric->parent);
	metric->parent = owner ? strdup(owner) : NULL;
	return owner && !metric->parent ? -ENOMEM : 0;
}

int td_pmu_events_find_parents(struct td_pmu_events *events, size_t first)
{
	struct td_index names = { 0 };
	int rc = 0;

	if (first < events->nr_metrics)
		rc = index_names(&names, events);
	for (size_t i = first; !rc && i < events->nr_metrics; i++)
		rc = find_parent(events, &names, &events->metrics[i]);
	td_index_free(&names);
	return rc;
}

/* --- what corrects level 1 --------------------------------------------------- */

#define CORRECTION "INT_MISC."

/*
 * Ends the formula before its correction, which is its last summand:
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
