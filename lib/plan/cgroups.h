/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_PLAN_CGROUPS_H
#define TD_LIB_PLAN_CGROUPS_H

#include "lib/plan/plan.h"
#include "lib/target/cgroup.h"

/*
 * Assigns the cgroups of -G to the groups: the first cgroup to the first event
 * of the text, and so on.  A single cgroup is for the first nr_specs events,
 * those typed before -G. It is a usage error if events of one group differ, or
 * if there are fewer events than cgroups.
 */
int td_cgroups_assign(struct td_plan *plan, const struct td_cgroups *cgroups,
		      int nr_specs, struct td_err *err);

#endif
