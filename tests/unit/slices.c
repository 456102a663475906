// SPDX-License-Identifier: GPL-2.0-only
/* Counts of tasks, from the counts of CPUs at context switches. */
#include "lib/sample/slices.h"

#include "lib/base/util.h"
#include "tests/unit/coverage.h"

/* Two groups of a core type, slots with a field, and cycles, and one of another type. */
static int members[] = { 0, 1, 2, 3 };
static struct td_group groups[] = {
	{ .members = members, .nr = 2 },
	{ .pmu = 1, .members = members + 3, .nr = 1 },
	{ .members = members + 2, .nr = 1 },
};
static struct td_plan plan = { .groups = groups };
static struct td_slices slices;

/* A switch: the group has counted for ns on the CPU, and is now at value and value / 10. */
static struct td_slice_end end_of(int group, int cpu, int task, uint64_t ns, uint64_t value)
{
	static uint64_t pairs[4];

	pairs[0] = value;
	pairs[2] = value / 10;
	return (struct td_slice_end){
		.group = group,
		.cpu = cpu,
		.task = task,
		.enabled_ns = ns,
		.running_ns = ns,
		.pairs = pairs,
	};
}

static void leave(int cpu, int task, uint64_t ns, uint64_t value)
{
	struct td_slice_end end = end_of(0, cpu, task, ns, value);

	td_slices_add(&slices, &end);
}

static void look(int cpu, int task, uint64_t ns, uint64_t value)
{
	struct td_slice_end end = end_of(0, cpu, task, ns, value);

	td_slices_look(&slices, &end, true);
}

/* Did the task count so much of the event, in this time? */
static bool has(const struct td_readings *of, int event, int task, uint64_t value, uint64_t ns)
{
	size_t nr = 0;
	bool same = false;

	for (size_t i = 0; i < of->nr; i++) {
		const struct td_reading *r = &of->v[i];

		if (r->event != event || r->tid != task)
			continue;
		nr++;
		same = r->cpu == -1 && r->value == value && r->enabled_ns == ns &&
		       r->running_ns == (value ? ns : 0);
	}
	return nr == 1 && same;
}

static void begin(void)
{
	td_slices_free(&slices);
	plan.nr_groups = 2;
	slices.plan = &plan;
}

static void test_tasks(void)
{
	const struct td_readings *of;

	begin();
	leave(0, 7, 100, 1000);
	leave(0, 8, 300, 1600);
	leave(1, 7, 50, 400);
	leave(0, 7, 400, 1900);
	of = td_slices_end(&slices);
	ok(has(of, 0, 7, 1700, 250) && has(of, 1, 7, 170, 250),
	   "a task has the counts of its slices on all CPUs");
	ok(has(of, 0, 8, 600, 200) && has(of, 1, 8, 60, 200), "and another one those of its own");
	ok(of->nr == 4, "nothing else is counted");
	leave(0, 8, 500, 2000);
	of = td_slices_end(&slices);
	ok(of->nr == 2 && has(of, 0, 8, 100, 100), "the next interval has only what follows");
}

/* The groups of a core type are multiplexed; each turn ends with a reading by task 1. */
static void test_turns(void)
{
	const struct td_readings *of;
	const struct td_reading *last;
	struct td_slice_end end;

	begin();
	plan.nr_groups = 3;
	leave(0, 7, 100, 1000);
	end = end_of(0, 0, 1, 110, 1010);
	td_slices_look(&slices, &end, false);
	td_slices_settle(&slices);
	end = end_of(2, 0, 7, 50, 5000);
	td_slices_add(&slices, &end);
	of = td_slices_end(&slices);
	ok(has(of, 0, 1, 10, 10) && !has(of, 3, 7, 0, 100), "the rest of a turn is not the task's");
	ok(of->nr == 6 && of->v[0].event == 0 && of->v[0].value == 1000 &&
		   of->v[0].enabled_ns == 150 && of->v[0].running_ns == 100,
	   "the task's whole time, of which a group had a part");
	last = &of->v[of->nr - 1];
	while (last->tid != 7 || last->event != 2)
		last--;
	ok(last->value == 5000 && last->enabled_ns == 150 && last->running_ns == 50,
	   "as the other group had, in its turn");
}

/* A group that the kernel has replaced for a while misses switches. */
static void test_displaced(void)
{
	const struct td_readings *of;
	struct td_slice_end end;

	begin();
	leave(0, 7, 100, 1000);
	end = end_of(0, 0, 7, 300, 1500);
	end.running_ns = 250;
	td_slices_add(&slices, &end);
	end = end_of(0, 0, 8, 400, 1800);
	end.running_ns = 350;
	td_slices_add(&slices, &end);
	of = td_slices_end(&slices);
	ok(of->nr == 6 && has(of, 0, 7, 1000, 100) && has(of, 0, 8, 300, 100),
	   "only slices that were counted throughout are a task's");
	ok(of->v[2].tid == TD_TASK_LOST && of->v[2].value == 500, "the others belong to no task");
}

/* Records of before the look arrive after it, because rings are read last. */
static void test_looks(void)
{
	const struct td_readings *of;

	begin();
	look(0, 1, 300, 1500);
	leave(0, 7, 100, 1000);
	leave(0, 1, 400, 1800);
	leave(0, 8, 500, 2000);
	of = td_slices_end(&slices);
	ok(of->nr == 4 && has(of, 0, 7, 1000, 100) && has(of, 0, 1, 500, 200),
	   "the interval ends with the look");
	of = td_slices_end(&slices);
	ok(of->nr == 4 && has(of, 0, 1, 300, 100) && has(of, 0, 8, 200, 100),
	   "what follows the look is in the next interval");
	look(0, 1, 600, 2100);
	of = td_slices_end(&slices);
	ok(of->nr == 2 && has(of, 0, 1, 100, 100), "a look without any switch counts as well");
}

static void test_lost(void)
{
	const struct td_readings *of;

	begin();
	leave(0, 7, 100, 1000);
	leave(1, 8, 100, 100);
	td_slices_lose(&slices, 0);
	leave(0, 7, 300, 1500);
	leave(1, 8, 200, 200);
	leave(0, 7, 400, 1700);
	of = td_slices_end(&slices);
	ok(has(of, 0, TD_TASK_LOST, 500, 200), "counts after lost samples belong to no task");
	ok(has(of, 0, 7, 1200, 200), "up to the next switch");
	ok(has(of, 0, 8, 200, 200), "other CPUs lose nothing");
}

/* The kernel reuses the numbers of tasks. */
static void test_lives(void)
{
	struct td_slice_end end;
	const struct td_readings *of;

	begin();
	leave(0, 7, 100, 1000);
	end = end_of(0, 0, 7, 300, 1400);
	end.life = 1;
	td_slices_add(&slices, &end);
	of = td_slices_end(&slices);
	ok(of->nr == 4 && of->v[0].life == 0 && of->v[0].value == 1000 && of->v[2].life == 1 &&
		   of->v[2].value == 400,
	   "two tasks with one number");
}

/* Cgroups have long ids, and rows for each CPU. */
static void test_cgroups(void)
{
	struct td_slice_end end;
	const struct td_readings *of;

	begin();
	slices.by_cpu = true;
	for (int cpu = 0; cpu < 2; cpu++) {
		end = end_of(0, cpu, -5, 100, 1000);
		end.life = 9;
		td_slices_add(&slices, &end);
	}
	of = td_slices_end(&slices);
	ok(of->nr == 4 && of->v[0].cpu == 0 && of->v[0].tid == -5 && of->v[0].life == 9 &&
		   of->v[2].cpu == 1 && of->v[2].value == 1000,
	   "a cgroup on two CPUs");
}

int main(void)
{
	test_tasks();
	test_turns();
	test_displaced();
	test_looks();
	test_lost();
	test_lives();
	test_cgroups();
	td_slices_free(&slices);
	return done_testing();
}
