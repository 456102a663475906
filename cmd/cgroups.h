/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CGROUPS_H
#define TD_CGROUPS_H

#include "lib/cgroup.h"
#include "lib/plan.h"

/*
 * -G: the first cgroup is the first event's, and so on, one alone all events';
 * a group's must be one.  each: nothing is to be assigned.
 */
int td_cgroups_assign(struct td_plan *plan, const struct td_cgroups *cgroups,
		      bool each, struct td_err *err);

#endif
