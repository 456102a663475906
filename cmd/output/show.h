/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "cmd/output/format.h"

/* The times of rows: since the start, of the wall clock, or since 1970. */
enum td_time_format {
	TD_TIME_SECONDS,
	TD_TIME_WALL,
	TD_TIME_EPOCH,
	TD_NR_TIME_FORMATS
};

/* Return the name in options, "wall". */
const char *td_time_format_name(enum td_time_format format);

/* Options for the header before the rows. */
struct td_head_ask {
	bool wanted, unwanted; /* --head, --no-head */
	bool no_host;
	const char **labels; /* NAME=VALUE; the array is owned */
	size_t nr_labels;
};

/* How and where to show results.  Strings belong to argv. */
struct td_show {
	unsigned int formats; /* bits 1 << td_format_kind */
	enum td_format_kind format;
	const char *separator; /* CSV */
	const char *output;    /* file of results, or with record, the recording */
	const char *own_file;  /* file of --html, --svg or --perfetto; NULL: none */
	bool append;
	bool force; /* overwrite a recording, probe harmful functions */
	int log_fd; /* 0: none */
	bool quiet;

	unsigned int aggregations; /* bits 1 << td_aggregation */
	int cache_level;           /* 0: the last one */
	bool not_merged;           /* --no-merge: -A when counting on CPUs */
	bool hybrid_merge;

	int top;        /* number of rows to show, those with the biggest loss; 0: all, unsorted */
	bool all_nodes; /* --all */
	bool metric_only; /* ratios of events without their counts */
	bool verdict, no_verdict, summary, no_csv_summary, csv_error;
	bool table; /* a table of runs */
	bool asked_big_num, no_big_num, interval_clear;
	enum td_time_format time;
	struct td_head_ask head;
	bool hosts; /* rows of several hosts, each with its host */
	bool perf;  /* behave like perf stat where tdstat differs from it */
	/* with dry_run: the plan as the command of perf stat */
	bool print_perf;
};
