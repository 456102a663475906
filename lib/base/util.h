/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/base: functions for all other directories, on which it does not depend.
 *
 * Errors and notes, numbers and lists of numbers in text, text that is safe to
 * print, JSON, similar names for a wrong one, time and memory.
 */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/memory.h"

#define TD_ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* A loop in which item points to each of the nr elements of an array; NULL is fine if nr is 0. */
#define td_for_each(type, item, array, nr) \
	for (type *item = (array); (size_t)(item - (array)) < (nr); item++) /* NOLINT: a name */

static inline void td_autofree_(void *p)
{
	void **ptr = p;

	free(*ptr);
}

/* Returns the growth of a counter; 0 if it went backwards. */
static inline uint64_t td_since(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

#define TD_NS_A_MS     UINT64_C(1000000)
#define TD_NS_A_SECOND UINT64_C(1000000000)

uint64_t td_now_ns(void); /* CLOCK_MONOTONIC */
/* CLOCK_REALTIME in ns, cut off to whole ms. */
uint64_t td_wall_ns(void);

/* The time on the clocks that tracers use, which start when the machine boots. */
struct td_clocks {
	uint64_t mono_ns;      /* CLOCK_MONOTONIC; 0: unknown */
	uint64_t suspended_ns; /* CLOCK_BOOTTIME minus CLOCK_MONOTONIC */
};

struct td_clocks td_clocks_now(void);

/* Frees a local pointer when it goes out of scope. */
#define td_autofree __attribute__((cleanup(td_autofree_)))

bool td_ends_with(const char *text, const char *end);
/* Are both texts equal, or both NULL? */
bool td_same_text(const char *a, const char *b);

/*
 * Returns the path of a file in a list of directories that are separated by colons, or NULL.
 * mode: as of access(2).  The caller frees it.
 */
char *td_find_file(const char *directories, const char *name, int mode);
/* Returns the path of a program, found as by a shell, or NULL.  The caller frees it. */
char *td_find_program(const char *name, int mode);

/* Closes *fd unless it is negative, and sets it to -1. */
void td_close_fd(int *fd);
/* Writes all bytes, despite signals.  Returns 0 or a negative errno. */
int td_write_all(int fd, const void *text, size_t size);

/* Replaces *text, which may be NULL, with a, b and c joined.  Reuses its memory if they fit. */
void td_text_join(char **text, const char *a, const char *b, const char *c);

/*
 * Adds an element of size bytes to an array of nr elements, and returns it zeroed.  array is the
 * address of the pointer to the first element, which may change.  The caller increments nr.
 *
 * The array may be NULL, or any memory on the heap.  If it is full, its size becomes the next power
 * of two; then elements after the first nr may be lost.
 */
void *td_array_add(void *array, size_t nr, size_t size);
/*
 * Adds an element to an array that is emptied by setting *nr to 0.  The first *nr_kept
 * elements own memory and are returned unchanged for reuse; others are zeroed.
 */
void *td_array_next(void *array, size_t *nr, size_t *nr_kept, size_t size);
/* Replaces an array, which may be NULL, with nr zeroed elements.  Reuses its memory if they fit. */
void td_array_clear(void *array, size_t nr, size_t size);
/* Adds a copy of *element and increments *nr. */
void td_array_push(void *array, size_t *nr, const void *element, size_t size);
