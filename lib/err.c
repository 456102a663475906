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

int td_err_nomem(struct td_err *err)
{
	return td_err_set(err, -ENOMEM, "out of memory");
}
