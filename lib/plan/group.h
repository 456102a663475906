/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_PLAN_GROUP_H
#define TD_LIB_PLAN_GROUP_H

#include "lib/plan/plan.h"

/* Building blocks of the schedulers.  Out of memory gives NULL or -ENOMEM. */

/* Adds an empty group.  Pointers to other groups become invalid. */
struct td_group *td_plan_new_group(struct td_plan *plan, int pmu);
int td_group_add(struct td_group *group, const int *events, size_t nr);
/* Copies the reference event into another group. */
int td_plan_add_clone(struct td_plan *plan, struct td_group *group,
		      int reference);

#endif
