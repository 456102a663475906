// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "cmd/output/format.h"
#include "cmd/output/out.h"
#include "lib/base/util.h"
#include "tests/unit/json_lines.h"
#include "tests/unit/test.h"

#define MAX_ROWS 3

/* clang-format off */
#define SINGLE(v, d, ...) .ratios = { { v, d, __VA_ARGS__ } }, .nr_ratios = 1
#define TITLE(target) "\n Performance counter stats for '" target "':\n\n"
#define BLANK38 "                                      "

/*
 * Rows named "perf 6.12" are lines that perf printed on an Alder Lake, "perf
 * 7.2" on a Sapphire Rapids; the others follow perf's formats.
 */
static const struct {
	const char *name;
	enum td_format_kind format;
	const char *separator;
	struct td_frame frame;
	struct td_event_row rows[MAX_ROWS];
	uint64_t time_ns;
	int repeat; /* how often the report is written; 0: once */
	const struct td_usage *usage;
	const char *want;
} rows[] = {
	{ "perf 6.12: GHz, and no metric", .frame = { .target_kind = TD_TARGET_SYSTEM },
	  .rows = { { "all", "cpu_core/cycles/", "", TD_STATUS_OK, 125191992, 0,
		      973385972, 100, SINGLE(0.064155, 3, "GHz") },
		    { "all", "cpu_core/instructions:u/", "", TD_STATUS_OK,
		      140691942, 0, 972907379, 100 } },
	  .want = TITLE("system wide")
"         125191992      cpu_core/cycles/                 #    0.064 GHz                       \n"
"         140691942      cpu_core/instructions:u/                                              \n"
"\n" },
	{ "perf 6.12: a unit and decimals, a rate, a tool event",
	  .frame = { .target_kind = TD_TARGET_SYSTEM },
	  .rows = { { "all", "task-clock", "msec", TD_STATUS_OK, 1951.220332, 2,
		      1951220332, 100, SINGLE(7.92454, 3, "CPUs utilized") },
		    { "all", "mem:0x1000:rw", "", TD_STATUS_OK, 0, 0, 1950973473,
		      100, SINGLE(0, 3, "/sec") },
		    { "all", "duration_time", "ns", TD_STATUS_OK, 1047289217, 0,
		      1047289217, 100, SINGLE(536.735, 3, "M/sec") } },
	  .want = TITLE("system wide")
"           1951.22 msec task-clock                       #    7.925 CPUs utilized             \n"
"                 0      mem:0x1000:rw                    #    0.000 /sec                      \n"
"        1047289217 ns   duration_time                    #  536.735 M/sec                     \n"
"\n" },
	{ "perf 6.12: the share of the time, ratios",
	  .frame = { .target_kind = TD_TARGET_SYSTEM },
	  .rows = { { "all", "cpu_atom/instructions/", "", TD_STATUS_OK, 91333584,
		      0, 1, 87.28, SINGLE(0.9699, 2, "insn per cycle") },
		    { "all", "cpu_atom/branch-misses/", "", TD_STATUS_OK, 1297090,
		      0, 1, 87.1, SINGLE(5.624, 2, "of all branches", .percent = true) },
		    { "all", "cpu_core/branch-misses/", "", TD_STATUS_OK, 1487965,
		      0, 1, 100, SINGLE(6.2494, 2, "of all branches", .percent = true) } },
	  .want = TITLE("system wide")
"          91333584      cpu_atom/instructions/           #    0.97  insn per cycle              "
"(87.28%)\n"
"           1297090      cpu_atom/branch-misses/          #    5.62% of all branches             "
"(87.10%)\n"
"           1487965      cpu_core/branch-misses/          #    6.25% of all branches           \n"
"\n" },
	{ "perf 6.12: not counted, not supported",
	  .frame = { .target = "sleep 0.1" },
	  .rows = { { "all", "L1-dcache-loads", "", TD_STATUS_NOT_COUNTED, NAN, 0,
		      0, 0 },
		    { "all", "L1-dcache-load-misses", "", TD_STATUS_NOT_SUPPORTED,
		      NAN, 0, 0, 100 } },
	  .usage = &(struct td_usage){ 117011220, true, 4990000, 9980000 },
	  .want = TITLE("sleep 0.1")
"     <not counted>      L1-dcache-loads                                                         "
"(0.00%)\n"
"   <not supported>      L1-dcache-load-misses                                                 \n"
"\n"
"       0.117011220 seconds time elapsed\n"
"\n"
"       0.004990000 seconds user\n"
"       0.009980000 seconds sys\n\n" },
	{ "perf 7.2: a second metric, a negative one",
	  .frame = { .target_kind = TD_TARGET_SYSTEM },
	  .rows = { { "all", "TOPDOWN.SLOTS", "", TD_STATUS_OK, 305639092, 0, 1,
		      100, .nr_ratios = 2,
		      .ratios = { { -75, 1, "%  tma_frontend_bound" },
				  { 125, 1, "%  tma_bad_speculation" } } } },
	  .want = TITLE("system wide")
"         305639092      TOPDOWN.SLOTS                    #    -75.0 %  tma_frontend_bound     \n"
"                                                         #    125.0 %  tma_bad_speculation    \n"
"\n" },
	{ "perf 7.2: a metric wider than its place",
	  .frame = { .target_kind = TD_TARGET_SYSTEM },
	  .rows = { { "all", "cpu_core/instructions/", "", TD_STATUS_OK,
		      203617513, 0, 1, 100,
		      SINGLE(1, 1, "instructions  insn_per_cycle") } },
	  .want = TITLE("system wide")
"         203617513      cpu_core/instructions/           #      1.0 instructions  insn_per_cycle\n"
"\n" },
	{ "the share of the time behind the last metric",
	  .frame = { .target = "true" },
	  .rows = { { "all", "a", "", TD_STATUS_OK, 1, 0, 1, 50,
		      .nr_ratios = 2,
		      .ratios = { { 1, 3, "GHz" }, { 2, 3, "K/sec" } } } },
	  .want = TITLE("true")
"                 1      a                                #    1.000 GHz                       \n"
"                                                         #    2.000 K/sec                       "
"(50.00%)\n"
"\n" },
	{ "all of the time but for what is not printed",
	  .frame = { .target = "true" },
	  .rows = { { "all", "a", "", TD_STATUS_OK, 1, 0, 1, 99.999 },
		    { "all", "b", "", TD_STATUS_OK, 2, 0, 1, 99.99 } },
	  .want = TITLE("true")
"                 1      a                               " BLANK38 "\n"
"                 2      b                               " BLANK38 "  (99.99%)\n"
"\n" },
	{ "thousands apart: one to three digits, then four",
	  .frame = { .target = "true", .big_num = true },
	  .rows = { { "all", "a", "", TD_STATUS_OK, 999, 0, 1, 100 },
		    { "all", "b", "", TD_STATUS_OK, 1000, 0, 1, 100 },
		    { "all", "c", "", TD_STATUS_OK, -123456, 0, 1, 100 } },
	  .want = TITLE("true")
"               999      a                               " BLANK38 "\n"
"             1,000      b                               " BLANK38 "\n"
"          -123,456      c                               " BLANK38 "\n"
"\n" },
	{ "thousands apart: decimals, more than the field holds, none of them",
	  .frame = { .target = "true", .big_num = true },
	  .rows = { { "all", "a", "msec", TD_STATUS_OK, 1234567.891, 2, 1, 100,
		      SINGLE(12345.678, 3, "GHz") },
		    { "all", "b", "", TD_STATUS_OK, 123456789012345680.0, 0, 1, 100 },
		    { "all", "c", "", TD_STATUS_NOT_COUNTED, NAN, 0, 0, 0 } },
	  .want = TITLE("true")
"      1,234,567.89 msec a                                # 12345.678 GHz                      \n"
"123,456,789,012,345,680      b                               " BLANK38 "\n"
"     <not counted>      c                               " BLANK38 "  (0.00%)\n"
"\n" },
	{ "never -0, a long unit, a long name", .frame = { .target = "true" },
	  .rows = { { "all", "power/energy-pkg/", "Joules", TD_STATUS_OK, -0.001,
		      2, 1, 100 },
		    { "all", "a/name=that_is_longer_than_its_field/", "",
		      TD_STATUS_OK, 1, 0, 1, 100, SINGLE(-0.0001, 3, "GHz") } },
	  .want = TITLE("true")
"              0.00 Joules power/energy-pkg/               " BLANK38 "\n"
"                 1        a/name=that_is_longer_than_its_field/ #    0.000 GHz                    "
"   \n"
"\n" },
	{ "nothing to count: the frame alone", .frame = { .target = "true" },
	  .usage = &(struct td_usage){ .elapsed_ns = 1003214567 },
	  .want = TITLE("true")
"       1.003214567 seconds time elapsed\n\n" },
	{ "-A", .frame = { .target_kind = TD_TARGET_SYSTEM, .show_id = true, .how = TD_AGGREGATE_CPU },
	  .rows = { { "CPU0", "cycles", "", TD_STATUS_OK, 5, 0, 1, 100,
		      .nr_ratios = 2,
		      .ratios = { { 1, 3, "GHz" }, { 2, 3, "K/sec" } } },
		    { "CPU127", "cycles", "", TD_STATUS_OK, 6, 0, 1, 100 },
		    { "all", "duration_time", "ns", TD_STATUS_OK, 7, 0, 1, 100 } },
	  .want = TITLE("system wide")
"CPU0                    5      cycles                           #    1.000 GHz                    "
"   \n"
"CPU0                                                            #    2.000 K/sec                  "
"   \n"
"CPU127                  6      cycles                          " BLANK38 "\n"
"                        7 ns   duration_time                   " BLANK38 "\n"
"\n" },
	{ "-I: the header once, without an end", .frame = { .interval = true },
	  .rows = { { "all", "cpu-clock", "msec", TD_STATUS_OK, 204.5168, 2,
		      204516814, 100, SINGLE(2.0, 3, "CPUs utilized") } },
	  .time_ns = 100168209, .repeat = 2,
	  .usage = &(struct td_usage){ .elapsed_ns = 1 },
	  .want =
"#           time             counts unit events\n"
"     0.100168209             204.52 msec cpu-clock                        #    2.000 CPUs "
"utilized             \n"
"     0.100168209             204.52 msec cpu-clock                        #    2.000 CPUs "
"utilized             \n" },
	{ "-I: the header again on the next screen, two lines an event",
	  .frame = { .interval = true, .screen_lines = 6 },
	  .rows = { { "all", "a", "", TD_STATUS_OK, 1, 0, 1, 100,
		      .nr_ratios = 2,
		      .ratios = { { 1, 3, "GHz" }, { 2, 3, "K/sec" } } } },
	  .time_ns = 123456000000001, .repeat = 3,
	  .want =
"#           time             counts unit events\n"
"123456.000000001                  1      a                                #    1.000 GHz          "
"             \n"
"123456.000000001                                                          #    2.000 K/sec        "
"             \n"
"123456.000000001                  1      a                                #    1.000 GHz          "
"             \n"
"123456.000000001                                                          #    2.000 K/sec        "
"             \n"
"#           time             counts unit events\n"
"123456.000000001                  1      a                                #    1.000 GHz          "
"             \n"
"123456.000000001                                                          #    2.000 K/sec        "
"             \n" },
	{ "-I -A", .frame = { .interval = true, .show_id = true, .how = TD_AGGREGATE_CPU },
	  .rows = { { "CPU0", "energy", "Joules", TD_STATUS_OK, 1.25, 2, 1, 100 },
		    { "CPU1", "energy", "Joules", TD_STATUS_NOT_COUNTED, NAN, 2, 0,
		      0 } },
	  .time_ns = 1000104518,
	  .want =
"#           time cpu                counts   unit events\n"
"     1.000104518 CPU0                 1.25 Joules energy                          " BLANK38 "\n"
"     1.000104518 CPU1        <not counted> Joules energy                          " BLANK38 "  (0.00%)\n" },

	{ "perf 7.2: CSV", TD_FORMAT_CSV, ",",
	  .frame = { .target = "true", .big_num = true, .colour = true },
	  .rows = { { "all", "cpu-clock", "msec", TD_STATUS_OK, 204.516814, 2,
		      204516814, 100, SINGLE(2.0, 1, "CPUs  CPUs_utilized") },
		    { "all", "task-clock", "msec", TD_STATUS_NOT_COUNTED, NAN, 2,
		      0, 100 } },
	  .usage = &(struct td_usage){ .elapsed_ns = 1 },
	  .want =
"204.52,msec,cpu-clock,204516814,100.00,2.0,CPUs  CPUs_utilized\n"
"<not counted>,msec,task-clock,0,100.00,,\n" },
	{ "perf 7.2: CSV of an interval, a second metric", TD_FORMAT_CSV, ",",
	  .frame = { .interval = true, .screen_lines = 2 },
	  .rows = { { "all", "TOPDOWN.SLOTS", "", TD_STATUS_OK, 305639092, 0,
		      107861053, 66.666, .nr_ratios = 2,
		      .ratios = { { -75, 1, "%  tma_frontend_bound" },
				  { 125, 1, "%  tma_bad_speculation" } } } },
	  .time_ns = 100168209, .repeat = 2,
	  .want =
"0.100168209,305639092,,TOPDOWN.SLOTS,107861053,66.67,-75.0,%  tma_frontend_bound\n"
"0.100168209,,,,,,125.0,%  tma_bad_speculation\n"
"0.100168209,305639092,,TOPDOWN.SLOTS,107861053,66.67,-75.0,%  tma_frontend_bound\n"
"0.100168209,,,,,,125.0,%  tma_bad_speculation\n" },
	{ "CSV: units as perf 6.12 cuts them", TD_FORMAT_CSV, ";",
	  .rows = { { "all", "instructions", "", TD_STATUS_OK, 5, 0, 9, 100,
		      SINGLE(0.97, 2, "insn per cycle") },
		    { "all", "branch-misses", "", TD_STATUS_OK, 5, 0, 9, 100,
		      SINGLE(5.624, 2, "of all branches", .percent = true) },
		    { "all", "branches", "", TD_STATUS_OK, -5, 0, 9, 100,
		      SINGLE(8.524, 3, "M/sec") } },
	  .want =
"5;;instructions;9;100.00;0.97;insn per cycle\n"
"5;;branch-misses;9;100.00;5.62;of all branches\n"
"-5;;branches;9;100.00;8.524;M/sec\n" },
	{ "CSV: -A and -I -A", TD_FORMAT_CSV, ",",
	  .frame = { .interval = true, .show_id = true, .how = TD_AGGREGATE_CPU },
	  .rows = { { "CPU0", "cycles", "", TD_STATUS_NOT_SUPPORTED, NAN, 0, 0,
		      100 },
		    { "CPU12", "cycles", "", TD_STATUS_OK, 6, 0, 1, 100,
		      .nr_ratios = 2,
		      .ratios = { { 1, 3, "GHz" }, { 2, 3, "K/sec" } } },
		    { "all", "duration_time", "ns", TD_STATUS_OK, 7, 0, 7, 100 } },
	  .time_ns = 1000104518,
	  .want =
"1.000104518,CPU0,<not supported>,,cycles,0,100.00,,\n"
"1.000104518,CPU12,6,,cycles,1,100.00,1.000,GHz\n"
"1.000104518,CPU12,,,,,,2.000,K/sec\n"
"1.000104518,,7,ns,duration_time,7,100.00,,\n" },
	{ "CSV: names that hold the separator, quotes, line ends",
	  TD_FORMAT_CSV, ",",
	  .rows = { { "all", "cpu/event=0xc2,umask=0x1/", "a,b", TD_STATUS_OK, 1,
		      0, 1, 100, SINGLE(1, 1, "x,y") },
		    { "all", "say \"x\"", "", TD_STATUS_OK, 2, 0, 1, 100 },
		    { "all", "two\nlines", "", TD_STATUS_OK, 3, 0, 1, 100 } },
	  .want =
"1,\"a,b\",\"cpu/event=0xc2,umask=0x1/\",1,100.00,1.0,\"x,y\"\n"
"2,,\"say \"\"x\"\"\",1,100.00,,\n"
"3,,\"two\\x0alines\",1,100.00,,\n" },
	{ "CSV: separators that perf's words hold", TD_FORMAT_CSV, " ",
	  .rows = { { "all", "a,b", "", TD_STATUS_NOT_COUNTED, NAN, 0, 0, 0 } },
	  .want = "\"<not counted>\"  a,b 0 0.00  \n" },

	{ "JSON", TD_FORMAT_JSON, .frame = { .target = "true", .big_num = true },
	  .rows = { { "all", "cpu-clock", "msec", TD_STATUS_OK, 204.516814, 2,
		      204516814, 100, SINGLE(1.5, 2, "insn per cycle") },
		    { "all", "cycles", "", TD_STATUS_NOT_COUNTED, NAN, 0, 0, 0 },
		    { "all", "r1a", "", TD_STATUS_NOT_SUPPORTED, NAN, 0, 0, 100 } },
	  .usage = &(struct td_usage){ .elapsed_ns = 1 },
	  .want =
"{\"counter-value\" : \"204.516814\", \"unit\" : \"msec\", \"event\" : \"cpu-clock\", "
"\"event-runtime\" : 204516814, \"pcnt-running\" : 100.00, \"metric-value\" : \"1.500000\", "
"\"metric-unit\" : \"insn per cycle\"}\n"
"{\"counter-value\" : \"<not counted>\", \"unit\" : \"\", \"event\" : \"cycles\", "
"\"event-runtime\" : 0, \"pcnt-running\" : 0.00, \"metric-value\" : \"nan\", \"metric-unit\" : "
"\"\"}\n"
"{\"counter-value\" : \"<not supported>\", \"unit\" : \"\", \"event\" : \"r1a\", \"event-runtime\" "
": 0, \"pcnt-running\" : 100.00, \"metric-value\" : \"nan\", \"metric-unit\" : \"\"}\n" },
	{ "JSON: -I -A, a further metric, more than 32 bits", TD_FORMAT_JSON,
	  .frame = { .interval = true, .show_id = true, .how = TD_AGGREGATE_CPU },
	  .rows = { { "CPU12", "cycles", "", TD_STATUS_OK, 18000000000, 0,
		      18446744073709551615U, 33.333, .nr_ratios = 2,
		      .ratios = { { -75, 1, "%  tma_frontend_bound" },
				  { 5.62, 2, "of all branches", .percent = true } } },
		    { "all", "duration_time", "ns", TD_STATUS_OK, 7, 0, 7, 100 } },
	  .time_ns = 1000104518,
	  .want =
"{\"interval\" : 1.000104518, \"cpu\" : \"12\", \"counter-value\" : \"18000000000.000000\", "
"\"unit\" : \"\", \"event\" : \"cycles\", \"event-runtime\" : 18446744073709551615, "
"\"pcnt-running\" : 33.33, \"metric-value\" : \"-75.000000\", \"metric-unit\" : \"%  "
"tma_frontend_bound\"}\n"
"{\"interval\" : 1.000104518, \"cpu\" : \"12\", \"metric-value\" : \"5.620000\", \"metric-unit\" : "
"\"of all branches\"}\n"
"{\"interval\" : 1.000104518, \"counter-value\" : \"7.000000\", \"unit\" : \"ns\", \"event\" : "
"\"duration_time\", \"event-runtime\" : 7, \"pcnt-running\" : 100.00, \"metric-value\" : \"nan\", "
"\"metric-unit\" : \"\"}\n" },
	{ "JSON: no id without an aggregation, names with quotes",
	  TD_FORMAT_JSON,
	  .rows = { { "CPU1", "say \"x\"\t/\\", "", TD_STATUS_OK, -0.0000001, 0, 1,
		      100 } },
	  .want =
"{\"counter-value\" : \"0.000000\", \"unit\" : \"\", \"event\" : \"say \\\"x\\\"\\t/\\\\\", "
"\"event-runtime\" : 1, \"pcnt-running\" : 100.00, \"metric-value\" : \"nan\", \"metric-unit\" : "
"\"\"}\n" },
};
/* clang-format on */

static size_t count_rows(const struct td_event_row *row)
{
	size_t nr = 0;

	while (nr < MAX_ROWS && row[nr].id)
		nr++;
	return nr;
}

static char *write_row(size_t r)
{
	struct td_event_row copy[MAX_ROWS];
	struct td_event_report report = {
		.time_ns = rows[r].time_ns,
		.rows = copy,
		.nr_rows = count_rows(rows[r].rows),
	};
	char *text = NULL;
	size_t size;
	struct td_writer writer = {
		.out = td_out_find(rows[r].format),
		.fp = open_memstream(&text, &size),
		.frame = &rows[r].frame,
		.separator = rows[r].separator,
	};

	memcpy(copy, rows[r].rows, sizeof(copy));
	for (int i = 0; i < (rows[r].repeat ? rows[r].repeat : 1); i++)
		writer.out->events(&writer, &report);
	if (rows[r].usage && writer.out->end)
		writer.out->end(&writer, rows[r].usage);
	fclose(writer.fp);
	return text;
}

/* Each line has the same number of separators. */
static void check_separators(size_t r, const char *got)
{
	int want = 6 + rows[r].frame.interval + rows[r].frame.show_id, nr = 0;
	bool same = true;

	for (; *got; got++) {
		nr += *got == *rows[r].separator;
		if (*got != '\n')
			continue;
		same &= nr == want;
		nr = 0;
	}
	ok(same, "%s: %d separators a line", rows[r].name, want);
}

int main(void)
{
	for (size_t r = 0; r < TD_ARRAY_SIZE(rows); r++) {
		td_autofree char *got = write_row(r);

		if (rows[r].format == TD_FORMAT_JSON) {
			check_json(rows[r].name, rows[r].want, got);
			continue;
		}
		is_str(got, rows[r].want, "%s", rows[r].name);
		if (rows[r].format == TD_FORMAT_CSV && !strchr(got, '"'))
			check_separators(r, got);
	}
	return done_testing();
}
