/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_BASE_INTS_H
#define TD_LIB_BASE_INTS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * A sorted set of numbers, such as CPUs or thread ids.  A zeroed struct is an
 * empty set; free with td_ints_free().
 */
struct td_ints {
	int *v;
	size_t nr;
};

#define TD_MAX_INTS (1 << 20)

/*
 * Parses a list as the kernel and users write it, "0-3,8,10-11".  An empty list
 * is fine, and so are blanks and newlines at the end.  Numbers go up to max,
 * and one range has up to TD_MAX_INTS numbers.
 * Returns -ERANGE for a number above max, -EDOM for a range such as 3-1,
 * -EINVAL or -ENOMEM; *out is empty then.
 */
int td_ints_parse(const char *text, int max, struct td_ints *out);
void td_ints_free(struct td_ints *list);
int td_ints_add(struct td_ints *list, int value);
/* Adds the numbers of others that are not in the list.  0 or -ENOMEM. */
int td_ints_add_all(struct td_ints *list, const struct td_ints *others);
int td_ints_copy(struct td_ints *out, const struct td_ints *list);
/* The numbers that are in both.  Returns 0 or -ENOMEM. */
int td_ints_and(struct td_ints *out, const struct td_ints *a,
		const struct td_ints *b);
bool td_ints_has(const struct td_ints *list, int value);
/* Removes the numbers of others from list.  -ENOMEM leaves list unchanged. */
int td_ints_remove(struct td_ints *list, const struct td_ints *others);
/* Formats as "0-3,8".  The caller frees it; NULL means out of memory. */
char *td_ints_format(const struct td_ints *list);

#endif
