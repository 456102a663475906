// SPDX-License-Identifier: GPL-2.0-only
/* A page of counts, without a tree: a table of the events. */
#include <math.h>

#include "cmd/out/page/parts.h"
#include "cmd/out/page/text.h"

static void put_cell(FILE *fp, const char *text)
{
	fputs("<td>", fp);
	td_page_put(fp, text);
	fputs("</td>", fp);
}

static void put_value(const struct td_writer *writer,
		      const struct td_event_row *row)
{
	const char *missing = td_out_missing(row->status);
	char buf[64];
	FILE *fp = writer->fp;

	fputs("<td class=\"number\">", fp);
	if (missing) {
		td_page_put(fp, missing);
	} else {
		fprintf(fp, "<data value=\"%.15g\">", row->value);
		td_out_grouped(fp, 0,
			       td_out_format(buf, row->decimals, row->value));
		fputs("</data>", fp);
	}
	if (!missing && writer->frame->runs > 1 && !isnan(row->error_pct))
		fprintf(fp, " \u00b1%.2f\u00a0%%", row->error_pct);
	fputs("</td>", fp);
}

static void put_ratios(FILE *fp, const struct td_event_row *row)
{
	char buf[64];

	fputs("<td>", fp);
	for (int i = 0; i < row->nr_ratios; i++) {
		const struct td_ratio *ratio = &row->ratios[i];

		fprintf(fp, "%s%s%s ", i ? "<br>" : "",
			td_out_format(buf, ratio->decimals, ratio->value),
			ratio->percent ? "\u00a0%" : "");
		td_page_put(fp, ratio->unit);
	}
	fputs("</td>", fp);
}

static void put_row(const struct td_writer *writer,
		    const struct td_event_row *row)
{
	FILE *fp = writer->fp;

	fputs("<tr>", fp);
	if (writer->frame->show_id)
		put_cell(fp, row->id);
	fputs("<th scope=\"row\">", fp);
	td_page_put(fp, row->event);
	fputs("</th>", fp);
	put_value(writer, row);
	put_cell(fp, row->unit);
	if (writer->frame->show_cgroup)
		put_cell(fp, row->cgroup ? row->cgroup : "");
	fprintf(fp, "<td class=\"number\">%.1f\u00a0%%</td>", row->running_pct);
	put_ratios(fp, row);
	fputs("</tr>\n", fp);
}

void td_page_events(struct td_writer *writer,
		    const struct td_event_report *report)
{
	FILE *fp = writer->fp;

	fputs("<section>\n<h2>Events</h2>\n<div class=\"scroll\">"
	      "<table class=\"events\">\n<thead><tr>",
	      fp);
	if (writer->frame->show_id)
		fputs("<th scope=\"col\">Row</th>", fp);
	fputs("<th scope=\"col\">Event</th>"
	      "<th scope=\"col\" class=\"number\">Count</th>"
	      "<th scope=\"col\">Unit</th>",
	      fp);
	if (writer->frame->show_cgroup)
		fputs("<th scope=\"col\">Cgroup</th>", fp);
	fputs("<th scope=\"col\" class=\"number\">Counted</th>"
	      "<th scope=\"col\">That is</th></tr></thead>\n<tbody>\n",
	      fp);
	for (size_t i = 0; i < report->nr_rows; i++)
		put_row(writer, &report->rows[i]);
	fputs("</tbody></table></div>\n</section>\n", fp);
}
