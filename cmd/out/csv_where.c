// SPDX-License-Identifier: GPL-2.0-only
/*
 * CSV: a line for each function in which an event was sampled; those of its
 * source lines and callers follow it, with what a function's leaves empty.
 */
#include <inttypes.h>

#include "cmd/out/out.h"
#include "cmd/out/where.h"
#include "lib/base/util.h"

static void put_next(const struct td_writer *writer, const char *text)
{
	fputs(writer->separator, writer->fp);
	if (text)
		td_out_csv_field(writer, text);
}

static void put_function(const struct td_writer *writer,
			 const struct td_spots *spots, int function)
{
	const struct td_function *f = &spots->functions[function];
	char buf[32];

	put_next(writer, f->name);
	put_next(writer, spots->objects[f->object].path);
	put_next(writer, td_where_address(buf, f->address));
}

/* An unnamed function has its address. */
static const char *name_of(const struct td_spots *spots, int function,
			   char buf[32])
{
	const struct td_function *f = &spots->functions[function];

	return f->name ? f->name : td_where_address(buf, f->address);
}

/* What all rows begin with; of: what the row is about. */
static void put_start(const struct td_writer *writer,
		      const struct td_where *where,
		      const struct td_where_event *event, const char *of,
		      const struct td_share *share, int function)
{
	char buf[64];

	td_out_csv_field(writer, event->pmu);
	put_next(writer, event->name);
	put_next(writer, where->node);
	put_next(writer, of);
	put_next(writer, td_out_format(buf, 2, share->percent));
	put_next(writer, td_out_format(buf, 2, share->error));
	fprintf(writer->fp, "%s%" PRIu64, writer->separator, share->samples);
	put_function(writer, where->spots, function);
}

static void put_end(const struct td_writer *writer, const char *file, int line,
		    const char *caller)
{
	put_next(writer, file);
	fputs(writer->separator, writer->fp);
	if (file)
		fprintf(writer->fp, "%d", line);
	put_next(writer, caller);
	fputc('\n', writer->fp);
}

static void put_line(const struct td_writer *writer,
		     const struct td_where *where,
		     const struct td_where_event *event, int function,
		     const struct td_detail *line)
{
	const char *file =
		line->file < 0 ? NULL : where->spots->files[line->file];

	put_start(writer, where, event, "line", &line->share, function);
	put_end(writer, file, line->line, NULL);
}

static void put_caller(const struct td_writer *writer,
		       const struct td_where *where,
		       const struct td_where_event *event, int function,
		       const struct td_detail *caller)
{
	char buf[32];

	put_start(writer, where, event, "caller", &caller->share, function);
	put_end(writer, NULL, 0,
		caller->function < 0
			? NULL
			: name_of(where->spots, caller->function, buf));
}

static void put_location(const struct td_writer *writer,
			 const struct td_where *where,
			 const struct td_where_event *event,
			 const struct td_location *location)
{
	int function = location->function;

	put_start(writer, where, event, "function", &location->share, function);
	put_end(writer, NULL, 0, NULL);
	for (size_t i = 0; where->lines && i < location->lines.nr; i++)
		put_line(writer, where, event, function, &location->lines.v[i]);
	for (size_t i = 0; where->callers && i < location->callers.nr; i++)
		put_caller(writer, where, event, function,
			   &location->callers.v[i]);
}

static void put_header(struct td_writer *writer)
{
	static const char *const names[] = {
		"pmu",   "event",   "node",     "of",     "share",
		"error", "samples", "function", "object", "address",
		"file",  "line",    "caller",
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(names); i++)
		fprintf(writer->fp, "%s%s", i ? writer->separator : "",
			names[i]);
	fputc('\n', writer->fp);
	writer->header_done = true;
}

void td_out_csv_where(struct td_writer *writer, const struct td_where *where)
{
	if (!writer->header_done)
		put_header(writer);
	for (size_t i = 0; i < where->nr; i++) {
		const struct td_where_event *event = &where->events[i];

		for (size_t j = 0; j < event->locations.nr; j++)
			put_location(writer, where, event,
				     &event->locations.v[j]);
	}
}
