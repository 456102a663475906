/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "cmd/opts/option.h"

/* Groups of options of more than one subcommand. */
extern const struct td_option_group td_group_cpus, /* which CPUs are counted */
	td_group_tasks,                            /* which tasks are counted */
	td_group_cgroups,                          /* -G, --for-each-cgroup */
	td_group_cores,                            /* --cputype */
	td_group_model,                            /* --model */
	td_group_files,                            /* --metrics-dir */
	td_group_tree,                             /* levels, metrics */
	td_group_events,                           /* -e, --record-tpebs */
	td_group_scale,                            /* scaled up or not */
	td_group_when,                             /* times, intervals */
	td_group_require,                          /* --require */
	td_group_rate,                             /* how often to sample */
	td_group_timeout,                          /* only --timeout */
	td_group_rows,                             /* contents of rows */
	td_group_two_levels,                       /* -l 1 and 2 */
	td_group_region_rows,                      /* rows of regions */
	td_group_output,                           /* where results go */
	td_group_stream,                           /* --log-fd, --quiet */
	td_group_perf,                             /* --perf */
	td_group_head,                             /* --label, --head, --no-host */
	td_group_dry_run,                          /* --dry-run */
	td_group_print_perf,                       /* --print-perf */
	td_group_verbose;                          /* -v */

/*
 * Options made from the tables of aggregations (lib/count) and writers (cmd/output).  They are
 * empty before td_opts_fill_rows().
 */
extern const struct td_option_group td_group_aggregations, /* all but --total */
	td_group_processes,                                /* --per-process, --per-user */
	td_group_places,   /* aggregations of CPUs: no --per-thread */
	td_group_formats,  /* -x, -j and others that show reports */
	td_group_json,     /* only -j */
	td_group_markdown; /* --markdown */

void td_opts_fill_rows(void);

/* Functions of options of kind TD_OPTION_FUNCTION. */
int td_value_level(struct td_opts *opts, const char *arg, struct td_err *err);
int td_value_metrics(struct td_opts *opts, const char *arg, struct td_err *err);
int td_value_events(struct td_opts *opts, const char *arg, struct td_err *err);
int td_value_count(struct td_opts *opts, const char *arg, struct td_err *err);
int td_value_overhead(struct td_opts *opts, const char *arg, struct td_err *err);
int td_value_big_num(struct td_opts *opts, const char *arg, struct td_err *err);
int td_value_no_big_num(struct td_opts *opts, const char *arg, struct td_err *err);
int td_value_per(struct td_opts *opts, const char *arg, struct td_err *err);
int td_value_output(struct td_opts *opts, const char *arg, struct td_err *err);
/* Add a word that is not an option to opts->patterns. */
int td_value_pattern(struct td_opts *opts, const char *arg, struct td_err *err);

/* Parse an option's time in milliseconds, which must be at least min. */
int td_opts_time(const char *option, const char *arg, int min, int *out, struct td_err *err);
