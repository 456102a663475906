// SPDX-License-Identifier: GPL-2.0-only
/* Text: the functions in which events were sampled. */
#include <inttypes.h>
#include <string.h>

#include "cmd/out/out.h"
#include "cmd/out/where.h"
#include "lib/base/number.h"
#include "lib/base/printable.h"

#define NAME_WIDTH   36
#define MOST_ROWS    20  /* functions, unless all are to be shown */
#define MOST_DETAILS 5   /* lines, callers */
#define SMALL_PCT    0.5 /* percent */

static void put_share(FILE *fp, int indent, const struct td_share *share)
{
	fprintf(fp, "%*s", indent, "");
	td_out_number(fp, 7, 1, share->percent);
	fputs(" %  \302\261", fp);
	td_out_number(fp, 4, 1, share->error);
	fputs("  ", fp);
}

static void put_function(FILE *fp, const struct td_spots *spots, int function)
{
	const struct td_function *f = &spots->functions[function];
	char buf[32];

	td_put_padded(fp, -NAME_WIDTH, td_where_name(buf, spots, function));
	fputs("  ", fp);
	td_put_printable(fp, spots->objects[f->object].path);
	fputc('\n', fp);
}

static void put_line(FILE *fp, const struct td_spots *spots,
		     const struct td_detail *line)
{
	if (line->file < 0)
		return;
	put_share(fp, 4, &line->share);
	td_put_printable(fp, spots->files[line->file]);
	fprintf(fp, ":%d\n", line->line);
}

static void put_caller(FILE *fp, const struct td_spots *spots,
		       const struct td_detail *caller)
{
	put_share(fp, 4, &caller->share);
	if (caller->function < 0) {
		fputs("called from where it is not known\n", fp);
		return;
	}
	fputs("called from ", fp);
	put_function(fp, spots, caller->function);
}

/* The rest of them is small, and long. */
static size_t nr_shown(const struct td_where *where,
		       const struct td_details *details)
{
	return where->all || details->nr < MOST_DETAILS ? details->nr
							: MOST_DETAILS;
}

static void put_location(FILE *fp, const struct td_where *where,
			 const struct td_location *location)
{
	put_share(fp, 0, &location->share);
	put_function(fp, where->spots, location->function);
	for (size_t i = 0;
	     where->lines && i < nr_shown(where, &location->lines); i++)
		put_line(fp, where->spots, &location->lines.v[i]);
	for (size_t i = 0;
	     where->callers && i < nr_shown(where, &location->callers); i++)
		put_caller(fp, where->spots, &location->callers.v[i]);
}

static void put_rest(const struct td_writer *writer,
		     const struct td_locations *locations, size_t first)
{
	uint64_t samples = 0;
	double percent = 0;

	for (size_t i = first; i < locations->nr; i++) {
		samples += locations->v[i].share.samples;
		percent += locations->v[i].share.percent;
	}
	if (!samples)
		return;
	td_out_number(writer->fp, 7, 1, percent);
	fprintf(writer->fp, " %%         in %zu more function%s\n",
		locations->nr - first, locations->nr - first == 1 ? "" : "s");
}

static void put_event(const struct td_writer *writer,
		      const struct td_where *where,
		      const struct td_where_event *event)
{
	const struct td_locations *locations = &event->locations;
	FILE *fp = writer->fp;
	size_t i = 0;

	fputs("\n ", fp);
	td_put_printable(fp, event->name);
	fputs(", ", fp);
	td_out_count(writer, 0, 0, (double)locations->samples);
	fprintf(fp, " sample%s of about ", locations->samples == 1 ? "" : "s");
	td_out_count(writer, 0, 0, locations->weight);
	fprintf(fp, " %s\n", td_where_unit(where, event));
	while (i < locations->nr &&
	       (where->all ||
		(i < MOST_ROWS && locations->v[i].share.percent >= SMALL_PCT)))
		put_location(fp, where, &locations->v[i++]);
	put_rest(writer, locations, i);
}

static void put_within(FILE *fp, const struct td_where *where)
{
	char slower[TD_DURATION_NAME];

	if (!where->in)
		return;
	fputs(" only in calls of ", fp);
	td_put_printable(fp, where->in);
	td_duration_text(slower, (double)where->slower_ns);
	if (where->slower_ns)
		fprintf(fp, " that took %s or longer", slower);
	fputc('\n', fp);
}

static void put_title(const struct td_writer *writer,
		      const struct td_where *where)
{
	FILE *fp = writer->fp;

	if (!where->node) {
		fputs("\n Functions in which events were sampled:\n", fp);
		put_within(fp, where);
		return;
	}
	fputs("\n Where ", fp);
	td_put_printable(fp, where->node);
	fputs(" happens, by samples of its events:\n", fp);
	put_within(fp, where);
}

/* --- samples: a line for each, much as perf script prints them ---------------- */

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

static void put_samples(const struct td_writer *writer,
			const struct td_where *where)
{
	for (size_t i = 0; i < where->nr_samples; i++)
		put_sample(writer->fp, where->spots, &where->samples[i]);
}

/* ---------------------------------------------------------------------------- */

/* What no sample was taken of is in a line, not in a table of its own. */
void td_out_text_where(struct td_writer *writer, const struct td_where *where)
{
	bool any = false;

	put_samples(writer, where);
	put_title(writer, where);
	for (size_t i = 0; i < where->nr; i++) {
		if (!where->events[i].locations.samples)
			continue;
		put_event(writer, where, &where->events[i]);
		any = true;
	}
	if (any)
		td_out_legend_put(writer, " ",
				  "%: of the event; \302\261: the error "
				  "(95 %), if sampled at random times");
	for (size_t i = 0; i < where->nr; i++) {
		if (where->events[i].locations.samples)
			continue;
		fputs("\n ", writer->fp);
		td_put_printable(writer->fp, where->events[i].name);
		fputs(", no sample\n", writer->fp);
	}
	fputc('\n', writer->fp);
}
