// SPDX-License-Identifier: GPL-2.0-only
/*
 * CSV: a line for each function in which an event was sampled; those of source
 * lines and callers that are known follow it, with what a function's leaves empty.
 */
#include <inttypes.h>

#include "cmd/out/out.h"
#include "cmd/out/where.h"

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

static void put_start(const struct td_writer *writer,
		      const struct td_where_event *event,
		      const struct td_share *share)
{
	char buf[64];

	td_out_csv_field(writer, event->pmu);
	put_next(writer, event->name);
	put_next(writer, td_out_format(buf, 2, share->percent));
	put_next(writer, td_out_format(buf, 2, share->error));
	fprintf(writer->fp, "%s%" PRIu64, writer->separator, share->samples);
}

static void put_line(const struct td_writer *writer,
		     const struct td_where *where,
		     const struct td_where_event *event, int function,
		     const struct td_detail *line)
{
	if (line->file < 0)
		return;
	put_start(writer, event, &line->share);
	put_function(writer, where->spots, function);
	put_next(writer, where->spots->files[line->file]);
	fprintf(writer->fp, "%s%d%s\n", writer->separator, line->line,
		writer->separator);
}

static void put_caller(const struct td_writer *writer,
		       const struct td_where *where,
		       const struct td_where_event *event, int function,
		       const struct td_detail *caller)
{
	char buf[32];

	if (caller->function < 0)
		return;
	put_start(writer, event, &caller->share);
	put_function(writer, where->spots, function);
	fprintf(writer->fp, "%s%s", writer->separator, writer->separator);
	put_next(writer, name_of(where->spots, caller->function, buf));
	fputc('\n', writer->fp);
}

static void put_location(const struct td_writer *writer,
			 const struct td_where *where,
			 const struct td_where_event *event,
			 const struct td_location *location)
{
	const char *sep = writer->separator;
	int function = location->function;

	put_start(writer, event, &location->share);
	put_function(writer, where->spots, function);
	fprintf(writer->fp, "%s%s%s\n", sep, sep, sep);
	for (size_t i = 0; where->lines && i < location->lines.nr; i++)
		put_line(writer, where, event, function, &location->lines.v[i]);
	for (size_t i = 0; where->callers && i < location->callers.nr; i++)
		put_caller(writer, where, event, function,
			   &location->callers.v[i]);
}

static void put_header(struct td_writer *writer)
{
	static const char *const names[] = {
		"pmu",    "event",   "share", "error", "samples", "function",
		"object", "address", "file",  "line",  "caller",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
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
