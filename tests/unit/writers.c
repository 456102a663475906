// SPDX-License-Identifier: GPL-2.0-only
#include <json-c/json.h>
#include <stdlib.h>

#include "cmd/output/format.h"
#include "cmd/output/out.h"
#include "lib/base/util.h"
#include "tests/unit/report.h"
#include "tests/unit/test.h"

#define NR_COLUMNS 6
#define MAX_ROWS   6

/* A column, and its place in the tree of each PMU. */
struct metric {
	const char *name, *parent, *unit;
	int level;
	bool present;
};

/* clang-format off */
/* level 1, level 2, and unusual names */
static const struct metric top[] = {
	{ "tma_retiring", NULL, "%", 1, true },
	{ "tma_backend_bound", NULL, "%", 1, true },
	{ "tma_frontend_bound", NULL, "%", 1, true },
	{ "tma_bad_speculation", NULL, "%", 1, true },
};
static const struct metric tree[] = {
	{ "tma_retiring", NULL, "%", 1, true },
	{ "tma_backend_bound", NULL, "%", 1, true },
	{ "tma_memory_bound", "tma_backend_bound", "%", 2, true },
	{ "tma_core_bound", "tma_backend_bound", "%", 2, true },
	{ "tma_resource_bound", "tma_backend_bound", "%", 2, false },
};
static const struct metric odd[] = {
	{ "a,b", NULL, "%", 1, true },
	{ "say \"x\"", NULL, "%", 1, true },
	{ "two\nlines", NULL, "%", 1, true },
	{ "a_name_that_is_longer_than_a_cell", NULL, "%", 1, true },
};
static const struct metric mixed[] = {
	{ "tma_retiring", NULL, "%", 1, true },
	{ "ipc", NULL, "", 0, true },
	{ "reads", NULL, "cycles / transaction", 0, true },
	{ "clock", NULL, "GHz", 0, true },
	{ "all_slots", NULL, "%slots", 0, true },
};

static const struct {
	const char *name;
	enum td_format_kind format;
	const char *separator;
	struct td_frame frame;
	const struct metric *columns;
	size_t nr_columns;
	struct {
		const char *id, *pmu;
		double share, running; /* running 0: 100 */
		double busy, ghz, ipc; /* 0: unknown */
		bool idle;
		struct td_cell cells[NR_COLUMNS];
	} rows[MAX_ROWS];
	uint64_t time_ns;
	int repeat; /* how often the report is written; 0: once */
	bool has_busy, has_ipc;
	const struct td_usage *usage;
	const char *want;
} rows[] = {
	{ "a row of an interval", .frame = { .interval = true },
	  .columns = top, .nr_columns = 4, .time_ns = 1000104518,
	  .rows = { { "all", "cpu", 100,
		      .cells = { OK(25.1), OK(49.8), OK(16.53), OK(8.57) } } },
	  .want =
"#           time      %  tma_retiring %  tma_backend_bound %  tma_frontend_bound %  "
"tma_bad_speculation\n"
"     1.000104518                 25.1                 49.8                  16.5                  "
"  8.6\n" },
	{ "the header once, without an end", .frame = { .interval = true },
	  .columns = top, .nr_columns = 2, .time_ns = 2000000000, .repeat = 3,
	  .rows = { { "all", "cpu", 100, .cells = { OK(1), OK(2) } } },
	  .want =
"#           time      %  tma_retiring %  tma_backend_bound\n"
"     2.000000000                  1.0                  2.0\n"
"     2.000000000                  1.0                  2.0\n"
"     2.000000000                  1.0                  2.0\n" },
	{ "the header again on the next screen",
	  .frame = { .interval = true, .screen_lines = 3 },
	  .columns = top, .nr_columns = 1, .time_ns = 5, .repeat = 3,
	  .rows = { { "all", "cpu", 100, .cells = { OK(1) } } },
	  .want =
"#           time      %  tma_retiring\n"
"     0.000000005                  1.0\n"
"#           time      %  tma_retiring\n"
"     0.000000005                  1.0\n"
"#           time      %  tma_retiring\n"
"     0.000000005                  1.0\n" },
	{ "what is missing, negative, and of more than a day",
	  .frame = { .interval = true },
	  .columns = top, .nr_columns = 4, .time_ns = 123456000000001,
	  .rows = { { "all", "cpu", 100,
		      .cells = { LOST, OK(-0.25), NONE, OK(100) } } },
	  .want =
"#           time      %  tma_retiring %  tma_backend_bound %  tma_frontend_bound %  "
"tma_bad_speculation\n"
"123456.000000001        <not counted>                 -0.2                                        "
"100.0\n" },
	{ "how busy they were, of two PMUs, where one is idle",
	  .frame = { .interval = true, .show_pmu = true, .colour = true },
	  .columns = top, .nr_columns = 1, .has_busy = true, .has_ipc = true, .time_ns = 5,
	  .rows = { { "all", "cpu_core", 99.5, .busy = 231.04, .ghz = 3.06, .ipc = 1.855,
		      .cells = { OVER(1) } },
		    { "all", "cpu_atom", 0.5, .busy = 0.04, .idle = true,
		      .cells = { OVER(2) } } },
	  .want =
"#           time pmu          %busy  GHz  IPC      %  tma_retiring\n"
"     0.000000005 cpu_core     231.0  3.1 1.85 \033[31m                 1.0*\033[m\n"
"\033[2m     0.000000005 cpu_atom       0.0    -    -                  2.0\033[m\n" },
	{ "CSV: how busy they were", TD_FORMAT_CSV, ",",
	  .columns = top, .nr_columns = 1,
	  .rows = { { "all", "cpu", 97.8, 66.7, 12.345, 3, 0.254, .cells = { OK(1) } },
		    { "all", "cpu", NAN, 50, .cells = { OK(2) } } },
	  .want =
"time,id,pmu,busy,share,running,ipc,tma_retiring,ghz,lost_share,slots,cycles,instructions,kind,interval,seconds,cpu,core,cgroup,comm,tid,container,host,flags\n"
"0.000000000,all,cpu,12.35,97.80,66.70,0.25,1.00,3.00,,1,,,interval,,,,,,,,,,\n"
"0.000000000,all,cpu,,,50.00,,2.00,,,1,,,interval,,,,,,,,,,\n" },
	{ "JSON: how busy they were", TD_FORMAT_JSON,
	  .columns = top, .nr_columns = 1,
	  .rows = { { "all", "cpu", 97.8, .busy = 12.345, .ipc = 1.5, .cells = { OK(1) } },
		    { "all", "cpu", NAN, .cells = { OK(2) } } },
	  .want =
"{\"time\":0.0,\"id\":\"all\",\"pmu\":\"cpu\",\"busy\":12.35,\"share\":97.80,\"ipc\":1.50,\"metric\":\"tma_retiring\",\"value\":1.0,\"unit\":\"%\",\"level\":1,\"parent\":null,\"over_threshold\":false,\"running\":100.0,\"error\":null,\"ghz\":null,\"lost_share\":null,\"slots\":1,\"cycles\":null,\"instructions\":null,\"kind\":\"interval\",\"interval\":null,\"seconds\":null}\n"
"{\"time\":0.0,\"id\":\"all\",\"pmu\":\"cpu\",\"busy\":null,\"share\":null,\"ipc\":null,\"metric\":\"tma_retiring\",\"value\":2.0,\"unit\":\"%\",\"level\":1,\"parent\":null,\"over_threshold\":false,\"running\":100.0,\"error\":null,\"ghz\":null,\"lost_share\":null,\"slots\":1,\"cycles\":null,\"instructions\":null,\"kind\":\"interval\",\"interval\":null,\"seconds\":null}\n" },
	{ "a name that is longer than a cell", .frame = { .interval = true },
	  .columns = odd + 3, .nr_columns = 1,
	  .rows = { { "all", "cpu", 100, .cells = { OK(12.34) } } },
	  .want =
"#           time %  a_name_that_is_longer_than_a_cell\n"
"     0.000000000                                 12.3\n" },
	{ "names that could command a terminal, or begin a line",
	  .frame = { .interval = true, .show_id = true, .show_pmu = true },
	  .columns = odd + 1, .nr_columns = 2,
	  .rows = { { "a\033b", "c\n", 100, .cells = { OK(1), OK(2) } },
		    { "caf\303\251", "\302\205", 100, .cells = { OK(3), OK(4) } } },
	  .want =
"#           time id       pmu                    %  say \"x\"      %  two\\x0alines\n"
"     0.000000000 a\\x1bb   c\\x0a                         1.0                  2.0\n"
"     0.000000000 caf\303\251     \\xc2\\x85                      3.0                  4.0\n" },
	{ "a column that this machine has not", .frame = { .interval = true },
	  .columns = tree + 3, .nr_columns = 2,
	  .rows = { { "all", "cpu", 100, .cells = { OK(1), NONE } } },
	  .want =
"#           time    %  tma_core_bound\n"
"     0.000000000                  1.0\n" },
	{ "no colour in a file", .frame = { .interval = true },
	  .columns = top, .nr_columns = 1,
	  .rows = { { "all", "cpu", 100, .cells = { OVER(71) } } },
	  .want =
"#           time      %  tma_retiring\n"
"     0.000000000                 71.0*\n" },
	{ "colour on a terminal",
	  .frame = { .interval = true, .colour = true },
	  .columns = top, .nr_columns = 2,
	  .rows = { { "all", "cpu", 100, .cells = { OVER(71), OK(5) } } },
	  .want =
"#           time      %  tma_retiring %  tma_backend_bound\n"
"     0.000000000 \033[31m                71.0*\033[m                 5.0\n" },
	{ "units, and none: a value as exact as it needs to be",
	  .frame = { .interval = true },
	  .columns = mixed, .nr_columns = 5,
	  .rows = { { "all", "cpu", 100,
		      .cells = { OK(25.14), OK(1.5), OK(0.001234), OK(1234567.89), OK(3.14159) } } },
	  .want =
"#           time      %  tma_retiring                  ipc cycles / transaction  reads           "
"GHz  clock    %slots  all_slots\n"
"     0.000000000                 25.1               1.50                      0.001234         "
"1234567.89                    3.1\n" },
	{ "a column's points below each other, from the longest fraction so far on",
	  .frame = { .interval = true },
	  .columns = mixed, .nr_columns = 2,
	  .rows = { { "all", "cpu", 100, .cells = { OK(5), OK(1.5) } },
		    { "all", "cpu", 100, .cells = { OK(10.5), OK(12.345) } },
		    { "all", "cpu", 100, .cells = { OK(5), LOST } },
		    { "all", "cpu", 100, .cells = { OK(5), OK(0.1234) } },
		    { "all", "cpu", 100, .cells = { OK(5), OK(0.012345) } },
		    { "all", "cpu", 100, .cells = { OK(5), OK(1.234) } } },
	  .want =
"#           time      %  tma_retiring                  ipc\n"
"     0.000000000                  5.0               1.50\n"
"     0.000000000                 10.5              12.35\n"
"     0.000000000                  5.0        <not counted>\n"
"     0.000000000                  5.0               0.1234\n"
"     0.000000000                  5.0              0.01235\n"
"     0.000000000                  5.0              1.234\n" },
	{ "what this machine cannot count", .frame = { .interval = true, .describe = true },
	  .columns = mixed, .nr_columns = 2,
	  .rows = { { "all", "cpu", 100, .cells = { REFUSED("no such event"), LOST } } },
	  .want =
"#           time      %  tma_retiring                  ipc\n"
"     0.000000000      <not supported>        <not counted>\n" },

	{ "a final tree", .frame = { .target = "./triad 100M", .show_pmu = true },
	  .columns = tree, .nr_columns = 5, .time_ns = 1003214567,
	  .rows = { { "all", "cpu_core", 97.8,
		      .cells = { OK(12.3), OVER(66.6), OVER(55.1), OK(11.5), NONE } },
		    { "all", "cpu_atom", 2.2,
		      .cells = { OK(50), OK(8.5), NONE, OK(-0.25), OK(8.54) } } },
	  .usage = &(struct td_usage){ 1003214567, true, 998120000, 4211000 },
	  .want =
"\n Performance counter stats for './triad 100M':\n\n"
" cpu_core, 97.8 % of the slots\n"
"      12.3 %  tma_retiring\n"
"      66.6 %  tma_backend_bound          <--\n"
"          55.1 %  tma_memory_bound       <--\n"
"          11.5 %  tma_core_bound\n"
"\n"
" cpu_atom, 2.2 % of the slots\n"
"      50.0 %  tma_retiring\n"
"       8.5 %  tma_backend_bound\n"
"          -0.2 %  tma_core_bound\n"
"           8.5 %  tma_resource_bound\n"
"\n"
"       1.003214567 seconds time elapsed\n"
"\n"
"       0.998120000 seconds user\n"
"       0.004211000 seconds sys\n\n" },
	{ "a machine's tree: no times of a command",
	  .frame = { .target_kind = TD_TARGET_SYSTEM },
	  .columns = tree, .nr_columns = 1,
	  .rows = { { "all", "cpu", 100, .cells = { OK(12.3) } } },
	  .usage = &(struct td_usage){ .elapsed_ns = 12000000000 },
	  .want =
"\n Performance counter stats for 'system wide':\n\n"
" cpu\n"
"      12.3 %  tma_retiring\n"
"\n"
"      12.000000000 seconds time elapsed\n\n" },
	{ "a process: its number alone in quotes",
	  .frame = { .target = "7", .target_kind = TD_TARGET_PROCESSES },
	  .columns = tree, .nr_columns = 1,
	  .rows = { { "all", "cpu", 100, .cells = { OK(12.3) } } },
	  .want =
"\n Performance counter stats for process id '7':\n\n"
" cpu\n"
"      12.3 %  tma_retiring\n"
"\n" },
	{ "a command that is named as a process would be",
	  .frame = { .target = "process id 7" },
	  .columns = tree, .nr_columns = 1,
	  .rows = { { "all", "cpu", 100, .cells = { OK(12.3) } } },
	  .want =
"\n Performance counter stats for 'process id 7':\n\n"
" cpu\n"
"      12.3 %  tma_retiring\n"
"\n" },
	{ "CPUs",
	  .frame = { .target = "0-3", .target_kind = TD_TARGET_CPUS },
	  .columns = tree, .nr_columns = 1,
	  .rows = { { "all", "cpu", 100, .cells = { OK(12.3) } } },
	  .want =
"\n Performance counter stats for 'CPU(s) 0-3':\n\n"
" cpu\n"
"      12.3 %  tma_retiring\n"
"\n" },
	{ "a tree of which nothing was counted",
	  .frame = { .target = "true", .show_pmu = true },
	  .columns = tree, .nr_columns = 2,
	  .rows = { { "all", "cpu_atom", NAN, .cells = { LOST, LOST } } },
	  .want =
"\n Performance counter stats for 'true':\n\n"
" cpu_atom, <not counted>\n"
"\n" },
	{ "a tree that was counted for a part of the time",
	  .frame = { .target = "true", .show_pmu = true },
	  .columns = tree, .nr_columns = 3,
	  .rows = { { "all", "cpu_core", 50, 66.7,
		      .cells = { PART(12.3, 66.7), PART(4, 33.3), LOST } } },
	  .want =
"\n Performance counter stats for 'true':\n\n"
" cpu_core, 50.0 % of the slots, measured 66.7 % of the time\n"
"      12.3 %  tma_retiring\n"
"       4.0 %  tma_backend_bound  (33.3 %)\n"
"   <not counted>  tma_memory_bound\n"
"\n" },

	{ "CSV", TD_FORMAT_CSV, ",", .columns = top, .nr_columns = 4,
	  .time_ns = 1000104518,
	  .rows = { { "all", "cpu_core", 100,
		      .cells = { OK(25.1), OK(49.8), OK(16.53), OK(8.57) } } },
	  .want =
"time,id,pmu,busy,share,running,ipc,tma_retiring,tma_backend_bound,tma_frontend_bound,tma_bad_speculation,ghz,lost_share,slots,cycles,instructions,kind,interval,seconds,cpu,core,cgroup,comm,tid,container,host,flags\n"
"1.000104518,all,cpu_core,,100.00,100.00,,25.10,49.80,16.53,8.57,,,1,,,interval,,,,,,,,,,\n" },
	{ "CSV: the header once, all columns, what is missing empty",
	  TD_FORMAT_CSV, ",",
	  .frame = { .interval = true, .screen_lines = 2, .colour = true },
	  .columns = tree, .nr_columns = 5, .time_ns = 500, .repeat = 2,
	  .rows = { { "CPU0", "cpu_core", 100,
		      .cells = { OK(-0.006), LOST, OVER(99.999), OK(0.005), NONE } },
		    { "CPU4", "cpu_atom", 100,
		      .cells = { OK(-1.5), NONE, NONE, NONE, NONE } } },
	  .usage = &(struct td_usage){ 1003214567, true, 998120000, 4211000 },
	  .want =
"time,id,pmu,busy,share,running,ipc,tma_retiring,tma_backend_bound,tma_memory_bound,tma_core_bound,tma_resource_bound,ghz,lost_share,slots,cycles,instructions,kind,interval,seconds,cpu,core,cgroup,comm,tid,container,host,flags\n"
"0.000000500,CPU0,cpu_core,,100.00,100.00,,-0.01,,100.00,0.01,,,,1,,,interval,,,,,,,,,,\n"
"0.000000500,CPU4,cpu_atom,,100.00,100.00,,-1.50,,,,,,,1,,,interval,,,,,,,,,,\n"
"0.000000500,CPU0,cpu_core,,100.00,100.00,,-0.01,,100.00,0.01,,,,1,,,interval,,,,,,,,,,\n"
"0.000000500,CPU4,cpu_atom,,100.00,100.00,,-1.50,,,,,,,1,,,interval,,,,,,,,,,\n" },
	{ "CSV: percentages with two decimals, others with six digits",
	  TD_FORMAT_CSV, ",", .columns = mixed, .nr_columns = 5,
	  .rows = { { "all", "cpu", 100,
		      .cells = { OK(25.148), OK(1.234567), OK(0.00123456), OK(1234567.89), OK(3.14159) } },
		    { "all", "cpu", 100,
		      .cells = { LOST, REFUSED("why"), OK(0.0000001), OK(1e15), NONE } } },
	  .want =
"time,id,pmu,busy,share,running,tma_retiring,ipc,reads,clock,all_slots,ghz,lost_share,slots,cycles,instructions,kind,interval,seconds,cpu,core,cgroup,comm,tid,container,host,flags\n"
"0.000000000,all,cpu,,100.00,100.00,25.15,1.23457,0.00123456,1234567.89,3.14,,,1,,,interval,,,,,,,,,,\n"
"0.000000000,all,cpu,,100.00,100.00,,,0.0000001,1000000000000000.00,,,,1,,,interval,,,,,,,,,,\n" },
	{ "CSV: names with separators, quotes and line ends", TD_FORMAT_CSV, ",",
	  .columns = odd, .nr_columns = 4,
	  .rows = { { "my \"app\", 7", "cpu", 100,
		      .cells = { OK(1), OK(2), OK(3), OK(4) } } },
	  .want =
"time,id,pmu,busy,share,running,ipc,\"a,b\",\"say "
"\"\"x\"\"\",\"two\\x0alines\",a_name_that_is_longer_than_a_cell,ghz,lost_share,slots,cycles,instructions,kind,interval,seconds,cpu,core,cgroup,comm,tid,container,host,flags\n"
"0.000000000,\"my \"\"app\"\", "
"7\",cpu,,100.00,100.00,,1.00,2.00,3.00,4.00,,,1,,,interval,,,,,,,,,,\n" },
	{ "CSV: another separator", TD_FORMAT_CSV, ";",
	  .columns = odd, .nr_columns = 1,
	  .rows = { { "a;b", "x,y", 100, .cells = { OK(1) } } },
	  .want = "time;id;pmu;busy;share;running;ipc;a,b;ghz;lost_share;slots;cycles;instructions;kind;interval;seconds;cpu;core;cgroup;comm;tid;container;host;flags\n0.000000000;\"a;b\";x,y;;100.00;100.00;;1.00;;;1;;;interval;;;;;;;;;;\n" },
	{ "CSV: a tab", TD_FORMAT_CSV, "\t",
	  .columns = top, .nr_columns = 1,
	  .rows = { { "a b", "a\tb", 100, .cells = { LOST } } },
	  .want = "time\tid\tpmu\tbusy\tshare\trunning\tipc\ttma_retiring\tghz\tlost_share\tslots\tcycles\tinstructions\tkind\tinterval\tseconds\tcpu\tcore\tcgroup\tcomm\ttid\tcontainer\thost\tflags\n0.000000000\ta b\t\"a\\x09b\"\t\t100.00\t100.00\t\t\t\t\t1\t\t\tinterval\t\t\t\t\t\t\t\t\t\t\n" },
	{ "CSV: a separator that stands in what is escaped", TD_FORMAT_CSV, "x",
	  .columns = top, .nr_columns = 1,
	  .rows = { { "\033", "\377", 100, .cells = { LOST } } },
	  .want = "timexidxpmuxbusyxsharexrunningxipcxtma_retiringxghzxlost_sharexslotsxcyclesxinstructionsxkindxintervalxsecondsxcpuxcorexcgroupxcommxtidxcontainerxhostxflags\n0.000000000x\"\\x1b\"x\"\\xff\"xx100.00x100.00xxxxx1xxxintervalxxxxxxxxxx\n" },
	{ "CSV: a separator that a name ends like", TD_FORMAT_CSV, "::",
	  .columns = top, .nr_columns = 1,
	  .rows = { { ":a", "a:", 100, .cells = { OK(1) } } },
	  .want = "time::id::pmu::busy::share::running::ipc::tma_retiring::ghz::lost_share::slots::cycles::instructions::kind::interval::seconds::cpu::core::cgroup::comm::tid::container::host::flags\n0.000000000:::a::\"a:\"::::100.00::100.00::::1.00::::::1::::::interval::::::::::::::::::::\n" },
	{ "CSV: a separator of two characters", TD_FORMAT_CSV, "::",
	  .columns = top, .nr_columns = 1,
	  .rows = { { "a:b", "a::b", 100, .cells = { OK(1) } } },
	  .want = "time::id::pmu::busy::share::running::ipc::tma_retiring::ghz::lost_share::slots::cycles::instructions::kind::interval::seconds::cpu::core::cgroup::comm::tid::container::host::flags\n0.000000000::a:b::\"a::b\"::::100.00::100.00::::1.00::::::1::::::interval::::::::::::::::::::\n" },

	{ "JSON", TD_FORMAT_JSON, .columns = tree, .nr_columns = 5,
	  .frame = { .colour = true }, .time_ns = 1000104518,
	  .rows = { { "all", "cpu_core", 100,
		      .cells = { OK(25.1), LOST, OVER(-5.25), NONE, PART(3, 12.5) } } },
	  .usage = &(struct td_usage){ .elapsed_ns = 1 },
	  .want =
"{\"time\":1.000104518,\"id\":\"all\",\"pmu\":\"cpu_core\",\"busy\":null,\"share\":100.0,\"ipc\":null,\"metric\":\"tma_retiring\",\"value\":25.1,\"unit\":\"%\",\"level\":1,\"parent\":null,\"over_threshold\":false,\"running\":100.0,\"error\":null,\"ghz\":null,\"lost_share\":null,\"slots\":1,\"cycles\":null,\"instructions\":null,\"kind\":\"interval\",\"interval\":null,\"seconds\":null}\n"
"{\"time\":1.000104518,\"id\":\"all\",\"pmu\":\"cpu_core\",\"busy\":null,\"share\":100.0,\"ipc\":null,\"metric\":\"tma_backend_bound\",\"value\":null,\"unit\":\"%\",\"level\":1,\"parent\":null,\"over_threshold\":null,\"running\":0.0,\"error\":null,\"ghz\":null,\"lost_share\":null,\"slots\":1,\"cycles\":null,\"instructions\":null,\"kind\":\"interval\",\"interval\":null,\"seconds\":null}\n"
"{\"time\":1.000104518,\"id\":\"all\",\"pmu\":\"cpu_core\",\"busy\":null,\"share\":100.0,\"ipc\":null,\"metric\":\"tma_memory_bound\",\"value\":-5.25,\"unit\":\"%\",\"level\":2,\"parent\":\"tma_backend_bound\",\"over_threshold\":true,\"running\":100.0,\"error\":null,\"ghz\":null,\"lost_share\":null,\"slots\":1,\"cycles\":null,\"instructions\":null,\"kind\":\"interval\",\"interval\":null,\"seconds\":null}\n"
"{\"time\":1.000104518,\"id\":\"all\",\"pmu\":\"cpu_core\",\"busy\":null,\"share\":100.0,\"ipc\":null,\"metric\":\"tma_resource_bound\",\"value\":3.0,\"unit\":\"%\",\"level\":2,\"parent\":\"tma_backend_bound\",\"over_threshold\":false,\"running\":12.5,\"error\":null,\"ghz\":null,\"lost_share\":null,\"slots\":1,\"cycles\":null,\"instructions\":null,\"kind\":\"interval\",\"interval\":null,\"seconds\":null}\n" },
	{ "JSON: outside of the tree, and twelve digits", TD_FORMAT_JSON,
	  .columns = mixed, .nr_columns = 5,
	  .rows = { { "all", "cpu", 100,
		      .cells = { OK(12.3456789012), OK(-0.0), OK(1.5e-9), OK(123456789012.0), REFUSED("its \"event\"") } } },
	  .want =
"{\"time\":0.0,\"id\":\"all\",\"pmu\":\"cpu\",\"busy\":null,\"share\":100.0,\"ipc\":null,\"metric\":\"tma_retiring\",\"value\":12.3456789012,\"unit\":\"%\",\"level\":1,\"parent\":null,\"over_threshold\":false,\"running\":100.0,\"error\":null,\"ghz\":null,\"lost_share\":null,\"slots\":1,\"cycles\":null,\"instructions\":null,\"kind\":\"interval\",\"interval\":null,\"seconds\":null}\n"
"{\"time\":0.0,\"id\":\"all\",\"pmu\":\"cpu\",\"busy\":null,\"share\":100.0,\"ipc\":null,\"metric\":\"ipc\",\"value\":0.0,\"unit\":\"\",\"level\":null,\"parent\":null,\"over_threshold\":false,\"running\":100.0,\"error\":null,\"ghz\":null,\"lost_share\":null,\"slots\":1,\"cycles\":null,\"instructions\":null,\"kind\":\"interval\",\"interval\":null,\"seconds\":null}\n"
"{\"time\":0.0,\"id\":\"all\",\"pmu\":\"cpu\",\"busy\":null,\"share\":100.0,\"ipc\":null,\"metric\":\"reads\",\"value\":1.5e-9,\"unit\":\"cycles / transaction\",\"level\":null,\"parent\":null,\"over_threshold\":false,\"running\":100.0,\"error\":null,\"ghz\":null,\"lost_share\":null,\"slots\":1,\"cycles\":null,\"instructions\":null,\"kind\":\"interval\",\"interval\":null,\"seconds\":null}\n"
"{\"time\":0.0,\"id\":\"all\",\"pmu\":\"cpu\",\"busy\":null,\"share\":100.0,\"ipc\":null,\"metric\":\"clock\",\"value\":123456789012.0,\"unit\":\"GHz\",\"level\":null,\"parent\":null,\"over_threshold\":false,\"running\":100.0,\"error\":null,\"ghz\":null,\"lost_share\":null,\"slots\":1,\"cycles\":null,\"instructions\":null,\"kind\":\"interval\",\"interval\":null,\"seconds\":null}\n"
"{\"time\":0.0,\"id\":\"all\",\"pmu\":\"cpu\",\"busy\":null,\"share\":100.0,\"ipc\":null,\"metric\":\"all_slots\",\"value\":null,\"unit\":\"%slots\",\"level\":null,\"parent\":null,\"over_threshold\":null,\"running\":0.0,\"error\":null,\"why\":\"its \\\"event\\\"\",\"ghz\":null,\"lost_share\":null,\"slots\":1,\"cycles\":null,\"instructions\":null,\"kind\":\"interval\",\"interval\":null,\"seconds\":null}\n" },
	{ "JSON: names with quotes and control characters", TD_FORMAT_JSON,
	  .columns = odd + 1, .nr_columns = 2,
	  .rows = { { "a\\b\t/c", "caf\303\251", 100, .cells = { OK(1), OK(2) } } },
	  .want =
"{\"time\":0.0,\"id\":\"a\\\\b\\t/c\",\"pmu\":\"caf\303\251\",\"busy\":null,\"share\":100.0,\"ipc\":null,\"metric\":\"say \\\"x\\\"\",\"value\":1.0,\"unit\":\"%\",\"level\":1,\"parent\":null,\"over_threshold\":false,\"running\":100.0,\"error\":null,\"ghz\":null,\"lost_share\":null,\"slots\":1,\"cycles\":null,\"instructions\":null,\"kind\":\"interval\",\"interval\":null,\"seconds\":null}\n"
"{\"time\":0.0,\"id\":\"a\\\\b\\t/c\",\"pmu\":\"caf\303\251\",\"busy\":null,\"share\":100.0,\"ipc\":null,\"metric\":\"two\\nlines\",\"value\":2.0,\"unit\":\"%\",\"level\":1,\"parent\":null,\"over_threshold\":false,\"running\":100.0,\"error\":null,\"ghz\":null,\"lost_share\":null,\"slots\":1,\"cycles\":null,\"instructions\":null,\"kind\":\"interval\",\"interval\":null,\"seconds\":null}\n" },
};
/* clang-format on */

static void make_columns(const struct metric *metrics, size_t nr, struct td_column *columns,
			 struct td_node *nodes)
{
	for (size_t i = 0; i < nr; i++) {
		columns[i] =
			(struct td_column){ metrics[i].name, metrics[i].unit, metrics[i].present };
		nodes[i] = (struct td_node){
			.column = (int)i,
			.parent = metrics[i].parent,
			.level = metrics[i].level,
			.depth = metrics[i].level ? metrics[i].level - 1 : 0,
		};
	}
}

static double known(double value)
{
	return value > 0 ? value : NAN;
}

static size_t make_rows(size_t r, struct td_row *out, struct td_node *nodes,
			struct td_cell cells[MAX_ROWS][NR_COLUMNS])
{
	size_t nr = 0;

	for (; nr < MAX_ROWS && rows[r].rows[nr].id; nr++) {
		double running = rows[r].rows[nr].running;

		memcpy(cells[nr], rows[r].rows[nr].cells, sizeof(cells[nr]));
		out[nr] = td_row_init(rows[r].rows[nr].id, rows[r].rows[nr].pmu);
		out[nr].slots = 1;
		out[nr].share_pct = rows[r].rows[nr].share;
		out[nr].running_pct = running > 0 ? running : 100;
		out[nr].busy_pct = known(rows[r].rows[nr].busy);
		out[nr].ghz = known(rows[r].rows[nr].ghz);
		out[nr].ipc = known(rows[r].rows[nr].ipc);
		out[nr].idle = rows[r].rows[nr].idle;
		out[nr].cells = cells[nr];
		out[nr].nodes = nodes;
		out[nr].nr_nodes = rows[r].nr_columns;
		out[nr].running_least_pct = running > 0 ? running : 100;
	}
	return nr;
}

static char *write_row(size_t r)
{
	struct td_cell cells[MAX_ROWS][NR_COLUMNS];
	struct td_column columns[NR_COLUMNS];
	struct td_node nodes[NR_COLUMNS];
	struct td_row report_rows[MAX_ROWS];
	struct td_report report = {
		.time_ns = rows[r].time_ns,
		.columns = columns,
		.nr_columns = rows[r].nr_columns,
		.rows = report_rows,
		.nr_rows = make_rows(r, report_rows, nodes, cells),
		.has_busy = rows[r].has_busy,
		.has_ipc = rows[r].has_ipc,
	};
	char *text = NULL;
	size_t size;
	struct td_writer writer = {
		.out = td_out_find(rows[r].format),
		.fp = open_memstream(&text, &size),
		.frame = &rows[r].frame,
		.separator = rows[r].separator,
	};

	make_columns(rows[r].columns, rows[r].nr_columns, columns, nodes);
	for (int i = 0; i < (rows[r].repeat ? rows[r].repeat : 1); i++)
		writer.out->report(&writer, &report);
	if (rows[r].usage && writer.out->end)
		writer.out->end(&writer, rows[r].usage);
	fclose(writer.fp);
	return text;
}

/* True if two lines of JSON have equal members in the same order. */
static bool same_json(const char *got, const char *want)
{
	struct json_object *a = json_tokener_parse(got);
	struct json_object *b = json_tokener_parse(want);
	bool same = a && b && json_object_equal(a, b);

	json_object_put(a);
	json_object_put(b);
	for (; same && *want; want++) {
		const char *at = *want == '"' ? strchr(want + 1, '"') : NULL;

		if (!at || at[1] != ':')
			continue;
		got = memmem(got, strlen(got), want, (size_t)(at - want + 2));
		same = got != NULL;
	}
	return same;
}

static void check_json(size_t r, char *got)
{
	td_autofree char *copy = strdup(rows[r].want);
	char *rest = copy, *want, *line;
	int nr = 0;

	ok(!strstr(got, ":-0,") && !strstr(got, ":-0.0,"), "%s: no -0.0", rows[r].name);
	while ((want = strsep(&rest, "\n")) && *want) {
		line = strsep(&got, "\n");
		ok(line && same_json(line, want), "%s: line %d", rows[r].name, ++nr);
		if (line && !same_json(line, want))
			printf("# got:  %s\n# want: %s\n", line, want);
	}
	ok(got && !*got, "%s: no more lines", rows[r].name);
}

/* Values end where the names of their columns end. */
static void check_edges(const char *name, const struct td_frame *frame)
{
	struct td_cell cells[] = { OK(1), OK(2), OK(3), OK(4) };
	struct td_column columns[4];
	struct td_node nodes[4];
	struct td_row row = td_row_init("CPU123", "cpu_lowpower");
	row.slots = 1;
	row.share_pct = 100;
	row.running_pct = 100;
	row.busy_pct = 12.3;
	row.ghz = NAN;
	row.ipc = NAN;
	row.cells = cells;
	row.nodes = nodes;
	row.nr_nodes = 4;
	row.running_least_pct = 100;
	struct td_report report = { 1, columns, 4, &row, 1, .has_busy = true };
	td_autofree char *text = NULL;
	size_t size;
	struct td_writer writer = { .out = &td_out_text,
				    .fp = open_memstream(&text, &size),
				    .frame = frame };
	const char *line;
	bool aligned = true;

	make_columns(top, 4, columns, nodes);
	writer.out->report(&writer, &report);
	fclose(writer.fp);
	line = strchr(text, '\n') + 1;
	for (size_t i = 0; i < 4; i++) {
		const char *at = strstr(text, top[i].name);
		size_t end = (size_t)(at - text) + strlen(top[i].name);
		char value[] = { (char)('1' + i), '.', '0', '\0' };

		aligned &= strncmp(line + end - 3, value, 3) == 0;
	}
	ok(aligned, "%s: values under the right edge of their names", name);
	ok(!frame->show_pmu == !strstr(line, " cpu_lowpower ") &&
		   !frame->show_id == !strstr(line, " CPU123 "),
	   "%s: what the row is of", name);
	ok(!frame->show_id || !frame->show_pmu ||
		   (strstr(text, " id ") < strstr(text, " pmu ") &&
		    strstr(line, "CPU123") < strstr(line, "cpu_lowpower")),
	   "%s: id before pmu", name);
}

int main(void)
{
	for (size_t r = 0; r < TD_ARRAY_SIZE(rows); r++) {
		td_autofree char *got = write_row(r);

		if (rows[r].format == TD_FORMAT_JSON)
			check_json(r, got);
		else
			is_str(got, rows[r].want, "%s", rows[r].name);
	}
	check_edges("plain", &(struct td_frame){ .interval = true });
	check_edges("with PMU", &(struct td_frame){ .interval = true, .show_pmu = true });
	check_edges(
		"with id",
		&(struct td_frame){ .interval = true, .show_id = true, .how = TD_AGGREGATE_CPU });
	check_edges("with both", &(struct td_frame){ .interval = true,
						     .show_pmu = true,
						     .show_id = true,
						     .how = TD_AGGREGATE_CPU });
	return done_testing();
}
