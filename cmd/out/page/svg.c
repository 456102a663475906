// SPDX-License-Identifier: GPL-2.0-only
/* SVG: the icicle alone, one below the other of several rows. */
#include "cmd/out/page/icicle.h"
#include "cmd/out/page/parts.h"
#include "cmd/out/page/text.h"
#include "cmd/out/writer_rows.h"

#define TITLE_HEIGHT 28
#define MARGIN       8
#define ROW_HEIGHT   (TITLE_HEIGHT + TD_ICICLE_HEIGHT + MARGIN)

static void put_name(const struct td_writer *writer)
{
	const struct td_frame *frame = writer->frame;

	td_page_put(writer->fp, td_target_words(frame->target_kind));
	td_page_put(writer->fp, frame->target ? frame->target : "");
}

static void begin(const struct td_writer *writer, int height)
{
	FILE *fp = writer->fp;

	fprintf(fp,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
		"height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\">\n<title>",
		TD_ICICLE_WIDTH, height, TD_ICICLE_WIDTH, height);
	put_name(writer);
	fputs("</title>\n<desc>Top-down tree by tdstat: a column for each level, "
	      "and of each node its share of the slots. A bar at the left of a "
	      "node, and a star, mark what is over its threshold.</desc>\n"
	      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
	      fp);
}

static void put_row(struct td_writer *writer, const struct td_report *report,
		    const struct td_row *row, int y)
{
	const struct td_place_on_page place = { 0, y + TITLE_HEIGHT,
						TD_ICICLE_WIDTH,
						TD_ICICLE_HEIGHT };
	struct td_picture picture;
	FILE *fp = writer->fp;

	fprintf(fp,
		"<text x=\"8\" y=\"%d\" font-family=\"sans-serif\" "
		"font-size=\"14\">",
		y + TITLE_HEIGHT - 9);
	put_name(writer);
	fputs(": ", fp);
	if (writer->frame->show_id) {
		td_page_put(fp, row->id);
		fputc(' ', fp);
	}
	td_page_put(fp, row->pmu);
	fputs("\u2002", fp);
	td_page_put_row_facts(writer, row);
	fputs("</text>\n", fp);
	if (td_picture_make(&picture, report, row))
		writer->no_memory = true;
	else if (picture.depth)
		td_icicle_put(fp, &picture, &place);
	td_picture_free(&picture);
}

static void svg_report(struct td_writer *writer, const struct td_report *report)
{
	size_t nr = report->nr_rows < TD_PAGE_PICTURES ? report->nr_rows
						       : TD_PAGE_PICTURES;

	if (writer->frame->interval)
		return;
	begin(writer, nr ? (int)nr * ROW_HEIGHT : TITLE_HEIGHT);
	for (size_t i = 0; i < nr; i++)
		put_row(writer, report, &report->rows[i], (int)i * ROW_HEIGHT);
	fputs("</svg>\n", writer->fp);
}

const struct td_out td_out_svg = {
	.option = "--svg",
	.arg = "FILE",
	.own_file = true,
	.help = "the tree as a picture",
	.one_header = true,
	.whole = true,
	.report = svg_report,
};
