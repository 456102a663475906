/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "cmd/calls/decode.h"
#include "cmd/calls/pairing.h"

/*
 * Makes calls from the trace of a function's address range.  No I/O.
 *
 * The range is entered at the start of the function, or where it continues after calling another
 * function or the kernel.  Leaving the range may be a return or a call, which only becomes known
 * later: if the range is next entered at its start, the call had ended when the range was left.
 * The last call of a thread has ended, unless it left the range for a known callee: a function
 * from which any thread has returned.
 */

/* The maximum number of sampled events. */
#define TD_TRACED_EVENTS 24

/* Zero it, except for the first members. */
struct td_traced_calls {
	const struct td_plan *plan; /* events are sums of samples; groups have no time */
	/* called for each call; the sums of a call are only valid until this function returns */
	void (*call_ended)(void *ctx, const struct td_paired_call *call);
	void *ctx;
	int function;      /* td_paired_call.function */
	uint64_t until_ns; /* calls that end later are dropped; 0: none */

	struct td_unpaired unpaired; /* recursive calls are unknown */
	struct td_traced_thread {
		int tid, cpu;
		int left_cpu;     /* where the range was last left */
		bool open;        /* a call is open */
		bool lost;        /* a part of the open call was lost */
		bool out;         /* outside of the range, and not in the kernel */
		bool interrupted; /* in the kernel, which will return to left_to */
		bool stray;       /* in a call that began before tracing */
		uint64_t start_ns, left_ns, left_to;
		uint64_t no_cpu_ns; /* when the thread lost its CPU; 0: it has one */
		bool preempted;
		/* faults, switches and samples since the call began */
		struct td_happened {
			uint64_t from_ns, until_ns, faults, switches, migrations;
			uint64_t waited_ns, preempted_ns, events[TD_TRACED_EVENTS];
		} * happened;
		size_t nr_happened;
		/* the plan's events: the last sample on each CPU */
		struct td_event_count {
			int cpu, event;
			uint64_t value;
			bool lost; /* later samples may be lost */
		} * counted;
		size_t nr_counted;
	} * threads;
	size_t nr_threads;
	struct td_index by_tid;
	struct td_index callees; /* addresses from which threads have returned */
	size_t nr_callees;
	uint64_t lost_ns; /* calls that begin earlier are incomplete */
	uint64_t from_ns; /* start of the turn: calls that begin earlier are dropped */
	bool paused;      /* another function is traced: samples belong to no call */
	uint64_t *sums;
};

/*
 * Handles one of the TD_TRACE_ kinds, with a record's thread, CPU, address and time (0: unknown).
 * begins: the address is the start of the function.
 */
void td_traced_calls_boundary(struct td_traced_calls *calls, const struct td_record *record,
			      int what, bool begins);
/* Handles a record of a thread that loses its CPU, or gets one. */
void td_traced_calls_switch(struct td_traced_calls *calls, const struct td_record *record);
void td_traced_calls_fault(struct td_traced_calls *calls, const struct td_record *record);
/*
 * Handles a sample of one of the plan's events.  All events since the previous sample are assigned
 * to its time, so that a late sample loses none.  A paused function also needs samples, because its
 * events are still counted.  The first sample of a turn may include events of the pause before it,
 * and the first sample of a pause may include events of the turn; the two cancel out over many
 * calls.
 */
void td_traced_calls_sample(struct td_traced_calls *calls, const struct td_record *record,
			    int event);
/* Notes that the trace of the record's thread is complete up to the record's time. */
void td_traced_calls_settle(struct td_traced_calls *calls, const struct td_record *record);
/* Notes that all traces are incomplete up to this time, also while paused. */
void td_traced_calls_lose(struct td_traced_calls *calls, uint64_t until_ns);
/*
 * Begins a turn at this time, or a pause if it is 0.  Drops open calls, and calls that begin
 * earlier, because tracing may start later on some CPUs.
 */
void td_traced_calls_turn(struct td_traced_calls *calls, uint64_t from_ns);
/* Ends the calls of a thread that became another program. */
void td_traced_calls_exec(struct td_traced_calls *calls, int tid);
void td_traced_calls_end_thread(struct td_traced_calls *calls, int tid);
/* Ends the last call of each thread, because counting has ended. */
void td_traced_calls_end(struct td_traced_calls *calls);
void td_traced_calls_free(struct td_traced_calls *calls);
