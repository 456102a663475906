/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_BASE_INTS_H
#define TD_LIB_BASE_INTS_H

#include <stdbool.h>
#include <stddef.h>

/* Sorted, without doubles: CPU numbers, thread ids. */
struct td_ints {
	int *v;
	size_t nr;
};

#define TD_MAX_INTS (1 << 20)

/*
 * A list as the kernel writes it and users type it, "0-3,8,10-11"; a line end
 * and blanks behind it are fine, and so is an empty list.  Numbers up to max,
 * ranges of up to TD_MAX_INTS.
 * -ERANGE: a number beyond max; -EDOM: a range such as 3-1; these, -EINVAL and
 * -ENOMEM leave *out empty.  Free with td_ints_free().
 */
int td_ints_parse(const char *text, int max, struct td_ints *out);
void td_ints_free(struct td_ints *list);
int td_ints_add(struct td_ints *list, int value);
int td_ints_copy(struct td_ints *out, const struct td_ints *list);
/* What both have. */
int td_ints_and(struct td_ints *out, const struct td_ints *a,
		const struct td_ints *b);
bool td_ints_has(const struct td_ints *list, int value);
/* Takes away from list what is in others.  -ENOMEM leaves it as it was. */
int td_ints_remove(struct td_ints *list, const struct td_ints *others);
/* "0-3,8"; NULL when out of memory, else to be freed. */
char *td_ints_format(const struct td_ints *list);

#endif
