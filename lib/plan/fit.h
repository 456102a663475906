/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "lib/machine/machine.h"
#include "lib/plan/plan.h"

/* bits of a mask of counters: general counters start at 0, fixed ones at 16 */
#define TD_NR_COUNTERS  32
#define TD_NR_REGISTERS 6 /* extra registers, for the config1 of events */
#define TD_FIXED(n)     (UINT32_C(1) << (16 + (n)))
#define TD_FIXED_ALL    UINT32_C(0xffff0000)

/* The counters and registers of a core that an event can use. */
struct td_claim {
	uint32_t mask; /* counters that the event can use; 0: it needs none */
	enum td_register reg;
	uint64_t value; /* value that reg must contain */
	/* maximum number of general counters in use, including its own; 0: no limit */
	int most;
	bool held; /* other programs hold all counters of mask, so that no group has room for it */
};

struct td_claim td_claim_of(const struct td_machine *machine, const struct td_event *event);

/* Events that a core can count at the same time.  A zeroed struct is empty. */
struct td_fit {
	/* the counters that each event can use */
	uint32_t masks[TD_NR_COUNTERS];
	/* for each counter: 1 + its event; 0 if it is free */
	uint8_t owners[TD_NR_COUNTERS];
	int nr;
	uint32_t fixed; /* fixed counters that some event can use */
	int most;       /* maximum of general counters in use; 0: no limit */
	struct {
		enum td_register reg;
		uint64_t value;
	} registers[TD_NR_REGISTERS];
	int nr_registers;
};

/* Add an event.  Returns false, with *fit unchanged, if no counter is left. */
bool td_fit_add(struct td_fit *fit, const struct td_claim *claim);

/*
 * Can the counters hold a group?  An unknown core is assumed to have the counters that all
 * cores have.
 */
bool td_plan_group_fits(const struct td_plan *plan, const struct td_machine *machine, size_t group);

/*
 * Would the group only fit if the NMI watchdog, which is running, were off?  The kernel accepts
 * such a group but never counts it.
 */
bool td_plan_needs_watchdogs_counter(const struct td_plan *plan, const struct td_machine *machine,
				     size_t group);

/* Fill in td_group.at_once.  The groups must be final. */
void td_plan_fill_at_once(struct td_plan *plan, const struct td_machine *machine);
/*
 * Lower td_group.at_once of plan for the groups of sampled, which are multiplexed with plan's
 * groups on the same tasks, unless a pinned group measures the time.
 */
void td_plan_share_turns(struct td_plan *plan, const struct td_plan *sampled,
			 const struct td_machine *machine);
/*
 * Set shares, one for each group, to the part of the time in which the kernel will count it:
 * 1 for always, 0 if it never fits.
 */
void td_plan_shares(const struct td_plan *plan, const struct td_machine *machine, double *shares);

/*
 * --no-multiplex: the groups of a plan are split into sets that fit the counters, and each
 * run of the command counts one set of each PMU.
 */

/* Returns the number of runs that td_plan_make_sets() would need. */
unsigned int td_plan_count_sets(const struct td_plan *plan, const struct td_machine *machine);
/*
 * Fill in td_group.set and plan->nr_sets.  If there are several sets, each also counts
 * instructions, to check that the runs did the same work.  This event has is_work, and is hidden
 * unless it was requested.
 */
int td_plan_make_sets(struct td_plan *plan, const struct td_machine *machine, struct td_err *err);
/* Does the run (from 0) count the group? */
bool td_plan_run_counts(const struct td_plan *plan, const struct td_group *group, unsigned int run);

/* Park the groups that the run (from 0) does not count. */
void td_plan_select_set(struct td_plan *plan, unsigned int run);
/* Return the parked groups to plan->groups. */
void td_plan_restore_groups(struct td_plan *plan);

#define TD_NO_COUNTER_LEFT "no counter is left"

/*
 * Join all groups of a PMU into one, so that nothing is multiplexed.  Events for which no
 * counter is left are refused with TD_NO_COUNTER_LEFT.  Pure.
 */
void td_plan_join(struct td_plan *plan, const struct td_machine *machine);
