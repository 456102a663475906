// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sample/windows.h"

#include <stdlib.h>

#include "lib/base/util.h"
#include "tests/unit/coverage.h"

#define SLOTS  0 /* the group of two on PMU 0: slots and one field */
#define CYCLES 1 /* that of one, on PMU 1 */

static int members[] = { 0, 1, 2 };
static struct td_group groups[] = {
	{ .pmu = 0, .members = members, .nr = 2 },
	{ .pmu = 1, .members = members + 2, .nr = 1 },
};
static const struct td_plan plan = { .groups = groups, .nr_groups = 2 };
static struct td_windows windows;

static void begin(bool of_cpus)
{
	td_windows_free(&windows);
	windows.plan = &plan;
	windows.of_cpus = of_cpus;
}

struct sample {
	uint64_t time_ns;
	int cpu, tid, location;
	uint64_t value; /* count of the first member; the second has a tenth */
};

static const struct td_window *add(int group, const struct sample *s)
{
	const uint64_t pairs[] = { s->value, 1001, s->value / 10, 1002 };
	const struct td_window_end end = { s->time_ns, group, s->cpu, s->tid, s->location, pairs };

	td_windows_add(&windows, &end);
	return &windows.v[windows.nr - 1];
}

#define ADD(...) add(SLOTS, &(struct sample){ __VA_ARGS__ })

static bool is(const struct td_window *w, uint64_t value, uint64_t time_ns)
{
	return w->group == SLOTS && w->values[0] == value && w->values[1] == value / 10 &&
	       w->time_ns == time_ns;
}

static bool between(const struct td_window *w, int from, int to)
{
	return w->from == from && w->to == to;
}

/* --- windows ---------------------------------------------------------------- */

static void test_kept(void)
{
	const struct td_window *w;

	begin(false);
	w = ADD(1000, 0, 7, 3, 500);
	ok(w->values[0] == 500 && w->values[1] == 50 && between(w, -1, -1),
	   "the first of a thread begins with its counts, where is not known");
	w = ADD(2000, 0, 7, 4, 800);
	ok(is(w, 300, 1000) && between(w, 3, 4), "between two samples");
	w = ADD(2500, 0, 7, 4, 900);
	ok(is(w, 100, 500) && between(w, 4, 4), "the next one");
	ok(windows.nr == 3, "one for each sample");
}

/* Threads, and groups of one thread, do not end each other's. */
static void test_apart(void)
{
	begin(false);
	ADD(1000, 0, 7, 3, 500);
	ADD(1100, 1, 8, 5, 100);
	add(CYCLES, &(struct sample){ 1200, 0, 7, 6, 40 });
	ok(is(ADD(2000, 0, 7, 4, 600), 100, 1000) && between(&windows.v[windows.nr - 1], 3, 4),
	   "of the same thread");
	ok(is(ADD(2100, 1, 8, 5, 250), 150, 1000) && between(&windows.v[windows.nr - 1], 5, 5),
	   "of another one");
	{
		const struct td_window *w = add(CYCLES, &(struct sample){ 2200, 0, 7, 9, 70 });

		ok(w->group == CYCLES && w->values[0] == 30 && w->time_ns == 1000 &&
			   between(w, 6, 9),
		   "of the other group");
	}
}

static void test_switched(void)
{
	begin(false);
	ADD(1000, 0, 7, 3, 500);
	ADD(1000, 0, 8, 3, 500);
	td_windows_break(&windows, false, 7, 1500);
	ok(is(ADD(2000, 0, 7, 3, 700), 200, 1000) && between(&windows.v[windows.nr - 1], -1, -1),
	   "the thread lost its CPU between: counted, where is not known");
	ok(between(ADD(2000, 0, 8, 3, 700), 3, 3), "another one did not");
	ok(between(ADD(3000, 0, 7, 3, 900), 3, 3), "nor was it later");
	td_windows_break(&windows, true, 7, 3500);
	ok(between(ADD(4000, 0, 7, 3, 990), 3, 3), "a CPU of its number is something else");
	td_windows_break(&windows, false, 7, 4100);
	td_windows_break(&windows, false, 7, 4200);
	ok(between(ADD(5000, 0, 7, 3, 999), -1, -1), "lost twice");
}

static void test_migrated(void)
{
	begin(false);
	ADD(1000, 0, 7, 3, 500);
	ok(is(ADD(2000, 1, 7, 3, 200), 200, 1000) && between(&windows.v[windows.nr - 1], -1, -1),
	   "the thread was moved: the events of the other CPU begin at 0");
	ok(is(ADD(3000, 1, 7, 4, 400), 200, 1000) && between(&windows.v[windows.nr - 1], 3, 4),
	   "and stays there");
	ok(is(ADD(4000, 0, 7, 4, 600), 100, 1000) && between(&windows.v[windows.nr - 1], -1, -1),
	   "it comes back, where they have counted before: not once more");
	ADD(5000, 0, 7, 4, 10);
	ok(is(ADD(6000, 1, 7, 4, 450), 450, 1000),
	   "another thread with its number has counted nothing there");
}

static void test_lost(void)
{
	begin(false);
	ADD(1000, 0, 7, 3, 500);
	ADD(1000, 1, 8, 3, 500);
	td_windows_break(&windows, true, 0, 1500);
	ok(between(ADD(2000, 0, 7, 3, 700), -1, -1), "samples of the CPU were lost");
	ok(between(ADD(2000, 1, 8, 3, 700), 3, 3), "not of another one");
	ok(between(ADD(3000, 0, 7, 3, 900), 3, 3), "nor later");
}

/*
 * The kernel reports that it stops an event before the sample that was one too many: counts before
 * this sample are valid.
 */
static void test_stopped(void)
{
	begin(false);
	ADD(1000, 0, 7, 3, 500);
	ok(between(ADD(2000, 0, 7, 3, 700), 3, 3), "up to the last sample");
	td_windows_resume(&windows, 0, 7, 2500);
	ADD(3000, 0, 7, 3, 800);
	ok(windows.nr == 2, "what was counted while it stood still is left out");
	ok(is(ADD(4000, 0, 7, 3, 990), 190, 1000) && between(&windows.v[windows.nr - 1], 3, 3),
	   "and the next window begins behind it");
	td_windows_resume(&windows, 0, 8, 4500);
	ok(between(ADD(5000, 0, 7, 3, 999), 3, 3), "another thread's did");
	begin(true);
	ADD(1000, 0, 7, 3, 500);
	td_windows_resume(&windows, 0, 8, 1500);
	ADD(2000, 0, 7, 3, 700);
	ok(windows.nr == 1, "of a CPU, whichever thread it has");
}

/* A new thread's counts begin at 0 again. */
static void test_again(void)
{
	const struct td_window *w;

	begin(false);
	ADD(1000, 0, 7, 3, 500);
	ADD(2000, 0, 7, 3, 900);
	w = ADD(9000, 0, 7, 4, 300);
	ok(w->values[0] == 300 && w->values[1] == 30 && between(w, -1, -1),
	   "a thread number that is used again");
	ok(is(ADD(9500, 0, 7, 4, 350), 50, 500) && between(&windows.v[windows.nr - 1], 4, 4),
	   "and goes on");
}

static void test_of_cpus(void)
{
	begin(true);
	ADD(1000, 0, 7, 3, 500);
	ok(is(ADD(2000, 0, 8, 3, 700), 200, 1000) && between(&windows.v[windows.nr - 1], -1, -1),
	   "the counts of a CPU go on with another thread, as not known");
	ok(is(ADD(3000, 0, 8, 4, 900), 200, 1000) && between(&windows.v[windows.nr - 1], 3, 4),
	   "the same thread");
	ok(between(ADD(3500, 1, 8, 4, 900), -1, -1), "the first of a CPU");
	td_windows_break(&windows, true, 0, 3500);
	ok(between(ADD(4000, 0, 8, 4, 950), -1, -1), "samples were lost");
	td_windows_break(&windows, false, 8, 4500);
	ok(between(ADD(5000, 0, 8, 4, 990), -1, -1), "or the CPU");
	ok(between(ADD(6000, 0, 8, 4, 999), 4, 4), "nothing was");
}

static void test_clear(void)
{
	begin(false);
	ADD(1000, 0, 7, 3, 500);
	td_windows_clear(&windows);
	ok(windows.nr == 0, "cleared");
	ok(is(ADD(2000, 0, 7, 4, 700), 200, 1000) && windows.nr == 1 &&
		   between(&windows.v[0], 3, 4),
	   "but the last sample is kept");
}

static void test_many(void)
{
	bool right = true;

	begin(false);
	for (int round = 0; round < 3; round++) {
		for (int tid = 0; tid < 20000; tid++) {
			const struct td_window *w = ADD((uint64_t)(1000 + round), 0, tid, tid,
							(uint64_t)(10 * tid + 10 + 20 * round));

			right &= !round || (w->values[0] == 20 && between(w, tid, tid));
		}
	}
	ok(right && windows.nr == 60000, "20,000 threads");
}

/* --- the counts of functions ------------------------------------------------ */

static struct td_locations locations;
static struct td_function_counts counts;
static struct td_regions regions;
static struct td_batched batched;

static int location_in(const char *path, const char *function, uint64_t address)
{
	const struct td_object object = { .kind = TD_OBJECT_FILE, .path = (char *)(uintptr_t)path };
	int of = td_locations_add_object(&locations, &object);
	const struct td_function f = { (char *)(uintptr_t)function, of, address & ~UINT64_C(15) };
	int at = td_locations_add(&locations, of, address);

	locations.v[at].function = td_locations_add_function(&locations, &f);
	return at;
}

static void begin_counts(void)
{
	begin(false);
	td_function_counts_free(&counts);
	td_regions_free(&regions);
	regions = (struct td_regions){ 0 };
	td_batched_free(&batched);
	td_locations_free(&locations);
}

/* Add windows of 100 slots and 1000 ns, from one location to another. */
static void stay(int group, int tid, int from, int to, int nr)
{
	static uint64_t time_ns = 1000;
	uint64_t value = 1;

	begin(false);
	for (int i = 0; i <= nr; i++) {
		add(group, &(struct sample){ time_ns, 0, tid, i % 2 ? to : from, value });
		time_ns += 1000;
		value += 100;
	}
	td_function_counts_add(&counts, &windows, &locations);
	td_windows_clear(&windows);
}

static void make_regions(void)
{
	td_function_counts_to_regions(&counts, &plan, &locations, &regions, &batched);
}

/* Return the readings of a region and event. */
static const struct td_reading *reading(const struct td_region *region, int event)
{
	int number = region ? 1 + (int)(region - regions.v) : -1;

	for (size_t i = 0; i < batched.readings.nr; i++) {
		const struct td_reading *r = &batched.readings.v[i];

		if (r->region == number && r->event == event)
			return r;
	}
	return NULL;
}

static const struct td_region *region(const char *name)
{
	return td_regions_find(&regions, name, true);
}

static const struct td_region *outside(void)
{
	for (size_t i = 0; i < regions.nr; i++) {
		if (regions.v[i].outside)
			return &regions.v[i];
	}
	return NULL;
}

static void test_counts(void)
{
	const struct td_reading *r;
	int f, g;

	begin_counts();
	f = location_in("/bin/x", "f", 0x10);
	g = location_in("/bin/x", "g", 0x20);
	stay(SLOTS, 1, f, location_in("/bin/x", "f", 0x14), 40);
	stay(SLOTS, 2, f, g, 10);
	stay(SLOTS, 3, g, g, 29);
	make_regions();
	ok(regions.functions, "regions are functions");
	ok(region("f") && region("f")->calls.counted == 40 && !region("f")->outside &&
		   region("f")->on[0] == 40 && region("f")->on[1] == 0,
	   "windows within a function, though at several addresses");
	r = reading(region("f"), 0);
	ok(r && r->value == 4000 && r->running_ns == 40000 && r->enabled_ns == 40000,
	   "their counts and times");
	r = reading(region("f"), 1);
	ok(r && r->value == 400, "of each member");
	ok(region("g") && region("g")->calls.counted == 29, "few windows are there, too");
	ok(reading(region("g"), 0)->value == 2900, "with their counts");
	/* the first sample of each of 3 threads, and 10 windows of f and g */
	ok(outside() && outside()->calls.counted == 13, "the rest is outside of all functions");
	/* 13: 10 windows, and those with the counts of 1 at the begin */
	ok(reading(outside(), 0)->value == 1003, "nothing is lost");
	ok(batched.timeline.nr == TD_BATCHES, "in batches");
}

/* Functions have percentages if they have at least TD_MIN_WINDOWS windows. */
static void test_least(void)
{
	int few, enough;

	begin_counts();
	few = location_in("/bin/x", "few", 0x10);
	enough = location_in("/bin/x", "enough", 0x20);
	stay(SLOTS, 1, few, few, TD_MIN_WINDOWS - 1);
	stay(SLOTS, 2, enough, enough, TD_MIN_WINDOWS);
	make_regions();
	ok(TD_MIN_WINDOWS == 30 && region("few")->calls.counted < TD_MIN_WINDOWS &&
		   region("enough")->calls.counted == TD_MIN_WINDOWS,
	   "29 windows are too few, 30 are enough");
}

static void test_names(void)
{
	static const struct {
		const char *path, *name;
		uint64_t address;
	} rows[] = {
		{ "/bin/x", "main", 0x10 },
		{ "/lib/liby.so", "main", 0x20 },
		{ "/lib/liby.so", "main", 0x40 },
		{ "/lib/libz.so", "main", 0x10 },
		{ "/lib/libz.so", NULL, 0x60 },
		{ "/bin/x", NULL, 0x60 },
		{ "[kernel.kallsyms]", "schedule", 0x60 },
		{ "/other/liby.so", "main", 0x20 },
		{ "//anon", "a", 0x1000 },
	};
	size_t own = 0;
	bool different = true;

	begin_counts();
	for (size_t i = 0; i < TD_ARRAY_SIZE(rows); i++) {
		int at = location_in(rows[i].path, rows[i].name, rows[i].address);

		stay(SLOTS, (int)i, at, at, 31 + (int)i);
	}
	make_regions();
	for (size_t i = 0; i < regions.nr; i++) {
		const struct td_region *r = &regions.v[i];
		size_t at;

		if (!r->own || r->outside)
			continue;
		own++;
		for (at = 0; at < TD_ARRAY_SIZE(rows); at++)
			different &= r->calls.counted != 31 + at || !rows[at].name ||
				     strstr(r->name, rows[at].name);
		for (size_t j = 0; j < i; j++)
			different &= !regions.v[j].own || strcmp(regions.v[j].name, r->name) != 0;
		printf("# %s\n", r->name);
	}
	/* the last but one has the name, the base and the address of another */
	ok(own == TD_ARRAY_SIZE(rows), "%zu functions of equal names: %zu", TD_ARRAY_SIZE(rows),
	   own);
	ok(different, "each has a name of its own");
	ok(region("main") && region("main")->calls.counted == 31, "the first has the name alone");
	ok(region("main (liby.so)") && region("main (liby.so)")->calls.counted == 32,
	   "the next one its object");
	ok(region("schedule"), "one of the kernel");
}

static void test_groups(void)
{
	const struct td_reading *r;
	int f;

	begin_counts();
	f = location_in("/bin/x", "f", 0x10);
	stay(SLOTS, 1, f, f, 40);
	stay(CYCLES, 1, f, f, 50);
	make_regions();
	ok(region("f")->calls.counted == 90 && region("f")->on[0] == 40 && region("f")->on[1] == 50,
	   "a function on two kinds of core is one");
	r = reading(region("f"), 0);
	ok(r && r->value == 4000, "the counts of one");
	r = reading(region("f"), 2);
	ok(r && r->value == 5000 && r->running_ns == 50000, "and the other");
}

/* --- random windows ----------------------------------------------------------- */

/* A part of a program that alternates between parts. */
struct turn {
	int location;
	double ms;     /* for so long in the mean, */
	uint64_t lost; /* slots lost, of 100 */
};

/* Samples it each millisecond; the group has slots and what of them is lost. */
static void sample_turns(const struct turn *turns, size_t nr, int ms)
{
	uint64_t chance = 1;
	double now = 0, until = 0, slots = 1, lost = 0;
	size_t turn = 0;

	begin(false);
	for (int i = 1; i <= ms; i++) {
		double next = i + 0.05 * uniform(&chance);

		while (now < next) {
			double end = fmin(until, next);

			slots += 1e6 * (end - now);
			lost += 1e4 * (end - now) * (double)turns[turn].lost;
			now = end;
			if (now < until)
				continue;
			turn = (turn + 1) % nr;
			until += turns[turn].ms * (0.5 + uniform(&chance));
		}
		{
			const uint64_t pairs[] = { (uint64_t)slots, 1001, (uint64_t)lost, 1002 };
			const struct td_window_end end = {
				(uint64_t)(1e6 * now), SLOTS, 0, 1, turns[turn].location, pairs,
			};

			td_windows_add(&windows, &end);
		}
	}
	td_function_counts_add(&counts, &windows, &locations);
	td_windows_clear(&windows);
}

/* Return the shown percentage of a function; -1: none. */
static double lost_in(const char *name)
{
	const struct td_region *r = region(name);
	const struct td_reading *lost, *slots;

	if (!r || r->calls.counted < TD_MIN_WINDOWS)
		return -1;
	lost = reading(r, 1);
	slots = reading(r, 0);
	return lost && slots ? 100.0 * (double)lost->value / (double)slots->value : -1;
}

static struct turn turn_of(const char *name, double ms, uint64_t lost)
{
	static uint64_t address;

	address += 16;
	return (struct turn){ location_in("/bin/x", name, address), ms, lost };
}

/* Each has the mean of both in all of its windows. */
static void test_short(void)
{
	begin_counts();
	{
		const struct turn turns[] = { turn_of("keys", 0.02, 80),
					      turn_of("hash", 0.02, 10) };

		sample_turns(turns, 2, 10000);
	}
	make_regions();
	ok(lost_in("keys") < 0 && lost_in("hash") < 0,
	   "two functions of 20 us that take turns are not shown");
	ok(outside() && outside()->calls.counted == 10000,
	   "all windows are between functions: %llu",
	   (unsigned long long)(outside() ? outside()->calls.counted : 0));
}

static void test_long_and_short(void)
{
	begin_counts();
	{
		const struct turn turns[] = { turn_of("sort", 30, 30), turn_of("parse", 0.05, 10),
					      turn_of("send", 10, 50),
					      turn_of("lookup", 0.05, 85) };

		sample_turns(turns, 4, 20000);
	}
	make_regions();
	ok(fabs(lost_in("sort") - 30) < 0.5, "30 ms: 30 %%, shown %.1f %%", lost_in("sort"));
	ok(fabs(lost_in("send") - 50) < 0.5, "10 ms: 50 %%, shown %.1f %%", lost_in("send"));
	ok(lost_in("parse") < 0 && lost_in("lookup") < 0,
	   "functions of 50 us between them are not shown");
}

/* A stay of five windows is significant, whether all are equally long or not. */
static void test_five(void)
{
	begin_counts();
	{
		const struct turn turns[] = { turn_of("keys", 5, 80), turn_of("hash", 5, 10) };

		sample_turns(turns, 2, 10000);
	}
	make_regions();
	ok(fabs(lost_in("keys") - 80) < 0.5 && fabs(lost_in("hash") - 10) < 0.5,
	   "5 ms: 80 %%, shown %.1f %%, and 10 %%, shown %.1f %%", lost_in("keys"),
	   lost_in("hash"));
}

/* Half of one is long calls, and half is short ones within another function. */
static void test_both(void)
{
	begin_counts();
	{
		struct turn turns[1 + 2 * 250];
		const struct turn copy = turn_of("copy", 0.02, 80);
		const struct turn other = turn_of("other", 0.02, 10);

		turns[0] = copy;
		turns[0].ms = 5;
		for (size_t i = 1; i < TD_ARRAY_SIZE(turns); i++)
			turns[i] = i % 2 ? other : copy;
		sample_turns(turns, TD_ARRAY_SIZE(turns), 20000);
	}
	make_regions();
	ok(lost_in("copy") < 0 || fabs(lost_in("copy") - 80) < 7,
	   "long and short calls of one: 80 %% or nothing, shown %.1f %%", lost_in("copy"));
	ok(lost_in("other") < 0, "short calls of another are not shown");
}

/* The random share varies over time: p^2 of all windows would be fewer. */
static void test_short_for_a_while(void)
{
	begin_counts();
	{
		const struct turn turns[] = { turn_of("keys", 0.02, 80),
					      turn_of("hash", 0.02, 10) };
		const struct turn rest = turn_of("rest", 1000, 30);

		sample_turns(turns, 2, 1000);
		sample_turns(&rest, 1, 9000);
	}
	make_regions();
	ok(lost_in("keys") < 0 && lost_in("hash") < 0,
	   "two short functions in a tenth of the time are not shown");
	ok(fabs(lost_in("rest") - 30) < 0.5, "what runs in the rest is: %.1f %%", lost_in("rest"));
}

/* Nearly all of each window is in it, in whatever turns. */
static void test_most(void)
{
	begin_counts();
	{
		const struct turn turns[] = { turn_of("most", 0.05, 20),
					      turn_of("leaf", 0.001, 90) };

		sample_turns(turns, 2, 10000);
	}
	make_regions();
	ok(fabs(lost_in("most") - 20) < 2, "98 %% of the time: shown %.1f %%", lost_in("most"));
}

/* --- errors ----------------------------------------------------------------- */

static struct td_window *add_made(int location, uint64_t slots, uint64_t lost)
{
	const struct td_window_end end = { 0, SLOTS, 0, 1, location, (uint64_t[4]){ 0 } };
	struct td_window *w;

	td_windows_add(&windows, &end);
	w = &windows.v[windows.nr - 1];
	w->from = w->to = location;
	w->time_ns = 1000000;
	w->values[0] = slots;
	w->values[1] = lost;
	return w;
}

/* Also when the windows are given in parts. */
static void test_batches(void)
{
	bool alike = true;
	int f;

	begin_counts();
	f = location_in("/bin/x", "f", 0x10);
	for (int i = 0; i < 4096; i++) {
		add_made(f, i < 2048 ? 100 : 300, 0);
		if (i % 50 && i != 4095)
			continue;
		td_function_counts_add(&counts, &windows, &locations);
		td_windows_clear(&windows);
	}
	make_regions();
	for (size_t i = 0; i < TD_BATCHES; i++)
		alike &= batch_value(&batched, i, 0) == (i < TD_BATCHES / 2 ? 25600 : 76800);
	ok(alike, "windows that follow each other are in one batch");
}

static void test_coverage(const struct pattern *pattern)
{
	struct coverage coverage = { 0 };

	for (unsigned int i = 0; i < 400; i++) {
		struct program program = program_start(pattern, i);
		struct td_cell cell;
		int f;

		begin_counts();
		f = location_in("/bin/x", "f", 0x10);
		for (int j = 0; j < 5000; j++)
			add_made(f, 1000000, (uint64_t)(1e6 * program_call(&program)));
		td_function_counts_add(&counts, &windows, &locations);
		td_windows_clear(&windows);
		make_regions();
		cell = ratio_of(&batched, 1, 0);
		coverage_add(&coverage, cell.value, cell.error, pattern->truth);
	}
	coverage_check(&coverage, "windows", pattern->name);
}

int main(void)
{
	test_kept();
	test_apart();
	test_switched();
	test_migrated();
	test_lost();
	test_stopped();
	test_again();
	test_of_cpus();
	test_clear();
	test_many();
	test_counts();
	test_least();
	test_names();
	test_groups();
	test_short();
	test_long_and_short();
	test_five();
	test_both();
	test_short_for_a_while();
	test_most();
	test_batches();
	for (size_t i = 0; i < NR_PATTERNS; i++)
		test_coverage(&patterns[i]);
	begin_counts();
	return done_testing();
}
