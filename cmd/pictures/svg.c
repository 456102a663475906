// SPDX-License-Identifier: GPL-2.0-only
/* SVG: the icicle of each row. */
#include <stdlib.h>

#include "cmd/output/format.h"
#include "cmd/pictures/page.h"
#include "cmd/pictures/picture.h"
#include "lib/base/memory.h"
#include "lib/base/printable.h"

#define TITLE_HEIGHT 28
#define MARGIN       8
#define ROW_HEIGHT   (TITLE_HEIGHT + TD_ICICLE_HEIGHT + MARGIN)

static void put_name(FILE *fp, const struct td_writer *writer)
{
	const struct td_frame *frame = writer->frame;

	td_put_html(fp, td_target_words(frame->target_kind));
	td_put_html(fp, frame->target ? frame->target : "");
}

/* Begin a line of text with the target. */
static void put_title(FILE *fp, const struct td_writer *writer, int y)
{
	fprintf(fp, "<text x=\"8\" y=\"%d\" font-family=\"sans-serif\" font-size=\"14\">",
		y + TITLE_HEIGHT - 9);
	put_name(fp, writer);
}

static void begin(const struct td_writer *writer, int height)
{
	FILE *fp = writer->fp;

	fprintf(fp,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 "
		"0 %d %d\" role=\"img\">\n<title>",
		TD_ICICLE_WIDTH, height, TD_ICICLE_WIDTH, height);
	put_name(fp, writer);
	fputs("</title>\n<desc>Top-down tree by tdstat, with a column per level and each node's "
	      "share of the slots. Nodes above their thresholds have a bar on the left and a "
	      "star.</desc>\n"
	      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
	      fp);
}

static void put_row(FILE *fp, struct td_writer *writer, const struct td_report *report,
		    const struct td_row *row, int y)
{
	const struct td_place_on_page place = { 0, y + TITLE_HEIGHT, TD_ICICLE_WIDTH,
						TD_ICICLE_HEIGHT };
	struct td_picture picture;

	put_title(fp, writer, y);
	fputs(": ", fp);
	if (writer->frame->show_id) {
		td_put_html(fp, row->id);
		fputc(' ', fp);
	}
	td_put_html(fp, row->pmu);
	fputs("\u2002", fp);
	td_page_put_row_facts(fp, report, row);
	fputs("</text>\n", fp);
	td_picture_make(&picture, report, row);
	if (picture.depth)
		td_icicle_put(fp, &picture, &place);
	td_picture_free(&picture);
}

/* A recording that tdstat did not make may have several totals. */
static void svg_report(struct td_writer *writer, const struct td_report *report)
{
	if (writer->frame->interval)
		return;
	if (!writer->drawing)
		writer->drawing = td_open_memstream(&writer->drawn, &writer->drawn_size);
	for (size_t i = 0; i < report->nr_rows && writer->lines < TD_PAGE_CHARTS; i++)
		put_row(writer->drawing, writer, report, &report->rows[i],
			(int)writer->lines++ * ROW_HEIGHT);
}

static void svg_end(struct td_writer *writer, const struct td_usage *usage)
{
	int nr = (int)writer->lines;

	(void)usage;
	if (writer->frame->interval)
		return;
	begin(writer, nr ? nr * ROW_HEIGHT : TITLE_HEIGHT);
	if (!nr) {
		put_title(writer->fp, writer, 0);
		fputs(": nothing was counted</text>\n", writer->fp);
	} else {
		fflush(writer->drawing);
		fwrite(writer->drawn, 1, writer->drawn_size, writer->fp);
	}
	fputs("</svg>\n", writer->fp);
}

static void svg_close(struct td_writer *writer)
{
	if (writer->drawing)
		fclose(writer->drawing);
	free(writer->drawn);
	writer->drawing = NULL;
	writer->drawn = NULL;
}

const struct td_out td_out_svg = {
	.option = "--svg",
	.own_file = true,
	.one_header = true,
	.whole = true,
	.report = svg_report,
	.end = svg_end,
	.close = svg_close,
};
