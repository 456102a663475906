/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_OPTS_TABLE_H
#define TD_CMD_OPTS_TABLE_H

#include <argp.h>

#include "cmd/opts/opts.h"

/* Long options that have no letter. */
enum {
	OPT_ALL = 256,
	OPT_ALL_KERNEL,
	OPT_ALL_USER,
	OPT_APPEND,
	OPT_CONTROL,
	OPT_CPUTYPE,
	OPT_DRY_RUN,
	OPT_FILTER,
	OPT_FOR_EACH_CGROUP,
	OPT_HYBRID_MERGE,
	OPT_INPUT,
	OPT_INTERVAL_CLEAR,
	OPT_INTERVAL_COUNT,
	OPT_LOG_FD,
	OPT_METRICS_DIR,
	OPT_METRIC_NO_GROUP,
	OPT_METRIC_NO_MERGE,
	OPT_METRIC_NO_THRESHOLD,
	OPT_METRIC_ONLY,
	OPT_NO_BIG_NUM,
	OPT_NO_CSV_SUMMARY,
	OPT_NO_INHERIT,
	OPT_NO_MERGE,
	OPT_NO_SCALE,
	OPT_POST,
	OPT_PRE,
	OPT_PRINT,
	OPT_QUIET,
	OPT_SCALE,
	OPT_SUMMARY,
	OPT_TABLE,
	OPT_TD_LEVEL,
	OPT_TIMEOUT,
	OPT_TOPDOWN,
};

/* -i is no-inherit, but of report the file: the entry to be replaced. */
extern const struct argp_option td_options[], td_option_input;
size_t td_options_size(void); /* in bytes */

extern const char td_options_args[], td_options_doc[];

/* What one option says, into opts; ARGP_ERR_UNKNOWN: there is no such. */
int td_opts_set_value(struct td_opts *opts, int key, const char *arg,
		      struct td_err *err);
int td_opts_set_flag(struct td_opts *opts, int key);

#endif
