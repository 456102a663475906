// SPDX-License-Identifier: GPL-2.0-only
/* The wire format in which a search process reports its results. */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "lib/sample/parts.h"

/* Total length of all names: ten times what the longest reports need. */
#define TEXT_MAX ((uint64_t)256 << 20)

/* The start of a record.  Its texts follow without NULs. */
struct header {
	uint32_t kind;
	int32_t at;          /* the object, or the spot */
	int32_t number;      /* the line, or the errno of an object's end */
	uint16_t name, file; /* lengths; 0: none */
	uint64_t begin;
};

_Static_assert(sizeof(struct header) + TD_SYMBOL_NAME_MAX + PATH_MAX <= TD_FOUND_MAX,
	       "a record has room");

/* --- writing ---------------------------------------------------------------- */

static void write_mark(FILE *fp, enum td_found_kind kind, int object, int rc)
{
	const struct header header = { .kind = kind, .at = object, .number = rc };

	fwrite(&header, sizeof(header), 1, fp);
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

/* Returns 0 for texts that are longer than the reader allows. */
static uint16_t length_of(const char *text, size_t max)
{
	size_t length = text ? strnlen(text, max + 1) : 0;

	return length > max ? 0 : (uint16_t)length;
}

void td_found_write(FILE *fp, const struct td_found_spot *found)
{
	struct header header = {
		.kind = TD_FOUND_SPOT,
		.at = found->spot,
		.name = length_of(found->name, TD_SYMBOL_NAME_MAX),
		.file = length_of(found->file, PATH_MAX),
	};

	if (header.name)
		header.begin = found->begin;
	if (header.file)
		header.number = found->line;
	fwrite(&header, sizeof(header), 1, fp);
	if (header.name)
		fwrite(found->name, header.name, 1, fp);
	if (header.file)
		fwrite(found->file, header.file, 1, fp);
}

/* --- reading ---------------------------------------------------------------- */

static int take_object(struct td_found_reader *reader, const struct header *header)
{
	if (reader->object >= 0 || header->at <= reader->after || header->at < 0 ||
	    (size_t)header->at >= reader->spots->nr_objects)
		return -EPROTO;
	reader->object = reader->after = header->at;
	reader->named = false;
	return TD_FOUND_OBJECT;
}

static int take_named(struct td_found_reader *reader, const struct header *header)
{
	if (reader->object < 0 || header->at != reader->object || reader->named)
		return -EPROTO;
	reader->named = true;
	return TD_FOUND_NAMED;
}

static int take_end(struct td_found_reader *reader, const struct header *header)
{
	if (reader->object < 0 || header->at != reader->object || header->number > 0 ||
	    header->number < -INT16_MAX)
		return -EPROTO;
	reader->object = -1;
	reader->rc = header->number;
	return TD_FOUND_END;
}

/* Copies a text.  Returns false if it contains a NUL. */
static bool copy(char *to, const char *text, size_t length)
{
	memcpy(to, text, length);
	to[length] = '\0';
	return strlen(to) == length;
}

static bool add_function(struct td_found_reader *reader, struct td_spot *spot,
			 const struct header *header, const char *text)
{
	char name[TD_SYMBOL_NAME_MAX + 1];
	const struct td_function function = { name, spot->object, header->begin };

	if (spot->function >= 0 || header->begin > spot->address || !copy(name, text, header->name))
		return false;
	spot->function = td_spots_add_function(reader->spots, &function);
	return true;
}

static bool add_line(struct td_found_reader *reader, struct td_spot *spot,
		     const struct header *header, const char *text)
{
	char path[PATH_MAX + 1];

	if (spot->file >= 0 || header->number <= 0 || !copy(path, text, header->file))
		return false;
	spot->file = td_spots_add_file(reader->spots, path);
	spot->line = header->number;
	return true;
}

static int take_spot(struct td_found_reader *reader, const struct header *header, const char *text)
{
	struct td_spot *spot;

	if (header->at < 0 || (size_t)header->at >= reader->spots->nr)
		return -EPROTO;
	spot = &reader->spots->v[header->at];
	reader->text += (uint64_t)header->name + header->file;
	if (reader->object < 0 || spot->object != reader->object || reader->text > TEXT_MAX ||
	    (header->file && !add_line(reader, spot, header, text + header->name)) ||
	    (header->name && !add_function(reader, spot, header, text)))
		return -EPROTO;
	return TD_FOUND_SPOT;
}

int td_found_take(struct td_found_reader *reader, const char *bytes, size_t size, size_t *length)
{
	struct header header;

	if (size < sizeof(header))
		return TD_FOUND_MORE;
	memcpy(&header, bytes, sizeof(header));
	*length = sizeof(header);
	switch (header.kind) {
	case TD_FOUND_OBJECT:
		return take_object(reader, &header);
	case TD_FOUND_NAMED:
		return take_named(reader, &header);
	case TD_FOUND_END:
		return take_end(reader, &header);
	case TD_FOUND_SPOT:
		if (header.name > TD_SYMBOL_NAME_MAX || header.file > PATH_MAX)
			return -EPROTO;
		*length += (size_t)header.name + header.file;
		return size < *length ? TD_FOUND_MORE
				      : take_spot(reader, &header, bytes + sizeof(header));
	default:
		return -EPROTO;
	}
}
