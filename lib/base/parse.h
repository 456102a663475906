/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_BASE_PARSE_H
#define TD_LIB_BASE_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
