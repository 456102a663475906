/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_CALLS_PACE_H
#define TD_CMD_CALLS_PACE_H

#include "cmd/calls/call_counts.h"
#include "cmd/sample/parts.h"

/* Time to the next check, if nothing is due. */
#define TD_LOOK_NS (2 * TD_NS_A_MS)
/* All records of a period have been read after this many readings of the rings. */
#define TD_READS 2

/*
 * Limits the cost of probes (--overhead): if calls cost more, entry probes are switched off for a
 * random time, which is independent of the program.  Exit probes stay on until all open calls
 * have ended, because long calls would be missing otherwise.
 */
struct td_pace {
	/* Set by the caller: */
	struct td_gathering *gathering; /* its companions are the probes */
	struct td_pairing *pairing;
	size_t interrupts; /* first companion of interrupts, if there are any */
	size_t first;      /* first companion of functions: an entry and an exit each */

	/* State: */
	bool entries, exits; /* these probes are on */
	unsigned int reads;  /* readings of the rings since entry probes went off */
	uint64_t begun_ns;   /* start of the period with entry probes */
	uint64_t stopped_ns; /* end of that period */
	uint64_t next_ns;    /* time of the next check */
	uint64_t read_ns;    /* last reading of the rings */
	double cost_ns;      /* cost of all calls and interrupts so far */
	double off_cost_ns;  /* cost of the same calls if probes had been off */
	double on_ns;        /* sum over periods: duration times threads with calls */
	struct td_ints tids; /* threads with calls in this period; to be freed */
};

/* Adds the cost of a call that has begun. */
void td_pace_entry(struct td_pace *pace, int tid, const struct td_call_cost *cost);
/* Adds the cost of an interrupt, unless its thread has no calls in this period. */
void td_pace_interrupt(struct td_pace *pace, int tid, const struct td_call_cost *cost);
/* Switches probes on and off.  Call it after each reading of the rings. */
int td_pace(struct td_pace *pace, struct td_err *err);

/*
 * Reports the cost of probes if it is high.  took_ns, calls: [0] calls that were counted, [1] calls
 * while probes were off.  The cost of an interrupt is taken from cost.
 */
void td_probes_report_cost(const struct td_gathering *gathering, const struct td_call_cost *cost,
			   const double took_ns[2], const uint64_t calls[2], uint64_t interrupts);

/* Returns a random time between 0.5 and 1.5 times ns. */
uint64_t td_about_ns(double ns);

#endif
