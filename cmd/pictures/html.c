// SPDX-License-Identifier: GPL-2.0-only
/* HTML: one page per recording. */
#include <inttypes.h>
#include <math.h>

#include "cmd/output/advice.h"
#include "cmd/output/format.h"
#include "cmd/output/where.h"
#include "cmd/pictures/page.h"
#include "cmd/pictures/picture.h"
#include "lib/base/number.h"
#include "lib/base/printable.h"
#include "lib/count/regions.h"
#include "metrics/diff/diff.h"

static void put_cell(FILE *fp, const char *text)
{
	td_page_put(fp, "<td>", text, "</td>");
}

/* --- diff -------------------------------------------------------------- */

/* A page of two sides: their trees side by side, and a table of the changes. */

/* --- the charts ------------------------------------------------------------- */

static const struct td_diff_row *find(const struct td_diff *diff, const struct td_row *row,
				      const char *name)
{
	td_for_each(const struct td_diff_row, of, diff->rows, diff->nr) {
		if (of->kind == TD_DIFF_METRIC && of->pmu && strcmp(of->pmu, row->pmu) == 0 &&
		    strcmp(of->id, row->id) == 0 && strcmp(of->name, name) == 0)
			return of;
	}
	return NULL;
}

static void diff_put_picture(struct td_writer *writer, const struct td_diff *diff, int side,
			     const struct td_row *row)
{
	const int width = TD_ICICLE_WIDTH / 2;
	struct td_picture picture;
	FILE *fp = writer->fp;

	fprintf(fp, "<figure class=\"icicle\"><figcaption>%c ", side == TD_DIFF_A ? 'A' : 'B');
	td_put_html(fp, row->id);
	td_page_put(fp, " ", row->pmu, "</figcaption>\n");
	td_picture_make(&picture, diff->sides[side].v[0].report, row);
	/* the mean of the side, with marks at the nodes that changed */
	td_for_each(struct td_drawn, d, picture.v, picture.nr) {
		const struct td_diff_row *of = find(diff, row, d->column->name);

		d->value = of ? of->value.of[side] : NAN;
		d->error = NAN;
		d->mark = of && of->marked ? '*' : '\0';
	}
	td_picture_place(&picture);
	fprintf(fp, "<svg viewBox=\"0 0 %d %d\" data-columns=\"%d\">\n", width, TD_ICICLE_HEIGHT,
		picture.depth);
	td_icicle_put(fp, &picture, 0, width);
	fputs("</svg>\n</figure>\n", fp);
	td_picture_free(&picture);
}

static const struct td_row *find_row(const struct td_diff_side *side, const struct td_row *like)
{
	const struct td_report *report = side->v[0].report;

	td_for_each(const struct td_row, row, report->rows, report->nr_rows) {
		if (strcmp(row->id, like->id) == 0 && strcmp(row->pmu, like->pmu) == 0)
			return row;
	}
	return NULL;
}

/* Draw both sides, each with the nodes of its first recording. */
static void put_pictures(struct td_writer *writer, const struct td_diff *diff)
{
	const struct td_diff_side *a = &diff->sides[TD_DIFF_A];
	const struct td_diff_side *b = &diff->sides[TD_DIFF_B];

	if (!a->nr || !b->nr || !a->v[0].report || !b->v[0].report)
		return;
	for (size_t i = 0; i < a->v[0].report->nr_rows; i++) {
		const struct td_row *row = &a->v[0].report->rows[i];
		const struct td_row *other = find_row(b, row);

		if (!other || i >= TD_PAGE_CHARTS)
			continue;
		fputs("<div class=\"sides\">\n", writer->fp);
		diff_put_picture(writer, diff, TD_DIFF_A, row);
		diff_put_picture(writer, diff, TD_DIFF_B, other);
		fputs("</div>\n", writer->fp);
	}
}

/* --- the table -------------------------------------------------------------- */

static void put_error(FILE *fp, double error, int decimals, bool marked)
{
	char buf[64];

	fputs("<td class=\"error\">", fp);
	if (!isnan(error))
		fprintf(fp, "\u00b1%s", td_out_format(buf, decimals, error));
	fputs(marked ? " <b>*</b></td>" : "</td>", fp);
}

static void put_values(FILE *fp, const struct td_diff *diff, const struct td_diff_row *row)
{
	const struct td_diff_value *v = &row->value, *s = &row->slots;
	int decimals = row->unit[0] == '%' ? 2 : td_diff_decimals(v->of[TD_DIFF_A]);
	int of_slots = td_diff_decimals(fmax(s->of[TD_DIFF_A], s->of[TD_DIFF_B]));

	td_page_put_cell(fp, v->of[TD_DIFF_A], decimals, false);
	td_page_put_cell(fp, v->of[TD_DIFF_B], decimals, false);
	td_page_put_cell(fp, v->diff, decimals, true);
	put_error(fp, v->error, decimals, false);
	put_cell(fp, row->unit);
	if (td_out_diff_has_slots(diff)) {
		td_page_put_cell(fp, s->diff, of_slots, true);
		put_error(fp, s->error, of_slots, td_out_diff_marks_slots(row));
	}
	td_page_put_cell(fp, row->change.pct, 2, true);
}

static void diff_put_row(FILE *fp, const struct td_diff *diff, const struct td_diff_row *row)
{
	bool first = row->marked && !td_out_diff_marks_slots(row);

	fprintf(fp, "<tr class=\"%s\"><td>%s</td>", row->marked ? "over" : "",
		first ? "<b>*</b>" : "");
	if (diff->has_ids)
		put_cell(fp, row->id);
	put_cell(fp, row->pmu ? row->pmu : "");
	td_page_put(fp, "<th scope=\"row\">", row->name, "</th>");
	put_values(fp, diff, row);
	fputs("</tr>\n", fp);
}

static void put_table(FILE *fp, const struct td_diff *diff)
{
	fputs("<div class=\"scroll\"><table class=\"diff\">\n<thead><tr><th scope=\"col\"></th>",
	      fp);
	fputs(diff->has_ids ? "<th scope=\"col\">Row</th>" : "", fp);
	fputs("<th scope=\"col\">PMU</th><th scope=\"col\">Value</th><th scope=\"col\" "
	      "class=\"number\">A</th><th scope=\"col\" class=\"number\">B</th><th scope=\"col\" "
	      "class=\"number\">B \u2212 A</th><th scope=\"col\">Error</th><th "
	      "scope=\"col\">Unit</th>",
	      fp);
	if (td_out_diff_has_slots(diff))
		fprintf(fp,
			"<th scope=\"col\" class=\"number\">Slots per %s</th><th "
			"scope=\"col\">Error</th>",
			td_per_word(diff->per));
	fputs("<th scope=\"col\" class=\"number\">Change, %</th></tr></thead>\n"
	      "<tbody>\n",
	      fp);
	for (size_t i = 0; i < diff->nr; i++)
		diff_put_row(fp, diff, &diff->rows[i]);
	fputs("</tbody></table></div>\n", fp);
}

static void put_side(FILE *fp, char letter, const struct td_diff_side *side)
{
	fprintf(fp, "<dt>%c</dt><dd>", letter);
	td_put_html(fp, side->name);
	td_out_diff_put_number(fp, side);
	fputs("</dd>\n", fp);
}

static void put_sentences(FILE *fp, const struct td_diff *diff)
{
	td_autofree char *sentence = td_out_diff_sentence(diff);
	td_autofree char *advice = td_out_diff_advice(diff);
	td_autofree char *mark = td_out_diff_mark(diff);

	td_page_put(fp, "<p><strong>", sentence, "</strong></p>\n<p>");
	if (mark) {
		td_page_put(fp, "* ", mark, ". ");
	}
	if (advice)
		td_put_html(fp, advice);
	if (advice && diff->again) {
		td_page_put(fp, " <code>", diff->again, "</code>");
	}
	fputs("</p>\n", fp);
}

static void page_diff(struct td_writer *writer, const struct td_diff *diff)
{
	FILE *fp = writer->fp;

	td_page_begin(fp, "What changed");
	fputs("<header><h1>What changed from A to B</h1>\n<dl>\n", fp);
	put_side(fp, 'A', &diff->sides[TD_DIFF_A]);
	put_side(fp, 'B', &diff->sides[TD_DIFF_B]);
	fputs("</dl></header>\n", fp);
	put_sentences(fp, diff);
	put_pictures(writer, diff);
	put_table(fp, diff);
	td_page_end(fp);
}

/* --- durations --------------------------------------------------------- */

/*
 * The durations of the calls of a function.  Each row has a bar in the colours of level 1, whose
 * length is its share of the time of all calls.  Time without a CPU has no colour, and a row
 * without metrics is grey.
 */

#define LABEL      300
#define LINE       20
#define BAR_HEIGHT 16
#define NAME_WIDTH 140 /* width of a name in the legend */
#define NO_METRICS "#999"
#define BARS       (TD_ICICLE_WIDTH - LABEL)

static bool is_shown(const struct td_row *row, size_t timed)
{
	return row->region->timed == (int)timed + 1 && !row->region->slow;
}

/* Return the number of bars, and in *most the largest share of the time. */
static int count_bars(const struct td_report *report, size_t timed, double *most)
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

static void put_rect(FILE *fp, double x, int y, double width, const char *colour, const char *title)
{
	fprintf(fp, "<rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" fill=\"%s\"><title>", x,
		y, width, BAR_HEIGHT, colour);
	td_page_put(fp, "", title, "</title></rect>\n");
}

/* Draw the nodes of level 1.  Returns their sum. */
static double put_nodes(FILE *fp, const struct td_report *report, const struct td_row *row, int y,
			double width)
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

static void put_label(FILE *fp, const struct td_writer *writer, const struct td_row *row, int y)
{
	const struct td_region_facts *facts = row->region;
	char bounds[TD_DURATION_NAME], number[64];

	td_duration_bucket_name(bounds, facts->bucket);
	fprintf(fp, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">", LABEL - 8, y + BAR_HEIGHT - 4);
	td_page_put(fp, "", bounds, ", ");
	td_out_grouped(fp, 0, td_out_format(number, 0, (double)facts->calls));
	fprintf(fp, " call%s", facts->calls == 1 ? "" : "s");
	if (writer->frame->show_pmu) {
		td_page_put(fp, ", ", row->pmu, "");
	}
	fputs("</text>\n", fp);
}

static void put_bar(FILE *fp, const struct td_writer *writer, const struct td_report *report,
		    const struct td_row *row, int y, double most)
{
	const struct td_region_facts *facts = row->region;
	double width = facts->time_pct > 0 ? BARS * facts->time_pct / most : 0;
	double on = isnan(facts->on_cpu_pct) ? 100 : facts->on_cpu_pct;

	put_label(fp, writer, row, y);
	if (put_nodes(fp, report, row, y, width * on / 100) == 0)
		put_rect(fp, LABEL, y, width * on / 100, NO_METRICS, "without metrics");
	fprintf(fp,
		"<rect x=\"%d\" y=\"%d\" width=\"%.2f\" height=\"%d\" fill=\"none\" "
		"stroke=\"#888\"/>\n",
		LABEL, y, width, BAR_HEIGHT);
}

/* Write the colours and names of the row's nodes of level 1. */
static void put_legend(FILE *fp, const struct td_report *report, const struct td_row *row)
{
	int x = LABEL;

	for (size_t i = 0; i < row->nr_nodes; i++) {
		const struct td_node *node = &td_page_nodes(row)[i];
		const char *name = report->columns[node->column].name;
		enum td_part part = td_part_of(name);
		char colour[8];

		if (node->depth || part == TD_NR_PARTS)
			continue;
		put_rect(fp, x, 0, BAR_HEIGHT, td_icicle_colour(colour, (int)part, 0), name);
		fprintf(fp, "<text x=\"%d\" y=\"%d\">", x + BAR_HEIGHT + 4, BAR_HEIGHT - 4);
		td_page_put(fp, "", td_node_short_name(name), "</text>\n");
		x += NAME_WIDTH;
	}
}

static void put_lines(FILE *fp, char *text, const char *before, const char *after)
{
	char *rest = NULL;

	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		fputs(before, fp);
		td_put_html(fp, line);
		fputs(after, fp);
	}
}

/* Write the lines of the text format. */
static void put_words(struct td_writer *writer, const struct td_report *report, size_t timed)
{
	td_autofree char *text = NULL;
	size_t size = 0;
	struct td_writer words = { .frame = writer->frame, .fp = td_open_memstream(&text, &size) };

	td_out_text_quantiles(&words, &report->timed[timed]);
	td_out_text_slow(&words, report, timed);
	td_text_close(words.fp, &text);
	put_lines(writer->fp, text, "", "\n");
}

/* Write the bars and lines of a timed function. */
static void page_durations(struct td_writer *writer, const struct td_report *report, size_t timed)
{
	FILE *fp = writer->fp;
	double most;
	int nr, y = LINE;

	if (!report->timed[timed].durations.nr)
		return;
	td_page_put(fp, "<section class=\"durations\">\n<h2>", report->timed[timed].name,
		    "</h2>\n");
	nr = count_bars(report, timed, &most);
	fprintf(fp,
		"<figure class=\"durations\"><svg viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" "
		"font-size=\"12\" fill=\"currentColor\" role=\"img\">\n",
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
	fputs("<pre>", fp);
	put_words(writer, report, timed);
	fputs("</pre>\n</section>\n", fp);
}

/* --- a page of functions in which events were sampled ----------------------- */

static void put_share(FILE *fp, const struct td_share *share)
{
	fprintf(fp,
		"<td class=\"number\"><data value=\"%.2f\">%.1f</data>\u00a0%%</td><td "
		"class=\"error\">\u00b1%.1f</td><td class=\"number\">%" PRIu64 "</td>",
		share->percent, share->percent, share->error, share->samples);
}

static void put_function(FILE *fp, const struct td_locations *locations, int function)
{
	int object = locations->functions[function].object;
	char buf[32];

	td_put_html(fp, td_where_name(buf, locations, function));
	td_page_put(fp, "</th><td>", locations->objects[object].path, "</td></tr>\n");
}

static void put_line(FILE *fp, const struct td_locations *locations, const struct td_detail *line)
{
	if (line->file < 0)
		return;
	fputs("<tr class=\"detail\">", fp);
	put_share(fp, &line->share);
	td_page_put(fp, "<th scope=\"row\" class=\"d1\">line ", locations->files[line->file], "");
	fprintf(fp, ":%d</th><td></td></tr>\n", line->line);
}

static void put_caller(FILE *fp, const struct td_locations *locations,
		       const struct td_detail *caller)
{
	fputs("<tr class=\"detail\">", fp);
	put_share(fp, &caller->share);
	fputs("<th scope=\"row\" class=\"d1\">", fp);
	if (caller->function < 0) {
		fputs("caller unknown</th><td></td></tr>\n", fp);
		return;
	}
	fputs("called from ", fp);
	put_function(fp, locations, caller->function);
}

static void put_hot_function(FILE *fp, const struct td_where *where,
			     const struct td_hot_function *hot)
{
	const struct td_locations *locations = where->locations;

	fputs("<tr>", fp);
	put_share(fp, &hot->share);
	fputs("<th scope=\"row\">", fp);
	put_function(fp, locations, hot->function);
	for (size_t i = 0; where->lines && i < hot->lines.nr; i++)
		put_line(fp, locations, &hot->lines.v[i]);
	for (size_t i = 0; where->callers && i < hot->callers.nr; i++)
		put_caller(fp, locations, &hot->callers.v[i]);
}

static void put_event(struct td_writer *writer, const struct td_where *where,
		      const struct td_where_event *event)
{
	FILE *fp = writer->fp;
	char buf[64];

	td_page_put(fp, "<section>\n<h2>", event->name, "");
	if (!event->functions.samples) {
		fputs("</h2>\n<p>no sample</p>\n</section>\n", fp);
		return;
	}
	fprintf(fp, "</h2>\n<p>%" PRIu64 " sample%s of ", event->functions.samples,
		event->functions.samples == 1 ? "" : "s");
	if (event->sampled)
		td_put_html(fp, event->sampled);
	fputs(event->sampled ? ", with about " : "about ", fp);
	td_out_grouped(fp, 0, td_out_format(buf, 0, event->functions.weight));
	fprintf(fp, " %s</p>\n", td_where_unit(where, event));
	if (where->locations->nr_calls)
		td_flame_put_figure(writer, where, event);
	fprintf(fp, "<div class=\"scroll\"><table class=\"where\">\n<thead><tr><th scope=\"col\" "
		    "class=\"number\">Share</th><th scope=\"col\">Error</th><th scope=\"col\" "
		    "class=\"number\">Samples</th><th scope=\"col\">Function</th><th "
		    "scope=\"col\">Object</th></tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < event->functions.nr; i++)
		put_hot_function(fp, where, &event->functions.v[i]);
	fputs("</tbody></table></div>\n</section>\n", fp);
}

static void put_heading(FILE *fp, const struct td_where *where)
{
	const char *one = where->node ? where->node : where->nr == 1 ? where->events[0].name : NULL;

	td_page_put(fp, "<header><h1>Where ", one ? one : "the events", "");
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

void td_flame_write(FILE *fp, const char *name, const struct td_where *where,
		    const struct td_frame *frame)
{
	struct td_writer writer = { .fp = fp, .frame = frame };

	if (td_ends_with(name, ".svg"))
		td_flame_write_svg(fp, where);
	else
		page_where(&writer, where);
}

/* --- counts, without a tree: a table of the events -------------------------- */

static void put_value(const struct td_writer *writer, const struct td_event_row *row)
{
	const char *missing = td_out_missing(row->status);
	char buf[64];
	FILE *fp = writer->fp;

	fputs("<td class=\"number\">", fp);
	if (missing) {
		td_put_html(fp, missing);
	} else {
		fprintf(fp, "<data value=\"%.15g\">", row->value);
		td_out_grouped(fp, 0, td_out_format(buf, row->decimals, row->value));
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
		td_put_html(fp, ratio->unit);
	}
	fputs("</td>", fp);
}

static void put_row(const struct td_writer *writer, const struct td_event_row *row)
{
	FILE *fp = writer->fp;

	fputs("<tr>", fp);
	if (writer->frame->show_id)
		put_cell(fp, row->id);
	td_page_put(fp, "<th scope=\"row\">", row->event, "</th>");
	put_value(writer, row);
	put_cell(fp, row->unit);
	if (writer->frame->show_cgroup)
		put_cell(fp, row->cgroup ? row->cgroup : "");
	fprintf(fp, "<td class=\"number\">%.1f\u00a0%%</td>", row->running_pct);
	put_ratios(fp, row);
	fputs("</tr>\n", fp);
}

/* --- pages ------------------------------------------------------------------- */

static void begin(struct td_writer *writer, const char *timeline)
{
	const struct td_frame *frame = writer->frame;

	if (writer->page_begun)
		return;
	td_page_begin(writer->fp, frame->target && *frame->target
					  ? frame->target
					  : td_target_words(frame->target_kind));
	td_page_heading(writer);
	td_page_timeline_begin(writer->fp, timeline);
	writer->page_begun = true;
}

/* End the rows over time, which the totals follow. */
static void end_timeline(struct td_writer *writer)
{
	begin(writer, "course");
	if (!writer->timeline_done)
		td_page_timeline_end(writer->fp);
	writer->timeline_done = true;
}

static void html_report(struct td_writer *writer, const struct td_report *report)
{
	FILE *fp = writer->fp;

	begin(writer, "course");
	if (writer->frame->interval) {
		td_page_timeline_add(writer, report);
		return;
	}
	end_timeline(writer);
	td_page_put_nodes(fp, report);
	if (report->mostly_waited)
		fprintf(fp,
			"<p class=\"waited\">Only %.1f\u00a0%% of one CPU was used; find out what "
			"the program waits for</p>\n",
			report->tasks_pct);
	for (size_t i = 0; i < report->nr_timed; i++)
		page_durations(writer, report, i);
	if (writer->frame->show_id)
		td_page_rows(writer, report);
	if (!report->nr_rows)
		fputs("<p>Nothing was counted.</p>\n", fp);
	for (size_t i = 0; i < report->nr_rows; i++)
		td_page_tree(writer, report, i);
}

/* Write the lines of the text format.  Commands can be pasted into a shell. */
static void html_verdict(struct td_writer *writer, const struct td_report *report,
			 const struct td_advice *advice)
{
	td_autofree char *text = NULL;
	size_t size = 0;
	struct td_writer words = { .fp = td_open_memstream(&text, &size) };

	td_out_text_verdict(&words, report, advice);
	td_text_close(words.fp, &text);
	if (!size)
		return;
	fputs("<section class=\"verdict\" aria-label=\"Verdict\">", writer->fp);
	put_lines(writer->fp, text, "<p>", "</p>\n");
	fputs("</section>\n", writer->fp);
}

static void html_events(struct td_writer *writer, const struct td_event_report *report)
{
	FILE *fp = writer->fp;

	begin(writer, "counts");
	if (writer->frame->interval) {
		td_page_timeline_add_events(writer, report);
		return;
	}
	end_timeline(writer);
	fputs("<section>\n<h2>Events</h2>\n<div class=\"scroll\"><table "
	      "class=\"events\">\n<thead><tr>",
	      fp);
	if (writer->frame->show_id)
		fputs("<th scope=\"col\">Row</th>", fp);
	fputs("<th scope=\"col\">Event</th><th scope=\"col\" class=\"number\">Count</th><th "
	      "scope=\"col\">Unit</th>",
	      fp);
	if (writer->frame->show_cgroup)
		fputs("<th scope=\"col\">Cgroup</th>", fp);
	fputs("<th scope=\"col\" class=\"number\">Counted</th><th scope=\"col\">That "
	      "is</th></tr></thead>\n<tbody>\n",
	      fp);
	for (size_t i = 0; i < report->nr_rows; i++)
		put_row(writer, &report->rows[i]);
	fputs("</tbody></table></div>\n</section>\n", fp);
}

static void html_stacks(struct td_writer *writer, const struct td_where *where)
{
	if (!where->locations->nr_calls)
		return;
	end_timeline(writer);
	fputs("<section>\n<h2>Stacks</h2>\n", writer->fp);
	for (size_t i = 0; i < where->nr; i++)
		td_flame_put_figure(writer, where, &where->events[i]);
	fputs("</section>\n", writer->fp);
}

static void put_time(FILE *fp, const char *what, uint64_t ns)
{
	char time[40];

	fprintf(fp, "<dt>%s</dt><dd>%s s</dd>\n", what, td_format_seconds(time, ns));
}

static void html_end(struct td_writer *writer, const struct td_usage *usage)
{
	FILE *fp = writer->fp;

	if (writer->frame->interval)
		return;
	end_timeline(writer);
	if (usage->interrupted)
		fputs("<p class=\"cut\">The recording was interrupted; later intervals are "
		      "missing.</p>\n",
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
	.own_file = true,
	.one_header = true,
	.whole = true,
	.report = html_report,
	.verdict = html_verdict,
	.events = html_events,
	.where = page_where,
	.stacks = html_stacks,
	.diff = page_diff,
	.end = html_end,
};
