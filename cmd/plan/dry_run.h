/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <linux/perf_event.h>

#include "cmd/plan/job.h"
#include "lib/count/readings.h"
#include "lib/machine/machine.h"
#include "lib/plan/plan.h"
#include "metrics/tree/tree.h"

/* --dry-run: print the groups to standard output, with each perf_event_attr. */
int td_dry_run(struct td_job *job, struct td_err *err);
/*
 * --print-perf: print the command of perf stat that counts the same groups, and that of tdstat
 * report for what perf writes.  perf need not know the processor's events.
 */
int td_print_perf(struct td_job *job, struct td_err *err);
/*
 * -v: print the machine and the events of each group to standard error.  tree is NULL if
 * events were typed.
 */
void td_describe(const struct td_machine *machine, const struct td_tree *tree,
		 const struct td_plan *plan, const struct td_target *target);

/*
 * -v, at the end: print the number of groups and the share of time that each was counted.
 * readings: one for each event, in order; empty if no event was read.
 */
void td_describe_shares(const struct td_machine *machine, const struct td_plan *plan,
			const struct td_readings *readings);

/*
 * Print a perf_event_attr in the layout of perf stat -vv: a line for each field that is not
 * 0, between two rules.  pmu: the name of the PMU of attr->type, or NULL.
 */
void td_attr_put(FILE *fp, const struct perf_event_attr *attr, const char *pmu);

/* Print a call of perf_event_open(2) and its result, a fd or negative errno. */
void td_attr_put_open(FILE *fp, int pid, int cpu, int group_fd, unsigned long flags, int fd);

/*
 * Print for one PMU, which must have groups, how they are multiplexed: "5 groups, each counted 20 %
 * of the time".  If why is true, print the reason, too.  Returns true if groups are multiplexed.
 */
bool td_put_turns_of(FILE *fp, const struct td_machine *machine, const struct td_plan *plan,
		     int pmu, bool why);
