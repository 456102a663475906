// SPDX-License-Identifier: GPL-2.0-only
/* State of a run between two rows: counts and times. */
#include "cmd/run/clock.h"
#include "cmd/run/parts.h"
#include "tests/unit/test.h"

#define MS UINT64_C(1000000)

static struct td_readings of(struct td_reading *v, size_t nr)
{
	return (struct td_readings){ .v = v, .nr = nr };
}

static void check_cpus(void)
{
	struct td_reading v[] = {
		{ 0, 3, -1, 10, 8, 4 },
		{ 1, 3, -1, 20, 8, 8 },
	};
	struct td_readings delta = of(v, 2);
	struct td_tally tally = { 0 };

	delta.behind = true;
	td_tally_add(&tally, &delta, false);
	ok(tally.behind && tally.fresh, "a read that lacks some counters");
	delta.behind = false;
	td_tally_add(&tally, &delta, false);
	ok(!tally.behind, "the next one has them");
	ok(tally.sum.nr == 2 && tally.sum.v[0].value == 20 && tally.sum.v[1].running_ns == 16,
	   "two reads are one row");
	td_tally_clear_row(&tally, false);
	ok(tally.sum.nr == 2 && tally.sum.v[0].value == 0 && !tally.fresh,
	   "a new row has the same readings, of nothing");
	ok(tally.ever_ran && tally.ever_enabled, "but the run has counted something");
	td_tally_free(&tally);
}

static void check_newcomer(void)
{
	struct td_reading v[] = {
		{ 0, 3, -1, 10, 8, 4 },
		{ 0, 5, -1, 20, 8, 8 },
	};
	const struct td_readings before = of(v, 1), after = of(v, 2);
	struct td_tally tally = { 0 };

	td_tally_add(&tally, &before, false);
	td_tally_add(&tally, &after, false);
	ok(tally.sum.nr == 2 && tally.sum.v[0].value == 20 && tally.sum.v[1].cpu == 5 &&
		   tally.sum.v[1].value == 20,
	   "a CPU comes online between two reads of a row");
	td_tally_clear_row(&tally, false);
	td_tally_add(&tally, &after, false);
	ok(tally.sum.nr == 2 && tally.sum.v[1].value == 20, "and is in the next row");
	td_tally_free(&tally);
}

static void check_threads(void)
{
	struct td_reading first[] = { { 0, -1, 7, 10, 8, 8 } };
	struct td_reading then[] = { { 0, -1, 7, 1, 2, 2 }, { 0, -1, 9, 5, 2, 2 } };
	const struct td_readings one = of(first, 1), two = of(then, 2);
	struct td_tally tally = { 0 };

	td_tally_add(&tally, &one, true);
	td_tally_add(&tally, &two, true);
	ok(tally.nr_read == 2, "a thread begins");
	ok(tally.sum.nr == 2 && tally.sum.v[0].value == 11 && tally.sum.v[1].tid == 9 &&
		   tally.sum.v[1].value == 5,
	   "each thread has its own counts");
	td_tally_add(&tally, &one, true);
	ok(tally.sum.nr == 2 && tally.sum.v[1].value == 5, "one that has ended stays in its row");
	td_tally_clear_row(&tally, true);
	td_tally_add(&tally, &one, true);
	ok(tally.sum.nr == 1 && tally.sum.v[0].value == 10, "and is not in the next one");
	td_tally_free(&tally);
}

static void check_times(void)
{
	struct td_reading v[] = {
		{ 1, 0, -1, 10, 8, 4 },
		{ 1, 1, -1, 10, 9, 4 },
		{ 2, 1, -1, 10, 5, 0 },
	};
	const struct td_readings delta = of(v, 3), none = { 0 };
	struct td_tally tally = { 0 };

	ok(td_tally_enabled_ns(&tally) == 0, "no times are kept");
	td_tally_add_times(&tally, 3, &delta);
	td_tally_add_times(&tally, 3, &delta);
	ok(tally.all.nr == 3 && tally.all.v[0].enabled_ns == 0 && tally.all.v[1].running_ns == 16 &&
		   tally.all.v[2].enabled_ns == 10,
	   "one for each event, of all CPUs");
	ok(td_tally_enabled_ns(&tally) == 34, "the longest one");
	td_tally_free(&tally);
	td_tally_add_times(&tally, 0, &none);
	ok(tally.all.nr == 0, "no events");
	td_tally_free(&tally);
}

static void check_rows(void)
{
	const struct td_request request = { .when.interval_ms = 2500 };
	const struct td_job job = { .request = &request };
	struct td_waiter waiter = TD_WAITER_NONE;
	struct td_clock clock = { 0 };
	struct td_err err;

	ok(td_clock_start(&clock, &waiter, &job, &err) == 0 && clock.began, "the clock starts");
	ok(clock.ticks_a_row == 3 && waiter.period_ns == 2500 * MS / 3,
	   "no more than a second between two reads");
	ok(!td_clock_tick(&clock, 2), "a row is not over");
	ok(td_clock_tick(&clock, 1) && clock.rows_missed == 0, "now it is");
	ok(!td_clock_tick(&clock, 1), "the next one has begun");
	ok(td_clock_tick(&clock, 9) && clock.rows == 4 && clock.rows_missed == 2,
	   "three rows in one sleep: two are missed");
	ok(!td_clock_tick(&clock, 1), "the end of a row is where it was");
	td_waiter_close(&waiter);
}

/* Read nr times; each read takes a part of a CPU's time. */
static void read_times(struct td_clock *clock, struct td_waiter *waiter, int nr,
		       uint64_t reading_ns)
{
	for (int i = 0; i < nr; i++) {
		td_clock_tick(clock, 1);
		td_clock_adapt(clock, waiter, reading_ns);
	}
}

static void check_reads(void)
{
	const struct td_request request = { 0 };
	struct td_tree tree = { 0 };
	struct td_job job = { .request = &request };
	struct td_waiter waiter = TD_WAITER_NONE;
	struct td_clock clock = { 0 };
	struct td_err err;

	td_clock_start(&clock, &waiter, &job, &err);
	ok(waiter.period_ns == 1000 * MS, "events: a read a second");
	read_times(&clock, &waiter, 200, 900 * MS);
	ok(waiter.period_ns == 1000 * MS, "whatever it takes");
	job.tree = &tree;
	clock = (struct td_clock){ 0 };
	td_clock_start(&clock, &waiter, &job, &err);
	ok(waiter.period_ns == 100 * MS, "metrics: ten reads a second");
	read_times(&clock, &waiter, 299, 4 * MS);
	ok(waiter.period_ns == 100 * MS, "for half a minute");
	read_times(&clock, &waiter, 1, 4 * MS);
	ok(waiter.period_ns == 1000 * MS, "then one");
	clock = (struct td_clock){ 0 };
	td_clock_start(&clock, &waiter, &job, &err);
	read_times(&clock, &waiter, 3, 7 * MS);
	ok(waiter.period_ns == 100 * MS, "three reads do not tell the cost");
	read_times(&clock, &waiter, 1, 7 * MS);
	ok(waiter.period_ns == 200 * MS, "more than a twentieth of the time");
	read_times(&clock, &waiter, 20, 7 * MS);
	ok(waiter.period_ns == 200 * MS, "less than that");
	td_waiter_close(&waiter);
}

/*
 * Rows of a second with a sum, of which each read takes so much CPU time: how
 * often they are read, and that each of them ends when it would have ended.
 */
static void check_rows_with_sum(uint64_t reading_ns, uint64_t first_ms, uint64_t last_ms)
{
	const struct td_request request = { .when.interval_ms = 1000, .show.summary = true };
	struct td_tree tree = { 0 };
	const struct td_job job = { .request = &request, .tree = &tree };
	struct td_waiter waiter = TD_WAITER_NONE;
	struct td_clock clock = { 0 };
	uint64_t time_ns = 0;
	struct td_err err;

	td_clock_start(&clock, &waiter, &job, &err);
	ok(waiter.period_ns == 100 * MS, "a sum: ten reads a second");
	for (uint64_t row = 1; row <= 32; row++) {
		bool is_due;

		do {
			time_ns += waiter.period_ns;
			is_due = td_clock_tick(&clock, 1);
			td_clock_adapt(&clock, &waiter, reading_ns);
		} while (!is_due);
		/* a third of a row is rounded down to nanoseconds */
		ok(row * 1000 * MS - time_ns <= 3 * row && clock.rows == row, "row %d ends in time",
		   (int)row);
		if (row == 1)
			ok(waiter.period_ns == first_ms * MS, "%d ms after the first row",
			   (int)first_ms);
	}
	ok(waiter.period_ns == last_ms * MS && clock.rows_missed == 0, "%d ms in the end",
	   (int)last_ms);
	td_waiter_close(&waiter);
}

/* Rows of a second, while PERF_METRICS is multiplexed with another program. */
static void check_shared(void)
{
	const struct td_request request = { .when.interval_ms = 1000 };
	struct td_tree tree = { 0 };
	const struct td_job job = { .request = &request, .tree = &tree };
	struct td_waiter waiter = TD_WAITER_NONE;
	struct td_clock clock = { 0 };
	struct td_err err;

	td_clock_start(&clock, &waiter, &job, &err);
	read_times(&clock, &waiter, 20, MS);
	ok(waiter.period_ns == 1000 * MS, "alone: a read a second");
	clock.shared = true;
	read_times(&clock, &waiter, 1, MS);
	ok(waiter.period_ns == 100 * MS, "shared: ten");
	read_times(&clock, &waiter, 1000, MS);
	ok(waiter.period_ns == 100 * MS && clock.rows == 121 && clock.rows_missed == 0,
	   "as long as it is, and rows end when they would have");
	clock.shared = false;
	read_times(&clock, &waiter, 10, MS);
	ok(waiter.period_ns == 1000 * MS, "alone again: one");
	clock.shared = true;
	read_times(&clock, &waiter, 1, 0);
	read_times(&clock, &waiter, 10, 6 * MS);
	ok(waiter.period_ns == 200 * MS, "more than a twentieth: fewer");
	read_times(&clock, &waiter, 50, MS);
	ok(waiter.period_ns == 200 * MS, "and never again as many");
	td_waiter_close(&waiter);
}

/* Rows of tdstat top have a verdict each, or they are not read more than they must. */
static void check_rows_of_top(int interval_ms, uint64_t first_ms, uint64_t costly_ms)
{
	const struct td_request request = { .when.interval_ms = interval_ms };
	struct td_tree tree = { 0 };
	const struct td_job job = { .request = &request, .tree = &tree };
	struct td_waiter waiter = TD_WAITER_NONE;
	struct td_clock clock = { .keeps = true };
	struct td_err err;

	td_clock_start(&clock, &waiter, &job, &err);
	ok(waiter.period_ns == first_ms * MS, "top: rows of %d ms, %d reads", interval_ms,
	   interval_ms / (int)first_ms);
	read_times(&clock, &waiter, (int)clock.ticks_a_row, first_ms * MS / 15);
	ok(waiter.period_ns == costly_ms * MS, "if they cost too much: %d ms", (int)costly_ms);
	td_waiter_close(&waiter);
}

/* Reads that visit each CPU have a hundredth of a CPU, others a twentieth. */
static void check_visits(bool visits, uint64_t want_ms)
{
	const struct td_request request = { .when.interval_ms = 1000 };
	struct td_tree tree = { 0 };
	const struct td_job job = { .request = &request,
				    .tree = &tree,
				    .target.by_switches = visits };
	struct td_waiter waiter = TD_WAITER_NONE;
	struct td_clock clock = { .keeps = true };
	struct td_err err;

	td_clock_start(&clock, &waiter, &job, &err);
	read_times(&clock, &waiter, 10, 2 * MS);
	ok(waiter.period_ns == want_ms * MS, "reads of 2 %%: one each %d ms", (int)want_ms);
	td_waiter_close(&waiter);
}

static void check_durations(void)
{
	const struct td_request request = { .nr_events = 1 };
	struct td_event events[] = { { .tool = TD_TOOL_USER_TIME } };
	struct td_job job = { .request = &request, .plan.events = { .v = events, .nr = 1 } };
	const struct td_usage usage = { .has_times = true, .user_ns = 30, .sys_ns = 4 };
	struct td_clock clock = { 0 };
	struct td_times times;

	td_clock_times(&clock, &job, 100, NULL, &times);
	ok(times.elapsed_ns == 100 && !times.has_cpu_times,
	   "a command that still runs has no CPU times");
	td_clock_times(&clock, &job, 150, &usage, &times);
	ok(times.elapsed_ns == 50 && times.has_cpu_times && times.user_ns == 30 &&
		   times.system_ns == 4,
	   "at its end it has");
}

int main(void)
{
	check_cpus();
	check_newcomer();
	check_threads();
	check_times();
	check_rows();
	check_reads();
	check_rows_with_sum(4 * MS, 100, 1000);
	check_rows_with_sum(7 * MS, 200, 200);
	check_rows_with_sum(90 * MS, 200, 1000);
	check_shared();
	check_visits(false, 100);
	check_visits(true, 1000);
	check_rows_of_top(1000, 100, 1000);
	check_rows_of_top(500, 50, 500);
	check_rows_of_top(200, 20, 200);
	check_rows_of_top(10000, 100, 200);
	check_durations();
	return done_testing();
}
