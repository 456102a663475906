// SPDX-License-Identifier: GPL-2.0-only
/* Calls of libtdstat with simulated counters: results are the true values within the error. */
#include <stddef.h>
#include <string.h>

#include "cmd/regions/region_sums.h"
#include "lib/region/parts.h"
#include "tests/unit/coverage.h"

enum {
	SLOTS,
	FIELD,
	NR
};

/* --- counters --------------------------------------------------------------- */

/* Counts of the thread, and their values when PERF_METRICS was restarted. */
static struct {
	double slots, lost;
} now, begun;
static uint64_t before[NR];
static unsigned int restarts;

/* As the processor has it: a field is rounded to a 255th of the slots since then. */
static void look(struct td_moment *moment)
{
	double slots = now.slots - begun.slots, lost = now.lost - begun.lost;
	/* by way of int64_t, which is faster */
	uint64_t whole = (uint64_t)(int64_t)slots;
	int64_t field = slots > 0 ? (int64_t)(255 * lost / slots + 0.5) : 0;

	/* not the totals of other events, which are many, and not used */
	memset(&moment->time_ns, 0, sizeof(*moment) - offsetof(struct td_moment, time_ns));
	moment->group = 1;
	moment->step = whole;
	moment->totals[SLOTS] = before[SLOTS] + whole;
	moment->totals[FIELD] = before[FIELD] + whole * (uint64_t)field;
	moment->time_ns = (uint64_t)(int64_t)(now.slots / 18);
}

int td_thread_counters_look(struct td_thread_counters *counters, struct td_moment *moment)
{
	(void)counters;
	look(moment);
	return 0;
}

int td_thread_counters_restart(struct td_thread_counters *counters, struct td_moment *moment)
{
	(void)counters;
	look(moment);
	moment->fresh = true;
	memcpy(before, moment->totals, sizeof(before));
	begun = now;
	restarts++;
	return 0;
}

static void run(double slots, double lost)
{
	now.slots += slots;
	now.lost += slots * lost;
}

/* --- a thread --------------------------------------------------------------- */

static struct td_region_head head;
static struct td_thread thread;
static char name[] = "r";
static struct td_call open_calls[TD_REGION_DEPTH];
static struct td_thread_region region;

static struct td_region_record *make_record(enum td_region_kind kind)
{
	struct td_region_record *record =
		calloc(1, sizeof(*record) + (size_t)TD_REGION_SUMS * head.sum_size +
				  td_region_buckets_size(NR));

	if (!record)
		exit(1);
	record->kind = kind;
	return record;
}

static void start(unsigned int every, uint64_t seed)
{
	struct td_moment moment;

	head = (struct td_region_head){
		.nr_values = NR,
		.sum_size = sizeof(struct td_region_sum) + (size_t)2 * NR * sizeof(int64_t),
		.by_read = 1,
	};
	td_process.store.head = &head;
	td_process.spec.nr_events = NR;
	td_process.spec.nr_groups = 1;
	td_process.spec.groups[0] = (struct td_group_spec_group){ 0, NR, true };
	thread = (struct td_thread){ .calls = open_calls, .chance = 2 * seed + 1 };
	region = (struct td_thread_region){ .name = name,
					    .record = make_record(TD_REGION_MARKED),
					    .every = every };
	restarts = 0;
	td_process.spec.buckets = false;
	td_thread_counters_restart(&thread.counters, &moment);
	td_call_begin_outside(&thread, &moment);
}

static void call(double slots, double lost)
{
	td_call_begin(&thread, &region);
	run(slots, lost);
	td_call_end(&thread);
}

static struct td_region_files files;

/* Forgets the record. */
static void read_record(struct td_region_record *record)
{
	static const struct td_region_value values[NR] = { { SLOTS, 0, 0, false },
							   { FIELD, 0, 0, true } };

	files = (struct td_region_files){ .values = values, .nr_values = NR };
	td_region_files_add(&files, &head, record);
	td_region_files_end(&files);
	free(record);
}

static void forget_files(void)
{
	td_regions_free(&files.regions);
	td_batched_free(&files.counts);
}

/* Forgets the record. */
static struct td_cell shown_of(struct td_region_record *record)
{
	struct td_cell cell;

	read_record(record);
	cell = ratio_of(&files.counts, FIELD, SLOTS);
	forget_files();
	return cell;
}

/* Forgets the region. */
static struct td_cell shown(void)
{
	return shown_of(region.record);
}

/* --- tests ------------------------------------------------------------------ */

/*
 * Work between two calls is a part of the second call's rounding, whether there were few slots
 * before the first one or many.
 */
static void check_between(void)
{
	static const double stretches_ms[] = { 0.01, 1, 16, 100 };

	for (size_t i = 0; i < sizeof(stretches_ms) / sizeof(double); i++) {
		double slots = 18e6 * stretches_ms[i];
		struct td_cell cell;

		start(1, 1);
		for (int j = 0; j < 100; j++) {
			run(slots * (1 + j % 7 / 10.0), 0.2 + j % 5 / 50.0);
			call(1.8e6, 0.6);
		}
		cell = shown();
		ok(fabs(cell.value - 0.6) < 0.01,
		   "%g ms between calls of 100 us: 60 %%, shown %.1f %%", stretches_ms[i],
		   100 * cell.value);
	}
}

/* Work after a long call, whose 60.1 % are not whole steps, is not rounded like the call. */
static void check_outside(void)
{
	struct td_cell cell;

	start(1, 1);
	thread.outside.record = make_record(TD_REGION_OUTSIDE);
	for (int i = 0; i < 100; i++) {
		run(18e3, 0.2);
		call(90e6, 0.601);
	}
	cell = shown_of(thread.outside.record);
	ok(fabs(cell.value - 0.2) < 0.01, "1 us between calls of 5 ms: 20 %%, shown %.1f %%",
	   100 * cell.value);
	free(region.record);
}

/*
 * A read() takes longer than many a call: it is not done before each.  Nor is it where
 * the steps of several calls together are less than a per cent of one.
 */
static void check_restarts(void)
{
	static const struct {
		const char *name;
		double slots; /* slots of a call, and of the work before it */
		unsigned int most;
	} rows[] = {
		{ "50 ns", 900, 1 + 10000 * 1800 / 2000000 },
		/* each restarts the fields before it, but not within it */
		{ "1 ms", 18e6, 16 + 10000 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		start(1, 1);
		for (int j = 0; j < 10000; j++) {
			run(rows[i].slots, 0.2);
			call(rows[i].slots, 0.6);
		}
		ok(restarts <= rows[i].most,
		   "calls of %s: PERF_METRICS is read anew %u times in 10,000", rows[i].name,
		   restarts);
		free(region.record);
	}
}

#define PROGRAMS 500

static void check_coverage(const struct pattern *pattern, unsigned int every, unsigned int calls)
{
	struct coverage coverage = { 0 };
	char how[32];

	for (unsigned int i = 0; i < PROGRAMS; i++) {
		struct program program = program_start(pattern, i);
		struct td_cell cell;

		start(every, i);
		for (unsigned int j = 0; j < calls * every; j++) {
			struct td_moment moment;

			/* rounding is another error, which is not tested here */
			td_thread_counters_restart(&thread.counters, &moment);
			call(1e6, program_call(&program));
		}
		cell = shown();
		coverage_add(&coverage, cell.value, cell.error, pattern->truth);
	}
	snprintf(how, sizeof(how), every > 1 ? "one of %u" : "all", every);
	coverage_check(&coverage, how, pattern->name);
}

/* --- buckets ---------------------------------------------------------------- */

static void start_buckets(uint64_t seed)
{
	start(1, seed);
	head.buckets = 1;
	td_process.spec.buckets = true;
}

/* Return the shown cell of the bucket with such a call; empty if it has no calls. */
static struct td_cell shown_of_bucket(uint64_t ns)
{
	struct td_batched one = { .timeline.nr = files.counts.timeline.nr,
				  .timeline.samples = true };
	struct td_cell cell = { .value = NAN };

	for (size_t i = 0; i < files.counts.readings.nr; i++) {
		const struct td_reading *r = &files.counts.readings.v[i];
		const struct td_region *of = &files.regions.v[r->region - 1];

		if (!of->timed || of->bucket != td_region_bucket(ns))
			continue;
		one.readings.v = files.counts.readings.v + i;
		one.readings.nr = NR;
		for (size_t b = 0; b < TD_BATCHES; b++)
			one.timeline.points[b] = (struct td_timeline_point){
				b, files.counts.timeline.points[b].v + i, NR
			};
		return ratio_of(&one, FIELD, SLOTS);
	}
	return cell;
}

static uint64_t calls_of_bucket(uint64_t ns)
{
	for (size_t i = 0; i < files.regions.nr; i++) {
		const struct td_region *of = &files.regions.v[i];

		if (of->timed && of->bucket == td_region_bucket(ns))
			return of->calls.counted;
	}
	return 0;
}

static uint64_t calls_of_all_buckets(void)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < files.regions.nr; i++)
		sum += files.regions.v[i].timed && !files.regions.v[i].slow
			       ? files.regions.v[i].calls.counted
			       : 0;
	return sum;
}

/* A nanosecond has 18 slots.  PERF_METRICS are restarted, so that rounding is a separate error. */
static void timed_call(double us, double lost)
{
	struct td_moment moment;

	td_thread_counters_restart(&thread.counters, &moment);
	call(18e3 * us, lost);
}

static void check_populations(void)
{
	const struct td_timed *timed;
	struct td_cell slow, fast;
	bool all_slow = true;

	start_buckets(1);
	for (int i = 0; i < 5000; i++) {
		bool is_slow = i % 100 == 37;

		timed_call(is_slow ? 100 : 2, is_slow ? 0.8 : 0.2);
	}
	read_record(region.record);
	slow = shown_of_bucket(100000);
	fast = shown_of_bucket(2000);
	ok(calls_of_bucket(2000) == 4950 && calls_of_bucket(100000) == 50 &&
		   calls_of_all_buckets() == 5000,
	   "each call is in the bucket of its duration");
	ok(fabs(slow.value - 0.8) < 0.01 && slow.error < 0.01,
	   "one in a hundred is slow, and loses 80 %%: %.1f +-%.1f", 100 * slow.value,
	   100 * slow.error);
	ok(fabs(fast.value - 0.2) < 0.01 && fast.error < 0.01, "the others lose 20 %%: %.1f +-%.1f",
	   100 * fast.value, 100 * fast.error);
	timed = &files.regions.timed[0];
	ok(files.regions.nr_timed == 1 && timed->durations.nr == 5000 &&
		   fabs(td_durations_quantile(&timed->durations, 0.5) - 2000) < 130 &&
		   fabs(td_durations_quantile(&timed->durations, 0.995) - 100000) < 6500,
	   "the quantiles are those of the calls");
	for (size_t i = 0; i < TD_SLOWEST; i++)
		all_slow &= llabs((long long)timed->slowest[i].time_ns - 100000) <= 1;
	ok(timed->nr_slowest == TD_SLOWEST && all_slow, "ten of the slow ones");
	forget_files();
}

/* As they come, later, or first. */
static void check_slowest(void)
{
	for (int order = 0; order < 3; order++) {
		const struct td_timed *timed;
		bool right = true;

		start_buckets(1);
		for (int i = 0; i < 1000; i++) {
			int us = order == 0 ? 1 + i : order == 1 ? 1000 - i : 1 + i * 7 % 1000;

			timed_call(us, 0.2);
		}
		read_record(region.record);
		timed = &files.regions.timed[0];
		for (size_t i = 0; i < TD_SLOWEST; i++)
			right &= llabs((long long)timed->slowest[i].time_ns -
				       1000 * (1000 - (long long)i)) <= 1;
		ok(right, "the ten slowest calls, the slowest first");
		ok(llabs((long long)timed->durations.max_ns - 1000000) <= 1,
		   "and the longest time");
		forget_files();
	}
}

/* The outer call includes the time of the inner ones, so it is in one bucket with them. */
static void check_recursion(void)
{
	const struct td_region *all;

	start_buckets(1);
	for (int i = 0; i < 20; i++) {
		td_call_begin(&thread, &region);
		timed_call(2, 0.2);
		run(18e3 * 50, 0.6);
		td_call_end(&thread);
	}
	read_record(region.record);
	all = td_regions_find(&files.regions, "", false);
	ok(all && all->calls.counted == 40 && all->calls.recursive == 20,
	   "20 calls with one within each");
	ok(calls_of_bucket(52000) == 20 && calls_of_all_buckets() == 20, "are 20 calls of 52 us");
	forget_files();
}

/* The cost of counting is neither in the results nor in the choice of a bucket. */
static void check_cost(void)
{
	struct td_thread_region outer = { .name = name, .every = 1 };
	struct td_region_record *within;

	start_buckets(1);
	head.cost_ns[0][0] = 1000;
	head.cost_ns[1][0] = 2000;
	outer.record = make_record(TD_REGION_MARKED);
	for (int i = 0; i < 20; i++) {
		td_call_begin(&thread, &outer);
		for (int j = 0; j < 3; j++)
			timed_call(6, 0.2);
		run(18e3 * 41, 0.2);
		td_call_end(&thread);
	}
	within = region.record;
	read_record(outer.record);
	/* 3 x 6 + 41 us, less 1 of its own and 3 x 3 of those within */
	ok(calls_of_bucket(49000) == 20 && calls_of_all_buckets() == 20,
	   "a call around others is without what they cost");
	forget_files();
	read_record(within);
	ok(calls_of_bucket(5000) == 60 && calls_of_all_buckets() == 60,
	   "and a call without what itself does");
	forget_files();
}

/* The error of a bucket covers the true values of its calls; one in five differs. */
static void check_coverage_of_bucket(const struct pattern *pattern)
{
	struct coverage coverage = { 0 };

	for (unsigned int i = 0; i < PROGRAMS; i++) {
		struct program program = program_start(pattern, i);
		struct td_cell cell;

		start_buckets(i);
		for (unsigned int j = 0; j < 6250; j++) {
			if (j % 5 == 4)
				timed_call(2, 0.9);
			else
				timed_call(55, program_call(&program));
		}
		read_record(region.record);
		cell = shown_of_bucket(55000);
		forget_files();
		coverage_add(&coverage, cell.value, cell.error, pattern->truth);
	}
	coverage_check(&coverage, "a bucket", pattern->name);
}

int main(void)
{
	check_between();
	check_outside();
	check_restarts();
	for (size_t i = 0; i < NR_PATTERNS; i++) {
		check_coverage(&patterns[i], 1, 5000);
		check_coverage(&patterns[i], 4, 1250);
	}
	/* which one is counted must not go by the same number */
	for (size_t i = 0; i < NR_PATTERNS; i++) {
		unsigned int by = (unsigned int)patterns[i].by;

		if (patterns[i].kind == IN_TURN && by != 4)
			check_coverage(&patterns[i], by, 5000 / by);
	}
	check_populations();
	check_slowest();
	check_recursion();
	check_cost();
	for (size_t i = 0; i < NR_PATTERNS; i++)
		check_coverage_of_bucket(&patterns[i]);
	return done_testing();
}
