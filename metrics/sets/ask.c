// SPDX-License-Identifier: GPL-2.0-only
#include "metrics/sets/ask.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "metrics/files/level.h"

#define BUILTIN_LEVELS 2
#define MAX_NAME       256

bool td_ask_wants_files(const struct td_ask *ask)
{
	return ask->nr_names || ask->bottlenecks ||
	       ask->level > BUILTIN_LEVELS || ask->only_level > BUILTIN_LEVELS;
}

bool td_ask_wants_level(const struct td_ask *ask,
			const struct td_metric_def *def)
{
	if (def->level == 0)
		return false;
	return def->level <= ask->level || def->level == ask->only_level;
}

const char *td_ask_modifiers(const char *name)
{
	const char *colon = strrchr(name, ':');

	return colon ? colon + 1 : name + strlen(name);
}

/*
 * Globs match groups with case, or "tma_l3*" would match all of tma_L3_group.
 */
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

	snprintf(pattern, sizeof(pattern), "%.*s", (int)strcspn(name, ":"),
		 name);
	if (def->part)
		return false;
	return strcasecmp(pattern, "all") == 0 ||
	       fnmatch(pattern, def->name, FNM_CASEFOLD) == 0 ||
	       matches_group(pattern, def);
}
