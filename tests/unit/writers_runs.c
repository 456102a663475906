// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of aggregations, threads, cgroups, repetition and summaries in all
 * formats. Expected lines of events are made with the printf(3) formats of
 * Linux 6.12's tools/perf/util/stat-display.c.
 */
#include <stdlib.h>

#include "cmd/output/format.h"
#include "cmd/output/out.h"
#include "lib/base/util.h"
#include "tests/unit/json_lines.h"
#include "tests/unit/report.h"
#include "tests/unit/test.h"

#define MAX_ROWS 3

/* clang-format off */
#define SINGLE(v, d, ...) .ratios = { { v, d, __VA_ARGS__ } }, .nr_ratios = 1
#define GHZ             SINGLE(1, 3, "GHz")
#define BOTH .ratios = { { 1, 3, "GHz" }, { 2, 3, "K/sec" } }, .nr_ratios = 2
#define TITLE(target, runs) \
	"\n Performance counter stats for '" target "'" runs ":\n\n"
#define BLANK38 "                                      "
#define GONE    TD_STATUS_NOT_COUNTED, NAN, 0, 0

static const struct {
	const char *name;
	enum td_format_kind format;
	struct td_frame frame;
	struct td_event_row rows[MAX_ROWS];
	bool summary;
	const char *want;
} events[] = {
	{ "cores", .frame = { "x", .show_id = true, .how = TD_AGGREGATE_CORE },
	  .rows = { { "S0-D0-C0", "cycles", "", 0, 5, 0, 1, 100, BOTH,
		      .nr = 2 },
		    { "S1-D0-C15", "cycles", "", GONE, 0, .nr = 1 } },
	  .want = TITLE("x", "")
"S0-D0-C0              2                  5      cycles                           #    1.000 GHz   "
"                    \n"
"S0-D0-C0              2                                                          #    2.000 K/sec "
"                    \n"
"S1-D0-C15             1      <not counted>      cycles                                            "
"                      (0.00%)\n"
"\n" },
	{ "threads", .frame = { "x", .show_id = true, .how = TD_AGGREGATE_THREAD },
	  .rows = { { "make-70", "cycles", "", 0, 5, 0, 1, 100, .nr = 1 },
		    { "kworker/0:1-ev-2147483647", "cycles", "", 0, 6, 0, 1, 100,
		      GHZ, .nr = 1 },
		    { "a name of nineteen--8", "cycles", "", 0, 7, 0, 1, 100,
		      .nr = 1 } },
	  .want = TITLE("x", "")
"            make-70                       5      cycles                                           "
"                     \n"
"  kworker/0:1-ev-2147483647                  6      cycles                           #    1.000 "
"GHz                       \n"
"a name of nineteen--8                        7      cycles                                        "
"                        \n"
"\n" },
	{ "threads whose names could command a terminal",
	  .frame = { "a\nb \177\303\251", .show_id = true, .how = TD_AGGREGATE_THREAD },
	  .rows = { { "a\033[1m\377-70", "cyc\bles", "\302\2330123", 0, 5, 0, 1, 100, .nr = 1 },
		    { "\303\251-71", "\303\251", "", 0, 6, 0, 1, 100, .nr = 1 },
		    { "\n\n\n\n\n-8", "cycles", "", 0, 7, 0, 1, 100, .nr = 1 } },
	  .want = TITLE("a\\x0ab \\x7f\303\251", "")
"    a\\x1b[1m\\xff-70                       5 \\xc2\\x9b0123 cyc\\x08les                          "
"                                  \n"
"               \303\251-71                       6              \303\251                          "
"                                           \n"
"\\x0a\\x0a\\x0a\\x0a\\x0a-8                        7              cycles                          "
"                                      \n"
"\n" },
	{ "threads of an interval",
	  .frame = { "x", .interval = true, .show_id = true, .how = TD_AGGREGATE_THREAD },
	  .rows = { { "make-70", "cycles", "", 0, 5, 0, 1, 100, .nr = 1 } },
	  .want =
"#           time             comm-pid                 counts unit events\n"
"     1.000104518             make-70                       5      cycles                          "
"                                      \n" },
	{ "cgroups", .frame = { "x", .show_cgroup = true },
	  .rows = { { "all", "cycles", "", 0, 5, 0, 1, 100, BOTH,
		      .cgroup = "a/b" },
		    { "all", "cycles", "", 0, 6, 0, 1, 100,
		      .cgroup = "system.slice/longer" },
		    { "all", "duration_time", "ns", 0, 7, 0, 1, 100 } },
	  .want = TITLE("x", "")
"                 5      cycles                           a/b              #    1.000 GHz          "
"             \n"
"                                                                          #    2.000 K/sec        "
"             \n"
"                 6      cycles                           system.slice/longer                      "
"                \n"
"                 7 ns   duration_time                                                             "
"             \n"
"\n" },
	{ "means: the noise behind the last metric, before the share of time",
	  .frame = { "x", .runs = 3 },
	  .rows = { { "all", "task-clock", "msec", 0, 5, 2, 1, 100,
		      SINGLE(0.5, 3, "CPUs utilized"), .error_pct = 6.98 },
		    { "all", "cycles", "", 0, 6, 0, 1, 50, BOTH,
		      .error_pct = 123.456 } },
	  .want = TITLE("x", " (3 runs)")
"              5.00 msec task-clock                       #    0.500 CPUs utilized               ( "
"+-  6.98% )\n"
"                 6      cycles                           #    1.000 GHz                       \n"
"                                                         #    2.000 K/sec                       ( "
"+-123.46% )  (50.00%)\n"
"\n" },
	{ "means: always the same, never, once", .frame = { "x", .runs = 2 },
	  .rows = { { "all", "same", "", 0, 5, 0, 1, 100, .error_pct = 0 },
		    { "all", "never", "", GONE, 0, .error_pct = NAN },
		    { "all", "once", "", 0, 7, 0, 1, 100, .error_pct = NAN } },
	  .want = TITLE("x", " (2 runs)")
"                 5      same                            " BLANK38 "\n"
"     <not counted>      never                           " BLANK38 "  (0.00%)\n"
"                 7      once                            " BLANK38 "\n"
"\n" },
	{ "a summary is the table of a run", .frame = { "x" }, .summary = true,
	  .rows = { { "all", "cycles", "", 0, 5, 0, 1, 100 } },
	  .want = TITLE("x", "")
"                 5      cycles                          " BLANK38 "\n\n" },

	{ "CSV: sockets of an interval", TD_FORMAT_CSV,
	  .frame = { "x", .interval = true, .show_id = true, .how = TD_AGGREGATE_SOCKET },
	  .rows = { { "S0", "cycles", "", 0, 5, 0, 1, 100, BOTH, .nr = 16 },
		    { "S1", "cycles", "", GONE, 0, .nr = 16 } },
	  .want =
"1.000104518,S0,16,5,,cycles,1,100.00,1.000,GHz\n"
"1.000104518,S0,16,,,,,,2.000,K/sec\n"
"1.000104518,S1,16,<not counted>,,cycles,0,0.00,,\n" },
	{ "CSV: threads", TD_FORMAT_CSV,
	  .frame = { "x", .show_id = true, .how = TD_AGGREGATE_THREAD },
	  .rows = { { "make-70", "cycles", "", 0, 5, 0, 1, 100, .nr = 1 },
		    { "a,b-71", "cycles", "", 0, 6, 0, 1, 100, .nr = 1 } },
	  .want = "make-70,5,,cycles,1,100.00,,\n"
"\"a,b-71\",6,,cycles,1,100.00,,\n" },
	{ "CSV: a thread's name with a line's end and no UTF-8", TD_FORMAT_CSV,
	  .frame = { "x", .show_id = true, .how = TD_AGGREGATE_THREAD },
	  .rows = { { "a\nb\377-70", "cycles", "", 0, 5, 0, 1, 100, .nr = 1 } },
	  .want = "\"a\\x0ab\\xff-70\",5,,cycles,1,100.00,,\n" },
	{ "CSV, perf 7.2's: a cgroup", TD_FORMAT_CSV,
	  .frame = { "x", .show_cgroup = true },
	  .rows = { { "all", "task-clock", "msec", TD_STATUS_NOT_COUNTED, NAN, 2,
		      0, 100, .cgroup = "/" } },
	  .want = "<not counted>,msec,task-clock,/,0,100.00,,\n" },
	{ "CSV: cgroups by CPU", TD_FORMAT_CSV,
	  .frame = { "x", .show_id = true, .how = TD_AGGREGATE_CPU,
		     .show_cgroup = true },
	  .rows = { { "CPU1", "cycles", "", 0, 5, 0, 1, 100, BOTH,
		      .cgroup = "a/b" },
		    { "CPU1", "cycles", "", 0, 6, 0, 1, 100, .cgroup = "a,b" },
		    { "CPU1", "cycles", "", 0, 7, 0, 1, 100 } },
	  .want = "CPU1,5,,cycles,a/b,1,100.00,1.000,GHz\n"
"CPU1,,,,,,,2.000,K/sec\n"
"CPU1,6,,cycles,\"a,b\",1,100.00,,\n"
"CPU1,7,,cycles,,1,100.00,,\n" },
	{ "CSV, perf 7.2's: the variance", TD_FORMAT_CSV,
	  .frame = { "x", .runs = 3 },
	  .rows = { { "all", "task-clock", "msec", 0, 0.51, 2, 467637, 100,
		      .error_pct = 6.98 } },
	  .want = "0.51,msec,task-clock,6.98%,467637,100.00,,\n" },
	{ "CSV: variances: nothing, not known, with a second metric",
	  TD_FORMAT_CSV, .frame = { "x", .runs = 3 },
	  .rows = { { "all", "same", "", 0, 5, 0, 1, 100, .error_pct = 0 },
		    { "all", "never", "", GONE, 0, .error_pct = NAN },
		    { "all", "cycles", "", 0, 6, 0, 1, 50, BOTH,
		      .error_pct = 123.456 } },
	  .want = "5,,same,0.00%,1,100.00,,\n"
"<not counted>,,never,,0,0.00,,\n"
"6,,cycles,123.46%,1,50.00,1.000,GHz\n"
",,,,,,2.000,K/sec\n" },
	{ "CSV: a summary", TD_FORMAT_CSV, .summary = true,
	  .frame = { "x", .summary_word = true },
	  .rows = { { "all", "cycles", "", 0, 5, 0, 1, 100, BOTH } },
	  .want = "summary,5,,cycles,1,100.00,1.000,GHz\n"
"summary,,,,,,2.000,K/sec\n" },
	{ "CSV: a summary without the word", TD_FORMAT_CSV, .summary = true,
	  .frame = { "x" },
	  .rows = { { "all", "cycles", "", 0, 5, 0, 1, 100 } },
	  .want = "5,,cycles,1,100.00,,\n" },
	{ "CSV: a summary of cores in cgroups", TD_FORMAT_CSV, .summary = true,
	  .frame = { "x", .show_id = true, .how = TD_AGGREGATE_CORE,
		     .show_cgroup = true, .summary_word = true },
	  .rows = { { "S0-D0-C0", "cycles", "", 0, 5, 0, 1, 100, .nr = 2,
		      .cgroup = "a" } },
	  .want = "summary,S0-D0-C0,2,5,,cycles,a,1,100.00,,\n" },
	{ "CSV: no summary yet", TD_FORMAT_CSV,
	  .frame = { "x", .interval = true, .summary_word = true },
	  .rows = { { "all", "cycles", "", 0, 5, 0, 1, 100 } },
	  .want = "1.000104518,5,,cycles,1,100.00,,\n" },

	{ "JSON: a cache of an interval", TD_FORMAT_JSON,
	  .frame = { "x", .interval = true, .show_id = true, .how = TD_AGGREGATE_CACHE },
	  .rows = { { "S0-D0-L3-ID0", "cycles", "", 0, 5, 0, 1, 100, BOTH,
		      .nr = 16 } },
	  .want =
"{\"interval\" : 1.000104518, \"cache\" : \"S0-D0-L3-ID0\", \"aggregate-number\" : 16, "
"\"counter-value\" : \"5.000000\", \"unit\" : \"\", \"event\" : \"cycles\", \"event-runtime\" : 1, "
"\"pcnt-running\" : 100.00, \"metric-value\" : \"1.000000\", \"metric-unit\" : \"GHz\"}\n"
"{\"interval\" : 1.000104518, \"cache\" : \"S0-D0-L3-ID0\", \"aggregate-number\" : 16, "
"\"metric-value\" : \"2.000000\", \"metric-unit\" : \"K/sec\"}\n" },
	{ "JSON: a thread", TD_FORMAT_JSON,
	  .frame = { "x", .show_id = true, .how = TD_AGGREGATE_THREAD },
	  .rows = { { "my \"x\"-70", "cycles", "", 0, 5, 0, 1, 100, GHZ,
		      .nr = 1 } },
	  .want =
"{\"thread\" : \"my \\\"x\\\"-70\", \"counter-value\" : \"5.000000\", \"unit\" : \"\", \"event\" : "
"\"cycles\", \"event-runtime\" : 1, \"pcnt-running\" : 100.00, \"metric-value\" : \"1.000000\", "
"\"metric-unit\" : \"GHz\"}\n" },
	{ "JSON: cgroup and variance", TD_FORMAT_JSON,
	  .frame = { "x", .show_cgroup = true, .runs = 2 },
	  .rows = { { "all", "cycles", "", 0, 5, 0, 1, 100, GHZ,
		      .cgroup = "a/b", .error_pct = 6.984 },
		    { "all", "same", "", 0, 5, 0, 1, 100, GHZ, .cgroup = "a" },
		    { "all", "never", "", GONE, 0, GHZ, .cgroup = "a",
		      .error_pct = NAN } },
	  .want =
"{\"counter-value\" : \"5.000000\", \"unit\" : \"\", \"event\" : \"cycles\", \"cgroup\" : \"a/b\", "
"\"variance\" : 6.98, \"event-runtime\" : 1, \"pcnt-running\" : 100.00, \"metric-value\" : "
"\"1.000000\", \"metric-unit\" : \"GHz\"}\n"
"{\"counter-value\" : \"5.000000\", \"unit\" : \"\", \"event\" : \"same\", \"cgroup\" : \"a\", "
"\"variance\" : 0.00, \"event-runtime\" : 1, \"pcnt-running\" : 100.00, \"metric-value\" : "
"\"1.000000\", \"metric-unit\" : \"GHz\"}\n"
"{\"counter-value\" : \"<not counted>\", \"unit\" : \"\", \"event\" : \"never\", \"cgroup\" : "
"\"a\", \"event-runtime\" : 0, \"pcnt-running\" : 0.00, \"metric-value\" : \"1.000000\", "
"\"metric-unit\" : \"GHz\"}\n" },
};

#define NR_COLUMNS 2

#define ERR(v, error_)                                                    \
	{                                                                 \
		.status = TD_STATUS_OK, .value = (v), .running_pct = 100, \
		.matters = true, .error = 4 * (error_),                   \
		.runs_error = (error_),                                   \
	}

#define HALF(v, error_)                                                   \
	{                                                                 \
		.status = TD_STATUS_OK, .value = (v), .running_pct = 100, \
		.matters = true, .error = (error_), .runs_error = NAN,    \
		.low = NAN, .high = NAN,                                  \
	}

#define BETWEEN(v, error_, low_, high_)                                   \
	{                                                                 \
		.status = TD_STATUS_OK, .value = (v), .running_pct = 100, \
		.matters = true, .error = (error_), .runs_error = NAN,    \
		.low = (low_), .high = (high_),                           \
	}

static const struct {
	const char *name;
	enum td_format_kind format;
	struct td_frame frame;
	struct {
		const char *id, *pmu;
		struct td_cell cells[NR_COLUMNS];
	} rows[MAX_ROWS];
	bool summary;
	const char *want;
} metrics[] = {
	{ "means in a tree", .frame = { "x", .runs = 3 },
	  .rows = { { "all", "cpu", { ERR(12.34, 0.42), ERR(1.5, 0.0123) } } },
	  .want = TITLE("x", " (3 runs)") " cpu, ± of the runs\n"
"      12.3 ±1.7 %  tma_retiring\n"
"      1.50 ±0.05  ipc\n\n" },
	{ "means in a tree: the same each time, and once",
	  .frame = { "x", .runs = 3 },
	  .rows = { { "all", "cpu", { ERR(12.34, 0), ERR(1.5, NAN) } } },
	  .want = TITLE("x", " (3 runs)") " cpu, ± of the runs\n"
"      12.3 ±0.0 %  tma_retiring\n"
"      1.50  ipc\n"
"  no ± means too few readings to estimate the error\n\n" },
	{ "means in a tree: worth a look", .frame = { "x", .runs = 3 },
	  .rows = { { "all", "cpu",
		      { { .status = TD_STATUS_OK, .value = 71, .error = 6,
			  .runs_error = 1.5,
			  .running_pct = 100, .over_threshold = true,
			  .matters = true }, ERR(1.5, 0.5) } } },
	  .want = TITLE("x", " (3 runs)") " cpu, ± of the runs\n"
"      71.0 ±6.0 %  tma_retiring          <--\n"
"      1.50 ±2.00  ipc\n\n" },
	{ "errors in a tree: rounded up, in a column of their own",
	  .frame = { "x" },
	  .rows = { { "all", "cpu", { HALF(12.34, 0.41), HALF(1.5, 0.0123) } } },
	  .want = TITLE("x", "") " cpu\n"
"      12.3 ±0.5 %  tma_retiring\n"
"      1.50 ±0.02  ipc\n\n" },
	{ "errors in a tree: not of all",
	  .frame = { "x" },
	  .rows = { { "all", "cpu", { HALF(12.34, 12.5), OK(1.5) } } },
	  .want = TITLE("x", "") " cpu\n"
"      12.3 ±12.5 %  tma_retiring\n"
"      1.50  ipc\n"
"  no ± means too few readings to estimate the error\n\n" },
	{ "errors in a tree: any share may be true, but not any number",
	  .frame = { "x" },
	  .rows = { { "all", "cpu", { HALF(40.6, 105.4), HALF(1.5, 105.4) } } },
	  .want = TITLE("x", "") " cpu\n"
"      40.6 ±? %  tma_retiring\n"
"      1.50 ±105.40  ipc\n"
"  ±? too few readings to estimate the value\n\n" },
	{ "errors in a tree: what is just no share", .frame = { "x" },
	  .rows = { { "all", "cpu", { HALF(50.1, 50), OK(1.5) } } },
	  .want = TITLE("x", "") " cpu\n"
"      50.1 ±50.0 %  tma_retiring\n"
"      1.50  ipc\n"
"  no ± means too few readings to estimate the error\n\n" },
	{ "errors in JSON: any share may be true", TD_FORMAT_JSON,
	  .frame = { "x" },
	  .rows = { { "all", "cpu", { HALF(40.5, 105.5), NONE } } },
	  .want =
"{\"time\":1.000104518,\"id\":\"all\",\"pmu\":\"cpu\",\"busy\":12.30,\"share\":100.00,\"ipc\":null,\"metric\":\"tma_retiring\",\"value\":40.5,\"unit\":\"%\",\"level\":1,\"parent\":null,\"over_threshold\":false,\"running\":100.00,\"error\":105.5,\"ghz\":null,\"lost_share\":null,\"slots\":1,\"cycles\":null,\"instructions\":null,\"kind\":\"interval\",\"interval\":null,\"seconds\":null}\n" },
	{ "CSV: columns of errors", TD_FORMAT_CSV,
	  .frame = { "x", .errors = true },
	  .rows = { { "all", "cpu", { BETWEEN(12.34, 0.416, 10, 15.125), HALF(1.5, NAN) } },
		    { "CPU1", "cpu", { LOST, NONE } } },
	  .want = "time,id,pmu,busy,share,running,tma_retiring,tma_retiring_error,tma_retiring_low,tma_retiring_high,ipc,ipc_error,ipc_low,ipc_high,ghz,lost_share,slots,cycles,instructions,kind,interval,seconds,cpu,core,cgroup,comm,tid,container,host,flags\n"
"1.000104518,all,cpu,12.30,100.00,100.00,12.34,0.42,10.00,15.12,1.50,,,,,,1,,,interval,,,,,,,,,,\n"
"1.000104518,CPU1,cpu,12.30,100.00,100.00,,,,,,,,,,,1,,,interval,,,,,,,,,,\n" },
	{ "JSON: between what it was, with the errors", TD_FORMAT_JSON,
	  .frame = { "x", .errors = true },
	  .rows = { { "all", "cpu", { BETWEEN(12.5, 0.25, 10, 15.125), NONE } } },
	  .want =
"{\"time\":1.000104518,\"id\":\"all\",\"pmu\":\"cpu\",\"busy\":12.30,\"share\":100.00,\"ipc\":null,\"metric\":\"tma_retiring\",\"value\":12.5,\"unit\":\"%\",\"level\":1,\"parent\":null,\"over_threshold\":false,\"running\":100.00,\"error\":0.25,\"low\":10.0,\"high\":15.125,\"ghz\":null,\"lost_share\":null,\"slots\":1,\"cycles\":null,\"instructions\":null,\"kind\":\"interval\",\"interval\":null,\"seconds\":null}\n" },
	{ "a tree: between what it was, if that is far apart", .frame = { "x" },
	  .rows = { { "all", "cpu", { BETWEEN(12.5, 0.25, 4.4, 15.6), BETWEEN(1.5, 0.1, 1, 99) } } },
	  .want = TITLE("x", "") " cpu\n"
"      12.5 ±0.3 %  tma_retiring  (4 to 16 %)\n"
"      1.50 ±0.10  ipc\n\n" },
	{ "JSON: errors of the counting", TD_FORMAT_JSON, .frame = { "x" },
	  .rows = { { "all", "cpu",
		      { HALF(12.5, 0.25),
			{ .status = TD_STATUS_OK, .value = 1.5, NO_ERRORS,
			  .too_short = true, .running_pct = 100 } } } },
	  .want =
"{\"time\":1.000104518,\"id\":\"all\",\"pmu\":\"cpu\",\"busy\":12.30,\"share\":100.00,\"ipc\":null,\"metric\":\"tma_retiring\",\"value\":12.5,\"unit\":\"%\",\"level\":1,\"parent\":null,\"over_threshold\":false,\"running\":100.00,\"error\":0.25,\"ghz\":null,\"lost_share\":null,\"slots\":1,\"cycles\":null,\"instructions\":null,\"kind\":\"interval\",\"interval\":null,\"seconds\":null}\n"
"{\"time\":1.000104518,\"id\":\"all\",\"pmu\":\"cpu\",\"busy\":12.30,\"share\":100.00,\"ipc\":null,\"metric\":\"ipc\",\"value\":1.5,\"unit\":\"\",\"level\":null,\"parent\":null,\"over_threshold\":false,\"running\":100.00,\"error\":null,\"too_short\":true,\"ghz\":null,\"lost_share\":null,\"slots\":1,\"cycles\":null,\"instructions\":null,\"kind\":\"interval\",\"interval\":null,\"seconds\":null}\n" },
	{ "CSV: means, and a row of their errors", TD_FORMAT_CSV,
	  .frame = { "x", .runs = 3 },
	  .rows = { { "all", "cpu", { ERR(12.34, 0.42), ERR(1.5, 0) } } },
	  .want = "time,id,pmu,busy,share,running,tma_retiring,ipc,ghz,lost_share,slots,cycles,instructions,kind,interval,seconds,cpu,core,cgroup,comm,tid,container,host,flags\n"
"1.000104518,all,cpu,12.30,100.00,100.00,12.34,1.50,,,1,,,interval,,,,,,,,,,\n"
"1.000104518,all,cpu,,,,0.42,0.00,,,,,,spread,,,,,,,,,,\n" },
	{ "CSV: means of CPUs, of which some are missing", TD_FORMAT_CSV,
	  .frame = { "x", .runs = 2, .show_id = true, .how = TD_AGGREGATE_CPU },
	  .rows = { { "CPU0", "cpu_core", { ERR(1, 0.126), LOST } },
		    { "CPU4", "cpu_atom", { ERR(3, NAN), NONE } } },
	  .want = "time,id,pmu,busy,share,running,tma_retiring,ipc,ghz,lost_share,slots,cycles,instructions,kind,interval,seconds,cpu,core,cgroup,comm,tid,container,host,flags\n"
"1.000104518,CPU0,cpu_core,12.30,100.00,100.00,1.00,,,,1,,,interval,,,,,,,,,,\n"
"1.000104518,CPU0,cpu_core,,,,0.13,,,,,,,spread,,,,,,,,,,\n"
"1.000104518,CPU4,cpu_atom,12.30,100.00,100.00,3.00,,,,1,,,interval,,,,,,,,,,\n"
"1.000104518,CPU4,cpu_atom,,,,,,,,,,,spread,,,,,,,,,,\n" },
	{ "CSV: one run has no errors", TD_FORMAT_CSV,
	  .frame = { "x", .runs = 1 },
	  .rows = { { "all", "cpu", { ERR(1, 0.125), ERR(2, 1) } } },
	  .want = "time,id,pmu,busy,share,running,tma_retiring,ipc,ghz,lost_share,slots,cycles,instructions,kind,interval,seconds,cpu,core,cgroup,comm,tid,container,host,flags\n"
"1.000104518,all,cpu,12.30,100.00,100.00,1.00,2.00,,,1,,,interval,,,,,,,,,,\n" },
	{ "CSV: a summary has its time", TD_FORMAT_CSV, .frame = { "x" },
	  .summary = true,
	  .rows = { { "all", "cpu", { OK(1), OK(2) } } },
	  .want = "time,id,pmu,busy,share,running,tma_retiring,ipc,ghz,lost_share,slots,cycles,instructions,kind,interval,seconds,cpu,core,cgroup,comm,tid,container,host,flags\n"
"1.000104518,all,cpu,12.30,100.00,100.00,1.00,2.00,,,1,,,interval,,,,,,,,,,\n" },
	{ "CSV: cgroups are a part of the id", TD_FORMAT_CSV,
	  .frame = { "x", .show_id = true, .show_cgroup = true },
	  .rows = { { "CPU0 a,b", "cpu", { OK(1), OK(2) } } },
	  .want = "time,id,pmu,busy,share,running,tma_retiring,ipc,ghz,lost_share,slots,cycles,instructions,kind,interval,seconds,cpu,core,cgroup,comm,tid,container,host,flags\n"
"1.000104518,\"CPU0 a,b\",cpu,12.30,100.00,100.00,1.00,2.00,,,1,,,interval,,,,,,,,,,\n" },
	{ "JSON: errors", TD_FORMAT_JSON, .frame = { "x", .runs = 3 },
	  .rows = { { "all", "cpu", { ERR(12.5, 0.25), ERR(1.5, NAN) } },
		    { "CPU1", "cpu", { LOST, NONE } } },
	  .want =
"{\"time\":1.000104518,\"id\":\"all\",\"pmu\":\"cpu\",\"busy\":12.30,\"share\":100.00,\"ipc\":null,\"metric\":\"tma_retiring\",\"value\":12.5,\"unit\":\"%\",\"level\":1,\"parent\":null,\"over_threshold\":false,\"running\":100.00,\"error\":1.0,\"runs_error\":0.25,\"ghz\":null,\"lost_share\":null,\"slots\":1,\"cycles\":null,\"instructions\":null,\"kind\":\"interval\",\"interval\":null,\"seconds\":null}\n"
"{\"time\":1.000104518,\"id\":\"all\",\"pmu\":\"cpu\",\"busy\":12.30,\"share\":100.00,\"ipc\":null,\"metric\":\"ipc\",\"value\":1.5,\"unit\":\"\",\"level\":null,\"parent\":null,\"over_threshold\":false,\"running\":100.00,\"error\":null,\"ghz\":null,\"lost_share\":null,\"slots\":1,\"cycles\":null,\"instructions\":null,\"kind\":\"interval\",\"interval\":null,\"seconds\":null}\n"
"{\"time\":1.000104518,\"id\":\"CPU1\",\"pmu\":\"cpu\",\"busy\":12.30,\"share\":100.00,\"ipc\":null,\"metric\":\"tma_retiring\",\"value\":null,\"unit\":\"%\",\"level\":1,\"parent\":null,\"over_threshold\":null,\"running\":0.00,\"error\":null,\"ghz\":null,\"lost_share\":null,\"slots\":1,\"cycles\":null,\"instructions\":null,\"kind\":\"interval\",\"interval\":null,\"seconds\":null}\n" },
	{ "JSON: a summary", TD_FORMAT_JSON,
	  .frame = { "x", .summary_word = true }, .summary = true,
	  .rows = { { "all", "cpu", { ERR(12.5, 0.25), NONE } } },
	  .want =
"{\"time\":1.000104518,\"id\":\"all\",\"pmu\":\"cpu\",\"busy\":12.30,\"share\":100.00,\"ipc\":null,\"metric\":\"tma_retiring\",\"value\":12.5,\"unit\":\"%\",\"level\":1,\"parent\":null,\"over_threshold\":false,\"running\":100.00,\"error\":1.0,\"summary\":true,\"ghz\":null,\"lost_share\":null,\"slots\":1,\"cycles\":null,\"instructions\":null,\"kind\":\"interval\",\"interval\":null,\"seconds\":null}\n" },
};

static const uint64_t two_runs[] = { 1000000000, 2000000000 };
static const uint64_t four_runs[] = { 1000000000, 1060000000, 940000000,
				      1000000000 };

static const struct {
	const char *name;
	struct td_usage usage;
	const char *want;
} footers[] = {
	{ "runs", { 1500000000, .runs_ns = two_runs, .nr_runs = 2,
		    .error_ns = 500000000 },
"       1.500000000 +- 0.500000000 seconds time elapsed  ( +- 33.33% )\n\n" },
	{ "runs that took the same time",
	  { 1000000000, .runs_ns = two_runs, .nr_runs = 1, .error_ns = 0 },
"       1.000000000 +- 0.000000000 seconds time elapsed\n\n" },
	{ "one run alone", { 1000000000, .runs_ns = two_runs, .nr_runs = 1,
			     .error_ns = NAN },
"       1.000000000 seconds time elapsed\n\n" },
	{ "a table of runs", { 1500000000, .runs_ns = two_runs, .nr_runs = 2,
			       .error_ns = 500000000, .table = true },
"       # Table of individual measurements:\n"
"       1.000000000 (-0.500000000) ###########\n"
"       2.000000000 (+0.500000000) ######\n"
"\n"
"       # Final result:\n"
"       1.500000000 +- 0.500000000 seconds time elapsed  ( +- 33.33% )\n\n" },
	{ "a mark for each 5 per cent",
	  { 1000000000, .runs_ns = four_runs, .nr_runs = 4, .error_ns = 2e7,
	    .table = true },
"       # Table of individual measurements:\n"
"       1.000000000 (+0.000000000) #\n"
"       1.060000000 (+0.060000000) ##\n"
"       0.940000000 (-0.060000000) ##\n"
"       1.000000000 (+0.000000000) #\n"
"\n"
"       # Final result:\n"
"       1.000000000 +- 0.020000000 seconds time elapsed  ( +-  2.00% )\n\n" },
};

/* aggr_header_lens and print_aggr_id_std(): ids, and numbers of counters */
static const struct {
	enum td_aggregation how;
	const char *key, *id;
	int width;
} kinds[] = {
	{ TD_AGGREGATE_CORE, "core", "S1-D0-C127", 18 },
	{ TD_AGGREGATE_CLUSTER, "cluster", "S1-D0-CLS16", 20 },
	{ TD_AGGREGATE_CACHE, "cache", "S1-D0-L3-ID1024", 22 },
	{ TD_AGGREGATE_DIE, "die", "S1-D1", 12 },
	{ TD_AGGREGATE_SOCKET, "socket", "S1", 6 },
	{ TD_AGGREGATE_NODE, "node", "N10", 6 },
};
/* clang-format on */

#define TIME_NS 1000104518

static struct td_writer make_writer(enum td_format_kind format, const struct td_frame *frame,
				    char **text, size_t *size)
{
	return (struct td_writer){
		.out = td_out_find(format),
		.fp = open_memstream(text, size),
		.frame = frame,
		.separator = format == TD_FORMAT_CSV ? "," : NULL,
	};
}

static void check(enum td_format_kind format, const char *name, char *got, const char *want)
{
	if (format == TD_FORMAT_JSON)
		check_json(name, want, got);
	else
		is_str(got, want, "%s", name);
}

static void test_events(size_t t)
{
	struct td_event_row rows[MAX_ROWS];
	struct td_event_report report = { .time_ns = TIME_NS, .rows = rows };
	td_autofree char *got = NULL;
	size_t size;
	struct td_writer writer = make_writer(events[t].format, &events[t].frame, &got, &size);

	memcpy(rows, events[t].rows, sizeof(rows));
	while (report.nr_rows < MAX_ROWS && rows[report.nr_rows].id)
		report.nr_rows++;
	writer.summary = events[t].summary;
	writer.out->events(&writer, &report);
	fclose(writer.fp);
	check(events[t].format, events[t].name, got, events[t].want);
}

static void test_metrics(size_t t)
{
	static const struct td_column columns[NR_COLUMNS] = {
		{ "tma_retiring", "%", true },
		{ "ipc", "", true },
	};
	static const struct td_node nodes[NR_COLUMNS] = {
		{ .column = 0, .level = 1 },
		{ .column = 1 },
	};
	struct td_cell cells[MAX_ROWS][NR_COLUMNS];
	struct td_row rows[MAX_ROWS];
	struct td_report report = { TIME_NS, columns, NR_COLUMNS, rows, 0 };
	td_autofree char *got = NULL;
	size_t size;
	struct td_writer writer = make_writer(metrics[t].format, &metrics[t].frame, &got, &size);

	for (; report.nr_rows < MAX_ROWS && metrics[t].rows[report.nr_rows].id; report.nr_rows++) {
		size_t r = report.nr_rows;

		memcpy(cells[r], metrics[t].rows[r].cells, sizeof(cells[r]));
		rows[r] = td_row_init(metrics[t].rows[r].id, metrics[t].rows[r].pmu);
		rows[r].slots = 1;
		rows[r].share_pct = 100;
		rows[r].running_pct = 100;
		rows[r].busy_pct = metrics[t].format == TD_FORMAT_TEXT ? NAN : 12.3;
		rows[r].ghz = NAN;
		rows[r].ipc = NAN;
		rows[r].cells = cells[r];
		rows[r].nodes = nodes;
		rows[r].nr_nodes = NR_COLUMNS;
		rows[r].running_least_pct = 100;
	}
	writer.summary = metrics[t].summary;
	writer.out->report(&writer, &report);
	fclose(writer.fp);
	check(metrics[t].format, metrics[t].name, got, metrics[t].want);
}

/* Without indentation, which check_indent() checks. */
static char *without_indent(const char *text)
{
	char *copy = strdup(text), *to = copy;

	for (const char *from = text; *from; from++) {
		if (*from == ' ' && (to == copy || to[-1] == '\n'))
			continue;
		*to++ = *from;
	}
	*to = '\0';
	return copy;
}

/* The indentation is the width of the numbers, as in perf's print_table(). */
static void check_indent(const char *name, const char *got)
{
	const char *numbers = strstr(got, "\n ") + 1;
	size_t blanks = strspn(numbers, " ");

	ok(strspn(got, " ") == blanks && strspn(strstr(got, "\n\n") + 2, " ") == blanks,
	   "%s: headings above the numbers", name);
}

/* After a title, text has only the end, and other formats nothing. */
static void test_footer(size_t t)
{
	static const struct td_frame frame = { "x" };

	for (int format = TD_FORMAT_TEXT; format <= TD_FORMAT_JSON; format++) {
		td_autofree char *got = NULL, *bare = NULL, *want = NULL;
		size_t size;
		struct td_writer writer =
			make_writer((enum td_format_kind)format, &frame, &got, &size);

		writer.header_done = true;
		if (writer.out->end)
			writer.out->end(&writer, &footers[t].usage);
		fclose(writer.fp);
		bare = without_indent(got);
		want = without_indent(format == TD_FORMAT_TEXT ? footers[t].want : "");
		is_str(bare, want, "end of %s, format %d", footers[t].name, format);
		if (footers[t].usage.table && *got)
			check_indent(footers[t].name, got);
	}
}

/* One line of an interval with this kind of id, in all formats. */
static void test_kind(size_t k)
{
	const struct td_frame frame = { "x", .interval = true, .show_id = true,
					.how = kinds[k].how };
	struct td_event_row row = { kinds[k].id, "cycles", "", 0, 5, 0, 1, 100, .nr = 12 };
	const struct td_event_report report = { TIME_NS, &row, 1 };
	char want[512];

	for (int format = TD_FORMAT_TEXT; format <= TD_FORMAT_JSON; format++) {
		td_autofree char *got = NULL;
		size_t size;
		struct td_writer writer =
			make_writer((enum td_format_kind)format, &frame, &got, &size);

		writer.out->events(&writer, &report);
		fclose(writer.fp);
		if (format == TD_FORMAT_TEXT)
			snprintf(want, sizeof(want),
				 "#%15s %-*s ctrs %18s %4s events\n"
				 "%6d.%09d %-*s %4d %18d %4s %-32s%38s\n",
				 "time", kinds[k].width, kinds[k].key, "counts", "unit", 1, 104518,
				 kinds[k].width, kinds[k].id, 12, 5, "", "cycles", "");
		else if (format == TD_FORMAT_CSV)
			snprintf(want, sizeof(want), "1.000104518,%s,12,5,,cycles,1,100.00,,\n",
				 kinds[k].id);
		else
			snprintf(
				want, sizeof(want),
				"{\"interval\":1.000104518,\"%s\":\"%s\",\"aggregate-number\":12,\"counter-value\":\"5.000000\",\"unit\":\"\",\"event\":\"cycles\",\"event-runtime\":1,\"pcnt-running\":100.00,\"metric-value\":\"nan\",\"metric-unit\":\"\"}\n",
				kinds[k].key, kinds[k].id);
		check((enum td_format_kind)format, kinds[k].key, got, want);
	}
}

int main(void)
{
	for (size_t t = 0; t < TD_ARRAY_SIZE(events); t++)
		test_events(t);
	for (size_t t = 0; t < TD_ARRAY_SIZE(metrics); t++)
		test_metrics(t);
	for (size_t t = 0; t < TD_ARRAY_SIZE(footers); t++)
		test_footer(t);
	for (size_t k = 0; k < TD_ARRAY_SIZE(kinds); k++)
		test_kind(k);
	return done_testing();
}
