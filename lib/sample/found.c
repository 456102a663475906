// SPDX-License-Identifier: GPL-2.0-only
/* The bytes in which a search tells what it found. */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "lib/sample/parts.h"

/* All names together: ten times what the longest reports show. */
#define TEXT_MAX ((uint64_t)256 << 20)

/* What a record begins with; its texts follow without their NULs. */
struct head {
	uint32_t kind;
	int32_t at;          /* the object, or the spot */
	int32_t number;      /* the line, or the errno of an object's end */
	uint16_t name, file; /* lengths; 0: none */
	uint64_t begin;
};

_Static_assert(sizeof(struct head) + TD_SYMBOL_NAME_MAX + PATH_MAX <=
		       TD_FOUND_MAX,
	       "a record has room");

/* --- writing ---------------------------------------------------------------- */

static void write_mark(FILE *fp, enum td_found_kind kind, int object, int rc)
{
	const struct head head = { .kind = kind, .at = object, .number = rc };

	fwrite(&head, sizeof(head), 1, fp);
}

void td_found_write_object(FILE *fp, int object)
{
	write_mark(fp, TD_FOUND_OBJECT, object, 0);
}

void td_found_write_named(FILE *fp, int object)
{
	write_mark(fp, TD_FOUND_NAMED, object, 0);
}

void td_found_write_end(FILE *fp, int object, int rc)
{
	write_mark(fp, TD_FOUND_END, object, rc);
}

/* 0: there is none, or more than the reader takes. */
static uint16_t length_of(const char *text, size_t most)
{
	size_t length = text ? strnlen(text, most + 1) : 0;

	return length > most ? 0 : (uint16_t)length;
}

void td_found_write(FILE *fp, const struct td_found_spot *found)
{
	struct head head = {
		.kind = TD_FOUND_SPOT,
		.at = found->spot,
		.name = length_of(found->name, TD_SYMBOL_NAME_MAX),
		.file = length_of(found->file, PATH_MAX),
	};

	if (head.name)
		head.begin = found->begin;
	if (head.file)
		head.number = found->line;
	fwrite(&head, sizeof(head), 1, fp);
	if (head.name)
		fwrite(found->name, head.name, 1, fp);
	if (head.file)
		fwrite(found->file, head.file, 1, fp);
}

/* --- reading ---------------------------------------------------------------- */

static int take_object(struct td_found_reader *reader, const struct head *head)
{
	if (reader->object >= 0 || head->at <= reader->after || head->at < 0 ||
	    (size_t)head->at >= reader->spots->nr_objects)
		return -EPROTO;
	reader->object = reader->after = head->at;
	reader->named = false;
	return TD_FOUND_OBJECT;
}

static int take_named(struct td_found_reader *reader, const struct head *head)
{
	if (reader->object < 0 || head->at != reader->object || reader->named)
		return -EPROTO;
	reader->named = true;
	return TD_FOUND_NAMED;
}

static int take_end(struct td_found_reader *reader, const struct head *head)
{
	if (reader->object < 0 || head->at != reader->object ||
	    head->number > 0 || head->number < -INT16_MAX)
		return -EPROTO;
	reader->object = -1;
	reader->rc = head->number;
	return TD_FOUND_END;
}

/* Copies a text, or returns false: it has a NUL. */
static bool copy(char *to, const char *text, size_t length)
{
	memcpy(to, text, length);
	to[length] = '\0';
	return strlen(to) == length;
}

static int add_function(struct td_found_reader *reader, struct td_spot *spot,
			const struct head *head, const char *text)
{
	char name[TD_SYMBOL_NAME_MAX + 1];
	const struct td_function function = { head->name ? name : NULL,
					      spot->object, head->begin };

	if (!head->name)
		return 0;
	if (spot->function >= 0)
		return -EPROTO;
	if (head->begin > spot->address || !copy(name, text, head->name))
		return -EPROTO;
	spot->function = td_spots_add_function(reader->spots, &function);
	return spot->function < 0 ? -ENOMEM : 0;
}

static int add_line(struct td_found_reader *reader, struct td_spot *spot,
		    const struct head *head, const char *text)
{
	char path[PATH_MAX + 1];
	int file;

	if (!head->file)
		return 0;
	if (spot->file >= 0)
		return -EPROTO;
	if (head->number <= 0 || !copy(path, text, head->file))
		return -EPROTO;
	file = td_spots_add_file(reader->spots, path);
	if (file < 0)
		return -ENOMEM;
	spot->file = file;
	spot->line = head->number;
	return 0;
}

static int take_spot(struct td_found_reader *reader, const struct head *head,
		     const char *text)
{
	struct td_spot *spot;
	int rc;

	if (head->at < 0 || (size_t)head->at >= reader->spots->nr)
		return -EPROTO;
	spot = &reader->spots->v[head->at];
	reader->text += (uint64_t)head->name + head->file;
	if (reader->object < 0 || spot->object != reader->object ||
	    reader->text > TEXT_MAX)
		return -EPROTO;
	rc = add_line(reader, spot, head, text + head->name);
	if (!rc)
		rc = add_function(reader, spot, head, text);
	return rc ? rc : TD_FOUND_SPOT;
}

int td_found_take(struct td_found_reader *reader, const char *bytes,
		  size_t size, size_t *length)
{
	struct head head;

	if (size < sizeof(head))
		return TD_FOUND_MORE;
	memcpy(&head, bytes, sizeof(head));
	*length = sizeof(head);
	switch (head.kind) {
	case TD_FOUND_OBJECT:
		return take_object(reader, &head);
	case TD_FOUND_NAMED:
		return take_named(reader, &head);
	case TD_FOUND_END:
		return take_end(reader, &head);
	case TD_FOUND_SPOT:
		if (head.name > TD_SYMBOL_NAME_MAX || head.file > PATH_MAX)
			return -EPROTO;
		*length += (size_t)head.name + head.file;
		return size < *length
			       ? TD_FOUND_MORE
			       : take_spot(reader, &head, bytes + sizeof(head));
	default:
		return -EPROTO;
	}
}
