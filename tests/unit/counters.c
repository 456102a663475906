// SPDX-License-Identifier: GPL-2.0-only
/* Tests the sums of slots, and the text that they are shown as. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/serve/counters.h"
#include "lib/base/util.h"
#include "tests/unit/report.h"
#include "tests/unit/test.h"

#define NS UINT64_C(1000000000)

static const struct td_column columns[] = {
	{ "tma_retiring", "%", true },           { "tma_bad_speculation", "%", true },
	{ "tma_light_operations", "%", true },   { "tma_dram_bound", "%", true },
	{ "tma_info_thread_ipc", "insn", true },
};

static const struct td_node nodes[] = {
	{ .column = 0, .level = 1 },
	{ .column = 1, .level = 1 },
	{ .column = 2, .level = 2, .parent = "tma_retiring" },
	{ .column = 3, .level = 3, .parent = "tma_memory_bound" },
	{ .column = 4, .level = 0 },
};

#define NR TD_ARRAY_SIZE(columns)

/* Adds an interval with one row; a value that is NaN was not counted. */
static void add_row(struct td_counters *counters, const char *id, uint64_t time, double slots,
		    const double values[NR])
{
	struct td_cell cells[NR];
	struct td_row row = {
		.id = id,
		.pmu = "cpu_core",
		.slots = slots,
		.activity = { 1, 0.5, 1, 300, 0.25, 450, 3 },
		.cells = cells,
		.nodes = nodes,
		.nr_nodes = NR,
	};
	const struct td_report report = {
		.time_ns = time, .columns = columns, .nr_columns = NR, .rows = &row, .nr_rows = 1
	};

	for (size_t i = 0; i < NR; i++) {
		cells[i] = (struct td_cell){
			.status = isnan(values[i]) ? TD_STATUS_NOT_COUNTED : TD_STATUS_OK,
			.value = values[i],
			.running_pct = 50,
			.running_ns = NS / 2,
		};
	}
	td_counters_add(counters, &report);
}

/* The text of all counters, on the heap.  Inline, gcc 12 takes it for a local. */
__attribute__((noinline)) static char *text_of(const struct td_counters *counters,
					       enum td_exposition how)
{
	struct td_counters named = *counters;
	char *text = NULL;
	size_t size = 0;
	FILE *fp = open_memstream(&text, &size);

	named.version = "0.1";
	strcpy(named.cpuid, "GenuineIntel-6-97-2");
	named.model = "Alder \"Lake\"";
	named.files = "v1.39";
	td_out_openmetrics(fp, how, &named);
	fclose(fp);
	return text;
}

/* The value of the only series that begins so; NaN: there is none. */
static double value_of(const struct td_counters *counters, const char *series)
{
	td_autofree char *text = text_of(counters, TD_EXPOSE_OPENMETRICS);
	const char *at = strstr(text, series);
	const char *blank = at ? strchr(at, ' ') : NULL;

	return blank ? strtod(blank, NULL) : NAN;
}

#define CORE     "{pmu=\"cpu_core\""
#define RETIRING "tdstat_topdown_slots_total" CORE ",category=\"retiring\"} "
#define BAD      "tdstat_topdown_slots_total" CORE ",category=\"bad_speculation\"} "
#define LIGHT \
	"tdstat_topdown_l2_slots_total" CORE ",parent=\"retiring\",category=\"light_operations\"} "

static void test_sums(void)
{
	struct td_counters counters = { .max_series = 100, .interval_ns = NS };

	add_row(&counters, "all", NS, 1000, (double[]){ 25, 75, 20, 5, 1.5 });
	add_row(&counters, "all", 2 * NS, 100, (double[]){ 100, 0, 90, 6, 2.5 });
	ok(value_of(&counters, "tdstat_slots_total") == 1100, "slots");
	ok(value_of(&counters, RETIRING) == 350, "weighted by slots");
	ok(value_of(&counters, BAD) == 750, "the other part");
	ok(value_of(&counters, LIGHT) == 290, "level 2, with its parent");
	ok(value_of(&counters, "tdstat_l2_slots_total") == 1100, "its slots");
	ok(value_of(&counters, "tdstat_cycles_total") == 1200,
	   "cycles, scaled up to the time not halted");
	/* so are slots, by tdstat-openmetrics(7), which the help does not hide */
	ok(strstr(td_family_row(TD_FAMILY_SLOTS)->help, "scaled up") &&
		   strstr(td_family_row(TD_FAMILY_L2_SLOTS)->help, "scaled up"),
	   "the help says so");
	ok(value_of(&counters, "tdstat_instructions_total") == 1800, "instructions, as well");
	ok(value_of(&counters, "tdstat_cpu_seconds_total") == 1, "seconds");
	ok(value_of(&counters, "tdstat_counted_seconds_total" CORE ",group=\"level1\"} ") == 1,
	   "the time in which it was counted");
	ok(value_of(&counters, "tdstat_enabled_seconds_total" CORE ",group=\"level2\"} ") == 2,
	   "and in which it should have been");
	ok(test_near(value_of(&counters, "tdstat_metric_ratio" CORE ",metric=\"tma_dram_bound\"} "),
		     0.06, 1e-9),
	   "level 3 is of the last interval");
	ok(value_of(&counters, "tdstat_metric_value" CORE
			       ",metric=\"tma_info_thread_ipc\",unit=\"insn\"} ") == 2.5,
	   "what is no share has its unit");
	ok(value_of(&counters, "tdstat_intervals_missed_total") == 0, "no interval was missed");
	td_counters_free(&counters);
}

static void test_presence(void)
{
	char web[] = "web", api[] = "web/api", old[] = "old";
	char *names[] = { web, api, old };
	bool gone[] = { false, false, true };
	struct td_cgroups cgroups = { .names = names, .gone = gone, .nr = 3, .nr_gone = 1 };
	struct td_counters counters = { .max_series = 100, .always_enabled = true };
	static const double values[] = { 25, 75, 20, 5, 1.5 };

	for (size_t i = 0; i < cgroups.nr; i++)
		td_index_add(&cgroups.index, td_hash_text(names[i]), i);
	add_row(&counters, "all", NS, 1000, values);
	ok(value_of(&counters, "tdstat_cpus_counted" CORE "} ") == 3, "CPUs that were counted");
	ok(isnan(value_of(&counters, "\ntdstat_cgroups_counted ")), "there are no cgroups");
	td_counters_free(&counters);
	counters = (struct td_counters){ .max_series = 100, .cgroups = &cgroups };
	add_row(&counters, "web", NS, 1000, values);
	ok(value_of(&counters, "\ntdstat_cgroups_counted ") == 2, "one of three cgroups is gone");
	cgroups.nr_gone = 0;
	add_row(&counters, "web", NS, 1000, values);
	ok(value_of(&counters, "\ntdstat_cgroups_counted ") == 3, "it is there again");
	ok(isnan(value_of(&counters, "tdstat_cpus_counted")), "of cgroups, CPUs are not known");
	td_counters_free(&counters);
	td_index_free(&cgroups.index);
}

static void test_missing(void)
{
	struct td_counters counters = { .max_series = 100, .interval_ns = NS };
	td_autofree char *text = NULL;

	add_row(&counters, "all", NS, 1000, (double[]){ NAN, NAN, NAN, NAN, NAN });
	ok(isnan(value_of(&counters, "tdstat_enabled_seconds_total")),
	   "whether tasks ran is not known");
	counters.always_enabled = true;
	add_row(&counters, "all", NS, 1000, (double[]){ NAN, NAN, NAN, NAN, NAN });
	ok(value_of(&counters, "tdstat_enabled_seconds_total") == 1, "CPUs always do");
	add_row(&counters, "all", NS, 1000, (double[]){ 25, NAN, NAN, NAN, NAN });
	ok(isnan(value_of(&counters, "tdstat_slots_total")) && isnan(value_of(&counters, RETIRING)),
	   "a level of which a part was not counted is left out");
	ok(value_of(&counters, "tdstat_counted_seconds_total" CORE ",group=\"level1\"} ") == 0,
	   "and this is said");
	add_row(&counters, "all", 6 * NS, 1000, (double[]){ 25, 75, NAN, 7, NAN });
	ok(value_of(&counters, RETIRING) == 250, "then it was");
	ok(isnan(value_of(&counters, "tdstat_l2_slots_total")), "and level 2 was not");
	ok(value_of(&counters, "tdstat_intervals_missed_total") == 2,
	   "two intervals had no report");
	add_row(&counters, "all", 7 * NS, NAN, (double[]){ 25, 75, NAN, NAN, -0.0 });
	ok(value_of(&counters, RETIRING) == 250, "slots that are not known");
	text = text_of(&counters, TD_EXPOSE_OPENMETRICS);
	ok(!strstr(text, "-0"), "no negative zero");
	ok(!strstr(text, "metric_ratio"), "an old value is not shown again");
	ok(!strstr(text, "} nan") && !strstr(text, "} inf"), "no NaN");
	td_counters_free(&counters);
}

static void test_negative(void)
{
	struct td_counters counters = { .max_series = 100, .interval_ns = NS };
	static const double of_bad[] = { 10, -5, 3, -1, 13 };
	static const double sums[] = { 100, 100, 100, 100, 200 };
	bool right = true;

	for (size_t i = 0; i < TD_ARRAY_SIZE(of_bad); i++) {
		add_row(&counters, "all", (i + 1) * NS, 1000,
			(double[]){ 100 - of_bad[i], of_bad[i], 0, 0, 0 });
		right = right && value_of(&counters, BAD) == sums[i];
	}
	ok(right, "it never falls, and what was taken back is taken off");
	ok(value_of(&counters, RETIRING) == 4800, "the other part");
	td_counters_free(&counters);
}

/* A row of CPU5 has 16 series. */
static void test_limit(void)
{
	struct td_counters counters = { .label = "cpu", .prefix = 3, .max_series = 16 };
	static const double values[] = { 25, 75, 20, 5, 1.5 };
	td_autofree char *text = NULL;

	add_row(&counters, "CPU5", NS, 1000, values);
	ok(value_of(&counters, "tdstat_slots_total" CORE ",cpu=\"5\"} ") == 1000,
	   "the label of a CPU is its number");
	ok(value_of(&counters, "\ntdstat_series ") == 16 &&
		   value_of(&counters, "\ntdstat_series_left_out ") == 0,
	   "none is left out");
	add_row(&counters, "CPU5", 2 * NS, 1000, values);
	ok(value_of(&counters, "\ntdstat_series_left_out ") == 0,
	   "the same again are not new ones");
	counters.max_series = 31;
	add_row(&counters, "CPU6", 3 * NS, 1000, values);
	ok(value_of(&counters, "\ntdstat_series_left_out ") == 16,
	   "more are left out, and counted");
	text = text_of(&counters, TD_EXPOSE_TEXT);
	ok(!strstr(text, "cpu=\"6\""), "all of a row, or nothing");
	counters.max_series = 32;
	add_row(&counters, "CPU6", 4 * NS, 1000, values);
	ok(value_of(&counters, "tdstat_slots_total" CORE ",cpu=\"6\"} ") == 1000 &&
		   value_of(&counters, "\ntdstat_series_left_out ") == 0,
	   "with room for it, it is there");
	td_counters_free(&counters);
}

/* Counters of CPUs that come back continue from their last values. */
static void test_offline(void)
{
	struct td_counters counters = {
		.label = "cpu", .prefix = 3, .max_series = 100, .always_enabled = true
	};
	static const double values[] = { 25, 75, 20, 5, 1.5 };
	const char *name = "tdstat_slots_total" CORE ",cpu=\"5\"} ";

	add_row(&counters, "CPU5", NS, 1000, values);
	ok(value_of(&counters, name) == 1000, "a CPU");
	add_row(&counters, "CPU6", 2 * NS, 1000, values);
	ok(isnan(value_of(&counters, name)), "is offline: its series end");
	add_row(&counters, "CPU5", 3 * NS, 10, values);
	ok(value_of(&counters, name) == 1010, "is back: they go on");
	td_counters_free(&counters);
}

static void test_cgroups(void)
{
	char web[] = "web", api[] = "web/api", db[] = "db";
	char *names[] = { web, api, db };
	char *containers[] = { NULL, NULL, NULL };
	bool gone[] = { false, false, false };
	struct td_cgroups cgroups = {
		.names = names, .containers = containers, .gone = gone, .nr = 3
	};
	struct td_counters counters = { .label = "cgroup", .max_series = 100, .cgroups = &cgroups };
	static const double values[] = { 25, 75, 20, 5, 1.5 };
	const char *name = "tdstat_slots_total" CORE ",cgroup=\"web/api\"} ";
	size_t nr;

	for (size_t i = 0; i < cgroups.nr; i++)
		td_index_add(&cgroups.index, td_hash_text(names[i]), i);
	add_row(&counters, "web", NS, 1000, values);
	nr = counters.nr_series;
	add_row(&counters, "web/api", NS, 400, values);
	ok(value_of(&counters, name) == 400, "a cgroup in another one");
	ok(value_of(&counters, "tdstat_cgroup_nested{cgroup=\"web/api\"} ") == 1, "is marked");
	ok(isnan(value_of(&counters, "tdstat_cgroup_nested{cgroup=\"web\"")),
	   "the other one is not");
	gone[1] = true;
	cgroups.nr_gone = 1;
	add_row(&counters, "web/api", 2 * NS, 400, values);
	ok(isnan(value_of(&counters, name)) && counters.nr_series == nr,
	   "removed: its series have ended");
	ok(value_of(&counters, "tdstat_slots_total" CORE ",cgroup=\"web\"} ") == 1000,
	   "those of others have not");
	gone[1] = false;
	gone[0] = true;
	add_row(&counters, "web/api", 3 * NS, 5, values);
	ok(value_of(&counters, name) == 5, "made again: from 0");
	ok(isnan(value_of(&counters, "tdstat_cgroup_nested")), "and in none that is counted");
	td_counters_free(&counters);
	td_index_free(&cgroups.index);
}

static const struct {
	const char *id, *label;
} hostile[] = {
	{ "system.slice/a b", "system.slice/a b" },
	{ "dev-by\\x2dlabel", "dev-by\\\\x2dlabel" },
	{ "\"} 1\n", "\\\"} 1\357\277\2750a" },
	{ "\033[31m", "\357\277\2751b[31m" },
	{ "caf\303\251", "caf\303\251" },
	{ "\377\376", "\357\277\275ff\357\277\275fe" },
	{ "\357\277\2750a", "\357\277\275ef\357\277\275bf\357\277\275bd0a" },
	{ "", "" },
};

static void test_labels(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(hostile); i++) {
		struct td_counters counters = { .label = "cgroup", .max_series = 100 };
		td_autofree char *wanted = NULL;
		td_autofree char *text = NULL;

		add_row(&counters, hostile[i].id, NS, 10, (double[]){ 50, 50, 50, 50, 50 });
		if (asprintf(&wanted, "\ntdstat_slots_total" CORE ",cgroup=\"%s\"} 10\n",
			     hostile[i].label) < 0)
			wanted = NULL;
		text = text_of(&counters, TD_EXPOSE_TEXT);
		ok(wanted && strstr(text, wanted), "label no. %zu", i);
		td_counters_free(&counters);
	}
}

/* See alarm() below. */
static void test_endless_label(void)
{
	static char endless[(1 << 20) + 1];
	struct td_counters counters = { .label = "cgroup", .max_series = 100 };
	td_autofree char *text = NULL;

	memset(endless, '"', sizeof(endless) - 1);
	add_row(&counters, endless, NS, 10, (double[]){ 50, 50, 50, 50, 50 });
	text = text_of(&counters, TD_EXPOSE_TEXT);
	ok(strlen(text) > 2 * strlen(endless), "a label of 1 MB, escaped");
	td_counters_free(&counters);
}

static void test_formats(void)
{
	struct td_counters counters = { .max_series = 100 };
	td_autofree char *text = NULL;
	td_autofree char *open = NULL;
	size_t len;

	add_row(&counters, "all", NS, 1e15, (double[]){ 25, 75, 20, 5, 1.5 });
	text = text_of(&counters, TD_EXPOSE_TEXT);
	open = text_of(&counters, TD_EXPOSE_OPENMETRICS);
	len = strlen(open);
	ok(len > 6 && strcmp(open + len - 6, "# EOF\n") == 0 && !strstr(text, "EOF"),
	   "only OpenMetrics has an end");
	ok(strstr(open, "# TYPE tdstat_cpu_seconds counter\n# UNIT tdstat_cpu_seconds seconds\n") &&
		   !strstr(text, "UNIT"),
	   "and units");
	ok(strstr(open, "# TYPE tdstat info\n") && strstr(text, "# TYPE tdstat_info gauge\n") &&
		   strstr(open, "model=\"Alder \\\"Lake\\\"\",files=\"v1.39\"} 1\n"),
	   "the types of what informs");
	ok(strstr(text, "# TYPE tdstat_slots_total counter\n") &&
		   strstr(open, "# TYPE tdstat_slots counter\n"),
	   "the names of counters");
	ok(strstr(text, "\ntdstat_slots_total" CORE "} 1000000000000000\n"),
	   "large numbers without exponents");
	td_counters_free(&counters);
}

/* For a test of files that name them. */
static int print_names(void)
{
	for (int i = 0; i < TD_NR_FAMILIES; i++) {
		const struct td_family_row *row = td_family_row((enum td_family_kind)i);

		printf("%s%s\n", row->name, row->counter ? "_total" : "");
	}
	puts("tdstat_info");
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "--names") == 0)
		return print_names();
	/* when each character looked at the rest of its label, it took hours */
	alarm(1800);
	test_sums();
	test_presence();
	test_missing();
	test_negative();
	test_limit();
	test_offline();
	test_cgroups();
	test_labels();
	test_endless_label();
	test_formats();
	return done_testing();
}
