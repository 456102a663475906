// SPDX-License-Identifier: GPL-2.0-only
/* Text: differences of two sides. */
#include <math.h>

#include "cmd/output/out.h"
#include "lib/base/printable.h"
#include "metrics/diff/diff.h"

#define NAME_WIDTH  34
#define VALUE_WIDTH 14 /* width of counts; percentages are shorter */
#define PCT_WIDTH   8
#define DIFF_WIDTH  9
#define ERROR_WIDTH 6
#define SLOTS_WIDTH 21
#define PLUS_MINUS  "\302\261"

static const char *format(char buf[64], int decimals, double value, bool sign)
{
	buf[0] = '+';
	td_out_format(buf + (sign && value > 0), decimals, value);
	return buf;
}

/* Put a number, with digits in groups of three, or a dash if it is unknown. */
static void put_number(const struct td_writer *writer, int width, int decimals, double value,
		       bool sign)
{
	char buf[64];

	/* a blank even before a number that fills its column */
	if (width > 0) {
		fputc(' ', writer->fp);
		width--;
	}
	if (isnan(value))
		fprintf(writer->fp, "%*s", width, "-");
	else if (writer->frame->big_num && fabs(value) >= 1000)
		td_out_grouped(writer->fp, width, format(buf, decimals, value, sign));
	else
		fprintf(writer->fp, "%*s", width, format(buf, decimals, value, sign));
}

/* Put "+1.2345 ±0.1000", or "+1.2345" if the error is unknown. */
static void put_difference(const struct td_writer *writer, int width, int decimals, double diff,
			   double error)
{
	put_number(writer, width, decimals, diff, true);
	if (isnan(error) || isnan(diff))
		return;
	fputs(" " PLUS_MINUS, writer->fp);
	put_number(writer, 0, decimals, error, false);
}

/* Put "+12.34 (+10.00 to +15.00)". */
static void put_change(const struct td_writer *writer, int width, int decimals,
		       const struct td_diff_change *change)
{
	put_number(writer, width, decimals, change->pct, true);
	if (isnan(change->low))
		return;
	fputs("  (", writer->fp);
	put_number(writer, 0, decimals, change->low, true);
	fputs(" to ", writer->fp);
	put_number(writer, 0, decimals, change->high, true);
	fputc(')', writer->fp);
}

/* Like put_difference(), padded to the next column. */
static void put_padded(const struct td_writer *writer, int width, int decimals, double diff,
		       double error)
{
	char buf[64] = "";

	put_number(writer, width, decimals, diff, true);
	if (!isnan(error) && !isnan(diff))
		td_out_format(buf, decimals, error);
	fprintf(writer->fp, " %s%-*s", *buf ? PLUS_MINUS : " ", ERROR_WIDTH, buf);
}

static void put_name(const struct td_writer *writer, const struct td_diff_row *row)
{
	char name[NAME_WIDTH * 4];

	fputs(row->marked && !td_out_diff_marks_slots(row) ? " * " : "   ", writer->fp);
	snprintf(name, sizeof(name), "%s%s%s%s%s", row->pmu ? row->pmu : "", row->pmu ? " " : "",
		 row->name, td_out_diff_is_percent(row) || !*row->unit ? "" : ", ",
		 td_out_diff_is_percent(row) ? "" : row->unit);
	td_put_padded(writer->fp, -NAME_WIDTH, name);
}

/* Put a row that is not a node: values in their unit, and the change in percent. */
static void put_plain(const struct td_writer *writer, const struct td_diff_row *row)
{
	const struct td_diff_value *v = &row->value;
	int decimals = td_out_diff_row_decimals(row);

	put_name(writer, row);
	put_number(writer, VALUE_WIDTH, decimals, v->of[TD_DIFF_A], false);
	put_number(writer, VALUE_WIDTH, decimals, v->of[TD_DIFF_B], false);
	put_change(writer, DIFF_WIDTH, 2, &row->change);
	fputc('\n', writer->fp);
}

static void put_node(const struct td_writer *writer, const struct td_diff *diff,
		     const struct td_diff_row *row)
{
	const struct td_diff_value *v = &row->value, *s = &row->slots;
	int decimals = td_diff_decimals(fmax(s->of[TD_DIFF_A], s->of[TD_DIFF_B]));

	put_name(writer, row);
	put_number(writer, PCT_WIDTH, 2, v->of[TD_DIFF_A], false);
	put_number(writer, PCT_WIDTH, 2, v->of[TD_DIFF_B], false);
	if (td_out_diff_has_slots(diff)) {
		put_padded(writer, DIFF_WIDTH, 2, v->diff, v->error);
		put_difference(writer, SLOTS_WIDTH, decimals, s->diff, s->error);
		fputs(td_out_diff_marks_slots(row) ? " *" : "", writer->fp);
	} else {
		put_difference(writer, DIFF_WIDTH, 2, v->diff, v->error);
	}
	fputc('\n', writer->fp);
}

static void put_side(FILE *fp, const char *letter, const struct td_diff_side *side)
{
	fprintf(fp, "   %s: ", letter);
	td_put_printable(fp, side->name);
	td_out_diff_put_number(fp, side);
	fputc('\n', fp);
}

static void put_title(struct td_writer *writer, const struct td_diff *diff)
{
	td_autofree char *sentence = td_out_diff_sentence(diff);
	FILE *fp = writer->fp;

	fputs("\n ", fp);
	td_put_wrapped(fp, 1, TD_LINE_WIDTH, sentence);
	fputs("\n What changed from A to B:\n\n", fp);
	put_side(fp, "A", &diff->sides[TD_DIFF_A]);
	put_side(fp, "B", &diff->sides[TD_DIFF_B]);
}

static void put_node_header(FILE *fp, const struct td_diff *diff)
{
	char text[48];

	fprintf(fp, "%*s%*s%*s", PCT_WIDTH, "A, %", PCT_WIDTH, "B, %", DIFF_WIDTH, "points");
	if (!td_out_diff_has_slots(diff))
		return;
	snprintf(text, sizeof(text), "slots per %s", td_per_word(diff->per));
	fprintf(fp, "%*s%*s", ERROR_WIDTH + 2, "", SLOTS_WIDTH, text);
}

static void put_header(const struct td_writer *writer, const struct td_diff *diff,
		       const struct td_diff_row *row)
{
	FILE *fp = writer->fp;

	fputs("\n   ", fp);
	td_put_padded(fp, -NAME_WIDTH, diff->has_ids && row->kind != TD_DIFF_TIME ? row->id : "");
	if (td_out_diff_is_percent(row))
		put_node_header(fp, diff);
	else
		fprintf(fp, "%*s%*s%*s", VALUE_WIDTH, "A", VALUE_WIDTH, "B", DIFF_WIDTH, "%");
	if (row->kind == TD_DIFF_EVENT && diff->per != TD_PER_RUN)
		fprintf(fp, "  per %s", td_per_word(diff->per));
	fputc('\n', fp);
}

/* Do the rows share a header?  Rows of time and of IPC do; each other kind has its own. */
static bool share_header(const struct td_diff_row *a, const struct td_diff_row *b)
{
	bool first_a = a->kind <= TD_DIFF_IPC, first_b = b->kind <= TD_DIFF_IPC;

	return first_a == first_b && td_out_diff_is_percent(a) == td_out_diff_is_percent(b) &&
	       !strcmp(a->id, b->id);
}

static void put_advice(struct td_writer *writer, const struct td_diff *diff)
{
	td_autofree char *advice = td_out_diff_advice(diff);

	if (!advice)
		return;
	fputc(' ', writer->fp);
	td_put_wrapped(writer->fp, 1, TD_LINE_WIDTH, advice);
	if (diff->again)
		fprintf(writer->fp, "\n     %s\n", diff->again);
}

/* Does only one side have a value? */
static bool is_one_sided(const struct td_diff *diff, const struct td_diff_row *row)
{
	(void)diff;
	return isnan(row->value.of[TD_DIFF_A]) != isnan(row->value.of[TD_DIFF_B]);
}

static bool shows_slots(const struct td_diff *diff, const struct td_diff_row *row)
{
	return td_out_diff_is_percent(row) && td_out_diff_has_slots(diff);
}

/* Does put_number() show a dash? */
static bool is_unknown(const struct td_diff *diff, const struct td_diff_row *row)
{
	return isnan(row->value.of[TD_DIFF_A]) || isnan(row->value.of[TD_DIFF_B]) ||
	       isnan(td_out_diff_is_percent(row) ? row->value.diff : row->change.pct) ||
	       (shows_slots(diff, row) && isnan(row->slots.diff));
}

/* Does put_difference() show an error? */
static bool has_error(const struct td_diff *diff, const struct td_diff_row *row)
{
	return td_out_diff_is_percent(row) &&
	       (!isnan(row->value.diff + row->value.error) ||
		(shows_slots(diff, row) && !isnan(row->slots.diff + row->slots.error)));
}

/* Does put_change() show an interval? */
static bool has_interval(const struct td_diff *diff, const struct td_diff_row *row)
{
	(void)diff;
	return !td_out_diff_is_percent(row) && !isnan(row->change.low);
}

static void put_legend(FILE *fp, const struct td_diff *diff)
{
	const struct td_diff_side *a = &diff->sides[TD_DIFF_A];
	bool errors = td_out_diff_count(diff, has_error);
	bool intervals = td_out_diff_count(diff, has_interval);
	td_autofree char *mark = td_out_diff_mark(diff);

	if (mark) {
		fputs(" * ", fp);
		td_put_wrapped(fp, 3, TD_LINE_WIDTH, mark);
	}
	if (errors)
		fputs(" " PLUS_MINUS " half of each row's own 95 % confidence interval", fp);
	if (intervals)
		fputs(errors ? ", in brackets for ratios"
			     : " in brackets: each row's own 95 % confidence interval",
		      fp);
	if (errors || intervals)
		fprintf(fp, " (%zu + %zu %s)\n", a->nr, diff->sides[TD_DIFF_B].nr,
			a->is_command ? "runs" : "recordings");
}

void td_out_text_diff(struct td_writer *writer, const struct td_diff *diff)
{
	FILE *fp = writer->fp;

	put_title(writer, diff);
	for (size_t i = 0; i < diff->nr; i++) {
		const struct td_diff_row *row = &diff->rows[i];

		if (!i || !share_header(&diff->rows[i - 1], row))
			put_header(writer, diff, row);
		if (td_out_diff_is_percent(row))
			put_node(writer, diff, row);
		else
			put_plain(writer, row);
	}
	fputc('\n', fp);
	put_legend(fp, diff);
	if (td_out_diff_count(diff, is_one_sided))
		fputs(" - means no value; rows of only one side come last\n", fp);
	else if (td_out_diff_count(diff, is_unknown))
		fputs(" - means no value\n", fp);
	put_advice(writer, diff);
	fputc('\n', fp);
}
