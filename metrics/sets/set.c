// SPDX-License-Identifier: GPL-2.0-only
/* Finds the metrics of a set and their groups, and builds sets. */
#include "metrics/sets/set.h"

#include <fnmatch.h>
#include <strings.h>

#include "lib/base/util.h"

static const struct td_metric_def *find_indexed(const struct td_metric_set *set, const char *name)
{
	uint64_t hash = td_hash_any_case(name);
	size_t step = 0, at;

	while ((at = td_index_next(&set->names, hash, &step)) != TD_NOT_FOUND) {
		if (strcasecmp(set->metrics[at].name, name) == 0)
			return &set->metrics[at];
	}
	return NULL;
}

const struct td_metric_def *td_set_find(const struct td_metric_set *set, const char *name)
{
	if (set->names.nr)
		return find_indexed(set, name);
	for (size_t i = 0; i < set->nr_metrics; i++) {
		if (strcasecmp(set->metrics[i].name, name) == 0)
			return &set->metrics[i];
	}
	return NULL;
}

const char *td_metric_def_groups(const struct td_metric_def *def, char buf[TD_GROUPS_SIZE])
{
	if (def->groups)
		return def->groups;
	buf[0] = '\0';
	if (def->parent)
		snprintf(buf, TD_GROUPS_SIZE, "TopdownL%d;tma_L%d_group;%s_group", def->level,
			 def->level, def->parent);
	else if (def->level)
		snprintf(buf, TD_GROUPS_SIZE, "TopdownL%d;tma_L%d_group", def->level, def->level);
	return buf;
}

/* --- requested metrics ------------------------------------------------------ */

#define BUILTIN_LEVELS 2
#define MAX_NAME       256

bool td_ask_wants_files(const struct td_ask *ask)
{
	return ask->nr_names || ask->bottlenecks || ask->level > BUILTIN_LEVELS ||
	       ask->only_level > BUILTIN_LEVELS;
}

/* Does a group match?  Globs respect case, or "tma_l3*" would match all of tma_L3_group. */
static bool matches_group(const char *pattern, const struct td_metric_def *def)
{
	int flags = strpbrk(pattern, "*?[") ? 0 : FNM_CASEFOLD;
	char buf[TD_GROUPS_SIZE], group[TD_GROUP_NAME];
	const char *groups = td_metric_def_groups(def, buf);

	while (td_next_group(&groups, group)) {
		if (fnmatch(pattern, group, flags) == 0)
			return true;
	}
	return false;
}

bool td_ask_matches(const char *name, const struct td_metric_def *def)
{
	char pattern[MAX_NAME];

	snprintf(pattern, sizeof(pattern), "%.*s", (int)strcspn(name, ":"), name);
	if (def->part)
		return false;
	return strcasecmp(pattern, "all") == 0 || fnmatch(pattern, def->name, FNM_CASEFOLD) == 0 ||
	       matches_group(pattern, def);
}

/* --- bottlenecks ---------------------------------------------------------- */

/* The remainder metric: 100 % minus all others. */
#define REST "other_bottlenecks"

/* The second prefix is used since TMA 5. */
static const char *const prefixes[] = { "tma_info_bottleneck_", "tma_bottleneck_" };

/* Return the name after the prefix; NULL for other metrics. */
static const char *without_prefix(const char *name)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(prefixes); i++) {
		size_t len = strlen(prefixes[i]);

		if (strncasecmp(name, prefixes[i], len) == 0)
			return name + len;
	}
	return NULL;
}

bool td_is_bottleneck(const char *name)
{
	return without_prefix(name);
}

bool td_is_useful_work(const char *name)
{
	const char *rest = without_prefix(name);

	return rest && strcasecmp(rest, "useful_work") == 0;
}

bool td_set_has_bottlenecks(const struct td_metric_set *set)
{
	for (size_t i = 0; i < set->nr_metrics; i++) {
		const char *rest = without_prefix(set->metrics[i].name);

		if (rest && strcasecmp(rest, REST) == 0)
			return true;
	}
	return false;
}

static bool has_child(const struct td_metric_set *set, const struct td_metric_def *def)
{
	for (size_t i = 0; i < set->nr_metrics; i++) {
		const char *parent = set->metrics[i].parent;

		if (parent && set->metrics[i].level == def->level + 1 &&
		    strcmp(parent, def->name) == 0)
			return true;
	}
	return false;
}

bool td_set_is_bottleneck(const struct td_metric_set *set, const struct td_metric_def *def)
{
	if (def->part)
		return false;
	if (td_set_has_bottlenecks(set))
		return without_prefix(def->name);
	return def->level == 2 || (def->level == 1 && !has_child(set, def));
}
