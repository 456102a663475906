// SPDX-License-Identifier: GPL-2.0-only
/* Comparisons: columns, and the result in a sentence. */
#include <math.h>

#include "cmd/output/out.h"
#include "metrics/diff/diff.h"

/* --- columns, and functions for all formats ------------------------------- */

static const char *const kinds[] = {
	[TD_DIFF_TIME] = "time",
	[TD_DIFF_IPC] = "ipc",
	[TD_DIFF_METRIC] = "metric",
	[TD_DIFF_EVENT] = "event",
};

#define OF(member) offsetof(struct td_diff_row, member)

/* Percentages have as many digits as other values, because differences may be small. */
static const struct td_sheet_column columns[] = {
	{ "kind", TD_CELL_WORD, OF(kind), .words = kinds },
	{ "id", TD_CELL_TEXT, OF(id) },
	{ "pmu", TD_CELL_TEXT, OF(pmu) },
	{ "name", TD_CELL_TEXT, OF(name) },
	{ "unit", TD_CELL_TEXT, OF(unit) },
	{ "level", TD_CELL_LEVEL, OF(level) },
	{ "a", TD_CELL_NUMBER, OF(value.of[TD_DIFF_A]) },
	{ "b", TD_CELL_NUMBER, OF(value.of[TD_DIFF_B]) },
	{ "difference", TD_CELL_NUMBER, OF(value.diff) },
	{ "error", TD_CELL_NUMBER, OF(value.error) },
	{ "degrees", TD_CELL_NUMBER, OF(value.degrees) },
	{ "percent", TD_CELL_NUMBER, OF(change.pct) },
	{ "percent_error", TD_CELL_NUMBER, OF(change.error) },
	{ "percent_low", TD_CELL_NUMBER, OF(change.low) },
	{ "percent_high", TD_CELL_NUMBER, OF(change.high) },
	{ "per", TD_CELL_TEXT, OF(per) },
	{ "slots_a", TD_CELL_NUMBER, OF(slots.of[TD_DIFF_A]) },
	{ "slots_b", TD_CELL_NUMBER, OF(slots.of[TD_DIFF_B]) },
	{ "slots_difference", TD_CELL_NUMBER, OF(slots.diff) },
	{ "slots_error", TD_CELL_NUMBER, OF(slots.error) },
	{ "slots_degrees", TD_CELL_NUMBER, OF(slots.degrees) },
	{ "marked", TD_CELL_FLAG, OF(marked) },
};

struct td_sheet td_out_diff_sheet(void)
{
	return (struct td_sheet){ .columns = columns, .nr_columns = TD_ARRAY_SIZE(columns) };
}

void td_out_put_diff(struct td_writer *writer, const struct td_diff *diff)
{
	struct td_sheet sheet = td_out_diff_sheet();

	sheet.rows = diff->rows;
	sheet.nr_rows = diff->nr;
	sheet.row_size = sizeof(*diff->rows);

	if (writer->out->diff)
		writer->out->diff(writer, diff);
	else
		writer->out->sheet(writer, &sheet);
}

bool td_out_diff_is_percent(const struct td_diff_row *row)
{
	return row->unit[0] == '%';
}

int td_out_diff_row_decimals(const struct td_diff_row *row)
{
	const double *of = row->value.of;

	if (td_out_diff_is_percent(row))
		return 2;
	return row->kind == TD_DIFF_EVENT
		       ? td_diff_decimals(fmax(fabs(of[TD_DIFF_A]), fabs(of[TD_DIFF_B])))
		       : 3;
}

void td_out_diff_put_number(FILE *fp, const struct td_diff_side *side)
{
	if (side->is_command)
		fprintf(fp, ", %zu run%s", side->nr, side->nr == 1 ? "" : "s");
	else if (side->nr > 1)
		fprintf(fp, " and %zu more", side->nr - 1);
}

bool td_out_diff_has_slots(const struct td_diff *diff)
{
	return diff->per != TD_PER_SLOTS;
}

bool td_out_diff_marks_slots(const struct td_diff_row *row)
{
	return row->marked && td_out_diff_is_percent(row) && !isnan(row->slots.diff) &&
	       fabs(row->value.diff) < TD_DIFF_MIN;
}

size_t td_out_diff_count(const struct td_diff *diff,
			 bool (*has)(const struct td_diff *diff, const struct td_diff_row *row))
{
	size_t nr = 0;

	for (size_t i = 0; i < diff->nr; i++)
		nr += has(diff, &diff->rows[i]);
	return nr;
}

static bool is_marked(const struct td_diff *diff, const struct td_diff_row *row)
{
	(void)diff;
	return row->marked;
}

static bool is_marked_after(const struct td_diff *diff, const struct td_diff_row *row)
{
	return td_out_diff_has_slots(diff) && td_out_diff_marks_slots(row);
}

char *td_out_diff_mark(const struct td_diff *diff)
{
	bool after = td_out_diff_count(diff, is_marked_after);
	bool slots = td_out_diff_has_slots(diff);
	bool named = slots && diff->limits && diff->limits->nr;

	if (!td_out_diff_count(diff, is_marked))
		return NULL;
	return td_aprintf(
		"significant at the 95 %% level over all rows%s%s%s%s%s%s",
		slots ? ", in slots if the row has them" : "", after || named ? " (" : "",
		after ? "after these if the points are 0.00" : "", after && named ? "; " : "",
		named ? "in points if --fail-above names it" : "", after || named ? ")" : "");
}

/* --- the sentence --------------------------------------------------------- */

#define PLUS_MINUS "\302\261"

static void put_number(FILE *fp, double value, int decimals, bool sign)
{
	char buf[64];

	td_out_format(buf, decimals, value);
	fputs(sign && value > 0 ? "+" : "", fp);
	if (fabs(value) >= 1000)
		td_out_grouped(fp, 0, buf);
	else
		fputs(buf, fp);
}

/* Put "24.9 ±1.1", or "24.9" if the error is unknown. */
static void put_change(FILE *fp, double value, double error, int decimals, bool sign)
{
	put_number(fp, value, decimals, sign);
	if (isnan(error))
		return;
	fputs(" " PLUS_MINUS, fp);
	put_number(fp, error, decimals, false);
}

static int decimals_of(const struct td_diff_change *change)
{
	return fabs(change->pct) < 0.1 || change->error < 0.1 ? 2 : 1;
}

/* Put "+1.2 to +3.4 %". */
static void put_interval(FILE *fp, double from, double to, int decimals, bool sign)
{
	put_number(fp, from, decimals, sign);
	fputs(" to ", fp);
	put_number(fp, to, decimals, sign);
	fputs(" %", fp);
}

/* Put "+2.3 %, +1.2 to +3.4 %", or "+2.3 %" if the interval is unknown. */
static void put_percent(FILE *fp, const struct td_diff_change *change)
{
	int decimals = decimals_of(change);

	put_number(fp, change->pct, decimals, true);
	fputs(" %", fp);
	if (isnan(change->low))
		return;
	fputs(", ", fp);
	put_interval(fp, change->low, change->high, decimals, true);
}

/* Put " (1.2 to 3.4 %)", which follows "2.3 % more ...". */
static void put_size(FILE *fp, const struct td_diff_change *change)
{
	int decimals = decimals_of(change);

	if (isnan(change->low))
		return;
	fputs(" (", fp);
	if (change->pct > 0)
		put_interval(fp, change->low, change->high, decimals, false);
	else
		put_interval(fp, -change->high, -change->low, decimals, false);
	fputc(')', fp);
}

/* --- how much --------------------------------------------------------------- */

static const char *runs_of(const struct td_diff *diff)
{
	return diff->sides[TD_DIFF_A].is_command ? "runs" : "recordings";
}

static void put_what(FILE *fp, const struct td_diff *diff, const struct td_diff_summary *s)
{
	if (s->of_time)
		fputs(" time", fp);
	else
		fprintf(fp, " slots per %s", td_per_word(diff->per));
}

#define LARGE_ERROR 10 /* percent: sides with a larger error are not called equal */

static void put_uncertain(FILE *fp, const struct td_diff *diff, const struct td_diff_summary *s,
			  bool known)
{
	size_t a = diff->sides[TD_DIFF_A].nr, b = diff->sides[TD_DIFF_B].nr;

	if (known)
		fprintf(fp, "%zu and %zu %s show no difference in", a, b, runs_of(diff));
	else
		fputs("No significant difference in", fp);
	put_what(fp, diff, s);
	if (known)
		fputs(", but vary too much to exclude a large one (", fp);
	else
		fprintf(fp, " with %zu + %zu %s (", a, b, runs_of(diff));
}

/* Put that B takes about as much as A, or that the difference is not significant. */
static void put_equal(FILE *fp, const struct td_diff *diff, const struct td_diff_summary *s)
{
	const struct td_diff_change *change = &s->whole.change;
	/* the difference may be significant by itself, but not over all rows */
	bool same = fabs(change->pct) < TD_DIFF_MIN;
	bool known = !isnan(s->whole.value.chance) && !isnan(change->error) &&
		     (same || !s->whole.value.clear);

	if (known ? change->error >= LARGE_ERROR : !same) {
		put_uncertain(fp, diff, s, known);
	} else {
		fputs(s->of_time ? "B takes as much" : "B takes as many", fp);
		put_what(fp, diff, s);
		fputs(" as A", fp);
		if (!known)
			return;
		fprintf(fp, ", as far as %zu and %zu %s show (", diff->sides[TD_DIFF_A].nr,
			diff->sides[TD_DIFF_B].nr, runs_of(diff));
	}
	put_percent(fp, change);
	fputc(')', fp);
}

static void put_whole(FILE *fp, const struct td_diff *diff, const struct td_diff_summary *s)
{
	const struct td_diff_change *change = &s->whole.change;
	bool more = change->pct > 0;

	if (!s->whole.told) {
		put_equal(fp, diff, s);
		return;
	}
	fprintf(fp, "B %s ", isnan(s->whole.value.chance) ? "took" : "takes");
	put_number(fp, fabs(change->pct), decimals_of(change), false);
	fprintf(fp, " %% %s", more ? "more" : s->of_time ? "less" : "fewer");
	put_what(fp, diff, s);
	put_size(fp, change);
}

/* Put CPU times, slots per run and slots per instruction. */
static void put_work(FILE *fp, const struct td_diff_summary *s)
{
	if (s->busy) {
		fprintf(fp, "; %s time: ", s->busy->name);
		put_percent(fp, &s->busy->change);
	}
	if (isnan(s->per_run.change.pct))
		return;
	fputs("; slots per run: ", fp);
	put_percent(fp, &s->per_run.change);
	if (isnan(s->per_instruction.change.pct))
		return;
	fputs("; slots per instruction: ", fp);
	put_percent(fp, &s->per_instruction.change);
}

/* --- the node --------------------------------------------------------------- */

/* Does the row need its PMU, because other rows have another? */
static bool needs_pmu(const struct td_diff *diff, const struct td_diff_row *row)
{
	for (size_t i = 0; row->pmu && i < diff->nr; i++) {
		const char *other = diff->rows[i].pmu;

		if (other && strcmp(other, row->pmu) != 0)
			return true;
	}
	return false;
}

static void put_name(FILE *fp, const struct td_diff *diff, const struct td_diff_row *row)
{
	fprintf(fp, "%s%s%s", needs_pmu(diff, row) ? row->pmu : "", needs_pmu(diff, row) ? " " : "",
		row->name);
	if (strcmp(row->id, "all") != 0)
		fprintf(fp, " of %s", row->id);
}

static void put_most(FILE *fp, const struct td_diff *diff, const struct td_diff_row *row)
{
	const struct td_diff_value *slots = &row->slots, *value = &row->value;

	put_name(fp, diff, row);
	fputs(", ", fp);
	if (!isnan(slots->diff) && td_out_diff_has_slots(diff)) {
		put_change(fp, slots->diff, slots->error, td_diff_decimals(slots->diff), true);
		fprintf(fp, " slots per %s", td_per_word(diff->per));
	} else if (!isnan(row->change.pct)) {
		put_percent(fp, &row->change);
	} else {
		put_change(fp, value->diff, value->error, 2, true);
		fputs(row->unit[0] == '%' ? " points" : "", fp);
	}
}

/* Must the unit be named?  With times of commands, slots may be per another unit than runs. */
static bool names_unit(const struct td_diff *diff, const struct td_diff_summary *s)
{
	return s->of_time && diff->per != TD_PER_RUN;
}

char *td_out_diff_sentence(const struct td_diff *diff)
{
	const struct td_diff_summary s = td_diff_sum_up(diff);
	char *text = NULL;
	size_t size;
	FILE *fp = td_open_memstream(&text, &size);
	bool whole = !isnan(s.whole.change.pct);

	if (whole)
		put_whole(fp, diff, &s);
	put_work(fp, &s);
	if (s.node) {
		fprintf(fp, "%s%.0f %% of the %s slots%s%s were ", whole ? "; " : "", s.node_pct,
			s.saved ? "saved" : "added", names_unit(diff, &s) ? " per " : "",
			names_unit(diff, &s) ? td_per_word(diff->per) : "");
		put_name(fp, diff, s.node);
	} else if (s.most) {
		fputs(whole ? "; what changed most is " : "What changed most from A to B is ", fp);
		put_most(fp, diff, s.most);
	} else if (!whole) {
		fputs(td_diff_has_chances(diff) ? "No significant change" : "No change", fp);
	}
	td_text_close(fp, &text);
	return text;
}

/* Put that the noise is unknown or the runs are too few, and how many are enough. */
static void put_advice(FILE *fp, const struct td_diff *diff)
{
	size_t a = diff->sides[TD_DIFF_A].nr, b = diff->sides[TD_DIFF_B].nr;
	bool few = a < TD_DIFF_FEW || b < TD_DIFF_FEW;

	if (!td_diff_has_chances(diff))
		fputs("The noise is unknown", fp);
	else if (few)
		fputs("Too few to confirm small differences", fp);
	else
		fputs("Too few to confirm a difference this small", fp);
	fprintf(fp, "; %s%zu %s of each%s", few ? "use " : "", diff->enough, runs_of(diff),
		few ? "" : " should be enough");
}

char *td_out_diff_advice(const struct td_diff *diff)
{
	char *text = NULL;
	size_t size;
	FILE *fp;

	if (!diff->enough)
		return NULL;
	fp = td_open_memstream(&text, &size);
	put_advice(fp, diff);
	fputc(':', fp);
	td_text_close(fp, &text);
	return text;
}
