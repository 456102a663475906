// SPDX-License-Identifier: GPL-2.0-only
#include "lib/count/aggregator.h"

#include <stdlib.h>
#include <time.h>

#include "lib/base/util.h"
#include "tests/unit/pace.h"
#include "tests/unit/test.h"
#include "tests/unit/two_events.h"

/* clang-format off */
static const struct {
	const char *name;
	struct td_reading now, before, want;
} deltas[] = {
	{ "the first time",
	  .now = { 0, 3, -1, 10, 20, 20 },
	  .want = { 0, 3, -1, 10, 20, 20 } },
	{ "since then",
	  .now = { 1, 3, -1, 110, 220, 120 },
	  .before = { 1, 3, -1, 100, 200, 110 },
	  .want = { 1, 3, -1, 10, 20, 10 } },
	{ "nothing new",
	  .now = { 1, 3, -1, 100, 200, 110 },
	  .before = { 1, 3, -1, 100, 200, 110 },
	  .want = { 1, 3, -1, 0, 0, 0 } },
	{ "nothing new in a time that it ran",
	  .now = { 1, 3, -1, 100, 300, 210 },
	  .before = { 1, 3, -1, 100, 200, 110 },
	  .want = { 1, 3, -1, 0, 100, 100 } },
	{ "backwards: 0, and never ran",
	  .now = { 1, -1, 77, 99, 300, 210 },
	  .before = { 1, -1, 77, 100, 200, 110 },
	  .want = { 1, -1, 77, 0, 100, 0 } },
	{ "backwards by a lot: 0, and never ran",
	  .now = { 1, 3, -1, 0, 300, 210 },
	  .before = { 1, 3, -1, INT64_MAX, 200, 110 },
	  .want = { 1, 3, -1, 0, 100, 0 } },
	{ "past the end of 64 bits",
	  .now = { 1, 3, -1, 5, 300, 210 },
	  .before = { 1, 3, -1, UINT64_MAX - 4, 200, 110 },
	  .want = { 1, 3, -1, 10, 100, 100 } },
	{ "its times backwards: none",
	  .now = { 1, 3, -1, 110, 100, 50 },
	  .before = { 1, 3, -1, 100, 200, 110 },
	  .want = { 1, 3, -1, 10, 0, 0 } },
	{ "to the last bit",
	  .now = { 0, 0, -1, UINT64_MAX, UINT64_MAX, UINT64_MAX },
	  .before = { 0, 0, -1, 1, 2, 3 },
	  .want = { 0, 0, -1, UINT64_MAX - 1, UINT64_MAX - 2,
		    UINT64_MAX - 3 } },
};

static const struct {
	const char *name;
	struct td_reading reading;
	double want;
} scales[] = {
	{ "all the time: as it is",
	  { .value = 10, .enabled_ns = 8, .running_ns = 8 }, 10 },
	{ "half the time: doubled",
	  { .value = 10, .enabled_ns = 8, .running_ns = 4 }, 20 },
	{ "a third of the time",
	  { .value = 7, .enabled_ns = 9, .running_ns = 3 }, 21 },
	{ "no events in a time that it ran",
	  { .value = 0, .enabled_ns = 8, .running_ns = 4 }, 0 },
	{ "never ran", { .value = 0, .enabled_ns = 8, .running_ns = 0 }, NAN },
	{ "never enabled", { .value = 0 }, NAN },
	{ "numbers beyond 2^53",
	  { .value = UINT64_C(1) << 60, .enabled_ns = UINT64_C(1) << 61,
	    .running_ns = UINT64_C(1) << 60 }, 0x1p61 },
};

/* Readings of the group {1, 0}, whose leader is event 1. */
static const struct {
	const char *name;
	struct td_reading v[3];
	size_t nr;
	double want;
} shares[] = {
	{ "all the time", { { 1, 0, -1, 5, 10, 10 } }, 1, 100 },
	{ "an eighth", { { 1, 0, -1, 5, 80, 10 } }, 1, 12.5 },
	{ "of two CPUs",
	  { { 1, 0, -1, 5, 10, 10 }, { 1, 1, -1, 5, 10, 5 } }, 2, 75 },
	{ "of CPUs that were there for different times",
	  { { 1, 0, -1, 5, 30, 30 }, { 1, 1, -1, 5, 10, 0 } }, 2, 75 },
	{ "others do not count",
	  { { 0, 0, -1, 5, 10, 0 }, { 1, 0, -1, 5, 10, 5 },
	    { 2, 0, -1, 5, 10, 10 } }, 3, 50 },
	{ "never ran", { { 1, 0, -1, 0, 10, 0 } }, 1, 0 },
	{ "never enabled", { { 1, 0, -1, 0, 0, 0 } }, 1, NAN },
	{ "not read", { { 0, 0, -1, 5, 10, 10 } }, 1, NAN },
};

#define MAX_IDS   4

struct want {
	const char *id;
	double value[NR_EVENTS];
	uint64_t enabled[NR_EVENTS], running[NR_EVENTS];
	bool alike; /* both events ran on the same CPUs or tasks */
};

static const struct {
	const char *name;
	enum td_aggregation how;
	struct td_reading v[8];
	size_t nr;
	struct want want[MAX_IDS];
	size_t nr_ids;
	bool tasks;
	double at_once; /* 0: 1; -1: none */
} sums[] = {
	{ "no readings", TD_AGGREGATE_ALL, .nr = 0, .nr_ids = 0 },
	{ "no readings, by CPU", TD_AGGREGATE_CPU, .nr = 0, .nr_ids = 0 },
	{ "two CPUs together", TD_AGGREGATE_ALL,
	  { { 0, 0, -1, 10, 8, 8 }, { 1, 0, -1, 1, 8, 8 },
	    { 0, 1, -1, 30, 8, 8 }, { 1, 1, -1, 3, 8, 8 } }, 4,
	  { { "all", { 40, 4 }, { 16, 16 }, { 16, 16 }, true } }, 1 },
	{ "each scaled by its own time, then added", TD_AGGREGATE_ALL,
	  { { 0, 0, -1, 10, 8, 8 }, { 1, 0, -1, 1, 8, 2 },
	    { 0, 1, -1, 30, 8, 4 }, { 1, 1, -1, 3, 8, 8 } }, 4,
	  { { "all", { 70, 7 }, { 16, 16 }, { 12, 10 }, true } }, 1 },
	{ "not on the same CPUs", TD_AGGREGATE_ALL,
	  { { 0, 0, -1, 10, 8, 8 }, { 1, 0, -1, 0, 8, 0 },
	    { 0, 1, -1, 30, 8, 8 }, { 1, 1, -1, 3, 8, 8 } }, 4,
	  { { "all", { 40, 3 }, { 16, 16 }, { 16, 8 }, false } }, 1 },
	{ "each on one CPU, another one", TD_AGGREGATE_ALL,
	  { { 0, 0, -1, 10, 8, 8 }, { 1, 0, -1, 0, 8, 0 },
	    { 0, 1, -1, 0, 8, 0 }, { 1, 1, -1, 3, 8, 8 } }, 4,
	  { { "all", { 10, 3 }, { 16, 16 }, { 8, 8 }, false } }, 1 },
	{ "never ran anywhere", TD_AGGREGATE_ALL,
	  { { 0, 0, -1, 10, 8, 8 }, { 1, 0, -1, 0, 8, 0 },
	    { 0, 1, -1, 30, 8, 8 }, { 1, 1, -1, 0, 8, 0 } }, 4,
	  { { "all", { 40, NAN }, { 16, 16 }, { 16, 0 }, false } }, 1 },
	{ "an event that was not opened", TD_AGGREGATE_ALL,
	  { { 0, 0, -1, 10, 8, 8 } }, 1,
	  { { "all", { 10, NAN }, { 8, 0 }, { 8, 0 }, false } }, 1 },
	{ "by CPU, in their order", TD_AGGREGATE_CPU,
	  { { 0, 10, -1, 10, 8, 8 }, { 1, 2, -1, 1, 8, 8 },
	    { 0, 2, -1, 30, 8, 8 }, { 1, 10, -1, 3, 8, 4 } }, 4,
	  { { "CPU2", { 30, 1 }, { 8, 8 }, { 8, 8 }, true },
	    { "CPU10", { 10, 6 }, { 8, 8 }, { 8, 4 }, true } }, 2 },
	{ "a hybrid machine by CPU", TD_AGGREGATE_CPU,
	  { { 0, 0, -1, 10, 8, 8 }, { 1, 1, -1, 20, 8, 8 } }, 2,
	  { { "CPU0", { 10, NAN }, { 8, 0 }, { 8, 0 }, false },
	    { "CPU1", { NAN, 20 }, { 0, 8 }, { 0, 8 }, false } }, 2 },
	{ "tasks together", TD_AGGREGATE_ALL,
	  { { 0, -1, 100, 10, 8, 8 }, { 1, -1, 100, 1, 8, 8 },
	    { 0, -1, 101, 30, 8, 8 }, { 1, -1, 101, 3, 8, 8 } }, 4,
	  { { "all", { 40, 4 }, { 16, 16 }, { 16, 16 }, true } }, 1,
	  .tasks = true },
	{ "not in the same tasks", TD_AGGREGATE_ALL,
	  { { 0, -1, 100, 10, 8, 8 }, { 1, -1, 100, 0, 8, 0 },
	    { 0, -1, 101, 0, 8, 0 }, { 1, -1, 101, 3, 8, 8 } }, 4,
	  { { "all", { 10, 3 }, { 16, 16 }, { 8, 8 }, false } }, 1,
	  .tasks = true },
	/* 6 of 8 ns on this PMU: 4 for one group, 2 for the other */
	{ "a task: to its time on the PMU, not to all of it", TD_AGGREGATE_ALL,
	  { { 0, -1, 100, 10, 8, 4 }, { 1, -1, 100, 10, 8, 2 } }, 2,
	  { { "all", { 15, 30 }, { 8, 8 }, { 4, 2 }, true } }, 1,
	  .tasks = true },
	/* 4 of 8 ns on this PMU, both groups all of that time */
	{ "a task: groups that count side by side", TD_AGGREGATE_ALL,
	  { { 0, -1, 100, 10, 8, 4 }, { 1, -1, 100, 30, 8, 4 } }, 2,
	  { { "all", { 10, 30 }, { 8, 8 }, { 4, 4 }, true } }, 1,
	  .tasks = true, .at_once = 2 },
	/* 6 of 8 ns: two of three groups fit, and one was not asked for */
	{ "a task: two of three side by side", TD_AGGREGATE_ALL,
	  { { 0, -1, 100, 10, 8, 4 }, { 1, -1, 100, 30, 8, 5 } }, 2,
	  { { "all", { 15, 36 }, { 8, 8 }, { 4, 5 }, true } }, 1,
	  .tasks = true, .at_once = 1.5 },
	{ "a task: as long as the one that ran longest", TD_AGGREGATE_ALL,
	  { { 0, -1, 100, 10, 8, 2 }, { 1, -1, 100, 30, 8, 6 } }, 2,
	  { { "all", { 30, 30 }, { 8, 8 }, { 2, 6 }, true } }, 1,
	  .tasks = true, .at_once = 2 },
	{ "a task: a PMU that is on all CPUs", TD_AGGREGATE_ALL,
	  { { 0, -1, 100, 10, 8, 4 }, { 1, -1, 100, 10, 8, 2 } }, 2,
	  { { "all", { 20, 40 }, { 8, 8 }, { 4, 2 }, true } }, 1,
	  .tasks = true, .at_once = -1 },
	/* groups that ran at the same time: never more than it was enabled */
	{ "a task: not beyond its whole time", TD_AGGREGATE_ALL,
	  { { 0, -1, 100, 10, 8, 8 }, { 1, -1, 100, 10, 8, 4 } }, 2,
	  { { "all", { 10, 20 }, { 8, 8 }, { 8, 4 }, true } }, 1,
	  .tasks = true },
};
/* clang-format on */

static const struct td_aggregator all = { TD_AGGREGATE_ALL };

static bool same(const struct td_reading *a, const struct td_reading *b)
{
	return a->event == b->event && a->cpu == b->cpu && a->tid == b->tid &&
	       a->value == b->value && a->enabled_ns == b->enabled_ns &&
	       a->running_ns == b->running_ns;
}

static void test_delta(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(deltas); i++) {
		struct td_reading now = deltas[i].now, out = { 0 };
		struct td_reading before = deltas[i].before;
		struct td_readings n = { &now, 1 }, b = { &before, 1 };
		struct td_readings d = { &out, 1 };

		td_readings_delta(&n, &b, &d);
		ok(same(&out, &deltas[i].want), "delta: %s", deltas[i].name);
		ok(same(&now, &deltas[i].now) && same(&before, &deltas[i].before),
		   "delta: %s: left alone", deltas[i].name);
	}
}

static void test_add(void)
{
	struct td_reading sum[] = { { 0, 1, -1, 5, 6, 7 }, { 1, 1, -1, 0, 0, 0 } };
	struct td_reading more[] = { { 0, 1, -1, 10, 20, 30 }, { 1, 1, -1, 1, 2, 0 } };
	const struct td_reading want[] = { { 0, 1, -1, 15, 26, 37 }, { 1, 1, -1, 1, 2, 0 } };
	struct td_readings s = { sum, 2 }, m = { more, 2 };

	td_readings_add(&s, &m);
	ok(same(&sum[0], &want[0]) && same(&sum[1], &want[1]), "add");
}

static void test_merge(void)
{
	struct td_reading first[] = { { 0, -1, 7, 1, 2, 2 },
				      { 1, -1, 7, 3, 2, 2 },
				      { 0, -1, 8, 5, 2, 2 } };
	/* 7 has ended and another task has its tid; 8 continues */
	struct td_reading more[] = { { 0, -1, 8, 10, 2, 2 },
				     { 0, -1, 7, 20, 2, 2, .life = 1 },
				     { 0, 7, -1, 30, 2, 2 },
				     { 0, 7, -1, 40, 2, 2, .cgroup = 1 } };
	const uint64_t want[] = { 1, 3, 15, 20, 30, 40 };
	struct td_readings sum = { 0 };
	struct td_index index = { 0 };
	bool right = true;

	td_readings_merge(&sum, &index, &(struct td_readings){ first, 3 });
	td_readings_merge(&sum, &index, &(struct td_readings){ more, 4 });
	ok(sum.nr == TD_ARRAY_SIZE(want), "merge: what is new is added");
	for (size_t i = 0; i < sum.nr; i++)
		right &= sum.v[i].value == want[i];
	ok(right, "merge: to its own");
	free(sum.v);
	td_index_free(&index);
}

/* Tasks in an order unlike the sum's; a linear search would take 20 s. */
static void test_merge_many(void)
{
	enum {
		NR = 200000
	};
	struct td_reading *v = calloc(NR, sizeof(*v));
	struct td_readings sum = { 0 }, delta = { v, NR };
	struct td_index index = { 0 };
	clock_t began = clock();
	bool right = v != NULL;

	for (int round = 0; right && round < 2; round++) {
		for (int i = 0; i < NR; i++)
			v[i] = (struct td_reading){ 0, -1, i * (round ? 7919 : 1) % NR, 1, 1, 1 };
		td_readings_merge(&sum, &index, &delta);
	}
	for (size_t i = 0; i < sum.nr; i++)
		right &= sum.v[i].tid == (int)i && sum.v[i].value == 2;
	began = clock() - began;
	ok(right && sum.nr == NR && began < test_most_time(NR), "merge: %d tasks in %ld us", NR,
	   (long)began);
	free(v);
	free(sum.v);
	td_index_free(&index);
}

/* The sum of a run's intervals is the same as the whole run. */
static void test_parts(void)
{
	struct td_reading at[3] = { { 0, 0, -1, 100, 10, 10 },
				    { 0, 0, -1, 350, 30, 20 },
				    { 0, 0, -1, 1000, 90, 45 } };
	struct td_reading sum = { 0, 0, -1, 0, 0, 0 }, part, whole;
	struct td_readings s = { &sum, 1 }, p = { &part, 1 }, w = { &whole, 1 };

	for (int i = 1; i < 3; i++) {
		struct td_readings now = { &at[i], 1 }, old = { &at[i - 1], 1 };

		td_readings_delta(&now, &old, &p);
		td_readings_add(&s, &p);
	}
	td_readings_delta(&(struct td_readings){ &at[2], 1 }, &(struct td_readings){ &at[0], 1 },
			  &w);
	ok(same(&sum, &whole), "two intervals make up the whole");
}

static bool row_is(const struct td_total *row, const struct want *want)
{
	for (int e = 0; e < NR_EVENTS; e++) {
		if (!test_near(row[e].value, want->value[e], 0) ||
		    row[e].enabled_ns != want->enabled[e] || row[e].running_ns != want->running[e])
			return false;
	}
	return true;
}

static void test_sum(size_t i)
{
	struct td_reading v[TD_ARRAY_SIZE(sums[i].v)];
	struct td_readings delta = { v, sums[i].nr };
	const struct td_aggregator agg = { .how = sums[i].how };
	struct td_totals totals = { 0 };

	memcpy(v, sums[i].v, sizeof(v));
	for (size_t g = 0; g < NR_EVENTS; g++)
		groups[g].at_once = sums[i].at_once > 0   ? sums[i].at_once
				    : sums[i].at_once < 0 ? 0
							  : 1;
	td_aggregate(&agg, &delta, &plan, &totals);
	ok(totals.nr_ids == sums[i].nr_ids && totals.nr_events == NR_EVENTS &&
		   totals.tasks == sums[i].tasks,
	   "sum: %s", sums[i].name);
	for (size_t id = 0; id < totals.nr_ids && id < MAX_IDS; id++) {
		const struct td_total *row = totals.v + id * NR_EVENTS;
		const struct want *want = &sums[i].want[id];

		is_str(totals.ids[id].label, want->id, "sum: %s: id", sums[i].name);
		ok(row_is(row, want), "sum: %s: totals of %s", sums[i].name, want->id);
		ok((row[0].where == row[1].where) == want->alike, "sum: %s: where of %s",
		   sums[i].name, want->id);
	}
	td_totals_free(&totals);
}

/* many CPUs, so that equal sums of hashes would show */
static void test_where(void)
{
	int alike = 0;

	for (int a = 0; a < 64; a++) {
		for (int b = 0; b < 64; b++) {
			struct td_reading v[] = {
				{ 0, a, -1, 1, 1, 1 },
				{ 0, 63 - a, -1, 1, 1, 1 },
				{ 1, b, -1, 1, 1, 1 },
				{ 1, 63 - b, -1, 1, 1, 1 },
			};
			struct td_readings delta = { v, TD_ARRAY_SIZE(v) };
			struct td_totals totals = { 0 };

			td_aggregate(&all, &delta, &plan, &totals);
			alike += totals.v[0].where == totals.v[1].where;
			td_totals_free(&totals);
		}
	}
	ok(alike == 2 * 64, "pairs of CPUs with the same sum are told apart");
}

static void test_scale(size_t i)
{
	struct td_reading v = scales[i].reading;
	struct td_readings delta = { &v, 1 };
	struct td_totals totals = { 0 };

	td_aggregate(&all, &delta, &plan, &totals);
	ok(test_near(totals.v[v.event].value, scales[i].want, 0), "scaled: %s", scales[i].name);
	td_totals_free(&totals);
}

static void test_shares(void)
{
	int leader_first[] = { 1, 0 };
	const struct td_group group = { .members = leader_first, .nr = 2 };
	const struct td_group empty = { .nr = 0 };

	for (size_t i = 0; i < TD_ARRAY_SIZE(shares); i++) {
		struct td_reading v[3];
		const struct td_readings sum = { v, shares[i].nr };
		double got;

		memcpy(v, shares[i].v, sizeof(v));
		got = td_readings_share(&sum, &group);
		ok(test_near(got, shares[i].want, 1e-12), "share, %s: %g", shares[i].name, got);
		ok(isnan(td_readings_share(&sum, &empty)), "share, %s: of an empty group",
		   shares[i].name);
	}
}

int main(void)
{
	test_shares();
	test_delta();
	test_add();
	test_merge();
	test_merge_many();
	test_parts();
	for (size_t i = 0; i < TD_ARRAY_SIZE(scales); i++)
		test_scale(i);
	for (size_t i = 0; i < TD_ARRAY_SIZE(sums); i++)
		test_sum(i);
	test_where();
	return done_testing();
}
