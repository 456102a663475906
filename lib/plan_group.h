/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_PLAN_GROUP_H
#define TD_PLAN_GROUP_H

#include "lib/plan.h"

/* What the schedulers make plans with.  NULL, -ENOMEM: out of memory. */

/* An empty one; others of the plan may move. */
struct td_group *td_plan_new_group(struct td_plan *plan, int pmu);
int td_group_add(struct td_group *group, const int *events, size_t nr);
/* The reference event once more, as the leader of a further group. */
int td_plan_add_clone(struct td_plan *plan, struct td_group *group,
		      int reference);

#endif
