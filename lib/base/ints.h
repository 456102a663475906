/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

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
 * Parses a list such as "0-3,8,10-11", in the syntax of the kernel.  The list may be empty,
 * and blanks and newlines may follow it.  Numbers may be up to max, and a range may contain
 * up to TD_MAX_INTS numbers.
 * Returns 0, -ERANGE for a number above max, -EDOM for a range such as 3-1, or
 * -EINVAL; *out is empty after an error.
 */
int td_ints_parse(const char *text, int max, struct td_ints *out);
void td_ints_free(struct td_ints *list);
void td_ints_add(struct td_ints *list, int value);
/* Adds all numbers of others to the list. */
void td_ints_add_all(struct td_ints *list, const struct td_ints *others);
void td_ints_copy(struct td_ints *out, const struct td_ints *list);
/* Sets *out to the numbers that are in both. */
void td_ints_and(struct td_ints *out, const struct td_ints *a, const struct td_ints *b);
bool td_ints_has(const struct td_ints *list, int value);
/* Removes the numbers of others from list. */
void td_ints_remove(struct td_ints *list, const struct td_ints *others);
/* Formats a list as "0-3,8".  The caller frees the text. */
char *td_ints_format(const struct td_ints *list);
