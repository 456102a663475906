// SPDX-License-Identifier: GPL-2.0-only
#include "lib/base/number.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "lib/base/ints.h"
#include "lib/base/util.h"
#include "lib/machine/cpu.h"
#include "tests/unit/test.h"

/* clang-format off */
static const struct {
	const char *text;
	uint64_t max, want;
	bool bad;
} numbers[] = {
	{ "0", UINT64_MAX, 0 },
	{ "7", 7, 7 },
	{ "8", 7, .bad = true },
	{ "0007", UINT64_MAX, 7 },
	{ "010", UINT64_MAX, 10 }, /* decimal, not octal */
	{ "0x10", UINT64_MAX, 16 },
	{ "0XfF", UINT64_MAX, 255 },
	{ "18446744073709551615", UINT64_MAX, UINT64_MAX },
	{ "0xffffffffffffffff", UINT64_MAX, UINT64_MAX },
	{ "18446744073709551616", UINT64_MAX, .bad = true },
	{ "0x10000000000000000", UINT64_MAX, .bad = true },
	{ "", UINT64_MAX, .bad = true },
	{ "0x", UINT64_MAX, .bad = true },
	{ "0xg", UINT64_MAX, .bad = true },
	{ "x10", UINT64_MAX, .bad = true },
	{ "ff", UINT64_MAX, .bad = true },
	{ "-1", UINT64_MAX, .bad = true },
	{ "+1", UINT64_MAX, .bad = true },
	{ "0x-1", UINT64_MAX, .bad = true },
	{ " 1", UINT64_MAX, .bad = true },
	{ "1 ", UINT64_MAX, .bad = true },
	{ "1\n", UINT64_MAX, .bad = true },
	{ "0x 1", UINT64_MAX, .bad = true },
	{ "1.0", UINT64_MAX, .bad = true },
	{ "1e3", UINT64_MAX, .bad = true },
	{ "1,2", UINT64_MAX, .bad = true },
};

static const struct {
	const char *text;
	int min, max, want;
	bool bad;
} ints[] = {
	{ "5", 0, 10, 5 },
	{ "0", 0, 10, 0 },
	{ "10", 0, 10, 10 },
	{ "11", 0, 10, .bad = true },
	{ "1", 2, 10, .bad = true },
	{ "2", 2, 10, 2 },
	{ "2147483647", 0, INT_MAX, INT_MAX },
	{ "2147483648", 0, INT_MAX, .bad = true },
	{ "4294967297", 0, INT_MAX, .bad = true },
	{ "-1", -5, 10, .bad = true },
	{ "0xa", 0, 10, 10 },
	{ "", 0, 10, .bad = true },
	{ "3x", 0, 10, .bad = true },
};

/* times */
static const struct {
	const char *text;
	int min, max, want, rc;
} times[] = {
	{ "500", 0, INT_MAX, 500, 0 },
	{ "500ms", 0, INT_MAX, 500, 0 },
	{ "007", 0, INT_MAX, 7, 0 },
	{ "1s", 0, INT_MAX, 1000, 0 },
	{ "1.5s", 0, INT_MAX, 1500, 0 },
	{ "0.001s", 0, INT_MAX, 1, 0 },
	{ "0.0010s", 0, INT_MAX, 1, 0 },
	{ "1.0", 0, INT_MAX, 1, 0 },
	{ "2m", 0, INT_MAX, 120000, 0 },
	{ "0.25m", 0, INT_MAX, 15000, 0 },
	{ "2147483647", 0, INT_MAX, INT_MAX, 0 },
	{ "2147483648", 0, INT_MAX, 0, -ERANGE },
	{ "35791.394116666m", 0, INT_MAX, 0, -EDOM },
	{ "35792m", 0, INT_MAX, 0, -ERANGE },
	{ "99999999999.999999999m", 0, INT_MAX, 0, -ERANGE },
	{ "99999999999999999999999s", 0, INT_MAX, 0, -ERANGE },
	{ "9", 10, INT_MAX, 0, -ERANGE },
	{ "0.01s", 10, INT_MAX, 10, 0 },
	{ "0.009s", 10, INT_MAX, 0, -ERANGE },
	{ "0.0005s", 0, INT_MAX, 0, -EDOM },
	{ "0.00000000001s", 0, INT_MAX, 0, -EDOM },
	{ "1.5", 0, INT_MAX, 0, -EDOM },
	{ "1x", 0, INT_MAX, 0, -ENOTSUP },
	{ "1us", 0, INT_MAX, 0, -ENOTSUP },
	{ "1 s", 0, INT_MAX, 0, -ENOTSUP },
	{ "1S", 0, INT_MAX, 0, -ENOTSUP },
	{ "0x10", 0, INT_MAX, 0, -ENOTSUP },
	{ "1.2.3", 0, INT_MAX, 0, -ENOTSUP },
	{ "", 0, INT_MAX, 0, -EINVAL },
	{ "s", 0, INT_MAX, 0, -EINVAL },
	{ ".5s", 0, INT_MAX, 0, -EINVAL },
	{ "1.s", 0, INT_MAX, 0, -EINVAL },
	{ "1.", 0, INT_MAX, 0, -EINVAL },
	{ "-1s", 0, INT_MAX, 0, -EINVAL },
	{ "+1", 0, INT_MAX, 0, -EINVAL },
	{ " 1", 0, INT_MAX, 0, -EINVAL },
};

/* lists, as the kernel writes them */
static const struct {
	const char *text;
	int max;
	size_t nr;
	const char *want; /* NULL: refused */
	int rc;           /* 0 means -EINVAL */
} lists[] = {
	{ "", 100, 0, "" },
	{ "\n", 100, 0, "" },
	{ " \t\r\n", 100, 0, "" },
	{ "0", 100, 1, "0" },
	{ "0\n", 100, 1, "0" },
	{ "0-3 \n", 100, 4, "0-3" },
	{ "0-3,8,10-11", 100, 7, "0-3,8,10-11" },
	{ "0,1,2", 100, 3, "0-2" },
	{ "1,0", 100, 2, "0-1" },
	{ "8,0-3", 100, 5, "0-3,8" },
	{ "0-3,2-5", 100, 6, "0-5" },
	{ "5,5,5", 100, 1, "5" },
	{ "7-7", 100, 1, "7" },
	{ "0,2,4,6", 100, 4, "0,2,4,6" },
	{ "100", 100, 1, "100" },
	{ "007", 100, 1, "7" },
	{ "1023-1024,2047,8191", 65535, 4, "1023-1024,2047,8191" },
	{ "0-4095", 65535, 4096, "0-4095" },
	{ "1234567,1234569", INT_MAX - 1, 2, "1234567,1234569" },
	{ "2147483645-2147483646", INT_MAX - 1, 2, "2147483645-2147483646" },

	{ "101", 100, .rc = -ERANGE },
	{ "99-101", 100, .rc = -ERANGE },
	{ "101-99", 100, .rc = -ERANGE },
	{ "2147483647", INT_MAX - 1, .rc = -ERANGE },
	{ "4294967296", INT_MAX, .rc = -ERANGE },
	{ "18446744073709551616", INT_MAX, .rc = -ERANGE },
	{ "3-0", 100, .rc = -EDOM },
	{ "5,1-0", 100, .rc = -EDOM },
	{ "-", 100 },
	{ "-1", 100 },
	{ "1-", 100 },
	{ "1-2-3", 100 },
	{ "1--2", 100 },
	{ "1-,2", 100 },
	{ ",", 100 },
	{ ",1", 100 },
	{ "1,", 100 },
	{ "1,,2", 100 },
	{ " 1", 100 },
	{ "1, 2", 100 },
	{ "1 2", 100 },
	{ "1\n2", 100 },
	{ "+1", 100 },
	{ "0x1", 100 },
	{ "all", 100 },
	{ "1a", 100 },
	{ "0-3:1/2", 100 },
};

/* intersection, union and difference */
static const struct {
	const char *a, *b, *both, *either, *rest;
} sets[] = {
	{ "0-7", "2-3,9", "2-3", "0-7,9", "0-1,4-7" },
	{ "0-3", "4-7", "", "0-7", "0-3" },
	{ "", "0-3", "", "0-3", "" },
	{ "0-3", "", "", "0-3", "0-3" },
	{ "", "", "", "", "" },
	{ "1,3,5", "5,3,1", "1,3,5", "1,3,5", "" },
	{ "5", "1-9", "5", "1-9", "" },
	{ "1000-1007", "1005-2000", "1005-1007", "1000-2000", "1000-1004" },
};
/* clang-format on */

/* For a line of TAP: blanks other than spaces become question marks. */
static const char *visible(const char *text)
{
	static char buf[64];

	snprintf(buf, sizeof(buf), "%s", text);
	for (char *c = buf; *c; c++) {
		if ((unsigned char)*c < ' ')
			*c = '?';
	}
	return buf;
}

static void test_numbers(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(numbers); i++) {
		uint64_t want = numbers[i].bad ? 12345 : numbers[i].want;
		uint64_t got = 12345;
		int rc = td_parse_u64(numbers[i].text, numbers[i].max, &got);

		ok(rc == (numbers[i].bad ? -EINVAL : 0) && got == want, "number '%s'",
		   visible(numbers[i].text));
	}
	for (size_t i = 0; i < TD_ARRAY_SIZE(ints); i++) {
		int want = ints[i].bad ? 12345 : ints[i].want, got = 12345;
		int rc = td_parse_int(ints[i].text, ints[i].min, ints[i].max, &got);

		ok(rc == (ints[i].bad ? -EINVAL : 0) && got == want, "'%s' from %d to %d",
		   ints[i].text, ints[i].min, ints[i].max);
	}
}

static void test_times(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(times); i++) {
		int want = times[i].rc ? 12345 : times[i].want, got = 12345;
		int rc = td_parse_ms(times[i].text, times[i].min, times[i].max, &got);

		ok(rc == times[i].rc && got == want, "time '%s'", times[i].text);
	}
}

static void test_nanoseconds(void)
{
	static const struct {
		const char *text;
		uint64_t want; /* 0: refused */
	} rows[] = {
		{ "1.000350823s", 1000350823 },
		{ "1234567890.123456789s", 1234567890123456789 },
		{ "0.5ms", 500000 },
		{ "0.000001ms", 1 },
		{ "2m", 120000000000 },
		{ "0.0000000001s", 0 },
		{ "0.0000001ms", 0 },
		{ "9999999999m", 0 },
		{ "2", 0 },
		{ "1us", 0 },
		{ "s", 0 },
		{ "", 0 },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(rows); i++) {
		uint64_t got = 0;
		int rc = td_parse_ns(rows[i].text, &got);

		ok(!rc == !!rows[i].want && got == rows[i].want, "in nanoseconds '%s'",
		   rows[i].text);
	}
}

static bool ascending(const struct td_ints *list)
{
	for (size_t i = 1; i < list->nr; i++) {
		if (list->v[i - 1] >= list->v[i])
			return false;
	}
	return true;
}

static void test_list(const char *text, int max, size_t nr, const char *want, int refused)
{
	td_autofree char *formatted = NULL, *again = NULL;
	struct td_ints list, twice;
	int rc = td_ints_parse(text, max, &list);
	const char *name = visible(text);

	if (!want) {
		ok(rc == (refused ? refused : -EINVAL) && !list.v && !list.nr, "no list '%s'",
		   name);
		return;
	}
	ok(rc == 0 && list.nr == nr && ascending(&list), "list '%s'", name);
	formatted = td_ints_format(&list);
	is_str(formatted, want, "list '%s' as text", name);
	ok(td_ints_parse(formatted, max, &twice) == 0 && twice.nr == nr, "list '%s' once more",
	   name);
	again = td_ints_format(&twice);
	is_str(again, want, "list '%s' there and back", name);
	td_ints_free(&twice);
	td_ints_free(&list);
	ok(!list.v && !list.nr, "list '%s' freed", name);
}

static void is_list(const struct td_ints *list, const char *want, const char *what, size_t set)
{
	td_autofree char *text = td_ints_format(list);

	is_str(text, want, "'%s' and '%s': %s", sets[set].a, sets[set].b, what);
}

static void test_sets(size_t i)
{
	struct td_ints a, b, both, either, rest;

	td_ints_parse(sets[i].a, TD_MAX_CPU, &a);
	td_ints_parse(sets[i].b, TD_MAX_CPU, &b);
	td_ints_and(&both, &a, &b);
	td_ints_copy(&either, &a);
	td_ints_copy(&rest, &a);
	td_ints_add_all(&either, &b);
	td_ints_remove(&rest, &b);
	is_list(&both, sets[i].both, "what both have", i);
	is_list(&either, sets[i].either, "what either has", i);
	is_list(&rest, sets[i].rest, "what the second leaves", i);
	is_list(&a, sets[i].a, "copies are others", i);
	td_ints_free(&a);
	td_ints_free(&b);
	td_ints_free(&both);
	td_ints_free(&either);
	td_ints_free(&rest);
}

/* Adds 0, 7, 14 ... out of order, some of them twice. */
static void test_add(void)
{
	struct td_ints list = { 0 };
	bool added = true, found = true, absent = true;

	for (int i = 0; i < 2000; i++) {
		td_ints_add(&list, i * 7919 % 1000 * 7);
		added &= true;
	}
	ok(added && list.nr == 1000 && ascending(&list), "a thousand numbers, each added twice");
	for (int i = 0; i < 1000; i++) {
		found &= td_ints_has(&list, i * 7);
		absent &= !td_ints_has(&list, i * 7 + 1);
	}
	ok(found, "has those that were added");
	ok(absent && !td_ints_has(&list, -1) && !td_ints_has(&list, INT_MAX), "has no others");
	td_ints_free(&list);
	ok(!td_ints_has(&list, 0), "an empty list has none");
}

int main(void)
{
	test_numbers();
	test_times();
	test_nanoseconds();
	for (size_t i = 0; i < TD_ARRAY_SIZE(lists); i++)
		test_list(lists[i].text, lists[i].max, lists[i].nr, lists[i].want, lists[i].rc);
	for (size_t i = 0; i < TD_ARRAY_SIZE(sets); i++)
		test_sets(i);
	test_add();
	return done_testing();
}
