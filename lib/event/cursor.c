// SPDX-License-Identifier: GPL-2.0-only
#include "lib/event/cursor.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

int td_span_error(struct td_err *err, const struct td_span *span,
		  const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	td_err_vusage(err, fmt, ap);
	va_end(ap);
	return td_err_point(err, span->text, span->at, span->len);
}

int td_cursor_error(struct td_cursor *c, size_t at, size_t len,
		    const char *what)
{
	struct td_span span = { c->text, at, len };

	return td_span_error(c->err, &span, "%s", what);
}

char td_cursor_peek(const struct td_cursor *c)
{
	return c->text[c->at];
}

void td_cursor_skip_blanks(struct td_cursor *c)
{
	while (isspace((unsigned char)td_cursor_peek(c)))
		c->at++;
}

bool td_cursor_take(struct td_cursor *c, char want)
{
	td_cursor_skip_blanks(c);
	if (td_cursor_peek(c) != want)
		return false;
	c->at++;
	return true;
}

size_t td_cursor_take_word(struct td_cursor *c, const char *stop)
{
	size_t from = c->at;

	while (td_cursor_peek(c) && !strchr(stop, td_cursor_peek(c)) &&
	       !isspace((unsigned char)td_cursor_peek(c)))
		c->at++;
	return c->at - from;
}

int td_cursor_copy(struct td_cursor *c, char **out, size_t at, size_t len)
{
	*out = strndup(c->text + at, len);
	return *out ? 0 : td_err_nomem(c->err);
}

char *td_without_blanks(const char *text, size_t len)
{
	char *out = malloc(len + 1), *to = out;
	bool quoted = false;

	for (size_t i = 0; out && i < len; i++) {
		quoted ^= text[i] == '\'';
		if (quoted || !isspace((unsigned char)text[i]))
			*to++ = text[i];
	}
	if (out)
		*to = '\0';
	return out;
}
