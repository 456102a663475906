/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/base: what all other folders use; it depends on none of them.
 *
 * Errors and notes, numbers and lists of numbers in text, text that is safe to
 * print, JSON, similar names for a wrong one, time and memory.
 */
#ifndef TD_LIB_BASE_UTIL_H
#define TD_LIB_BASE_UTIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define TD_ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static inline void td_autofree_(void *p)
{
	void **ptr = p;

	free(*ptr);
}

/* The growth of a counter; 0 if it went backwards. */
static inline uint64_t td_since(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

#define TD_NS_A_MS     UINT64_C(1000000)
#define TD_NS_A_SECOND UINT64_C(1000000000)

uint64_t td_now_ns(void); /* CLOCK_MONOTONIC */
/* CLOCK_REALTIME in ns, cut off to whole ms. */
uint64_t td_wall_ns(void);

/* A moment in the clocks of tracers, which count from the start of the machine. */
struct td_clocks {
	uint64_t mono_ns;      /* CLOCK_MONOTONIC; 0: unknown */
	uint64_t suspended_ns; /* that CLOCK_BOOTTIME is ahead */
};

struct td_clocks td_clocks_now(void);

/* Frees a local pointer when it goes out of scope. */
#define td_autofree __attribute__((cleanup(td_autofree_)))

bool td_ends_with(const char *text, const char *end);

/*
 * Closes a stream of open_memstream(3), whose text *text then is.  -ENOMEM:
 * not all of it could be kept, and *text is NULL; glibc's fclose(3) tells
 * nothing of that (_IO_mem_finish() in libio/memstream.c).
 */
int td_text_close(FILE *fp, char **text);

/* Closes *fd unless it is negative, and sets it to -1. */
void td_close_fd(int *fd);
/* Writes all of it, whatever signals come.  Returns 0 or a negative errno. */
int td_write_all(int fd, const void *text, size_t size);

/*
 * Makes *text, which may be NULL, these three after one another, in the memory that
 * it has if that is enough.  0 or -ENOMEM, when it is NULL.
 */
int td_text_join(char **text, const char *a, const char *b, const char *c);

/*
 * Adds an element of size bytes to an array of nr elements and returns it
 * zeroed, or NULL if out of memory.  array is the address of the pointer to the
 * first element, which may change; the caller counts nr up.
 *
 * The array may be NULL, or any memory on the heap.  If it is full, its size
 * becomes the next power of two; elements after the first nr may then be lost.
 */
void *td_array_add(void *array, size_t nr, size_t size);
/*
 * The next element of an array that was emptied by setting *nr to 0: as it was left
 * for the first *nr_kept, which own memory, else a zeroed one.  Counts *nr up.
 */
void *td_array_next(void *array, size_t *nr, size_t *nr_kept, size_t size);
/*
 * Makes an array, which may be NULL, one of nr zeroed elements, in the memory that
 * it has if that is enough.  0 or -ENOMEM, when it is NULL.
 */
int td_array_clear(void *array, size_t nr, size_t size);
/* Like td_array_add() with a copy of *element, and counts *nr up.  0 or -ENOMEM. */
int td_array_push(void *array, size_t *nr, const void *element, size_t size);

#endif
