/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmd/plan: from the options to what is to be counted.
 *
 * In: struct td_opts.
 * Out: the machine (select.h), the target (target.h), and the plan with the tree
 * of metrics (measure.h) or with the events that were typed (events.h).  No
 * counter is opened; --dry-run shows what would be (dry_run.h).
 */
#ifndef TD_CMD_PLAN_MEASURE_H
#define TD_CMD_PLAN_MEASURE_H

#include "cmd/opts/opts.h"
#include "cmd/plan/catalog.h"
#include "lib/target/target.h"
#include "metrics/tree/tree.h"

/* The metrics of a run or of a recording, and all that they are borrowed from. */
struct td_measure {
	struct td_catalog catalog;
	struct td_sets sets;
	struct td_ask ask;
	struct td_literals literals;
	struct td_tree tree;
};

/* What td_measure_build() goes by. */
struct td_measuring {
	struct td_machine *machine;
	/* To read more PMUs from when a formula names them; NULL: a recording's. */
	const struct td_sysfs *fs;
	const struct td_opts *opts;
	struct td_notes *notes;
	/* what the literals of formulas are told from */
	const struct td_place *places; /* one an online CPU; NULL: not known */
	uint64_t tsc_hz;               /* 0: not known */
	bool core_wide; /* all threads of the cores are counted */
};

/*
 * What opts asks for, ready to be scheduled: the tree and plan's events, or,
 * of a recording, out of plan's.  Free with td_measure_free(), whatever the
 * result.
 */
int td_measure_build(struct td_measure *measure, struct td_plan *plan,
		     const struct td_measuring *how, struct td_err *err);
void td_measure_free(struct td_measure *measure);

#endif
