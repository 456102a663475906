// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sample/finds.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "lib/sample/symbol_table.h"

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
		       TD_FINDS_MAX,
	       "a record has room");

/* --- writing ---------------------------------------------------------------- */

static void write_mark(FILE *fp, enum td_finds_kind kind, int object, int rc)
{
	const struct head head = { .kind = kind, .at = object, .number = rc };

	fwrite(&head, sizeof(head), 1, fp);
}

void td_finds_write_object(FILE *fp, int object)
{
	write_mark(fp, TD_FINDS_OBJECT, object, 0);
}

void td_finds_write_end(FILE *fp, int object, int rc)
{
	write_mark(fp, TD_FINDS_END, object, rc);
}

/* 0: there is none, or more than the reader takes. */
static uint16_t length_of(const char *text, size_t most)
{
	size_t length = text ? strnlen(text, most + 1) : 0;

	return length > most ? 0 : (uint16_t)length;
}

void td_finds_write(FILE *fp, const struct td_find *find)
{
	struct head head = {
		.kind = TD_FINDS_SPOT,
		.at = find->spot,
		.name = length_of(find->name, TD_SYMBOL_NAME_MAX),
		.file = length_of(find->file, PATH_MAX),
	};

	if (head.name)
		head.begin = find->begin;
	if (head.file)
		head.number = find->line;
	fwrite(&head, sizeof(head), 1, fp);
	if (head.name)
		fwrite(find->name, head.name, 1, fp);
	if (head.file)
		fwrite(find->file, head.file, 1, fp);
}

/* --- what is unknown -------------------------------------------------------- */

int td_unknown_make(struct td_unknown *unknown, const struct td_spots *spots)
{
	*unknown = (struct td_unknown){
		.first = malloc((spots->nr_objects + 1) * sizeof(int)),
		.next = malloc((spots->nr + 1) * sizeof(int)),
		.nr_objects = spots->nr_objects,
	};
	if (!unknown->first || !unknown->next)
		return -ENOMEM;
	for (size_t i = 0; i < spots->nr_objects; i++)
		unknown->first[i] = -1;
	/* from the end on, so that they are in their order */
	for (size_t i = spots->nr; i-- > 0;) {
		int *first = &unknown->first[spots->v[i].object];

		if (spots->v[i].function >= 0)
			continue;
		unknown->next[i] = *first;
		*first = (int)i;
	}
	return 0;
}

int td_unknown_find(const struct td_unknown *unknown, int from)
{
	for (size_t i = (size_t)from; i < unknown->nr_objects; i++) {
		if (unknown->first[i] >= 0)
			return (int)i;
	}
	return -1;
}

void td_unknown_free(struct td_unknown *unknown)
{
	free(unknown->first);
	free(unknown->next);
	*unknown = (struct td_unknown){ 0 };
}

/* --- reading ---------------------------------------------------------------- */

static int take_object(struct td_finds *finds, const struct head *head)
{
	if (finds->object >= 0 || head->at <= finds->after || head->at < 0 ||
	    (size_t)head->at >= finds->spots->nr_objects)
		return -EPROTO;
	finds->object = finds->after = head->at;
	return TD_FINDS_OBJECT;
}

static int take_end(struct td_finds *finds, const struct head *head)
{
	if (finds->object < 0 || head->at != finds->object ||
	    head->number > 0 || head->number < -INT16_MAX)
		return -EPROTO;
	finds->object = -1;
	finds->rc = head->number;
	return TD_FINDS_END;
}

/* Copies a text, or returns false: it has a NUL. */
static bool copy(char *to, const char *text, size_t length)
{
	memcpy(to, text, length);
	to[length] = '\0';
	return strlen(to) == length;
}

static int add_function(struct td_finds *finds, struct td_spot *spot,
			const struct head *head, const char *text)
{
	char name[TD_SYMBOL_NAME_MAX + 1];
	const struct td_function function = { head->name ? name : NULL,
					      spot->object, head->begin };

	if (!head->name)
		return 0;
	if (head->name > TD_SYMBOL_NAME_MAX || head->begin > spot->address ||
	    !copy(name, text, head->name))
		return -EPROTO;
	spot->function = td_spots_add_function(finds->spots, &function);
	return spot->function < 0 ? -ENOMEM : 0;
}

static int add_line(struct td_finds *finds, struct td_spot *spot,
		    const struct head *head, const char *text)
{
	char path[PATH_MAX + 1];
	int file;

	if (!head->file)
		return 0;
	if (head->file > PATH_MAX || head->number <= 0 ||
	    !copy(path, text, head->file))
		return -EPROTO;
	file = td_spots_add_file(finds->spots, path);
	if (file < 0)
		return -ENOMEM;
	spot->file = file;
	spot->line = head->number;
	return 0;
}

static int take_spot(struct td_finds *finds, const struct head *head,
		     const char *text)
{
	struct td_spot *spot;
	int rc;

	if (head->at < 0 || (size_t)head->at >= finds->spots->nr)
		return -EPROTO;
	spot = &finds->spots->v[head->at];
	finds->text += (uint64_t)head->name + head->file;
	if (finds->object < 0 || spot->object != finds->object ||
	    spot->function >= 0 || spot->file >= 0 || finds->text > TEXT_MAX)
		return -EPROTO;
	rc = add_line(finds, spot, head, text + head->name);
	if (!rc)
		rc = add_function(finds, spot, head, text);
	return rc ? rc : TD_FINDS_SPOT;
}

int td_finds_take(struct td_finds *finds, const char *bytes, size_t size,
		  size_t *length)
{
	struct head head;

	if (size < sizeof(head))
		return TD_FINDS_MORE;
	memcpy(&head, bytes, sizeof(head));
	*length = sizeof(head);
	switch (head.kind) {
	case TD_FINDS_OBJECT:
		return take_object(finds, &head);
	case TD_FINDS_END:
		return take_end(finds, &head);
	case TD_FINDS_SPOT:
		if (head.name > TD_SYMBOL_NAME_MAX || head.file > PATH_MAX)
			return -EPROTO;
		*length += (size_t)head.name + head.file;
		return size < *length
			       ? TD_FINDS_MORE
			       : take_spot(finds, &head, bytes + sizeof(head));
	default:
		return -EPROTO;
	}
}
