/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_PLAN_SCHEDULING_H
#define TD_LIB_PLAN_SCHEDULING_H

#include "lib/plan/pack.h"
#include "lib/plan/reference.h"

/* A home that is not one of the groups that take turns. */
#define TD_PINNED (-3)

/* The metrics' scheduler at work on one PMU. */
struct td_scheduling {
	struct td_plan *plan;
	const struct td_machine *machine;
	const struct td_schedule *schedule;
	int nr_asked; /* events behind these are references and clones */
	int pmu;
	struct td_claim *claims;   /* one an event that was asked for */
	struct td_packing packing; /* with the homes of all events */
	struct td_fit pinned;      /* what is never there for the others */
	bool has_pinned;
	struct td_reference reference;
	struct td_err *err;
};

/* Is an event one of the PMU? */
bool td_scheduling_has(const struct td_scheduling *s, int event);
bool td_scheduling_is_slots(const struct td_scheduling *s, int event);
/*
 * The SLOTS whose group a field goes into; -1: it is no field, or there is
 * none.  Of several, each metric has its own.
 */
int td_scheduling_slots_of(const struct td_scheduling *s, int event);
bool td_scheduling_has_reference(const struct td_scheduling *s);
/*
 * Decides what counts all the time and what all groups that take turns count
 * besides.  Before, no event of the PMU has a home, and nothing is decided.
 */
void td_scheduling_pin(struct td_scheduling *s);

#endif
