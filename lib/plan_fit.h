/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_PLAN_FIT_H
#define TD_PLAN_FIT_H

#include "lib/machine.h"
#include "lib/plan.h"

#define TD_NR_COUNTERS 32 /* general ones below 16, fixed ones from 16 on */

/* Events that a core's counters can count at once; begins as { 0 }. */
struct td_fit {
	uint32_t masks[TD_NR_COUNTERS]; /* one an event: its counters */
	int nr;
};

/* One more; false: there is no counter left for it, and fit is as before. */
bool td_fit_add(struct td_fit *fit, const struct td_machine *machine,
		const struct td_event *event);

/* As far as is known: of unknown cores, with what all of them have. */
bool td_plan_group_fits(const struct td_plan *plan,
			const struct td_machine *machine, size_t group);

/* Fills in td_group.at_once, once the groups are final. */
void td_plan_fill_at_once(struct td_plan *plan,
			  const struct td_machine *machine);

#endif
