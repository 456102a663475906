/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_PLAN_DRY_RUN_H
#define TD_CMD_PLAN_DRY_RUN_H

#include <stdio.h>

#include "lib/count/readings.h"
#include "lib/plan/plan.h"
#include "metrics/tree/tree.h"

/* The groups, and every perf_event_attr as the kernel would get it. */
void td_dry_run(FILE *fp, const struct td_machine *machine,
		const struct td_tree *tree, const struct td_plan *plan,
		const struct td_target *target);
/* -v: the machine, and the events of each group. */
void td_describe(FILE *fp, const struct td_machine *machine,
		 const struct td_tree *tree, const struct td_plan *plan,
		 const struct td_target *target);

/*
 * How many groups there were, and how much of the time each ran.  readings: one
 * an event, in their order; none: nothing was read.
 */
void td_describe_shares(FILE *fp, const struct td_machine *machine,
			const struct td_plan *plan,
			const struct td_readings *readings);

#endif
