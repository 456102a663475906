// SPDX-License-Identifier: GPL-2.0-only
/* A page of where an event was sampled: functions, their lines and callers. */
#include "cmd/out/where.h"

#include <inttypes.h>

#include "cmd/out/page/parts.h"
#include "cmd/out/page/text.h"

static void put_share(FILE *fp, const struct td_share *share)
{
	fprintf(fp,
		"<td class=\"number\"><data value=\"%.2f\">%.1f</data>\u00a0%%"
		"</td><td class=\"error\">\u00b1%.1f</td>"
		"<td class=\"number\">%" PRIu64 "</td>",
		share->percent, share->percent, share->error, share->samples);
}

/* Its name and its object. */
static void put_function(FILE *fp, const struct td_spots *spots, int function)
{
	int object = spots->functions[function].object;
	char buf[32];

	td_page_put(fp, td_where_name(buf, spots, function));
	fputs("</th><td>", fp);
	td_page_put(fp, spots->objects[object].path);
	fputs("</td></tr>\n", fp);
}

static void put_line(FILE *fp, const struct td_spots *spots,
		     const struct td_detail *line)
{
	if (line->file < 0)
		return;
	fputs("<tr class=\"detail\">", fp);
	put_share(fp, &line->share);
	fputs("<th scope=\"row\" class=\"d1\">line ", fp);
	td_page_put(fp, spots->files[line->file]);
	fprintf(fp, ":%d</th><td></td></tr>\n", line->line);
}

static void put_caller(FILE *fp, const struct td_spots *spots,
		       const struct td_detail *caller)
{
	fputs("<tr class=\"detail\">", fp);
	put_share(fp, &caller->share);
	fputs("<th scope=\"row\" class=\"d1\">", fp);
	if (caller->function < 0) {
		fputs("caller not known</th><td></td></tr>\n", fp);
		return;
	}
	fputs("called from ", fp);
	put_function(fp, spots, caller->function);
}

static void put_location(FILE *fp, const struct td_where *where,
			 const struct td_location *location)
{
	const struct td_spots *spots = where->spots;

	fputs("<tr>", fp);
	put_share(fp, &location->share);
	fputs("<th scope=\"row\">", fp);
	put_function(fp, spots, location->function);
	for (size_t i = 0; where->lines && i < location->lines.nr; i++)
		put_line(fp, spots, &location->lines.v[i]);
	for (size_t i = 0; where->callers && i < location->callers.nr; i++)
		put_caller(fp, spots, &location->callers.v[i]);
}

static void put_event(FILE *fp, const struct td_where *where,
		      const struct td_where_event *event)
{
	char buf[64];

	fputs("<section>\n<h2>", fp);
	td_page_put(fp, event->name);
	if (!event->locations.samples) {
		fputs("</h2>\n<p>no sample</p>\n</section>\n", fp);
		return;
	}
	fprintf(fp, "</h2>\n<p>%" PRIu64 " sample%s of about ",
		event->locations.samples,
		event->locations.samples == 1 ? "" : "s");
	td_out_grouped(fp, 0, td_out_format(buf, 0, event->locations.weight));
	fprintf(fp, " events</p>\n<div class=\"scroll\">"
		    "<table class=\"where\">\n<thead><tr>"
		    "<th scope=\"col\" class=\"number\">Share</th>"
		    "<th scope=\"col\">Error</th>"
		    "<th scope=\"col\" class=\"number\">Samples</th>"
		    "<th scope=\"col\">Function</th>"
		    "<th scope=\"col\">Object</th></tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < event->locations.nr; i++)
		put_location(fp, where, &event->locations.v[i]);
	fputs("</tbody></table></div>\n</section>\n", fp);
}

void td_page_where(struct td_writer *writer, const struct td_where *where)
{
	FILE *fp = writer->fp;

	td_page_begin(fp, where->node ? where->node : "Samples");
	fputs("<header><h1>Where ", fp);
	td_page_put(fp, where->node ? where->node : "the events");
	fputs(" was sampled</h1>\n", fp);
	td_page_put_facts(writer, true);
	fputs("</header>\n", fp);
	for (size_t i = 0; i < where->nr; i++)
		put_event(fp, where, &where->events[i]);
	td_page_end(fp);
}
