/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_OUT_SHOW_H
#define TD_CMD_OUT_SHOW_H

#include <stdbool.h>
#include <stddef.h>

#include "cmd/out/format.h"

/* The times of rows: since the start, of the wall clock, or since 1970. */
enum td_time_format {
	TD_TIME_SECONDS,
	TD_TIME_WALL,
	TD_TIME_EPOCH,
	TD_NR_TIME_FORMATS
};

/* "wall", as it is typed. */
const char *td_time_format_name(enum td_time_format format);

/* What is to be told of a run before its rows. */
struct td_head_ask {
	bool wanted, unwanted; /* --head, --no-head */
	bool no_host;
	const char **labels; /* NAME=VALUE; the array is owned */
	size_t nr_labels;
};

/* How results are to be shown, and where.  Strings are argv's. */
struct td_show {
	unsigned int formats; /* bits 1 << td_format_kind */
	enum td_format_kind format;
	const char *separator; /* of CSV */
	/* record: the recording; else the result, and own_file if it is given */
	const char *output;
	const char *own_file; /* of --html, --svg, --perfetto; NULL: none */
	bool append;
	bool force; /* to write over a recording, and to probe where it does harm */
	int log_fd; /* 0: none */
	bool quiet;

	unsigned int aggregations; /* bits 1 << td_aggregation */
	int cache_level;           /* 0: the last one */
	bool not_merged;           /* --no-merge: -A if counting on CPUs */
	bool hybrid_merge;

	bool by_lost;     /* the rows that lost most first */
	bool all_nodes;   /* --all */
	bool metric_only; /* ratios of events, not their counts */
	bool verdict, no_verdict;
	bool summary, no_csv_summary, csv_error;
	bool table; /* of runs */
	bool asked_big_num, no_big_num;
	bool interval_clear;
	enum td_time_format time;
	struct td_head_ask head;
	bool hosts; /* rows of several follow each other: each says its own */
	bool perf;  /* perf stat's ways where ours differ */
};

#endif
