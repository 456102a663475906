/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_COMPARE_WORK_H
#define TD_CMD_COMPARE_WORK_H

#include "lib/count/totals.h"
#include "lib/machine/machine.h"
#include "metrics/diff/diff.h"

/*
 * Instructions on all kinds of core; NaN unless they were counted on each that
 * counted anything.
 */
double td_instructions_of(const struct td_plan *plan,
			  const struct td_machine *machine,
			  const struct td_total *totals);
/*
 * Instructions per cycle of each PMU that is not left out, to v; NaN unless it has
 * both events, of the same privilege levels.  Returns how many there are.
 */
size_t td_ipc_of(const struct td_plan *plan, const struct td_machine *machine,
		 const struct td_total *totals, const char *id,
		 struct td_diff_ipc *v);

#endif
