/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_TEST_LETTERS_H
#define TD_TEST_LETTERS_H

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/util.h"
#include "lib/plan/plan.h"

#define TEST_MAX_EVENTS 24

/*
 * Plans whose events are letters.  "a" is event=0x90 and so on, which any
 * counter of any core can count.  s and t are SLOTS; r and b are
 * topdown-retiring and topdown-bad-spec; c, x and i are cycles, reference
 * cycles and instructions, which have fixed counters; o, p and q are offcore
 * events with different values for the register, and v has the same value as o.
 */
static inline const char *test_terms_of(char letter, char *buf, size_t size)
{
	switch (letter) {
	case 's':
	case 't':
		return "config=0x400";
	case 'r':
		return "config=0x8000";
	case 'b':
		return "config=0x8100";
	case 'c':
		return "event=0x3c";
	case 'x':
		return "event=0x00,umask=0x03";
	case 'i':
		return "event=0xc0";
	case 'o':
	case 'p':
	case 'q':
		snprintf(buf, size, "event=0x2a,umask=0x1,offcore_rsp=%d", letter);
		return buf;
	case 'v':
		snprintf(buf, size, "event=0x2b,umask=0x1,offcore_rsp=%d", 'o');
		return buf;
	default:
		snprintf(buf, size, "event=%d", 0x90 + letter - 'a');
		return buf;
	}
}

static inline int test_event_of(const struct td_plan *plan, char letter)
{
	for (int i = 0; i < (int)plan->events.nr; i++) {
		if (plan->events.v[i].name[strlen("cpu/")] == letter)
			return i;
	}
	return -1;
}

static inline void test_add_letters(struct td_plan *plan, const struct td_pmu *pmu,
				    const char *events)
{
	for (; *events; events++) {
		char id[] = { *events, '\0' }, buf[64];
		struct td_err err = { 0 };
		struct td_event *event = td_events_add(&plan->events);

		td_event_init(event, pmu, 0, id, test_terms_of(*events, buf, sizeof(buf)), &err);
	}
}

/* "1ade ~2fg": needs, a rank and letters each; ~ if they may be split. */
static inline size_t test_make_needs(const struct td_plan *plan, const char *text,
				     struct td_need *needs,
				     int events[TEST_MAX_EVENTS][TEST_MAX_EVENTS])
{
	size_t nr = 0;

	for (; *text; text += strspn(text, " ")) {
		bool may_split = *text == '~';

		text += may_split;
		needs[nr] = (struct td_need){ events[nr], 0, *text++ - '0', may_split };
		for (; *text && *text != ' '; text++)
			events[nr][needs[nr].nr++] = test_event_of(plan, *text);
		nr++;
	}
	return nr;
}

/* Groups as letters; clones are capital, and a pinned group begins with '!'. */
static inline void test_format_plan(const struct td_plan *plan, size_t nr_initial, char *out)
{
	for (size_t g = 0; g < plan->nr_groups; g++) {
		const struct td_group *group = &plan->groups[g];

		if (g)
			*out++ = ' ';
		if (group->pinned)
			*out++ = '!';
		for (size_t i = 0; i < group->nr; i++) {
			int e = group->members[i];
			int c = plan->events.v[e].name[strlen("cpu/")];

			*out++ = (char)((size_t)e < nr_initial ? c : toupper(c));
		}
	}
	*out = '\0';
}

#endif
