// SPDX-License-Identifier: GPL-2.0-only
/* The marks behind values, and the legend of those that were shown. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/out/out.h"
#include "lib/base/printable.h"
#include "lib/base/util.h"

#define PLUS_MINUS "\302\261"

/* clang-format off */
static const struct {
	const char *word, *text;
} misfits[] = {
	[TD_MISFIT_RANGE] = { "range", "less than 0 or more than 100 %" },
	[TD_MISFIT_PARENT] = { "parent", "more than the node above" },
	[TD_MISFIT_SUM] = { "sum", "level 1 is not all of the slots" },
	[TD_MISFIT_WIDTH] = { "width", "more slots in a cycle than the core has" },
	[TD_MISFIT_CORRECTION] = { "correction", NULL },
};
/* clang-format on */

const char *td_out_misfit_word(enum td_misfit misfit)
{
	return misfits[misfit].word;
}

const char *td_out_misfit_mark(enum td_misfit misfit)
{
	if (misfit == TD_FITS)
		return "";
	return misfit == TD_MISFIT_CORRECTION ? "  ~" : "  ?";
}

void td_out_marks_add_node(struct td_marks *marks, const struct td_cell *cell)
{
	if (cell->misfit == TD_FITS)
		return;
	marks->misfits |= 1u << cell->misfit;
	if (cell->misfit != TD_MISFIT_CORRECTION && !cell->other_slices)
		marks->same_slices = true;
}

void td_out_marks_add(struct td_marks *marks, const struct td_row *row,
		      const struct td_cell *cell)
{
	if (cell->status != TD_STATUS_OK) {
		marks->missing |= cell->status != TD_STATUS_NONE;
		marks->why = td_out_add_reason(marks->why, cell);
		return;
	}
	switch (td_out_table_mark(row, cell)) {
	case '*':
		marks->over = true;
		break;
	case '?':
	case '~':
		td_out_marks_add_node(marks, cell);
		break;
	}
}

/* --- the legend ------------------------------------------------------------- */

/* Comments in a file stay lines. */
static int line_width(const struct td_writer *writer, const char *start)
{
	unsigned int columns = writer->frame->screen_columns;

	if (!columns && start[0] == '#')
		return INT_MAX;
	return columns && columns < TD_LINE_WIDTH ? (int)columns
						  : TD_LINE_WIDTH;
}

void td_out_legend_put(const struct td_writer *writer, const char *start,
		       const char *text)
{
	fputs(start, writer->fp);
	td_put_wrapped(writer->fp, (int)strlen(start),
		       line_width(writer, start), text);
}

static void put_line(const struct td_writer *writer, const char *start,
		     const char *mark, const char *text)
{
	td_autofree char *line = NULL;

	if (asprintf(&line, "%s %s", mark, text) >= 0)
		td_out_legend_put(writer, start, line);
}

static void put_impossible(const struct td_writer *writer, const char *start,
			   const struct td_marks *marks)
{
	td_autofree char *text = NULL;
	size_t size;
	FILE *fp = open_memstream(&text, &size);
	const char *before = "cannot be: ";

	if (!fp)
		return;
	for (size_t i = 0; i < TD_ARRAY_SIZE(misfits); i++) {
		if (!(marks->misfits & 1u << i) || !misfits[i].text)
			continue;
		fprintf(fp, "%s%s", before, misfits[i].text);
		before = ", ";
	}
	if (!marks->same_slices)
		fputs("; counted at other moments than the node above", fp);
	if (!td_text_close(fp, &text))
		put_line(writer, start, "?", text);
}

void td_out_marks_put(const struct td_writer *writer,
		      const struct td_marks *marks, const char *start)
{
	const unsigned int correction = 1u << TD_MISFIT_CORRECTION;
	FILE *fp = writer->fp;

	if (marks->any)
		put_line(writer, start, PLUS_MINUS "?",
			 "too little was measured to know the value");
	if (marks->over)
		put_line(writer, start, "*",
			 "is over its threshold: look there");
	if (marks->misfits & ~correction)
		put_impossible(writer, start, marks);
	if (marks->misfits & correction)
		put_line(writer, start, "~",
			 "no larger than the uops that were dropped, which are "
			 "subtracted");
	if (marks->errata)
		put_line(writer, start, "!",
			 "its events have errata (-v names them) and may count "
			 "wrongly");
	if (!marks->missing)
		return;
	fprintf(fp, "%s- means no value%s", start, marks->why ? ": " : "");
	td_put_printable(fp, marks->why ? marks->why : "");
	fputc('\n', fp);
}
