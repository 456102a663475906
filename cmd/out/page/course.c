// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rows over time, for the script: an array of intervals, each
 *   [end in seconds, [[id, PMU, busy, share, [value, ...]], ...]]
 * whose values are of the nodes that td_page_put_nodes() lists for the PMU.
 * Of events, in another array,
 *   [end in seconds, [[id, event, unit, count], ...]]
 */
#include <math.h>
#include <string.h>

#include "cmd/out/page/parts.h"
#include "cmd/out/page/text.h"
#include "lib/base/number.h"
#include "lib/base/util.h"

void td_page_course_begin(FILE *fp, const char *name)
{
	fprintf(fp, "<script type=\"application/json\" id=\"%s\">[", name);
}

static void put_row(FILE *fp, const struct td_row *row)
{
	fputc('[', fp);
	td_page_put_json(fp, row->id);
	fputc(',', fp);
	td_page_put_json(fp, row->pmu);
	fputc(',', fp);
	td_page_put_number(fp, row->busy_pct);
	fputc(',', fp);
	td_page_put_number(fp, row->share_pct);
	fputs(",[", fp);
	for (size_t i = 0; i < row->nr_nodes; i++) {
		const struct td_node *node = &td_page_nodes(row)[i];
		const struct td_cell *cell = &row->cells[node->column];

		fputs(i ? "," : "", fp);
		td_page_put_number(fp, td_cell_value(cell));
	}
	fputs("]]", fp);
}

static void begin_interval(struct td_writer *writer, uint64_t time_ns)
{
	char time[40];

	fprintf(writer->fp, "%s[%s,[", writer->lines++ ? ",\n" : "\n",
		td_format_seconds(time, time_ns));
}

void td_page_course_add(struct td_writer *writer,
			const struct td_report *report)
{
	FILE *fp = writer->fp;

	begin_interval(writer, report->time_ns);
	for (size_t i = 0; i < report->nr_rows; i++) {
		fputs(i ? "," : "", fp);
		put_row(fp, &report->rows[i]);
	}
	fputs("]]", fp);
}

static void put_event(FILE *fp, const struct td_event_row *row)
{
	fputc('[', fp);
	td_page_put_json(fp, row->id);
	fputc(',', fp);
	td_page_put_json(fp, row->event);
	fputc(',', fp);
	td_page_put_json(fp, row->unit);
	fputc(',', fp);
	td_page_put_number(fp, row->status == TD_STATUS_OK ? row->value : NAN);
	fputc(']', fp);
}

void td_page_course_add_events(struct td_writer *writer,
			       const struct td_event_report *report)
{
	FILE *fp = writer->fp;

	begin_interval(writer, report->time_ns);
	for (size_t i = 0; i < report->nr_rows; i++) {
		fputs(i ? "," : "", fp);
		put_event(fp, &report->rows[i]);
	}
	fputs("]]", fp);
}

void td_page_course_end(FILE *fp)
{
	fputs("\n]</script>\n", fp);
}

static bool is_first(const struct td_report *report, size_t row)
{
	for (size_t i = 0; i < row; i++) {
		if (strcmp(report->rows[i].pmu, report->rows[row].pmu) == 0)
			return false;
	}
	return true;
}

static void put_node(FILE *fp, const struct td_report *report,
		     const struct td_node *node)
{
	const struct td_column *column = &report->columns[node->column];

	fputc('[', fp);
	td_page_put_json(fp, column->name);
	fprintf(fp, ",%d,", node->level);
	if (node->parent)
		td_page_put_json(fp, node->parent);
	else
		fputs("null", fp);
	fputc(',', fp);
	td_page_put_json(fp, column->unit);
	fputc(']', fp);
}

void td_page_put_nodes(FILE *fp, const struct td_report *report)
{
	const char *comma = "";

	fputs("<script type=\"application/json\" id=\"nodes\">[", fp);
	for (size_t i = 0; i < report->nr_rows; i++) {
		const struct td_row *row = &report->rows[i];

		if (!is_first(report, i))
			continue;
		fprintf(fp, "%s\n[", comma);
		td_page_put_json(fp, row->pmu);
		for (size_t j = 0; j < row->nr_nodes; j++) {
			fputs(",\n", fp);
			put_node(fp, report, &td_page_nodes(row)[j]);
		}
		fputc(']', fp);
		comma = ",";
	}
	fputs("\n]</script>\n", fp);
}
