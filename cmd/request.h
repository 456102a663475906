/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a command asks of those that plan, count and show for it.  The command
 * line is one way to make a request (cmd/opts); the strings of one are borrowed.
 */
#ifndef TD_CMD_REQUEST_H
#define TD_CMD_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/out/show.h"
#include "cmd/out/stack_files.h"
#include "lib/count/aggregation.h"
#include "lib/count/ask.h"
#include "lib/target/target.h"

/* What record writes without -o, and report reads without a name. */
#define TD_RECORDING_NAME "tdstat.jsonl"

/* When a run counts, how often, and what is done around it. */
struct td_when {
	int interval_ms;    /* 0: none */
	int interval_count; /* 0: no limit */
	int timeout_ms;     /* 0: none */
	int delay_ms;       /* 0: none; -1: until enabled through --control */
	const char *control;
	bool has_repeat;
	int repeat; /* 0: for ever */
	const char *pre, *post;
	bool pre_done; /* before the first run, by a session that failed */
	bool sync;
	bool require; /* no run of what cannot be counted */
	/* record: what a file has when the next one begins; 0: whatever it has */
	uint64_t rotate_ns, rotate_bytes;
};

static inline bool td_when_rotates(const struct td_when *when)
{
	return when->rotate_ns || when->rotate_bytes;
}

/* What the rest of the program must know of the command that it works for. */
struct td_does {
	bool records;      /* -o names the recording, not the result */
	bool replays;      /* shows what was recorded, and counts nothing */
	bool drills;       /* one tree at the end is -l auto by default */
	bool leaves_level; /* to the recording, or to itself */
	bool latencies;    /* samples retire latencies beside the counters */
	bool regions;      /* counts those that a program marks */
	bool samples;      /* shows functions */
	bool exposes;      /* shows counters for Prometheus */
	bool reopens; /* SIGHUP opens the file of -o anew, and ends nothing */
	bool always;  /* runs its command even if it cannot count it */
	bool unnamed; /* -o was not given: the name is the default */
};

/* The argument of a -e, and of the --filter behind it. */
struct td_event_arg {
	const char *list;
	char *filter; /* NULL: none; several are joined with && */
};

/* Of regions and calls. */
struct td_calls_ask {
	int every;          /* of so many calls of a region one; 0: each */
	bool by_read;       /* no RDPMC */
	const char *in;     /* locate: a function; NULL: samples of all */
	uint64_t slower_ns; /* locate: its calls that took so long */
	bool by_duration;   /* regions: calls by how long they took, too */
	bool samples;       /* calls: -l, where a level has to be sampled */
	const char *names; /* calls: the functions, as typed; NULL: all marks */
	const char *record; /* regions: the recording; NULL: none */
	int engine;         /* TD_BY_MARKS, ...; 0: uprobes, or else marks */
};

/* Of what samples. */
struct td_sampling_ask {
	const char *node;    /* locate: NULL: the one of the verdict */
	int freq;            /* samples a second of each CPU; 0: the default */
	double overhead_pct; /* that sampling may cost; 0: no limit */
	bool callers;
	struct td_sample_files files;
};

struct td_option_group;

/* The options as they were typed, for command lines that repeat them. */
struct td_typed {
	char **words; /* before the command, without the subcommand */
	int nr_words;
	const struct td_option_group *const *groups; /* the subcommand's */
};

struct td_request {
	struct td_does
		does; /* as the subcommand, unless top plays a recording */
	struct td_target_ask target;
	const char *cputype; /* NULL: all core PMUs */
	/* -l auto: drill, and level is the deepest that may be counted */
	struct td_ask ask;
	/* it is the default: what lacks it is no remark, and little may do */
	bool level_or_less;
	bool drill_off; /* it is the default, but --no-multiplex excludes it */
	bool no_multiplex;
	bool record_tpebs, no_record_tpebs; /* retire latencies by samples */
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
	const char *input; /* the recording that is shown; NULL: none */
	bool no_tree;      /* report: what perf stat wrote stays events */
	bool profile;      /* report: the tree of each function */
	struct td_calls_ask calls;
	struct td_sampling_ask sampling;
	bool openmetrics; /* stat: counters for Prometheus in the file */
	int max_series;   /* of them; 0: the default */
	bool dry_run;
	int verbose;
	struct td_typed typed;
};

/* The deepest level of Intel's trees. */
#define TD_MAX_LEVEL 6

/* True if counts are asked for, not metrics. */
bool td_request_has_events(const struct td_request *request);
/* True if a verdict is to be shown, by formats that have one. */
bool td_request_has_verdict(const struct td_request *request);
/* True if the result is counters for Prometheus. */
bool td_request_exposes(const struct td_request *request);

/* If there are several, the one that perf stat takes. */
enum td_aggregation td_request_aggregation(const struct td_request *request);
/* True if whole CPUs are counted, not tasks. */
bool td_request_is_wide(const struct td_request *request);

/* Frees the lists that a command line made. */
void td_request_free(struct td_request *request);

#endif
