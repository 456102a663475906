/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Formats numbers exactly as printf(3) does in the C locale, but ten times faster, because rows
 * consist mostly of numbers.
 */

/* Formats like "%.*f", but never as "-0.0".  Returns buf. */
const char *td_format_fixed(char *buf, size_t size, int decimals, double value);
/* Formats seconds with nine decimals, "1.000104518".  Returns buf. */
const char *td_format_seconds(char buf[40], uint64_t ns);

/*
 * Parse the whole text as a number: decimal, or hexadecimal after 0x, without sign or blanks.
 * Return 0, or -EINVAL with *out unchanged.
 */
int td_parse_u64(const char *text, uint64_t max, uint64_t *out);
int td_parse_int(const char *text, int min, int max, int *out);

/*
 * Parses a time in milliseconds: "500", "500ms", "1.5s", "2m".  Returns 0,
 * -EINVAL without a number, -ENOTSUP for an unknown unit, -EDOM for a fraction of a
 * millisecond, -ERANGE outside min to max; *out is unchanged after an error.
 */
int td_parse_ms(const char *text, int min, int max, int *out);
/* Parses a time with a unit, "1.000350823s", in nanoseconds.  Returns 0 or -errno. */
int td_parse_ns(const char *text, uint64_t *out);
/* Returns the unit of a time: the text after its number, which may be "". */
const char *td_parse_ms_unit(const char *text);
