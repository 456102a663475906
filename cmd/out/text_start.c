// SPDX-License-Identifier: GPL-2.0-only
/* The title of tables and trees, and the start of an interval's lines. */
#include "cmd/out/out.h"
#include "lib/base/printable.h"
#include "lib/base/util.h"
#include "lib/count/aggregations.h"

#define TIME_WIDTH 16
#define PMU_WIDTH  12 /* cpu_lowpower */
#define ID_WIDTH   8  /* at least */

static int id_width(const struct td_frame *frame)
{
	int width = td_aggregation_row(frame->how)->width;

	if (frame->show_cgroup)
		width += width ? 1 + TD_CGROUP_WIDTH : TD_CGROUP_WIDTH;
	return width > ID_WIDTH ? width : ID_WIDTH;
}

int td_out_text_start_width(const struct td_frame *frame, int id, int pmu)
{
	int width = TIME_WIDTH;

	if (frame->show_id)
		width += 1 + (id > id_width(frame) ? id : id_width(frame));
	if (frame->show_pmu)
		width += 1 + (pmu > PMU_WIDTH ? pmu : PMU_WIDTH);
	return width;
}

void td_out_text_start_header(const struct td_writer *writer)
{
	FILE *fp = writer->fp;

	fputs("#           time", fp);
	if (writer->frame->show_id)
		fprintf(fp, " %-*s", id_width(writer->frame), "id");
	if (writer->frame->show_pmu)
		fprintf(fp, " %-*s", PMU_WIDTH, "pmu");
}

int td_out_text_start(const struct td_writer *writer, uint64_t time_ns,
		      const struct td_row *row)
{
	FILE *fp = writer->fp;
	char time[40];
	int columns = fprintf(fp, "%*s", TIME_WIDTH,
			      td_format_seconds(time, time_ns));

	if (writer->frame->show_id) {
		fputc(' ', fp);
		columns += 1 +
			   td_put_padded(fp, -id_width(writer->frame), row->id);
	}
	if (writer->frame->show_pmu) {
		fputc(' ', fp);
		columns += 1 + td_put_padded(fp, -PMU_WIDTH, row->pmu);
	}
	return columns;
}

/* As perf quotes: 'sleep 1', 'system wide', but process id '7'. */
void td_out_text_title(struct td_writer *writer)
{
	const struct td_frame *frame = writer->frame;
	const char *words = td_target_words(frame->target_kind);
	bool numbers = frame->target_kind == TD_TARGET_PROCESSES ||
		       frame->target_kind == TD_TARGET_THREADS;

	fprintf(writer->fp, "\n Performance counter stats for %s'%s",
		numbers ? words : "", numbers ? "" : words);
	td_put_printable(writer->fp, frame->target ? frame->target : "");
	fputc('\'', writer->fp);
	if (frame->runs > 1)
		fprintf(writer->fp, " (%d runs)", frame->runs);
	fputs(":\n\n", writer->fp);
	writer->header_done = true;
}
