// SPDX-License-Identifier: GPL-2.0-only
/*
 * The calls of libtdstat, counted by counters that are simulated: what is shown of a
 * region is what it did, and the error holds it.
 */
#include <string.h>

#include "lib/recording/region_sums.h"
#include "lib/region/call.h"
#include "lib/region/process.h"
#include "tests/unit/coverage.h"

enum {
	SLOTS,
	FIELD,
	NR
};

/* --- counters --------------------------------------------------------------- */

/* What the thread has counted, and what of it when PERF_METRICS began anew. */
static struct {
	double slots, lost;
} now, begun;
static uint64_t before[NR];
static unsigned int restarts;

/* As the processor has it: a field is rounded to a 255th of the slots since then. */
static void look(struct td_moment *moment)
{
	double slots = now.slots - begun.slots, lost = now.lost - begun.lost;
	double field = slots > 0 ? round(255 * lost / slots) : 0;

	*moment = (struct td_moment){ .group = 1, .step = (uint64_t)slots };
	moment->totals[SLOTS] = before[SLOTS] + (uint64_t)slots;
	moment->totals[FIELD] =
		before[FIELD] + (uint64_t)slots * (uint64_t)field;
	moment->time_ns = (uint64_t)(now.slots / 18);
}

int td_thread_counters_look(struct td_thread_counters *counters,
			    struct td_moment *moment)
{
	(void)counters;
	look(moment);
	return 0;
}

int td_thread_counters_restart(struct td_thread_counters *counters,
			       struct td_moment *moment)
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
	struct td_region_record *record = calloc(
		1, sizeof(*record) + (size_t)TD_REGION_SUMS * head.sum_size);

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
		.sum_size = sizeof(struct td_region_sum) +
			    (size_t)2 * NR * sizeof(int64_t),
		.by_read = 1,
	};
	td_process.store.head = &head;
	td_process.spec.nr_events = NR;
	td_process.spec.nr_groups = 1;
	td_process.spec.groups[0] = (struct td_group_spec_group){ 0, NR, true };
	thread = (struct td_thread){ .calls = open_calls,
				     .chance = 2 * seed + 1 };
	region = (struct td_thread_region){ .name = name,
					    .record = make_record(
						    TD_REGION_MARKED),
					    .every = every };
	restarts = 0;
	td_thread_counters_restart(&thread.counters, &moment);
	td_call_begin_outside(&thread, &moment);
}

static void call(double slots, double lost)
{
	td_call_begin(&thread, &region);
	run(slots, lost);
	td_call_end(&thread);
}

/* Forgets the record. */
static struct td_cell shown_of(struct td_region_record *record)
{
	static const struct td_region_value values[NR] = {
		{ SLOTS, 0, 0, false }, { FIELD, 0, 0, true }
	};
	const struct td_region_file file = { .head = &head };
	struct td_region_files files = { .values = values, .nr_values = NR };
	struct td_cell cell;

	if (td_region_files_add(&files, &file, record) ||
	    td_region_files_end(&files))
		exit(1);
	cell = ratio_of(&files.counts, FIELD, SLOTS);
	td_regions_free(&files.regions);
	td_batched_free(&files.counts);
	free(record);
	return cell;
}

/* Forgets the region. */
static struct td_cell shown(void)
{
	return shown_of(region.record);
}

/* --- tests ------------------------------------------------------------------ */

/*
 * What runs between two calls goes into the rounding of the second one, whether there
 * were few slots before the first one or many.
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
		   "%g ms between calls of 100 us: 60 %%, shown %.1f %%",
		   stretches_ms[i], 100 * cell.value);
	}
}

/*
 * What runs after a long call, whose 60.1 % are no whole steps, is not rounded as
 * that call was.
 */
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
	ok(fabs(cell.value - 0.2) < 0.01,
	   "1 us between calls of 5 ms: 20 %%, shown %.1f %%",
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
		double slots; /* of a call, and of what runs before it */
		unsigned int most;
	} rows[] = {
		{ "50 ns", 900, 1 + 10000 * 1800 / 2000000 },
		/* each begins its outside anew, but not itself */
		{ "1 ms", 18e6, 16 + 10000 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		start(1, 1);
		for (int j = 0; j < 10000; j++) {
			run(rows[i].slots, 0.2);
			call(rows[i].slots, 0.6);
		}
		ok(restarts <= rows[i].most,
		   "calls of %s: PERF_METRICS is read anew %u times in 10,000",
		   rows[i].name, restarts);
		free(region.record);
	}
}

#define PROGRAMS 500

static void check_coverage(const struct pattern *pattern, unsigned int every,
			   unsigned int calls)
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
	return done_testing();
}
