/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_TEST_TWO_EVENTS_H
#define TD_TEST_TWO_EVENTS_H

#include "lib/plan/plan.h"

#define NR_EVENTS 2

/* Two events of one PMU in separate groups, which are multiplexed. */
static struct td_event events[NR_EVENTS];
static int members[NR_EVENTS] = { 0, 1 };
static struct td_group groups[NR_EVENTS] = {
	{ .members = &members[0], .nr = 1, .at_once = 1 },
	{ .members = &members[1], .nr = 1, .at_once = 1 },
};
static const struct td_plan plan = { { events, NR_EVENTS }, groups, NR_EVENTS };

#endif
