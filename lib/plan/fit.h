/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_PLAN_FIT_H
#define TD_LIB_PLAN_FIT_H

#include "lib/machine/machine.h"
#include "lib/plan/plan.h"

/* bits of a mask: general ones from 0, fixed ones from 16 */
#define TD_NR_COUNTERS  32
#define TD_NR_REGISTERS 6 /* extra registers, for the config1 of events */
#define TD_FIXED(n)     (UINT32_C(1) << (16 + (n)))
#define TD_FIXED_ALL    UINT32_C(0xffff0000)

/* The counters and registers of a core that an event can use. */
struct td_claim {
	uint32_t mask; /* any one of these counters; 0 if it needs none */
	enum td_register reg;
	uint64_t value; /* value that reg must hold */
	int most; /* limit of general counters in use with it; 0: no limit */
};

struct td_claim td_claim_of(const struct td_machine *machine,
			    const struct td_event *event);

/* Events that a core can count at the same time.  A zeroed struct is empty. */
struct td_fit {
	/* the counters that each event can use */
	uint32_t masks[TD_NR_COUNTERS];
	/* by counter: 1 + its event; 0 if it is free */
	uint8_t owners[TD_NR_COUNTERS];
	int nr;
	uint32_t fixed; /* fixed counters that some event can use */
	int most;       /* limit of general counters; 0: no limit */
	struct {
		enum td_register reg;
		uint64_t value;
	} registers[TD_NR_REGISTERS];
	int nr_registers;
};

/*
 * Adds an event.  Returns false if no counter is left; *fit is unchanged then.
 */
bool td_fit_add(struct td_fit *fit, const struct td_claim *claim);

/*
 * True if the counters can hold a group; an unknown core is taken to have the
 * counters that all cores have.
 */
bool td_plan_group_fits(const struct td_plan *plan,
			const struct td_machine *machine, size_t group);

/*
 * True if the group fits only without the NMI watchdog, which runs.  The kernel
 * accepts such a group and never counts it.
 */
bool td_plan_needs_watchdogs_counter(const struct td_plan *plan,
				     const struct td_machine *machine,
				     size_t group);

/* The groups of a PMU that count at the same time; zeroed, there are none. */
struct td_concurrent {
	struct td_fit fit;
	size_t nr;
	bool closed; /* an exclusive group lets no other join */
};

/* Adds a group.  Returns false if it does not fit; *concurrent is unchanged. */
bool td_concurrent_add(struct td_concurrent *concurrent,
		       const struct td_plan *plan,
		       const struct td_machine *machine,
		       const struct td_group *group);
/* The pinned groups of a PMU, which count all the time. */
struct td_concurrent td_concurrent_pinned(const struct td_plan *plan,
					  const struct td_machine *machine,
					  int pmu);

/* Fills in td_group.at_once; call it when the groups are final. */
void td_plan_fill_at_once(struct td_plan *plan,
			  const struct td_machine *machine);
/*
 * The groups that are sampled for the same tasks take turns with those of plan, which
 * so have less time: lowers td_group.at_once, but where a pinned group tells the time.
 */
void td_plan_share_turns(struct td_plan *plan, const struct td_plan *sampled,
			 const struct td_machine *machine);
/*
 * Sets shares, one for each group, to the part of the time in which the kernel
 * will count it: 1 if it is always.  0 if it never fits.
 */
void td_plan_shares(const struct td_plan *plan,
		    const struct td_machine *machine, double *shares);

#endif
