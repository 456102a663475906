// SPDX-License-Identifier: GPL-2.0-only
#include "lib/base/parse.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"

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

/* Milliseconds in a unit; 0 if the unit is unknown. */
static uint64_t ms_of_unit(const char *unit)
{
	static const struct {
		const char *name;
		uint64_t ms;
	} units[] = { { "", 1 },
		      { "ms", 1 },
		      { "s", MS_A_SECOND },
		      { "m", MS_A_MINUTE } };

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
 * Reads "12.5" up to end as digits 125 and divisor 10; -EINVAL if there is no
 * number, -EDOM or -ERANGE if it has too many digits.
 */
static int read_decimal(const char *text, const char *end, uint64_t *digits,
			uint64_t *divisor)
{
	size_t whole = strspn(text, DIGITS);
	size_t fraction =
		text + whole < end ? (size_t)(end - text) - whole - 1 : 0;

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

int td_parse_ms(const char *text, int min, int max, int *out)
{
	const char *unit = td_parse_ms_unit(text);
	uint64_t factor = ms_of_unit(unit), digits, divisor, ms;
	int rc = read_decimal(text, unit, &digits, &divisor);

	if (rc == -EINVAL)
		return rc;
	if (!factor)
		return -ENOTSUP;
	if (rc || __builtin_mul_overflow(digits, factor, &ms))
		return rc ? rc : -ERANGE;
	if (ms % divisor)
		return -EDOM;
	ms /= divisor;
	if (ms > (uint64_t)max || (int)ms < min)
		return -ERANGE;
	*out = (int)ms;
	return 0;
}
