// SPDX-License-Identifier: GPL-2.0-only
/*
 * What chance marks: chances by tables, Holm's procedure by hand, and a thousand
 * diffs of builds that are made up, with noise of a known size.
 */
#include "metrics/diff/chance.h"
#include "metrics/diff/diff.h"

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

/* 0.01 over what is left: 0.0025, 0.00333, 0.005, 0.01. */
static const struct {
	const char *name;
	double chances[MOST];
	const char *marked;
} families[] = {
	{ "one test alone", { 0.009, NAN, NAN, NAN, NAN }, "1----" },
	{ "four, in any order", { 0.008, 0.0024, 0.5, 0.0033, NAN }, "0101-" },
	{ "the first that fails ends it", { 0.0026, 0.0027, 0.004, 0.008, NAN }, "0000-" },
	{ "all", { 0.009, 0.004, 0.003, 0.002, NAN }, "1111-" },
	{ "none", { NAN, NAN, NAN, NAN, NAN }, "-----" },
};
/* clang-format on */

static void test_points(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(points); i++)
		ok(test_near(
			   td_chance_of_student(points[i].t, points[i].degrees),
			   points[i].chance, 1e-4),
		   "t %g of %g degrees", points[i].t, points[i].degrees);
	ok(test_near(td_chance_of_normal(1.959964), 0.05, 1e-6), "normal");
	ok(test_near(td_chance_of_student(1.959964, 1e7), 0.05, 1e-5),
	   "many degrees are normal");
}

static void test_families(void)
{
	for (size_t f = 0; f < TD_ARRAY_SIZE(families); f++) {
		bool marked[MOST];
		bool right = !td_chance_holm(families[f].chances, MOST, marked);

		for (size_t i = 0; i < MOST; i++)
			right = right &&
				marked[i] == (families[f].marked[i] == '1');
		ok(right, "%s", families[f].name);
	}
}

/* --- builds that are made up -------------------------------------------------- */

/*
 * Level 1 and 2 of two PMUs: the eight leaves are what a build has, the others
 * their sums.  Each run of a build has noise in each leaf, and shares add up to
 * 100 %, so that rows depend on each other as those of a machine do.
 */
#define LEAVES 8
#define NODES  (LEAVES + 4)
#define PMUS   2
#define RUNS   10
#define DIFFS  1000
#define NOISE  0.3 /* standard deviation of a leaf, in points */

static uint64_t state = 20261123;

/* xorshift64*: G. Marsaglia, Xorshift RNGs, 2003; S. Vigna, 2016 */
static double uniform(void)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return ((double)(state * UINT64_C(2685821657736338717) >> 11) + 0.5) /
	       9007199254740992.0;
}

/* G. E. P. Box, M. E. Muller, 1958 */
static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

static const double usual[LEAVES] = { 22, 4, 21, 14, 12, 9, 13, 5 };

static struct td_column columns[NODES];
static struct td_node nodes[NODES];
static char names[NODES][24];

static void name_nodes(void)
{
	for (int i = 0; i < NODES; i++) {
		snprintf(names[i], sizeof(names[i]), "node_%d", i);
		columns[i] = (struct td_column){ names[i], "%", true };
		nodes[i] = (struct td_node){ .column = i,
					     .level = i < LEAVES ? 2 : 1 };
	}
}

struct build {
	struct td_cell cells[RUNS][PMUS][NODES];
	struct td_row rows[RUNS][PMUS];
	struct td_report reports[RUNS];
	struct td_diff_ipc ipc[RUNS];
	struct td_diff_input inputs[RUNS];
};

/* more: points that the first leaf has more of, all others less. */
static void run_tree(struct td_cell cells[NODES], double more)
{
	double sum = 0;

	for (size_t i = 0; i < NODES; i++)
		cells[i] = (struct td_cell){ .status = TD_STATUS_OK,
					     .error = NAN,
					     .runs_error = NAN };
	for (size_t i = 0; i < LEAVES; i++) {
		double share = i ? usual[i] * (1 - more / (100 - usual[0]))
				 : usual[0] + more;

		cells[i].value = share + NOISE * normal();
		sum += cells[i].value;
	}
	for (size_t i = 0; i < LEAVES; i++) {
		cells[i].value *= 100 / sum;
		cells[LEAVES + i / 2].value += cells[i].value;
	}
}

static void run_build(struct build *b, double more)
{
	static const char *const pmus[PMUS] = { "cpu_core", "cpu_atom" };

	for (size_t r = 0; r < RUNS; r++) {
		for (size_t p = 0; p < PMUS; p++) {
			run_tree(b->cells[r][p], p ? 0 : more);
			b->rows[r][p] = (struct td_row){
				.id = "all",
				.pmu = pmus[p],
				.cells = b->cells[r][p],
				.nodes = nodes,
				.nr_nodes = NODES,
			};
		}
		b->reports[r] = (struct td_report){ .columns = columns,
						    .nr_columns = NODES,
						    .rows = b->rows[r],
						    .nr_rows = PMUS };
		b->ipc[r] = (struct td_diff_ipc){ "all", pmus[0],
						  1.5 + 0.02 * normal() };
		b->inputs[r] = (struct td_diff_input){
			.report = &b->reports[r],
			.scaled = &b->reports[r],
			.elapsed_s = 1 + 0.03 * normal(),
			.ipc = &b->ipc[r],
			.nr_ipc = 1,
		};
	}
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
		node |= row->marked && row->pmu &&
			!strcmp(row->pmu, "cpu_core") &&
			!strcmp(row->name, names[0]) && row->value.diff > 0;
	}
	found->nothing += !any;
	found->node += node;
	found->by_rows += by_rows;
}

static struct found compare(double more)
{
	static struct build a, b;
	struct found found = { 0 };

	for (int i = 0; i < DIFFS; i++) {
		struct td_diff_side of_a = { a.inputs, RUNS, "a" };
		struct td_diff_side of_b = { b.inputs, RUNS, "b" };
		struct td_diff diff;
		struct td_err err;

		run_build(&a, 0);
		run_build(&b, more);
		if (td_diff_make(&diff, &of_a, &of_b, TD_PER_SLOTS, &err))
			break;
		look(&diff, &found);
		td_diff_free(&diff);
	}
	return found;
}

static void test_builds(void)
{
	struct found same, other;

	name_nodes();
	same = compare(0);
	other = compare(1);
	printf("# a build with itself: nothing in %d of %d; without Holm, "
	       "something in %d\n",
	       same.nothing, DIFFS, same.by_rows);
	printf("# one point more in one node: found in %d of %d\n", other.node,
	       DIFFS);
	ok(same.nothing >= 980, "a build with itself");
	/* what is made up varies enough for chance to be seen */
	ok(same.nothing < DIFFS && same.by_rows > 300, "there is noise");
	ok(other.node >= 950, "one point");
}

int main(void)
{
	test_points();
	test_families();
	test_builds();
	return done_testing();
}
