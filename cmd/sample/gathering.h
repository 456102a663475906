/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_SAMPLE_GATHERING_H
#define TD_CMD_SAMPLE_GATHERING_H

#include "cmd/plan/job.h"
#include "cmd/run/engine.h"
#include "cmd/run/progress.h"
#include "cmd/run/recorder.h"
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

/* comes.c */
/*
 * After the rings were read, with -a or -C: samples on CPUs that are back or, with
 * -a, have come online for the first time, and says so.  Looks for them twice a
 * second at most.  Returns 0 or -ENOMEM.
 */
int td_sampling_follow(struct td_gathering *g);

/* records.c */
/*
 * A td_take_record of a struct td_gathering, which ctx is: samples go to its
 * take() with their spots, and what processes map into its spaces.  0 or
 * -ENOMEM.
 */
int td_gathering_take(void *ctx, const struct td_record *record, int event);

#endif
