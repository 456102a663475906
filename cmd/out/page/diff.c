// SPDX-License-Identifier: GPL-2.0-only
/* A page of two sides: their trees beside each other, and what changed. */
#include <math.h>
#include <string.h>

#include "cmd/out/page/page.h"
#include "cmd/out/page/picture.h"
#include "metrics/diff/diff.h"

/* --- the pictures ----------------------------------------------------------- */

static const struct td_diff_row *
find(const struct td_diff *diff, const struct td_row *row, const char *name)
{
	for (size_t i = 0; i < diff->nr; i++) {
		const struct td_diff_row *of = &diff->rows[i];

		if (of->kind == TD_DIFF_METRIC && of->pmu &&
		    strcmp(of->pmu, row->pmu) == 0 &&
		    strcmp(of->id, row->id) == 0 && strcmp(of->name, name) == 0)
			return of;
	}
	return NULL;
}

/* What is drawn is the mean of the side; a star is of what changed. */
static void set_values(struct td_picture *picture, const struct td_diff *diff,
		       const struct td_row *row, int side)
{
	for (size_t i = 0; i < picture->nr; i++) {
		struct td_drawn *d = &picture->v[i];
		const struct td_diff_row *of = find(diff, row, d->column->name);

		d->value = of ? of->value.of[side] : NAN;
		d->error = NAN;
		d->mark = of && of->marked ? '*' : '\0';
	}
	td_picture_place(picture);
}

static void put_picture(struct td_writer *writer, const struct td_diff *diff,
			int side, const struct td_row *row)
{
	const struct td_place_on_page place = { 0, 0, TD_ICICLE_WIDTH / 2,
						TD_ICICLE_HEIGHT };
	struct td_picture picture;
	FILE *fp = writer->fp;

	fprintf(fp, "<figure class=\"icicle\"><figcaption>%c ",
		side == TD_DIFF_A ? 'A' : 'B');
	td_page_put(fp, row->id);
	fputs(" ", fp);
	td_page_put(fp, row->pmu);
	fputs("</figcaption>\n", fp);
	if (td_picture_make(&picture, diff->sides[side].v[0].report, row)) {
		writer->no_memory = true;
	} else {
		set_values(&picture, diff, row, side);
		fprintf(fp, "<svg viewBox=\"0 0 %d %d\" data-columns=\"%d\">\n",
			place.width, place.height, picture.depth);
		td_icicle_put(fp, &picture, &place);
		fputs("</svg>\n", fp);
	}
	td_picture_free(&picture);
	fputs("</figure>\n", fp);
}

static const struct td_row *find_row(const struct td_diff_side *side,
				     const struct td_row *like)
{
	const struct td_report *report = side->v[0].report;

	for (size_t i = 0; i < report->nr_rows; i++) {
		const struct td_row *row = &report->rows[i];

		if (strcmp(row->id, like->id) == 0 &&
		    strcmp(row->pmu, like->pmu) == 0)
			return row;
	}
	return NULL;
}

/* The first recording of each side tells which nodes there are. */
static void put_pictures(struct td_writer *writer, const struct td_diff *diff)
{
	const struct td_diff_side *a = &diff->sides[TD_DIFF_A];
	const struct td_diff_side *b = &diff->sides[TD_DIFF_B];

	if (!a->nr || !b->nr || !a->v[0].report || !b->v[0].report)
		return;
	for (size_t i = 0; i < a->v[0].report->nr_rows; i++) {
		const struct td_row *row = &a->v[0].report->rows[i];
		const struct td_row *other = find_row(b, row);

		if (!other || i >= TD_PAGE_PICTURES)
			continue;
		fputs("<div class=\"sides\">\n", writer->fp);
		put_picture(writer, diff, TD_DIFF_A, row);
		put_picture(writer, diff, TD_DIFF_B, other);
		fputs("</div>\n", writer->fp);
	}
}

/* --- the table -------------------------------------------------------------- */

static void put_error(FILE *fp, double error, int decimals)
{
	char buf[64];

	fputs("<td class=\"error\">", fp);
	if (!isnan(error))
		fprintf(fp, "\u00b1%s", td_out_format(buf, decimals, error));
	fputs("</td>", fp);
}

static void put_values(FILE *fp, const struct td_diff *diff,
		       const struct td_diff_row *row)
{
	const struct td_diff_value *v = &row->value, *s = &row->slots;
	int decimals =
		row->unit[0] == '%' ? 2 : td_diff_decimals(v->of[TD_DIFF_A]);
	int of_slots =
		td_diff_decimals(fmax(s->of[TD_DIFF_A], s->of[TD_DIFF_B]));

	td_page_put_cell(fp, v->of[TD_DIFF_A], decimals, false);
	td_page_put_cell(fp, v->of[TD_DIFF_B], decimals, false);
	td_page_put_cell(fp, v->diff, decimals, true);
	put_error(fp, v->error, decimals);
	fputs("<td>", fp);
	td_page_put(fp, row->unit);
	fputs("</td>", fp);
	if (td_out_diff_has_slots(diff)) {
		td_page_put_cell(fp, s->diff, of_slots, true);
		put_error(fp, s->error, of_slots);
	}
	td_page_put_cell(fp, row->change.pct, 2, true);
}

static void put_row(FILE *fp, const struct td_diff *diff,
		    const struct td_diff_row *row)
{
	fprintf(fp, "<tr class=\"%s\"><td>%s</td>", row->marked ? "over" : "",
		row->marked ? "<b>*</b>" : "");
	if (diff->has_ids) {
		fputs("<td>", fp);
		td_page_put(fp, row->id);
		fputs("</td>", fp);
	}
	fputs("<td>", fp);
	td_page_put(fp, row->pmu ? row->pmu : "");
	fputs("</td><th scope=\"row\">", fp);
	td_page_put(fp, row->name);
	fputs("</th>", fp);
	put_values(fp, diff, row);
	fputs("</tr>\n", fp);
}

static void put_table(FILE *fp, const struct td_diff *diff)
{
	fputs("<div class=\"scroll\"><table class=\"diff\">\n<thead><tr>"
	      "<th scope=\"col\"></th>",
	      fp);
	fputs(diff->has_ids ? "<th scope=\"col\">Row</th>" : "", fp);
	fputs("<th scope=\"col\">PMU</th><th scope=\"col\">Value</th>"
	      "<th scope=\"col\" class=\"number\">A</th>"
	      "<th scope=\"col\" class=\"number\">B</th>"
	      "<th scope=\"col\" class=\"number\">B \u2212 A</th>"
	      "<th scope=\"col\">Error</th><th scope=\"col\">Unit</th>",
	      fp);
	if (td_out_diff_has_slots(diff))
		fprintf(fp,
			"<th scope=\"col\" class=\"number\">Slots per %s</th>"
			"<th scope=\"col\">Error</th>",
			td_per_word(diff->per));
	fputs("<th scope=\"col\" class=\"number\">Change, %</th></tr></thead>\n"
	      "<tbody>\n",
	      fp);
	for (size_t i = 0; i < diff->nr; i++)
		put_row(fp, diff, &diff->rows[i]);
	fputs("</tbody></table></div>\n", fp);
}

static void put_side(FILE *fp, char letter, const struct td_diff_side *side)
{
	fprintf(fp, "<dt>%c</dt><dd>", letter);
	td_page_put(fp, side->name);
	if (side->is_command)
		fprintf(fp, ", %zu run%s", side->nr, side->nr == 1 ? "" : "s");
	else if (side->nr > 1)
		fprintf(fp, " and %zu more", side->nr - 1);
	fputs("</dd>\n", fp);
}

static void put_text(FILE *fp, const char *text)
{
	if (text)
		td_page_put(fp, text);
}

/* What it comes to, what stars are, and what tells more. */
static void put_sentences(struct td_writer *writer, const struct td_diff *diff)
{
	td_autofree char *sentence = td_out_diff_sentence(diff);
	td_autofree char *advice = td_out_diff_advice(diff);
	FILE *fp = writer->fp;

	writer->no_memory |= !sentence || (diff->enough && !advice);
	fputs("<p><strong>", fp);
	put_text(fp, sentence);
	fputs("</strong></p>\n<p>", fp);
	if (td_diff_has_chances(diff))
		fputs("A star marks what is more than chance, in slots if the "
		      "row has them, with 95\u00a0% confidence in all stars "
		      "together. ",
		      fp);
	put_text(fp, advice);
	if (advice && diff->again) {
		fputs(" <code>", fp);
		td_page_put(fp, diff->again);
		fputs("</code>", fp);
	}
	fputs("</p>\n", fp);
}

void td_page_diff(struct td_writer *writer, const struct td_diff *diff)
{
	FILE *fp = writer->fp;

	td_page_begin(fp, "What changed");
	fputs("<header><h1>What changed from A to B</h1>\n<dl>\n", fp);
	put_side(fp, 'A', &diff->sides[TD_DIFF_A]);
	put_side(fp, 'B', &diff->sides[TD_DIFF_B]);
	fputs("</dl></header>\n", fp);
	put_sentences(writer, diff);
	put_pictures(writer, diff);
	put_table(fp, diff);
	td_page_end(fp);
}
