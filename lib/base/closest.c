// SPDX-License-Identifier: GPL-2.0-only
#include "lib/base/closest.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define LONGEST (TD_CLOSEST_SIZE - 1)

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool same(char a, char b)
{
	return lower(a) == lower(b);
}

/* The optimal string alignment distance; only three rows are kept. */
static size_t distance(const char *a, size_t na, const char *b, size_t nb)
{
	size_t rows[3][LONGEST + 1] = { 0 };

	for (size_t j = 0; j <= nb; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= na; i++) {
		size_t *row = rows[i % 3], *above = rows[(i + 2) % 3];
		const size_t *before = rows[(i + 1) % 3];

		row[0] = i;
		for (size_t j = 1; j <= nb; j++) {
			size_t change = !same(a[i - 1], b[j - 1]);

			row[j] = least(above[j] + 1, row[j - 1] + 1);
			row[j] = least(row[j], above[j - 1] + change);
			if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) &&
			    same(a[i - 2], b[j - 1]))
				row[j] = least(row[j], before[j - 2] + 1);
		}
	}
	return rows[na % 3][nb];
}

void td_closest_offer(struct td_closest *closest, const char *name)
{
	size_t na = strlen(closest->wanted), nb = strlen(name);
	size_t difference = na > nb ? na - nb : nb - na, limit = 1 + na / 4, d;

	closest->within |= strcasestr(name, closest->wanted) != NULL;
	if (na > LONGEST || nb > LONGEST || difference > limit || na < 2)
		return;
	d = distance(closest->wanted, na, name, nb);
	if (d > limit || (closest->best[0] && d >= closest->distance))
		return;
	closest->distance = d;
	snprintf(closest->best, sizeof(closest->best), "%s", name);
}
