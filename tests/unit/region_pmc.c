// SPDX-License-Identifier: GPL-2.0-only
/* RDPMC of a group in which the kernel changes an event during the read. */
#include "lib/region/parts.h"

#include "tests/unit/test.h"

enum {
	LEADER,
	MEMBER,
	NR
};

static struct perf_event_mmap_page pages[NR];
static struct td_thread_counters counters;
static struct td_group_spec spec;

/* Counts of each event so far, on any counter. */
static const int64_t counts[NR] = { 5000, 700 };
static unsigned int reads;

/* The kernel's part of a page: the event has the counter from now on. */
static void place(int event, uint32_t counter, int64_t already)
{
	pages[event].lock++;
	pages[event].index = counter;
	pages[event].offset = already;
	pages[event].lock++;
}

/* An interrupt before the first read moves the member to another counter. */
static bool moves;

bool td_rseq_read(const uint8_t *group_of_cpu, uint8_t group, const uint32_t *selectors,
		  uint64_t *values, uint64_t nr)
{
	(void)group_of_cpu;
	(void)group;
	if (moves && !reads)
		place(MEMBER, 7, 600);
	reads++;
	for (uint64_t i = 0; i < nr; i++) {
		values[i] = 123456; /* another event's counter */
		for (int e = 0; e < NR; e++) {
			if (pages[e].index == selectors[i] + 1)
				values[i] = (uint64_t)(counts[e] - pages[e].offset);
		}
	}
	return true;
}

uint64_t td_rseq_cycles(void)
{
	return 0;
}

static void start(void)
{
	spec.nr_events = NR;
	spec.nr_groups = 1;
	spec.groups[0] = (struct td_group_spec_group){ 0, NR, false };
	counters = (struct td_thread_counters){ .spec = &spec, .rdpmc = true };
	counters.groups[0].nr_pages = NR;
	for (int e = 0; e < NR; e++) {
		spec.events[e].kind = TD_GROUP_SPEC_PLAIN;
		pages[e] = (struct perf_event_mmap_page){ .pmc_width = 48 };
		counters.groups[0].pages[e] = &pages[e];
		place(e, 1 + (uint32_t)e, 0);
	}
	moves = false;
	reads = 0;
}

static bool are_right(void)
{
	return counters.totals[LEADER] == 5000 && counters.totals[MEMBER] == 700;
}

static void check_moved(void)
{
	uint32_t lock;

	start();
	ok(td_pmc_look(&counters, 0) == TD_LOOKED && are_right() && reads == 1, "nothing happens");
	start();
	lock = td_pmc_lock(&counters.groups[0]);
	moves = true;
	ok(td_pmc_look(&counters, 0) == TD_LOOKED && are_right() && reads == 2,
	   "an event that moved meanwhile is read again: %llu",
	   (unsigned long long)counters.totals[MEMBER]);
	ok(lock != td_pmc_lock(&counters.groups[0]), "and whoever looks later is told");
}

static void check_without_counter(void)
{
	for (int e = 0; e < NR; e++) {
		start();
		place(e, 0, 0);
		ok(td_pmc_look(&counters, 0) == TD_ASLEEP && !reads,
		   "event %d has no counter: nothing is read", e);
	}
}

int main(void)
{
	check_moved();
	check_without_counter();
	return done_testing();
}
