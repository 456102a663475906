// SPDX-License-Identifier: GPL-2.0-only
/* A row as an icicle and as a table of its nodes. */
#include <limits.h>
#include <math.h>

#include "cmd/output/columns.h"
#include "cmd/output/out.h"
#include "cmd/pictures/page.h"
#include "cmd/pictures/picture.h"
#include "lib/base/printable.h"
#include "lib/base/util.h"

#define MANY_ROWS 4

struct tree {
	const struct td_report *report;
	const struct td_row *row;
	bool has_words; /* some node has a description, or a reason for no value */
	FILE *fp;
};

/* value NaN: no such fact. */
static void put_fact(FILE *fp, const char **comma, int decimals, double value, const char *words)
{
	if (isnan(value))
		return;
	fprintf(fp, "%s%.*f\u00a0%s", *comma, decimals, value, words);
	*comma = ", ";
}

void td_page_put_row_facts(FILE *fp, const struct td_report *report, const struct td_row *row)
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

/* Write the value, and the exact value for scripts. */
static void put_value(const struct tree *tree, const struct td_column *column,
		      const struct td_cell *cell)
{
	const char *missing = td_out_missing(cell->status);
	char text[TD_VALUE_SIZE];
	FILE *fp = tree->fp;

	if (missing) {
		fputs("<td class=\"number missing\" colspan=\"2\">", fp);
		td_put_html(fp, missing);
		fputs("</td><td></td>", fp);
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
	fputs("</td><td>", fp);
	td_put_html(fp, column->unit);
	fputs("</td>", fp);
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

static void put_node(const struct tree *tree, size_t i)
{
	const struct td_node *node = &tree->row->nodes[i];
	const struct td_column *column = &tree->report->columns[node->column];
	const struct td_cell *cell = &tree->row->cells[node->column];
	FILE *fp = tree->fp;

	if (cell->status == TD_STATUS_NONE)
		return;
	fprintf(fp, "<tr data-node=\"%zu\" class=\"%s\"><th scope=\"row\" class=\"d%d\">", i,
		td_out_is_over(tree->row, cell) ? "over" : "", node->depth < 6 ? node->depth : 6);
	td_put_html(fp, column->name);
	fputs("</th>", fp);
	put_value(tree, column, cell);
	put_mark(tree, cell);
	if (tree->has_words) {
		fputs("<td class=\"desc\">", fp);
		td_put_html(fp, words_of(tree->row, node));
		fputs("</td>", fp);
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
		put_node(tree, i);
	fputs("</tbody></table></div></details>\n", fp);
}

static void put_icicle(const struct tree *tree)
{
	const struct td_place_on_page place = { 0, 0, TD_ICICLE_WIDTH, TD_ICICLE_HEIGHT };
	struct td_picture picture;

	td_picture_make(&picture, tree->report, tree->row);
	if (!picture.depth) {
		td_picture_free(&picture);
		return;
	}
	fprintf(tree->fp,
		"<figure class=\"icicle\"><svg viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
		"data-columns=\"%d\">\n",
		place.width, place.height, place.width, place.height, picture.depth);
	td_icicle_put(tree->fp, &picture, &place);
	fputs("</svg></figure>\n", tree->fp);
	td_picture_free(&picture);
}

/* With many rows, only the first is open, because a table of all rows precedes them. */
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
	td_put_html(fp, tree.row->id);
	fputs("\" data-pmu=\"", fp);
	td_put_html(fp, tree.row->pmu);
	fprintf(fp, "\"%s>\n<summary><h2>", is_open(report, row) ? " open" : "");
	if (writer->frame->show_id) {
		td_put_html(fp, tree.row->id);
		fputc(' ', fp);
	}
	td_put_html(fp, tree.row->pmu);
	fputs("</h2> <span>", fp);
	td_page_put_row_facts(writer->fp, report, tree.row);
	fputs("</span></summary>\n", fp);
	if (row < TD_PAGE_CHARTS)
		put_icicle(&tree);
	put_table(&tree);
	fputs("</details>\n", fp);
}
