// SPDX-License-Identifier: GPL-2.0-only
/* Marks after values, and their legend. */
#include <limits.h>

#include "cmd/output/out.h"
#include "lib/base/printable.h"

#define PLUS_MINUS "\302\261"

/* clang-format off */
static const struct {
	const char *word, *text;
} misfits[] = {
	[TD_MISFIT_RANGE] = { "range", "below 0 or above 100 %" },
	[TD_MISFIT_PARENT] = { "parent", "more than its parent" },
	[TD_MISFIT_SUM] = { "sum", "level 1 does not add up to all slots" },
	[TD_MISFIT_WIDTH] = { "width", "more slots in a cycle than the core has" },
	[TD_MISFIT_CORRECTION] = { "correction", NULL },
};
/* clang-format on */

const char *td_out_misfit_word(enum td_misfit misfit)
{
	return misfits[misfit].word;
}

void td_out_marks_add_node(struct td_marks *marks, const struct td_cell *cell)
{
	if (cell->misfit == TD_FITS)
		return;
	marks->misfits |= 1u << cell->misfit;
	if (cell->misfit != TD_MISFIT_CORRECTION && !cell->other_slices)
		marks->same_slices = true;
}

void td_out_marks_add(struct td_marks *marks, const struct td_row *row, const struct td_cell *cell)
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

/* Return the width of lines of the legend.  Comments in a file are not wrapped. */
static int line_width(const struct td_writer *writer, const char *start)
{
	unsigned int columns = writer->frame->screen_columns;

	if (!columns && start[0] == '#')
		return INT_MAX;
	return columns && columns < TD_LINE_WIDTH ? (int)columns : TD_LINE_WIDTH;
}

void td_out_legend_put(const struct td_writer *writer, const char *start, const char *text)
{
	fputs(start, writer->fp);
	td_put_wrapped(writer->fp, (int)strlen(start), line_width(writer, start), text);
}

static void put_line(const struct td_writer *writer, const char *start, const char *mark,
		     const char *text)
{
	td_autofree char *line = NULL;

	line = td_aprintf("%s %s", mark, text);
	td_out_legend_put(writer, start, line);
}

static void put_impossible(const struct td_writer *writer, const char *start,
			   const struct td_marks *marks)
{
	td_autofree char *text = NULL;
	size_t size;
	FILE *fp = td_open_memstream(&text, &size);
	const char *before = "impossible value: ";

	for (size_t i = 0; i < TD_ARRAY_SIZE(misfits); i++) {
		if (!(marks->misfits & 1u << i) || !misfits[i].text)
			continue;
		fprintf(fp, "%s%s", before, misfits[i].text);
		before = ", ";
	}
	if (!marks->same_slices)
		fputs("; measured at other moments than its parent", fp);
	td_text_close(fp, &text);
	put_line(writer, start, "?", text);
}

void td_out_marks_put(const struct td_writer *writer, const struct td_marks *marks,
		      const char *start)
{
	const unsigned int correction = 1u << TD_MISFIT_CORRECTION;
	FILE *fp = writer->fp;

	if (marks->any)
		put_line(writer, start, PLUS_MINUS "?", "too few readings to estimate the value");
	if (marks->errors && marks->no_error)
		put_line(
			writer, start, "no " PLUS_MINUS,
			marks->in_step
				? "means that multiplexed groups counted different parts of the program"
				: "means too few readings to estimate the error");
	if (marks->over)
		put_line(writer, start, "*", "is above its threshold: look there");
	if (marks->misfits & ~correction)
		put_impossible(writer, start, marks);
	if (marks->misfits & correction)
		put_line(writer, start, "~",
			 "may really be 0: not larger than the correction for dropped uops");
	if (marks->errata)
		put_line(writer, start, "!",
			 "its events have errata (-v names them) and may count wrongly");
	if (!marks->missing)
		return;
	fprintf(fp, "%s- means no value%s", start, marks->why ? ": " : "");
	td_put_printable(fp, marks->why ? marks->why : "");
	fputc('\n', fp);
}
