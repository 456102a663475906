/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmd/opts: the command line.
 *
 * In: argv.
 * Out: struct td_opts.  Options that exclude each other are refused here.  No
 * other folder uses argp.
 */
#ifndef TD_CMD_OPTS_OPTS_H
#define TD_CMD_OPTS_OPTS_H

#include <stdbool.h>
#include <stdint.h>

#include "cmd/out/show.h"
#include "cmd/out/stack_files.h"
#include "lib/base/err.h"
#include "lib/base/ints.h"
#include "lib/count/aggregation.h"
#include "lib/count/ask.h"
#include "lib/target/target.h"
#include "metrics/diff/diff.h"

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

struct td_command;

/* The argument of a -e, and of the --filter behind it. */
struct td_event_arg {
	const char *list;
	char *filter; /* NULL: none; several are joined with && */
};

/* What tdstat doctor is to do. */
struct td_doctor_ask {
	bool one_line;
	bool evidence;       /* of the known programs, in a file */
	const char *program; /* one of them; NULL: all */
};

/* Of regions and calls. */
struct td_calls_ask {
	int every;          /* of so many calls of a region one; 0: each */
	bool by_read;       /* no RDPMC */
	const char *in;     /* locate: a function; NULL: samples of all */
	uint64_t slower_ns; /* locate: its calls that took so long */
	bool by_duration;   /* regions: calls by how long they took, too */
	bool samples;       /* calls: -l, where a level has to be sampled */
	const char *names;  /* marks: only calls of these, "a,b"; NULL: all */
	int engine;         /* TD_BY_MARKS, ...; 0: uprobes, or else marks */
};

/* What the user asked for.  Strings are argv's. */
struct td_opts {
	struct td_does does; /* as chosen->does, unless top plays a recording */
	const struct td_command *chosen;
	const struct td_command *const *commands; /* all; the last is NULL */
	struct td_target_ask target;
	const char *overridden; /* option for CPUs that -p or -t overrides */
	size_t cgroups_at;      /* number of -e before the last -G */
	bool cgroups_first;     /* -G came before all events */
	const char *cputype;    /* NULL: all core PMUs */
	/* -l auto: drill, and level is the deepest that may be counted */
	struct td_ask ask;
	bool level_or_less; /* it is the default: what lacks it is no remark */
	bool drill_off; /* it is the default, but --no-multiplex excludes it */
	bool no_multiplex;
	bool record_tpebs, no_record_tpebs; /* retire latencies by samples */
	const char *metrics_dir;            /* NULL: the installed files */
	const char *model;                  /* NULL: this processor */
	bool no_group;                      /* --metric-no-group */
	struct td_event_arg *events;
	size_t nr_events;
	int detail;   /* number of -d */
	bool nothing; /* --null */
	bool print;   /* list: the events' encodings */
	bool no_scale;
	struct td_when when;
	struct td_show show;
	const char *input; /* of report */
	bool no_tree;      /* report: what perf stat wrote stays events */
	struct td_calls_ask calls;
	const char *record;  /* regions: the recording; NULL: none */
	const char *node;    /* locate: NULL: the one of the verdict */
	int freq;            /* samples a second of each CPU; 0: the default */
	double overhead_pct; /* that sampling may cost; 0: no limit */
	bool callers;
	struct td_sample_files files;
	bool locate, profile; /* of report */
	bool openmetrics;     /* stat: counters for Prometheus in the file */
	int max_series;       /* of them; 0: the default */
	const char *listen;   /* serve: ADDR:PORT, unix:PATH; NULL: default */
	bool dry_run;
	int verbose;
	struct td_diff_ask diff;
	struct td_doctor_ask doctor;
	/* arguments of list, explain, help; the recordings of diff */
	const char **patterns;
	size_t nr_patterns;
	/* the words before the command, without the subcommand */
	char **words;
	int nr_words;
	bool behind_dashes; /* the command, or a word, comes after "--" */
};

/* What record writes without -o, and report reads without a name. */
#define TD_RECORDING_NAME "tdstat.jsonl"

/* The deepest level of Intel's trees. */
#define TD_MAX_LEVEL 6

/* True if counts are asked for, not metrics. */
bool td_opts_want_events(const struct td_opts *opts);
/* True if a verdict is to be shown, by formats that have one. */
bool td_opts_want_verdict(const struct td_opts *opts);
/* True if the result is counters for Prometheus. */
bool td_opts_exposes(const struct td_opts *opts);

/* If there are several, the one that perf stat takes. */
enum td_aggregation td_opts_aggregation(const struct td_opts *opts);
/* True if whole CPUs are counted, not tasks. */
bool td_opts_system_wide(const struct td_opts *opts);

/*
 * May print help or the version and exit.  Free with td_opts_free().  commands
 * ends with NULL; the first is taken if argv names none.  The name of the
 * subcommand is removed from argv.
 */
int td_opts_parse(struct td_opts *opts,
		  const struct td_command *const *commands, int argc,
		  char **argv, struct td_err *err);
void td_opts_free(struct td_opts *opts);

/* A usage error if two options exclude each other; it names both. */
int td_opts_check(const struct td_opts *opts, struct td_err *err);
/* The same for the options that only counting has. */
int td_opts_check_counting(const struct td_opts *opts, struct td_err *err);

#endif
