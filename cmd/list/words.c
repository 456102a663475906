// SPDX-License-Identifier: GPL-2.0-only
/* What the text of a list says of an item beside its name. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cmd/list/parts.h"
#include "lib/base/util.h"

char *td_list_spaced(const char *list)
{
	char *out = malloc(2 * strlen(list) + 1), *to = out;

	for (; out && *list; list++) {
		*to++ = *list == ';' ? ',' : *list;
		if (*list == ';')
			*to++ = ' ';
	}
	if (out)
		*to = '\0';
	return out;
}

const char *td_list_describe(const struct td_list_item *item)
{
	if (item->desc && strcasecmp(item->desc, item->name) == 0)
		return NULL;
	return item->desc;
}

/*
 * Describes a node: "%, level 2, below tma_backend_bound"; NULL if memory ran
 * out.
 */
static char *format_node(const struct td_metric_def *metric)
{
	const char *unit = metric->unit, *parent = metric->parent;
	char level[32] = "", *text;

	if (metric->level)
		snprintf(level, sizeof(level), "%slevel %d", *unit ? ", " : "",
			 metric->level);
	if (asprintf(&text, "%s%s%s%s", unit, level, parent ? ", below " : "",
		     parent ? parent : "") < 0)
		return NULL;
	return text;
}

/* Describes a group: "2 metrics: a, b"; NULL if memory ran out. */
static char *format_members(const char *members)
{
	td_autofree char *names = td_list_spaced(members);
	size_t nr = 1;
	char *text;

	for (const char *at = members; *at; at++)
		nr += *at == ';';
	if (!names || asprintf(&text, "%zu metric%s: %s", nr,
			       nr == 1 ? "" : "s", names) < 0)
		return NULL;
	return text;
}

int td_list_first(const struct td_list_item *item, char **out)
{
	const char *desc = td_list_describe(item);

	if (item->metric && (*item->metric->unit || item->metric->level))
		*out = format_node(item->metric);
	else if (item->kind == TD_LIST_METRICGROUP)
		*out = format_members(item->related);
	else if (desc)
		*out = strdup(desc);
	else
		return 0;
	return *out ? 0 : -ENOMEM;
}
