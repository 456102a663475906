// SPDX-License-Identifier: GPL-2.0-only
#include "lib/count/totals_sum.h"

#include <stdlib.h>

#include "lib/base/util.h"
#include "tests/unit/test.h"

#define NR_EVENTS  2
#define MAX_IDS    3
#define MAX_ROUNDS 3

static const struct td_event plan_events[NR_EVENTS];
static const struct td_plan plan = {
	.events.v = (struct td_event *)(uintptr_t)plan_events,
	.events.nr = NR_EVENTS,
};

static const char a_b[] = "a/b", named_all[] = "all";

/* clang-format off */
/* An id of a round, and its totals. */
struct id {
	const char *name, *cgroup, *label;
	struct td_total v[NR_EVENTS];
};

#define T(nr, value, enabled, running) { nr, value, enabled, running, enabled }
#define NEVER(nr, enabled) { nr, NAN, enabled, 0, 0 }

static const struct {
	const char *name;
	struct id rounds[MAX_ROUNDS][MAX_IDS];
	int nr_rounds;
	struct id sum[MAX_IDS], mean[MAX_IDS];
} rows[] = {
	{ "one round is its own mean",
	  { { { "all", NULL, "all", { T(2, 5, 16, 8), NEVER(2, 16) } } } }, 1,
	  { { "all", NULL, "all", { T(2, 5, 16, 8), NEVER(2, 16) } } },
	  { { "all", NULL, "all", { T(2, 5, 16, 8), NEVER(2, 16) } } } },
	{ "two rounds",
	  { { { "all", NULL, "all", { T(2, 5, 16, 8), T(2, 1, 16, 16) } } },
	    { { "all", NULL, "all", { T(2, 6, 18, 10), T(2, 2, 18, 18) } } } },
	  2,
	  { { "all", NULL, "all", { T(2, 11, 34, 18), T(2, 3, 34, 34) } } },
	  { { "all", NULL, "all", { T(2, 5.5, 17, 9), T(2, 1.5, 17, 17) } } } },
	/* rounds in which it did not run do not count */
	{ "a round without a value",
	  { { { "all", NULL, "all", { NEVER(1, 10), T(1, 1, 10, 10) } } },
	    { { "all", NULL, "all", { T(1, 6, 10, 4), NEVER(1, 10) } } },
	    { { "all", NULL, "all", { T(1, 8, 10, 8), NEVER(1, 10) } } } },
	  3,
	  { { "all", NULL, "all", { { 1, 14, 30, 12, 20 }, { 1, 1, 30, 10, 10 } } } },
	  { { "all", NULL, "all", { { 1, 7, 10, 4, 6 }, { 1, 1, 10, 3, 3 } } } } },
	{ "never a value",
	  { { { "all", NULL, "all", { NEVER(1, 10), T(1, 0, 10, 10) } } },
	    { { "all", NULL, "all", { NEVER(1, 10), T(1, 0, 10, 10) } } } }, 2,
	  { { "all", NULL, "all", { NEVER(1, 20), T(1, 0, 20, 20) } } },
	  { { "all", NULL, "all", { NEVER(1, 10), T(1, 0, 10, 10) } } } },
	{ "ids in another order",
	  { { { "CPU0", NULL, "CPU0", { T(1, 1, 8, 8), T(1, 2, 8, 8) } },
	      { "CPU1", NULL, "CPU1", { T(1, 3, 8, 8), T(1, 4, 8, 8) } } },
	    { { "CPU1", NULL, "CPU1", { T(1, 5, 8, 8), T(1, 6, 8, 8) } },
	      { "CPU0", NULL, "CPU0", { T(1, 7, 8, 8), T(1, 8, 8, 8) } } } }, 2,
	  { { "CPU0", NULL, "CPU0", { T(1, 8, 16, 16), T(1, 10, 16, 16) } },
	    { "CPU1", NULL, "CPU1", { T(1, 8, 16, 16), T(1, 10, 16, 16) } } },
	  { { "CPU0", NULL, "CPU0", { T(1, 4, 8, 8), T(1, 5, 8, 8) } },
	    { "CPU1", NULL, "CPU1", { T(1, 4, 8, 8), T(1, 5, 8, 8) } } } },
	{ "ids that come and go",
	  { { { "a-1", NULL, "a-1", { T(1, 1, 8, 8), NEVER(1, 8) } } },
	    { { "b-2", NULL, "b-2", { T(1, 3, 8, 8), NEVER(1, 8) } },
	      { "a-1", NULL, "a-1", { T(1, 5, 8, 8), NEVER(1, 8) } } },
	    { { "c-3", NULL, "c-3", { T(1, 9, 8, 8), T(1, 1, 8, 8) } } } }, 3,
	  { { "a-1", NULL, "a-1", { T(1, 6, 16, 16), NEVER(1, 16) } },
	    { "b-2", NULL, "b-2", { T(1, 3, 8, 8), NEVER(1, 8) } },
	    { "c-3", NULL, "c-3", { T(1, 9, 8, 8), T(1, 1, 8, 8) } } },
	  { { "a-1", NULL, "a-1", { { 1, 3, 5, 5, 5 }, { 1, NAN, 5, 0, 0 } } },
	    { "b-2", NULL, "b-2", { { 1, 3, 2, 2, 2 }, { 1, NAN, 2, 0, 0 } } },
	    { "c-3", NULL, "c-3", { { 1, 9, 2, 2, 2 }, { 1, 1, 2, 2, 2 } } } } },
	{ "the same CPU in two cgroups",
	  { { { "CPU0", NULL, "CPU0", { T(1, 1, 8, 8), T(1, 2, 8, 8) } },
	      { "CPU0", a_b, "CPU0 a/b", { T(1, 3, 8, 8), T(1, 4, 8, 8) } } },
	    { { "CPU0", a_b, "CPU0 a/b", { T(1, 5, 8, 8), T(1, 6, 8, 8) } } } },
	  2,
	  { { "CPU0", NULL, "CPU0", { T(1, 1, 8, 8), T(1, 2, 8, 8) } },
	    { "CPU0", a_b, "CPU0 a/b", { T(1, 8, 16, 16), T(1, 10, 16, 16) } } },
	  { { "CPU0", NULL, "CPU0", { { 1, 1, 4, 4, 4 }, { 1, 2, 4, 4, 4 } } },
	    { "CPU0", a_b, "CPU0 a/b", { T(1, 4, 8, 8), T(1, 5, 8, 8) } } } },
	{ "a cgroup that is called as all are",
	  { { { "all", NULL, "all", { T(1, 1, 8, 8), NEVER(1, 8) } },
	      { "all", named_all, "all", { NEVER(1, 8), T(1, 4, 8, 8) } } } },
	  1,
	  { { "all", NULL, "all", { T(1, 1, 8, 8), NEVER(1, 8) } },
	    { "all", named_all, "all", { NEVER(1, 8), T(1, 4, 8, 8) } } },
	  { { "all", NULL, "all", { T(1, 1, 8, 8), NEVER(1, 8) } },
	    { "all", named_all, "all", { NEVER(1, 8), T(1, 4, 8, 8) } } } },
	/* the largest number of CPUs, as one went offline */
	{ "a CPU less",
	  { { { "S0", NULL, "S0", { T(4, 1, 32, 32), T(4, 1, 32, 32) } } },
	    { { "S0", NULL, "S0", { T(3, 1, 24, 24), T(3, 1, 24, 24) } } } }, 2,
	  { { "S0", NULL, "S0", { T(4, 2, 56, 56), T(4, 2, 56, 56) } } },
	  { { "S0", NULL, "S0", { T(4, 1, 28, 28), T(4, 1, 28, 28) } } } },
	{ "nothing in the first round",
	  { { { NULL } },
	    { { "a-1", NULL, "a-1", { T(1, 6, 8, 8), T(1, 1, 8, 8) } } } }, 2,
	  { { "a-1", NULL, "a-1", { T(1, 6, 8, 8), T(1, 1, 8, 8) } } },
	  { { "a-1", NULL, "a-1", { { 1, 6, 4, 4, 4 }, { 1, 1, 4, 4, 4 } } } } },
};

static const struct {
	const char *name;
	struct td_times rounds[MAX_ROUNDS];
	int nr_rounds;
	struct td_times sum, mean;
} times[] = {
	{ "one round", { { 9, true, 3, 4 } }, 1,
	  { 9, true, 3, 4 }, { 9, true, 3, 4 } },
	{ "three rounds", { { 9, true, 3, 4 }, { 1, true, 3, 4 },
			    { 5, true, 0, 1 } }, 3,
	  { 15, true, 6, 9 }, { 5, true, 2, 3 } },
	{ "only elapsed times", { { 9 }, { 1 } }, 2, { 10 }, { 5 } },
	{ "the first has no CPU times", { { 9 }, { 1, true, 3, 4 } }, 2,
	  { 10 }, { 5 } },
	{ "the second has none", { { 9, true, 3, 4 }, { 1 },
				   { 2, true, 3, 4 } }, 3,
	  { 12 }, { 4 } },
};
/* clang-format on */

static size_t count_ids(const struct id *ids)
{
	size_t nr = 0;

	while (nr < MAX_IDS && ids[nr].name)
		nr++;
	return nr;
}

/* Makes totals with names that are freed after their round. */
static struct td_totals make_totals(const struct id *ids)
{
	struct td_totals totals = { .nr_ids = count_ids(ids), .nr_events = NR_EVENTS, .all = true };

	totals.ids = calloc(MAX_IDS, sizeof(*totals.ids));
	totals.v = calloc(MAX_IDS, sizeof(ids->v));
	for (size_t i = 0; i < totals.nr_ids; i++) {
		totals.ids[i] = (struct td_total_id){
			.name = strdup(ids[i].name),
			.cgroup = ids[i].cgroup,
			.label = strdup(ids[i].label),
		};
		memcpy(totals.v + i * NR_EVENTS, ids[i].v, sizeof(ids[i].v));
	}
	return totals;
}

static bool is_total(const struct td_total *got, const struct td_total *want)
{
	return got->nr == want->nr && test_near(got->value, want->value, 0) &&
	       got->enabled_ns == want->enabled_ns && got->running_ns == want->running_ns &&
	       got->covered_ns == want->covered_ns;
}

static void check(const char *name, const struct td_totals *got, const struct id *want)
{
	size_t nr = count_ids(want);

	ok(got->nr_ids == nr && got->nr_events == NR_EVENTS && got->all, "%s: %zu ids", name,
	   got->nr_ids);
	for (size_t i = 0; i < nr && i < got->nr_ids; i++) {
		is_str(got->ids[i].label, want[i].label, "%s: id %zu", name, i);
		ok(strcmp(got->ids[i].name, want[i].name) == 0 &&
			   got->ids[i].cgroup == want[i].cgroup,
		   "%s: %s: of whom", name, want[i].label);
		for (size_t e = 0; e < NR_EVENTS; e++) {
			const struct td_total *total = &got->v[i * NR_EVENTS + e];

			ok(is_total(total, &want[i].v[e]), "%s: %s: event %zu: %g, %u", name,
			   want[i].label, e, total->value, total->nr);
		}
	}
}

static void test_row(size_t r)
{
	const struct td_times unused = { 0 };
	struct td_totals_sum sum = { 0 };
	char name[80];

	for (int round = 0; round < rows[r].nr_rounds; round++) {
		struct td_totals totals = make_totals(rows[r].rounds[round]);

		td_totals_sum_add(&sum, &plan, &totals, &unused);
		td_totals_free(&totals);
	}
	ok((int)sum.rounds == rows[r].nr_rounds, "%s: rounds", rows[r].name);
	snprintf(name, sizeof(name), "%s: sum", rows[r].name);
	check(name, &sum.totals, rows[r].sum);
	td_totals_sum_divide(&sum);
	snprintf(name, sizeof(name), "%s: mean", rows[r].name);
	check(name, &sum.totals, rows[r].mean);
	td_totals_sum_free(&sum);
	ok(!sum.totals.nr_ids && !sum.rounds, "%s: freed", rows[r].name);
}

static bool same_times(const struct td_times *got, const struct td_times *want)
{
	return got->elapsed_ns == want->elapsed_ns && got->has_cpu_times == want->has_cpu_times &&
	       (!want->has_cpu_times ||
		(got->user_ns == want->user_ns && got->system_ns == want->system_ns));
}

static void test_times(size_t i)
{
	struct td_totals totals = { .nr_events = NR_EVENTS };
	struct td_totals_sum sum = { 0 };

	for (int round = 0; round < times[i].nr_rounds; round++)
		td_totals_sum_add(&sum, &plan, &totals, &times[i].rounds[round]);
	ok(same_times(&sum.times, &times[i].sum), "times of %s: sum", times[i].name);
	td_totals_sum_divide(&sum);
	ok(same_times(&sum.times, &times[i].mean), "times of %s: mean", times[i].name);
	td_totals_sum_free(&sum);
}

/* Two events that run on the same CPUs, which differ between rounds. */
static void test_where(void)
{
	static struct id ids[MAX_IDS] = {
		{ "all", NULL, "all", { T(1, 1, 8, 8), T(1, 1, 8, 8) } },
	};
	const struct td_times unused = { 0 };
	struct td_totals_sum sum = { 0 };

	for (uint64_t round = 1; round <= 3; round++) {
		struct td_totals totals;

		ids[0].v[0].where = ids[0].v[1].where = UINT64_C(0x9e3779b97f4a7c15) * round;
		ids[0].v[1].where += round == 3;
		totals = make_totals(ids);
		td_totals_sum_add(&sum, &plan, &totals, &unused);
		td_totals_free(&totals);
		ok((sum.totals.v[0].where == sum.totals.v[1].where) == (round < 3),
		   "where, round %d", (int)round);
	}
	td_totals_sum_free(&sum);
}

/*
 * Two runs of a command count an event each, which is enabled for 5 ns of the
 * first and 2 of the second: for 3 of a mean run, rounded down.
 */
static void test_joined_times(void)
{
	static const struct id runs[2][MAX_IDS] = {
		{ { "all", NULL, "all", { { 1, 9, 5, 4, 4 }, { .value = NAN } } } },
		{ { "all", NULL, "all", { { .value = NAN }, { 1, 3, 2, 1, 1 } } } },
	};
	const struct td_times unused = { 0 };
	struct td_totals_sum sum = { .joins = true }, mean = { 0 };

	for (size_t run = 0; run < TD_ARRAY_SIZE(runs); run++) {
		struct td_totals totals = make_totals(runs[run]);

		td_totals_sum_add(&sum, &plan, &totals, &unused);
		td_totals_free(&totals);
	}
	td_totals_sum_divide(&sum);
	/* and as one of the results of -r */
	td_totals_sum_add(&mean, &plan, &sum.totals, &unused);
	td_totals_sum_divide(&mean);
	for (size_t e = 0; e < NR_EVENTS; e++) {
		const struct td_total *total = &mean.totals.v[e];

		ok(total->enabled_ns == (e ? 2 : 5) && total->run_enabled_ns == 3 &&
			   total->run_covered_ns == 2,
		   "joined: event %zu: %d of %d ns", e, (int)total->run_covered_ns,
		   (int)total->run_enabled_ns);
	}
	td_totals_sum_free(&mean);
	td_totals_sum_free(&sum);
}

static void test_nothing(void)
{
	struct td_totals_sum sum = { 0 };

	td_totals_sum_divide(&sum);
	ok(!sum.totals.nr_ids && !sum.times.elapsed_ns, "no rounds");
	td_totals_sum_free(&sum);
}

int main(void)
{
	for (size_t r = 0; r < TD_ARRAY_SIZE(rows); r++)
		test_row(r);
	for (size_t i = 0; i < TD_ARRAY_SIZE(times); i++)
		test_times(i);
	test_where();
	test_joined_times();
	test_nothing();
	return done_testing();
}
