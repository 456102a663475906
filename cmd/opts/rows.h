/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_OPTS_ROWS_H
#define TD_CMD_OPTS_ROWS_H

#include "cmd/opts/option.h"

/*
 * Options made from the tables of aggregations (lib/count) and writers
 * (cmd/out).  Empty before td_opts_fill_rows().
 */
extern const struct td_option_group td_group_aggregations, /* all but --total */
	td_group_places,   /* those of CPUs: without --per-thread */
	td_group_formats,  /* -x, -j: those that show reports */
	td_group_pages,    /* --html, --svg */
	td_group_html,     /* --html alone */
	td_group_json,     /* -j alone */
	td_group_markdown, /* --markdown */
	td_group_perfetto; /* --perfetto */

void td_opts_fill_rows(void);

#endif
