// SPDX-License-Identifier: GPL-2.0-only
/* The title of tables and trees, and the start of an interval's lines. */
#include <math.h>

#include "cmd/out/facts.h"
#include "cmd/out/out.h"
#include "lib/base/printable.h"
#include "lib/base/util.h"

/* More than this has no room for a decimal. */
#define TEN_CPUS 999.95

void td_out_text_start_header(const struct td_writer *writer)
{
	FILE *fp = writer->fp;

	fprintf(fp, "#%*s",
		td_out_time_width(writer->frame, TD_WIDE_TIME_WIDTH) - 1,
		"time");
	if (writer->frame->show_id)
		fprintf(fp, " %-*s", td_table_id_width(writer->frame), "id");
	if (writer->frame->show_pmu)
		fprintf(fp, " %-*s", TD_PMU_WIDTH, "pmu");
}

int td_out_text_start(const struct td_writer *writer, uint64_t time_ns,
		      const struct td_row *row)
{
	FILE *fp = writer->fp;
	char time[TD_CLOCK_SIZE], id[TD_SHOWN_SIZE];
	int columns = td_put_right(
		fp, td_out_time_width(writer->frame, TD_WIDE_TIME_WIDTH),
		td_out_time(time, writer->frame, time_ns));

	if (writer->frame->show_id) {
		fputc(' ', fp);
		columns +=
			1 + td_put_padded(fp, -td_table_id_width(writer->frame),
					  td_row_shown(row, id));
	}
	if (writer->frame->show_pmu) {
		fputc(' ', fp);
		columns += 1 + td_put_padded(fp, -TD_PMU_WIDTH, row->pmu);
	}
	return columns;
}

void td_out_text_facts_header(FILE *fp, unsigned int shown)
{
	for (size_t i = 0; i < td_nr_row_facts; i++) {
		if (shown & 1U << i)
			fprintf(fp, " %*s", td_row_facts[i].width,
				td_row_facts[i].title);
	}
}

static void put_short(FILE *fp, int width, int digits, double value)
{
	putc_unlocked(' ', fp);
	if (isnan(value))
		td_put_right(fp, width, "-");
	else
		td_out_number(fp, width, value < TEN_CPUS ? digits : 0, value);
}

void td_out_text_facts(FILE *fp, unsigned int shown, const struct td_row *row)
{
	for (size_t i = 0; i < td_nr_row_facts; i++) {
		if (shown & 1U << i)
			put_short(fp, td_row_facts[i].width,
				  td_fact_digits(&td_row_facts[i]),
				  td_row_fact(row, &td_row_facts[i]));
	}
}

/* As perf quotes: 'sleep 1', 'system wide', but process id '7'. */
void td_out_text_title(struct td_writer *writer)
{
	const struct td_frame *frame = writer->frame;
	const char *words = td_target_words(frame->target_kind);
	bool numbers = frame->target_kind == TD_TARGET_PROCESSES ||
		       frame->target_kind == TD_TARGET_THREADS;

	if (frame->instead)
		fputs("\n The events are not counted; the kernel's software "
		      "counts only:\n",
		      writer->fp);
	fprintf(writer->fp, "\n Performance counter stats for %s'%s",
		numbers ? words : "", numbers ? "" : words);
	td_put_printable(writer->fp, frame->target ? frame->target : "");
	fputc('\'', writer->fp);
	if (frame->runs > 1)
		fprintf(writer->fp, " (%d runs)", frame->runs);
	fputs(":\n\n", writer->fp);
	writer->header_done = true;
}
