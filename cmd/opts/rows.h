/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_OPTS_ROWS_H
#define TD_CMD_OPTS_ROWS_H

#include "cmd/opts/option.h"

/*
 * The options that the tables of aggregations (lib/count) and writers (cmd/out)
 * bring with them: empty before td_opts_fill_rows().
 */
extern const struct td_option_group td_group_aggregations, /* but --total */
	td_group_formats,                                  /* -x, -j */
	td_group_json;                                     /* -j alone */

void td_opts_fill_rows(void);

#endif
