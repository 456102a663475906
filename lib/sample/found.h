/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_SAMPLE_FOUND_H
#define TD_LIB_SAMPLE_FOUND_H

#include <stdio.h>

#include "lib/sample/spots.h"

/*
 * What a search for symbols found, as bytes that one process writes and another
 * reads: for each object, in their order, that it is looked at, the functions of
 * its spots that are known, that these are all, their lines, and that it is done.  The reader trusts nothing of it.
 */

/* A spot in words. */
struct td_found_spot {
	int spot;
	const char *name; /* of its function; NULL: there is no symbol */
	uint64_t begin;   /* of the function, in the object */
	const char *file; /* of the source; NULL: its line is not known */
	int line;
};

void td_found_write_object(FILE *fp, int object);
void td_found_write(FILE *fp, const struct td_found_spot *found);
/* What follows of the object is lines. */
void td_found_write_named(FILE *fp, int object);
/* rc: 0, or the negative errno that says what is missing. */
void td_found_write_end(FILE *fp, int object, int rc);

/* Set spots, and object and after to -1; object, too, for each new process. */
struct td_found_reader {
	struct td_spots *spots;
	int object;    /* that is looked at, or -1 */
	int after;     /* the last that was; only those behind it follow */
	bool named;    /* the functions of its spots are all there */
	int rc;        /* of the object that is done */
	uint64_t text; /* bytes of names that were taken, of all */
};

enum td_found_kind {
	TD_FOUND_MORE, /* the bytes are not a whole record */
	TD_FOUND_OBJECT,
	TD_FOUND_SPOT,
	TD_FOUND_END,
	TD_FOUND_NAMED,
};

/* The longest record. */
#define TD_FOUND_MAX (1 << 14)

/*
 * Takes the record that size bytes begin with.  A spot's function and line are
 * added to the spots.  Returns its kind and sets *length, or -ENOMEM, or -EPROTO
 * if it is not as it should be.
 */
int td_found_take(struct td_found_reader *reader, const char *bytes,
		  size_t size, size_t *length);

#endif
