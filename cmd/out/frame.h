/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_OUT_FRAME_H
#define TD_CMD_OUT_FRAME_H

#include <stdbool.h>

#include "lib/count/aggregation.h"
#include "lib/target/name.h"

/* What stands around results, fixed for a run. */
struct td_frame {
	const char *target; /* td_target_name.text; borrowed */
	enum td_target_kind target_kind;
	bool interval; /* a row at a time, not one final tree */
	bool show_pmu; /* a hybrid machine */
	bool show_id;  /* an aggregation was asked for, or cgroups */
	enum td_aggregation how;
	bool show_cgroup;  /* in the event table, a column of its own */
	bool trees;        /* trees also with interval: too much for a table */
	bool all;          /* also what does not matter */
	bool describe;     /* with what a metric means, and why it is missing */
	bool colour;       /* the stream is a terminal that shows it */
	bool big_num;      /* thousands apart: 1,234,567 */
	bool clear;        /* the terminal, before each interval */
	int runs;          /* that are shown as one: their means; 0, 1: none */
	bool summary_word; /* in CSV lines of events of a summary */
	unsigned int screen_lines; /* the header comes again; 0: never */
};

#endif
