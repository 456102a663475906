// SPDX-License-Identifier: GPL-2.0-only
/* Sums of runs: a group that is refused in a later run adds events to the plan. */
#include "lib/count/totals_sum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/test.h"

#define MAX_EVENTS 5

/* Two ids; event e of id i counts 10 * (i + 1) + e. */
static struct td_totals make_run(size_t nr_events)
{
	struct td_totals run = { .nr_ids = 2, .nr_events = nr_events };

	run.ids = calloc(run.nr_ids, sizeof(*run.ids));
	run.v = calloc(run.nr_ids * nr_events, sizeof(*run.v));
	for (size_t i = 0; i < run.nr_ids; i++) {
		run.ids[i].name = strdup(i ? "cpu1" : "cpu0");
		run.ids[i].label = strdup(i ? "CPU1" : "CPU0");
		for (size_t e = 0; e < nr_events; e++)
			run.v[i * nr_events + e] = (struct td_total){
				.nr = 1,
				.value = 10 * (double)(i + 1) + (double)e,
			};
	}
	return run;
}

static void add_run(struct td_totals_sum *sum, size_t nr_events)
{
	const struct td_plan plan = { 0 };
	const struct td_times times = { .elapsed_ns = 1 };
	struct td_totals run = make_run(nr_events);

	td_totals_sum_add(sum, &plan, &run, &times);
	td_totals_free(&run);
}

/* The mean is that of the runs that had the event, which all count the same. */
static void check_means(const struct td_totals_sum *sum, size_t nr_events)
{
	ok(sum->totals.nr_events == nr_events, "%zu events", nr_events);
	for (size_t i = 0; i < sum->totals.nr_ids; i++) {
		for (size_t e = 0; e < nr_events; e++) {
			double value = sum->totals.v[i * nr_events + e].value;

			ok(value == 10 * (double)(i + 1) + (double)e, "id %zu, event %zu: %g", i, e,
			   value);
		}
	}
}

static void test_order(const size_t nr_events[3])
{
	struct td_totals_sum sum = { 0 };

	for (size_t r = 0; r < 3; r++)
		add_run(&sum, nr_events[r]);
	td_totals_sum_divide(&sum);
	check_means(&sum, MAX_EVENTS);
	td_totals_sum_free(&sum);
}

int main(void)
{
	test_order((const size_t[]){ 2, MAX_EVENTS, MAX_EVENTS });
	test_order((const size_t[]){ MAX_EVENTS, 2, 3 });
	test_order((const size_t[]){ 2, 2, MAX_EVENTS });
	return done_testing();
}
