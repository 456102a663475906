/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_PLAN_PARTS_H
#define TD_LIB_PLAN_PARTS_H

#include "lib/plan/clocks.h"
#include "lib/plan/fit.h"

/* --- pack.c --------------------------------------------------------------- */

/* The packing of one PMU's events into groups, which are numbered from 0. */
struct td_packing {
	const struct td_claim *claims; /* one for each event of the plan */
	int pmu;
	int *events; /* events to place; td_pack() sorts them */
	size_t nr;
	const struct td_need *needs; /* of all PMUs */
	size_t nr_needs;
	/* What the first group holds from the start, and the other groups. */
	struct td_fit first, further;

	/* The result, in memory of the caller: */
	int *homes; /* for each event of the plan its group, or below 0 */
	int *order; /* the events in the order of placing; room for nr */
	size_t nr_placed;
	size_t nr_groups;
};

#define TD_NOWHERE    (-1) /* an event still to place */
#define TD_NOT_PACKED (-2) /* an event that is not packed */

/*
 * Makes as few groups as the counters allow, and keeps the events of a need in
 * one group where possible, lower ranks first.  Returns 0 or -ENOMEM.
 */
int td_pack(struct td_packing *p);

/* The home of pinned events. */
#define TD_PINNED (-3)

/* The state of td_plan_build() on one PMU. */
struct td_scheduling {
	struct td_plan *plan;
	const struct td_machine *machine;
	const struct td_schedule *schedule;
	int nr_initial; /* number of events before references and clones */
	int pmu;
	struct td_claim *claims;   /* one for each of these events */
	struct td_packing packing; /* has the homes of all events */
	struct td_fit pinned;      /* taken all the time by the pinned group */
	bool has_pinned;
	struct td_reference reference;
	int clocks[TD_NR_CLOCKS]; /* these never rest; -1: there is none */
	struct td_err *err;
};

/* True if the event is on this PMU and not refused. */
bool td_scheduling_has(const struct td_scheduling *s, int event);
bool td_scheduling_is_slots(const struct td_scheduling *s, int event);
/*
 * The SLOTS whose group a field joins: the one that a need names with it, else
 * the first.  -1 if it is no field or there is no SLOTS.
 */
int td_scheduling_slots_of(const struct td_scheduling *s, int event);
/* What is said of the whole run whatever rests: clocks and instructions. */
void td_scheduling_find_clocks(struct td_scheduling *s);
/* The family whose groups count an event, as in td_schedule; a clock has none. */
int td_scheduling_family(const struct td_scheduling *s, int event);
bool td_scheduling_has_reference(const struct td_scheduling *s);
/*
 * Chooses the pinned events and the reference.  Before, no event of the PMU has
 * a home.
 */
void td_scheduling_pin(struct td_scheduling *s);

#endif
