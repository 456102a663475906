// SPDX-License-Identifier: GPL-2.0-only
/* --no-multiplex: runs that count different groups become one result. */
#include "cmd/view/errors.h"

#include <stdlib.h>

#include "lib/plan/fit.h"
#include "metrics/eval/eval.h"
#include "tests/unit/levels.h"
#include "tests/unit/machine.h"
#include "tests/unit/test.h"

#define MS UINT64_C(1000000)

/* clang-format off */
static const struct {
	const char *what;
	struct td_work work;
	double want;
} works[] = {
	{ "none", { 0 }, 0 },
	{ "one run", { 1, 5, 5, 5 }, 0 },
	{ "the same", { 3, 5, 5, 15 }, 0 },
	{ "99, 101", { 2, 99, 101, 200 }, 0.02 },
	{ "90, 100, 110", { 3, 90, 110, 300 }, 0.2 },
	{ "nothing was done", { 2, 0, 0, 0 }, 0 },
};

/*
 * Counts of the first run: 125 slots, of which 25 are in the cycles.  The second run of a test is
 * longer by a factor, and counts the remaining events.
 */
static const struct {
	const char *name;
	double count;
} counts[] = {
	{ "cpu_atom/cycles/", 25 },
	{ "cpu_atom/topdown-retiring/", 50 },
	{ "cpu_atom/topdown-fe-bound/", 25 },
	{ "cpu_atom/topdown-be-bound/", 40 },
	{ "cpu_atom/topdown-bad-spec/", 10 },
	{ "cpu_atom/TOPDOWN_FE_BOUND.FRONTEND_LATENCY/", 10 },
	{ "cpu_atom/TOPDOWN_FE_BOUND.FRONTEND_BANDWIDTH/", 15 },
	{ "cpu_atom/TOPDOWN_BAD_SPECULATION.MISPREDICT/", 8 },
	{ "cpu_atom/TOPDOWN_BAD_SPECULATION.MACHINE_CLEARS/", 2 },
	{ "cpu_atom/TOPDOWN_BE_BOUND.ALLOC_RESTRICTIONS/", 5 },
};

static const struct {
	const char *name;
	double want; /* percentage of 125 slots */
} metrics[] = {
	{ "tma_retiring", 40 },
	{ "tma_backend_bound", 32 },
	{ "tma_frontend_bound", 20 },
	{ "tma_ifetch_latency", 8 },
	{ "tma_ifetch_bandwidth", 12 },
	{ "tma_branch_mispredicts", 6.4 },
	{ "tma_core_bound", 4 },
	{ "tma_resource_bound", 28 },
};
/* clang-format on */

#define INSTRUCTIONS 100

static double count_of(const char *name)
{
	if (strstr(name, "instructions"))
		return INSTRUCTIONS;
	for (size_t i = 0; i < TD_ARRAY_SIZE(counts); i++) {
		if (strcmp(counts[i].name, name) == 0)
			return counts[i].count;
	}
	return 0;
}

/* Counts of one run; events of other runs were not opened in it. */
static struct td_totals count_run(const struct td_plan *plan, unsigned int run, double longer)
{
	struct td_totals totals = {
		.nr_ids = 1, .nr_events = plan->events.nr, .tasks = true, .all = true
	};
	double factor = run ? longer : 1;

	totals.ids = calloc(1, sizeof(*totals.ids));
	if (!totals.ids)
		exit(1);
	totals.ids[0].name = strdup("all");
	totals.ids[0].label = strdup("all");
	totals.v = calloc(plan->events.nr, sizeof(*totals.v));
	for (size_t i = 0; i < plan->events.nr; i++)
		totals.v[i].value = NAN;
	for (size_t g = 0; g < plan->nr_groups; g++) {
		const struct td_group *group = &plan->groups[g];

		if (!td_plan_run_counts(plan, group, run))
			continue;
		for (size_t i = 0; i < group->nr; i++) {
			int event = group->members[i];
			uint64_t ns = (uint64_t)(factor * (double)MS);

			totals.v[event] = (struct td_total){
				.nr = 1,
				.value = factor * count_of(plan->events.v[event].name),
				.enabled_ns = ns,
				.running_ns = ns,
				.covered_ns = ns,
				.where = run + 1, /* tasks of its own */
			};
		}
	}
	return totals;
}

static void check_metrics(const struct td_report *report, double longer)
{
	for (size_t m = 0; m < TD_ARRAY_SIZE(metrics); m++) {
		const struct td_cell *cell = NULL;

		for (size_t c = 0; c < report->nr_columns; c++) {
			if (strcmp(report->columns[c].name, metrics[m].name) == 0)
				cell = &report->rows[0].cells[c];
		}
		ok(cell && test_near(cell->value, metrics[m].want, 1e-9),
		   "%g times as long: %s is %g", longer, metrics[m].name, cell ? cell->value : NAN);
		ok(cell && cell->running_pct == 100,
		   "%g times as long: %s was counted all of the time", longer, metrics[m].name);
	}
}

/* How long a run is changes nothing. */
static void test_runs(double longer)
{
	const struct td_times times = { .elapsed_ns = MS };
	struct td_machine machine;
	struct td_plan plan = { 0 };
	struct td_tree tree;
	struct td_evaluation evaluation;
	struct td_totals_sum sum = { .joins = true };
	struct td_report report = { 0 };
	struct td_err err = { 0 };

	test_machine(&machine, "adl");
	machine.pmus[0].skip = true;
	test_build_levels(&tree, &plan, &machine, 2, false, &err);
	test_plan_levels(&plan, &machine, &tree, &err);
	ok(td_plan_make_sets(&plan, &machine, &err) == 0 && plan.nr_sets == 2,
	   "level 2 of Gracemont needs two runs");
	for (unsigned int run = 0; run < plan.nr_sets; run++) {
		struct td_totals totals = count_run(&plan, run, longer);

		td_totals_sum_add(&sum, &plan, &totals, &times);
		td_totals_free(&totals);
	}
	td_totals_sum_divide(&sum);
	td_evaluation_make(&evaluation, &tree, &plan);
	td_eval(&evaluation, &sum.totals, &times, false, &report);
	check_metrics(&report, longer);
	td_report_free(&report);
	td_evaluation_free(&evaluation);
	td_totals_sum_free(&sum);
	td_tree_free(&tree);
	td_plan_free(&plan);
	td_machine_free(&machine);
}

/* --- errors ---------------------------------------------------------------- */

/* Gracemont's level 2, which takes two runs, and a view of them. */
struct fixture {
	struct td_machine machine;
	struct td_plan plan;
	struct td_tree tree;
	struct td_source source;
	struct td_view view;
	struct td_report report;
};

static void begin(struct fixture *f)
{
	struct td_err err = { 0 };

	*f = (struct fixture){ 0 };
	test_machine(&f->machine, "adl");
	f->machine.pmus[0].skip = true;
	test_build_levels(&f->tree, &f->plan, &f->machine, 2, false, &err);
	test_plan_levels(&f->plan, &f->machine, &f->tree, &err);
	td_plan_make_sets(&f->plan, &f->machine, &err);
	f->source =
		(struct td_source){ .machine = &f->machine, .plan = &f->plan, .tree = &f->tree };
	f->view.source = &f->source;
	td_evaluation_make(&f->view.evaluation, &f->tree, &f->plan);
}

static void end(struct fixture *f)
{
	td_report_free(&f->report);
	td_totals_sum_free(&f->view.joined);
	td_view_drop_kept(&f->view);
	td_evaluation_free(&f->view.evaluation);
	td_tree_free(&f->tree);
	td_plan_free(&f->plan);
	td_machine_free(&f->machine);
}

/* The events of a run on CPU 0. */
static void open_run(const struct fixture *f, unsigned int run, struct td_readings *sum)
{
	sum->v = calloc(f->plan.events.nr, sizeof(*sum->v));
	for (size_t g = 0; g < f->plan.nr_groups; g++) {
		const struct td_group *group = &f->plan.groups[g];

		if (!td_plan_run_counts(&f->plan, group, run))
			continue;
		for (size_t i = 0; i < group->nr; i++)
			sum->v[sum->nr++] =
				(struct td_reading){ .event = group->members[i], .tid = -1 };
	}
}

/* Adds a batch of a length; varied: an event that counts more in every second. */
static void count_batch(const struct fixture *f, int batch, double length, const char *varied,
			struct td_readings *sum)
{
	for (size_t i = 0; i < sum->nr; i++) {
		struct td_reading *r = &sum->v[i];
		const char *name = f->plan.events.v[r->event].name;
		bool more = varied && strcmp(name, varied) == 0 && batch % 2;

		r->value += (uint64_t)((more ? 1200 : 1000) * length * count_of(name));
		r->enabled_ns += (uint64_t)(length * (double)MS);
		r->running_ns = r->enabled_ns;
	}
}

/* A run of nr batches, all of different lengths. */
static void add_run(struct fixture *f, unsigned int run, int nr, double longer, const char *varied)
{
	struct td_readings sum = { 0 };
	struct td_timeline timeline = { 0 };
	struct td_times times = { 0 };
	struct td_totals totals = { 0 };
	struct td_counted counted = { 0, &times, &sum, &timeline };

	open_run(f, run, &sum);
	for (int i = 0; i < nr; i++) {
		double length = longer * (i % 3 + 1);

		count_batch(f, i, length, varied, &sum);
		times.elapsed_ns += (uint64_t)(length * (double)MS);
		td_timeline_add(&timeline, &sum, times.elapsed_ns);
	}
	counted.time_ns = times.elapsed_ns;
	td_aggregate(&f->view.aggregator, &sum, &f->plan, &totals);
	td_view_add_joined(&f->view, &totals, &counted);
	td_totals_free(&totals);
	td_timeline_free(&timeline);
	free(sum.v);
}

static const struct td_cell *join(struct fixture *f, const char *name)
{
	struct td_totals_sum *joined = &f->view.joined;

	td_totals_sum_divide(joined);
	td_eval(&f->view.evaluation, &joined->totals, &joined->times, false, &f->report);
	td_view_fill_joined_errors(&f->view, &joined->totals, &joined->times, &f->report);
	for (size_t c = 0; c < f->report.nr_columns; c++) {
		if (strcmp(f->report.columns[c].name, name) == 0)
			return &f->report.rows[0].cells[c];
	}
	exit(1);
}

#define MISPREDICT "cpu_atom/TOPDOWN_BAD_SPECULATION.MISPREDICT/"

/* clang-format off */
/*
 * The first run has the cycles and what tma_ifetch_latency counts, the second
 * one what tma_branch_mispredicts counts, which is 6.4 %.
 */
static const struct {
	const char *what, *name;
	int nr_a, nr_b;
	double longer;
	const char *varied; /* in the second run */
	double want; /* NaN: too short */
} cases[] = {
	{ "batches of different lengths that are all alike",
	  "tma_branch_mispredicts", 12, 12, 1, NULL, 0 },
	{ "runs that are 40 % apart", "tma_branch_mispredicts", 12, 12, 1.5,
	  NULL, 0.4 * 6.4 },
	{ "and all is of one of them", "tma_ifetch_latency", 12, 12, 1.5, NULL,
	  0 },
	{ "1.9 % are not much", "tma_branch_mispredicts", 12, 12, 1.019, NULL,
	  0 },
	/* Student, 11 degrees; the jackknife of 6.4, 7.68 in turn, for 1, 2, 3 ms */
	{ "an event that changes in its run", "tma_branch_mispredicts", 12, 12,
	  1, MISPREDICT, 2.201 * 0.21425 },
	{ "which is not the other run", "tma_ifetch_latency", 12, 12, 1,
	  MISPREDICT, 0 },
	{ "seven batches of the run with the cycles", "tma_branch_mispredicts",
	  7, 12, 1, NULL, NAN },
	{ "seven batches of the run with the rest", "tma_branch_mispredicts",
	  12, 7, 1, NULL, NAN },
	{ "seven batches of a run that has nothing to do with it",
	  "tma_ifetch_latency", 12, 7, 1, NULL, 0 },
};
/* clang-format on */

static void test_errors(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		struct fixture f;
		const struct td_cell *cell;

		begin(&f);
		add_run(&f, 0, cases[i].nr_a, 1, NULL);
		add_run(&f, 1, cases[i].nr_b, cases[i].longer, cases[i].varied);
		cell = join(&f, cases[i].name);
		ok(test_near(cell->error, cases[i].want, 1e-4) &&
			   cell->too_short == isnan(cases[i].want),
		   "%s: %g", cases[i].what, cell->error);
		end(&f);
	}
}

int main(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(works); i++)
		ok(test_near(td_work_difference(&works[i].work), works[i].want, 1e-12), "%s: %g",
		   works[i].what, td_work_difference(&works[i].work));
	test_runs(1);
	test_runs(1.5);
	test_runs(10);
	test_errors();
	return done_testing();
}
