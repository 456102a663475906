// SPDX-License-Identifier: GPL-2.0-only
/* Text: a line for each sample, much as perf script prints them. */
#include <inttypes.h>

#include "cmd/out/out.h"
#include "cmd/out/where.h"
#include "lib/base/printable.h"
#include "lib/base/util.h"

#define TASK_WIDTH   7
#define PERIOD_WIDTH 10

/* "main+0x12 (/bin/x)"; an address without a function begins at itself. */
static void put_place(FILE *fp, const struct td_spots *spots,
		      const struct td_spot *spot)
{
	const struct td_function *f = &spots->functions[spot->function];
	char buf[32];

	td_put_printable(fp, td_where_name(buf, spots, spot->function));
	if (f->name)
		fprintf(fp, "+0x%" PRIx64, td_since(spot->address, f->address));
	fputs(" (", fp);
	td_put_printable(fp, spots->objects[spot->object].path);
	fputc(')', fp);
	if (spot->file < 0)
		return;
	fputc(' ', fp);
	td_put_printable(fp, spots->files[spot->file]);
	fprintf(fp, ":%d", spot->line);
}

static void put_sample(FILE *fp, const struct td_spots *spots,
		       const struct td_where_sample *sample)
{
	char time[40];

	fprintf(fp, "%*d/%-*d [%03d] %s: %*" PRIu64 " ", TASK_WIDTH,
		sample->pid, TASK_WIDTH, sample->tid, sample->cpu,
		td_format_seconds(time, sample->time_ns), PERIOD_WIDTH,
		sample->period);
	td_put_printable(fp, sample->event);
	fputs(": ", fp);
	put_place(fp, spots, &spots->v[sample->spot]);
	fputc('\n', fp);
}

void td_out_text_samples(const struct td_writer *writer,
			 const struct td_where *where)
{
	for (size_t i = 0; i < where->nr_samples; i++)
		put_sample(writer->fp, where->spots, &where->samples[i]);
}
