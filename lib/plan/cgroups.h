/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_PLAN_CGROUPS_H
#define TD_LIB_PLAN_CGROUPS_H

#include "lib/plan/plan.h"
#include "lib/target/cgroup.h"

/*
 * -G: the first cgroup is the first event's, and so on; one alone is that of
 * the first nr_specs events of the text, those before it.  A group's must be
 * one.
 */
int td_cgroups_assign(struct td_plan *plan, const struct td_cgroups *cgroups,
		      int nr_specs, struct td_err *err);

#endif
