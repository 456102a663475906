/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_TOP_STATE_H
#define TD_CMD_TOP_STATE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/err.h"
#include "lib/count/report.h"
#include "metrics/verdict/verdict.h"

/*
 * What the screen shows: an interval, whole and in rows.  It is kept until the
 * next one comes, as keys change what is shown of it.  The ids of the rows are
 * owned; columns, nodes and names of PMUs are the source's.
 */
struct td_top_snapshot {
	bool has_whole; /* not of cgroups */
	struct td_report whole, rows;
	struct td_verdict verdict; /* of the whole; its row is in whole */
};

/* Copies a report in place of the one before.  Returns 0 or -ENOMEM. */
int td_top_keep(struct td_report *kept, const struct td_report *report,
		struct td_err *err);

void td_top_snapshot_free(struct td_top_snapshot *snapshot);

/* What the lower part of the window shows. */
enum td_top_pane {
	TD_TOP_TABLE,
	TD_TOP_TREE, /* of the whole, or of the row that was opened */
	TD_TOP_MEANING,
	TD_TOP_HELP,
};

enum td_top_sort {
	TD_TOP_BY_LOST,
	TD_TOP_BY_BUSY,
	TD_TOP_BY_GHZ,
	TD_TOP_BY_IPC,
	TD_TOP_BY_PART, /* and so on, in the order of enum td_part */
	TD_TOP_BY_NAME = TD_TOP_BY_PART + 5,
	TD_TOP_NR_SORTS
};

#define TD_TOP_FILTER_SIZE 64
#define TD_TOP_ID_SIZE     4096 /* PATH_MAX, of a cgroup */
#define TD_TOP_NAME_SIZE   256
#define TD_TOP_SAID_SIZE   512

/* What keys have changed so far. */
struct td_top_state {
	enum td_top_pane pane;
	enum td_top_sort sort;
	bool reversed;
	bool paused;
	bool typing; /* letters go to the filter */
	char filter[TD_TOP_FILTER_SIZE];
	/* the selected row of the table, as it was drawn; "": there is none */
	char id[TD_TOP_ID_SIZE], pmu[TD_TOP_NAME_SIZE];
	bool picks;   /* what is selected next is followed */
	bool follows; /* the selection stays at that row, wherever it moves */
	char opened[TD_TOP_ID_SIZE]; /* whose tree is shown; "": the whole's */
	/* the selected node of a tree; "": none */
	char node[TD_TOP_NAME_SIZE], node_pmu[TD_TOP_NAME_SIZE];
	size_t at, first;   /* the selected line, the first one shown */
	size_t page;        /* lines of the pane, of the last drawing */
	size_t nr;          /* and lines that there were to show */
	unsigned int sorts; /* bits 1 << td_top_sort: there is such a column */
	int wish_level;     /* of TD_TOP_LEVEL */
	char said[TD_TOP_SAID_SIZE]; /* in the last line until the next key */
};

/* What is told of the source, in the first lines. */
struct td_top_facts {
	const char *what;    /* "the whole machine", "process id 12" */
	const char *machine; /* the processor's name */
	const char *level;   /* "auto", "2" */
	const char *by;      /* what has a row: "CPU", "THREAD", "CGROUP" */
	size_t nr_cpus;
	bool tasks;  /* rows are of tasks */
	bool played; /* a recording */
	bool ended;  /* and its end was reached */
	int interval_ms;
	size_t nr_messages; /* that wait for the end */
};

#endif
