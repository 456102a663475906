// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/run/parts.h"
#include "tests/unit/test.h"

#define MS        UINT64_C(1000000)
#define NOT_KNOWN UINT64_MAX

/* clang-format off */
static const struct {
	const char *name;
	struct td_spent spent;
	bool much;
} rows[] = {
	{ "all was counted", { 1000 * MS, 999 * MS, MS, 4, 2 }, false },
	{ "nothing was, of a program that did not fork",
	  { 500 * MS, 0, MS, 5, 1 }, true },
	{ "a quarter is not much",
	  { 1000 * MS, 750 * MS, 0, 4, 2 }, false },
	{ "nor is a tenth of a second",
	  { 100 * MS, 0, 0, 1, 1 }, false },
	/* 200 shells that only start and exit, on a busy emulated machine */
	{ "forks and exits, a slow machine",
	  { 4403 * MS, 2757 * MS, 27 * MS, 442, 200 }, false },
	/* the same, but our own fork took less time than theirs */
	{ "forks and exits, our own was quick",
	  { 3562 * MS, 2213 * MS, 9 * MS, 432, 200 }, false },
	/* 2,000 of them, on an idle machine */
	{ "forks and exits, a fast machine",
	  { 520 * MS, 362 * MS, 0, 4040, NOT_KNOWN }, false },
	{ "a command that was over before it began",
	  { 159 * MS, 35 * MS, 120 * MS, 21, 3 }, false },
	/* measured with busy loops inside and outside of the machine */
	{ "its exec() was slow", { 131 * MS, 72 * MS, 7 * MS, 20, 0 }, false },
	{ "forks and exits, a very busy machine",
	  { 3211 * MS, 1805 * MS, 11 * MS, 417, 201 }, false },
	{ "many switches and few forks: it waited for its disk",
	  { 900 * MS, 0, 5 * MS, 20000, 3 }, true },
	{ "many forks that were others'",
	  { 900 * MS, 0, 5 * MS, 7, 20000 }, true },
	{ "a large build by a program with more rights",
	  { 60000 * MS, 10 * MS, MS, 20000, 5000 }, true },
	{ "more was counted than used: clocks differ",
	  { 500 * MS, 600 * MS, MS, 5, 1 }, false },
};
/* clang-format on */

static void check_forks(void)
{
	ok(td_forks_between(100, 130, 60) == 30, "PIDs are forks");
	ok(td_forks_between(32700, 310, 60) == NOT_KNOWN, "PIDs that began again");
	ok(td_forks_between(100, 130, 70000) == NOT_KNOWN,
	   "so many switches: they may have gone round");
	ok(td_forks_between(0, 130, 60) == NOT_KNOWN, "no proc");
}

int main(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		ok(td_is_much_uncounted(&rows[i].spent) == rows[i].much, "%s", rows[i].name);
	check_forks();
	return done_testing();
}
