// SPDX-License-Identifier: GPL-2.0-only
/* Which events were counted all the time, by how long they ran. */
#include "metrics/eval/eval.h"
#include "tests/unit/test.h"

#define MS UINT64_C(1000000)

/* A task that ran for so long, and how long an event of it is said to have. */
struct event {
	const char *what;
	uint64_t enabled_ms, running_ms, covered_ms;
	bool partial;
};

static const struct event events[] = {
	{ "counted all the time", 470, 470, 470, false },
	/* between the two reads of each tick some group was enabled for longer */
	{ "never awake", 518, 0, 470, true },
	{ "awake half of the time", 518, 240, 470, true },
	{ "one of two that take turns", 470, 235, 470, true },
	{ "enabled some ms later", 460, 460, 460, false },
};

enum {
	NR = sizeof(events) / sizeof(*events)
};

int main(void)
{
	struct td_event of_plan[NR] = { 0 };
	struct td_total totals[NR] = { 0 };
	const struct td_plan plan = { .events = { .v = of_plan, .nr = NR } };
	const struct td_totals all = { .nr_ids = 1, .v = totals, .nr_events = NR };
	bool turns[NR] = { false };

	for (int i = 0; i < NR; i++)
		totals[i] = (struct td_total){
			.nr = 1,
			.enabled_ns = events[i].enabled_ms * MS,
			.running_ns = events[i].running_ms * MS,
			.covered_ns = events[i].covered_ms * MS,
		};
	td_eval_find_turns(&plan, &all, turns);
	for (int i = 0; i < NR; i++)
		ok(turns[i] == events[i].partial, "%s: %s", events[i].what,
		   turns[i] ? "a part" : "the whole");
	return done_testing();
}
