// SPDX-License-Identifier: GPL-2.0-only
#include "lib/base/decimal.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/util.h"

/* Values of up to 2^63 units of their last decimal are formatted here. */
static const uint64_t powers[] = { 1,         10,        100,     1000,
				   10000,     100000,    1000000, 10000000,
				   100000000, 1000000000 };

#define MOST_DIGITS 19

/* Writes the digits before end, at least so many.  Returns the first. */
static char *put_digits(char *end, uint64_t number, int least)
{
	for (; number || least > 0; number /= 10, least--)
		*--end = (char)('0' + number % 10);
	return end;
}

/*
 * Rounds a fraction, in units of 2^-64, to units of 1 / power, which is at most
 * 2^30: half of a unit to the even one, as printf() does.  odd: what stands
 * before the fraction is, which is of interest if it is rounded to nothing.
 */
static uint64_t round_fraction(uint64_t fraction, uint64_t power, bool odd)
{
	uint64_t low = (fraction & UINT32_MAX) * power;
	uint64_t high = (fraction >> 32) * power + (low >> 32);
	uint64_t units = high >> 32, rest = high << 32 | (low & UINT32_MAX);
	const uint64_t half = UINT64_C(1) << 63;

	if (power > 1)
		odd = units & 1;
	return units + (rest > half || (rest == half && odd));
}

/* False if the value is too large, or too small, for 64 bits on both sides. */
static bool to_units(double value, uint64_t power, uint64_t *units)
{
	double whole = trunc(value), fraction = (value - whole) * 0x1p64;

	if (!(whole * (double)power < 0x1p62) ||
	    fraction > (double)(uint64_t)fraction)
		return false;
	*units = (uint64_t)whole * power +
		 round_fraction((uint64_t)fraction, power, (uint64_t)whole & 1);
	return true;
}

static const char *by_printf(char *buf, size_t size, int decimals, double value)
{
	snprintf(buf, size, "%.*f", decimals, value);
	if (buf[0] == '-' && !buf[1 + strspn(buf + 1, "0.")])
		memmove(buf, buf + 1, strlen(buf));
	return buf;
}

const char *td_format_fixed(char *buf, size_t size, int decimals, double value)
{
	char digits[MOST_DIGITS + 4], *end = digits + sizeof(digits) - 1;
	char *at = end;
	uint64_t power, units;

	if (decimals >= (int)TD_ARRAY_SIZE(powers) || size < sizeof(digits))
		return by_printf(buf, size, decimals, value);
	power = powers[decimals];
	if (!to_units(fabs(value), power, &units))
		return by_printf(buf, size, decimals, value);
	*end = '\0';
	if (decimals) {
		at = put_digits(at, units % power, decimals);
		*--at = '.';
	}
	at = put_digits(at, units / power, 1);
	if (value < 0 && units)
		*--at = '-';
	return memcpy(buf, at, (size_t)(end + 1 - at));
}

const char *td_format_seconds(char buf[40], uint64_t ns)
{
	char digits[40], *end = digits + sizeof(digits) - 1, *at;

	*end = '\0';
	at = put_digits(end, ns % TD_NS_A_SECOND, 9);
	*--at = '.';
	at = put_digits(at, ns / TD_NS_A_SECOND, 1);
	return memcpy(buf, at, (size_t)(end + 1 - at));
}
