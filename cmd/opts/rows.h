/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_OPTS_ROWS_H
#define TD_CMD_OPTS_ROWS_H

#include <argp.h>

#include "cmd/opts/opts.h"

/*
 * The options that the tables of aggregations (lib/count) and writers (cmd/out)
 * bring with them.
 */
size_t td_opts_nr_rows(void);
/* Fills in td_opts_nr_rows() options, without an end behind them. */
void td_opts_rows(struct argp_option *options);
/* Of one of them; ARGP_ERR_UNKNOWN: key is another option's. */
int td_opts_set_row(struct td_opts *opts, int key, const char *arg,
		    struct td_err *err);

#endif
