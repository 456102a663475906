/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_OUT_FRAME_H
#define TD_CMD_OUT_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "cmd/out/show.h"
#include "lib/base/util.h"
#include "lib/count/aggregation.h"
#include "lib/target/target.h"

struct json_object;
struct td_identity;
struct td_machine;

/* What surrounds results and how they are shown; does not change in a run. */
struct td_frame {
	const char *target; /* td_target_name.text; borrowed */
	enum td_target_kind target_kind;
	const struct td_identity *identity; /* of who counted; NULL: unknown */
	const char
		*in; /* samples are of calls of this function; NULL: of all */
	uint64_t slower_ns; /* that took so long; 0: all calls */
	const char *host;   /* of the rows, if there are several; or NULL */
	/* counters that other programs hold: td_held_text(); NULL: none known */
	const char *held;
	const char *files; /* the metric files' version; NULL: none was read */
	bool perf;         /* --perf: what is not known is 0 */
	bool perf_rows;    /* events, as perf stat has them: no head of ours */
	bool interval;     /* a line for each interval, not one final tree */
	bool instead; /* software events, as what was asked for has no counts */
	bool times_only; /* nothing, for the same reason */
	bool of_perf;    /* a time of 0 is one that the file does not tell */
	enum td_time_format time;
	/* when the first interval began, since 1970; known for wall and epoch */
	uint64_t start_ns;
	struct td_clocks clocks; /* the same moment */
	/* that was measured; borrowed; NULL: unknown */
	const struct td_machine *machine;
	bool timed;    /* regions are of calls that took about as long */
	bool show_pmu; /* the machine is hybrid */
	bool show_id;  /* with an aggregation or cgroups */
	enum td_aggregation how;
	bool show_cgroup; /* in a column of its own in the event table */
	bool trees;       /* too many columns for the wide form of a table */
	bool all;         /* show nodes that do not matter, too */
	bool brief;    /* of a short run, level 1 and the verdict are enough */
	bool describe; /* say what metrics mean and why they are missing */
	bool colour;   /* the stream is a terminal with colours */
	bool big_num;  /* group digits: 1,234,567 */
	bool clear;    /* clear the terminal before each interval */
	int runs;      /* runs whose means are shown; 0, 1: not a mean */
	bool errors;   /* CSV: a column for the error of each metric */
	bool summary_word; /* CSV lines of a summary begin with "summary" */
	unsigned int screen_lines; /* repeat the header after these; 0: never */
	unsigned int screen_columns; /* of the window; 0: there is none */
};

#define TD_CLOCK_SIZE 96

/*
 * The end of a row: seconds since the start ("" if perf's file does not tell
 * it), or the wall-clock time as RFC 3339 has it, with milliseconds and the zone:
 * 2026-11-23T09:10:11.123+00:00; or seconds since 1970.
 */
const char *td_out_time(char buf[TD_CLOCK_SIZE], const struct td_frame *frame,
			uint64_t time_ns);
/* The width of the column, which is this one for seconds. */
int td_out_time_width(const struct td_frame *frame, int of_seconds);
/* A number, or a string if it is a wall-clock time. */
void td_out_json_time(struct json_object *to, const char *key,
		      const struct td_frame *frame, uint64_t time_ns);

#endif
