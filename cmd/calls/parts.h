/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_CALLS_PARTS_H
#define TD_CMD_CALLS_PARTS_H

#include "cmd/calls/call_counts.h"
#include "cmd/calls/pace.h"
#include "cmd/calls/traced_calls.h"
#include "cmd/calls/uprobes.h"
#include "cmd/plan/job.h"
#include "cmd/sample/parts.h"
#include "cmd/sample/result.h"
#include "lib/sample/sampler.h"
#include "lib/sample/symbols.h"

struct td_doctor;
struct td_system;

/* --- functions.c: functions by their names -------------------------------- */

/* The functions whose calls are counted. */
struct td_functions {
	struct td_entry_point *v;
	size_t nr;
};

/*
 * Finds functions by their names, "parse,scan@libx.so", in the file of the command or process.
 * Call td_functions_free() on error as well.
 */
int td_functions_find(struct td_functions *functions, struct td_job *job, const char *names,
		      struct td_err *err);
/*
 * Checks whether this kernel can probe the functions.  format: the format of other samples.
 * Returns an error of td_probes_check(), or -ENOTSUP.
 */
int td_functions_check(const struct td_functions *functions, const struct td_job *job,
		       const struct td_record_format *format, struct td_err *err);
void td_functions_free(struct td_functions *functions);

/* --- cost.c: cost of probes ----------------------------------------------- */

/* Kinds of empty functions, whose calls only cost their probes. */
enum {
	TD_EMPTY_PUSHES,
	TD_EMPTY_STEPPED, /* td_entry_point.stepped */
	TD_EMPTY_KERNEL,
	TD_NR_EMPTY,
};

/* Finds an empty function of tdstat or of the kernel.  Call td_entry_free() on error as well. */
int td_empty_find(struct td_entry_point *entry, int kind, struct td_err *err);
/* Returns the kind of empty functions with the same cost. */
int td_empty_kind(const struct td_entry_point *entry);
/*
 * Measures the cost of probes with calls of an empty function, on a CPU of each core type that
 * this process may use.  companions: as for a function, but with the empty function's probes.
 * If it cannot be measured, the cost is 0, and a note is added.
 */
int td_call_cost_measure(struct td_call_cost *cost, struct td_job *job,
			 const struct td_companion *companions, size_t nr, int kind,
			 struct td_err *err);

/* -------------------------------------------------------------------------- */

/* Companions of each group.  Tracepoints of interrupts and probes of functions follow. */
enum {
	TD_CALLING_FAULTS,
	TD_CALLING_SWITCHES,
	TD_CALLING_PROBES,
};

/* A run of tdstat calls, using probes or Processor Trace. */
struct td_calling {
	struct td_job job;
	struct td_functions functions;
	struct td_entry_point empty[TD_NR_EMPTY]; /* one function of each kind */
	struct td_call_cost costs[TD_NR_EMPTY];
	const struct td_call_cost **cost_of; /* cost for each function */
	struct td_probes probes;
	struct td_probe interrupts[TD_NR_INTERRUPTS];
	size_t nr_interrupts; /* 0: they are not counted */
	struct td_companion *companions;
	struct td_gathering gathering;
	struct td_pairing pairing;
	struct td_call_counts counts;
	struct td_regions regions;
	struct td_batched batched;
	struct td_region_result result;
	/* --engine=pt (trace.c) */
	struct {
		struct td_traced_calls *calls; /* one for each function */
		size_t turn;                   /* the function that is traced */
		bool paused;                   /* between two turns */
		unsigned int reads;            /* readings of the rings since the pause began */
		uint64_t begun_ns;             /* start of the first turn */
		uint64_t turn_ns;              /* start of this turn */
		uint64_t next_ns;              /* time of the next check */
		/* one for each CPU number */
		struct {
			struct td_trace trace;
			uint64_t next; /* offset of the next bytes */
			int group;     /* group of the plan; -1: none */
		} * cpus;
		size_t nr_cpus;
		int pid;                        /* process of the last address; 0: none */
		uint64_t start;                 /* address of the function in that process */
		const struct td_record *record; /* the record that is being decoded */
		uint64_t nr_gaps;               /* times that a ring was full */
	} traced;
	struct td_pace pace;
};

/* --- probes.c ------------------------------------------------------------- */

/*
 * Defines the probes of the functions, sets the companions of each group, and measures the cost of
 * probes.  Adds a note if interrupts cannot be counted.
 */
int td_calls_open_probes(struct td_calling *calling, struct td_err *err);
/* Sets the companions of a probe: entry and exit. */
void td_probe_companions(struct td_companion at[2], const struct td_probe *probe);
/* Returns the companion at the entry of a function.  The one at its exit follows. */
size_t td_calls_entry(const struct td_calling *calling, size_t function);
/* Returns the kind of a companion's samples.  Sets *function, to 0 if there is none. */
enum td_probed td_calls_probed(const struct td_calling *calling, size_t companion,
			       size_t *function);

/* --- trace.c: --engine=pt ------------------------------------------------- */

/* Returns true if this machine can trace calls, and libipt is installed. */
bool td_calls_trace_is_here(const struct td_calling *calling);
/* Prepares to trace the functions.  Call td_calls_trace_free() on error as well. */
int td_calls_trace_open(struct td_calling *calling, struct td_err *err);
/* Prints the trace's event and filters. */
void td_calls_trace_show(const struct td_calling *calling);
/* Ends the last call of each thread. */
void td_calls_trace_end(struct td_calling *calling);
/* Reports what was lost. */
void td_calls_trace_report(const struct td_calling *calling);
void td_calls_trace_free(struct td_calling *calling);

/* --- within.c: locate --in FUNCTION --slower TIME -------------------------- */

/* Selects samples in calls that took at least this long, which is only known when the call has
 * ended. */
extern const struct td_sample_filter td_within_filter;
extern const struct td_option_group td_group_within;

#endif
