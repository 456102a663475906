/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_SAMPLE_CALLING_H
#define TD_CMD_SAMPLE_CALLING_H

#include "cmd/regions/result.h"
#include "cmd/sample/calls_cost.h"
#include "cmd/sample/functions.h"
#include "cmd/sample/gathering.h"
#include "lib/sample/call_counts.h"
#include "lib/sample/probes.h"
#include "lib/sample/traced_calls.h"

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
	/* --engine=pt (calls_trace.h) */
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

#endif
