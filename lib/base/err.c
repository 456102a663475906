// SPDX-License-Identifier: GPL-2.0-only
#include "lib/base/err.h"

#include <stdarg.h>

#include "lib/base/printable.h"
#include "lib/base/util.h"

#define GAP "..."

/* Is it a continuation byte of a UTF-8 character? */
static bool is_inside(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* Copies text.  Shortens a long text in the middle, without cutting a character in two. */
static void fit(char *to, size_t size, const char *text)
{
	size_t len = strlen(text), head = (size - sizeof(GAP)) / 2;
	const char *tail;

	if (len < size) {
		memcpy(to, text, len + 1);
		return;
	}
	tail = text + len - head;
	for (int i = 0; i < 3 && is_inside(text[head]); i++)
		head--;
	for (int i = 0; i < 3 && is_inside(*tail); i++)
		tail++;
	snprintf(to, size, "%.*s" GAP "%s", (int)head, text, tail);
}

__attribute__((format(printf, 3, 0))) static void put(char *to, size_t size, const char *fmt,
						      va_list ap)
{
	va_list again;
	char *text;

	va_copy(again, ap);
	if (vsnprintf(to, size, fmt, ap) >= (int)size) {
		td_vasprintf(&text, fmt, again);
		fit(to, size, text);
		free(text);
	}
	va_end(again);
}

__attribute__((format(printf, 3, 0))) static void err_fill(struct td_err *err, int code,
							   const char *fmt, va_list ap)
{
	memset(err, 0, sizeof(*err));
	err->code = code;
	put(err->msg, sizeof(err->msg), fmt, ap);
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
	td_err_vusage(err, fmt, ap);
	va_end(ap);
	return err->code;
}

int td_err_vusage(struct td_err *err, const char *fmt, va_list ap)
{
	err_fill(err, -EINVAL, fmt, ap);
	err->usage = true;
	return err->code;
}

int td_err_wrap(struct td_err *err, const char *fmt, ...)
{
	char words[sizeof(err->msg)];
	char all[2 * sizeof(words) + sizeof(": ")];
	va_list ap;

	va_start(ap, fmt);
	put(words, sizeof(words), fmt, ap);
	va_end(ap);
	snprintf(all, sizeof(all), "%s: %s", words, err->msg);
	fit(err->msg, sizeof(err->msg), all);
	return err->code;
}

int td_err_hint(struct td_err *err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put(err->hint, sizeof(err->hint), fmt, ap);
	va_end(ap);
	return err->code;
}

/* Number of bytes shown of a long text, a third of them before the error. */
#define SHOWN 72

/* Returns the width of printable text in columns, one for each character. */
static size_t columns(const char *text, size_t len)
{
	size_t nr = 0;

	for (size_t i = 0; i < len; i++)
		nr += !is_inside(text[i]);
	return nr;
}

int td_err_point(struct td_err *err, const char *text, size_t at, size_t len)
{
	size_t size = strlen(text);
	size_t from = size > SHOWN && at > SHOWN / 3 ? at - SHOWN / 3 : 0;
	char line[SHOWN + 1], marks[SHOWN + 2];
	size_t before = at - from, left, width;

	snprintf(line, sizeof(line), "%s", text + from);
	/* one blank for each unprintable byte, so that the marks below line up */
	for (char *c = line; *(c += td_printable_span(c)); c++)
		*c = ' ';
	left = strlen(line) - before;
	/* one mark represents everything after the shown part */
	width = columns(line + before, len < left ? len : left) + (len > left);
	memset(marks, '~', sizeof(marks));
	marks[0] = '^';
	marks[width ? width : 1] = '\0';
	snprintf(err->place, sizeof(err->place), "%s%s%s\n%*s%s", from ? GAP : "", line,
		 size > from + SHOWN ? GAP : "", (int)columns(line, before) + (from ? 3 : 0), "",
		 marks);
	return err->code;
}

int td_err_nomem(struct td_err *err)
{
	return td_err_set(err, -ENOMEM, "out of memory");
}

int td_err_line(struct td_err *err, const char *path, size_t line, const char *what)
{
	return td_err_set(err, -EINVAL, "%s:%zu: %s", path, line, what);
}

/* --- notes ---------------------------------------------------------------- */

static bool has(const struct td_notes *notes, const char *text, uint64_t hash)
{
	size_t step = 0, at;

	while ((at = td_index_next(&notes->index, hash, &step)) != TD_NOT_FOUND) {
		if (strcmp(notes->v[at], text) == 0)
			return true;
	}
	return false;
}

void td_notes_add(struct td_notes *notes, const char *fmt, ...)
{
	char *text;
	uint64_t hash;
	va_list ap;

	va_start(ap, fmt);
	td_vasprintf(&text, fmt, ap);
	va_end(ap);
	hash = td_hash_text(text);
	if (has(notes, text, hash)) {
		free(text);
		return;
	}
	td_index_add(&notes->index, hash, notes->nr);
	td_array_push(&notes->v, &notes->nr, &text, sizeof(text));
}

void td_notes_truncate(struct td_notes *notes, size_t nr)
{
	if (notes->nr <= nr)
		return;
	while (notes->nr > nr)
		free(notes->v[--notes->nr]);
	if (notes->said > nr)
		notes->said = nr;
	td_index_clear(&notes->index);
	/* cannot fail, because the index keeps its memory and had room for more notes */
	for (size_t i = 0; i < nr; i++)
		td_index_add(&notes->index, td_hash_text(notes->v[i]), i);
}

void td_notes_free(struct td_notes *notes)
{
	td_notes_truncate(notes, 0);
	free(notes->v);
	td_index_free(&notes->index);
	*notes = (struct td_notes){ 0 };
}
