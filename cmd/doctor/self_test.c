// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/doctor/parts.h"

#include <math.h>
#include <unistd.h>

#include "cmd/plan/job.h"
#include "cmd/plan/select.h"
#include "lib/counter/counter.h"
#include "metrics/eval/eval.h"

#define ALL_NS    UINT64_C(500000000)
#define WARMUP(n) ((n) / 8)

/* State of the tests of all core types. */
struct testing {
	struct td_doctor *doctor;
	const struct td_request *request;
	void **ring;           /* td_loops_ring() */
	struct td_notes notes; /* notes that are findings already */
	uint64_t loop_ns;
};

/* --- the counters ----------------------------------------------------------- */

/* Plan tdstat -l LEVEL -t TID, or -C CPU, of one core type. */
static int plan_level(struct td_job *job, const struct testing *t, const struct td_self_test *test,
		      int level, struct td_err *err)
{
	struct td_request counting = *t->request;
	int self = gettid(), cpu = test->cpu, rc;

	counting.does = (struct td_does){ .latencies = true };
	counting.ask = (struct td_ask){ .level = level };
	counting.cputype = test->pmu;
	counting.show.quiet = counting.target.no_inherit = true;
	if (test->whole_core) {
		counting.target.has_cpus = true;
		counting.target.cpus = (struct td_ints){ &cpu, 1 };
	} else {
		counting.target.tids = (struct td_ints){ &self, 1 };
	}
	rc = td_job_plan(job, &counting, err);
	job->request = NULL; /* counting is a local variable */
	return rc;
}

static int plan(struct td_job *job, const struct testing *t, struct td_self_test *test,
		struct td_err *err)
{
	int rc = plan_level(job, t, test, 1, err);

	if (rc != -ENOTSUP)
		return rc;
	td_job_free(job);
	*err = (struct td_err){ 0 };
	test->whole_core = true;
	return plan_level(job, t, test, 1, err);
}

static int open_counter(struct td_counter **counter, struct td_job *job, struct td_err *err)
{
	const struct td_counter_setup setup = {
		.plan = &job->plan,
		.machine = &job->machine,
		.target = &job->target,
		.notes = &job->notes,
		.for_metrics = true,
	};
	int rc = td_counter_open(counter, &setup, err);

	rc = rc ?: td_check_opened_metrics(job->tree, &job->plan.events, err);
	return rc ?: td_counter_enable(*counter, true, -1, err);
}

/* --- values ----------------------------------------------------------------- */

static double *find_share(struct td_loop_shares *shares, const char *name)
{
	name = td_node_short_name(name);
	if (strcmp(name, "retiring") == 0)
		return &shares->retiring;
	if (strcmp(name, "backend_bound") == 0)
		return &shares->backend_bound;
	if (strcmp(name, "frontend_bound") == 0)
		return &shares->frontend_bound;
	return strcmp(name, "bad_speculation") == 0 ? &shares->bad_speculation : NULL;
}

static int copy_row(struct td_loop_shares *shares, const struct td_report *report,
		    const struct td_row *row, struct td_err *err)
{
	*shares = (struct td_loop_shares){ NAN, NAN, NAN, NAN, 0, row->running_pct };
	td_for_each(const struct td_node, node, row->nodes, row->nr_nodes) {
		const struct td_cell *cell = &row->cells[node->column];
		const char *name = report->columns[node->column].name;
		double *share = find_share(shares, name);

		if (node->level != 1)
			continue;
		if (share && cell->status != TD_STATUS_OK)
			return td_err_set(err, -ENODATA, "%s was not counted%s%s", name,
					  cell->why ? ": " : "", cell->why ? cell->why : "");
		if (cell->status == TD_STATUS_OK)
			shares->sum += cell->value;
		if (share)
			*share = cell->value;
	}
	return 0;
}

static int evaluate(struct td_evaluation *e, const struct td_readings *readings,
		    struct td_report *report, struct td_err *err)
{
	const struct td_aggregator all = { 0 };
	struct td_totals totals = { 0 };

	td_aggregate(&all, readings, e->plan, &totals);
	td_eval(e, &totals, NULL, false, report);
	td_totals_free(&totals);
	return report->nr_rows ? 0 : td_err_set(err, -ENODATA, "nothing was counted");
}

/* --- events that the host of a guest forbids ---------------------------------- */

static void add_forbidden(struct td_doctor *doctor, const struct td_row *row,
			  const struct td_report *report)
{
	for (size_t i = 0; i < row->nr_nodes; i++) {
		const struct td_cell *cell = &row->cells[row->nodes[i].column];
		const char *name = report->columns[row->nodes[i].column].name;

		if (cell->status != TD_STATUS_NOT_SUPPORTED || !cell->why)
			continue;
		td_finding_set(&td_doctor_add(doctor, "level 2", TD_FINDING_WARNING, "%s: %s: %s",
					      row->pmu, name, cell->why)
					->remedy,
			       "the host has to allow the event (KVM_SET_PMU_EVENT_FILTER)");
	}
}

static bool is_general(const struct td_tree *tree)
{
	for (size_t i = 0; i < tree->nr_pmus; i++) {
		if (tree->sets[i] && tree->sets[i]->general)
			return true;
	}
	return false;
}

static int count_level_2(struct testing *t, struct td_job *job, struct td_err *err)
{
	struct td_evaluation e = { 0 };
	struct td_counter *counter = NULL;
	struct td_report report = { 0 };
	struct td_readings readings;
	int rc = open_counter(&counter, job, err);

	if (!rc) {
		td_evaluation_make(&e, job->tree, &job->plan);
		td_loop_run(t->ring, TD_LOOP_MISPREDICT, ALL_NS);
		rc = td_counter_read(counter, 0, &readings, err);
	}
	rc = rc ?: evaluate(&e, &readings, &report, err);
	if (!rc)
		add_forbidden(t->doctor, &report.rows[0], &report);
	td_report_free(&report);
	td_evaluation_free(&e);
	td_counter_close(counter);
	return rc;
}

/* Find forbidden events; if level 2 cannot be counted at all, other findings say why. */
static void find_forbidden(struct testing *t, const struct td_self_test *test)
{
	struct td_err unused = { 0 };
	struct td_job job;

	if (!plan_level(&job, t, test, 2, &unused))
		count_level_2(t, &job, &unused);
	td_job_free(&job);
}

/* --- a core type -------------------------------------------------------------- */

/* Count a loop after a warm-up of caches and predictors. */
static int count_loop(const struct testing *t, struct td_counter *counter, enum td_loop loop,
		      struct td_readings *readings, struct td_err *err)
{
	int rc;

	td_loop_run(t->ring, loop, WARMUP(t->loop_ns));
	rc = td_counter_read(counter, 0, readings, err);
	if (rc)
		return rc;
	td_loop_run(t->ring, loop, t->loop_ns - WARMUP(t->loop_ns));
	return td_counter_read(counter, 0, readings, err);
}

static int count_loops(const struct testing *t, struct td_job *job, struct td_self_test *test,
		       struct td_err *err)
{
	struct td_evaluation e = { 0 };
	struct td_counter *counter = NULL;
	int rc = open_counter(&counter, job, err);

	if (!rc)
		td_evaluation_make(&e, job->tree, &job->plan);
	for (int loop = 0; !rc && loop < TD_NR_LOOPS; loop++) {
		struct td_report report = { 0 };
		struct td_readings readings;

		rc = count_loop(t, counter, (enum td_loop)loop, &readings, err);
		rc = rc ?: evaluate(&e, &readings, &report, err);
		rc = rc ?: copy_row(&test->shares[loop], &report, &report.rows[0], err);
		td_report_free(&report);
	}
	td_evaluation_free(&e);
	td_counter_close(counter);
	return rc;
}

static void test_core_type(struct testing *t, struct td_self_test *test)
{
	struct td_job job;
	int rc;

	if (td_stay_on(test->cpu, &test->err))
		return;
	rc = plan(&job, t, test, &test->err);
	rc = rc ?: count_loops(t, &job, test, &test->err);
	if (!rc && is_general(job.tree))
		find_forbidden(t, test);
	td_doctor_add_notes(t->doctor, "self-test", &t->notes, &job.notes);
	td_job_free(&job);
}

/* --- all -------------------------------------------------------------------- */

static void add_test(struct testing *t, const struct td_pmu *pmu, const cpu_set_t *cpus)
{
	struct td_doctor *doctor = t->doctor;
	struct td_self_test *test = td_array_add(&doctor->tests, doctor->nr_tests++, sizeof(*test));

	test->pmu = pmu->name;
	test->cpu = td_affinity_choose(pmu, cpus);
	if (test->cpu >= 0)
		test_core_type(t, test);
	else
		td_err_set(&test->err, -ENODEV, "this program may not run on its CPUs");
}

void td_self_test_run(struct td_doctor *doctor, const struct td_request *request,
		      const struct td_machine *machine)
{
	size_t nr = td_machine_count_kinds(machine);
	struct testing t = {
		.doctor = doctor,
		.request = request,
		.ring = td_loops_ring(),
		.loop_ns = ALL_NS / TD_NR_LOOPS / (nr ? nr : 1),
	};
	cpu_set_t *cpus = td_affinity_get();

	for (size_t i = 0; i < machine->nr_core; i++) {
		if (!machine->pmus[i].skip && machine->pmus[i].cpus.nr)
			add_test(&t, &machine->pmus[i], cpus);
	}
	td_affinity_set(cpus);
	CPU_FREE(cpus);
	free(t.ring);
	td_notes_free(&t.notes);
}
