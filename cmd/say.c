// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/say.h"

#include "lib/base/err.h"
#include "lib/base/printable.h"
#include "lib/base/util.h"

/* Uses one write(2) per line, because other programs may write to the terminal as well. */
void td_vsay(const char *fmt, va_list ap)
{
	td_autofree char *text = NULL, *line = NULL;
	size_t len, size;
	FILE *to = td_open_memstream(&line, &size);

	td_vasprintf(&text, fmt, ap);
	len = strlen(text);
	if (len && text[len - 1] == '\n')
		len--;
	td_put_printable_n(to, text, len);
	td_text_close(to, &line);
	fprintf(stderr, "%s\n", line);
	fflush(stderr); /* buffered if results go there as well */
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
}

void td_say_error(const struct td_err *err)
{
	int line = (int)strcspn(err->place, "\n");

	td_say("tdstat: %s\n", err->msg);
	/* both lines are indented, so that the caret stays below its letter */
	if (err->place[0])
		fprintf(stderr, "    %.*s\n    %s\n", line, err->place, err->place + line + 1);
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
	FILE *fp = td_need(fopencookie(stderr, "w", functions));

	setvbuf(fp, NULL, _IONBF, 0);
	return fp;
}
