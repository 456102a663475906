// SPDX-License-Identifier: GPL-2.0-only
/* The groups that a metric is in. */
#include "metrics/sets/groups.h"

#include <stdio.h>

#include "metrics/files/level.h"

/*
 * Writes the groups of a metric; for a built-in one, those that the files would
 * list.
 */
static void groups_of(const struct td_metric_def *def, char *buf, size_t size)
{
	buf[0] = '\0';
	if (def->groups)
		snprintf(buf, size, "%s", def->groups);
	else if (def->parent)
		snprintf(buf, size, "TopdownL%d;tma_L%d_group;%s_group",
			 def->level, def->level, def->parent);
	else if (def->level)
		snprintf(buf, size, "TopdownL%d;tma_L%d_group", def->level,
			 def->level);
}

void td_metric_def_each_group(const struct td_metric_def *def,
			      void (*fn)(void *ctx, const char *group),
			      void *ctx)
{
	char groups[1024], name[TD_GROUP_NAME];
	const char *list = groups;

	groups_of(def, groups, sizeof(groups));
	while (td_next_group(&list, name))
		fn(ctx, name);
}
