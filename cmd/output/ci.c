// SPDX-License-Identifier: GPL-2.0-only
/*
 * A comparison for continuous integration.  Markdown: a comment on a change, for
 * example in GitHub or GitLab.  XML: the result of each limit in JUnit's format,
 * https://github.com/testmoapp/junitxml.
 */
#include <ctype.h>
#include <math.h>

#include "cmd/output/format.h"
#include "cmd/output/out.h"
#include "lib/base/printable.h"
#include "metrics/diff/diff.h"

#define PLUS_MINUS "\302\261"

#define FIRST_ROWS 10 /* visible rows if noise is unknown */
/* GitHub refuses comments of more than 65,536 characters. */
#define MAX_ROWS 300

/* --- names -------------------------------------------------------------------- */

/*
 * Put a character of a name without markup: punctuation as its number, and a comment after @ and #
 * to prevent @mentions and references such as #1.
 */
static void put_letter(FILE *fp, const char *letter)
{
	char c = letter[0], next = letter[1];
	/* tma_x and "more:" are not markup, _x_ and :x: are */
	bool safe = strchr(".,;%()/-+='?", c) || (c == '_' && isalnum((unsigned char)next)) ||
		    (c == ':' && (!next || next == ' '));

	if (c == '@' || c == '#')
		fprintf(fp, "%c<!-- -->", c);
	else if (ispunct((unsigned char)c) && !safe)
		fprintf(fp, "&#%d;", c);
	else
		fputc(c, fp);
}

static void put_text(FILE *fp, const char *text)
{
	td_put_escaped(fp, text, put_letter, "&#92;x");
}

/* May the text be in a code span?  It must not contain `, | or a line feed. */
static bool is_plain(const char *text)
{
	static const char others[] = "_-./:,=+ ";

	for (; *text; text++) {
		if (!isalnum((unsigned char)*text) && !strchr(others, *text))
			return false;
	}
	return true;
}

static void put_code(FILE *fp, const char *text)
{
	if (is_plain(text)) {
		fprintf(fp, "`%s`", text);
		return;
	}
	fputs("<code>", fp);
	put_text(fp, text);
	fputs("</code>", fp);
}

/* --- numbers ------------------------------------------------------------------ */

static void put_number(const struct td_writer *writer, double value, int decimals, bool sign)
{
	if (isnan(value)) {
		fputc('-', writer->fp);
		return;
	}
	if (sign && value > 0)
		fputc('+', writer->fp);
	td_out_count(writer, 0, decimals, value);
}

/* Put a difference, "+1.23 ±0.10 points". */
static void put_difference(const struct td_writer *writer, double value, double error, int decimals,
			   const char *unit)
{
	put_number(writer, value, decimals, true);
	if (isnan(value))
		return;
	if (!isnan(error)) {
		fputs(" " PLUS_MINUS, writer->fp);
		put_number(writer, error, decimals, false);
	}
	fprintf(writer->fp, " %s", unit);
}

/* Put a change, "+1.23 % (+1.13 to +1.33)". */
static void put_change(const struct td_writer *writer, const struct td_diff_change *change)
{
	put_number(writer, change->pct, 2, true);
	if (isnan(change->pct))
		return;
	fputs(" %", writer->fp);
	if (isnan(change->low))
		return;
	fputs(" (", writer->fp);
	put_number(writer, change->low, 2, true);
	fputs(" to ", writer->fp);
	put_number(writer, change->high, 2, true);
	fputc(')', writer->fp);
}

/* --- the table ---------------------------------------------------------------- */

static void put_name(const struct td_diff *diff, const struct td_diff_row *row, FILE *fp)
{
	const char *bold = row->marked && !td_out_diff_marks_slots(row) ? "**" : "";

	fputs("| ", fp);
	if (diff->has_ids && row->kind != TD_DIFF_TIME) {
		put_code(fp, row->id);
		fputc(' ', fp);
	}
	fputs(bold, fp);
	if (row->pmu) {
		put_text(fp, row->pmu);
		fputc(' ', fp);
	}
	put_code(fp, row->name);
	fprintf(fp, "%s%s", bold, *row->unit ? ", " : "");
	put_text(fp, row->unit);
}

static void put_row(const struct td_writer *writer, const struct td_diff *diff,
		    const struct td_diff_row *row)
{
	const struct td_diff_value *v = &row->value, *s = &row->slots;
	FILE *fp = writer->fp;

	put_name(diff, row, fp);
	fputs(" | ", fp);
	put_number(writer, v->of[TD_DIFF_A], td_out_diff_row_decimals(row), false);
	fputs(" | ", fp);
	put_number(writer, v->of[TD_DIFF_B], td_out_diff_row_decimals(row), false);
	fputs(" | ", fp);
	if (td_out_diff_is_percent(row))
		put_difference(writer, v->diff, v->error, 2, "points");
	else
		put_change(writer, &row->change);
	if (td_out_diff_has_slots(diff)) {
		const char *bold = td_out_diff_marks_slots(row) ? "**" : "";

		fprintf(fp, " | %s", bold);
		if (!isnan(s->diff))
			put_difference(writer, s->diff, s->error,
				       td_diff_decimals(fmax(s->of[TD_DIFF_A], s->of[TD_DIFF_B])),
				       "");
		fputs(bold, fp);
	}
	fputs(" |\n", fp);
}

/* Is the row inside <details>? */
static bool is_hidden(const struct td_diff *diff, const struct td_diff_row *row)
{
	return row->kind > TD_DIFF_IPC && !row->marked &&
	       (td_diff_has_chances(diff) || row - diff->rows >= FIRST_ROWS);
}

static void put_rows(const struct td_writer *writer, const struct td_diff *diff, bool hidden)
{
	size_t nr = 0;

	for (size_t i = 0; i < diff->nr; i++) {
		if (is_hidden(diff, &diff->rows[i]) != hidden || nr++ >= MAX_ROWS)
			continue;
		if (nr == 1) {
			bool slots = td_out_diff_has_slots(diff);

			fputs("\n| | A | B | change |", writer->fp);
			if (slots)
				fprintf(writer->fp, " slots per %s |", td_per_word(diff->per));
			fprintf(writer->fp, "\n|:--|--:|--:|--:|%s\n", slots ? "--:|" : "");
		}
		put_row(writer, diff, &diff->rows[i]);
	}
	if (nr > MAX_ROWS)
		fprintf(writer->fp, "\n%zu more; --json-output lists all.\n", nr - MAX_ROWS);
}

static void put_others(const struct td_writer *writer, const struct td_diff *diff)
{
	size_t nr = td_out_diff_count(diff, is_hidden);

	if (!nr)
		return;
	fprintf(writer->fp, "\n<details><summary>%zu more row%s</summary>\n", nr,
		nr == 1 ? "" : "s");
	put_rows(writer, diff, true);
	fputs("\n</details>\n", writer->fp);
}

/* --- above and below the table -------------------------------------------------- */

static void put_side(FILE *fp, const char *letter, const struct td_diff_side *side)
{
	fprintf(fp, "- %s: ", letter);
	put_code(fp, side->name);
	td_out_diff_put_number(fp, side);
	fputc('\n', fp);
}

static void put_limit(FILE *fp, const struct td_limit *limit)
{
	static const char *const words[] = {
		[TD_GATE_PASSED] = "passed",
		[TD_GATE_UNDECIDED] = "**undecided**",
		[TD_GATE_EXCEEDED] = "**failed**",
		[TD_GATE_TROUBLE] = "**not compared**",
	};

	fprintf(fp, "- %s: ", words[limit->gate]);
	put_code(fp, limit->name);
	fprintf(fp, " may get worse by %g", limit->most);
	for (size_t i = 0; i < limit->found.nr; i++) {
		fputs("; ", fp);
		put_text(fp, limit->found.v[i]);
	}
	fputc('\n', fp);
}

static void put_end(const struct td_writer *writer, const struct td_diff *diff)
{
	td_autofree char *advice = td_out_diff_advice(diff);
	td_autofree char *mark = td_out_diff_mark(diff);

	if (mark)
		fputs("\nBold: significant at the 95 % level over all rows.\n", writer->fp);
	if (!advice)
		return;
	fputc('\n', writer->fp);
	put_text(writer->fp, advice);
	if (diff->again) {
		fputc(' ', writer->fp);
		put_code(writer->fp, diff->again);
	}
	fputc('\n', writer->fp);
}

static void put_diff(struct td_writer *writer, const struct td_diff *diff)
{
	td_autofree char *sentence = td_out_diff_sentence(diff);
	FILE *fp = writer->fp;

	put_text(fp, sentence);
	fputs(".\n\n", fp);
	put_side(fp, "A", &diff->sides[TD_DIFF_A]);
	put_side(fp, "B", &diff->sides[TD_DIFF_B]);
	for (size_t i = 0; diff->limits && i < diff->limits->nr; i++) {
		fputs(i ? "" : "\nLimits:\n\n", fp);
		put_limit(fp, &diff->limits->v[i]);
	}
	put_rows(writer, diff, false);
	put_others(writer, diff);
	put_end(writer, diff);
}

const struct td_out td_out_markdown = {
	.option = "--markdown",
	.help = "Markdown, for a comment on a change",
	.diff = put_diff,
};

/* --- limits as test cases ------------------------------------------------- */

/* Return the element in a test case that did not pass; NULL: it passed. */
static const char *element_of(const struct td_limit *limit)
{
	switch (limit->gate) {
	case TD_GATE_EXCEEDED:
		return "failure";
	case TD_GATE_TROUBLE:
		return "error";
	default:
		/* undecided, or the limit was exceeded but the noise is unknown */
		return limit->found.nr ? "skipped" : NULL;
	}
}

static size_t count(const struct td_limits *limits, const char *element)
{
	size_t nr = 0;

	for (size_t i = 0; i < limits->nr; i++) {
		const char *of = element_of(&limits->v[i]);

		nr += of && strcmp(of, element) == 0;
	}
	return nr;
}

static void put_case(FILE *fp, const struct td_limit *limit)
{
	const char *element = element_of(limit);

	fputs("    <testcase classname=\"tdstat.diff\" name=\"", fp);
	td_put_html(fp, limit->name);
	fprintf(fp, ":%g\"%s>\n", limit->most, element ? "" : "/");
	if (!element)
		return;
	fprintf(fp, "      <%s message=\"%s", element, limit->found.nr ? "" : "not compared");
	for (size_t i = 0; i < limit->found.nr; i++) {
		fputs(i ? "; " : "", fp);
		td_put_html(fp, limit->found.v[i]);
	}
	fputs("\"/>\n", fp);
	fputs("    </testcase>\n", fp);
}

void td_out_junit(FILE *fp, const struct td_limits *limits, const char *why)
{
	fprintf(fp,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<testsuites>\n"
		"  <testsuite name=\"tdstat diff\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" "
		"skipped=\"%zu\">\n",
		limits->nr + (why != NULL), count(limits, "failure"),
		count(limits, "error") + (why != NULL), count(limits, "skipped"));
	if (why) {
		fputs("    <testcase classname=\"tdstat.diff\" name=\"comparison\">\n"
		      "      <error message=\"",
		      fp);
		td_put_html(fp, why);
		fputs("\"/>\n    </testcase>\n", fp);
	}
	for (size_t i = 0; i < limits->nr; i++)
		put_case(fp, &limits->v[i]);
	fputs("  </testsuite>\n</testsuites>\n", fp);
}
