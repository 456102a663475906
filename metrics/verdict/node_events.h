/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_VERDICT_NODE_EVENTS_H
#define TD_METRICS_VERDICT_NODE_EVENTS_H

#include <stddef.h>
#include <string.h>

/* A node, and the events to sample for it. */
struct td_node_events {
	const char *node, *events;
};

/* The events of a node; NULL if there are none. */
static inline const char *td_node_events_find(const struct td_node_events *rows,
					      size_t nr, const char *node)
{
	for (size_t i = 0; i < nr; i++) {
		if (strcmp(rows[i].node, node) == 0)
			return rows[i].events;
	}
	return NULL;
}

#endif
