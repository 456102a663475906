// SPDX-License-Identifier: GPL-2.0-only
/* A field, quoted where it must be (RFC 4180). */
#include <string.h>

#include "cmd/out/out.h"
#include "lib/base/printable.h"

/* As well what could, with the separator behind it, seem to end earlier. */
static bool needs_quotes(const char *separator, const char *text)
{
	size_t len = strlen(text);

	return strstr(text, separator) || strchr(text, '"') ||
	       !td_is_text(text) || (len && strchr(separator, text[len - 1]));
}

/* What is not printable is escaped: a record is a line. */
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
