// SPDX-License-Identifier: GPL-2.0-only
#include "lib/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 3, 0))) static void
err_fill(struct td_err *err, int code, const char *fmt, va_list ap)
{
	memset(err, 0, sizeof(*err));
	err->code = code;
	vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
}

int td_err_set(struct td_err *err, int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	err_fill(err, code, fmt, ap);
	va_end(ap);
	return code;
}

int td_err_usage(struct td_err *err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	err_fill(err, -EINVAL, fmt, ap);
	va_end(ap);
	err->usage = true;
	return err->code;
}

int td_err_wrap(struct td_err *err, const char *fmt, ...)
{
	char old[sizeof(err->msg)];
	va_list ap;
	size_t len;

	memcpy(old, err->msg, sizeof(old));
	va_start(ap, fmt);
	vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	len = strlen(err->msg);
	snprintf(err->msg + len, sizeof(err->msg) - len, ": %s", old);
	return err->code;
}

int td_err_hint(struct td_err *err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(err->hint, sizeof(err->hint), fmt, ap);
	va_end(ap);
	return err->code;
}

/* What of a long text is shown: so many bytes, a third of them before at. */
#define SHOWN 72

int td_err_point(struct td_err *err, const char *text, size_t at, size_t len)
{
	size_t size = strlen(text);
	size_t from = size > SHOWN && at > SHOWN / 3 ? at - SHOWN / 3 : 0;
	char line[SHOWN + 1], marks[SHOWN + 2];
	size_t left;

	snprintf(line, sizeof(line), "%s", text + from);
	for (char *c = line; *c; c++) {
		if ((unsigned char)*c < ' ')
			*c = ' ';
	}
	left = SHOWN + 1 - (at - from);
	memset(marks, '~', sizeof(marks));
	marks[0] = '^';
	marks[len < 1 ? 1 : len < left ? len : left] = '\0';
	snprintf(err->place, sizeof(err->place), "%s%s%s\n%*s%s",
		 from ? "..." : "", line, size > from + SHOWN ? "..." : "",
		 (int)(at - from) + (from ? 3 : 0), "", marks);
	return err->code;
}

int td_err_nomem(struct td_err *err)
{
	return td_err_set(err, -ENOMEM, "out of memory");
}
