/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_BASE_NUMBER_H
#define TD_LIB_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Numbers as printf(3) has them in the C locale, to the bit, in a tenth of its
 * time: they are most of what a row consists of.
 */

/* Like "%.*f", but never "-0.0".  Returns buf. */
const char *td_format_fixed(char *buf, size_t size, int decimals, double value);
/* Seconds with nine decimals, "1.000104518".  Returns buf. */
const char *td_format_seconds(char buf[40], uint64_t ns);

/*
 * Parse the whole text: decimal, or hexadecimal after 0x; no sign, no blanks.
 * Return 0, or -EINVAL with *out unchanged.
 */
int td_parse_u64(const char *text, uint64_t max, uint64_t *out);
int td_parse_int(const char *text, int min, int max, int *out);

/*
 * Parses a time in milliseconds: "500", "500ms", "1.5s", "2m".  Returns -EINVAL
 * for no number, -ENOTSUP for an unknown unit, -EDOM for a part of a
 * millisecond, -ERANGE outside min to max; *out is unchanged then.
 */
int td_parse_ms(const char *text, int min, int max, int *out);
/* The unit behind the number of a time, or "". */
const char *td_parse_ms_unit(const char *text);

#endif
