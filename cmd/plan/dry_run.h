/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_PLAN_DRY_RUN_H
#define TD_CMD_PLAN_DRY_RUN_H

#include "cmd/plan/job.h"
#include "lib/count/readings.h"
#include "lib/plan/plan.h"
#include "metrics/tree/tree.h"

/*
 * --dry-run: prints the groups to standard output, and each perf_event_attr as
 * the kernel would get it.
 */
int td_dry_run(struct td_job *job, struct td_err *err);
/*
 * -v: prints to standard error the machine, and the events of each group.  tree is
 * NULL if events were typed.
 */
void td_describe(const struct td_machine *machine, const struct td_tree *tree,
		 const struct td_plan *plan, const struct td_target *target);

/*
 * And at the end, the number of groups and the share of time that each ran.
 * readings: one for each event, in their order; empty if nothing was read.
 */
void td_describe_shares(const struct td_machine *machine,
			const struct td_plan *plan,
			const struct td_readings *readings);

#endif
