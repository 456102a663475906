// SPDX-License-Identifier: GPL-2.0-only
#include "lib/base/ints.h"

#include <ctype.h>

#include "lib/base/util.h"

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

void td_ints_add(struct td_ints *list, int value)
{
	size_t i = first_not_below(list, value);

	if (i < list->nr && list->v[i] == value)
		return;
	td_array_add(&list->v, list->nr, sizeof(*list->v));
	memmove(list->v + i + 1, list->v + i, (list->nr - i) * sizeof(*list->v));
	list->v[i] = value;
	list->nr++;
}

void td_ints_add_all(struct td_ints *list, const struct td_ints *others)
{
	for (size_t i = 0; i < others->nr; i++)
		td_ints_add(list, others->v[i]);
}

void td_ints_free(struct td_ints *list)
{
	free(list->v);
	*list = (struct td_ints){ 0 };
}

/* Parses a decimal number and moves *text after it. */
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

/* Parses "4" or "4-7". */
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
			return rc ?: -EDOM;
	}
	if (last - first >= TD_MAX_INTS)
		return -EINVAL;
	for (int i = 0; i <= last - first; i++)
		td_ints_add(out, first + i);
	return 0;
}

static bool only_blanks(const char *text)
{
	return text[strspn(text, " \t\r\n")] == '\0';
}

int td_ints_parse(const char *text, int max, struct td_ints *out)
{
	int rc;

	*out = (struct td_ints){ 0 };
	if (only_blanks(text))
		return 0;
	rc = parse_range(&text, max, out);
	while (!rc && *text == ',') {
		text++;
		rc = parse_range(&text, max, out);
	}
	if (!rc && !only_blanks(text))
		rc = -EINVAL;
	if (rc)
		td_ints_free(out);
	return rc;
}

void td_ints_copy(struct td_ints *out, const struct td_ints *list)
{
	td_ints_and(out, list, list);
}

void td_ints_and(struct td_ints *out, const struct td_ints *a, const struct td_ints *b)
{
	*out = (struct td_ints){ 0 };
	for (size_t i = 0; i < a->nr; i++) {
		if (td_ints_has(b, a->v[i]))
			td_ints_add(out, a->v[i]);
	}
}

char *td_ints_format(const struct td_ints *list)
{
	char *text = NULL;
	size_t size, last;
	FILE *fp = td_open_memstream(&text, &size);

	for (size_t i = 0; i < list->nr; i = last + 1) {
		for (last = i; last + 1 < list->nr; last++) {
			if (list->v[last + 1] != list->v[last] + 1)
				break;
		}
		fprintf(fp, "%s%d", i ? "," : "", list->v[i]);
		if (last > i)
			fprintf(fp, "-%d", list->v[last]);
	}
	td_text_close(fp, &text);
	return text;
}

void td_ints_remove(struct td_ints *list, const struct td_ints *others)
{
	size_t nr = 0;

	for (size_t i = 0; i < list->nr; i++) {
		if (!td_ints_has(others, list->v[i]))
			list->v[nr++] = list->v[i];
	}
	list->nr = nr;
}
