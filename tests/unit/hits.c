// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sample/hits.h"

#include <errno.h>
#include <math.h>

#include "lib/base/util.h"
#include "tests/unit/series.h"
#include "tests/unit/test.h"

#define LOAD  0 /* events */
#define STORE 1

static struct td_locations locations;
static struct td_hits hits;
static int file;

/* Add a location in a function of /bin/x that begins at a multiple of 16; line 0: unknown. */
static int location(const char *function, uint64_t address, int line)
{
	const struct td_object object = { .kind = TD_OBJECT_FILE,
					  .path = (char *)(uintptr_t) "/bin/x" };
	int of = td_locations_add_object(&locations, &object);
	const struct td_function f = { (char *)(uintptr_t)function, of, address & ~15U };
	int at = td_locations_add(&locations, of, address);

	locations.v[at].function = td_locations_add_function(&locations, &f);
	if (line) {
		file = td_locations_add_file(&locations, "x.c");
		locations.v[at].file = file;
		locations.v[at].line = line;
	}
	return at;
}

static void hit(int event, int at, int caller, uint64_t nr, uint64_t period)
{
	while (nr--)
		td_hits_add(&hits, event, at, caller, period);
}

static void begin(void)
{
	td_locations_free(&locations);
	td_hits_free(&hits);
}

static int call(int at, int caller)
{
	return td_locations_add_call(&locations, at, caller);
}

static const char *name_of(int function)
{
	return function < 0 ? "(none)" : locations.functions[function].name;
}

/*
 * Half of the width between the two shares p0 at which the normal test of a
 * share just rejects |p - p0| > z * sqrt(p0 (1 - p0) / n): the definition, by
 * bisection, not the formula.
 */
static double bound(double p, double n, double inside, double outside)
{
	double z = 1.959963984540054;

	for (int i = 0; i < 200; i++) {
		double at = (inside + outside) / 2;

		if (fabs(p - at) <= z * sqrt(at * (1 - at) / n))
			inside = at;
		else
			outside = at;
	}
	return inside;
}

static double wilson(double p, double n)
{
	/* shares are from 0 to 1 */
	double low = p > 0 ? bound(p, n, p, 0) : 0;
	double high = p < 1 ? bound(p, n, p, 1) : 1;

	return 100 * (high - low) / 2;
}

static bool is_share(const struct td_share *share, uint64_t samples, double percent, double error)
{
	bool same = share->samples == samples && test_near(share->percent, percent, 1e-9) &&
		    test_near(share->error, error, 1e-6);

	if (!same)
		printf("# got: %llu %g %g\n# want: %llu %g %g\n",
		       (unsigned long long)share->samples, share->percent, share->error,
		       (unsigned long long)samples, percent, error);
	return same;
}

static void test_hits(void)
{
	begin();
	hit(LOAD, 1, -1, 2, 10);
	hit(LOAD, 1, 2, 1, 10);
	hit(STORE, 1, -1, 1, 5);
	hit(LOAD, 2, -1, 1, 1);
	hit(LOAD, 1, -1, 1, 30);
	ok(hits.nr == 4, "one for each event, location and caller");
	ok(hits.v[0].event == LOAD && hits.v[0].location == 1 && hits.v[0].caller == -1 &&
		   hits.v[0].samples == 3 && hits.v[0].weight == 50 && hits.v[0].squares == 1100,
	   "samples, their periods and the periods' squares");
	ok(hits.v[1].caller == 2 && hits.v[1].samples == 1 && hits.v[2].event == STORE &&
		   hits.v[2].weight == 5 && hits.v[3].location == 2,
	   "the others");
	td_hits_free(&hits);
	ok(!hits.nr, "freed");
}

static void test_none(void)
{
	struct td_hot_functions hot;

	begin();
	hit(STORE, location("a", 0x10, 0), -1, 3, 1);
	td_hot_functions_make(&hot, &hits, &locations, LOAD);
	ok(hot.samples == 0 && hot.nr == 0, "an event without samples");
	td_hot_functions_free(&hot);
}

static void test_shares(void)
{
	struct td_hot_functions l;

	begin();
	hit(LOAD, location("few", 0x10, 0), -1, 25, 1000);
	hit(LOAD, location("many", 0x20, 0), -1, 40, 1000);
	hit(LOAD, location("many", 0x24, 0), -1, 35, 1000);
	hit(STORE, location("few", 0x10, 0), -1, 500, 1000);
	td_hot_functions_make(&l, &hits, &locations, LOAD);
	ok(l.nr == 2 && l.samples == 100, "the samples of one event");
	is_str(name_of(l.v[0].function), "many", "the largest is first");
	is_str(name_of(l.v[1].function), "few", "then the others");
	ok(is_share(&l.v[0].share, 75, 75, wilson(0.75, 100)), "75 of 100");
	ok(is_share(&l.v[1].share, 25, 25, wilson(0.25, 100)), "25 of 100");
	ok(test_near(wilson(0.75, 100), 8.380, 1e-4), "as the textbook has it: 65.7 to 82.5");
	td_hot_functions_free(&l);
}

/* Events, not samples, are what shares are of. */
static void test_weights(void)
{
	double n = 4000.0 * 4000 / (10 * 100.0 * 100 + 3 * 1000.0 * 1000);
	struct td_hot_functions l;

	begin();
	hit(LOAD, location("often", 0x10, 0), -1, 10, 100);
	hit(LOAD, location("rarely", 0x20, 0), -1, 3, 1000);
	td_hot_functions_make(&l, &hits, &locations, LOAD);
	ok(l.nr == 2 && l.samples == 13, "of different periods");
	is_str(name_of(l.v[0].function), "rarely", "the one with more events");
	ok(is_share(&l.v[0].share, 3, 75, wilson(0.75, n)), "3 that weigh 75 %%");
	ok(is_share(&l.v[1].share, 10, 25, wilson(0.25, n)), "10 that weigh 25 %%");
	td_hot_functions_free(&l);
}

static void test_extremes(void)
{
	static const uint64_t numbers[] = { 1, 2, 29, 1000, 100000 };

	for (size_t i = 0; i < TD_ARRAY_SIZE(numbers); i++) {
		uint64_t n = numbers[i];
		struct td_hot_functions l;

		begin();
		hit(LOAD, location("all", 0x10, 0), -1, n, 12345);
		td_hot_functions_make(&l, &hits, &locations, LOAD);
		ok(l.nr == 1 && is_share(&l.v[0].share, n, 100, wilson(1, (double)n)),
		   "all of %llu samples: an error is left", (unsigned long long)n);
		td_hot_functions_free(&l);
	}
	begin();
	hit(LOAD, location("no period", 0x10, 0), -1, 4, 0);
	hit(LOAD, location("huge", 0x20, 0), -1, 4, UINT64_MAX);
	{
		struct td_hot_functions l;

		td_hot_functions_make(&l, &hits, &locations, LOAD);
		ok(l.nr == 2 && l.v[0].share.percent <= 100 && l.v[1].share.percent >= 0 &&
			   isfinite(l.v[0].share.error) && isfinite(l.v[1].share.error),
		   "no period, and the largest");
		td_hot_functions_free(&l);
	}
}

static void test_lines(void)
{
	const struct td_details *lines;
	struct td_hot_functions l;

	begin();
	hit(LOAD, location("f", 0x10, 7), -1, 10, 1);
	hit(LOAD, location("f", 0x11, 8), -1, 20, 1);
	hit(LOAD, location("f", 0x12, 7), -1, 30, 1);
	hit(LOAD, location("f", 0x13, 0), -1, 5, 1);
	hit(LOAD, location("g", 0x20, 7), -1, 35, 1);
	td_hot_functions_make(&l, &hits, &locations, LOAD);
	ok(l.nr == 2 && l.v[0].lines.nr == 3 && l.v[1].lines.nr == 1, "lines of each function");
	lines = &l.v[0].lines;
	ok(lines->v[0].file == file && lines->v[0].line == 7 &&
		   is_share(&lines->v[0].share, 40, 40, wilson(0.4, 100)),
	   "the line with the most samples is first");
	ok(lines->v[1].line == 8 && is_share(&lines->v[1].share, 20, 20, wilson(0.2, 100)),
	   "then another");
	ok(lines->v[2].file == -1 && lines->v[2].share.samples == 5,
	   "what has no line is told apart");
	ok(l.v[1].lines.v[0].line == 7 && l.v[1].lines.v[0].share.samples == 35,
	   "the same line of another function");
	td_hot_functions_free(&l);
}

static void test_callers(void)
{
	const struct td_details *callers;
	struct td_hot_functions l;
	int by_main, also, other;

	begin();
	by_main = call(location("main", 0x100, 0), call(-1, -1));
	also = call(location("main", 0x108, 0), -1);
	other = call(location("other", 0x200, 0), also);
	hit(LOAD, location("f", 0x10, 0), by_main, 30, 1);
	hit(LOAD, location("f", 0x11, 0), also, 20, 1);
	hit(LOAD, location("f", 0x11, 0), other, 40, 1);
	hit(LOAD, location("f", 0x11, 0), -1, 4, 1);
	hit(LOAD, location("f", 0x11, 0), call(-1, -1), 6, 1);
	td_hot_functions_make(&l, &hits, &locations, LOAD);
	callers = &l.v[0].callers;
	ok(l.nr == 1 && callers->nr == 3, "the functions that call");
	is_str(name_of(callers->v[0].function), "main", "most often");
	ok(is_share(&callers->v[0].share, 50, 50, wilson(0.5, 100)), "from two places in it");
	is_str(name_of(callers->v[1].function), "other", "then another");
	ok(callers->v[2].function == -1 && callers->v[2].share.samples == 10,
	   "and what is not known");
	td_hot_functions_free(&l);
}

/* System calls and interrupts do not count as calls of functions. */
static void test_border(void)
{
	char path[] = "[kernel]";
	const struct td_object kernel = { .kind = TD_OBJECT_KERNEL, .path = path };
	int user, inner;

	begin();
	user = location("main", 0x100, 0);
	inner = td_locations_add(&locations, td_locations_add_object(&locations, &kernel), 9);
	locations.v[inner].function = locations.v[user].function;
	ok(td_locations_caller(&locations, inner, call(user, -1)) == -1,
	   "the kernel has no caller in user space");
	ok(td_locations_caller(&locations, inner, call(inner, call(user, -1))) ==
		   locations.v[inner].function,
	   "only in itself");
}

static void test_most_calls(void)
{
	size_t nr = 0;
	int last = -1, rc;

	begin();
	while ((rc = call(1, last)) >= 0 && nr < 2 * TD_MAX_CALLS) {
		last = rc;
		nr++;
	}
	ok(rc == -E2BIG && nr == TD_MAX_CALLS, "calls have an end");
	ok(call(1, -1) == 0, "those that are there are found");
}

/* The same result whatever the order in which samples came. */
static void test_order(void)
{
	struct td_hot_functions l;
	char name[2] = "a";
	bool in_order = true;
	double percent = 0;

	begin();
	for (uint32_t i = 0; i < 26; i++) {
		uint32_t x = i * 7 % 26;

		name[0] = (char)('a' + x);
		hit(LOAD, location(name, (x + 1) * 16, 0), -1, x + 1, 3);
	}
	td_hot_functions_make(&l, &hits, &locations, LOAD);
	for (size_t i = 0; i < l.nr; i++) {
		in_order &= name_of(l.v[i].function)[0] == (char)('z' - i);
		percent += l.v[i].share.percent;
	}
	ok(l.nr == 26 && in_order, "the largest first");
	ok(test_near(percent, 100, 1e-12), "together they are all");
	td_hot_functions_free(&l);
}

/* --- what the error is one of ------------------------------------------------- */

/*
 * A run of ten seconds, a sample each ms: the function has 90 % of the events in its
 * phases, 5 % between them.  Returns the share that it had in this very run.
 */
static double run_phases(double mean_ms, int in, int other, uint64_t *chance)
{
	double share = 0, left_ms = 0, truth = 0;

	for (int ms = 0; ms < 10000; ms++) {
		if (left_ms <= 0) {
			share = uniform(chance) < 0.3 ? 0.9 : 0.05;
			left_ms = -mean_ms * log(1 - uniform(chance));
		}
		left_ms -= 1;
		truth += share / 100;
		hit(LOAD, uniform(chance) < share ? in : other, -1, 1, 1000);
	}
	return truth;
}

/*
 * The error assumes samples at random times.  It is too wide where phases are longer than the time
 * between two samples, and never includes how much another run would differ, which is many times
 * as much.
 */
static void check_phases(double mean_ms)
{
	double errors = 0, squares = 0, ratio;
	uint64_t chance = 1;
	int held = 0;

	for (int i = 0; i < 400; i++) {
		struct td_hot_functions l;
		const struct td_share *share;
		double truth;
		int in;

		begin();
		in = location("in", 0x10, 0);
		truth = run_phases(mean_ms, in, location("other", 0x20, 0), &chance);
		td_hot_functions_make(&l, &hits, &locations, LOAD);
		share = &l.v[l.v[0].function != locations.v[in].function].share;
		held += fabs(share->percent - truth) <= share->error;
		squares += pow(share->percent - truth, 2) / 400;
		errors += share->error / 400;
		td_hot_functions_free(&l);
	}
	ratio = errors / 1.96 / sqrt(squares);
	ok(held >= 0.93 * 400 && ratio > 0.95 && ratio < 2.5,
	   "phases of %g ms: %.1f %% hold the run's share, %.2f times as wide as needed", mean_ms,
	   held / 4., ratio);
}

int main(void)
{
	test_hits();
	test_none();
	test_shares();
	test_weights();
	test_extremes();
	test_lines();
	test_callers();
	test_border();
	test_most_calls();
	test_order();
	for (double ms = 2; ms <= 2000; ms *= 10)
		check_phases(ms);
	begin();
	return done_testing();
}
