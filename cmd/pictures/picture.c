// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/pictures/picture.h"

#include <limits.h>
#include <math.h>

#include "cmd/output/columns.h"
#include "cmd/output/format.h"
#include "cmd/output/out.h"
#include "cmd/pictures/page.h"
#include "lib/base/printable.h"

#define ALL_PCT 100

/* Return a node's hue.  Nodes outside of level 1 get the hues in turn. */
static int find_hue(const char *name, int turn)
{
	enum td_part part = td_part_of(name);

	return part == TD_NR_PARTS ? turn % TD_NR_PARTS : (int)part;
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

void td_picture_make(struct td_picture *picture, const struct td_report *report,
		     const struct td_row *row)
{
	*picture = (struct td_picture){ 0 };
	picture->v = td_calloc(row->nr_nodes + 1, sizeof(*picture->v));
	picture->nr = row->nr_nodes;
	for (size_t i = 0; i < picture->nr; i++) {
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
	td_picture_place(picture);
}

/*
 * Return the value as a share; NaN for metrics outside of the tree and for nodes without a share,
 * which are not drawn.
 */
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
		/* the node of level 1 gives the colour, even if it is not shown */
		const char *name = d->node->parent ? d->node->parent : d->column->name;
		struct td_drawn *above;

		d->above = find_above(picture, i);
		above = d->above < 0 ? NULL : &picture->v[d->above];
		d->depth = above ? above->depth + 1 : 0;
		d->hue = above ? above->hue : find_hue(name, turn++);
		d->sum = 0;
		*(above ? &above->sum : top) += share(d);
	}
}

void td_picture_place(struct td_picture *picture)
{
	double top = 0, next = 0;

	hang(picture, &top);
	picture->depth = 0;
	td_for_each(struct td_drawn, d, picture->v, picture->nr) {
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
	td_page_put(fp, " ", drawn->column->unit, "");
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

static void put_label(FILE *fp, const struct td_drawn *drawn, double height)
{
	char value[TD_VALUE_SIZE];

	fprintf(fp, "<text x=\"8\" y=\"50%%\" dy=\".35em\"%s%s>",
		drawn->mark == '*' ? " font-weight=\"bold\"" : "",
		height < TEXT_HEIGHT ? " display=\"none\"" : "");
	fputs(td_out_value(value, drawn->column, drawn->value, TD_READER_HUMAN), fp);
	if (drawn->mark)
		fputc(drawn->mark, fp);
	td_page_put(fp, " ", td_node_short_name(drawn->column->name), "</text>");
}

/* An <svg> per node clips its text. */
static void put_node(FILE *fp, const struct td_picture *picture, size_t i, int y, double width)
{
	const struct td_drawn *d = &picture->v[i];
	double height = (d->to - d->from) * TD_ICICLE_HEIGHT;
	char colour[8];

	fprintf(fp,
		"<svg class=\"node\" data-node=\"%zu\" data-depth=\"%d\" data-from=\"%.6f\" "
		"data-to=\"%.6f\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\">",
		i, d->depth, d->from, d->to, d->depth * width, y + d->from * TD_ICICLE_HEIGHT,
		width, height);
	td_page_put(fp, "<title>", d->column->name, ": ");
	put_value(fp, d);
	fputs(mark_words(d->mark), fp);
	if (d->node->desc) {
		td_page_put(fp, ". ", d->node->desc, "");
	}
	fputs("</title>", fp);
	fprintf(fp, "<rect width=\"100%%\" height=\"100%%\" fill=\"%s\"%s/>",
		td_icicle_colour(colour, d->hue, d->depth),
		height < LINE_HEIGHT ? "" : " stroke=\"#fff\"");
	if (d->mark == '*')
		fputs("<rect width=\"4\" height=\"100%\" fill=\"#000\"/>", fp);
	put_label(fp, d, height);
	fputs("</svg>\n", fp);
}

void td_icicle_put(FILE *fp, const struct td_picture *picture, int y, int width)
{
	fputs("<g font-family=\"sans-serif\" font-size=\"12\" fill=\"#000\">\n", fp);
	for (size_t i = 0; i < picture->nr; i++) {
		if (picture->v[i].to > picture->v[i].from)
			put_node(fp, picture, i, y, (double)width / picture->depth);
	}
	fputs("</g>\n", fp);
}

/* --- the facts of a row ----------------------------------------------------- */

/* Put a fact, unless value is NaN. */
static void put_fact(FILE *fp, const char **comma, int decimals, double value, const char *words)
{
	if (isnan(value))
		return;
	fprintf(fp, "%s%.*f\u00a0%s", *comma, decimals, value, words);
	*comma = ", ";
}

/* Write "54.0 % of the slots, 12.0 % busy". */
static void put_row_facts(FILE *fp, const struct td_report *report, const struct td_row *row)
{
	unsigned int shown = td_facts_shown(report, UINT_MAX);
	enum td_status status = td_out_row_status(row);
	const char *comma = "";

	if (status != TD_STATUS_OK) {
		td_put_html(fp, td_out_missing(status));
		return;
	}
	put_fact(fp, &comma, 1, row->share_pct < TD_ALL_PCT ? row->share_pct : NAN,
		 "% of the slots");
	put_fact(fp, &comma, 1, row->activity.cpus ? row->busy_pct : td_out_of_a_cpu(row->busy_pct),
		 row->activity.cpus ? "% busy" : "% of one CPU");
	for (size_t i = 0; i < td_nr_row_facts; i++) {
		if (shown & 1U << i && td_row_facts[i].unit)
			put_fact(fp, &comma, td_fact_digits(&td_row_facts[i]),
				 td_row_fact(row, &td_row_facts[i]), td_row_facts[i].unit);
	}
	put_fact(fp, &comma, 1, row->running_pct < TD_ALL_PCT ? row->running_pct : NAN,
		 "% of the time measured");
	if (row->idle)
		fprintf(fp, "%salmost idle", comma);
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
	struct td_picture picture;

	put_target_line(fp, writer, y);
	fputs(": ", fp);
	if (writer->frame->show_id) {
		td_page_put(fp, "", row->id, " ");
	}
	td_page_put(fp, "", row->pmu, "\u2002");
	put_row_facts(fp, report, row);
	fputs("</text>\n", fp);
	td_picture_make(&picture, report, row);
	if (picture.depth)
		td_icicle_put(fp, &picture, y + TITLE_HEIGHT, TD_ICICLE_WIDTH);
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

/* --- a row as an icicle and as a table of its nodes ------------------------- */

#define MANY_ROWS 4

struct tree {
	const struct td_report *report;
	const struct td_row *row;
	bool has_words; /* some node has a description, or a reason for no value */
	FILE *fp;
};

/* Write the value, and the exact value for scripts. */
static void put_value_cells(const struct tree *tree, const struct td_column *column,
			    const struct td_cell *cell)
{
	const char *missing = td_out_missing(cell->status);
	char text[TD_VALUE_SIZE];
	FILE *fp = tree->fp;

	if (missing) {
		td_page_put(fp, "<td class=\"number missing\" colspan=\"2\">", missing,
			    "</td><td></td>");
		return;
	}
	fprintf(fp, "<td class=\"number\"><data value=\"%.12g\">%s</data></td>", cell->value,
		td_out_value(text, column, cell->value, TD_READER_HUMAN));
	fputs("<td class=\"error\">", fp);
	if (!isnan(cell->error))
		fprintf(fp, "\u00b1<data value=\"%.12g\">%s</data>", cell->error,
			td_out_error(text, column, cell->value, cell->error));
	else if (cell->too_short)
		fputs("<abbr title=\"too few readings to estimate the error\">?</abbr>", fp);
	td_page_put(fp, "</td><td>", column->unit, "</td>");
}

static void put_mark(const struct tree *tree, const struct td_cell *cell)
{
	FILE *fp = tree->fp;
	bool ok = cell->status == TD_STATUS_OK;
	char mark = ok ? td_out_table_mark(tree->row, cell) : '\0';

	fputs("<td class=\"mark\">", fp);
	if (mark == '*')
		fputs("<b>* above its threshold</b>", fp);
	else if (mark == '?')
		fprintf(fp, "<b>? impossible value: %s</b>", td_out_misfit_word(cell->misfit));
	else if (mark)
		fputs("~ may be 0", fp);
	fputs("</td><td class=\"number\">", fp);
	if (ok)
		fprintf(fp, "%.1f\u00a0%%", cell->running_pct);
	fputs("</td>", fp);
}

static const char *words_of(const struct td_row *row, const struct td_node *node)
{
	const struct td_cell *cell = &row->cells[node->column];

	if (cell->status != TD_STATUS_OK && cell->why)
		return cell->why;
	return node->desc ? node->desc : "";
}

static bool has_words(const struct td_row *row)
{
	for (size_t i = 0; i < row->nr_nodes; i++) {
		if (*words_of(row, &row->nodes[i]))
			return true;
	}
	return false;
}

static void put_node_row(const struct tree *tree, size_t i)
{
	const struct td_node *node = &tree->row->nodes[i];
	const struct td_column *column = &tree->report->columns[node->column];
	const struct td_cell *cell = &tree->row->cells[node->column];
	FILE *fp = tree->fp;

	if (cell->status == TD_STATUS_NONE)
		return;
	fprintf(fp, "<tr data-node=\"%zu\" class=\"%s\"><th scope=\"row\" class=\"d%d\">", i,
		td_out_is_over(tree->row, cell) ? "over" : "", node->depth < 6 ? node->depth : 6);
	td_page_put(fp, "", column->name, "</th>");
	put_value_cells(tree, column, cell);
	put_mark(tree, cell);
	if (tree->has_words) {
		td_page_put(fp, "<td class=\"desc\">", words_of(tree->row, node), "</td>");
	}
	fputs("</tr>\n", fp);
}

static void put_table(const struct tree *tree)
{
	FILE *fp = tree->fp;

	fputs("<details class=\"values\" open><summary>Values</summary>\n"
	      "<div class=\"scroll\"><table class=\"tree\">\n<thead><tr><th "
	      "scope=\"col\">Node</th><th scope=\"col\" class=\"number\">Value</th><th "
	      "scope=\"col\">Error</th><th scope=\"col\">Unit</th><th scope=\"col\">Mark</th><th "
	      "scope=\"col\" class=\"number\">Measured</th>",
	      fp);
	fputs(tree->has_words ? "<th scope=\"col\">Description</th>" : "", fp);
	fputs("</tr></thead>\n<tbody>\n", fp);
	for (size_t i = 0; i < tree->row->nr_nodes; i++)
		put_node_row(tree, i);
	fputs("</tbody></table></div></details>\n", fp);
}

static void put_icicle(const struct tree *tree)
{
	const int width = TD_ICICLE_WIDTH, height = TD_ICICLE_HEIGHT;
	struct td_picture picture;

	td_picture_make(&picture, tree->report, tree->row);
	if (picture.depth) {
		fprintf(tree->fp,
			"<figure class=\"icicle\"><svg viewBox=\"0 0 %d %d\" width=\"%d\" "
			"height=\"%d\" data-columns=\"%d\">\n",
			width, height, width, height, picture.depth);
		td_icicle_put(tree->fp, &picture, 0, width);
		fputs("</svg></figure>\n", tree->fp);
	}
	td_picture_free(&picture);
}

/*
 * Is the row open at first?  If there are many rows, only the first one is, because a table of all
 * rows precedes them.
 */
static bool is_open(const struct td_report *report, size_t row)
{
	bool counted = td_out_row_status(&report->rows[row]) == TD_STATUS_OK;

	return row == 0 || (counted && report->nr_rows <= MANY_ROWS);
}

void td_page_tree(struct td_writer *writer, const struct td_report *report, size_t row)
{
	const struct tree tree = { report, &report->rows[row], has_words(&report->rows[row]),
				   writer->fp };
	FILE *fp = writer->fp;

	fprintf(fp, "<details class=\"row\" id=\"row%zu\" data-id=\"", row);
	td_page_put(fp, "", tree.row->id, "\" data-pmu=\"");
	td_put_html(fp, tree.row->pmu);
	fprintf(fp, "\"%s>\n<summary><h2>", is_open(report, row) ? " open" : "");
	if (writer->frame->show_id) {
		td_page_put(fp, "", tree.row->id, " ");
	}
	td_page_put(fp, "", tree.row->pmu, "</h2> <span>");
	put_row_facts(writer->fp, report, tree.row);
	fputs("</span></summary>\n", fp);
	if (row < TD_PAGE_CHARTS)
		put_icicle(&tree);
	put_table(&tree);
	fputs("</details>\n", fp);
}
