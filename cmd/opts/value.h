/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_OPTS_VALUE_H
#define TD_CMD_OPTS_VALUE_H

#include "cmd/opts/opts.h"
#include "lib/base/err.h"

/* Functions of options of kind TD_OPTION_FUNCTION. */
int td_value_level(struct td_opts *opts, const char *arg, struct td_err *err);
int td_value_metrics(struct td_opts *opts, const char *arg, struct td_err *err);
int td_value_events(struct td_opts *opts, const char *arg, struct td_err *err);
int td_value_filter(struct td_opts *opts, const char *arg, struct td_err *err);
int td_value_cgroups(struct td_opts *opts, const char *arg, struct td_err *err);
int td_value_call_graph(struct td_opts *opts, const char *arg, struct td_err *err);
int td_value_count(struct td_opts *opts, const char *arg, struct td_err *err);
int td_value_overhead(struct td_opts *opts, const char *arg, struct td_err *err);
int td_value_delay(struct td_opts *opts, const char *arg, struct td_err *err);
int td_value_cache(struct td_opts *opts, const char *arg, struct td_err *err);
int td_value_label(struct td_opts *opts, const char *arg, struct td_err *err);
int td_value_time_format(struct td_opts *opts, const char *arg, struct td_err *err);
int td_value_separator(struct td_opts *opts, const char *arg, struct td_err *err);
int td_value_sort(struct td_opts *opts, const char *arg, struct td_err *err);
int td_value_big_num(struct td_opts *opts, const char *arg, struct td_err *err);
int td_value_no_big_num(struct td_opts *opts, const char *arg, struct td_err *err);
int td_value_per(struct td_opts *opts, const char *arg, struct td_err *err);
int td_value_output(struct td_opts *opts, const char *arg, struct td_err *err);
/* Add a word that is not an option to opts->patterns. */
int td_value_pattern(struct td_opts *opts, const char *arg, struct td_err *err);

/* Parse an option's time in milliseconds, which must be at least min. */
int td_opts_time(const char *option, const char *arg, int min, int *out, struct td_err *err);

#endif
