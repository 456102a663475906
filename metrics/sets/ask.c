// SPDX-License-Identifier: GPL-2.0-only
#include "metrics/sets/ask.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

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

struct match {
	const char *pattern;
	int flags;
	bool found;
};

static void match_group(void *ctx, const char *group)
{
	struct match *match = ctx;

	match->found = match->found ||
		       fnmatch(match->pattern, group, match->flags) == 0;
}

bool td_ask_matches(const char *name, const struct td_metric_def *def)
{
	char pattern[MAX_NAME];
	struct match match = { pattern, FNM_CASEFOLD, false };

	snprintf(pattern, sizeof(pattern), "%.*s", (int)strcspn(name, ":"),
		 name);
	if (def->part)
		return false;
	if (strcasecmp(pattern, "all") == 0 ||
	    fnmatch(pattern, def->name, FNM_CASEFOLD) == 0)
		return true;
	/*
	 * globs match groups with case, or "tma_l3*" would match all of
	 * tma_L3_group
	 */
	if (strpbrk(pattern, "*?["))
		match.flags = 0;
	td_metric_def_each_group(def, match_group, &match);
	return match.found;
}
