/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_TEST_PACE_H
#define TD_TEST_PACE_H

/* How fast this machine is, for tests of what must not take quadratic time. */
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static inline int test_compare_numbers(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/*
 * Return the CPU time of sorting nr numbers, in units of clock(), at least 1.  This is the
 * shortest of three tries, because another program may have slowed the others down.
 */
static inline clock_t test_time_sort(size_t nr)
{
	uint64_t *v = malloc(nr * sizeof(*v));
	uint64_t state = 1;
	clock_t least = 0;

	for (int try = 0; v && try < 3; try++) {
		clock_t began;

		for (size_t i = 0; i < nr; i++) {
			state = state * 6364136223846793005 + 1442695040888963407;
			v[i] = state >> 32;
		}
		began = clock();
		qsort(v, nr, sizeof(*v), test_compare_numbers);
		began = clock() - began;
		least = try && least < began ? least : began;
	}
	free(v);
	return least > 0 ? least : 1;
}

/*
 * Return the maximum CPU time for a test of nr elements.  Handling each element once takes 1 to 50
 * times as long as sorting them, on any machine; comparing each with all others takes thousands of
 * times as long.
 */
static inline clock_t test_most_time(size_t nr)
{
	return 500 * test_time_sort(nr);
}

#endif
