/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_BASE_PARSE_H
#define TD_LIB_BASE_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sorted, without doubles: CPU numbers, thread ids. */
struct td_ints {
	int *v;
	size_t nr;
};

/*
 * Text is taken whole or refused: 0, or -EINVAL with *out untouched.
 * Decimal, or hexadecimal behind 0x; no sign, no blanks.
 */
int td_parse_u64(const char *text, uint64_t max, uint64_t *out);
int td_parse_int(const char *text, int min, int max, int *out);

/*
 * A time in milliseconds: "500", "500ms", "1.5s", "2m".  -EINVAL: no number;
 * -ENOTSUP: an unknown unit; -EDOM: not whole milliseconds; -ERANGE: outside of
 * min to max.  These leave *out untouched.
 */
int td_parse_ms(const char *text, int min, int max, int *out);
/* What stands behind a time's number: the unit, or "". */
const char *td_parse_ms_unit(const char *text);

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
/* "0-3,8"; NULL when out of memory, else to be freed. */
char *td_ints_format(const struct td_ints *list);

#endif
