// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/pictures/page.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>

#include "cmd/output/out.h"
#include "cmd/version.h"
#include "lib/base/number.h"
#include "lib/base/printable.h"
#include "lib/machine/machine.h"

void td_page_put(FILE *fp, const char *before, const char *text, const char *after)
{
	fputs(before, fp);
	td_put_html(fp, text);
	fputs(after, fp);
}

static const char *const json[CHAR_MAX + 1] = {
	['<'] = "\\u003c", ['>'] = "\\u003e", ['&'] = "\\u0026", ['"'] = "\\\"", ['\\'] = "\\\\",
};

static void put_json(FILE *fp, const char *letter)
{
	const char *instead = *letter > 0 ? json[(int)*letter] : NULL;

	if (instead)
		fputs(instead, fp);
	else
		fputc(*letter, fp);
}

void td_page_put_json(FILE *fp, const char *text)
{
	fputc('"', fp);
	td_put_escaped(fp, text, put_json, "\\\\x");
	fputc('"', fp);
}

void td_page_put_number(FILE *fp, double value)
{
	if (isfinite(value))
		fprintf(fp, "%.6g", value == 0 ? 0 : value);
	else
		fputs("null", fp);
}

void td_page_put_cell(FILE *fp, double value, int decimals, bool sign)
{
	char buf[64];

	fputs("<td class=\"number\">", fp);
	if (!isnan(value))
		fprintf(fp, "<data value=\"%.12g\">%s%s</data>", value,
			sign && value > 0 ? "+" : "", td_out_format(buf, decimals, value));
	fputs("</td>", fp);
}

/* --- the beginning and the end of a page, and its heading ----------------- */

#define LONG_TARGET 80 /* characters */

/* C cannot include the bytes of a file; the assembler can. */
#define EMBED(symbol, path)                               \
	__asm__(".pushsection .rodata\n"                  \
		".global " symbol "\n"                    \
		".type " symbol ",@object\n" symbol ":\n" \
		".incbin \"" path "\"\n"                  \
		".byte 0\n"                               \
		".size " symbol ", . - " symbol "\n"      \
		".popsection\n")

extern const char td_page_css[], td_page_js[], td_page_js_hash[];
EMBED("td_page_css", "cmd/pictures/page.css");
EMBED("td_page_js", "cmd/pictures/page.js");
/* The base64 of the script's SHA-256; a page runs no other script. */
EMBED("td_page_js_hash", "build/page.js.hash");

void td_page_begin(FILE *fp, const char *title)
{
	fprintf(fp,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
		"<meta charset=\"utf-8\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		"style-src 'unsafe-inline'; script-src 'sha256-%s'; base-uri 'none'; form-action "
		"'none'\">\n"
		"<meta name=\"viewport\" content=\"width=device-width\">\n"
		"<meta name=\"color-scheme\" content=\"light dark\">\n"
		"<meta name=\"generator\" content=\"tdstat %s\">\n<title>",
		td_page_js_hash, td_version);
	td_put_html(fp, title);
	fprintf(fp, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<main>\n", td_page_css);
}

void td_page_end(FILE *fp)
{
	fprintf(fp,
		"</main>\n<footer>tdstat %s. Percentages are of slots unless stated; \302\261 "
		"half of the 95\302\240%% confidence interval; * above threshold, ? impossible, "
		"~ may be 0. In charts, children measured in cycles are scaled to fill their "
		"parent.</footer>\n<script>%s</script>\n</body>\n</html>\n",
		td_version, td_page_js);
}

static void put_machine(FILE *fp, const struct td_machine *machine)
{
	char cpuid[48];

	/* files of perf stat do not contain it */
	if (!machine || !machine->cpuid.family)
		return;
	td_cpuid_format(&machine->cpuid, cpuid);
	fputs("<dt>Processor</dt><dd>", fp);
	if (machine->model)
		fprintf(fp, "%s, ", machine->model->name);
	td_page_put(fp, "", cpuid, "</dd>\n");
	if (machine->online.nr)
		fprintf(fp, "<dt>CPUs</dt><dd>%zu</dd>\n", machine->online.nr);
}

static void put_when(FILE *fp, const struct td_frame *frame)
{
	struct td_frame wall = *frame;
	char buf[TD_CLOCK_SIZE];

	if (!frame->start_ns)
		return;
	wall.time = TD_TIME_WALL;
	fprintf(fp, "<dt>Started</dt><dd>%s</dd>\n", td_out_time(buf, &wall, 0));
}

void td_page_put_target(FILE *fp, const struct td_frame *frame)
{
	td_put_html(fp, td_target_words(frame->target_kind));
	td_put_html(fp, frame->target ? frame->target : "");
}

void td_page_put_facts(const struct td_writer *writer, bool with_target)
{
	const struct td_frame *frame = writer->frame;
	FILE *fp = writer->fp;

	fputs("<dl>\n", fp);
	if (with_target && frame->target) {
		fputs("<dt>Target</dt><dd>", fp);
		td_page_put_target(fp, frame);
		fputs("</dd>\n", fp);
	}
	put_machine(fp, frame->machine);
	put_when(fp, frame);
	if (frame->runs > 1)
		fprintf(fp, "<dt>Runs</dt><dd>%d; values are means</dd>\n", frame->runs);
	fputs("</dl>\n", fp);
}

void td_page_heading(const struct td_writer *writer)
{
	const struct td_frame *frame = writer->frame;
	FILE *fp = writer->fp;

	/* a long command is shown as text, not as a title */
	fprintf(fp, "<header>\n<h1%s>",
		frame->target && strlen(frame->target) > LONG_TARGET ? " class=\"long\"" : "");
	td_page_put_target(fp, frame);
	fputs("</h1>\n", fp);
	td_page_put_facts(writer, false);
	fputs("</header>\n", fp);
}

/* --- a table of all rows (CPUs, threads, cgroups, regions, functions) ---------- */

const struct td_node *td_page_nodes(const struct td_row *row)
{
	return row->ranked ? row->unranked : row->nodes;
}

struct rows {
	const struct td_report *report;
	bool *shown; /* per column: some row has it as a metric of depth 0 */
	FILE *fp;
};

static void find_shown(const struct rows *rows)
{
	const struct td_report *report = rows->report;

	td_for_each(const struct td_row, row, report->rows, report->nr_rows) {
		for (size_t j = 0; j < row->nr_nodes; j++) {
			int column = row->nodes[j].column;

			rows->shown[column] |=
				!row->nodes[j].depth && report->columns[column].present;
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
		fputs("<th scope=\"col\" class=\"number\">Slots, incl.&nbsp;%</th><th "
		      "scope=\"col\" class=\"number\">excl.&nbsp;%</th>",
		      fp);
	for (size_t i = 0; i < report->nr_columns; i++) {
		if (!rows->shown[i])
			continue;
		td_page_put(fp, "<th scope=\"col\" class=\"number\">", report->columns[i].name,
			    " ");
		td_page_put(fp, "", report->columns[i].unit, "</th>");
	}
	fputs("</tr></thead>\n", fp);
}

static void put_cell(FILE *fp, const struct td_row *row, const struct td_column *column,
		     const struct td_cell *cell)
{
	char text[TD_VALUE_SIZE];
	const char *missing = td_out_missing(cell->status);
	const char mark = missing ? '\0' : td_out_table_mark(row, cell);

	fputs("<td class=\"number\">", fp);
	if (missing)
		td_put_html(fp, *missing ? "-" : "");
	else
		fprintf(fp, "<data value=\"%.12g\">%s</data>", cell->value,
			td_out_value(text, column, cell->value, TD_READER_HUMAN));
	if (mark)
		fprintf(fp, "<b>%c</b>", mark);
	fputs("</td>", fp);
}

static void put_row(const struct rows *rows, size_t i)
{
	const struct td_report *report = rows->report;
	const struct td_row *row = &report->rows[i];
	FILE *fp = rows->fp;

	fprintf(fp, "<tr data-row=\"%zu\"><th scope=\"row\"><a href=\"#row%zu\">", i, i);
	td_put_html(fp, row->id);
	td_page_put(fp, "</a></th><td>", row->pmu, "</td>");
	if (row->region) {
		fputs("<td class=\"number\">", fp);
		if (!row->region->outside || row->region->function)
			fprintf(fp, "%" PRIu64, row->region->calls);
		fputs("</td>", fp);
		td_page_put_cell(fp, row->region->inclusive_pct, 1, false);
		td_page_put_cell(fp, row->region->exclusive_pct, 1, false);
	}
	for (size_t j = 0; j < report->nr_columns; j++) {
		if (rows->shown[j])
			put_cell(fp, row, &report->columns[j], &row->cells[j]);
	}
	fputs("</tr>\n", fp);
}

void td_page_rows(struct td_writer *writer, const struct td_report *report)
{
	td_autofree bool *shown = td_calloc(report->nr_columns + 1, sizeof(*shown));
	const struct rows rows = { report, shown, writer->fp };
	FILE *fp = writer->fp;

	if (!report->nr_rows)
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

/* --- the rows over time, for the script ----------------------------------- */

/*
 * An array of intervals
 *   [end in seconds, [[id, PMU, busy, share, [value, ...]], ...]]
 * with values of the nodes that td_page_put_nodes() lists for the PMU, or for events
 *   [end in seconds, [[id, event, unit, count], ...]]
 * The time before an interval that does not follow the previous one is one without rows.
 */
void td_page_timeline_begin(FILE *fp, const char *name)
{
	fprintf(fp, "<script type=\"application/json\" id=\"%s\">[", name);
}

/* Put a string and a comma. */
static void put_text(FILE *fp, const char *text)
{
	td_page_put_json(fp, text);
	fputc(',', fp);
}

static void put_row_of_interval(FILE *fp, const struct td_row *row)
{
	fputc('[', fp);
	put_text(fp, row->id);
	put_text(fp, row->pmu);
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

static void begin_interval(struct td_writer *writer, uint64_t time_ns, uint64_t elapsed_ns)
{
	uint64_t start_ns = time_ns - elapsed_ns;
	char time[40];

	fputs(writer->lines++ ? ",\n" : "\n", writer->fp);
	if (start_ns > writer->timeline_ns)
		fprintf(writer->fp, "[%s,[]],\n", td_format_seconds(time, start_ns));
	fprintf(writer->fp, "[%s,[", td_format_seconds(time, time_ns));
	writer->timeline_ns = time_ns;
}

void td_page_timeline_add(struct td_writer *writer, const struct td_report *report)
{
	FILE *fp = writer->fp;

	begin_interval(writer, report->time_ns, report->elapsed_ns);
	for (size_t i = 0; i < report->nr_rows; i++) {
		fputs(i ? "," : "", fp);
		put_row_of_interval(fp, &report->rows[i]);
	}
	fputs("]]", fp);
}

void td_page_timeline_add_events(struct td_writer *writer, const struct td_event_report *report)
{
	FILE *fp = writer->fp;

	begin_interval(writer, report->time_ns, report->elapsed_ns);
	td_for_each(const struct td_event_row, row, report->rows, report->nr_rows) {
		fputs(row != report->rows ? ",[" : "[", fp);
		put_text(fp, row->id);
		put_text(fp, row->event);
		put_text(fp, row->unit);
		td_page_put_number(fp, row->status == TD_STATUS_OK ? row->value : NAN);
		fputc(']', fp);
	}
	fputs("]]", fp);
}

void td_page_timeline_end(FILE *fp)
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

static void put_node(FILE *fp, const struct td_report *report, const struct td_node *node)
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
