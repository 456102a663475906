// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sample/windows.h"

#include <stdlib.h>

#include "lib/base/util.h"
#include "lib/sample/function_counts.h"
#include "tests/unit/test.h"

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
	int cpu, tid, spot;
	uint64_t value; /* of the first member; the second has a tenth */
};

static const struct td_window *add(int group, const struct sample *s)
{
	const uint64_t pairs[] = { s->value, 1001, s->value / 10, 1002 };
	const struct td_window_end end = { s->time_ns, group,   s->cpu,
					   s->tid,     s->spot, pairs };

	if (td_windows_add(&windows, &end))
		exit(1);
	return &windows.v[windows.nr - 1];
}

#define ADD(...) add(SLOTS, &(struct sample){ __VA_ARGS__ })

static bool is(const struct td_window *w, uint64_t value, uint64_t time_ns)
{
	return w->group == SLOTS && w->values[0] == value &&
	       w->values[1] == value / 10 && w->time_ns == time_ns;
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
	ok(is(ADD(2000, 0, 7, 4, 600), 100, 1000) &&
		   between(&windows.v[windows.nr - 1], 3, 4),
	   "of the same thread");
	ok(is(ADD(2100, 1, 8, 5, 250), 150, 1000) &&
		   between(&windows.v[windows.nr - 1], 5, 5),
	   "of another one");
	{
		const struct td_window *w =
			add(CYCLES, &(struct sample){ 2200, 0, 7, 9, 70 });

		ok(w->group == CYCLES && w->values[0] == 30 &&
			   w->time_ns == 1000 && between(w, 6, 9),
		   "of the other group");
	}
}

static void test_switched(void)
{
	begin(false);
	ADD(1000, 0, 7, 3, 500);
	ADD(1000, 0, 8, 3, 500);
	td_windows_break(&windows, false, 7, 1500);
	ok(is(ADD(2000, 0, 7, 3, 700), 200, 1000) &&
		   between(&windows.v[windows.nr - 1], -1, -1),
	   "the thread lost its CPU between: counted, where is not known");
	ok(between(ADD(2000, 0, 8, 3, 700), 3, 3), "another one did not");
	ok(between(ADD(3000, 0, 7, 3, 900), 3, 3), "nor was it later");
	td_windows_break(&windows, true, 7, 3500);
	ok(between(ADD(4000, 0, 7, 3, 990), 3, 3),
	   "a CPU of its number is something else");
	td_windows_break(&windows, false, 7, 4100);
	td_windows_break(&windows, false, 7, 4200);
	ok(between(ADD(5000, 0, 7, 3, 999), -1, -1), "lost twice");
}

static void test_migrated(void)
{
	begin(false);
	ADD(1000, 0, 7, 3, 500);
	ok(is(ADD(2000, 1, 7, 3, 700), 200, 1000) &&
		   between(&windows.v[windows.nr - 1], -1, -1),
	   "the thread was moved");
	ok(between(ADD(3000, 1, 7, 4, 900), 3, 4), "and stays there");
}

static void test_lost(void)
{
	begin(false);
	ADD(1000, 0, 7, 3, 500);
	ADD(1000, 1, 8, 3, 500);
	td_windows_break(&windows, true, 0, 1500);
	ok(between(ADD(2000, 0, 7, 3, 700), -1, -1),
	   "samples of the CPU were lost");
	ok(between(ADD(2000, 1, 8, 3, 700), 3, 3), "not of another one");
	ok(between(ADD(3000, 0, 7, 3, 900), 3, 3), "nor later");
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
	ok(is(ADD(9500, 0, 7, 4, 350), 50, 500) &&
		   between(&windows.v[windows.nr - 1], 4, 4),
	   "and goes on");
}

static void test_of_cpus(void)
{
	begin(true);
	ADD(1000, 0, 7, 3, 500);
	ok(is(ADD(2000, 0, 8, 3, 700), 200, 1000) &&
		   between(&windows.v[windows.nr - 1], -1, -1),
	   "the counts of a CPU go on with another thread, as not known");
	ok(is(ADD(3000, 0, 8, 4, 900), 200, 1000) &&
		   between(&windows.v[windows.nr - 1], 3, 4),
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
			const struct td_window *w =
				ADD((uint64_t)(1000 + round), 0, tid, tid,
				    (uint64_t)(10 * tid + 10 + 20 * round));

			right &= !round ||
				 (w->values[0] == 20 && between(w, tid, tid));
		}
	}
	ok(right && windows.nr == 60000, "20,000 threads");
}

/* --- the counts of functions ------------------------------------------------ */

static struct td_spots spots;
static struct td_function_counts counts;
static struct td_regions regions;
static struct td_batched batched;

static int spot_in(const char *path, const char *function, uint64_t address)
{
	const struct td_object object = { .kind = TD_OBJECT_FILE,
					  .path = (char *)(uintptr_t)path };
	int of = td_spots_add_object(&spots, &object);
	const struct td_function f = { (char *)(uintptr_t)function, of,
				       address & ~UINT64_C(15) };
	int at = td_spots_add(&spots, of, address);

	spots.v[at].function = td_spots_add_function(&spots, &f);
	return at;
}

static void begin_counts(void)
{
	begin(false);
	td_function_counts_free(&counts);
	td_regions_free(&regions);
	regions = (struct td_regions){ 0 };
	td_batched_free(&batched);
	td_spots_free(&spots);
}

/* Windows of 100 slots and 1000 ns, from a spot to a spot. */
static void stay(int group, int tid, int from, int to, int nr)
{
	static uint64_t time_ns = 1000;
	uint64_t value = 1;

	begin(false);
	for (int i = 0; i <= nr; i++) {
		add(group, &(struct sample){ time_ns, 0, tid, i % 2 ? to : from,
					     value });
		time_ns += 1000;
		value += 100;
	}
	if (td_function_counts_add(&counts, &windows, &spots))
		exit(1);
	td_windows_clear(&windows);
}

static void make_regions(void)
{
	if (td_function_counts_to_regions(&counts, &plan, &spots, &regions,
					  &batched))
		exit(1);
}

/* What the readings of a region and event say. */
static const struct td_reading *reading(const struct td_region *region,
					int event)
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
	f = spot_in("/bin/x", "f", 0x10);
	g = spot_in("/bin/x", "g", 0x20);
	stay(SLOTS, 1, f, spot_in("/bin/x", "f", 0x14), 40);
	stay(SLOTS, 2, f, g, 10);
	stay(SLOTS, 3, g, g, 29);
	make_regions();
	ok(regions.functions, "regions are functions");
	ok(region("f") && region("f")->calls.counted == 40 &&
		   !region("f")->outside && region("f")->on[0] == 40 &&
		   region("f")->on[1] == 0,
	   "windows within a function, though at several addresses");
	r = reading(region("f"), 0);
	ok(r && r->value == 4000 && r->running_ns == 40000 &&
		   r->enabled_ns == 40000,
	   "their counts and times");
	r = reading(region("f"), 1);
	ok(r && r->value == 400, "of each member");
	ok(region("g") && region("g")->calls.counted == 29,
	   "few windows are there, too");
	ok(reading(region("g"), 0)->value == 2900, "with their counts");
	/* the first sample of each of 3 threads, and 10 windows of f and g */
	ok(outside() && outside()->calls.counted == 13,
	   "the rest is outside of all functions");
	/* 13: 10 windows, and those with the counts of 1 at the begin */
	ok(reading(outside(), 0)->value == 1003, "nothing is lost");
	ok(batched.course.nr == TD_BATCHES, "in batches");
}

/* Which ones have percentages is told by the number that regions.h has. */
static void test_least(void)
{
	int few, enough;

	begin_counts();
	few = spot_in("/bin/x", "few", 0x10);
	enough = spot_in("/bin/x", "enough", 0x20);
	stay(SLOTS, 1, few, few, TD_LEAST_WINDOWS - 1);
	stay(SLOTS, 2, enough, enough, TD_LEAST_WINDOWS);
	make_regions();
	ok(TD_LEAST_WINDOWS == 30 &&
		   region("few")->calls.counted < TD_LEAST_WINDOWS &&
		   region("enough")->calls.counted == TD_LEAST_WINDOWS,
	   "29 and 30 windows are told apart");
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
		int at = spot_in(rows[i].path, rows[i].name, rows[i].address);

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
			different &= r->calls.counted != 31 + at ||
				     !rows[at].name ||
				     strstr(r->name, rows[at].name);
		for (size_t j = 0; j < i; j++)
			different &= !regions.v[j].own ||
				     strcmp(regions.v[j].name, r->name) != 0;
		printf("# %s\n", r->name);
	}
	/* the last but one has the name, the base and the address of another */
	ok(own == TD_ARRAY_SIZE(rows), "%zu functions of equal names: %zu",
	   TD_ARRAY_SIZE(rows), own);
	ok(different, "each has a name of its own");
	ok(region("main") && region("main")->calls.counted == 31,
	   "the first has the name alone");
	ok(region("main (liby.so)") &&
		   region("main (liby.so)")->calls.counted == 32,
	   "the next one its object");
	ok(region("schedule"), "one of the kernel");
}

static void test_groups(void)
{
	const struct td_reading *r;
	int f;

	begin_counts();
	f = spot_in("/bin/x", "f", 0x10);
	stay(SLOTS, 1, f, f, 40);
	stay(CYCLES, 1, f, f, 50);
	make_regions();
	ok(region("f")->calls.counted == 90 && region("f")->on[0] == 40 &&
		   region("f")->on[1] == 50,
	   "a function on two kinds of core is one");
	r = reading(region("f"), 0);
	ok(r && r->value == 4000, "the counts of one");
	r = reading(region("f"), 2);
	ok(r && r->value == 5000 && r->running_ns == 50000, "and the other");
}

/* Also when the windows are given in parts. */
static void test_batches(void)
{
	struct td_readings part = { 0 };
	uint64_t all = 0;
	size_t with = 0;
	int f;

	begin_counts();
	f = spot_in("/bin/x", "f", 0x10);
	for (int i = 0; i < 10; i++)
		stay(SLOTS, 1, f, f, 8);
	make_regions();
	for (size_t i = 0; i < TD_BATCHES; i++) {
		const struct td_reading *r = reading(region("f"), 0);

		if (td_course_cut_out(&batched.course, i, &batched.readings,
				      &part))
			exit(1);
		all += part.v[r - batched.readings.v].value;
		with += part.v[r - batched.readings.v].value > 0;
	}
	free(part.v);
	ok(all == 8000 && with == TD_BATCHES,
	   "80 windows are in all of the batches");
}

int main(void)
{
	test_kept();
	test_apart();
	test_switched();
	test_migrated();
	test_lost();
	test_again();
	test_of_cpus();
	test_clear();
	test_many();
	test_counts();
	test_least();
	test_names();
	test_groups();
	test_batches();
	begin_counts();
	return done_testing();
}
