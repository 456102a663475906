/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_SAMPLE_FINDS_H
#define TD_LIB_SAMPLE_FINDS_H

#include <stdio.h>

#include "lib/sample/spots.h"

/*
 * What a search for symbols found, as bytes that one process writes and another
 * reads: for each object, in their order, that it is looked at, the spots of it
 * that are known, and that it is done.  The reader trusts nothing of it.
 */

/* A spot in words. */
struct td_find {
	int spot;
	const char *name; /* of its function; NULL: there is no symbol */
	uint64_t begin;   /* of the function, in the object */
	const char *file; /* of the source; NULL: its line is not known */
	int line;
};

void td_finds_write_object(FILE *fp, int object);
void td_finds_write(FILE *fp, const struct td_find *find);
/* rc: 0, or the negative errno that says what is missing. */
void td_finds_write_end(FILE *fp, int object, int rc);

/* The spots that have no function yet, by object: next[first[object]] ... -1. */
struct td_unknown {
	int *first, *next;
	size_t nr_objects;
};

/* 0 or -ENOMEM; free it even then. */
int td_unknown_make(struct td_unknown *unknown, const struct td_spots *spots);
/* The first object from one on that has any, or -1. */
int td_unknown_find(const struct td_unknown *unknown, int from);
void td_unknown_free(struct td_unknown *unknown);

/* A reader; set spots, object to -1, and after to the object before the first. */
struct td_finds {
	struct td_spots *spots;
	int object;    /* that is looked at, or -1 */
	int after;     /* the last that was */
	int rc;        /* of the object that is done */
	uint64_t text; /* bytes of names that were taken, of all */
};

enum td_finds_kind {
	TD_FINDS_MORE, /* the bytes are not a whole record */
	TD_FINDS_OBJECT,
	TD_FINDS_SPOT,
	TD_FINDS_END,
};

/* The longest record. */
#define TD_FINDS_MAX (1 << 14)

/*
 * Takes the record that size bytes begin with.  A spot's function and line are
 * added to the spots.  Returns its kind and sets *length, or -ENOMEM, or -EPROTO
 * if it is not as it should be.
 */
int td_finds_take(struct td_finds *finds, const char *bytes, size_t size,
		  size_t *length);

#endif
