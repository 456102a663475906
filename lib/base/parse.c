// SPDX-License-Identifier: GPL-2.0-only
#include "lib/base/parse.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
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
#define MAX_DIGITS   10 /* on either side of the point less than 2^64 */
#define MAX_FRACTION 9

/* Milliseconds a unit; 0: there is no such unit. */
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

/* The digits of text up to end, without the point; -EINVAL: not a number. */
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

static size_t first_not_below(const struct td_ints *list, int value)
{
	size_t low = 0, high = list->nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (list->v[mid] < value)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

bool td_ints_has(const struct td_ints *list, int value)
{
	size_t i = first_not_below(list, value);

	return i < list->nr && list->v[i] == value;
}

int td_ints_add(struct td_ints *list, int value)
{
	size_t i = first_not_below(list, value);

	if (i < list->nr && list->v[i] == value)
		return 0;
	if (!td_array_add(&list->v, list->nr, sizeof(*list->v)))
		return -ENOMEM;
	memmove(list->v + i + 1, list->v + i,
		(list->nr - i) * sizeof(*list->v));
	list->v[i] = value;
	list->nr++;
	return 0;
}

void td_ints_free(struct td_ints *list)
{
	free(list->v);
	*list = (struct td_ints){ 0 };
}

/* A number at *text; moves *text behind it. */
static int parse_number(const char **text, int max, int *out)
{
	char *end;
	long value;

	if (!isdigit((unsigned char)**text))
		return -EINVAL;
	errno = 0;
	value = strtol(*text, &end, 10);
	if (errno || value > max)
		return -ERANGE;
	*text = end;
	*out = (int)value;
	return 0;
}

/* "4" or "4-7" at *text. */
static int parse_range(const char **text, int max, struct td_ints *out)
{
	int first, last, rc = parse_number(text, max, &first);

	if (rc)
		return rc;
	last = first;
	if (**text == '-') {
		(*text)++;
		rc = parse_number(text, max, &last);
		if (rc || last < first)
			return rc ? rc : -EDOM;
	}
	if (last - first >= TD_MAX_INTS)
		return -EINVAL;
	for (int i = 0; i <= last - first; i++) {
		rc = td_ints_add(out, first + i);
		if (rc)
			return rc;
	}
	return 0;
}

static bool only_blanks(const char *text)
{
	return text[strspn(text, " \t\r\n")] == '\0';
}

int td_ints_parse(const char *text, int max, struct td_ints *out)
{
	int rc = 0;

	*out = (struct td_ints){ 0 };
	if (only_blanks(text))
		return 0;
	for (;;) {
		rc = parse_range(&text, max, out);
		if (rc || *text != ',')
			break;
		text++;
	}
	if (!rc && !only_blanks(text))
		rc = -EINVAL;
	if (rc)
		td_ints_free(out);
	return rc;
}

int td_ints_copy(struct td_ints *out, const struct td_ints *list)
{
	return td_ints_and(out, list, list);
}

int td_ints_and(struct td_ints *out, const struct td_ints *a,
		const struct td_ints *b)
{
	*out = (struct td_ints){ 0 };
	for (size_t i = 0; i < a->nr; i++) {
		if (!td_ints_has(b, a->v[i]))
			continue;
		if (td_ints_add(out, a->v[i])) {
			td_ints_free(out);
			return -ENOMEM;
		}
	}
	return 0;
}

char *td_ints_format(const struct td_ints *list)
{
	char *text = NULL;
	size_t size, last;
	FILE *fp = open_memstream(&text, &size);

	if (!fp)
		return NULL;
	for (size_t i = 0; i < list->nr; i = last + 1) {
		for (last = i; last + 1 < list->nr; last++) {
			if (list->v[last + 1] != list->v[last] + 1)
				break;
		}
		fprintf(fp, "%s%d", i ? "," : "", list->v[i]);
		if (last > i)
			fprintf(fp, "-%d", list->v[last]);
	}
	if (fclose(fp)) {
		free(text);
		return NULL;
	}
	return text;
}
