// SPDX-License-Identifier: GPL-2.0-only
/*
 * Thirty thousand events: the time of each step must be proportional to their
 * number.  If each event were compared with each other one, most steps would
 * take seconds to hours.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <time.h>

#include "lib/base/util.h"
#include "lib/count/totals_sum.h"
#include "metrics/eval/eval.h"
#include "metrics/table/table.h"
#include "tests/unit/pace.h"
#include "tests/unit/test.h"

#define NR        30000
#define NR_BRACES 3 /* the number of events in each {} */

/* PMUs: 0 cpu_core, 1 cpu_atom, 2 software */
static struct td_pmu pmus[] = {
	{ .name = (char[]){ "cpu_core" }, .kind = TD_PMU_CORE, .type = 4 },
	{ .name = (char[]){ "cpu_atom" }, .kind = TD_PMU_CORE, .type = 10 },
	{ .name = (char[]){ "software" }, .kind = TD_PMU_SOFTWARE, .type = 1 },
};

/* The kinds of events. */
enum shape {
	HYBRID,  /* each name exists on both core types */
	ALONE,   /* events whose divisor is missing */
	BRACES,  /* software events in groups, each with a clock */
	REFUSED, /* no event is counted */
};

static const char *const shapes[] = { "hybrid", "alone", "braces", "refused" };

static void fill_event(struct td_event *event, int i, enum shape shape)
{
	char name[40];

	*event = (struct td_event){ .pmu = 0,
				    .type = PERF_TYPE_RAW,
				    .config = { (uint64_t)i },
				    .scale = 1,
				    .spec = i,
				    .group = -1 };
	if (shape == HYBRID) {
		event->pmu = i % 2;
		event->type = PERF_TYPE_HARDWARE;
		event->config[0] = PERF_COUNT_HW_INSTRUCTIONS;
		event->spec = i / 2;
	} else if (shape == BRACES) {
		event->pmu = 2;
		event->type = PERF_TYPE_SOFTWARE;
		event->config[0] =
			i % NR_BRACES ? PERF_COUNT_SW_PAGE_FAULTS : PERF_COUNT_SW_TASK_CLOCK;
		event->group = i / NR_BRACES;
	} else if (shape == REFUSED) {
		td_event_set_refusal(event, "no");
	}
	snprintf(name, sizeof(name), "%s/r%d/", pmus[event->pmu].name, i);
	event->name = strdup(name);
}

static void fill_plan(struct td_plan *plan, enum shape shape)
{
	*plan = (struct td_plan){
		.events.v = calloc(NR, sizeof(*plan->events.v)),
	};
	plan->events.nr = plan->events.v ? NR : 0;
	for (int i = 0; i < (int)plan->events.nr; i++)
		fill_event(&plan->events.v[i], i, shape);
}

static struct td_machine make_machine(void)
{
	struct td_machine machine = {
		.pmus = pmus,
		.nr_core = 2,
		.nr_pmus = TD_ARRAY_SIZE(pmus),
	};

	td_ints_add(&machine.online, 0);
	return machine;
}

/* Totals of one task, which ran only on the first core type. */
static void fill_readings(struct td_readings *readings, const struct td_plan *plan)
{
	readings->v = calloc(NR, sizeof(*readings->v));
	readings->nr = 0;
	for (int i = 0; readings->v && i < NR; i++) {
		if (plan->events.v[i].refusal)
			continue;
		readings->v[readings->nr++] = (struct td_reading){
			i, -1, 77, 5, 10, plan->events.v[i].pmu == 1 ? 0 : 10
		};
	}
}

static clock_t most;

/* Returns the time since *began, and sets that to now. */
static void is_quick(clock_t *began, enum shape shape, const char *what)
{
	clock_t now = clock();

	ok(now - *began < most, "%s: %s: %ld us", shapes[shape], what, (long)(now - *began));
	*began = clock();
}

static void test_rows(const struct td_plan *plan, const struct td_totals *totals, enum shape shape)
{
	const struct td_times times = { .elapsed_ns = 1000 };
	clock_t began = clock();

	for (int hybrid = 0; hybrid < 2; hybrid++) {
		struct td_event_table table = { plan, hybrid };
		size_t want = shape == HYBRID && hybrid ? NR / 2 : NR;

		td_event_rows(&table, totals, &times);
		ok(table.report.nr_rows == want, "%s: %zu rows", shapes[shape],
		   table.report.nr_rows);
		td_event_table_free(&table);
		is_quick(&began, shape, hybrid ? "merged rows" : "rows");
	}
}

static void test_table(const struct td_plan *plan, const struct td_machine *machine,
		       const struct td_totals *totals, enum shape shape)
{
	const struct td_times times = { .elapsed_ns = 1000 };
	struct td_event_table events = { plan };
	struct td_ratio_table table;
	struct td_report report = { 0 };
	struct td_err err;
	clock_t began;
	int rc;

	td_event_rows(&events, totals, &times);
	began = clock();
	rc = td_ratio_table_build(&table, plan, machine, false, &err);
	if (!rc)
		td_ratio_table_fill(&table, &events.report, &report);
	ok(rc == (shape == BRACES ? 0 : -ENODATA), "%s: a table", shapes[shape]);
	is_quick(&began, shape, "--metric-only");
	td_report_free(&report);
	td_ratio_table_free(&table);
	td_event_table_free(&events);
}

static void test_shape(enum shape shape)
{
	const struct td_aggregator agg = { .how = TD_AGGREGATE_ALL };
	const struct td_times times = { .elapsed_ns = 1000 };
	struct td_machine machine = make_machine();
	struct td_notes notes = { 0 };
	struct td_plan plan;
	struct td_readings readings;
	struct td_totals totals = { 0 };
	struct td_totals_sum sum = { 0 };
	struct td_err err = { 0 };
	clock_t began;

	fill_plan(&plan, shape);
	began = clock();
	ok(td_plan_arrange(&plan, &machine, &notes, &err) == 0 &&
		   plan.nr_groups == (shape == REFUSED  ? 0
				      : shape == BRACES ? NR / NR_BRACES
							: NR),
	   "%s: %zu groups", shapes[shape], plan.nr_groups);
	is_quick(&began, shape, "arranged");
	td_plan_find_clones(&plan, NULL);
	is_quick(&began, shape, "clones");
	fill_readings(&readings, &plan);
	began = clock();
	td_aggregate(&agg, &readings, &plan, &totals);
	is_quick(&began, shape, "totals");
	td_totals_sum_add(&sum, &plan, &totals, &times);
	is_quick(&began, shape, "sum");
	test_rows(&plan, &totals, shape);
	test_table(&plan, &machine, &totals, shape);
	td_totals_sum_free(&sum);
	td_totals_free(&totals);
	free(readings.v);
	td_plan_free(&plan);
	td_notes_free(&notes);
	td_ints_free(&machine.online);
}

/* Each note is printed once. */
static void test_notes(void)
{
	struct td_notes notes = { 0 };
	clock_t began = clock();

	for (int i = 0; i < 2 * NR; i++)
		td_notes_add(&notes, "not counted any more: CPU %d", i % NR);
	ok(notes.nr == NR, "notes: each once");
	td_notes_truncate(&notes, 10);
	td_notes_add(&notes, "not counted any more: CPU 9");
	td_notes_add(&notes, "not counted any more: CPU 10");
	ok(notes.nr == 11, "notes: those that are forgotten may come again");
	began = clock() - began;
	ok(began < most, "notes: %ld us", (long)began);
	td_notes_free(&notes);
}

int main(void)
{
	most = test_most_time(NR);
	for (size_t i = 0; i < TD_ARRAY_SIZE(shapes); i++)
		test_shape((enum shape)i);
	test_notes();
	return done_testing();
}
