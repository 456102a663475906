/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "cmd/output/show.h"
#include "lib/base/util.h"
#include "lib/count/aggregation.h"
#include "lib/target/target.h"

struct json_object;
struct td_identity;
struct td_machine;

/* The context of results, and how to show them.  Constant during a run. */
struct td_frame {
	const char *target; /* td_target_name.text; borrowed */
	enum td_target_kind target_kind;
	const struct td_identity *identity; /* command, host and versions; NULL: unknown */
	const char *in;     /* samples are only from calls of this function; NULL: all */
	uint64_t slower_ns; /* minimum duration of the calls of in; 0: all calls */
	const char *host;   /* host of the rows, if there are several; NULL: one */
	const char *held;   /* counters that other programs hold; NULL: none known */
	const char *files;  /* version of the metric files; NULL: none was read */
	bool perf;          /* --perf: unknown values are 0 */
	bool perf_rows;     /* events are in perf stat's format, without a header */
	bool interval;      /* a line per interval instead of one final tree */
	bool instead;       /* software events, because hardware events were not counted */
	bool times_only;    /* only times, because no events were counted */
	bool of_perf;       /* from a file of perf stat; a time of 0 is unknown */
	enum td_time_format time;
	/* start of the first interval in ns since 1970, for the time formats wall and epoch */
	uint64_t start_ns;
	struct td_clocks clocks;          /* start of the first interval in other clocks */
	const struct td_machine *machine; /* the measured machine; borrowed; NULL: unknown */
	bool timed;                       /* regions are calls of similar duration */
	bool show_pmu;                    /* the machine is hybrid */
	bool show_id;                     /* rows have ids, because of an aggregation or cgroups */
	enum td_aggregation how;
	bool show_cgroup;            /* the event table has a column of cgroups */
	bool trees;                  /* show trees: a table would have too many columns */
	bool all;                    /* --all: show all nodes */
	bool brief;                  /* a short run shows only level 1 and the verdict */
	bool describe;               /* -v: show descriptions, and why values are missing */
	bool colour;                 /* the stream is a terminal with colours */
	bool big_num;                /* group digits: 1,234,567 */
	bool clear;                  /* clear the terminal before each interval */
	int runs;                    /* number of runs whose means are shown; 0, 1: not a mean */
	bool errors;                 /* CSV: a column for the error of each metric */
	bool summary_word;           /* CSV lines of a summary begin with "summary" */
	unsigned int screen_lines;   /* number of lines until the header is repeated; 0: never */
	unsigned int screen_columns; /* width of the window; 0: there is none */
};

#define TD_CLOCK_SIZE 96

/*
 * Format the time of a row: seconds since the start ("" if a file of perf does not contain it),
 * seconds since 1970, or the wall-clock time in RFC 3339, 2026-11-23T09:10:11.123+00:00.
 */
const char *td_out_time(char buf[TD_CLOCK_SIZE], const struct td_frame *frame, uint64_t time_ns);
/* Return the width of the column of times; of_seconds is its width if these are seconds. */
int td_out_time_width(const struct td_frame *frame, int of_seconds);
