// SPDX-License-Identifier: GPL-2.0-only
/* The names of models: the folders that mapfile.csv has. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"
#include "metrics/files/parts.h"
#include "metrics/files/text.h"

#define MODELS    0x100
#define STEPPINGS 0x10

/* What is looked for, and what was found of it. */
struct wanted {
	const char *folder;
	struct td_suggest *near;
	struct td_cpuid *out;
	bool found;
	/* of the lines before, which have their processors first */
	const char **taken;
	size_t nr_taken;
	bool no_memory;
};

/* Does the expression match?  What cannot be read matches nothing. */
static bool is_matched(const char *expression, const struct td_cpuid *cpuid)
{
	struct td_map map = { 0 };
	char why[128];

	td_map_identify(&map, cpuid);
	return td_map_matches(expression, &map, why, sizeof(why)) > 0;
}

static bool is_taken(const struct wanted *wanted, const struct td_cpuid *cpuid)
{
	for (size_t i = 0; i < wanted->nr_taken; i++) {
		if (is_matched(wanted->taken[i], cpuid))
			return true;
	}
	return false;
}

/*
 * Expressions have vendor and family as plain text, so that trying what there
 * may be behind is quick: GenuineIntel-6-(97|9A).
 */
static bool find_match(const struct wanted *wanted, const char *expression)
{
	const char *dash = strchr(expression, '-');
	size_t len = dash ? (size_t)(dash - expression) : 0;
	struct td_cpuid cpuid = { 0 };
	char *end;

	if (!len || len >= sizeof(cpuid.vendor))
		return false;
	memcpy(cpuid.vendor, expression, len);
	cpuid.family = (unsigned int)strtoul(dash + 1, &end, 10);
	if (end == dash + 1 || *end != '-')
		return false;
	for (unsigned int i = 0; i < MODELS * STEPPINGS; i++) {
		cpuid.model = i % MODELS;
		cpuid.stepping = i / MODELS;
		if (is_matched(expression, &cpuid) &&
		    !is_taken(wanted, &cpuid)) {
			*wanted->out = cpuid;
			return true;
		}
	}
	return false;
}

static void look_at_line(struct wanted *wanted, char *line)
{
	const char *expression = strsep(&line, ",");
	const char *folder;

	strsep(&line, ","); /* the version */
	folder = strsep(&line, ",");
	if (!folder || wanted->found)
		return;
	td_suggest_offer(wanted->near, folder, NULL);
	if (strcasecmp(folder, wanted->folder) == 0)
		wanted->found = find_match(wanted, expression);
	if (td_array_push(&wanted->taken, &wanted->nr_taken, &expression,
			  sizeof(expression)))
		wanted->no_memory = true;
}

int td_pmu_events_find_model(const char *root, const char *folder,
			     struct td_suggest *near, struct td_cpuid *out,
			     struct td_err *err)
{
	td_autofree char *path = td_aprintf("%s/mapfile.csv", root);
	td_autofree char *text = NULL;
	struct wanted wanted = { .folder = folder, .near = near, .out = out };
	char *rest, *line;
	int rc;

	if (!path)
		return td_err_nomem(err);
	rc = td_pmu_events_text(path, &text, err);
	if (rc)
		return rc;
	rest = text;
	strsep(&rest, "\n"); /* the names of the columns */
	while ((line = strsep(&rest, "\n"))) {
		if (*line && *line != '#')
			look_at_line(&wanted, line);
	}
	free(wanted.taken);
	if (wanted.no_memory)
		return td_err_nomem(err);
	return wanted.found ? 0 : 1;
}
