/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_PLAN_GROUP_H
#define TD_LIB_PLAN_GROUP_H

#include "lib/plan/plan.h"

/* What the schedulers make plans with.  NULL, -ENOMEM: out of memory. */

/* An empty one; others of the plan may move. */
struct td_group *td_plan_new_group(struct td_plan *plan, int pmu);
int td_group_add(struct td_group *group, const int *events, size_t nr);
/* SLOTS for a field that has none: nobody asked for it; the field's rings. */
int td_plan_add_slots(struct td_plan *plan, const struct td_machine *machine,
		      int field, struct td_err *err);
/* The reference event once more, as the leader of a further group. */
int td_plan_add_clone(struct td_plan *plan, struct td_group *group,
		      int reference);

#endif
