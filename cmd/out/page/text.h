/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_OUT_PAGE_TEXT_H
#define TD_CMD_OUT_PAGE_TEXT_H

#include <stdbool.h>
#include <stdio.h>

/*
 * Text of other programs in a page.  What is not printable is shown as \x1b; all
 * that is printable is a character of XML.
 */

/* In HTML and XML: between tags, or in an attribute with quotes. */
void td_page_put(FILE *fp, const char *text);
/* A JSON string with its quotes that may stand in a script element. */
void td_page_put_json(FILE *fp, const char *text);
/* A JSON number of six digits; null if there is none. */
void td_page_put_number(FILE *fp, double value);
/*
 * A cell of a table, with the exact value beside the one that is shown, for scripts;
 * empty if there is none.  sign: with a + before what is more than 0.
 */
void td_page_put_cell(FILE *fp, double value, int decimals, bool sign);

#endif
