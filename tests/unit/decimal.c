// SPDX-License-Identifier: GPL-2.0-only
/* Numbers in text are printf(3)'s. */
#include "lib/base/number.h"

#include <stdlib.h>

#include "lib/base/index.h"
#include "lib/base/util.h"
#include "tests/unit/test.h"

static const double values[] = {
	0,
	0.5,
	1.5,
	2.5,
	0.125,
	0.375,
	0.25,
	0.75,
	1e-320,
	4.9e-4,
	0.0005,
	0.0625,
	0.09375,
	0.99951171875,
	9.995,
	99.95,
	99.995,
	999.9995,
	4503599627370496.5,
	9007199254740991,
	4611686018427387904.0,
	4.61e9,
	1.8446744073709552e19,
	1e22,
	1.7976931348623157e308,
	INFINITY,
	NAN,
};

static const char *by_printf(char *buf, size_t size, int decimals, double value)
{
	snprintf(buf, size, "%.*f", decimals, value);
	return buf[0] == '-' && !buf[1 + strspn(buf + 1, "0.")] ? buf + 1 : buf;
}

/* Return false, and print the difference, if a text differs from printf's. */
static bool same(double value)
{
	char got[400], want[400];

	for (int decimals = 0; decimals < 12; decimals++) {
		const char *text = by_printf(want, sizeof(want), decimals, value);

		if (!strcmp(td_format_fixed(got, sizeof(got), decimals, value), text))
			continue;
		printf("# %a, %d decimals: %s, not %s\n", value, decimals, got, text);
		return false;
	}
	return true;
}

static bool same_both(double value)
{
	return same(value) && same(-value);
}

/* Numbers of all sizes, and those that are half of a unit. */
static bool same_of_many(void)
{
	bool all = true;

	for (uint64_t i = 0; i < 20000; i++) {
		uint64_t bits = td_hash(i);

		all = all && same_both((double)(bits >> 11) / (double)(UINT64_C(1) << (i % 63))) &&
		      same((double)(bits & 0xfffff) / 1024) &&
		      same((double)(bits & 0xffffff) / 1000);
	}
	return all;
}

static void test_seconds(void)
{
	char buf[40];

	is_str(td_format_seconds(buf, 0), "0.000000000", "no time");
	is_str(td_format_seconds(buf, 1000104518), "1.000104518", "a second");
	is_str(td_format_seconds(buf, UINT64_MAX), "18446744073.709551615", "the longest time");
}

int main(void)
{
	char small[8];

	for (size_t i = 0; i < TD_ARRAY_SIZE(values); i++)
		ok(same_both(values[i]), "%g", values[i]);
	ok(same_of_many(), "many numbers");
	is_str(td_format_fixed(small, sizeof(small), 3, 1234567.5), "1234567", "cut to its size");
	test_seconds();
	return done_testing();
}
