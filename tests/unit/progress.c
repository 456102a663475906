// SPDX-License-Identifier: GPL-2.0-only
/* The progress line of several runs. */
#include "cmd/run/progress.h"

#include <string.h>

#include "lib/base/util.h"
#include "tests/unit/test.h"

#define S       UINT64_C(1000000000)
#define UNKNOWN UINT64_MAX

static const struct {
	const char *name, *label;
	size_t nr, of;
	uint64_t left_ns;
	unsigned int columns;
	const char *want;
} texts[] = {
	{ "the first run", "run", 1, 10, UNKNOWN, 80, "run 1 of 10" },
	{ "the time left", "run", 3, 10, 40 * S, 80, "run 3 of 10, about 40 s left" },
	{ "without end", "run", 7, 0, UNKNOWN, 80, "run 7" },
	{ "of a side", "A: run", 2, 5, 9 * S, 80, "A: run 2 of 5, about 9 s left" },
	{ "to the nearest second", "run", 2, 3, S * 14 / 10, 80, "run 2 of 3, about 1 s left" },
	{ "half a second and less is not 0", "run", 2, 3, S / 10, 80,
	  "run 2 of 3, about 1 s left" },
	{ "a minute", "run", 2, 3, 60 * S, 80, "run 2 of 3, about 1:00 left" },
	{ "just below", "run", 2, 3, 59 * S + S / 4, 80, "run 2 of 3, about 59 s left" },
	{ "an hour", "run", 2, 3, 3723 * S, 80, "run 2 of 3, about 1:02:03 left" },
	{ "a week is no help", "run", 2, 3, UINT64_C(604800) * S, 80, "run 2 of 3" },
	{ "as wide as the room", "run", 3, 10, 40 * S, 28, "run 3 of 10, about 40 s left" },
	{ "no room for the time", "run", 3, 10, 40 * S, 27, "run 3 of 10" },
	{ "just the runs", "run", 3, 10, 40 * S, 11, "run 3 of 10" },
	{ "no room for anything", "run", 3, 10, 40 * S, 10, "" },
	{ "no room at all", "run", 3, 10, UNKNOWN, 0, "" },
	{ "the largest numbers", "B: run", SIZE_MAX, SIZE_MAX, 3599 * S, 80,
	  "B: run 18446744073709551615 of 18446744073709551615, about 59:59 left" },
};

static const struct {
	const char *name;
	size_t done, all;
	uint64_t spent_ns, want;
} times[] = {
	{ "none is done", 0, 10, 5 * S, UNKNOWN },
	{ "one is done", 1, 10, 2 * S, 18 * S },
	{ "the mean of those so far", 4, 10, 6 * S, 9 * S },
	{ "all are done", 10, 10, 6 * S, 0 },
	{ "for ever", 4, 0, 6 * S, UNKNOWN },
	{ "more than all", 11, 10, 6 * S, UNKNOWN },
	{ "more than a number has", 1, SIZE_MAX, 10 * S, UNKNOWN },
};

int main(void)
{
	for (size_t t = 0; t < TD_ARRAY_SIZE(texts); t++) {
		char buf[TD_PROGRESS_SIZE];

		is_str(td_progress_text(buf, texts[t].label, texts[t].nr, texts[t].of,
					texts[t].left_ns, texts[t].columns),
		       texts[t].want, "%s", texts[t].name);
	}
	for (size_t t = 0; t < TD_ARRAY_SIZE(times); t++)
		ok(td_progress_left(times[t].done, times[t].all, times[t].spent_ns) ==
			   times[t].want,
		   "the time left: %s", times[t].name);
	return done_testing();
}
