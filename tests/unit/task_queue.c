// SPDX-License-Identifier: GPL-2.0-only
#include "lib/counter/tasks.h"

#include <stdio.h>

#include "tests/unit/test.h"

/*
 * "TIME:TID" adds an event, "<TIME" sorts up to a time, "?" takes one and "*"
 * all of the released events.
 */
static const struct {
	const char *name, *steps, *want;
} rows[] = {
	{ "nothing", "<9*", "" },
	{ "not before they are sorted", "1:1*", "" },
	{ "in order of time", "3:3 1:1 2:2<9*", "1 2 3 " },
	{ "of one time, as added", "5:4 5:1 5:3 5:2 1:9<9*", "9 4 1 3 2 " },
	{ "up to a time and with it", "3:3 1:1 2:2<2*", "1 2 " },
	{ "the rest the next time", "3:3 1:1<2* <9*", "1 3 " },
	{ "the rest with what has come", "9:3 1:1<2* 7:2 8:4<9*", "1 2 4 3 " },
	{ "what was not taken stays", "1:1 2:2 3:3<3? 0:4 9:5<9*", "1 4 2 3 5 " },
	{ "taken between two that are added", "1:1 2:2 3:3<2? 9:4? 9:5*<9*", "1 2 3 4 5 " },
	{ "nothing up to a time before", "5:1<4*<4*<5*", "1 " },
	{ "many, growing and shrinking",
	  "9:9 8:8 7:7 6:6 5:5 4:4 3:3 2:2 1:1<8* 1:1 2:2 3:3 4:4 5:5<9*",
	  "1 2 3 4 5 6 7 8 1 2 3 4 5 9 " },
};

static bool take(struct td_task_queue *queue, char *got, size_t size)
{
	size_t len = strlen(got);
	struct td_task_event event;

	if (!td_task_queue_next(queue, &event))
		return false;
	snprintf(got + len, size - len, "%d ", event.tid);
	return true;
}

static void step(struct td_task_queue *queue, char op, char *got, size_t size)
{
	if (op == '?')
		take(queue, got, size);
	while (op == '*' && take(queue, got, size))
		;
}

static void run(const char *steps, char *got, size_t size)
{
	struct td_task_queue queue = { 0 };
	unsigned time, tid;
	int len;

	for (; *steps; steps += len) {
		len = 1;
		if (sscanf(steps, "%u:%u%n", &time, &tid, &len) == 2)
			td_task_queue_add(&queue, &(struct td_task_event){ .tid = (int)tid,
									   .time_ns = time });
		else if (sscanf(steps, "<%u%n", &time, &len) == 1)
			td_task_queue_sort(&queue, time);
		else
			step(&queue, *steps, got, size);
	}
	td_task_queue_free(&queue);
}

int main(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char got[256] = "";

		run(rows[i].steps, got, sizeof(got));
		is_str(got, rows[i].want, "%s", rows[i].name);
	}
	return done_testing();
}
