// SPDX-License-Identifier: GPL-2.0-only
/* HTML: one page of a whole recording. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/out/advice.h"
#include "cmd/out/format.h"
#include "cmd/out/page/page.h"
#include "cmd/out/where.h"
#include "lib/base/number.h"
#include "lib/base/util.h"

/* --- a page of where an event was sampled ---------------------------------- */

static void put_share(FILE *fp, const struct td_share *share)
{
	fprintf(fp,
		"<td class=\"number\"><data value=\"%.2f\">%.1f</data>\u00a0%%"
		"</td><td class=\"error\">\u00b1%.1f</td>"
		"<td class=\"number\">%" PRIu64 "</td>",
		share->percent, share->percent, share->error, share->samples);
}

/* Its name and its object. */
static void put_function(FILE *fp, const struct td_spots *spots, int function)
{
	int object = spots->functions[function].object;
	char buf[32];

	td_page_put(fp, td_where_name(buf, spots, function));
	fputs("</th><td>", fp);
	td_page_put(fp, spots->objects[object].path);
	fputs("</td></tr>\n", fp);
}

static void put_line(FILE *fp, const struct td_spots *spots,
		     const struct td_detail *line)
{
	if (line->file < 0)
		return;
	fputs("<tr class=\"detail\">", fp);
	put_share(fp, &line->share);
	fputs("<th scope=\"row\" class=\"d1\">line ", fp);
	td_page_put(fp, spots->files[line->file]);
	fprintf(fp, ":%d</th><td></td></tr>\n", line->line);
}

static void put_caller(FILE *fp, const struct td_spots *spots,
		       const struct td_detail *caller)
{
	fputs("<tr class=\"detail\">", fp);
	put_share(fp, &caller->share);
	fputs("<th scope=\"row\" class=\"d1\">", fp);
	if (caller->function < 0) {
		fputs("caller not known</th><td></td></tr>\n", fp);
		return;
	}
	fputs("called from ", fp);
	put_function(fp, spots, caller->function);
}

static void put_location(FILE *fp, const struct td_where *where,
			 const struct td_location *location)
{
	const struct td_spots *spots = where->spots;

	fputs("<tr>", fp);
	put_share(fp, &location->share);
	fputs("<th scope=\"row\">", fp);
	put_function(fp, spots, location->function);
	for (size_t i = 0; where->lines && i < location->lines.nr; i++)
		put_line(fp, spots, &location->lines.v[i]);
	for (size_t i = 0; where->callers && i < location->callers.nr; i++)
		put_caller(fp, spots, &location->callers.v[i]);
}

static void put_event(struct td_writer *writer, const struct td_where *where,
		      const struct td_where_event *event)
{
	FILE *fp = writer->fp;
	char buf[64];

	fputs("<section>\n<h2>", fp);
	td_page_put(fp, event->name);
	if (!event->locations.samples) {
		fputs("</h2>\n<p>no sample</p>\n</section>\n", fp);
		return;
	}
	fprintf(fp, "</h2>\n<p>%" PRIu64 " sample%s of about ",
		event->locations.samples,
		event->locations.samples == 1 ? "" : "s");
	td_out_grouped(fp, 0, td_out_format(buf, 0, event->locations.weight));
	fputs(" events</p>\n", fp);
	if (where->spots->nr_calls)
		td_flame_put_figure(writer, where, event);
	fprintf(fp, "<div class=\"scroll\">"
		    "<table class=\"where\">\n<thead><tr>"
		    "<th scope=\"col\" class=\"number\">Share</th>"
		    "<th scope=\"col\">Error</th>"
		    "<th scope=\"col\" class=\"number\">Samples</th>"
		    "<th scope=\"col\">Function</th>"
		    "<th scope=\"col\">Object</th></tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < event->locations.nr; i++)
		put_location(fp, where, &event->locations.v[i]);
	fputs("</tbody></table></div>\n</section>\n", fp);
}

static void put_heading(FILE *fp, const struct td_where *where)
{
	const char *one = where->node      ? where->node
			  : where->nr == 1 ? where->events[0].name
					   : NULL;

	fputs("<header><h1>Where ", fp);
	td_page_put(fp, one ? one : "the events");
	fputs(one ? " was sampled</h1>\n" : " were sampled</h1>\n", fp);
}

static void page_where(struct td_writer *writer, const struct td_where *where)
{
	FILE *fp = writer->fp;

	td_page_begin(fp, where->node ? where->node : "Samples");
	put_heading(fp, where);
	td_page_put_facts(writer, true);
	fputs("</header>\n", fp);
	for (size_t i = 0; i < where->nr; i++)
		put_event(writer, where, &where->events[i]);
	td_page_end(fp);
}

int td_flame_write(FILE *fp, const struct td_where *where,
		   const struct td_frame *frame)
{
	struct td_writer writer = { .fp = fp, .frame = frame };

	page_where(&writer, where);
	return writer.no_memory ? -ENOMEM : 0;
}

/* --- counts, without a tree: a table of the events -------------------------- */

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

static void put_events(struct td_writer *writer,
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

/* --- pages ------------------------------------------------------------------- */

static void begin(struct td_writer *writer, const char *course)
{
	const struct td_frame *frame = writer->frame;

	if (writer->page_begun)
		return;
	td_page_begin(writer->fp,
		      frame->target && *frame->target
			      ? frame->target
			      : td_target_words(frame->target_kind));
	td_page_heading(writer);
	td_page_course_begin(writer->fp, course);
	writer->page_begun = true;
}

/* The rows over time come first, then what they sum up to. */
static void end_course(struct td_writer *writer)
{
	begin(writer, "course");
	if (!writer->course_done)
		td_page_course_end(writer->fp);
	writer->course_done = true;
}

static void html_report(struct td_writer *writer,
			const struct td_report *report)
{
	FILE *fp = writer->fp;

	begin(writer, "course");
	if (writer->frame->interval) {
		td_page_course_add(writer, report);
		return;
	}
	end_course(writer);
	td_page_put_nodes(fp, report);
	if (report->mostly_waited)
		fprintf(fp,
			"<p class=\"waited\">%.1f\u00a0%% of one CPU: look at what "
			"it waits for</p>\n",
			report->tasks_pct);
	for (size_t i = 0; i < report->nr_timed; i++)
		td_page_durations(writer, report, i);
	if (writer->frame->show_id)
		td_page_rows(writer, report);
	if (!report->nr_rows)
		fputs("<p>Nothing was counted.</p>\n", fp);
	for (size_t i = 0; i < report->nr_rows; i++)
		td_page_tree(writer, report, i);
}

/* In the words of the text, which a reader can paste to the shell. */
static void html_verdict(struct td_writer *writer,
			 const struct td_report *report,
			 const struct td_advice *advice)
{
	td_autofree char *text = NULL;
	char *rest = NULL;
	size_t size = 0;
	struct td_writer words = { .fp = open_memstream(&text, &size) };

	writer->no_memory |= !words.fp;
	if (!words.fp)
		return;
	td_out_text_verdict(&words, report, advice);
	if (td_text_close(words.fp, &text))
		writer->no_memory = true;
	if (!text || !size)
		return;
	fputs("<section class=\"verdict\" aria-label=\"Verdict\">", writer->fp);
	for (char *line = strtok_r(text, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest)) {
		fputs("<p>", writer->fp);
		td_page_put(writer->fp, line);
		fputs("</p>\n", writer->fp);
	}
	fputs("</section>\n", writer->fp);
}

static void html_events(struct td_writer *writer,
			const struct td_event_report *report)
{
	begin(writer, "counts");
	if (writer->frame->interval) {
		td_page_course_add_events(writer, report);
		return;
	}
	end_course(writer);
	put_events(writer, report);
}

static void html_stacks(struct td_writer *writer, const struct td_where *where)
{
	if (!where->spots->nr_calls)
		return;
	end_course(writer);
	fputs("<section>\n<h2>Stacks</h2>\n", writer->fp);
	for (size_t i = 0; i < where->nr; i++)
		td_flame_put_figure(writer, where, &where->events[i]);
	fputs("</section>\n", writer->fp);
}

static void put_time(FILE *fp, const char *what, uint64_t ns)
{
	char time[40];

	fprintf(fp, "<dt>%s</dt><dd>%s s</dd>\n", what,
		td_format_seconds(time, ns));
}

static void html_end(struct td_writer *writer, const struct td_usage *usage)
{
	FILE *fp = writer->fp;

	if (writer->frame->interval)
		return;
	end_course(writer);
	if (usage->interrupted)
		fputs("<p class=\"cut\">The recording was interrupted: what "
		      "came later is not on this page.</p>\n",
		      fp);
	fputs("<dl class=\"times\">\n", fp);
	if (writer->lines)
		fprintf(fp, "<dt>Intervals</dt><dd>%u</dd>\n", writer->lines);
	if (usage->elapsed_ns)
		put_time(fp, "Time elapsed", usage->elapsed_ns);
	if (usage->has_times) {
		put_time(fp, "User", usage->user_ns);
		put_time(fp, "System", usage->sys_ns);
	}
	fputs("</dl>\n", fp);
	td_page_end(fp);
}

const struct td_out td_out_html = {
	.option = "--html",
	.arg = "FILE",
	.own_file = true,
	.help = "one HTML page with pictures, which needs no network",
	.one_header = true,
	.whole = true,
	.report = html_report,
	.verdict = html_verdict,
	.events = html_events,
	.where = page_where,
	.stacks = html_stacks,
	.diff = td_page_diff,
	.end = html_end,
};
