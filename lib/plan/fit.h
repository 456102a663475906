/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_PLAN_FIT_H
#define TD_LIB_PLAN_FIT_H

#include "lib/machine/machine.h"
#include "lib/plan/plan.h"

#define TD_NR_COUNTERS  32 /* general ones below 16, fixed ones from 16 on */
#define TD_NR_REGISTERS 6  /* for the config1 of events */
#define TD_FIXED(n)     (UINT32_C(1) << (16 + (n)))

/* What an event takes of its core. */
struct td_claim {
	uint32_t mask; /* counters, one of which it needs; 0: it needs none */
	enum td_register reg;
	uint64_t value; /* that reg must hold */
	int most; /* general counters in use beside it, and its own; 0: all */
};

struct td_claim td_claim_of(const struct td_machine *machine,
			    const struct td_event *event);

/* Events that a core's counters can count at once; begins as { 0 }. */
struct td_fit {
	uint32_t masks[TD_NR_COUNTERS]; /* one an event: its counters */
	uint8_t owners[TD_NR_COUNTERS]; /* 1 + the event that has it; 0: none */
	int nr;
	uint32_t fixed; /* fixed counters that some of them can have */
	int most;       /* general ones; 0: all */
	struct {
		enum td_register reg;
		uint64_t value;
	} registers[TD_NR_REGISTERS];
	int nr_registers;
};

/* One more; false: there is no counter left for it, and fit is as before. */
bool td_fit_add(struct td_fit *fit, const struct td_claim *claim);

/* As far as is known: of unknown cores, with what all of them have. */
bool td_plan_group_fits(const struct td_plan *plan,
			const struct td_machine *machine, size_t group);

/*
 * Would its core hold the group if the NMI watchdog had no counter, and does not
 * now?  The kernel accepts such a group and never counts it.
 */
bool td_plan_needs_watchdogs_counter(const struct td_plan *plan,
				     const struct td_machine *machine,
				     size_t group);

/* Fills in td_group.at_once, once the groups are final. */
void td_plan_fill_at_once(struct td_plan *plan,
			  const struct td_machine *machine);

#endif
