/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A request to plan, count and show.  The command line is one way to make it (cmd/opts); its
 * strings are borrowed.
 */
#pragma once

#include "cmd/output/show.h"
#include "cmd/output/stack_files.h"
#include "lib/count/aggregation.h"
#include "lib/count/ask.h"
#include "lib/target/target.h"

/* The default name of recordings. */
#define TD_RECORDING_NAME "tdstat.jsonl"

/* Times and number of runs, and their hooks. */
struct td_when {
	int interval_ms;    /* 0: none */
	int interval_count; /* 0: no limit */
	int timeout_ms;     /* 0: none */
	int delay_ms;       /* 0: none; -1: until enabled through --control */
	const char *control;
	bool has_repeat;
	int repeat; /* 0: unlimited */
	const char *pre, *post;
	bool pre_done; /* a session that failed has done --pre for the first run */
	bool sync;
	bool require; /* do not run a command that cannot be counted */
	/* record: length and size of a file after which the next one begins; 0: unlimited */
	uint64_t rotate_ns, rotate_bytes;
	/* report: the part of a recording to show, since its start; to_ns 0: to the end */
	uint64_t from_ns, to_ns;
};

static inline bool td_when_is_part(const struct td_when *when)
{
	return when->from_ns || when->to_ns;
}

static inline bool td_when_rotates(const struct td_when *when)
{
	return when->rotate_ns || when->rotate_bytes;
}

/* Properties of the subcommand. */
struct td_does {
	bool records;      /* -o names the recording, not the result */
	bool replays;      /* shows recordings, and does not count */
	bool imports;      /* the recording is a file of perf stat */
	bool drills;       /* a single tree is -l auto by default */
	bool leaves_level; /* the default level is that of the recording, or the subcommand's own */
	bool latencies;    /* samples retire latencies beside the counters */
	bool regions;      /* counts regions that a program marks */
	bool samples;      /* shows functions */
	bool exposes;      /* exports counters for Prometheus */
	bool follows;      /* counts cgroups that appear later, and does not print that */
	bool reopens;      /* SIGHUP reopens the file of -o */
	bool always;       /* runs its command even if it cannot be counted */
	bool unnamed;      /* -o was not given: the name is the default */
};

/* The argument of an -e, and of the --filter after it. */
struct td_event_arg {
	const char *list;
	char *filter; /* NULL: none; several are joined with && */
};

/* Options of regions and calls. */
struct td_calls_ask {
	int every;          /* count one of this many calls of a region; 0: each */
	bool by_read;       /* no RDPMC */
	const char *in;     /* locate: a function; NULL: samples of all */
	uint64_t slower_ns; /* locate: minimum duration of its calls */
	bool by_duration;   /* regions: also show calls by duration */
	bool samples;       /* calls: -l was given, which Processor Trace needs samples for */
	const char *names;  /* calls: the functions, as typed; NULL: all marks */
	const char *record; /* regions: the recording; NULL: none */
	int engine;         /* TD_BY_MARKS, ...; 0: uprobes, else marks or Processor Trace */
};

/* Options of sampling. */
struct td_sampling_ask {
	const char *node;    /* locate: the node; NULL: the verdict's */
	int freq;            /* samples per second and CPU; 0: the default */
	uint64_t period;     /* events between two samples; 0: freq is used */
	bool usual_period;   /* use the period from the model's files */
	double overhead_pct; /* maximum cost of sampling; 0: no limit */
	bool callers;
	struct td_sample_files files;
};

static inline bool td_sampling_has_period(const struct td_sampling_ask *sampling)
{
	return sampling->period || sampling->usual_period;
}

struct td_option_group;

/* The options as they were typed, for command lines that repeat them. */
struct td_typed {
	char **words; /* words before the command, without the subcommand's name */
	int nr_words;
	const struct td_option_group *const *groups; /* groups of the subcommand */
};

struct td_request {
	struct td_does does; /* what the subcommand does, unless top plays a recording */
	struct td_target_ask target;
	const char *cputype; /* NULL: all core PMUs */
	struct td_ask ask;   /* -l auto: drill, and level is the deepest to count */
	bool level_or_less;  /* the level is the default: fewer levels need no note */
	bool drill_off;      /* -l auto would be the default without --no-multiplex */
	bool no_multiplex;
	bool record_tpebs, no_record_tpebs; /* sample retire latencies, or do not */
	const char *metrics_dir;            /* NULL: the installed files */
	const char *model;                  /* NULL: this processor */
	bool no_group;                      /* --metric-no-group */
	struct td_event_arg *events;
	size_t nr_events;
	size_t cgroups_at; /* number of -e before the last -G */
	int detail;        /* number of -d */
	bool nothing;      /* --null */
	bool no_scale;
	struct td_when when;
	struct td_show show;
	const char *input; /* the recording to show; NULL: none */
	bool no_tree;      /* report: show files of perf stat as events */
	bool profile;      /* report: the tree of each function */
	struct td_calls_ask calls;
	struct td_sampling_ask sampling;
	bool openmetrics; /* stat: write counters for Prometheus to the file */
	int max_series;   /* maximum number of series for Prometheus; 0: the default */
	bool dry_run;
	int verbose;
	struct td_typed typed;
};

/* The deepest level of Intel's trees. */
#define TD_MAX_LEVEL 6

/* Return true if the result is counts of events, not metrics. */
bool td_request_has_events(const struct td_request *request);
/* Return true if the result is counters for Prometheus. */
bool td_request_exposes(const struct td_request *request);
/* Return true if new cgroups that match the list are counted as well. */
bool td_request_follows_cgroups(const struct td_request *request);

/* Return the aggregation; if there are several, that of perf stat. */
enum td_aggregation td_request_aggregation(const struct td_request *request);

/* Return true if whole CPUs are counted, not tasks. */
bool td_request_is_wide(const struct td_request *request);
/*
 * Return true if the tasks or cgroups of the machine are counted by the groups of its CPUs, which
 * are read at each switch.
 */
bool td_request_by_switches(const struct td_request *request);

/* Free the lists that a command line made. */
void td_request_free(struct td_request *request);
