/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_VIEW_FACTS_H
#define TD_CMD_VIEW_FACTS_H

#include <stdbool.h>
#include <stddef.h>

#define TD_MAX_SAMPLED  2 /* more events would make a long command */
#define TD_SAMPLED_SIZE 64

/* What the model's files say about a metric of a PMU. */
struct td_metric_facts {
	int levels;     /* of the PMU's tree; 0: it has none in the files */
	bool has_group; /* NAME_group is a group of metrics */
	/*
	 * the events to sample to find the places: the PMU has them, or the one of
	 * "PMU/TERMS/"
	 */
	char events[TD_MAX_SAMPLED][TD_SAMPLED_SIZE];
	size_t nr_events;
};

#endif
