// SPDX-License-Identifier: GPL-2.0-only
/* Writes a CSV field, quoted if necessary (RFC 4180). */
#include <string.h>

#include "cmd/out/out.h"
#include "lib/base/printable.h"

/* True also if text and separator together contain an earlier separator. */
static bool needs_quotes(const char *separator, const char *text)
{
	size_t len = strlen(text);

	return strstr(text, separator) || strchr(text, '"') ||
	       !td_is_text(text) || (len && strchr(separator, text[len - 1]));
}

/* Escapes what is not printable, as a record is one line. */
void td_out_csv_field(const struct td_writer *writer, const char *text)
{
	FILE *fp = writer->fp;
	size_t len;

	if (!needs_quotes(writer->separator, text)) {
		fputs(text, fp);
		return;
	}
	fputc('"', fp);
	for (; *text; text += len) {
		len = *text == '"' ? 1 : strcspn(text, "\"");
		if (*text == '"')
			fputc('"', fp);
		td_put_printable_n(fp, text, len);
	}
	fputc('"', fp);
}
