/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "cmd/calls/pairing.h"
#include "cmd/calls/traced_calls.h"
#include "cmd/calls/uprobes.h"
#include "cmd/plan/job.h"
#include "cmd/sample/parts.h"
#include "cmd/sample/result.h"
#include "lib/count/batched.h"
#include "lib/count/regions.h"
#include "lib/sample/sampler.h"
#include "lib/sample/symbols.h"

/* The cost of probes per call.  Without these arrays, it is 0. */
struct td_call_cost {
	double *values;        /* counts, for each of the plan's events */
	uint64_t *times_ns;    /* the part within the call, for each group that it may end on */
	uint64_t pair_ns;      /* the total time; 0: unknown */
	uint64_t variation_ns; /* 95 % of calls cost at most this much more than times_ns */
	uint64_t off_ns;       /* the total time while the probes are off */
};

/* Zero it, except for the first members. */
struct td_call_counts {
	const struct td_plan *plan;
	bool times_only;                         /* the plan's events are not counted */
	bool interrupts;                         /* interrupts are counted */
	const struct td_call_cost *const *costs; /* subtracted, one for each function; or NULL */
	uint64_t wall_ns;                        /* CLOCK_REALTIME minus CLOCK_MONOTONIC */
	struct td_call_bucket *v;                /* TD_REGION_BUCKETS for each function */
	size_t nr;                               /* functions */
};

/* Adds a call to its bucket, and to its function's durations in timed, one for each function. */
void td_call_counts_add(struct td_call_counts *counts, struct td_timed *timed,
			const struct td_paired_call *call);
/*
 * Adds the buckets to regions, which contains the timed functions.  Use it once, after all calls
 * were added.
 */
void td_call_counts_to_regions(const struct td_call_counts *counts, struct td_regions *regions,
			       struct td_batched *batched);
void td_call_counts_free(struct td_call_counts *counts);

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
/* Returns the kind of the empty functions whose probes cost the same. */
int td_empty_kind(const struct td_entry_point *entry);
/*
 * Measures the cost of probes with calls of an empty function, on a CPU of each core type that
 * this process may use.  companions: as for a function, but with the empty function's probes.
 * If it cannot be measured, the cost is 0, and a note is added.
 */
int td_call_cost_measure(struct td_call_cost *cost, struct td_job *job,
			 const struct td_companion *companions, size_t nr, int kind,
			 struct td_err *err);

/* --- cost.c: the limit of the cost of probes -------------------------------- */

/* Time to the next check, if nothing is due. */
#define TD_LOOK_NS (2 * TD_NS_A_MS)
/* All records of a period have been read after this many readings of the rings. */
#define TD_READS 2

/*
 * Limits the cost of probes (--overhead).  If calls cost more, entry probes are disabled for a
 * random time, which is independent of the program.  Exit probes stay enabled until all open calls
 * have ended, because long calls would be missing otherwise.
 */
struct td_pace {
	/* Set by the caller: */
	struct td_gathering *gathering; /* its companions are the probes */
	struct td_pairing *pairing;
	size_t interrupts; /* first companion of interrupts, if there are any */
	size_t first;      /* first companion of functions: an entry and an exit each */

	/* State of the probes. */
	bool entries, exits; /* these probes are on */
	unsigned int reads;  /* readings of the rings since entry probes went off */
	uint64_t begun_ns;   /* start of the period with entry probes */
	uint64_t stopped_ns; /* end of that period */
	uint64_t next_ns;    /* time of the next check */
	uint64_t read_ns;    /* last reading of the rings */
	double cost_ns;      /* cost of all calls and interrupts so far */
	double off_cost_ns;  /* cost of the same calls if probes had been disabled */
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
 * Reports the cost of probes if it is high.  [0] of took_ns and calls is for counted calls, [1] for
 * calls while probes were disabled.  The cost of an interrupt is taken from cost.
 */
void td_probes_report_cost(const struct td_gathering *gathering, const struct td_call_cost *cost,
			   const double took_ns[2], const uint64_t calls[2], uint64_t interrupts);

/* Returns a random time between 0.5 and 1.5 times ns. */
uint64_t td_about_ns(double ns);

/* --- a run of tdstat calls ----------------------------------------------------- */

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
			int group;     /* index of the group in the plan; -1: none */
		} * cpus;
		size_t nr_cpus;
		/* process that the last address belongs to; 0: none */
		int pid;
		uint64_t start;                 /* address of the function in that process */
		const struct td_record *record; /* the record that is being decoded */
		uint64_t nr_gaps;               /* times that a ring was full */
	} traced;
	struct td_pace pace;
};

/* --- trace.c: --engine=pt ------------------------------------------------- */

/* Prepares to trace the functions.  Call td_calls_trace_free() on error as well. */
int td_calls_trace_open(struct td_calling *calling, struct td_err *err);
/* Prints the trace's event and filters. */
void td_calls_trace_show(const struct td_calling *calling);
/* Ends the last call of each thread. */
void td_calls_trace_end(struct td_calling *calling);
/* Reports lost data and calls. */
void td_calls_trace_report(const struct td_calling *calling);
void td_calls_trace_free(struct td_calling *calling);

/* --- within.c: locate --in FUNCTION --slower TIME -------------------------- */

/*
 * Selects samples in calls that took at least this long.  The duration of a call is only known when
 * it has ended.
 */
extern const struct td_sample_filter td_within_filter;
extern const struct td_option_group td_group_within;
