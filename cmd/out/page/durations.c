// SPDX-License-Identifier: GPL-2.0-only
/*
 * How long the calls of a function took: a bar for each row, as long as its share of
 * the time of all calls, in the colours of what their slots went to.  What the bar has
 * no colour of is time without a CPU, and a row without metrics is grey.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/out/page/page.h"
#include "cmd/out/page/picture.h"
#include "lib/base/util.h"
#include "lib/count/regions.h"

#define LABEL      300
#define LINE       20
#define BAR_HEIGHT 16
#define NAME_WIDTH 140 /* of a colour */
#define NO_METRICS "#999"
#define BARS       (TD_ICICLE_WIDTH - LABEL)

static bool is_shown(const struct td_row *row, size_t timed)
{
	return row->region->timed == (int)timed + 1 && !row->region->slow;
}

/* Their number; and the largest share of the time, of which a bar has full length. */
static int count_bars(const struct td_report *report, size_t timed,
		      double *most)
{
	int nr = 0;

	*most = 0;
	for (size_t i = 0; i < report->nr_rows; i++) {
		if (!is_shown(&report->rows[i], timed))
			continue;
		*most = fmax(*most, report->rows[i].region->time_pct);
		nr++;
	}
	return nr;
}

static void put_rect(FILE *fp, double x, int y, double width,
		     const char *colour, const char *title)
{
	fprintf(fp,
		"<rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" "
		"fill=\"%s\"><title>",
		x, y, width, BAR_HEIGHT, colour);
	td_page_put(fp, title);
	fputs("</title></rect>\n", fp);
}

/* The nodes of level 1, which add up; returns how much of 100 % these are. */
static double put_nodes(FILE *fp, const struct td_report *report,
			const struct td_row *row, int y, double width)
{
	double at = 0;

	for (size_t i = 0; i < row->nr_nodes; i++) {
		const struct td_node *node = &td_page_nodes(row)[i];
		const char *name = report->columns[node->column].name;
		double pct = td_cell_value(&row->cells[node->column]);
		enum td_part part = td_part_of(name);
		char colour[8], title[80];

		if (node->depth || isnan(pct) || part == TD_NR_PARTS)
			continue;
		snprintf(title, sizeof(title), "%.60s: %.1f %%", name, pct);
		put_rect(fp, LABEL + width * at / 100, y, width * pct / 100,
			 td_icicle_colour(colour, (int)part, 0), title);
		at += pct;
	}
	return at;
}

static void put_label(FILE *fp, const struct td_writer *writer,
		      const struct td_row *row, int y)
{
	const struct td_region_facts *facts = row->region;
	char bounds[TD_DURATION_NAME], number[64];

	td_duration_bucket_name(bounds, facts->bucket);
	fprintf(fp, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">", LABEL - 8,
		y + BAR_HEIGHT - 4);
	td_page_put(fp, bounds);
	fputs(", ", fp);
	td_out_grouped(fp, 0, td_out_format(number, 0, (double)facts->calls));
	fprintf(fp, " call%s", facts->calls == 1 ? "" : "s");
	if (writer->frame->show_pmu) {
		fputs(", ", fp);
		td_page_put(fp, row->pmu);
	}
	fputs("</text>\n", fp);
}

static void put_bar(FILE *fp, const struct td_writer *writer,
		    const struct td_report *report, const struct td_row *row,
		    int y, double most)
{
	const struct td_region_facts *facts = row->region;
	double width = facts->time_pct > 0 ? BARS * facts->time_pct / most : 0;
	double on = isnan(facts->on_cpu_pct) ? 100 : facts->on_cpu_pct;

	put_label(fp, writer, row, y);
	if (put_nodes(fp, report, row, y, width * on / 100) == 0)
		put_rect(fp, LABEL, y, width * on / 100, NO_METRICS,
			 "without metrics");
	fprintf(fp,
		"<rect x=\"%d\" y=\"%d\" width=\"%.2f\" height=\"%d\" "
		"fill=\"none\" stroke=\"#888\"/>\n",
		LABEL, y, width, BAR_HEIGHT);
}

/* The names of the colours, of a row that has them. */
static void put_legend(FILE *fp, const struct td_report *report,
		       const struct td_row *row)
{
	int x = LABEL;

	for (size_t i = 0; i < row->nr_nodes; i++) {
		const struct td_node *node = &td_page_nodes(row)[i];
		const char *name = report->columns[node->column].name;
		enum td_part part = td_part_of(name);
		char colour[8];

		if (node->depth || part == TD_NR_PARTS)
			continue;
		put_rect(fp, x, 0, BAR_HEIGHT,
			 td_icicle_colour(colour, (int)part, 0), name);
		fprintf(fp, "<text x=\"%d\" y=\"%d\">", x + BAR_HEIGHT + 4,
			BAR_HEIGHT - 4);
		td_page_put(fp, td_node_short_name(name));
		fputs("</text>\n", fp);
		x += NAME_WIDTH;
	}
}

static void put_picture(struct td_writer *writer,
			const struct td_report *report, size_t timed)
{
	FILE *fp = writer->fp;
	double most;
	int nr = count_bars(report, timed, &most), y = LINE;

	fprintf(fp,
		"<figure class=\"durations\"><svg viewBox=\"0 0 %d %d\" "
		"font-family=\"sans-serif\" font-size=\"12\" "
		"fill=\"currentColor\" role=\"img\">\n",
		TD_ICICLE_WIDTH, (nr + 1) * LINE + 4);
	for (size_t i = 0; i < report->nr_rows; i++) {
		if (!is_shown(&report->rows[i], timed))
			continue;
		if (y == LINE)
			put_legend(fp, report, &report->rows[i]);
		put_bar(fp, writer, report, &report->rows[i], 2 + y, most);
		y += LINE;
	}
	fputs("</svg></figure>\n", fp);
}

/* In the words of the text. */
static void put_words(struct td_writer *writer, const struct td_report *report,
		      size_t timed)
{
	td_autofree char *text = NULL;
	char *rest = NULL;
	size_t size = 0;
	struct td_writer words = { .frame = writer->frame,
				   .fp = open_memstream(&text, &size) };

	writer->no_memory |= !words.fp;
	if (!words.fp)
		return;
	td_out_text_quantiles(&words, &report->timed[timed]);
	td_out_text_slow(&words, report, timed);
	if (td_text_close(words.fp, &text))
		writer->no_memory = true;
	for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line;
	     line = strtok_r(NULL, "\n", &rest)) {
		td_page_put(writer->fp, line);
		fputc('\n', writer->fp);
	}
}

void td_page_durations(struct td_writer *writer, const struct td_report *report,
		       size_t timed)
{
	FILE *fp = writer->fp;

	if (!report->timed[timed].durations.nr)
		return;
	fputs("<section class=\"durations\">\n<h2>", fp);
	td_page_put(fp, report->timed[timed].name);
	fputs("</h2>\n", fp);
	put_picture(writer, report, timed);
	fputs("<pre>", fp);
	put_words(writer, report, timed);
	fputs("</pre>\n</section>\n", fp);
}
