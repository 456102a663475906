// SPDX-License-Identifier: GPL-2.0-only
/* Tests of how busy rows are said to be, from made counts. */
#include "metrics/eval/eval.h"

#include "tests/unit/levels.h"
#include "tests/unit/machine.h"
#include "tests/unit/test.h"

#define TSC_HZ 2e9

#define MAX_COUNTS 16
#define MAX_WANTS  4

#define MS UINT64_C(1000000)

struct count {
	const char *event;
	int cpu, tid;
	uint64_t value, enabled_ms, running_ms;
	int cgroup;
};

struct want {
	const char *id, *pmu;
	double busy, ghz, share; /* NaN: unknown */
	bool idle;
};

/*
 * Lunar Lake, four and four CPUs: counts are in millions.  Its P-cores do 6
 * slots a cycle in the SLOTS event, its E-cores have 8 slots a cycle.
 */
#define SLOTS "cpu_core/slots/"
#define P_REF "cpu_core/ref-cycles/"
#define P_CYC "cpu_core/cpu-cycles/"
#define E_REF "cpu_atom/ref-cycles/"
#define E_CYC "cpu_atom/cycles/"

#define HALTED(cpu)                           \
	{                                     \
		P_REF, cpu, -1, 0, 1000, 1000 \
	}
#define ELEVEN_HALTED                                                                           \
	HALTED(1), HALTED(2), HALTED(3), HALTED(4), HALTED(5), HALTED(6), HALTED(7), HALTED(8), \
		HALTED(9), HALTED(10), HALTED(11)

/* clang-format off */
static const struct {
	const char *name;
	bool merge, by_cpu, raw, recorded, no_tsc, part;
	uint64_t elapsed_ms;
	struct count counts[MAX_COUNTS];
	struct want want[MAX_WANTS];
	double tasks; /* NaN: not of tasks */
	bool waited, no_busy;
} rows[] = {
	/* a CPU at 3 GHz for 0.12 of its second: 0.24 G of 2 G ticks */
	{ "one CPU", .elapsed_ms = 1000, .tasks = NAN,
	  .counts = { { SLOTS, 0, -1, 2160, 1000, 1000 },
		      { P_REF, 0, -1, 240, 1000, 1000 },
		      { P_CYC, 0, -1, 360, 1000, 1000 } },
	  .want = { { "all", "cpu_core", 12, 3, 100 } } },
	{ "two CPUs, where one never stops; E-cores at half the speed",
	  .elapsed_ms = 1000, .tasks = NAN,
	  .counts = { { SLOTS, 0, -1, 7200, 1000, 1000 },
		      { P_REF, 0, -1, 2000, 1000, 1000 },
		      { P_REF, 1, -1, 0, 1000, 1000 },
		      { P_CYC, 0, -1, 6000, 1000, 1000 },
		      { P_CYC, 1, -1, 0, 1000, 1000 },
		      { E_CYC, 4, -1, 100, 1000, 1000 },
		      { E_REF, 4, -1, 200, 1000, 1000 } },
	  .want = { { "all", "cpu_core", 50, 6, 90 },
		    { "all", "cpu_atom", 10, 1, 10 } } },
	{ "merged, by their times", .merge = true, .elapsed_ms = 1000,
	  .tasks = NAN,
	  .counts = { { SLOTS, 0, -1, 7200, 1000, 1000 },
		      { P_REF, 0, -1, 2000, 1000, 1000 },
		      { P_CYC, 0, -1, 6000, 1000, 1000 },
		      { E_CYC, 4, -1, 100, 1000, 1000 },
		      { E_REF, 4, -1, 200, 1000, 1000 } },
	  /* 1.1 s of 2; 6.1 G cycles in 1.1 s */
	  .want = { { "all", "all", 55, 6.1 / 1.1, 100 } } },
	{ "counted for a third of the time", .elapsed_ms = 900, .tasks = NAN,
	  .counts = { { SLOTS, 0, -1, 720, 900, 900 },
		      { P_REF, 0, -1, 300, 900, 300 },
		      { P_CYC, 0, -1, 450, 900, 300 } },
	  .want = { { "all", "cpu_core", 50, 3, 100 } } },
	{ "the same, not scaled", .raw = true, .elapsed_ms = 900, .tasks = NAN,
	  .counts = { { SLOTS, 0, -1, 720, 900, 900 },
		      { P_REF, 0, -1, 300, 900, 300 },
		      { P_CYC, 0, -1, 450, 900, 300 } },
	  .want = { { "all", "cpu_core", 50, 3, 100 } } },
	{ "a CPU where somebody else has the counter", .elapsed_ms = 1000,
	  .tasks = NAN,
	  .counts = { { SLOTS, 0, -1, 720, 1000, 1000 },
		      { P_REF, 0, -1, 1000, 1000, 1000 },
		      { P_REF, 1, -1, 0, 1000, 0 } },
	  .want = { { "all", "cpu_core", 50, NAN, 100 } } },
	{ "an idle CPU and one that is not", .by_cpu = true, .tasks = NAN,
	  .elapsed_ms = 1000,
	  .counts = { { SLOTS, 0, -1, 72, 1000, 1000 },
		      { SLOTS, 1, -1, 72, 1000, 1000 },
		      { P_REF, 0, -1, 99, 1000, 1000 },
		      { P_REF, 1, -1, 101, 1000, 1000 } },
	  .want = { { "CPU0", "cpu_core", 4.95, NAN, 100, .idle = true },
		    { "CPU1", "cpu_core", 5.05, NAN, 100 } } },
	/* 0.255 of 12 s is less than 5 %, but more than a quarter of one CPU */
	{ "a CPU of many that is not idle", .tasks = NAN,
	  .counts = { { SLOTS, 0, -1, 72, 1000, 1000 }, ELEVEN_HALTED,
		      { P_REF, 0, -1, 510, 1000, 1000 } },
	  .want = { { "all", "cpu_core", 25.5 / 12, NAN, 100 } } },
	{ "many idle CPUs", .tasks = NAN,
	  .counts = { { SLOTS, 0, -1, 72, 1000, 1000 }, ELEVEN_HALTED,
		      { P_REF, 0, -1, 490, 1000, 1000 } },
	  .want = { { "all", "cpu_core", 24.5 / 12, NAN, 100, .idle = true } } },
	{ "a cgroup, whose events are enabled while it runs", .tasks = NAN,
	  .elapsed_ms = 1000,
	  .counts = { { SLOTS, 0, -1, 72, 50, 50, .cgroup = 1 },
		      { P_REF, 0, -1, 20, 50, 50, .cgroup = 1 },
		      { P_REF, 1, -1, 0, 10, 10, .cgroup = 1 } },
	  .want = { { "cg", "cpu_core", 0.5, NAN, 100 } } },
	{ "a PMU of few slots", .tasks = NAN,
	  .counts = { { SLOTS, 0, -1, 9920, 1000, 1000 },
		      { P_REF, 0, -1, 1000, 1000, 1000 },
		      { E_CYC, 4, -1, 10, 1000, 1000 },
		      { E_REF, 4, -1, 1000, 1000, 1000 } },
	  .want = { { "all", "cpu_core", 50, NAN, 100 * 9920. / 10000 },
		    { "all", "cpu_atom", 50, 0.02, 0.8, .idle = true } } },
	{ "user space only, where CPUs are counted", .part = true,
	  .tasks = NAN,
	  .counts = { { SLOTS, 0, -1, 2160, 1000, 1000 },
		      { P_REF, 0, -1, 240, 1000, 1000 },
		      { P_CYC, 0, -1, 360, 1000, 1000 } },
	  .want = { { "all", "cpu_core", NAN, 3, 100 } } },
	{ "the speed of the TSC is not known", .no_tsc = true, .tasks = NAN,
	  .no_busy = true,
	  .counts = { { SLOTS, 0, -1, 2160, 1000, 1000 },
		      { P_REF, 0, -1, 240, 1000, 1000 },
		      { P_CYC, 0, -1, 360, 1000, 1000 } },
	  .want = { { "all", "cpu_core", NAN, NAN, 100 } } },
	{ "an old recording", .recorded = true, .tasks = NAN, .no_busy = true,
	  .counts = { { SLOTS, 0, -1, 2160, 1000, 1000 } },
	  .want = { { "all", "cpu_core", NAN, NAN, 100 } } },

	/* a task's counters are enabled for the 0.3 s that it runs */
	{ "tasks", .elapsed_ms = 2000, .tasks = 15, .waited = true,
	  .counts = { { SLOTS, -1, 7, 720, 300, 200 },
		      { P_REF, -1, 7, 400, 300, 200 },
		      { P_CYC, -1, 7, 600, 300, 200 },
		      { E_CYC, -1, 7, 20, 300, 100 },
		      { E_REF, -1, 7, 200, 300, 100 } },
	  .want = { { "all", "cpu_core", 10, 3, 720. / 8.8 },
		    { "all", "cpu_atom", 5, 0.2, 160. / 8.8 } } },
	{ "several tasks, merged", .merge = true, .elapsed_ms = 1000,
	  .tasks = 200,
	  .counts = { { SLOTS, -1, 7, 720, 1000, 1000 },
		      { SLOTS, -1, 8, 720, 1000, 0 },
		      { E_CYC, -1, 7, 0, 1000, 0 },
		      { E_CYC, -1, 8, 20, 1000, 1000 } },
	  .want = { { "all", "all", 200, NAN, 100 } } },
	{ "a task in an old recording", .recorded = true, .elapsed_ms = 1000,
	  .tasks = 100,
	  .counts = { { SLOTS, -1, 7, 720, 1000, 1000 } },
	  .want = { { "all", "cpu_core", 100, NAN, 100 } } },
	{ "one that waited for a tenth of a second", .elapsed_ms = 150,
	  .tasks = 100. / 3,
	  .counts = { { SLOTS, -1, 7, 720, 50, 50 } },
	  .want = { { "all", "cpu_core", 100. / 3, NAN, 100 } },
	  .waited = true },
	{ "and one that had no time to", .elapsed_ms = 149,
	  .tasks = 5000. / 149,
	  .counts = { { SLOTS, -1, 7, 720, 50, 50 } },
	  .want = { { "all", "cpu_core", 5000. / 149, NAN, 100 } } },
	{ "half of a CPU is not much waiting", .elapsed_ms = 1000, .tasks = 50,
	  .counts = { { SLOTS, -1, 7, 720, 500, 500 } },
	  .want = { { "all", "cpu_core", 50, NAN, 100 } } },
	/* the cycles' group began when half of the task's time was over */
	{ "a task that ended while counting began", .elapsed_ms = 100,
	  .tasks = 20,
	  .counts = { { SLOTS, -1, 7, 360, 20, 20 },
		      { P_REF, -1, 7, 40, 20, 20 },
		      { P_CYC, -1, 7, 30, 10, 10 } },
	  .want = { { "all", "cpu_core", 20, NAN, 100 } } },
};
/* clang-format on */

static int event_of(const struct td_plan *plan, const char *name)
{
	for (size_t i = 0; i < plan->events.nr; i++) {
		if (strcmp(plan->events.v[i].name, name) == 0)
			return (int)i;
	}
	ok(false, "no event %s", name);
	return 0;
}

static size_t fill(const struct td_plan *plan, const struct count *counts, struct td_reading *v)
{
	size_t nr = 0;

	for (; nr < MAX_COUNTS && counts[nr].event; nr++) {
		const struct count *c = &counts[nr];

		v[nr] = (struct td_reading){
			.event = event_of(plan, c->event),
			.cpu = c->cpu,
			.tid = c->tid,
			.value = c->value * 1000000,
			.enabled_ns = c->enabled_ms * MS,
			.running_ns = c->running_ms * MS,
			.cgroup = c->cgroup,
		};
	}
	return nr;
}

static const struct td_row *find_row(const struct td_report *report, const struct want *want)
{
	for (size_t i = 0; i < report->nr_rows; i++) {
		if (strcmp(report->rows[i].id, want->id) == 0 &&
		    strcmp(report->rows[i].pmu, want->pmu) == 0)
			return &report->rows[i];
	}
	return NULL;
}

static void check_row(const char *name, const struct td_row *row, const struct want *want)
{
	bool same = row && test_near(row->busy_pct, want->busy, 1e-9) &&
		    test_near(row->ghz, want->ghz, 1e-9) &&
		    test_near(row->share_pct, want->share, 1e-9);

	ok(same && row->idle == want->idle, "%s: %s, %s", name, want->id, want->pmu);
	if (row && !(same && row->idle == want->idle))
		printf("# busy %g, GHz %g, share %g, idle %d\n", row->busy_pct, row->ghz,
		       row->share_pct, row->idle);
}

static void check_report(size_t r, const struct td_report *report)
{
	size_t nr = 0;

	for (; nr < MAX_WANTS && rows[r].want[nr].id; nr++)
		check_row(rows[r].name, find_row(report, &rows[r].want[nr]), &rows[r].want[nr]);
	ok(report->nr_rows == nr, "%s: %zu rows", rows[r].name, nr);
	ok(test_near(report->tasks_pct, rows[r].tasks, 1e-9) &&
		   report->mostly_waited == rows[r].waited,
	   "%s: all tasks", rows[r].name);
	ok(report->has_busy != rows[r].no_busy, "%s: whether it is known", rows[r].name);
}

static int plan_row(size_t r, const struct td_machine *machine, const struct td_tree *tree,
		    struct td_plan *plan, struct td_err *err)
{
	const struct td_schedule schedule = {
		.needs = tree->needs,
		.nr_needs = tree->nr_needs,
		.references = tree->references,
		.clocks = !rows[r].recorded,
	};

	return td_plan_build(plan, machine, &schedule, err);
}

static void evaluate(size_t r, const struct td_plan *plan, struct td_evaluation *evaluation)
{
	static char cgroup[] = "cg";
	char *const cgroups[] = { cgroup };
	const struct td_aggregator agg = {
		.how = rows[r].by_cpu ? TD_AGGREGATE_CPU : TD_AGGREGATE_ALL,
		.raw = rows[r].raw,
		.cgroups = cgroups,
		.nr_cgroups = 1,
	};
	const struct td_times times = { rows[r].elapsed_ms * MS };
	struct td_reading v[MAX_COUNTS];
	const struct td_readings readings = { v, fill(plan, rows[r].counts, v) };
	struct td_totals totals = { 0 };
	struct td_report report = { 0 };

	td_aggregate(&agg, &readings, plan, &totals);
	td_eval(evaluation, &totals, &times, rows[r].merge, &report);
	check_report(r, &report);
	td_report_free(&report);
	td_totals_free(&totals);
}

static void test_row(size_t r)
{
	struct td_machine machine;
	struct td_plan plan = { 0 };
	struct td_tree tree;
	struct td_evaluation evaluation;
	struct td_err err = { 0 };

	test_machine(&machine, "lnl");
	test_build_levels(&tree, &plan, &machine, 1, false, &err);
	tree.tsc_hz = rows[r].no_tsc ? NAN : TSC_HZ;
	tree.fixed = rows[r].recorded;
	ok(plan_row(r, &machine, &tree, &plan, &err) == 0, "%s: a plan", rows[r].name);
	td_evaluation_make(&evaluation, &tree, &plan);
	evaluation.part = rows[r].part;
	evaluate(r, &plan, &evaluation);
	td_evaluation_free(&evaluation);
	td_tree_free(&tree);
	td_plan_free(&plan);
	td_machine_free(&machine);
}

/* clang-format off */
static const struct {
	const char *name;
	enum td_clock_event clock;
	bool found;
} names[] = {
	{ "cpu_core/ref-cycles/", TD_CLOCK_REFERENCE, true },
	{ "cpu_core/CPU_CLK_UNHALTED.REF_TSC/", TD_CLOCK_REFERENCE, true },
	{ "cpu_core/cpu_clk_unhalted.ref_tsc/", TD_CLOCK_REFERENCE, true },
	{ "ref-cycles", TD_CLOCK_REFERENCE, true },
	{ "cpu_core/CPU_CLK_UNHALTED.THREAD/", TD_CLOCK_CYCLES, true },
	{ "cpu_core/cycles/", TD_CLOCK_CYCLES, true },
	{ "cpu_core/cpu-cycles/", TD_CLOCK_CYCLES, true },
	{ "cpu/ls_not_halted_cyc/", TD_CLOCK_CYCLES, true },
	{ "cpu/ex_ret_instr/", TD_CLOCK_INSTRUCTIONS, true },
	/* a part of them */
	{ "cpu_core/ref-cycles/u", TD_CLOCK_REFERENCE, false },
	{ "ref-cycles:k", TD_CLOCK_REFERENCE, false },
	{ "cpu_core/cycles,cmask=1/", TD_CLOCK_CYCLES, false },
	/* something else */
	{ "cpu_core/cycles/", TD_CLOCK_REFERENCE, false },
	{ "cpu_core/ref-cycles/", TD_CLOCK_CYCLES, false },
	{ "cpu_core/CPU_CLK_UNHALTED.REF_XCLK/", TD_CLOCK_REFERENCE, false },
};
/* clang-format on */

/* Recorded events have a name and nothing else. */
static void test_name(size_t n)
{
	struct td_machine machine;
	struct td_plan plan = { 0 };
	struct td_event *event = td_events_add(&plan.events);
	int want = names[n].found ? 0 : -1;

	test_machine(&machine, "lnl");
	event->name = strdup(names[n].name);
	ok(td_clocks_find(&plan, &machine, 0, names[n].clock, true) == want, "%s is%s clock %d",
	   names[n].name, names[n].found ? "" : " not", (int)names[n].clock);
	td_plan_free(&plan);
	td_machine_free(&machine);
}

int main(void)
{
	for (size_t r = 0; r < TD_ARRAY_SIZE(rows); r++)
		test_row(r);
	for (size_t n = 0; n < TD_ARRAY_SIZE(names); n++)
		test_name(n);
	return done_testing();
}
