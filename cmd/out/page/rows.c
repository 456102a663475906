// SPDX-License-Identifier: GPL-2.0-only
/* A table of all rows: CPUs, threads, cgroups, regions or functions. */
#include <inttypes.h>
#include <stdlib.h>

#include "cmd/out/page/parts.h"
#include "cmd/out/page/text.h"
#include "lib/base/util.h"

struct rows {
	const struct td_report *report;
	bool *shown; /* of each column: it is an uppermost metric of some row */
	FILE *fp;
};

static void find_shown(const struct rows *rows)
{
	const struct td_report *report = rows->report;

	for (size_t i = 0; i < report->nr_rows; i++) {
		const struct td_row *row = &report->rows[i];

		for (size_t j = 0; j < row->nr_nodes; j++) {
			int column = row->nodes[j].column;

			rows->shown[column] |= !row->nodes[j].depth &&
					       report->columns[column].present;
		}
	}
}

static void put_header(const struct rows *rows)
{
	const struct td_report *report = rows->report;
	bool regions = report->rows[0].region;
	FILE *fp = rows->fp;

	fputs("<thead><tr><th scope=\"col\">Row</th>", fp);
	fputs("<th scope=\"col\">PMU</th>", fp);
	if (regions)
		fprintf(fp, "<th scope=\"col\" class=\"number\">%s</th>",
			report->functions ? "Windows" : "Calls");
	if (regions)
		fputs("<th scope=\"col\" class=\"number\">Slots, incl.&nbsp;%</th>"
		      "<th scope=\"col\" class=\"number\">excl.&nbsp;%</th>",
		      fp);
	for (size_t i = 0; i < report->nr_columns; i++) {
		if (!rows->shown[i])
			continue;
		fputs("<th scope=\"col\" class=\"number\">", fp);
		td_page_put(fp, report->columns[i].name);
		fputs(" ", fp);
		td_page_put(fp, report->columns[i].unit);
		fputs("</th>", fp);
	}
	fputs("</tr></thead>\n", fp);
}

static void put_facts(FILE *fp, const struct td_region_facts *facts)
{
	fputs("<td class=\"number\">", fp);
	if (!facts->outside || facts->function)
		fprintf(fp, "%" PRIu64, facts->calls);
	fputs("</td>", fp);
	td_page_put_cell(fp, facts->inclusive_pct, 1, false);
	td_page_put_cell(fp, facts->exclusive_pct, 1, false);
}

static void put_cell(FILE *fp, const struct td_row *row,
		     const struct td_column *column, const struct td_cell *cell)
{
	char text[TD_VALUE_SIZE];
	const char *missing = td_out_missing(cell->status);
	const char mark = missing ? '\0' : td_out_table_mark(row, cell);

	fputs("<td class=\"number\">", fp);
	if (missing)
		td_page_put(fp, *missing ? "-" : "");
	else
		fprintf(fp, "<data value=\"%.12g\">%s</data>", cell->value,
			td_out_value(text, column, cell->value,
				     TD_READER_HUMAN));
	if (mark)
		fprintf(fp, "<b>%c</b>", mark);
	fputs("</td>", fp);
}

static void put_row(const struct rows *rows, size_t i)
{
	const struct td_report *report = rows->report;
	const struct td_row *row = &report->rows[i];
	FILE *fp = rows->fp;

	fprintf(fp,
		"<tr data-row=\"%zu\"><th scope=\"row\"><a href=\"#row%zu\">",
		i, i);
	td_page_put(fp, row->id);
	fputs("</a></th><td>", fp);
	td_page_put(fp, row->pmu);
	fputs("</td>", fp);
	if (row->region)
		put_facts(fp, row->region);
	for (size_t j = 0; j < report->nr_columns; j++) {
		if (rows->shown[j])
			put_cell(fp, row, &report->columns[j], &row->cells[j]);
	}
	fputs("</tr>\n", fp);
}

void td_page_rows(struct td_writer *writer, const struct td_report *report)
{
	td_autofree bool *shown =
		calloc(report->nr_columns + 1, sizeof(*shown));
	const struct rows rows = { report, shown, writer->fp };
	FILE *fp = writer->fp;

	writer->no_memory |= !shown;
	if (!report->nr_rows || !shown)
		return;
	find_shown(&rows);
	fputs("<section class=\"rows\">\n<h2>All rows</h2>\n"
	      "<div class=\"scroll\"><table class=\"rows\">\n",
	      fp);
	put_header(&rows);
	fputs("<tbody>\n", fp);
	for (size_t i = 0; i < report->nr_rows; i++)
		put_row(&rows, i);
	fputs("</tbody></table></div>\n</section>\n", fp);
}
