// SPDX-License-Identifier: GPL-2.0-only
#include "lib/base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void end_at_once(void)
{
	static const char text[] = "tdstat: out of memory\n";

	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(1);
	_exit(1);
}

static void (*on_failure)(void) = end_at_once;

void td_memory_on_failure(void (*end)(void))
{
	on_failure = end;
}

void td_memory_fail(void)
{
	on_failure();
	abort();
}

void td_memory_check(void)
{
	if (errno == ENOMEM)
		td_memory_fail();
}

void *td_need(void *p)
{
	if (!p)
		td_memory_fail();
	return p;
}

void *td_malloc(size_t size)
{
	return td_need(malloc(size));
}

void *td_calloc(size_t nr, size_t size)
{
	return td_need(calloc(nr, size));
}

void *td_reallocarray(void *old, size_t nr, size_t size)
{
	return td_need(reallocarray(old, nr ? nr : 1, size));
}

void *td_realloc(void *old, size_t size)
{
	return td_reallocarray(old, size, 1);
}

char *td_strdup(const char *text)
{
	return td_need(strdup(text));
}

char *td_strndup(const char *text, size_t len)
{
	return td_need(strndup(text, len));
}

void td_vasprintf(char **text, const char *fmt, va_list ap)
{
	if (vasprintf(text, fmt, ap) < 0)
		td_memory_fail();
}

char *td_aprintf(const char *fmt, ...)
{
	char *text;
	va_list ap;

	va_start(ap, fmt);
	td_vasprintf(&text, fmt, ap);
	va_end(ap);
	return text;
}

FILE *td_open_memstream(char **text, size_t *size)
{
	return td_need(open_memstream(text, size));
}

/* glibc's fclose(3) does not report missing text (libio/memstream.c). */
void td_text_close(FILE *fp, char **text)
{
	if (ferror(fp) || fclose(fp) || !*text)
		td_memory_fail();
}
