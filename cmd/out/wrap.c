// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/out/wrap.h"

#include <string.h>

#include "lib/base/printable.h"

#define LINE_WIDTH 80
#define BLANKS     " \t\r\n"

/*
 * Words are what stands between blanks, and are never cut: a path or a command
 * in the text can still be copied.
 */
static void put_words(FILE *fp, int column, const char *text, const char *begin,
		      const char *end)
{
	int at = column;
	size_t len;

	for (; *(text += strspn(text, BLANKS)); text += len) {
		int width;

		len = strcspn(text, BLANKS);
		width = td_printable_width_n(text, len);
		if (at > column && at + 1 + width > LINE_WIDTH) {
			fprintf(fp, "%s\n%*s%s", end, column, "", begin);
			at = column;
		} else if (at > column) {
			at += fprintf(fp, " ");
		}
		at += td_put_printable_n(fp, text, len);
	}
	fprintf(fp, "%s\n", end);
}

void td_put_wrapped(FILE *fp, int column, const char *text)
{
	put_words(fp, column, text, "", "");
}

void td_put_wrapped_dim(FILE *fp, int column, const char *text)
{
	fputs("\033[2m", fp);
	put_words(fp, column, text, "\033[2m", "\033[m");
}
