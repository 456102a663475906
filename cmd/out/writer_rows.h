/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_OUT_WRITER_ROWS_H
#define TD_CMD_OUT_WRITER_ROWS_H

#include "cmd/out/format.h"

/* The rows of the table in writers.c: markdown.c */
extern const struct td_out td_out_markdown;
/* text.c, csv.c, json.c, perfetto.c */
extern const struct td_out td_out_text, td_out_csv, td_out_json,
	td_out_perfetto;
/* page/html.c, page/svg.c */
extern const struct td_out td_out_html, td_out_svg;

#endif
