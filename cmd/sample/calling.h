/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_SAMPLE_CALLING_H
#define TD_CMD_SAMPLE_CALLING_H

#include "cmd/plan/job.h"
#include "cmd/regions/result.h"
#include "cmd/sample/parts.h"
#include "lib/sample/call_counts.h"
#include "lib/sample/probes.h"
#include "lib/sample/sampler.h"
#include "lib/sample/symbols.h"
#include "lib/sample/traced_calls.h"

/* --- calls_cost.c: what probes add to a call ------------------------------ */

/* Kinds of empty functions, whose calls cost what their probes do. */
enum {
	TD_EMPTY_PUSHES,
	TD_EMPTY_STEPPED, /* td_entry_point.stepped */
	TD_EMPTY_KERNEL,
	TD_NR_EMPTY,
};

/* To be probed: of tdstat itself, or of the kernel.  Free it even after an error. */
int td_empty_find(struct td_entry_point *entry, int kind, struct td_err *err);
/*
 * Calls the empty function, on a CPU of each kind that this process may use, to learn
 * what its probes add to a call.  companions: as those of a function, with its probes.
 * Where it cannot be learned, the costs are 0, and a note says so.
 */
int td_call_cost_measure(struct td_call_cost *cost, struct td_job *job,
			 const struct td_companion *companions, size_t nr,
			 int kind, struct td_err *err);

/* -------------------------------------------------------------------------- */

/*
 * The companions of each group; behind them stand the tracepoints of interrupts, then
 * the probes of each function.
 */
enum {
	TD_CALLING_FAULTS,
	TD_CALLING_SWITCHES,
	TD_CALLING_PROBES,
};

/* A run of tdstat calls by probes. */
struct td_calling {
	struct td_job job;
	struct td_functions functions;
	/* of the kinds that the functions may be of */
	struct td_entry_point empty[TD_NR_EMPTY];
	struct td_call_cost costs[TD_NR_EMPTY];
	const struct td_call_cost **cost_of; /* of each function */
	struct td_probes probes;
	struct td_probe interrupts[TD_NR_INTERRUPTS];
	size_t nr_interrupts; /* 0: they are unknown */
	struct td_companion *companions;
	struct td_gathering gathering;
	struct td_pairing pairing;
	struct td_call_counts counts;
	struct td_regions regions;
	struct td_batched batched;
	struct td_region_result result;
	/* --engine=pt (calls_trace.c) */
	struct {
		struct td_traced_calls *calls; /* of each function */
		size_t turn;                   /* the one that is traced */
		bool rests;                    /* none is, for a moment */
		unsigned int reads;            /* of the rings, since then */
		uint64_t begun_ns, turn_ns;    /* all of it; this turn */
		uint64_t next_ns;              /* something is to be done */
		/* of each CPU, by its number */
		struct {
			struct td_trace trace;
			uint64_t next; /* offset of the next bytes */
			int group;     /* of the plan; -1: none */
		} * cpus;
		size_t nr_cpus;
		int pid; /* of the last address, 0: none, and its function */
		uint64_t start;
		const struct td_record *record; /* whose bytes are decoded */
		uint64_t nr_gaps; /* times that the trace had no room */
	} traced;
	/* Where calls cost too much, they are counted in stretches of time. */
	struct {
		bool entries, exits; /* these probes are on */
		unsigned int reads;  /* of the rings, since entries are off */
		uint64_t begun_ns, stopped_ns; /* entries */
		uint64_t next_ns;              /* something is to be done */
		uint64_t read_ns;              /* the rings, the last time */
		/* of all entries so far: what they cost, and had cost without */
		double cost_ns, off_cost_ns;
		double on_ns; /* of threads that called in all stretches */
		struct td_ints tids; /* those of this one */
	} pace;
};

/* --- calls_probes.c: opens the probes ------------------------------------- */

/*
 * The companions of each group: probes at the functions, and beginnings and ends of
 * interrupts.  Also measures what probes cost.  Notes tell why interrupts are unknown.
 */
int td_calls_open_probes(struct td_calling *calling, struct td_err *err);
/* The companion at the entry of a function; the one at its return is behind it. */
size_t td_calls_entry(const struct td_calling *calling, size_t function);
/* What the samples of a companion are of; of which function, else 0. */
enum td_probed td_calls_probed(const struct td_calling *calling,
			       size_t companion, size_t *function);

/* --- calls_pace.c: counts in stretches of time ---------------------------- */

/*
 * --overhead: if the calls of a stretch of time cost more than that, entries are not
 * probed for a while, whose length is random, so that it has nothing in common with
 * what the program does.  Returns are, until all calls of the stretch have ended: else
 * long calls would be missing.
 */

/* A call of a function has begun.  0 or -ENOMEM. */
int td_calls_note_entry(struct td_calling *calling, int tid, size_t function);
/* An interrupt of a thread has begun. */
void td_calls_note_interrupt(struct td_calling *calling, int tid);
/* Looks whether something is to be done.  ctx: the calling. */
int td_calls_pace(void *ctx, struct td_err *err);
/* At the end: tells the functions which share of the calls was counted. */
void td_calls_end_pace(struct td_calling *calling);
/* Says what the probes cost, if it is much, and how sure times are without. */
void td_calls_say_cost(const struct td_calling *calling);

/*
 * Several functions by Processor Trace: from the range of one to that of another nothing
 * is traced, so that calls of one by the other would not be known.  So each is traced
 * alone, for turns of random length, which have nothing in common with what the program
 * does.  Calls that are open at the end of a turn are given up.
 */

/* A turn, about. */
#define TD_TURN_MS 200

/* The calls of the function whose turn it is. */
struct td_traced_calls *td_calls_of_turn(struct td_calling *calling);
/* Sets the filter to that of the function whose turn it is. */
int td_calls_turn_filter(struct td_calling *calling, struct td_err *err);
/* Looks whether the next turn begins.  ctx: the calling, of one function, too. */
int td_calls_turn(void *ctx, struct td_err *err);
/* At the end: tells the functions for which share of the time they were traced. */
void td_calls_end_turns(struct td_calling *calling);

/* --- calls_trace.c: --engine=pt, begins and ends by Intel Processor Trace - */

/* Can the machine, and is libipt there? */
bool td_calls_trace_is_here(const struct td_calling *calling);
/* What to trace of the function that was found, and how.  Frees nothing on errors. */
int td_calls_trace_open(struct td_calling *calling, struct td_err *err);
/* Shows what would be traced. */
void td_calls_trace_show(const struct td_calling *calling);
/* Gives the calls that had not been known to end.  0 or -ENOMEM. */
int td_calls_trace_end(struct td_calling *calling);
/* What was lost. */
void td_calls_trace_say(const struct td_calling *calling);
void td_calls_trace_free(struct td_calling *calling);

/* --- calls_missed.c: says what was not counted ---------------------------- */

/* Calls of the function that were not counted, and why. */
void td_calls_say_unpaired(const struct td_calling *calling, size_t function);
/* Where it is better than probes: Processor Trace. */
void td_calls_say_trace(const struct td_calling *calling);

#endif
