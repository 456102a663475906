/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_PLAN_LATENCIES_H
#define TD_CMD_PLAN_LATENCIES_H

#include "cmd/opts/opts.h"
#include "lib/base/notes.h"
#include "lib/plan/plan.h"
#include "metrics/tree/tree.h"

/* Are retire latencies to be sampled, if metrics need them? */
bool td_latencies_are_wanted(const struct td_opts *opts);
/*
 * Puts the events to sample into groups: those that the tree needs, or without one
 * all.
 */
int td_latencies_plan(struct td_plan *sampled, const struct td_tree *tree,
		      const struct td_machine *machine, struct td_err *err);
/* Notes it if samples of this machine do not tell latencies. */
void td_latencies_note_none(const struct td_machine *machine,
			    struct td_notes *notes);

#endif
