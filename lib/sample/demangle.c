// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sample/demangle.h"

#include <setjmp.h>
#include <string.h>

#if __has_include(<libiberty/demangle.h>)
#include <libiberty/demangle.h>
#else /* some distributions have it as a part of binutils */
#include <demangle.h>
#endif

struct text {
	char *buf;
	size_t size, length;
	jmp_buf full;
};

/*
 * A short name can stand for a text of gigabytes, and libiberty has no other
 * way to be stopped; it keeps nothing on the heap meanwhile.
 */
static void add(const char *part, size_t length, void *opaque)
{
	struct text *text = opaque;
	size_t room = text->size - 1 - text->length;

	memcpy(text->buf + text->length, part, length < room ? length : room);
	text->length += length < room ? length : room;
	if (length > room)
		longjmp(text->full, 1);
}

typedef int (*demangle_fn)(const char *name, int options,
			   demangle_callbackref callback, void *opaque);

static bool demangle_as(demangle_fn demangle, const char *name, char *buf,
			size_t size)
{
	struct text text = { .buf = buf, .size = size };

	/* what is full is cut */
	if (setjmp(text.full) == 0 &&
	    !demangle(name, DMGL_PARAMS | DMGL_ANSI, add, &text))
		return false;
	buf[text.length] = '\0';
	return true;
}

bool td_demangle(const char *name, char *buf, size_t size)
{
	/* the older names of Rust look like those of C++ */
	if (name[0] != '_')
		return false;
	return demangle_as(rust_demangle_callback, name, buf, size) ||
	       demangle_as(cplus_demangle_v3_callback, name, buf, size);
}
