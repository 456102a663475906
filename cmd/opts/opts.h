/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmd/opts: the command line.
 *
 * In: argv.
 * Out: struct td_opts.  Options that make no sense together are an error here,
 * and nowhere else is argp known.
 */
#ifndef TD_CMD_OPTS_OPTS_H
#define TD_CMD_OPTS_OPTS_H

#include <stdbool.h>

#include "cmd/out/format.h"
#include "lib/base/err.h"
#include "lib/base/ints.h"
#include "lib/count/aggregation.h"

/* What a subcommand is like, for the rest of the program. */
enum td_subcommand {
	TD_STAT,
	TD_RECORD,
	TD_REPORT,
	TD_LIST,
};

struct td_command;

/* A -e LIST, and what --filter says behind it. */
struct td_event_arg {
	const char *list;
	char *filter; /* NULL: none; of several, all must hold */
};

/* What the user asked for.  Strings are argv's. */
struct td_opts {
	enum td_subcommand subcommand;
	const struct td_command *chosen; /* of these, whose end is NULL: */
	const struct td_command *const *commands;
	bool all_cpus;
	bool has_cpus;
	struct td_ints cpus;
	struct td_ints pids, tids; /* with these, no CPUs: */
	const char *overridden;    /* an option that is not heeded, then */
	bool no_inherit;
	bool all_user, all_kernel;
	char *cgroups;           /* -G's, joined; NULL: none */
	size_t cgroups_at;       /* so many -e came before the last -G */
	bool cgroups_first;      /* -G came before what it is for */
	const char *each_cgroup; /* NULL: none */
	const char *cputype;     /* NULL: all core PMUs */
	int level;               /* 0: none was given */
	int only_level;          /* --td-level; 0: none was given */
	char **metrics;          /* -M, one a name */
	size_t nr_metrics;
	const char *metrics_dir; /* NULL: those that came with the program */
	bool metric_only;
	bool no_group, no_merge, no_threshold; /* --metric-no-... */
	bool all_nodes;                        /* --all */
	struct td_event_arg *events;
	size_t nr_events;
	int detail;   /* how many -d */
	bool nothing; /* --null */
	bool print;   /* list: the events' encodings */
	bool asked_big_num, no_big_num;
	bool no_scale;
	unsigned int aggregations; /* bits 1 << td_aggregation */
	int cache_level;           /* 0: the last one */
	bool not_merged;           /* --no-merge: -A, where it is possible */
	bool hybrid_merge;
	int interval_ms;    /* 0: none */
	int interval_count; /* 0: no limit */
	bool interval_clear;
	bool summary, no_csv_summary;
	int timeout_ms; /* 0: none */
	int delay_ms;   /* 0: none; -1: until --control ends it */
	const char *control;
	bool has_repeat, table;
	int repeat; /* 0: for ever */
	const char *pre, *post;
	bool sync;
	unsigned int formats; /* bits 1 << td_format_kind */
	enum td_format_kind format;
	const char *separator;
	const char *output; /* record: the recording; else the result */
	bool append;
	int log_fd; /* 0: none */
	bool quiet;
	const char *input; /* report's */
	bool dry_run;
	int verbose;
	const char **patterns; /* the words of list and help */
	size_t nr_patterns;
	bool behind_dashes; /* "--" stands before the command */
	char **command;     /* NULL-terminated; NULL: none */
};

/* Counts as such, and not metrics? */
bool td_opts_want_events(const struct td_opts *opts);

/* Of several, the one that perf stat takes. */
enum td_aggregation td_opts_aggregation(const struct td_opts *opts);
/* Tasks that run already? */
bool td_opts_attaches(const struct td_opts *opts);
/* Whole CPUs, and not tasks? */
bool td_opts_system_wide(const struct td_opts *opts);

/*
 * parse.c: may print help or the version and exit; free with td_opts_free().
 * commands: all there are; the first is for words that name no other.  The word
 * that names one is taken out of argv.
 */
int td_opts_parse(struct td_opts *opts,
		  const struct td_command *const *commands, int argc,
		  char **argv, struct td_err *err);
void td_opts_free(struct td_opts *opts);

#endif
