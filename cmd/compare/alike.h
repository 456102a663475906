/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_COMPARE_ALIKE_H
#define TD_CMD_COMPARE_ALIKE_H

#include "cmd/replay/recorded.h"
#include "metrics/diff/diff.h"

/*
 * Notes in what a recording is not like the first one: another processor, other
 * metrics, another target.  An error if they have nothing to compare: events and a
 * tree, or no PMU in common.
 */
int td_check_alike(const struct td_recorded *first,
		   const struct td_recorded *other, struct td_notes *notes,
		   struct td_err *err);

/* Notes the cgroups, threads and regions that only one side has. */
void td_note_ids(const struct td_diff *diff, struct td_notes *notes);

#endif
