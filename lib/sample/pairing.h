/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_SAMPLE_PAIRING_H
#define TD_LIB_SAMPLE_PAIRING_H

#include "lib/base/index.h"
#include "lib/plan/plan.h"
#include "lib/sample/record.h"

/*
 * Makes calls of what probes tell of threads.  Pure.
 *
 * Each CPU has counters of its own for a thread.  A sample of a thread has the counts
 * of those of its CPU; as it is sampled when it loses a CPU, too, nothing that it did
 * is missing from the sum over its CPUs.
 *
 * A call begins and ends with the same stack pointer, at the return address.  What lies
 * below it by then was left without a return: by longjmp() or an exception.
 *
 * What is counted in an interrupt is the interrupt's, and no call's that it came in.
 */

/* What a sample is of. */
enum td_probed {
	TD_PROBED_ENTRY,
	TD_PROBED_EXIT,
	TD_PROBED_SWITCH,        /* the thread loses its CPU */
	TD_PROBED_INTERRUPT,     /* one begins on the thread's CPU */
	TD_PROBED_INTERRUPT_END, /* the last one that has begun ends */
};

/* What is summed up besides the plan's events; behind it the time of each group. */
enum {
	TD_CALL_FAULTS,   /* of pages */
	TD_CALL_SWITCHES, /* the thread lost its CPU */
	TD_CALL_MIGRATIONS,
	TD_CALL_WAITED_NS,    /* without a CPU */
	TD_CALL_PREEMPTED_NS, /* of it, although it could have run */
	/* with a CPU that was in interrupts, of which nothing else is in the sums */
	TD_CALL_INTERRUPTED_NS,
	TD_CALL_GROUPS, /* ns that each group of the plan counted */
};

/* A call that has ended. */
struct td_paired_call {
	int function;
	int tid, cpu; /* where it ended */
	int group;    /* of the plan, that counted there */
	uint64_t start_ns, time_ns;
	/* of the plan's events, then TD_CALL_FAULTS and on */
	const uint64_t *sums;
};

/* Calls that are no numbers. */
struct td_unpaired {
	uint64_t recursive; /* within a call of the same function */
	uint64_t left;      /* had no return */
	uint64_t before; /* returns of calls that began before the counting */
	uint64_t lost;   /* records of theirs were lost */
	uint64_t open;   /* had not ended with their thread, or the counting */
};

/* A zeroed struct with the members of the first part has no threads. */
struct td_pairing {
	const struct td_plan *plan;
	size_t nr_functions;
	/*
	 * Functions of the kernel: their stack is not known, but all calls return, and
	 * the last one of a function first.
	 */
	bool kernel;
	/* Returns 0 or an error, which is handed on.  sums are the pairing's. */
	int (*take)(void *ctx, const struct td_paired_call *call);
	void *ctx;

	struct td_unpaired *unpaired; /* one for each function */
	struct td_pairing_thread *threads;
	size_t nr_threads;
	struct td_index by_tid;
	bool gaps; /* entries are off at times: returns without are no news */
	uint64_t nr_losses;     /* times that records were lost */
	uint64_t nr_interrupts; /* that began */
	uint64_t *sums;         /* of a call that ends */
};

/* How many sums a call has. */
size_t td_pairing_nr_sums(const struct td_plan *plan);
/*
 * A sample of a group: its values are those of its members, then faults and switches.
 * All of these return 0, -ENOMEM, or what take() returned.
 */
int td_pairing_sample(struct td_pairing *pairing,
		      const struct td_record *record, int group,
		      enum td_probed what, int function);
int td_pairing_switch(struct td_pairing *pairing,
		      const struct td_record *record);
/* Records were lost: what any thread has done meanwhile is not known. */
void td_pairing_lost(struct td_pairing *pairing);
/* Is a call of the thread open? */
bool td_pairing_is_in(const struct td_pairing *pairing, int tid);
/* Calls that have begun and not ended. */
size_t td_pairing_nr_open(const struct td_pairing *pairing);
/* Probes are off for a while: calls that are open will never end. */
void td_pairing_gap(struct td_pairing *pairing);
/* The thread became another program: its counts go on. */
void td_pairing_exec(struct td_pairing *pairing, int tid);
void td_pairing_end_thread(struct td_pairing *pairing, int tid);
/* The counting has ended. */
void td_pairing_end(struct td_pairing *pairing);
void td_pairing_free(struct td_pairing *pairing);

#endif
