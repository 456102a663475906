/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmd/sample: samples programs, and finds the functions of the samples.
 *
 * In: a job with a plan of events (cmd/plan), and how to sample each.
 * Out: resolved locations.  locate.c sums up the samples, profile.c uses the counts between them.
 */
#pragma once

#include "cmd/plan/job.h"
#include "cmd/request.h"
#include "cmd/run/engine.h"
#include "cmd/run/parts.h"
#include "cmd/run/progress.h"
#include "cmd/run/recorder.h"
#include "cmd/run/signals.h"
#include "cmd/sample/where.h"
#include "cmd/session.h"
#include "cmd/view/sink.h"
#include "lib/sample/hits.h"
#include "lib/sample/record.h"
#include "lib/sample/sampler.h"
#include "lib/sample/samples.h"
#include "lib/sample/spaces.h"
#include "lib/sample/symbols.h"
#include "lib/sample/unwind.h"

/* The default of kernel.perf_event_max_stack. */
#define TD_MAX_FRAMES 127

/* A run with samples. */
struct td_gathering {
	/* Set by the caller, which owns them: */
	struct td_job *job;
	struct td_sampling *how; /* one for each event of the plan */
	struct td_record_format format;
	/*
	 * samples of companions have no location; with companions, take() also gets ends of threads and
	 * execs
	 */
	const struct td_companion *companions;
	size_t nr_companions;
	int max_pages; /* per ring; 0: the default */
	bool switches; /* take() also gets records of TD_RECORD_SWITCH */
	/* td_sampler_setup.trace, instead of the plan's events */
	struct {
		uint32_t type;
		uint64_t config;
		char *filter;
		int max_pages;
	} trace;
	bool lines;          /* resolve source lines */
	const char *node;    /* the sampled node, for --samples; or NULL */
	uint64_t longest_ns; /* for --samples: td_windows.longest_ns */
	td_take_sample *take;
	/* called after each reading of the rings; may be NULL */
	int (*serve)(void *ctx, struct td_err *err);
	void *ctx;

	/* state and results */
	struct td_sampler *sampler;
	struct td_sampled_cpus cpus;
	bool hides_kernel; /* the kernel hides its addresses from this user */
	struct td_locations locations;
	/* locations of the last sample and of its callers, the innermost first; -1: unknown */
	struct {
		int v[TD_MAX_FRAMES + 2];
		size_t nr;
	} chain;
	struct td_spaces *spaces;
	struct td_unwinder *unwinder; /* only with format.copied, else NULL */
	size_t nr_branches;           /* branch records that a processor keeps; 0: unknown */
	struct td_symbols symbols;
	struct td_recorder recorder; /* --samples */
	struct td_samples_writer writer;
	struct {
		uint64_t records;       /* records that did not fit into a ring */
		uint64_t throttled;     /* times that the kernel stopped an event */
		uint64_t chains;        /* chains that exceeded the limit on calls */
		uint64_t cut;           /* chains that are longer than the copied stack */
		double counted, weight; /* events that were counted, and weight of the samples */
		uint64_t samples, kept; /* number of all samples, and of the target's */
		/* user-space samples whose chains follow frame pointers; how many lack a caller */
		uint64_t framed, frameless;
	} losses;
	struct td_progress progress;
	struct td_engine engine;
	struct td_usage usage;
	int status; /* exit status as in a shell */
	bool over;  /* td_child_is_over() for the command */
};

/* --- records.c: records of the rings -------------------------------------- */

/*
 * A td_take_record, with a struct td_gathering as ctx.  Passes samples with their locations to
 * take(), and adds mappings to spaces.
 */
void td_gathering_take(void *ctx, const struct td_record *record, int event);

/* --- gather.c: runs the command, and takes samples ------------------------ */

/* Sets how to find callers. */
void td_gathering_want(struct td_gathering *gathering, const struct td_request *request);
/*
 * Runs the job's command to its end, or samples the target until it ends, a signal comes or the
 * time is over; then resolves the locations.  On error as well, status and over are valid, and
 * td_gathering_close() must be called.
 */
int td_gather(struct td_gathering *gathering, struct td_inherited *inherited, struct td_err *err);
/* Prints notes, and how many samples were lost. */
void td_gathering_report(const struct td_gathering *gathering);
/* Returns rc, or an error from closing the recording. */
int td_gathering_close(struct td_gathering *gathering, int rc, struct td_err *err);

/* --- rate.c: the number of samples ---------------------------------------- */

/*
 * Returns how to sample each event of the job's plan: at the user's rate, or else at rate, and
 * as precisely as its modifiers ask.  Adds a note if the kernel allows less.  The caller frees it.
 */
struct td_sampling *td_rate_make(struct td_job *job, int rate);

/* Returns this thread as a target in the job's modes.  Free its tids. */
struct td_target td_rate_self(const struct td_job *job);

/*
 * Sets the number of events between two samples, for the sampled events that have one: that of
 * period=, or else of -c.  Fails if it is unknown (-c default).
 */
int td_period_set(struct td_job *job, struct td_sampling *how, struct td_err *err);
/* Sets and returns the usage error of -c default for something without a period. */
int td_period_missing(const char *name, struct td_err *err);

/*
 * Limits the frequencies of the job's events (--overhead): measures the cost of taking and
 * reading samples in this thread.  how: one for each event; period 0: the event is not sampled.
 * by: the job to measure with, perhaps the same; its events must occur in all code.  by_how: one
 * for each of them.  Adds a note with the result.
 */
int td_overhead_limit(struct td_job *job, struct td_sampling *how, struct td_job *by,
		      const struct td_sampling *by_how, const struct td_record_format *format,
		      struct td_err *err);

/* --- locate.c ------------------------------------------------------------- */

#define TD_CHOICE_NODE 64

/* A run of tdstat locate. */
struct td_locating {
	const struct td_request *request;
	/* The events to sample for a node of the tree. */
	struct td_choice {
		char *events;              /* "cpu_core/A.B/P,cpu_atom/C.D/P"; owned */
		char node[TD_CHOICE_NODE]; /* name of the node in the metric files */
		char pmu[TD_CHOICE_NODE];  /* where it is the biggest loss; "": the user named it */
		char *without;             /* core types without an event: "cpu_atom"; owned */
	} choice;
	struct td_event_arg arg;   /* the chosen event, as an argument of -e */
	struct td_request sampled; /* the request with this argument */
	struct td_job job;
	struct td_gathering gathering;
	struct td_hits hits;
	int *groups; /* the group of each event, if a group has :S; or NULL */
	/* then, for each event that is not sampled: its counts, and those in unknown functions */
	struct {
		double counted, unplaced;
	} * beside;
	struct td_windows windows; /* the counts of such groups, since the last sample */
	struct td_sink sink;
	struct td_where where;
	struct td_sample_files files;
	struct td_attempt attempt;
	const struct td_sample_filter *filter; /* NULL: all samples are shown */
	struct td_within *within;              /* state of the filter */
	uint64_t nr_within;                    /* number of samples that passed the filter */
};

/* Selects samples: those within calls of a function (--in). */
struct td_sample_filter {
	/* Called before sampling.  close() is called on error as well. */
	int (*open)(struct td_locating *locating, struct td_err *err);
	/* Takes each record, like td_take_sample. */
	void (*take)(struct td_locating *locating, const struct td_record *record, int event,
		     int location, int caller);
	/* Prints the number of calls, and of samples in them. */
	void (*report)(const struct td_locating *locating);
	/* Called after the events are closed. */
	void (*close)(struct td_locating *locating);
};
