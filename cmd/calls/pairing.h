/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "lib/plan/plan.h"
#include "lib/sample/record.h"

/*
 * Pairs entry and exit probes of each thread into calls.  No I/O.
 *
 * Each CPU has its own counters for a thread, and a sample contains those of its CPU.  A thread
 * is also sampled when it loses a CPU, so the sum over its CPUs is complete.
 *
 * A call begins and ends with the same stack pointer, at the return address.  Open calls further
 * down the stack have ended without returning, through longjmp() or an exception.
 *
 * Counts during an interrupt belong to the interrupt, not to the interrupted calls.
 */

/* Kind of probe that produced a sample. */
enum td_probed {
	TD_PROBED_ENTRY,
	TD_PROBED_EXIT,
	TD_PROBED_SWITCH,        /* the thread loses its CPU */
	TD_PROBED_INTERRUPT,     /* an interrupt of the thread begins */
	TD_PROBED_INTERRUPT_END, /* the thread's innermost interrupt ends */
};

/* Further sums of a call, which follow those of the plan's events. */
enum {
	TD_CALL_FAULTS,   /* page faults */
	TD_CALL_SWITCHES, /* times that the thread lost its CPU */
	TD_CALL_MIGRATIONS,
	TD_CALL_WAITED_NS,      /* time without a CPU */
	TD_CALL_PREEMPTED_NS,   /* the part of the waiting time in which the thread was runnable */
	TD_CALL_INTERRUPTED_NS, /* time in interrupts, which is not in the other sums */
	TD_CALL_GROUPS,         /* the time that each group of the plan has counted */
};

/* A call that has ended. */
struct td_paired_call {
	int function;
	int tid, cpu; /* where it ended */
	int group;    /* the group of the plan that counts on this CPU */
	uint64_t start_ns, time_ns;
	const uint64_t *sums; /* sums of the plan's events, then of the enum above */
};

/* Calls that were not measured, by reason. */
struct td_unpaired {
	uint64_t recursive; /* within a call of the same function */
	uint64_t left;      /* ended without a return */
	uint64_t before;    /* began before counting: only the return was seen */
	uint64_t lost;      /* some of their records were lost */
	uint64_t open;      /* still open when their thread or the counting ended */
};

/* Zero it, except for the first members. */
struct td_pairing {
	const struct td_plan *plan;
	size_t nr_functions;
	/*
	 * functions of the kernel: their stack is unknown, but all calls return, the innermost
	 * call of a function first
	 */
	bool kernel;
	/* gets a call, whose sums are only valid until it returns */
	void (*call_ended)(void *ctx, const struct td_paired_call *call);
	void *ctx;

	struct td_unpaired *unpaired; /* one for each function */
	struct td_pairing_thread *threads;
	size_t nr_threads;
	struct td_index by_tid;
	bool gaps;              /* entry probes are sometimes off: returns may have no entry */
	uint64_t nr_losses;     /* times that records were lost */
	uint64_t nr_interrupts; /* interrupts that have begun */
	uint64_t *sums;         /* sums of the call that is ending */
};

/* Returns the number of sums of a call. */
size_t td_pairing_nr_sums(const struct td_plan *plan);
/* Takes a sample of a group.  Its values are the counts of members, then faults and switches. */
void td_pairing_sample(struct td_pairing *pairing, const struct td_record *record, int group,
		       enum td_probed what, int function);
/*
 * Takes another record.  If records were lost, the open calls of all threads are incomplete.  A
 * thread that becomes another program gives up its open calls, and its counts continue.
 */
void td_pairing_record(struct td_pairing *pairing, const struct td_record *record);
/* Returns true if a call of the thread is open. */
bool td_pairing_is_in(const struct td_pairing *pairing, int tid);
/* Returns the number of open calls. */
size_t td_pairing_nr_open(const struct td_pairing *pairing);
/* Gives up open calls, because probes are switched off. */
void td_pairing_gap(struct td_pairing *pairing);
/* Gives up open calls, because counting has ended. */
void td_pairing_end(struct td_pairing *pairing);
void td_pairing_free(struct td_pairing *pairing);
