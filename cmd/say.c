// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/say.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/err.h"
#include "lib/base/printable.h"
#include "lib/base/util.h"

/* Printed in place of a message if there is no memory for it. */
#define NO_MEMORY "tdstat: out of memory\n"

/* Returns NULL if out of memory. */
static char *escape(const char *text, size_t len)
{
	char *line = NULL;
	size_t size;
	FILE *to = open_memstream(&line, &size);

	if (!to)
		return NULL;
	td_put_printable_n(to, text, len);
	td_text_close(to, &line);
	return line;
}

/* One write(2) a line, as others may write to the terminal, too. */
void td_vsay(const char *fmt, va_list ap)
{
	td_autofree char *text = NULL, *line = NULL;
	int len = vasprintf(&text, fmt, ap);

	if (len < 0) {
		text = NULL;
		fputs(NO_MEMORY, stderr);
		return;
	}
	if (len > 0 && text[len - 1] == '\n')
		len--;
	line = escape(text, (size_t)len);
	if (line)
		fprintf(stderr, "%s\n", line);
	else
		fputs(NO_MEMORY, stderr);
	fflush(stderr); /* buffered if results go there, too */
}

void td_say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	td_vsay(fmt, ap);
	va_end(ap);
}

void td_say_notes(struct td_notes *notes)
{
	for (; notes->said < notes->nr; notes->said++)
		td_say("tdstat: %s\n", notes->v[notes->said]);
	if (notes->lost)
		fputs(NO_MEMORY, stderr);
	notes->lost = false;
}

/* Indents both lines, so that the caret stays below its letter. */
static void put_place(const char *place)
{
	int line = (int)strcspn(place, "\n");

	fprintf(stderr, "    %.*s\n    %s\n", line, place, place + line + 1);
}

void td_say_error(const struct td_err *err)
{
	td_say("tdstat: %s\n", err->msg);
	if (err->place[0])
		put_place(err->place);
	if (err->hint[0])
		td_say("tdstat: %s\n", err->hint);
}

static ssize_t put_lines(void *to, const char *text, size_t size)
{
	size_t len;

	for (size_t at = 0; at < size; at += len + 1) {
		const char *end = memchr(text + at, '\n', size - at);

		len = end ? (size_t)(end - text) - at : size - at;
		td_put_printable_n(to, text + at, len);
		if (end)
			fputc('\n', to);
	}
	return (ssize_t)size;
}

FILE *td_say_open(void)
{
	const cookie_io_functions_t functions = { .write = put_lines };
	FILE *fp = fopencookie(stderr, "w", functions);

	if (fp)
		setvbuf(fp, NULL, _IONBF, 0);
	return fp;
}
