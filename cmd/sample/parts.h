/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmd/sample: samples of a program, and the functions that they are of.
 *
 * In: a job whose plan has the events (cmd/plan), and how each is sampled.
 * Out: resolved spots, and what each subcommand makes of samples: locate.c sums
 * them up, profile.c takes the counts between them.
 */
#ifndef TD_CMD_SAMPLE_PARTS_H
#define TD_CMD_SAMPLE_PARTS_H

#include "cmd/plan/job.h"
#include "cmd/request.h"
#include "cmd/run/engine.h"
#include "cmd/run/progress.h"
#include "cmd/run/recorder.h"
#include "cmd/run/signals.h"
#include "cmd/sample/where.h"
#include "cmd/session.h"
#include "cmd/view/sink.h"
#include "lib/sample/locations.h"
#include "lib/sample/pairing.h"
#include "lib/sample/probes.h"
#include "lib/sample/record.h"
#include "lib/sample/sampler.h"
#include "lib/sample/samples.h"
#include "lib/sample/spaces.h"
#include "lib/sample/symbols.h"
#include "lib/sample/unwind.h"

/* As many as the kernel gives by default (kernel.perf_event_max_stack). */
#define TD_MOST_FRAMES 127

/* A run with samples. */
struct td_gathering {
	/* Set by the caller, who owns them: */
	struct td_job *job;
	struct td_sampling *how; /* one for each event of the plan */
	struct td_record_format format;
	/* their samples go to take() without a spot, and ends of threads, too */
	const struct td_companion *companions;
	size_t nr_companions;
	int most_pages; /* of a ring; 0: the usual number */
	bool switches;  /* take gets TD_RECORD_SWITCH, too */
	/* instead of the plan's events: td_sampler_setup.trace */
	struct {
		uint32_t type;
		uint64_t config;
		char *filter;
		int most_pages;
	} trace;
	bool lines;          /* resolve source lines */
	const char *node;    /* that they are for, or NULL: for --samples */
	uint64_t longest_ns; /* of a window, for --samples */
	td_take_sample *take;
	/* after each reading of the rings: 0 or an error; or NULL */
	int (*serve)(void *ctx, struct td_err *err);
	void *ctx;

	/* Filled in: */
	struct td_sampler *sampler;
	struct td_ints gone; /* CPUs that are offline, which was said */
	uint64_t start_ns;
	uint64_t looked_ns; /* when we last looked for CPUs that come */
	bool hides_kernel;  /* its addresses */
	struct td_spots spots;
	/* Of the last sample: its spot, and those of its callers, -1 behind. */
	struct {
		int v[TD_MOST_FRAMES + 2];
		size_t nr;
	} chain;
	struct td_spaces *spaces;
	struct td_unwinder *unwinder; /* with format.copied */
	size_t nr_noted; /* branches that each processor notes; 0: not known */
	struct td_symbols symbols;
	struct td_recorder recorder; /* --samples */
	struct td_samples_writer writer;
	/* What may happen to samples. */
	struct {
		uint64_t records;   /* had no room in a ring */
		uint64_t throttled; /* times that the kernel stopped an event */
		uint64_t chains;    /* had no room in the spots' calls */
		uint64_t cut;       /* went on behind the copied stack */
		/* what was counted, and what samples stand for */
		double counted, weight;
		uint64_t samples, kept; /* kept: those that were wanted */
		/* of user space, with a chain by frame pointers; of it: */
		uint64_t framed, frameless; /* no caller is known at once */
	} losses;
	struct td_progress progress;
	struct td_engine engine;
	struct td_usage usage;
	int status; /* as in the shell */
	bool over;  /* td_child_is_over(), of the command */
};

/* --- records.c: what the rings have --------------------------------------- */

/*
 * A td_take_record of a struct td_gathering, which ctx is: samples go to its
 * take() with their spots, and what processes map into its spaces.  0 or
 * -ENOMEM.
 */
int td_gathering_take(void *ctx, const struct td_record *record, int event);

/*
 * After the rings were read, with -a or -C: samples on CPUs that are back or, with
 * -a, have come online for the first time, and says so.  Looks for them twice a
 * second at most.  Returns 0 or -ENOMEM.
 */
int td_sampling_follow(struct td_gathering *g);

/* --- gather.c: runs the command, and takes samples ------------------------ */

/* Sets how samples come with their callers. */
void td_gathering_want(struct td_gathering *gathering,
		       const struct td_request *request);
/*
 * Runs the command of the job to its end, or samples what runs until it ends, a
 * signal comes or the time is over; then resolves the spots.  An error leaves
 * the status of a command that has run, and whether it is over.  Free it even then.
 */
int td_gather(struct td_gathering *gathering, struct td_inherited *inherited,
	      struct td_err *err);
/* Says, once each, what was lost. */
void td_gathering_say(const struct td_gathering *gathering);
/* Returns rc, or an error from closing what was written. */
int td_gathering_close(struct td_gathering *gathering, int rc,
		       struct td_err *err);

/* --- rate.c: how often samples are taken ---------------------------------- */

/*
 * How each event of the job's plan is sampled: as often as the user wants, or
 * else usual times a second, and as precisely as its modifiers say.  A note tells
 * that the kernel allows less.  The caller frees it; NULL: memory ran out.
 */
struct td_sampling *td_rate_make(struct td_job *job, int usual);

/*
 * --overhead: measures in this thread, for a moment, what a sample costs, in the
 * kernel and to read it, and lowers the frequencies of the job's events.  how: of
 * each of them; those with a period of 0 do not sample.  by: a job whose events
 * happen in any work, and how they are sampled; may be the same.  A note tells
 * the result.
 */
int td_overhead_limit(struct td_job *job, struct td_sampling *how,
		      struct td_job *by, const struct td_sampling *by_how,
		      const struct td_record_format *format,
		      struct td_err *err);

/* --- choose.c: events for a node of the tree ------------------------------ */

#define TD_CHOICE_NODE 64

/* What to sample for a node of the tree. */
struct td_choice {
	char *events;              /* "cpu_core/A.B/P,cpu_atom/C.D/P"; owned */
	char node[TD_CHOICE_NODE]; /* that they are for, as the files have it */
	/* where it was found to matter most, or empty: it was named */
	char pmu[TD_CHOICE_NODE];
	char *without; /* kinds of core that have none: "cpu_atom"; owned */
};

/*
 * Chooses the events that are known for the first of the nodes that has any, on
 * each kind of core; if none has, those of the nearest node above the first one.
 * A name may be without "tma_".  -ENOENT if there are none; the error tells a
 * name that is no node from one without events.
 */
/* Does the word, where a node may be, begin a command: is it a program instead? */
bool td_choose_is_command(const char *word);
int td_choose_events(struct td_choice *choice, const struct td_request *request,
		     const char *const *nodes, size_t nr, struct td_err *err);
void td_choice_free(struct td_choice *choice);

/* --- functions.c: functions by their names -------------------------------- */

/* The functions whose calls are counted. */
struct td_functions {
	struct td_entry_point *v;
	size_t nr;
};

/*
 * Finds those of names, "parse,scan@libx.so", in the command's file or
 * that of the process.  Free them even after an error.
 */
int td_functions_find(struct td_functions *functions, struct td_job *job,
		      const char *names, struct td_err *err);
/*
 * Can they be probed, by this kernel, too?  format: of the samples that are taken
 * meanwhile.  What td_probes_check() says, or -ENOTSUP.
 */
int td_functions_check(const struct td_functions *functions,
		       const struct td_job *job,
		       const struct td_record_format *format,
		       struct td_err *err);
void td_functions_free(struct td_functions *functions);

/* --- locate.c: the run that within.c has a part of ------------------------ */

/* A run of tdstat locate. */
struct td_locating {
	const struct td_request *request;
	struct td_choice choice;
	struct td_event_arg arg;   /* the choice, as if typed with -e */
	struct td_request sampled; /* the request with it */
	struct td_job job;
	struct td_gathering gathering;
	struct td_hits hits;
	struct td_sink sink;
	struct td_where where;
	struct td_sample_files files;
	struct td_reached reached;
	/* Of --in: the calls of a function, and samples of those that have not ended. */
	struct {
		struct td_functions functions;
		struct td_probes probes;
		struct td_companion companions[2];
		struct td_pairing pairing;
		struct {
			int event, spot, caller, tid;
			uint64_t period, time_ns;
		} * held;
		size_t nr_held;
		uint64_t calls, slow;     /* that have ended */
		uint64_t samples, within; /* of all, in slow calls */
	} in;
};

/* --- within.c: --in FUNCTION --slower TIME -------------------------------- */

/*
 * A sample counts if it was taken within a call of the function that took so long,
 * which is known when the call has ended.
 */

/* Finds the function, and probes it.  Close it even after an error. */
int td_within_open(struct td_locating *locating, struct td_err *err);
/* As td_take_sample, with all records. */
int td_within_take(struct td_locating *locating, const struct td_record *record,
		   int event, int spot, int caller);
/* Says how many calls there were, and how many samples are of them. */
void td_within_say(const struct td_locating *locating);
/* When the events are closed. */
void td_within_close(struct td_locating *locating);

#endif
