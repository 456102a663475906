// SPDX-License-Identifier: GPL-2.0-only
#include "lib/base/number.h"

#include <ctype.h>
#include <math.h>

#include "lib/base/util.h"

/* --- to text -------------------------------------------------------------- */

/* Powers of 10.  Values below 2^62 units of their last decimal are formatted without printf(). */
static const uint64_t powers[] = { 1,      10,      100,      1000,      10000,
				   100000, 1000000, 10000000, 100000000, 1000000000 };

#define UNIT_DIGITS 19

/* Writes a number with at least min digits, which end before end.  Returns the first digit. */
static char *put_digits(char *end, uint64_t number, int min)
{
	for (; number || min > 0; number /= 10, min--)
		*--end = (char)('0' + number % 10);
	return end;
}

/*
 * Rounds a fraction, in units of 2^-64, to units of 1 / power, where power is at most 2^30.  A half
 * is rounded to even, as in printf().  odd is for power 1: the integer before the fraction is odd.
 */
static uint64_t round_fraction(uint64_t fraction, uint64_t power, bool odd)
{
	uint64_t low = (fraction & UINT32_MAX) * power;
	uint64_t high = (fraction >> 32) * power + (low >> 32);
	uint64_t units = high >> 32, remainder = high << 32 | (low & UINT32_MAX);
	const uint64_t half = UINT64_C(1) << 63;

	if (power > 1)
		odd = units & 1;
	return units + (remainder > half || (remainder == half && odd));
}

/* Returns false if the integer or the fraction does not fit into 64 bits. */
static bool to_units(double value, uint64_t power, uint64_t *units)
{
	double whole = trunc(value), fraction = (value - whole) * 0x1p64;

	if (!(whole * (double)power < 0x1p62) || fraction > (double)(uint64_t)fraction)
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
	char digits[UNIT_DIGITS + 4], *end = digits + sizeof(digits) - 1;
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

/* --- from text ------------------------------------------------------------ */

int td_parse_u64(const char *text, uint64_t max, uint64_t *out)
{
	bool hex = text[0] == '0' && (text[1] | 0x20) == 'x';
	unsigned long long value;
	char *end;

	if (!isdigit((unsigned char)text[0]))
		return -EINVAL;
	errno = 0;
	value = strtoull(text, &end, hex ? 16 : 10);
	if (errno || *end || value > max)
		return -EINVAL;
	*out = value;
	return 0;
}

int td_parse_int(const char *text, int min, int max, int *out)
{
	uint64_t value;

	if (td_parse_u64(text, (uint64_t)max, &value) || (int)value < min)
		return -EINVAL;
	*out = (int)value;
	return 0;
}

#define DIGITS       "0123456789"
#define MS_A_SECOND  1000
#define MS_A_MINUTE  60000
#define MAX_DIGITS   10 /* the digits of both sides together stay below 2^64 */
#define MAX_FRACTION 9

/* Returns the number of milliseconds in a unit; 0 if the unit is unknown. */
static uint64_t ms_of_unit(const char *unit)
{
	static const struct {
		const char *name;
		uint64_t ms;
	} units[] = { { "", 1 }, { "ms", 1 }, { "s", MS_A_SECOND }, { "m", MS_A_MINUTE } };

	for (size_t i = 0; i < TD_ARRAY_SIZE(units); i++) {
		if (strcmp(units[i].name, unit) == 0)
			return units[i].ms;
	}
	return 0;
}

const char *td_parse_ms_unit(const char *text)
{
	text += strspn(text, DIGITS);
	return *text == '.' ? text + 1 + strspn(text + 1, DIGITS) : text;
}

/*
 * Parses a number up to end: "12.5" as digits 125 and divisor 10.  Returns -EINVAL without a
 * number, -EDOM or -ERANGE if it has too many digits.
 */
static int read_decimal(const char *text, const char *end, uint64_t *digits, uint64_t *divisor)
{
	size_t whole = strspn(text, DIGITS);
	size_t fraction = text + whole < end ? (size_t)(end - text) - whole - 1 : 0;

	if (!whole || (text[whole] == '.' && !fraction))
		return -EINVAL;
	if (whole > MAX_DIGITS || fraction > MAX_FRACTION)
		return fraction > MAX_FRACTION ? -EDOM : -ERANGE;
	*digits = strtoull(text, NULL, 10);
	*divisor = 1;
	for (const char *c = text + whole + 1; c < end; c++) {
		*digits = 10 * *digits + (uint64_t)(*c - '0');
		*divisor *= 10;
	}
	return 0;
}

/*
 * Parses a time in units, of which a millisecond has per_ms.  Returns the same errors as
 * td_parse_ms().
 */
static int parse_time(const char *text, uint64_t per_ms, uint64_t *out)
{
	const char *unit = td_parse_ms_unit(text);
	uint64_t factor = ms_of_unit(unit) * per_ms, digits, divisor, time;
	int rc = read_decimal(text, unit, &digits, &divisor);

	if (rc == -EINVAL)
		return rc;
	if (!factor)
		return -ENOTSUP;
	for (; !rc && divisor > 1 && factor % 10 == 0; divisor /= 10)
		factor /= 10;
	if (rc || __builtin_mul_overflow(digits, factor, &time))
		return rc ?: -ERANGE;
	if (time % divisor)
		return -EDOM;
	*out = time / divisor;
	return 0;
}

int td_parse_ms(const char *text, int min, int max, int *out)
{
	uint64_t ms;
	int rc = parse_time(text, 1, &ms);

	if (rc)
		return rc;
	if (ms > (uint64_t)max || (int)ms < min)
		return -ERANGE;
	*out = (int)ms;
	return 0;
}

int td_parse_ns(const char *text, uint64_t *out)
{
	return *td_parse_ms_unit(text) ? parse_time(text, TD_NS_A_MS, out) : -EINVAL;
}
