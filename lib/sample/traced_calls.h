/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_SAMPLE_TRACED_CALLS_H
#define TD_LIB_SAMPLE_TRACED_CALLS_H

#include "lib/sample/pairing.h"
#include "lib/sample/trace.h"

/*
 * Makes calls of what threads do at the range of a function, which Processor Trace
 * tells.  Pure.
 *
 * The range is entered where the function begins, or where it goes on after another
 * function or the kernel.  Nothing tells a return from a call, but what comes next: a
 * call has ended where the range was left last, if it is entered at the beginning then.
 * The last call of a thread has ended if where it went to is no function that it ever
 * came back from.
 */

/* The most events of the plan that are sampled. */
#define TD_TRACED_EVENTS 24

/* A zeroed struct with the members of the first part has no threads. */
struct td_traced_calls {
	/* its events have sums of their samples, groups no time */
	const struct td_plan *plan;
	/* Returns 0 or an error, which is handed on.  sums are of td_traced_calls. */
	int (*take)(void *ctx, const struct td_paired_call *call);
	void *ctx;
	int function;      /* of td_paired_call */
	uint64_t until_ns; /* calls that end later are given up; 0: none */

	/* recursive: unknown */
	struct td_unpaired unpaired;
	struct td_traced_thread {
		int tid, cpu;
		int left_cpu;     /* where the range was left last */
		bool open;        /* a call is */
		bool lost;        /* a part of it is */
		bool out;         /* of the range, but for the kernel: */
		bool interrupted; /* it goes on at the address */
		bool stray;       /* in a call that had begun before */
		uint64_t start_ns;
		uint64_t left_ns, left_to;
		uint64_t no_cpu_ns; /* since when; 0: it has one */
		bool preempted;
		/* what else happens, since the call began */
		struct {
			uint64_t from_ns, until_ns;
			uint64_t faults, switches, migrations;
			uint64_t waited_ns, preempted_ns;
			uint64_t events[TD_TRACED_EVENTS];
		} * happened;
		size_t nr_happened;
		/* the plan's events, by the last sample on each CPU */
		struct {
			int cpu, event;
			uint64_t value;
			bool lost; /* samples behind it may be */
		} * counted;
		size_t nr_counted;
	} * threads;
	size_t nr_threads;
	struct td_index by_tid;
	struct td_index callees; /* addresses that threads came back from */
	size_t nr_callees;
	uint64_t lost_ns; /* calls that begin before are not known to the end */
	uint64_t from_ns; /* those that begin before are of no turn */
	bool rests; /* the function has no turn: samples are of none of its calls */
	uint64_t *sums;
};

/*
 * One of the TD_TRACE_ kinds, of a record's thread, CPU, address and time (0:
 * unknown).  begins: the function does at the address.  All of these return 0,
 * -ENOMEM, or what take() returned.
 */
int td_traced_calls_take(struct td_traced_calls *calls,
			 const struct td_record *record, int what, bool begins);
/* A thread loses its CPU, or gets one. */
int td_traced_calls_switch(struct td_traced_calls *calls,
			   const struct td_record *record);
int td_traced_calls_fault(struct td_traced_calls *calls,
			  const struct td_record *record);
/*
 * A sample of one of the plan's events, with its count, as if all of that since the
 * sample before had happened in this moment: so none is missing if one comes late.
 * Of a function that rests, too: its events count on.  The first sample of a turn may
 * be of some of the rest, as the one behind its end is of some of the turn: over many
 * calls that evens out.
 */
int td_traced_calls_sample(struct td_traced_calls *calls,
			   const struct td_record *record, int event);
/* All that the record's thread did up to its time has been told. */
void td_traced_calls_settle(struct td_traced_calls *calls,
			    const struct td_record *record);
/* Nobody knows what any thread did up to this time, in turns and at rest. */
void td_traced_calls_lose(struct td_traced_calls *calls, uint64_t until_ns);
/*
 * A turn begins at this time, before which some was not told: calls that are open, and
 * those that begin before, are given up.  0: a rest begins.
 */
void td_traced_calls_turn(struct td_traced_calls *calls, uint64_t from_ns);
/* The thread became another program. */
int td_traced_calls_exec(struct td_traced_calls *calls, int tid);
int td_traced_calls_end_thread(struct td_traced_calls *calls, int tid);
/* The counting has ended. */
int td_traced_calls_end(struct td_traced_calls *calls);
void td_traced_calls_free(struct td_traced_calls *calls);

#endif
