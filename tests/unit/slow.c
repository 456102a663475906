// SPDX-License-Identifier: GPL-2.0-only
#include "metrics/slow/slow.h"

#include <math.h>
#include <stdlib.h>

#include "lib/base/util.h"
#include "tests/unit/test.h"

/* --- which calls are slow --------------------------------------------------- */

static struct td_timed choose(unsigned int fast, uint64_t nr_fast, unsigned int slow,
			      uint64_t nr_slow)
{
	uint64_t calls[TD_REGION_BUCKETS] = { 0 };
	struct td_timed timed = { 0 };

	calls[fast] = nr_fast;
	calls[slow] += nr_slow;
	td_timed_choose(&timed, calls);
	return timed;
}

static void test_choose(void)
{
	struct td_timed timed = choose(10, 9900, 20, 100);

	ok(timed.middle == 10 && timed.slow > 10 && timed.slow <= 20,
	   "one in a hundred is much slower");
	timed = choose(10, 9500, 20, 500);
	ok(timed.slow == 20, "one in twenty: from their bucket on");
	timed = choose(10, 99990, 20, 10);
	ok(timed.slow == 12, "where less than thirty are, from the next but one on");
	timed = choose(10, 9000, 11, 1000);
	ok(!timed.slow, "a little slower is not slow");
	timed = choose(10, 100, 10, 0);
	ok(timed.middle == 10 && !timed.slow, "all are alike");
	timed = choose(10, 7, 20, 2);
	ok(timed.middle == 10 && !timed.slow, "nine calls are too few");
	timed = choose(10, 8, 20, 2);
	ok(timed.slow == 12, "ten are not");
	timed = choose(TD_REGION_BUCKETS - 1, 100, 0, 1);
	ok(timed.middle == TD_REGION_BUCKETS - 1 && !timed.slow,
	   "there is nothing slower than the last");
}

static void test_slowest(void)
{
	struct td_timed timed = { 0 };
	bool sorted = true;

	for (uint64_t i = 0; i < 100; i++) {
		const struct td_slow_call call = { .time_ns = i * 37 % 100 };

		td_timed_add_slow(&timed, &call);
	}
	for (uint64_t i = 0; i < TD_SLOWEST; i++)
		sorted &= timed.slowest[i].time_ns == 99 - i;
	ok(timed.nr_slowest == TD_SLOWEST && sorted, "the ten slowest calls");
}

/* --- why -------------------------------------------------------------------- */

enum {
	RETIRING,
	BACKEND,
	MEMORY,
	CORE,
	NR_COLUMNS
};

static const struct td_column columns[NR_COLUMNS] = {
	{ "tma_retiring", "%", true },
	{ "tma_backend_bound", "%", true },
	{ "tma_memory_bound", "%", true },
	{ "tma_core_bound", "%", true },
};
static const struct td_node nodes[] = {
	{ RETIRING, NULL, 1, 0, NULL },
	{ BACKEND, NULL, 1, 0, NULL },
	{ MEMORY, "tma_backend_bound", 2, 1, NULL },
	{ CORE, "tma_backend_bound", 2, 1, NULL },
};

#define MIDDLE_BUCKET 10
#define LATE_BUCKET   16 /* 19.2 us: longer than samples are late */
#define SLOW_BUCKET   20
#define CALLS         100

#define ROWS 8

static struct td_cell cells[ROWS][NR_COLUMNS];
static struct td_region_facts facts[ROWS];
static struct td_row rows[ROWS];
static struct td_report report = { .columns = columns, .nr_columns = NR_COLUMNS, .rows = rows };
static const struct td_timed timed = { .middle = MIDDLE_BUCKET,
				       .slow = SLOW_BUCKET,
				       .durations.nr = 2 * CALLS };

static struct td_slow find_slow(const struct td_timed *of)
{
	struct td_slow slow;

	td_slow_find(&report, of, 0, &slow);
	return slow;
}

static void set(size_t row, size_t column, double value, double error)
{
	cells[row][column] = td_cell_make(TD_STATUS_OK, value);
	cells[row][column].error = error;
}

/* Add calls with on_ns on a CPU, waited_ns without one, and a number of slots. */
static void add_row(const char *pmu, bool slow, double on_ns, double waited_ns, double slots)
{
	size_t at = report.nr_rows++;

	rows[at] = td_row_init("f", pmu);
	rows[at].slots = CALLS * slots;
	rows[at].cells = cells[at];
	rows[at].nodes = nodes;
	rows[at].nr_nodes = TD_ARRAY_SIZE(nodes);
	rows[at].region = &facts[at];
	facts[at] = (struct td_region_facts){
		.timed = 1,
		.slow = slow,
		.bucket = slow ? SLOW_BUCKET : MIDDLE_BUCKET,
		.calls = CALLS,
		.took_ns = CALLS * (on_ns + waited_ns),
		.on_ns = CALLS * on_ns,
		.time_pct = 50,
		.waited_ns = waited_ns,
	};
	set(at, RETIRING, 50, 0.1);
	set(at, BACKEND, 50, 0.1);
	for (size_t i = MEMORY; i < NR_COLUMNS; i++)
		cells[at][i] = td_cell_make(TD_STATUS_NOT_COUNTED, NAN);
}

static void begin(void)
{
	report.nr_rows = 0;
	add_row("core", false, 1000, 0, 6000);
}

static const struct td_slow_cause *find(const struct td_slow *slow, enum td_slow_kind kind,
					const char *node)
{
	static const struct td_slow_cause none;

	for (size_t i = 0; i < slow->nr; i++) {
		const struct td_slow_cause *cause = &slow->causes[i];

		if (cause->kind == kind && (!node || strcmp(cause->node, node) == 0))
			return cause;
	}
	return &none;
}

static bool adds_up(const struct td_slow *slow)
{
	double sum = 0;

	for (size_t i = 0; i < slow->nr; i++)
		sum += slow->causes[i].share_pct;
	return test_near(sum, 100, 1e-9);
}

static double share(const struct td_slow *slow, enum td_slow_kind kind, const char *node)
{
	return find(slow, kind, node)->share_pct;
}

static void test_nodes(void)
{
	struct td_slow slow;

	begin();
	add_row("core", true, 5000, 0, 30000);
	set(1, RETIRING, 10, 1);
	set(1, BACKEND, 90, 1);
	slow = find_slow(&timed);
	ok(slow.slow && test_near(slow.extra_ns, 4000, 1e-9) &&
		   test_near(slow.calls_pct, 100, 1e-9),
	   "how much longer a slow call takes");
	ok(test_near(share(&slow, TD_SLOW_NODE, "tma_backend_bound"), 100, 1e-9) &&
		   test_near(share(&slow, TD_SLOW_NODE, "tma_retiring"), 0, 1e-9),
	   "24,000 slots more, all of them of the backend");
	ok(adds_up(&slow), "shares add up");
	ok(test_near(find(&slow, TD_SLOW_NODE, "tma_backend_bound")->error_pct, 1.25, 0.01),
	   "an error of a percent of the slots is more of the difference");
	ok(td_slow_is_clear(&slow.causes[0]) &&
		   !td_slow_is_clear(find(&slow, TD_SLOW_NODE, "tma_retiring")),
	   "what is below its error is not clear");
}

static void test_level_2(void)
{
	struct td_slow slow;

	begin();
	add_row("core", true, 2000, 0, 12000);
	for (size_t i = 0; i < 2; i++) {
		set(i, MEMORY, i ? 40 : 10, 0.1);
		set(i, CORE, i ? 10 : 40, 0.1);
	}
	slow = find_slow(&timed);
	ok(find(&slow, TD_SLOW_NODE, "tma_backend_bound")->node == NULL,
	   "a node whose children are known is told by them");
	ok(share(&slow, TD_SLOW_NODE, "tma_memory_bound") > 60 &&
		   share(&slow, TD_SLOW_NODE, "tma_core_bound") < 0 && adds_up(&slow),
	   "and one that became less is negative");
}

/* As of calls that are as short as their probes. */
static void test_unknown_middle(void)
{
	struct td_slow slow;

	begin();
	rows[0].slots = 0;
	for (size_t i = 0; i < NR_COLUMNS; i++)
		cells[0][i] = td_cell_make(TD_STATUS_NOT_COUNTED, NAN);
	add_row("core", true, 100000, 0, 600000);
	set(1, RETIRING, 10, 0.1);
	set(1, BACKEND, 90, 0.1);
	slow = find_slow(&timed);
	ok(test_near(share(&slow, TD_SLOW_NODE, "tma_backend_bound"), 90, 0.01) &&
		   find(&slow, TD_SLOW_NODE, "tma_backend_bound")->error_pct > 1 &&
		   find(&slow, TD_SLOW_NODE, "tma_backend_bound")->error_pct < 1.1 &&
		   adds_up(&slow),
	   "where calls around the median are unknown, they are in the error");
	ok(find(&slow, TD_SLOW_CLOCK, NULL)->share_pct == 0, "and nothing is said of the clock");
}

static void test_waiting(void)
{
	struct td_slow slow;

	begin();
	add_row("core", true, 1000, 9000, 6000);
	facts[1].preempted_ns = 900;
	slow = find_slow(&timed);
	ok(test_near(share(&slow, TD_SLOW_WAITED, NULL), 90, 1e-9) &&
		   test_near(share(&slow, TD_SLOW_PREEMPTED, NULL), 10, 1e-9) && adds_up(&slow),
	   "time without a CPU");
	ok(slow.causes[0].kind == TD_SLOW_WAITED, "the largest comes first");
	facts[0].preempted_ns = facts[1].preempted_ns = NAN;
	slow = find_slow(&timed);
	ok(test_near(share(&slow, TD_SLOW_OFF, NULL), 100, 1e-9) && adds_up(&slow),
	   "of which nobody knows the reason");
}

/* The slots of interrupts are in no row, and so is the time of slots without it. */
static void test_interrupts(void)
{
	struct td_slow slow;

	begin();
	add_row("core", true, 5000, 0, 12000);
	facts[1].interrupted_ns = 3000;
	slow = find_slow(&timed);
	ok(test_near(share(&slow, TD_SLOW_INTERRUPT, NULL), 75, 1e-9) &&
		   test_near(share(&slow, TD_SLOW_NODE, "tma_retiring"), 12.5, 1e-9) &&
		   test_near(share(&slow, TD_SLOW_NODE, "tma_backend_bound"), 12.5, 1e-9) &&
		   adds_up(&slow),
	   "interrupts, beside twice as many slots");
	facts[0].interrupted_ns = 500;
	rows[0].slots = CALLS * 3000.0;
	slow = find_slow(&timed);
	ok(test_near(share(&slow, TD_SLOW_INTERRUPT, NULL), 62.5, 1e-9) &&
		   test_near(share(&slow, TD_SLOW_NODE, "tma_retiring"), 18.75, 1e-9) &&
		   adds_up(&slow),
	   "those of calls around the median are no reason");
	facts[0].interrupted_ns = facts[1].interrupted_ns = NAN;
	slow = find_slow(&timed);
	ok(share(&slow, TD_SLOW_INTERRUPT, NULL) == 0 && adds_up(&slow),
	   "where they are unknown, they are no cause");
	ok(slow.no_interrupts, "and this is known");
	add_row("atom", true, 3000, 0, 9000);
	facts[1].calls = 0;
	facts[2].interrupted_ns = 1000;
	slow = find_slow(&timed);
	ok(!slow.no_interrupts, "a kind of core on which none ended is no gap");
	begin();
	add_row("atom", true, 3000, 0, 9000);
	facts[1].interrupted_ns = 1000;
	slow = find_slow(&timed);
	ok(test_near(share(&slow, TD_SLOW_INTERRUPT, NULL), 50, 1e-9) &&
		   test_near(share(&slow, TD_SLOW_CORE, NULL), 50, 1e-9) && adds_up(&slow),
	   "nor is another kind of core slower by them");
}

static void test_clock(void)
{
	struct td_slow slow;

	begin();
	add_row("core", true, 3000, 0, 6000);
	slow = find_slow(&timed);
	ok(test_near(share(&slow, TD_SLOW_CLOCK, NULL), 100, 1e-9) && adds_up(&slow),
	   "as many slots, which took longer");
}

/* Of 400 samples of a class, the error is 98 of 1000. */
static void test_samples(void)
{
	struct td_timed sampled = timed;
	struct td_slow slow;

	begin();
	add_row("core", true, 3000, 0, 6000);
	sampled.period = CALLS * 6000 / 400;
	slow = find_slow(&sampled);
	ok(find(&slow, TD_SLOW_CLOCK, NULL)->share_pct == 0 && adds_up(&slow),
	   "samples do not tell the clock of calls as short as their delay");
	sampled.middle = facts[0].bucket = LATE_BUCKET;
	slow = find_slow(&sampled);
	ok(test_near(find(&slow, TD_SLOW_CLOCK, NULL)->error_pct,
		     100 * 1000 * 1.96 * sqrt(2.0 / 400) / 2000, 1e-9),
	   "a clock that is known by samples has their error");
	rows[0].slots = 0;
	slow = find_slow(&sampled);
	ok(find(&slow, TD_SLOW_CLOCK, NULL)->share_pct == 0 && adds_up(&slow),
	   "and of no sample nothing is said of it");
	sampled.period = CALLS * 6000;
	slow = find_slow(&sampled);
	ok(test_near(share(&slow, TD_SLOW_REST, NULL), 100, 1e-9),
	   "nor is anything of slow calls with one sample");
}

static void test_other_core(void)
{
	struct td_slow slow;

	begin();
	add_row("atom", true, 3000, 0, 9000);
	slow = find_slow(&timed);
	ok(test_near(share(&slow, TD_SLOW_CORE, NULL), 100, 1e-9) && adds_up(&slow),
	   "all slow calls are on another kind of core");
	add_row("core", true, 3000, 0, 18000);
	slow = find_slow(&timed);
	ok(test_near(share(&slow, TD_SLOW_CORE, NULL), 50, 1e-9) &&
		   test_near(share(&slow, TD_SLOW_NODE, "tma_retiring"), 25, 1e-9) &&
		   adds_up(&slow),
	   "half of them: those on the same have the nodes");
}

/*
 * Both core types have slow and typical calls, those of atom in another bucket: half of the slow
 * ones take 2000 of 49000 ns longer there, like the typical ones.
 */
static void test_alike_on_both(void)
{
	struct td_slow slow;

	begin();
	add_row("core", true, 49000, 0, 294000);
	add_row("atom", true, 51000, 0, 153000);
	add_row("atom", false, 1000, 0, 3000);
	slow = find_slow(&timed);
	ok(share(&slow, TD_SLOW_CORE, NULL) == 0 && adds_up(&slow),
	   "what calls take longer on both kinds of core is not the core's");
	ok(test_near(share(&slow, TD_SLOW_NODE, "tma_retiring"), 50, 1e-9) &&
		   test_near(share(&slow, TD_SLOW_NODE, "tma_backend_bound"), 50, 1e-9),
	   "it is the nodes', of both");
	facts[3].bucket = MIDDLE_BUCKET + 4;
	facts[3].on_ns = facts[3].took_ns = CALLS * 3000;
	rows[3].slots = CALLS * 9000;
	slow = find_slow(&timed);
	ok(test_near(share(&slow, TD_SLOW_CORE, NULL), 100 * 1000. / 49000, 1e-9) && adds_up(&slow),
	   "but for what a usual call takes longer there");
	facts[3].calls = TD_MANY_CALLS - 1;
	facts[3].on_ns = facts[3].took_ns = (TD_MANY_CALLS - 1) * 3000.;
	slow = find_slow(&timed);
	ok(share(&slow, TD_SLOW_CORE, NULL) > 0 &&
		   !td_slow_is_clear(find(&slow, TD_SLOW_CORE, NULL)),
	   "which few calls cannot tell");
	facts[3].calls = CALLS;
	facts[3].on_ns = facts[3].took_ns = CALLS * 3000;
	/* few are as short as the middle of all: they are not usual there */
	add_row("atom", false, 1000, 0, 3000);
	facts[4].calls = 1;
	facts[4].on_ns = facts[4].took_ns = 1000;
	slow = find_slow(&timed);
	ok(share(&slow, TD_SLOW_CORE, NULL) > 2, "the middle of its calls");
	facts[3].bucket = SLOW_BUCKET;
	slow = find_slow(&timed);
	ok(share(&slow, TD_SLOW_CORE, NULL) > 50, "all is the core's where slow calls are usual");
}

/* Two slow calls are counted as well as two hundred, if the probes cost little. */
static void test_few(void)
{
	struct td_slow slow;

	begin();
	add_row("core", true, 5000, 0, 30000);
	set(1, RETIRING, 10, NAN);
	set(1, BACKEND, 90, NAN);
	facts[1].calls = 2;
	facts[1].on_ns = facts[1].took_ns = 2 * 5000.;
	rows[1].slots = 2 * 30000.;
	slow = find_slow(&timed);
	ok(test_near(share(&slow, TD_SLOW_NODE, "tma_backend_bound"), 100, 1e-9) &&
		   slow.causes[0].kind == TD_SLOW_NODE && td_slow_is_clear(&slow.causes[0]) &&
		   isnan(slow.causes[0].error_pct) && adds_up(&slow),
	   "what few slow calls had is known, but not how far others differ");
	facts[1].cost_pct = TD_COST_OF_FEW;
	slow = find_slow(&timed);
	ok(find(&slow, TD_SLOW_NODE, "tma_retiring")->node == NULL && adds_up(&slow) &&
		   slow.causes[0].kind == TD_SLOW_REST && !td_slow_is_clear(&slow.causes[0]),
	   "unless it may be the probes'");
}

static const char *why_not(uint64_t calls, double cost_pct, double slots, uint64_t period)
{
	begin();
	facts[0].bucket = LATE_BUCKET;
	facts[0].calls = calls;
	facts[0].cost_pct = cost_pct;
	rows[0].slots = slots;
	return td_slow_why_not(&rows[0], period);
}

static void test_needs(void)
{
	ok(!why_not(1, TD_COST_OF_FEW - 1, 1e9, 0), "a long call");
	ok(why_not(TD_MANY_CALLS - 1, TD_COST_OF_FEW, 1e9, 0) != NULL,
	   "few calls, of which a part may be the probes'");
	ok(!why_not(TD_MANY_CALLS, TD_COST_OF_FEW, 1e9, 0), "many have errors that tell it");
	ok(why_not(1000, TD_COST_OF_MANY, 1e9, 0) != NULL, "of any number if it is most");
	ok(!why_not(1, 0, TD_MIN_SAMPLES * 1e6, 1000000) &&
		   why_not(1000, 0, TD_MIN_SAMPLES * 1e6 - 1, 1000000),
	   "samples count, not calls");
	ok(why_not(0, 0, 1e9, 0) != NULL, "slots of calls that ended elsewhere");
}

/* A row of calls around the median of that bucket, on the P-core. */
static size_t add_usual(unsigned int bucket, uint64_t calls, double on_ns, double backend,
			double error)
{
	size_t at = report.nr_rows;

	add_row("core", false, on_ns, 0, 0);
	rows[at].slots = 6 * (double)calls * on_ns;
	facts[at].bucket = bucket;
	facts[at].calls = calls;
	facts[at].took_ns = facts[at].on_ns = (double)calls * on_ns;
	facts[at].faults = on_ns / 1000;
	set(at, BACKEND, backend, error);
	set(at, RETIRING, 100 - backend, error);
	return at;
}

/* 10 calls of 1000 ns, 10 of 1400 and 20 of 700: 9500 ns a row at most, 38000 in all. */
static void test_joined(void)
{
	struct td_timed few = timed;
	struct td_slow slow;

	report.nr_rows = 0;
	few.durations.nr = 40 + CALLS;
	add_usual(MIDDLE_BUCKET, 10, 1000, 40, 1);
	add_usual(MIDDLE_BUCKET + 1, 10, 1400, 50, 2);
	add_usual(MIDDLE_BUCKET - 1, 20, 700, 30, 3);
	add_usual(MIDDLE_BUCKET - 3, 50, 200, 90, 0.1);
	add_row("core", true, 5000, 0, 30000);
	set(4, RETIRING, 10, 0);
	set(4, BACKEND, 90, 0);
	slow = find_slow(&few);
	/* (10 * 1000 + 10 * 1400 + 20 * 700) / 40 = 950 ns */
	ok(test_near(slow.extra_ns, 4050, 1e-9) && slow.middle.calls == 40 &&
		   slow.middle.bucket == MIDDLE_BUCKET - 1 && slow.middle_end == MIDDLE_BUCKET + 1,
	   "rows of few calls around the median are joined: %g ns", slow.extra_ns);
	ok(test_near(slow.middle.faults, 0.95, 1e-9), "and their facts");
	/* 24000 + 42000 + 25200 of 228000 slots: 2280 of 5700 per call */
	ok(test_near(share(&slow, TD_SLOW_NODE, "tma_backend_bound"),
		     100 * (27000 - 2280.) / (6 * 4050), 1e-9) &&
		   adds_up(&slow),
	   "their nodes are of the slots of all of them");
	/* 60000, 84000 and 84000 slots by 1, 2 and 3 %, of 40 calls */
	ok(test_near(find(&slow, TD_SLOW_NODE, "tma_backend_bound")->error_pct,
		     100 * hypot(600, hypot(1680, 2520)) / 40 / (6 * 4050), 1e-9),
	   "and so are their errors");
	few.durations.nr = TD_MIN_CALLS - 1;
	slow = find_slow(&few);
	ok(!slow.slow, "of a recording of few calls none are slow");
}

/* Add a row of the slow calls, with ns of interrupts in each call. */
static void add_part(unsigned int bucket, uint64_t calls, double took_ns, double interrupted_ns)
{
	size_t at = report.nr_rows;

	add_row("atom", false, took_ns, 0, 0);
	facts[at].bucket = bucket;
	facts[at].calls = calls;
	facts[at].took_ns = facts[at].on_ns = (double)calls * took_ns;
	facts[at].interrupted_ns = interrupted_ns;
}

static void begin_on_atom(double took_ns, double interrupted_ns)
{
	begin();
	add_row("atom", true, took_ns, 0, 0);
	facts[1].calls = 50;
	facts[1].took_ns = facts[1].on_ns = 50 * took_ns;
	facts[1].interrupted_ns = interrupted_ns;
}

/*
 * A run on a busy host, which stopped the processor in an interrupt of one of 50 calls for 260 ms;
 * all calls are slow because they run on another core type.
 */
static void test_one_of_many(void)
{
	struct td_timed of_run = timed;
	struct td_slow slow;
	double of_one_row;

	of_run.slow = 32;
	of_run.durations.max_ns = 308537692;
	begin_on_atom(13092000, 5460895);
	facts[1].bucket = of_run.slow;
	add_part(32, 39, 6115419, 207319);
	add_part(33, 5, 7471823, 670118);
	add_part(34, 3, 11137267, 286978);
	add_part(35, 2, 16514476, 434143);
	add_part(43, 1, 308537692, 259879511);
	slow = find_slow(&of_run);
	ok(share(&slow, TD_SLOW_INTERRUPT, NULL) > 40 &&
		   !td_slow_is_clear(find(&slow, TD_SLOW_INTERRUPT, NULL)),
	   "what one of fifty calls had most of is no cause of them");
	ok(td_slow_is_clear(find(&slow, TD_SLOW_CORE, NULL)) &&
		   slow.causes[0].kind == TD_SLOW_CORE && adds_up(&slow),
	   "what all of them have is");
	begin_on_atom(6115419, 4000000);
	facts[1].bucket = of_run.slow;
	add_part(32, 50, 6115419, 4000000);
	slow = find_slow(&of_run);
	ok(td_slow_is_clear(find(&slow, TD_SLOW_INTERRUPT, NULL)), "so are interrupts, then");
	/* 30 calls of 6.5536 ms and one of 3.392 ms: a standard deviation of 3.1623 ms */
	ok(test_near(find(&slow, TD_SLOW_INTERRUPT, NULL)->error_pct,
		     100 * 1.96 * 3162300 / sqrt(50) / 6114419, 1e-3),
	   "although fewer than all may have them");
	facts[2].waited_ns = facts[1].waited_ns = 100000;
	slow = find_slow(&of_run);
	ok(!td_slow_is_clear(find(&slow, TD_SLOW_WAITED, NULL)),
	   "nor has a time that one of them may have waited alone its cause");
	of_one_row = find(&slow, TD_SLOW_WAITED, NULL)->error_pct;
	/* how long calls waited is of the bucket, and the same in both rows */
	facts[2].calls = 25;
	facts[2].took_ns = facts[2].on_ns = 25 * 6115419.;
	add_part(32, 25, 6115419, 4000000);
	rows[3].pmu = "core";
	facts[3].waited_ns = 100000;
	slow = find_slow(&of_run);
	ok(test_near(find(&slow, TD_SLOW_WAITED, NULL)->error_pct, of_one_row, 1e-9),
	   "on two kinds of core, too: %g", find(&slow, TD_SLOW_WAITED, NULL)->error_pct);
}

static void test_none(void)
{
	const struct td_timed alike = { .middle = MIDDLE_BUCKET, .durations.nr = CALLS };
	struct td_slow slow;

	begin();
	slow = find_slow(&alike);
	ok(!slow.slow && !slow.nr, "no calls are slow");
}

int main(void)
{
	test_choose();
	test_slowest();
	test_nodes();
	test_level_2();
	test_unknown_middle();
	test_waiting();
	test_interrupts();
	test_clock();
	test_samples();
	test_other_core();
	test_alike_on_both();
	test_few();
	test_needs();
	test_joined();
	test_one_of_many();
	test_none();
	return done_testing();
}
