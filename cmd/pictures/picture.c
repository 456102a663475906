// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/pictures/picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/output/format.h"
#include "cmd/output/out.h"
#include "cmd/pictures/page.h"
#include "lib/base/memory.h"
#include "lib/base/printable.h"
#include "lib/base/util.h"

#define ALL_PCT 100

/* Return a node's hue.  Nodes outside of level 1 get the hues in turn. */
static int find_hue(const char *name, int turn)
{
	enum td_part part = td_part_of(name);

	return part == TD_NR_PARTS ? turn % TD_NR_PARTS : (int)part;
}

/* Return the node of level 1 that gives the colour, even if it is not shown. */
static const char *name_of_hue(const struct td_drawn *drawn)
{
	return drawn->node->parent ? drawn->node->parent : drawn->column->name;
}

const struct td_node *td_page_nodes(const struct td_row *row)
{
	return row->ranked ? row->unranked : row->nodes;
}

static int find_above(const struct td_picture *picture, size_t i)
{
	const char *parent = picture->v[i].node->parent;

	for (size_t j = i; parent && j-- > 0;) {
		if (strcmp(picture->v[j].column->name, parent) == 0)
			return (int)j;
	}
	return -1;
}

static void add(struct td_picture *picture, const struct td_report *report,
		const struct td_row *row, size_t i)
{
	const struct td_node *node = &td_page_nodes(row)[i];
	const struct td_cell *cell = &row->cells[node->column];
	bool ok = cell->status == TD_STATUS_OK;

	picture->v[i] = (struct td_drawn){
		.node = node,
		.column = &report->columns[node->column],
		.value = td_cell_value(cell),
		.error = ok ? cell->error : NAN,
		.mark = ok ? td_out_table_mark(row, cell) : '\0',
	};
}

void td_picture_make(struct td_picture *picture, const struct td_report *report,
		     const struct td_row *row)
{
	*picture = (struct td_picture){ 0 };
	picture->v = td_calloc(row->nr_nodes + 1, sizeof(*picture->v));
	picture->nr = row->nr_nodes;
	for (size_t i = 0; i < picture->nr; i++)
		add(picture, report, row, i);
	td_picture_place(picture);
}

/* Metrics outside of the tree, and those without a share, are not drawn. */
static double share(const struct td_drawn *drawn)
{
	return drawn->node->level && drawn->value > 0 && isfinite(drawn->value) &&
			       drawn->column->unit[0] == '%'
		       ? drawn->value
		       : 0;
}

static void hang(struct td_picture *picture, double *top)
{
	int turn = 0;

	for (size_t i = 0; i < picture->nr; i++) {
		struct td_drawn *d = &picture->v[i];
		struct td_drawn *above;

		d->above = find_above(picture, i);
		above = d->above < 0 ? NULL : &picture->v[d->above];
		d->depth = above ? above->depth + 1 : 0;
		d->hue = above ? above->hue : find_hue(name_of_hue(d), turn++);
		d->sum = 0;
		*(above ? &above->sum : top) += share(d);
	}
}

void td_picture_place(struct td_picture *picture)
{
	double top = 0, next = 0;

	hang(picture, &top);
	picture->depth = 0;
	for (size_t i = 0; i < picture->nr; i++) {
		struct td_drawn *d = &picture->v[i];
		struct td_drawn *above = d->above < 0 ? NULL : &picture->v[d->above];
		double whole = above ? fmax(above->sum, share(above)) : fmax(top, ALL_PCT);
		double room = above ? above->to - above->from : 1;

		d->from = above ? above->next : next;
		d->to = d->from + (whole > 0 ? room * share(d) / whole : 0);
		d->next = d->from;
		*(above ? &above->next : &next) = d->to;
		if (d->to > d->from && d->depth >= picture->depth)
			picture->depth = d->depth + 1;
	}
}

void td_picture_free(struct td_picture *picture)
{
	free(picture->v);
	*picture = (struct td_picture){ 0 };
}

/* --- as an icicle --------------------------------------------------------- */

#define TEXT_HEIGHT 13   /* minimum for a label */
#define LINE_HEIGHT 3    /* minimum for a border */
#define PALER       0.17 /* part of the way to white, per level */
#define PALEST      0.7

/* Okabe and Ito's colours, which colour-blind people can distinguish. */
static const unsigned char hues[TD_NR_PARTS][3] = {
	[TD_PART_RETIRING] = { 0x2a, 0xb0, 0x84 }, [TD_PART_BAD_SPECULATION] = { 0xe0, 0x75, 0x30 },
	[TD_PART_FRONTEND] = { 0x56, 0xb4, 0xe9 }, [TD_PART_BACKEND] = { 0xe6, 0x9f, 0x00 },
	[TD_PART_OTHER] = { 0xcc, 0x79, 0xa7 },
};

static unsigned int pale(unsigned char part, int depth)
{
	double way = fmin(depth * PALER, PALEST);

	return (unsigned int)lround(part + (255 - part) * way);
}

const char *td_icicle_colour(char buf[8], int hue, int depth)
{
	const unsigned char *rgb = hues[hue];

	snprintf(buf, 8, "#%02x%02x%02x", pale(rgb[0], depth), pale(rgb[1], depth),
		 pale(rgb[2], depth));
	return buf;
}

/* Write "24.5 ±0.1 %". */
static void put_value(FILE *fp, const struct td_drawn *drawn)
{
	char text[TD_VALUE_SIZE];

	if (isnan(drawn->value)) {
		fputs("no value", fp);
		return;
	}
	fputs(td_out_value(text, drawn->column, drawn->value, TD_READER_HUMAN), fp);
	if (!isnan(drawn->error))
		fprintf(fp, " \u00b1%s",
			td_out_error(text, drawn->column, drawn->value, drawn->error));
	fputc(' ', fp);
	td_put_html(fp, drawn->column->unit);
}

static const char *mark_words(char mark)
{
	switch (mark) {
	case '*':
		return ", above its threshold";
	case '?':
		return ", impossible";
	case '~':
		return ", may be 0";
	default:
		return "";
	}
}

static void put_title(FILE *fp, const struct td_drawn *drawn)
{
	fputs("<title>", fp);
	td_put_html(fp, drawn->column->name);
	fputs(": ", fp);
	put_value(fp, drawn);
	fputs(mark_words(drawn->mark), fp);
	if (drawn->node->desc) {
		fputs(". ", fp);
		td_put_html(fp, drawn->node->desc);
	}
	fputs("</title>", fp);
}

static void put_label(FILE *fp, const struct td_drawn *drawn, double height)
{
	char value[TD_VALUE_SIZE];

	fprintf(fp, "<text x=\"8\" y=\"50%%\" dy=\".35em\"%s%s>",
		drawn->mark == '*' ? " font-weight=\"bold\"" : "",
		height < TEXT_HEIGHT ? " display=\"none\"" : "");
	fputs(td_out_value(value, drawn->column, drawn->value, TD_READER_HUMAN), fp);
	if (drawn->mark)
		fputc(drawn->mark, fp);
	fputc(' ', fp);
	td_put_html(fp, td_node_short_name(drawn->column->name));
	fputs("</text>", fp);
}

/* An <svg> per node clips its text. */
static void put_node(FILE *fp, const struct td_picture *picture, size_t i,
		     const struct td_place_on_page *place)
{
	const struct td_drawn *d = &picture->v[i];
	double width = (double)place->width / picture->depth;
	double height = (d->to - d->from) * place->height;
	char colour[8];

	fprintf(fp,
		"<svg class=\"node\" data-node=\"%zu\" data-depth=\"%d\" data-from=\"%.6f\" "
		"data-to=\"%.6f\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\">",
		i, d->depth, d->from, d->to, place->x + d->depth * width,
		place->y + d->from * place->height, width, height);
	put_title(fp, d);
	fprintf(fp, "<rect width=\"100%%\" height=\"100%%\" fill=\"%s\"%s/>",
		td_icicle_colour(colour, d->hue, d->depth),
		height < LINE_HEIGHT ? "" : " stroke=\"#fff\"");
	if (d->mark == '*')
		fputs("<rect width=\"4\" height=\"100%\" fill=\"#000\"/>", fp);
	put_label(fp, d, height);
	fputs("</svg>\n", fp);
}

void td_icicle_put(FILE *fp, const struct td_picture *picture, const struct td_place_on_page *place)
{
	fputs("<g font-family=\"sans-serif\" font-size=\"12\" fill=\"#000\">\n", fp);
	for (size_t i = 0; i < picture->nr; i++) {
		if (picture->v[i].to > picture->v[i].from)
			put_node(fp, picture, i, place);
	}
	fputs("</g>\n", fp);
}

/* --- SVG: the icicle of each row ------------------------------------------- */

#define TITLE_HEIGHT 28
#define MARGIN       8
#define ROW_HEIGHT   (TITLE_HEIGHT + TD_ICICLE_HEIGHT + MARGIN)

/* Begin a line of text with the target. */
static void put_target_line(FILE *fp, const struct td_writer *writer, int y)
{
	fprintf(fp, "<text x=\"8\" y=\"%d\" font-family=\"sans-serif\" font-size=\"14\">",
		y + TITLE_HEIGHT - 9);
	td_page_put_target(fp, writer->frame);
}

static void begin_svg(const struct td_writer *writer, int height)
{
	FILE *fp = writer->fp;

	fprintf(fp,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 "
		"0 %d %d\" role=\"img\">\n<title>",
		TD_ICICLE_WIDTH, height, TD_ICICLE_WIDTH, height);
	td_page_put_target(fp, writer->frame);
	fputs("</title>\n<desc>Top-down tree by tdstat, with a column per level and each node's "
	      "share of the slots. Nodes above their thresholds have a bar on the left and a "
	      "star.</desc>\n"
	      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
	      fp);
}

static void put_svg_row(FILE *fp, struct td_writer *writer, const struct td_report *report,
			const struct td_row *row, int y)
{
	const struct td_place_on_page place = { 0, y + TITLE_HEIGHT, TD_ICICLE_WIDTH,
						TD_ICICLE_HEIGHT };
	struct td_picture picture;

	put_target_line(fp, writer, y);
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
		put_svg_row(writer->drawing, writer, report, &report->rows[i],
			    (int)writer->lines++ * ROW_HEIGHT);
}

static void svg_end(struct td_writer *writer, const struct td_usage *usage)
{
	int nr = (int)writer->lines;

	(void)usage;
	if (writer->frame->interval)
		return;
	begin_svg(writer, nr ? nr * ROW_HEIGHT : TITLE_HEIGHT);
	if (!nr) {
		put_target_line(writer->fp, writer, 0);
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
