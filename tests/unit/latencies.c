// SPDX-License-Identifier: GPL-2.0-only
/* Retire latencies: their sums, their records, and the cores that have them. */
#include "lib/count/latencies.h"

#include <linux/perf_event.h>

#include "lib/base/util.h"
#include "lib/machine/uarch.h"
#include "lib/sample/record.h"
#include "metrics/table/table.h"
#include "tests/unit/test.h"

#define LOCKS  "cpu_core/MEM_INST_RETIRED.LOCK_LOADS/"
#define SPLITS "cpu_core/MEM_INST_RETIRED.SPLIT_LOADS/"

/* clang-format off */
static const struct {
	const char *name;
	uint64_t sum, nr;
	double mean; /* NaN: not known */
} means[] = {
	{ "none", 0, 0, NAN },
	{ "one too few", 2900, 29, NAN },
	{ "just enough", 600, 30, 20 },
	{ "not whole", 50, 100, 0.5 },
	{ "records without latencies", 0, 1000, NAN },
	{ "large", UINT64_C(1) << 62, UINT64_C(1) << 60, 4 },
};
/* clang-format on */

static void test_means(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(means); i++) {
		char event[] = LOCKS;
		const struct td_latency latency = { event, means[i].sum, means[i].nr, 0, 0 };

		ok(test_near(td_latency_mean(&latency), means[i].mean, 1e-9),
		   "the mean of samples: %s", means[i].name);
	}
	ok(isnan(td_latency_mean(NULL)), "an event without samples");
}

static void test_sums(void)
{
	struct td_latencies all = { 0 };
	const struct td_latency *found;

	ok(!td_latencies_find(&all, LOCKS), "nothing is known at first");
	td_latencies_add(&all, LOCKS, 300, 15);
	td_latencies_add(&all, SPLITS, 40, 4);
	ok(all.changed, "two events");
	all.changed = false;
	td_latencies_add(&all, SPLITS, 0, 0);
	ok(!all.changed, "no samples change nothing");
	td_latencies_add(&all, "cpu_core/mem_inst_retired.lock_loads/", 300, 15);
	ok(all.nr == 2 && all.changed, "the same event in small letters");
	found = td_latencies_find(&all, LOCKS);
	ok(found && found->sum == 600 && found->nr == 30, "its sum");
	ok(test_near(td_latency_mean(found), 20, 0), "its mean");
	td_latencies_free(&all);
	ok(!all.nr, "freed");
}

/*
 * A thousand samples a second, whether the event is rare or not: in the first
 * second each is one of 50 events, of 64 cycles, in the next one of 100,000, of 5.
 */
static void test_weighted(void)
{
	char locks[] = LOCKS;
	struct td_latency seconds[2] = { { .event = locks }, { .event = locks } };
	struct td_latencies all = { 0 };
	const double mean = (50 * 64 + 100000 * 5) / (50 + 100000.0);
	const struct td_latency *found;

	for (int i = 0; i < 1000; i++) {
		td_latency_add_sample(&seconds[0], 64, 50);
		td_latency_add_sample(&seconds[1], 5, 100000);
	}
	td_latencies_add_samples(&all, &seconds[0]);
	td_latencies_add_samples(&all, &seconds[1]);
	found = td_latencies_find(&all, LOCKS);
	ok(found && found->nr == 2000 && test_near(td_latency_mean(found), mean, 1e-9),
	   "the mean is that of the events, not of the samples");
	ok(test_near((double)td_latency_sum(found) / 2000, mean, 1e-3),
	   "and so is that of the sum, which a recording has");
	td_latencies_free(&all);
}

/* --- records -------------------------------------------------------------- */

static const struct td_record_format weights = { .weights = true };

struct words {
	struct perf_event_header header;
	uint64_t v[3];
};

static void test_sample(void)
{
	/* var1_dw 7, var2_w 8, var3_w 60001 */
	const struct words words = { { PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, 32 },
				     { 42, 7000, UINT64_C(60001) << 48 | UINT64_C(8) << 32 | 7 } };
	struct td_record record;

	ok(td_record_sample_type(&weights) ==
		   (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_PERIOD | PERF_SAMPLE_WEIGHT_STRUCT),
	   "an id, period and weights, for the processor to write many");
	ok(td_record_parse(&record, &weights, &words, 32) && record.kind == TD_RECORD_SAMPLE &&
		   record.id == 42 && record.period == 7000 && record.latency == 60001,
	   "the latency is var3_w");
	ok(!td_record_parse(&record, &weights, &words, 24), "a sample without weights");
}

static void test_others(void)
{
	const struct words lost = { { PERF_RECORD_LOST, 0, 32 }, { 1, 99, 42 } };
	struct td_record record;

	ok(td_record_parse(&record, &weights, &lost, 32) && record.kind == TD_RECORD_LOST &&
		   record.lost == 99 && record.id == 42,
	   "others end with their id alone");
	ok(!td_record_parse(&record, &weights, &lost, 8), "and are nothing without");
}

/* --- rows of typed events --------------------------------------------------- */

static void test_rows(void)
{
	char locks[] = LOCKS "R", cycles[] = "cpu_core/cycles/";
	struct td_event events[] = { { .name = locks }, { .name = cycles } };
	const struct td_plan plan = { .events = { events, 2 } };
	struct td_event_row rows[] = {
		{ .id = "CPU0", .which = 0, .status = TD_STATUS_NOT_SUPPORTED },
		{ .id = "CPU1", .which = 0, .status = TD_STATUS_NOT_SUPPORTED },
		{ .id = "CPU0", .which = 1, .value = 5 },
		{ .id = "CPU1", .which = 1, .value = 6 },
	};
	struct td_event_report report = { .rows = rows, .nr_rows = 4 };
	struct td_latencies all = { 0 };

	td_event_rows_set_latencies(&report, &plan, &all);
	ok(report.nr_rows == 4 && rows[0].status == TD_STATUS_NOT_SUPPORTED,
	   "nothing was sampled: rows stay as they are");
	td_latencies_add(&all, locks, 100, 29);
	td_latencies_add(&all, locks, 647, 1);
	td_event_rows_set_latencies(&report, &plan, &all);
	ok(report.nr_rows == 3 && rows[0].status == TD_STATUS_OK && test_near(rows[0].value, 25, 0),
	   "the first row has the mean, in whole cycles");
	ok(rows[1].which == 1 && test_near(rows[1].value, 5, 0) && test_near(rows[2].value, 6, 0),
	   "the other event keeps its rows");
	td_latencies_free(&all);
	td_latencies_add(&all, locks, 100, 29);
	td_event_rows_set_latencies(&report, &plan, &all);
	ok(rows[0].status == TD_STATUS_NOT_COUNTED && isnan(rows[0].value),
	   "too few samples: no value");
	td_latencies_free(&all);
}

/* --- processors ----------------------------------------------------------- */

/* As in PERF_CAP_PEBS_TIMING_INFO of the silicon. */
static const struct {
	unsigned int model;
	const char *pmu;
	bool latencies;
} processors[] = {
	{ 0xaa, "cpu_core", true },                         /* Meteor Lake */
	{ 0xaa, "cpu_atom", false }, { 0xad, "cpu", true }, /* Granite Rapids */
	{ 0xbd, "cpu_core", true },                         /* Lunar Lake */
	{ 0xc6, "cpu_core", true },                         /* Arrow Lake */
	{ 0xcc, "cpu_core", true },                         /* Panther Lake */
	{ 0x97, "cpu_core", false },                        /* Alder Lake */
	{ 0xb7, "cpu_core", false },                        /* Raptor Lake */
	{ 0x8f, "cpu", false },                             /* Sapphire Rapids */
	{ 0xcf, "cpu", false },                             /* Emerald Rapids */
	{ 0xff, "cpu", false },                             /* not in the table */
};

static void test_processors(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(processors); i++) {
		const struct td_cpuid cpuid = { "GenuineIntel", 6, processors[i].model };
		const struct td_model *model = td_model_find(&cpuid);

		ok(td_uarch_has(td_model_uarch(model, processors[i].pmu), TD_CORE_LATENCIES) ==
			   processors[i].latencies,
		   "6-%x, %s", processors[i].model, processors[i].pmu);
	}
}

int main(void)
{
	test_means();
	test_sums();
	test_weighted();
	test_sample();
	test_others();
	test_rows();
	test_processors();
	return done_testing();
}
