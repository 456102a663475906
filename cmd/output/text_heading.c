// SPDX-License-Identifier: GPL-2.0-only
/* Text: the title, the beginning of lines of intervals, the heading of a tree, marks. */
#include <limits.h>
#include <math.h>

#include "cmd/output/columns.h"
#include "cmd/output/out.h"
#include "lib/base/printable.h"

/* --- the title, and the start of lines of intervals ----------------------- */

#define TEN_CPUS 999.95 /* percent: no room for decimals */

int td_out_text_start(const struct td_writer *writer, uint64_t time_ns, const struct td_row *row)
{
	FILE *fp = writer->fp;
	char time[TD_CLOCK_SIZE], id[TD_SHOWN_SIZE];
	int columns = td_put_right(fp, td_out_time_width(writer->frame, TD_WIDE_TIME_WIDTH),
				   td_out_time(time, writer->frame, time_ns));

	if (writer->frame->show_id) {
		fputc(' ', fp);
		columns += 1 + td_put_padded(fp, -td_table_id_width(writer->frame),
					     td_row_shown(row, id));
	}
	if (writer->frame->show_pmu) {
		fputc(' ', fp);
		columns += 1 + td_put_padded(fp, -TD_PMU_WIDTH, row->pmu);
	}
	return columns;
}

void td_out_text_id(FILE *fp, int width, const char *id)
{
	bool cut = td_printable_width(id) > width;

	fputc(' ', fp);
	while (cut && td_printable_width(id) > width - 2) {
		do
			id++;
		while ((*id & 0xc0) == 0x80); /* within a UTF-8 letter */
	}
	fputs(cut ? ".." : "", fp);
	td_put_padded(fp, cut ? 2 - width : -width, id);
}

void td_out_text_facts_header(FILE *fp, unsigned int shown)
{
	for (size_t i = 0; i < td_nr_row_facts; i++) {
		if (shown & 1U << i)
			fprintf(fp, " %*s", td_row_facts[i].width, td_row_facts[i].title);
	}
}

static void put_short(struct td_writer *writer, int width, int digits, double value)
{
	writer->marks.missing |= isnan(value);
	if (isnan(value))
		td_put_right(writer->fp, width, "-");
	else
		td_out_number(writer->fp, width, value < TEN_CPUS ? digits : 0, value);
}

void td_out_text_facts(struct td_writer *writer, unsigned int shown, const struct td_row *row)
{
	for (size_t i = 0; i < td_nr_row_facts; i++) {
		if (shown & 1U << i) {
			const struct td_sheet_column *fact = &td_row_facts[i];
			const char *text = td_row_fact_text(row, fact);

			putc_unlocked(' ', writer->fp);
			if (text)
				td_put_padded(writer->fp, fact->width, text);
			else
				put_short(writer, fact->width, td_fact_digits(fact),
					  td_row_fact(row, fact));
		}
	}
}

/* Put the title, with quotes like perf: 'sleep 1', 'system wide', but process id '7'. */
void td_out_text_title(struct td_writer *writer)
{
	const struct td_frame *frame = writer->frame;
	const char *words = td_target_words(frame->target_kind);
	bool numbers = frame->target_kind == TD_TARGET_PROCESSES ||
		       frame->target_kind == TD_TARGET_THREADS;

	if (frame->instead)
		fputs("\n Hardware events were not counted; software events only:\n", writer->fp);
	fprintf(writer->fp, "\n %s %s'%s",
		frame->times_only ? "Nothing was counted; the times of"
				  : "Performance counter stats for",
		numbers ? words : "", numbers ? "" : words);
	td_put_printable(writer->fp, frame->target ? frame->target : "");
	fputc('\'', writer->fp);
	if (frame->runs > 1)
		fprintf(writer->fp, " (%d runs)", frame->runs);
	fputs(":\n\n", writer->fp);
	writer->header_done = true;
}

/* --- headings of trees, dimmed lines and marks ---------------------------- */

/*
 * From this percentage on, a CPU time is that of several CPUs.  Counters are read after the clock,
 * so one thread may seem to use more than 100 %.
 */
#define MORE_THAN_A_CPU 105

/*
 * May the value be above its threshold only because of its error?  Regions with few calls have
 * large errors.
 */
static bool is_within_error(const struct td_row *row, const struct td_cell *cell)
{
	return row->region && !isnan(cell->error) && !cell->clear_of_threshold;
}

bool td_out_is_over(const struct td_row *row, const struct td_cell *cell)
{
	return cell->over_threshold && !row->idle && !is_within_error(row, cell);
}

bool td_out_is_marked(const struct td_row *row, const struct td_cell *cell)
{
	return td_out_table_mark(row, cell) == '*';
}

char td_out_table_mark(const struct td_row *row, const struct td_cell *cell)
{
	if (row->idle)
		return 0;
	if (cell->misfit != TD_FITS && cell->misfit != TD_MISFIT_CORRECTION)
		return '?';
	if (td_out_is_over(row, cell))
		return '*';
	return cell->misfit == TD_MISFIT_CORRECTION ? '~' : 0;
}

void td_out_text_begin_line(const struct td_writer *writer, const struct td_row *row)
{
	if (writer->frame->colour && row->idle)
		fputs("\033[2m", writer->fp);
}

void td_out_text_end_line(const struct td_writer *writer, const struct td_row *row)
{
	if (writer->frame->colour && row->idle)
		fputs("\033[m", writer->fp);
	fputc('\n', writer->fp);
}

/* enum td_status begins with the best status. */
enum td_status td_out_row_status(const struct td_row *row)
{
	enum td_status best = TD_STATUS_NONE;

	for (size_t i = 0; i < row->nr_nodes; i++) {
		enum td_status status = row->cells[row->nodes[i].column].status;

		if (status < best)
			best = status;
	}
	return best == TD_STATUS_NONE ? TD_STATUS_NOT_COUNTED : best;
}

/* Does the id have rows of other PMUs? */
static bool has_other_pmus(const struct td_report *report, const struct td_row *row)
{
	size_t nr = 0;

	for (size_t i = 0; i < report->nr_rows; i++)
		nr += strcmp(report->rows[i].id, row->id) == 0;
	return nr > 1;
}

double td_out_of_a_cpu(double busy_pct)
{
	return busy_pct > 100 && busy_pct < MORE_THAN_A_CPU ? 100 : busy_pct;
}

/* Put ", 12.0 % busy, 3.1 GHz", or for tasks ", 95.0 % of one CPU". */
static void put_busy(FILE *fp, const struct td_report *report, const struct td_row *row)
{
	unsigned int shown = td_facts_shown(report, UINT_MAX);

	if (row->activity.cpus && !isnan(row->busy_pct))
		fprintf(fp, ", %.1f %% busy", row->busy_pct);
	else if (row->busy_pct >= MORE_THAN_A_CPU)
		fprintf(fp, ", %.2f CPUs", row->busy_pct / 100);
	else if (!isnan(row->busy_pct))
		fprintf(fp, ", %.1f %% of one CPU", td_out_of_a_cpu(row->busy_pct));
	for (size_t i = 0; i < td_nr_row_facts; i++) {
		double value = td_row_fact(row, &td_row_facts[i]);

		if (shown & 1U << i && td_row_facts[i].unit && !isnan(value))
			fprintf(fp, ", %.*f %s", td_fact_digits(&td_row_facts[i]), value,
				td_row_facts[i].unit);
	}
}

/* Are the errors those of a mean over runs? */
static bool has_errors_of_runs(const struct td_row *row)
{
	for (size_t i = 0; i < row->nr_nodes; i++) {
		const struct td_cell *cell = &row->cells[row->nodes[i].column];

		if (cell->status == TD_STATUS_OK && !isnan(cell->runs_error))
			return true;
	}
	return false;
}

#define SLIGHT_PCT 1 /* a core type with fewer slots is unimportant */

bool td_out_is_slight(const struct td_writer *writer, const struct td_row *row)
{
	return row->share_pct < SLIGHT_PCT && !writer->frame->all && !writer->frame->describe;
}

const char *td_out_add_reason(const char *why, const struct td_cell *cell)
{
	if (!cell->why)
		return why;
	return !why || strcmp(why, cell->why) == 0 ? cell->why : "use -v for the reasons";
}

/* Return the reason for the best status of a row; NULL: unknown. */
static const char *find_reason(const struct td_row *row, enum td_status status)
{
	const char *why = NULL;

	if (row->absent)
		return "no task ran there";
	for (size_t i = 0; i < row->nr_nodes; i++) {
		const struct td_cell *cell = &row->cells[row->nodes[i].column];

		if (cell->status == status)
			why = td_out_add_reason(why, cell);
	}
	return why;
}

static void put_missing(const struct td_writer *writer, const struct td_row *row,
			enum td_status status)
{
	FILE *fp = writer->fp;
	/* with -v, the lines of the nodes contain the reasons */
	const char *why = row->absent || !writer->frame->describe ? find_reason(row, status) : NULL;

	fprintf(fp, ", %s%s", td_out_missing(status), why ? ": " : "");
	td_put_printable(fp, why ? why : "");
}

#define APART 10 /* points: smaller differences between runs are not shown */

/* Put " cpu_core, 97.8 % of the slots, 12.0 % busy, measured 86.7 % of the time". */
void td_out_text_heading(const struct td_writer *writer, const struct td_report *report,
			 const struct td_row *row, enum td_status status)
{
	const struct td_frame *frame = writer->frame;
	FILE *fp = writer->fp;
	char time[TD_CLOCK_SIZE], id[TD_SHOWN_SIZE];

	td_out_text_begin_line(writer, row);
	if (frame->interval)
		fprintf(fp, "#%*s", td_out_time_width(frame, 15),
			td_out_time(time, frame, report->time_ns));
	fputc(' ', fp);
	if (frame->show_id) {
		td_put_printable(fp, td_row_shown(row, id));
		fputc(' ', fp);
	}
	td_put_printable(fp, row->pmu);
	if (status != TD_STATUS_OK)
		put_missing(writer, row, status);
	else if (frame->show_pmu && row->share_pct >= 0 &&
		 !(row->share_pct > TD_ALL_PCT &&
		   (frame->show_id || !has_other_pmus(report, row)))) {
		fprintf(fp, ", %.1f %% of the slots", row->share_pct);
		if (row->share_most - row->share_least > APART)
			fprintf(fp, " (%.0f to %.0f %% in a run)", row->share_least,
				row->share_most);
	}
	if (row->general)
		fputs(", on general counters", fp);
	if (status == TD_STATUS_OK)
		put_busy(fp, report, row);
	if (status == TD_STATUS_OK && row->running_pct < TD_ALL_PCT)
		fprintf(fp, ", measured %.1f %% of the time", row->running_pct);
	if (status == TD_STATUS_OK && has_errors_of_runs(row))
		fputs(", \u00b1 of the runs", fp);
	if (td_out_is_slight(writer, row))
		fputs(": --all shows its tree", fp);
	td_out_text_end_line(writer, row);
}
