// SPDX-License-Identifier: GPL-2.0-only
/* Text: what a metric means, and how many are left out. */
#include <string.h>

#include "cmd/out/out.h"
#include "lib/base/printable.h"

#define LINE_WIDTH 80

#define BLANKS " \t\r\n"

void td_out_text_describe(const struct td_writer *writer, int indent,
			  const char *desc)
{
	bool colour = writer->frame->colour;
	const char *end = colour ? "\033[m\n" : "\n";
	int at = 0; /* the column; 0: no line was started */
	size_t len;

	for (; *(desc += strspn(desc, BLANKS)); desc += len) {
		int width;

		len = strcspn(desc, BLANKS);
		width = td_printable_width_n(desc, len);
		if (at && at + 1 + width <= LINE_WIDTH) {
			at += fprintf(writer->fp, " ");
		} else {
			fprintf(writer->fp, "%s%*s%s", at ? end : "", indent,
				"", colour ? "\033[2m" : "");
			at = indent;
		}
		at += td_put_printable_n(writer->fp, desc, len);
	}
	if (at)
		fputs(end, writer->fp);
}

void td_out_text_hidden(const struct td_writer *writer,
			const struct td_row *row, size_t unmarked, size_t rest)
{
	FILE *fp = writer->fp;

	if (!unmarked && !rest)
		return;
	if (unmarked)
		fprintf(fp, "  %zu more %s not marked", unmarked,
			unmarked == 1 ? "is" : "are");
	if (rest)
		fprintf(fp, "%s%zu %s%s not counted", unmarked ? ", " : "  ",
			rest, unmarked ? "" : "more ",
			rest == 1 ? "was" : "were");
	fputs(": --all shows all", fp);
	td_out_text_end_line(writer, row);
}
