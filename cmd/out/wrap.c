// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/out/wrap.h"

#include <stdbool.h>
#include <string.h>

#include "lib/base/printable.h"

#define BLANKS " \t\r\n"

/*
 * Words are what stands between blanks, and are never cut: a path or a command
 * in the text can still be copied.
 */
static void put_words(FILE *fp, int column, int last, const char *text,
		      bool dim)
{
	int at = column;
	size_t len;

	for (; *(text += strspn(text, BLANKS)); text += len) {
		int width;

		len = strcspn(text, BLANKS);
		width = td_printable_width_n(text, len);
		if (at > column && at + 1 + width > last) {
			fprintf(fp, "%s\n%*s%s", dim ? "\033[m" : "", column,
				"", dim ? "\033[2m" : "");
			at = column;
		} else if (at > column) {
			at += fprintf(fp, " ");
		}
		at += td_put_printable_n(fp, text, len);
	}
	fputs(dim ? "\033[m\n" : "\n", fp);
}

void td_put_wrapped(FILE *fp, int column, int last, const char *text)
{
	put_words(fp, column, last, text, false);
}

void td_put_wrapped_dim(FILE *fp, int column, int last, const char *text)
{
	fputs("\033[2m", fp);
	put_words(fp, column, last, text, true);
}
