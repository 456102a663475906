/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_FILES_LEVEL_H
#define TD_METRICS_FILES_LEVEL_H

#include "metrics/files/pmu_events.h"

#define TD_GROUP_NAME 128 /* longer group names are ignored */

/*
 * Reads the next name of "a;b;c", and moves *list behind it.  Returns false at
 * the end.
 */
bool td_next_group(const char **list, char name[TD_GROUP_NAME]);

/*
 * The level of a metric of the kernel tree's files, which only its groups tell;
 * 0: outside of the tree.
 */
int td_groups_level(const char *metric, const char *groups);
/*
 * Sets the parent of each metric below level 1, from the metric with the index
 * first on: the metric one level up that is set already, or else whose group
 * contains this one; NULL if there is none.  Trees borrow the parents of the
 * metrics before first.  Returns 0 or -ENOMEM.
 */
int td_pmu_events_find_parents(struct td_pmu_events *events, size_t first);

#endif
