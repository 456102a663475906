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
 * Instructions per cycle of each PMU that is not left out; NaN unless it has both
 * events, of the same privilege levels.  Returns an array to be freed, or NULL if
 * memory ran out.
 */
struct td_diff_ipc *td_ipc_of(const struct td_plan *plan,
			      const struct td_machine *machine,
			      const struct td_total *totals, size_t *nr);

#endif
