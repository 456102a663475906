// SPDX-License-Identifier: GPL-2.0-only
/*
 * Significance: probabilities from tables, Holm's procedure computed by hand, and thousands of
 * simulated diffs with noise of a known size.
 */
#include "metrics/diff/diff.h"
#include "metrics/diff/interval.h"

#include "lib/base/util.h"
#include "tests/unit/report.h"
#include "tests/unit/test.h"

/* clang-format off */
/* Two-sided points of textbooks' tables. */
static const struct {
	double t, degrees, chance;
} points[] = {
	{ 12.7062, 1, 0.05 }, { 63.6567, 1, 0.01 }, { 4.30265, 2, 0.05 },
	{ 2.77645, 4, 0.05 }, { 2.26216, 9, 0.05 }, { 3.24984, 9, 0.01 },
	{ 2.10092, 18, 0.05 }, { 3.92165, 18, 0.001 }, { 2.00030, 60, 0.05 },
	{ 0, 7, 1 }, { -2.26216, 9, 0.05 },
};

#define MOST 5

/* 0.05 divided by the number of remaining rows: 0.0125, 0.01667, 0.025, 0.05. */
static const struct {
	const char *name;
	double chances[MOST];
	const char *marked;
	double first; /* the weight of the first, where it is not 1 */
} families[] = {
	{ "one test alone", { 0.045, NAN, NAN, NAN, NAN }, "1----" },
	{ "four, in any order", { 0.04, 0.012, 0.5, 0.0165, NAN }, "0101-" },
	{ "the first that fails ends it", { 0.013, 0.0135, 0.02, 0.04, NAN }, "0000-" },
	{ "all", { 0.045, 0.02, 0.015, 0.01, NAN }, "1111-" },
	{ "none", { NAN, NAN, NAN, NAN, NAN }, "-----" },
	/* 3 / 6 of 0.05, then 1 / 3 of it */
	{ "the first has half of the weight", { 0.02, 0.5, 0.016, 0.5, NAN }, "1010-", 3 },
	/* 0.05 / 6, then 3 / 5 of 0.05 */
	{ "it is tried after one that is less "
	"likely", { 0.0249, 0.5, 0.008, 0.3, NAN }, "1010-", 3 },
	{ "too likely, and the others have half", { 0.026, 0.5, 0.0084, 0.3, NAN }, "0000-", 3 },
};
/* clang-format on */

static void test_points(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(points); i++)
		ok(test_near(td_student_p_value(points[i].t, points[i].degrees), points[i].chance,
			     1e-4),
		   "t %g of %g degrees", points[i].t, points[i].degrees);
	ok(test_near(td_student_p_value(1.959964, 1e7), 0.05, 1e-5), "many degrees are normal");
}

/* By counting the ways to deal them out. */
static void test_parting(void)
{
	/* AABB ABAB ABBA BAAB BABA BBAA: the first and the last */
	ok(test_near(td_separation_p_value(2, 2), 2. / 6, 1e-12), "two and two");
	/* ABBB BABB BBAB BBBA: the first */
	ok(test_near(td_separation_p_value(1, 3), 1. / 4, 1e-12), "one and three");
	ok(test_near(td_separation_p_value(3, 1), 1. / 4, 1e-12), "three and one");
	ok(test_near(td_separation_p_value(2, 3), 1. / 10, 1e-12), "two and three");
	ok(test_near(td_separation_p_value(5, 5), 2. / 252, 1e-12), "five and five");
}

static void test_families(void)
{
	for (size_t f = 0; f < TD_ARRAY_SIZE(families); f++) {
		double first = families[f].first > 0 ? families[f].first : 1;
		double weights[MOST] = { first, 1, 1, 1, 1 };
		bool marked[MOST];
		bool right = true;

		td_holm_mark(families[f].chances, weights, MOST, marked);
		for (size_t i = 0; i < MOST; i++)
			right = right && marked[i] == (families[f].marked[i] == '1');
		ok(right, "%s", families[f].name);
	}
}

/* --- builds that are made up -------------------------------------------------- */

/*
 * Level 1 and 2 of two PMUs: the eight leaves are what a build has, the others
 * their sums.  Each run of a build has noise in each leaf, and shares add up to
 * 100 %, so that rows depend on each other as those of a machine do.
 *
 * Of events, the counts of each run are Poisson's.
 */
#define LEAVES        8
#define NODES         (LEAVES + 4)
#define PMUS          2
#define EVENTS        12
#define RUNS          10 /* most on a side */
#define DIFFS         4000
#define ONE_IN_TWENTY (DIFFS / 20)
/* where the test is exact, not on the safe side: and three standard deviations */
#define EXACTLY (ONE_IN_TWENTY + 42)

struct trial {
	const char *name;
	size_t nr_a, nr_b;
	double noise; /* standard deviation of a leaf, in points; 0: of events */
	double step;  /* step of PERF_METRICS, in points; 0: none */
	double more;  /* points that the first leaf of B has more of */
	int most;     /* number of diffs that may have a mark */
};

/* clang-format off */
/* One read a run has the whole step, which hides noise that is smaller. */
#define STEP (100. / 255)

static const struct trial trials[] = {
	{ "metrics", 2, 2, 0.3, 0, 0, ONE_IN_TWENTY },
	{ "metrics", 3, 3, 0.3, 0, 0, ONE_IN_TWENTY },
	{ "metrics", 5, 5, 0.3, 0, 0, ONE_IN_TWENTY },
	{ "metrics", 10, 10, 0.3, 0, 0, ONE_IN_TWENTY },
	{ "metrics", 1, 5, 0.3, 0, 0, EXACTLY },
	{ "metrics", 10, 1, 0.3, 0, 0, EXACTLY },
	{ "metrics", 1, 1, 0.3, 0, 0, 0 },
	{ "metrics of one step", 2, 2, 0.05, STEP, 0, ONE_IN_TWENTY },
	{ "metrics of one step", 3, 3, 0.05, STEP, 0, ONE_IN_TWENTY },
	{ "metrics of one step", 5, 5, 0.05, STEP, 0, ONE_IN_TWENTY },
	{ "metrics of one step", 10, 10, 0.05, STEP, 0, ONE_IN_TWENTY },
	{ "counts", 2, 2, 0, 0, 0, ONE_IN_TWENTY },
	{ "counts", 3, 3, 0, 0, 0, ONE_IN_TWENTY },
	{ "counts", 5, 5, 0, 0, 0, ONE_IN_TWENTY },
	{ "counts", 10, 10, 0, 0, 0, ONE_IN_TWENTY },
	{ "counts", 1, 5, 0, 0, 0, ONE_IN_TWENTY },
	{ "counts", 1, 1, 0, 0, 0, 0 },
};
/* clang-format on */

static uint64_t state;

/* xorshift64*: G. Marsaglia, Xorshift RNGs, 2003; S. Vigna, 2016 */
static double uniform(void)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return ((double)(state * UINT64_C(2685821657736338717) >> 11) + 0.5) / 9007199254740992.0;
}

/* G. E. P. Box, M. E. Muller, 1958 */
static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

/* D. E. Knuth, The Art of Computer Programming, 3.4.1 F */
static double poisson(double mean)
{
	double product = uniform(), limit = exp(-mean);
	int n = 0;

	for (; product > limit; n++)
		product *= uniform();
	return n;
}

static const double usual[LEAVES] = { 22, 4, 21, 14, 12, 9, 13, 5 };
static const double means[EVENTS] = { 1, 1, 1, 2, 2, 3, 5, 10, 20, 50, 100, 300 };

static struct td_column columns[NODES];
static struct td_node nodes[NODES];
static char names[NODES][24];

static void name_nodes(void)
{
	for (int i = 0; i < NODES; i++) {
		snprintf(names[i], sizeof(names[i]), "node_%d", i);
		columns[i] = (struct td_column){ names[i], "%", true };
		nodes[i] = (struct td_node){ .column = i, .level = i < LEAVES ? 2 : 1 };
	}
}

struct build {
	struct td_cell cells[RUNS][PMUS][NODES];
	struct td_row rows[RUNS][PMUS];
	struct td_report reports[RUNS];
	struct td_event_row counts[RUNS][EVENTS];
	struct td_event_report events[RUNS];
	struct td_diff_ipc ipc[RUNS];
	struct td_diff_input inputs[RUNS];
};

/* more: points that the first leaf has more of, all others less. */
static void run_tree(struct td_cell cells[NODES], const struct trial *trial, double more)
{
	double sum = 0;

	for (size_t i = 0; i < NODES; i++)
		cells[i] = td_cell_make(TD_STATUS_OK, 0);
	for (size_t i = 0; i < LEAVES; i++) {
		double share = i ? usual[i] * (1 - more / (100 - usual[0])) : usual[0] + more;

		cells[i].value = share + trial->noise * normal();
		sum += cells[i].value;
	}
	for (size_t i = 0; i < LEAVES; i++) {
		cells[i].value *= 100 / sum;
		if (trial->step > 0)
			cells[i].value = round(cells[i].value / trial->step) * trial->step;
		cells[LEAVES + i / 2].value += cells[i].value;
	}
}

static const double scales[EVENTS] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };

static void run_events(struct build *b, size_t r)
{
	for (size_t i = 0; i < EVENTS; i++)
		b->counts[r][i] = (struct td_event_row){
			.id = "all",
			.event = names[i],
			.unit = "",
			.status = TD_STATUS_OK,
			.value = poisson(means[i]),
			.running_pct = 100,
		};
	b->events[r] = (struct td_event_report){ .rows = b->counts[r], .nr_rows = EVENTS };
	b->inputs[r] = (struct td_diff_input){
		.events = &b->events[r],
		.scales = scales,
		.elapsed_s = 1 + 0.03 * normal(),
		.user_s = NAN,
		.sys_s = NAN,
	};
}

static void run_trees(struct build *b, size_t r, const struct trial *trial, double more)
{
	static const char *const pmus[PMUS] = { "cpu_core", "cpu_atom" };

	for (size_t p = 0; p < PMUS; p++) {
		run_tree(b->cells[r][p], trial, p ? 0 : more);
		b->rows[r][p] = (struct td_row){
			.id = "all",
			.pmu = pmus[p],
			.cells = b->cells[r][p],
			.nodes = nodes,
			.nr_nodes = NODES,
		};
	}
	b->reports[r] = (struct td_report){
		.columns = columns, .nr_columns = NODES, .rows = b->rows[r], .nr_rows = PMUS
	};
	b->ipc[r] = (struct td_diff_ipc){ "all", pmus[0], 1.5 + 0.02 * normal() };
	b->inputs[r] = (struct td_diff_input){
		.report = &b->reports[r],
		.scales = scales,
		.elapsed_s = 1 + 0.03 * normal(),
		.user_s = NAN,
		.sys_s = NAN,
		.ipc = &b->ipc[r],
		.nr_ipc = 1,
	};
}

static struct td_diff_side run_build(struct build *b, size_t nr, const struct trial *trial,
				     double more)
{
	for (size_t r = 0; r < nr; r++) {
		if (trial->noise > 0)
			run_trees(b, r, trial, more);
		else
			run_events(b, r);
	}
	return (struct td_diff_side){ b->inputs, nr, "a", false };
}

struct found {
	int nothing; /* diffs without a mark */
	int node;    /* diffs that mark the node */
	int by_rows; /* diffs with a row whose own interval does not have 0 */
};

static void look(const struct td_diff *diff, struct found *found)
{
	bool any = false, node = false, by_rows = false;

	for (size_t i = 0; i < diff->nr; i++) {
		const struct td_diff_row *row = &diff->rows[i];

		any |= row->marked;
		by_rows |= row->value.clear;
		node |= row->marked && row->pmu && !strcmp(row->pmu, "cpu_core") &&
			!strcmp(row->name, names[0]) && row->value.diff > 0;
	}
	found->nothing += !any;
	found->node += node;
	found->by_rows += by_rows;
}

static struct found compare(const struct trial *trial)
{
	static struct build a, b;
	struct found found = { 0 };

	state = 20261123;
	for (int i = 0; i < DIFFS; i++) {
		const struct td_diff_side of_a = run_build(&a, trial->nr_a, trial, 0);
		const struct td_diff_side of_b = run_build(&b, trial->nr_b, trial, trial->more);
		struct td_diff diff = { 0 };

		td_diff_make(&diff, &of_a, &of_b, TD_PER_SLOTS);
		look(&diff, &found);
		td_diff_free(&diff);
	}
	return found;
}

static void test_builds(void)
{
	static const struct trial trial = { "one point", RUNS, RUNS, 0.3, 0, 1, DIFFS };
	struct found found = compare(&trial);

	printf("# one point more in one node: found in %d of %d\n", found.node, DIFFS);
	ok(found.node >= DIFFS * 0.95, "one point");
}

/* A build with itself. */
static void test_trial(const struct trial *trial)
{
	struct found found = compare(trial);
	int marked = DIFFS - found.nothing;

	printf("# %s, %zu and %zu runs: something in %d of %d; without Holm, in %d\n", trial->name,
	       trial->nr_a, trial->nr_b, marked, DIFFS, found.by_rows);
	ok(marked <= trial->most, "%s, %zu and %zu", trial->name, trial->nr_a, trial->nr_b);
	/* the simulated values vary enough for false marks to occur */
	ok(!trial->most || found.by_rows > 2 * marked, "there is noise");
}

int main(void)
{
	test_points();
	test_parting();
	test_families();
	name_nodes();
	test_builds();
	for (size_t i = 0; i < TD_ARRAY_SIZE(trials); i++)
		test_trial(&trials[i]);
	return done_testing();
}
