// SPDX-License-Identifier: GPL-2.0-only
/* Names of targets in titles and recordings. */
#include "tests/unit/test.h"

#include <stdlib.h>

#include "lib/base/util.h"
#include "lib/target/target.h"

static char *const sleeps[] = { (char[]){ "sleep" }, (char[]){ "1" }, NULL };
static char *const misleads[] = { (char[]){ "process" }, (char[]){ "id" }, (char[]){ "7" }, NULL };

static const struct {
	const char *name;
	const char *pids, *tids, *cpus;
	bool all_cpus;
	char *const *command;
	enum td_target_kind kind;
	const char *text, *whole;
	enum td_target_kind read_as; /* kind in the recording */
} rows[] = {
	/* clang-format off */
	{ "nothing", .kind = TD_TARGET_SYSTEM, .text = "",
	  .whole = "system wide", .read_as = TD_TARGET_SYSTEM },
	{ "-a -- sleep 1", .all_cpus = true, .command = sleeps,
	  .kind = TD_TARGET_SYSTEM, .text = "", .whole = "system wide",
	  .read_as = TD_TARGET_SYSTEM },
	{ "sleep 1", .command = sleeps, .kind = TD_TARGET_COMMAND,
	  .text = "sleep 1", .whole = "sleep 1", .read_as = TD_TARGET_COMMAND },
	{ "-C 3,0-1 -- sleep 1", .cpus = "0-1,3", .command = sleeps,
	  .kind = TD_TARGET_CPUS, .text = "0-1,3", .whole = "CPU(s) 0-1,3",
	  .read_as = TD_TARGET_CPUS },
	{ "-p 7,9", .pids = "7,9", .kind = TD_TARGET_PROCESSES, .text = "7,9",
	  .whole = "process id 7,9", .read_as = TD_TARGET_PROCESSES },
	{ "-t 8", .tids = "8", .kind = TD_TARGET_THREADS, .text = "8",
	  .whole = "thread id 8", .read_as = TD_TARGET_THREADS },
	{ "a command that is named as -p is", .command = misleads,
	  .kind = TD_TARGET_COMMAND, .text = "process id 7",
	  .whole = "process id 7", .read_as = TD_TARGET_PROCESSES },
	/* clang-format on */
};

static void fill(struct td_ints *list, const char *text)
{
	if (text && td_ints_parse(text, 99, list))
		abort();
}

static void test_row(size_t r)
{
	struct td_target_ask ask = {
		.all_cpus = rows[r].all_cpus,
		.has_cpus = rows[r].cpus,
		.command = (char **)(uintptr_t)rows[r].command,
	};
	struct td_target target;
	struct td_target_name read = { 0 };
	td_autofree char *whole = NULL;

	fill(&ask.pids, rows[r].pids);
	fill(&ask.tids, rows[r].tids);
	fill(&ask.cpus, rows[r].cpus);
	td_target_make(&target, &ask, false);
	ok(target.name.kind == rows[r].kind, "%s: its kind", rows[r].name);
	is_str(target.name.text, rows[r].text, "%s: its text", rows[r].name);
	whole = td_target_name_format(&target.name);
	is_str(whole, rows[r].whole, "%s: written", rows[r].name);
	td_target_name_parse(&read, rows[r].whole);
	ok(read.kind == rows[r].read_as, "%s: read", rows[r].name);
	td_target_free(&target);
	free(read.text);
	td_ints_free(&ask.pids);
	td_ints_free(&ask.tids);
	td_ints_free(&ask.cpus);
}

int main(void)
{
	for (size_t r = 0; r < TD_ARRAY_SIZE(rows); r++)
		test_row(r);
	return done_testing();
}
