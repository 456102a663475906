// SPDX-License-Identifier: GPL-2.0-only
/* Tests of trees as text, of a whole run and of intervals. */
#include <stdlib.h>

#include "cmd/output/format.h"
#include "cmd/output/out.h"
#include "lib/base/util.h"
#include "tests/unit/report.h"
#include "tests/unit/test.h"

#define NODES(array) .nodes = (array), .nr_nodes = TD_ARRAY_SIZE(array)
#define CELLS(...)                  \
	.cells = (struct td_cell[]) \
	{                           \
		__VA_ARGS__         \
	}
#define PERCENT(name)           \
	{                       \
		name, "%", true \
	}

#define TITLE "\n Performance counter stats for 'true':\n\n"

/* clang-format off */
static const struct td_column columns[] = {
	PERCENT("tma_store_bound"),
	PERCENT("tma_core_bound"),
	PERCENT("tma_memory_bound"),
	PERCENT("tma_backend_bound"),
	{ "tma_info_thread_ipc", "", true },
	{ "tma_info_system_clock", "GHz", true },
	{ "tma_info_memory_latency", "cycles / transaction", true },
	{ "tma_info_memory_share", "hundredths of a transaction", true },
};

/* the same metric at another place of another PMU's tree */
static const struct td_node of_core[] = {
	{ 3, NULL, 1, 0, NULL },
	{ 2, "tma_backend_bound", 2, 1, NULL },
	{ 0, "tma_memory_bound", 3, 2, NULL },
	{ 1, "tma_backend_bound", 2, 1, NULL },
};
static const struct td_node of_atom[] = {
	{ 0, "tma_backend_bound", 2, 0, NULL },
	{ 1, NULL, 1, 0, NULL },
};
static const struct td_node with_others[] = {
	{ 3, NULL, 1, 0, NULL },
	{ 2, "tma_backend_bound", 2, 1, NULL },
	{ 4, NULL, 0, 0, NULL },
	{ 5, NULL, 0, 0, NULL },
	{ 6, NULL, 0, 0, NULL },
	{ 7, NULL, 0, 0, NULL },
};
static const struct td_node without_units[] = {
	{ 4, NULL, 0, 0, NULL },
};

static const struct td_column long_columns[] = {
	PERCENT("tma_backend_bound"),
	PERCENT("tma_a_name_of_forty_characters_or_so_many"),
	{ "tma_info_a", "MB/s", true },
};
static const struct td_node long_nodes[] = {
	{ 0, NULL, 1, 0, NULL },
	{ 1, "tma_backend_bound", 6, 5, NULL },
	{ 2, NULL, 0, 0, NULL },
};

/* 14 columns of values, then 66 of words, or 62 at a deeper level */
static const struct td_node described[] = {
	{ 3, NULL, 1, 0,
	  "ten_of_ten ten_of_ten ten_of_ten ten_of_ten ten_of_ten eleven_of_s twelve_of_is  "
	  "and\tall\nrest" },
	{ 2, "tma_backend_bound", 2, 1,
	  "ten_of_ten ten_of_ten ten_of_ten ten_of_ten ten_of_ten eight_of" },
	{ 1, "tma_backend_bound", 2, 1, "" },
	{ 0, "tma_memory_bound", 3, 2, NULL },
};
static const struct td_node words[] = {
	{ 3, NULL, 1, 0, "caf\303\251_caf\303\251 ten_of_ten ten_of_ten ten_of_ten ten_of_ten "
	"\303\251l\303\251ven_of_ \303\251" },
	{ 2, NULL, 1, 0, "a "
	"WORD_THAT_IS_LONGER_THAN_ALL_OF_THE_ROOM_THAT_THERE_IS_FOR_IT_ON_ONE_LINE end" },
};
static const struct td_node far_right[] = {
	{ 0, NULL, 9, 9, "ten_of_ten ten_of_ten ten_of_ten seven_s is_not" },
};

static const struct {
	const char *name;
	struct td_frame frame;
	const struct td_column *columns; /* NULL: those above */
	struct td_row rows[3];
	uint64_t time_ns;
	double waited_pct; /* of all tasks; 0: they did not wait */
	int repeat; /* how often the report is written; 0: once */
	const struct td_usage *usage;
	const char *want;
} rows[] = {
	{ "each PMU's own tree, in its own order",
	  .frame = { .target = "true", .show_pmu = true },
	  .rows = {
		{ "all", "cpu_core", 1, 80, 100, NODES(of_core),
		  CELLS(OK(12.5), OK(15), OVER(25), OVER(40)) },
		{ "all", "cpu_atom", 1, 20, 100, NODES(of_atom),
		  CELLS(OK(1), OK(2), NONE, NONE) } },
	  .want = TITLE
" cpu_core, 80.0 % of the slots\n"
"      40.0 %  tma_backend_bound          <--\n"
"          25.0 %  tma_memory_bound       <--\n"
"              12.5 %  tma_store_bound\n"
"          15.0 %  tma_core_bound\n"
"\n"
" cpu_atom, 20.0 % of the slots\n"
"       1.0 %  tma_store_bound\n"
"       2.0 %  tma_core_bound\n"
"\n" },

	{ "what does not matter is counted",
	  .frame = { .target = "true", .show_pmu = true },
	  .rows = {
		{ "all", "cpu_core", 1, 80, 100, NODES(of_core),
		  CELLS(MINOR(12.5), MINOR(15), OK(25), OK(40)) },
		{ "all", "cpu_atom", 1, 20, 100, NODES(of_atom),
		  CELLS(MINOR(1), OK(2), NONE, NONE) } },
	  .want = TITLE
" cpu_core, 80.0 % of the slots\n"
"      40.0 %  tma_backend_bound\n"
"          25.0 %  tma_memory_bound\n"
"  2 unmarked nodes are hidden; --all shows them\n"
"\n"
" cpu_atom, 20.0 % of the slots\n"
"       2.0 %  tma_core_bound\n"
"  1 unmarked node is hidden; --all shows them\n"
"\n" },
	{ "of a short run, level 1 alone, if nobody asked for more",
	  .frame = { .target = "true", .brief = true },
	  .time_ns = 199000000,
	  .rows = { { "all", "cpu", 1, 100, 100, NODES(of_core),
		      CELLS(OK(12.5), MINOR(15), OVER(25), OVER(40)) } },
	  .want = TITLE
" cpu\n"
"      40.0 %  tma_backend_bound          <--\n"
"  a short run: -l auto shows more than level 1\n"
"\n" },
	{ "of a longer one, all that matters",
	  .frame = { .target = "true", .brief = true },
	  .time_ns = 200000000,
	  .rows = { { "all", "cpu", 1, 100, 100, NODES(of_core),
		      CELLS(OK(12.5), MINOR(15), OVER(25), OVER(40)) } },
	  .want = TITLE
" cpu\n"
"      40.0 %  tma_backend_bound          <--\n"
"          25.0 %  tma_memory_bound       <--\n"
"              12.5 %  tma_store_bound\n"
"  1 unmarked node is hidden; --all shows them\n"
"\n" },
	{ "what a PMU has not is not hidden",
	  .frame = { .target = "true" },
	  .rows = { { "all", "cpu", 1, 100, 100, NODES(of_core),
		      CELLS(NONE, NONE, MINOR(25), OK(40)) } },
	  .want = TITLE
" cpu\n"
"      40.0 %  tma_backend_bound\n"
"  1 unmarked node is hidden; --all shows them\n"
"\n" },
	{ "all of it",
	  .frame = { .target = "true", .all = true },
	  .rows = { { "all", "cpu", 1, 100, 100, NODES(of_core),
		      CELLS(MINOR(12.5), NONE, OK(25), OK(40)) } },
	  .want = TITLE
" cpu\n"
"      40.0 %  tma_backend_bound\n"
"          25.0 %  tma_memory_bound\n"
"              12.5 %  tma_store_bound\n"
"\n" },

	{ "units narrow, wide, too wide, and none",
	  .frame = { .target = "true" },
	  .rows = { { "all", "cpu", 1, 100, 100, NODES(with_others),
		      CELLS(NONE, NONE, OK(25), OK(40), OK(1.5), OK(3.21), OK(123.456), OK(0.001234)) } },
	  .want = TITLE
" cpu\n"
"      40.0 %  tma_backend_bound\n"
"          25.0 %  tma_memory_bound\n"
"  1.50                           tma_info_thread_ipc\n"
"  3.21     GHz                   tma_info_system_clock\n"
"123.46     cycles / transaction  tma_info_memory_latency\n"
"  0.001234 hundredths of a transaction  tma_info_memory_share\n"
"\n" },
	{ "a value that is wide, one that is missing",
	  .frame = { .target = "true" },
	  .rows = { { "all", "cpu", 1, 100, 100, NODES(with_others),
		      CELLS(NONE, NONE, NONE, LOST, OK(12345678901.5), LOST, REFUSED(NULL), NONE) } },
	  .want = TITLE
" cpu\n"
" <not counted>  tma_backend_bound\n"
"12345678901.50                       tma_info_thread_ipc\n"
"                      <not counted>  tma_info_system_clock\n"
"                    <not supported>  tma_info_memory_latency\n"
"\n" },
	{ "no unit at all",
	  .frame = { .target = "true" },
	  .rows = { { "all", "cpu", 1, 100, 100, NODES(without_units),
		      CELLS(NONE, NONE, NONE, NONE, OK(1.5)) } },
	  .want = TITLE
" cpu\n"
"      1.50  tma_info_thread_ipc\n"
"\n" },
	{ "marks stand behind the longest name, and in colour",
	  .frame = { .target = "true", .colour = true },
	  .columns = long_columns,
	  .rows = { { "all", "cpu", 1, 100, 100, NODES(long_nodes),
		      CELLS(OVER(66.6), OVER(12.3), OK(1000)) } },
	  .want = TITLE
" cpu\n"
"      66.6 %  tma_backend_bound                                             \033[31m<--\033[m\n"
"                          12.3 %  tma_a_name_of_forty_characters_or_so_many \033[31m<--\033[m\n"
"   1000.00 MB/s  tma_info_a\n"
"\n" },

	{ "the share of the time: less than the row's, or of other slices",
	  .frame = { .target = "true" },
	  .rows = { { "all", "cpu", 1, 100, 50, NODES(of_core),
		      CELLS(OTHER_SLICES(5, 50), PART(15, 12.5), OTHER_SLICES(25, 25), OK(40)) } },
	  .want = TITLE
" cpu, measured 50.0 % of the time\n"
"      40.0 %  tma_backend_bound\n"
"          25.0 %  tma_memory_bound  (25.0 %)\n"
"               5.0 %  tma_store_bound  (50.0 %)\n"
"          15.0 %  tma_core_bound  (12.5 %)\n"
"\n" },
	{ "how busy CPUs were",
	  .frame = { .target = "true", .show_pmu = true },
	  .rows = { { "all", "cpu_core", 1, 97.84, 66.7, NODES(of_atom),
		      CELLS(OK(5), OK(6), NONE, NONE),
		      .busy_pct = 12.04, .ghz = 3.06, .ipc = 1.855, .activity = { .cpus = 4 } } },
	  .want = TITLE
" cpu_core, 97.8 % of the slots, 12.0 % busy, 3.1 GHz, 1.85 IPC, measured 66.7 % of the time\n"
"       5.0 %  tma_store_bound\n"
"       6.0 %  tma_core_bound\n"
"\n" },
	{ "CPUs whose speed, or which were busy, is not known",
	  .frame = { .target = "true" },
	  .rows = { { "all", "cpu", 1, 100, 100, NODES(of_atom),
		      CELLS(OK(5), NONE, NONE, NONE),
		      .busy_pct = 100, .activity = { .cpus = 4 } },
		    { "all", "cpu", 1, 100, 100, NODES(of_atom),
		      CELLS(OK(5), NONE, NONE, NONE),
		      .ghz = 0.8, .activity = { .cpus = 4 } } },
	  .want = TITLE
" cpu, 100.0 % busy\n"
"       5.0 %  tma_store_bound\n"
"\n"
" cpu, 0.8 GHz\n"
"       5.0 %  tma_store_bound\n"
"\n" },
	{ "how much CPU time tasks had",
	  .frame = { .target = "true", .show_pmu = true },
	  .rows = { { "all", "cpu_core", 1, 90, 100, NODES(of_atom),
		      CELLS(OK(5), NONE, NONE, NONE),
		      .busy_pct = 231.4, .ghz = 3 },
		    { "all", "cpu_atom", 1, 10, 100, NODES(of_atom),
		      CELLS(OK(5), NONE, NONE, NONE), .busy_pct = 100.4 } },
	  .want = TITLE
" cpu_core, 90.0 % of the slots, 2.31 CPUs, 3.0 GHz\n"
"       5.0 %  tma_store_bound\n"
"\n"
" cpu_atom, 10.0 % of the slots, 100.0 % of one CPU\n"
"       5.0 %  tma_store_bound\n"
"\n" },
	{ "a command that mostly waited",
	  .frame = { .target = "true" }, .waited_pct = 12.04,
	  .rows = { { "all", "cpu", 1, 100, 100, NODES(of_atom),
		      CELLS(OK(5), NONE, NONE, NONE), .busy_pct = 12.04 } },
	  .want = TITLE
" Only 12.0 % of one CPU was used; find out what the program waits for (strace -cwf)\n"
"\n"
" cpu, 12.0 % of one CPU\n"
"       5.0 %  tma_store_bound\n"
"\n" },
	{ "an idle PMU is dimmed and gets no marks",
	  .frame = { .target = "true", .colour = true, .describe = true },
	  .rows = { { "all", "cpu", 1, 100, 100, NODES(of_core),
		      CELLS(MINOR(5), OK(15), OVER(25), OVER(40)),
		      .busy_pct = 0.4, .activity = { .cpus = 4 }, .idle = true } },
	  .want = TITLE
"\033[2m cpu, 0.4 % busy\033[m\n"
"\033[2m      40.0 %  tma_backend_bound\033[m\n"
"\033[2m          25.0 %  tma_memory_bound\033[m\n"
"\033[2m          15.0 %  tma_core_bound\033[m\n"
"\033[2m  1 unmarked node is hidden; --all shows them\033[m\n"
"\n" },
	{ "where there is no colour, an idle PMU has no marks, either",
	  .frame = { .target = "true" },
	  .rows = { { "all", "cpu", 1, 100, 100, NODES(of_atom),
		      CELLS(OVER(5), OK(6), NONE, NONE),
		      .busy_pct = 0.4, .activity = { .cpus = 4 }, .idle = true } },
	  .want = TITLE
" cpu, 0.4 % busy\n"
"       5.0 %  tma_store_bound\n"
"       6.0 %  tma_core_bound\n"
"\n" },
	{ "other slices, but all of the time",
	  .frame = { .target = "true" },
	  .rows = { { "all", "cpu", 1, 100, 100, NODES(of_atom),
		      CELLS(OTHER_SLICES(5, 100), OTHER_SLICES(6, 99.9), NONE, NONE) } },
	  .want = TITLE
" cpu\n"
"       5.0 %  tma_store_bound\n"
"       6.0 %  tma_core_bound  (99.9 %)\n"
"\n" },

	{ "several reasons: where they are",
	  .frame = { .target = "true" },
	  .rows = { { "all", "cpu", 1, 100, 100, NODES(of_core),
		      CELLS(OK(1), LOST_FOR(TD_STATUS_NOT_COUNTED, "no counter"),
			    REFUSED("no such event"), OK(40)) } },
	  .want = TITLE
" cpu\n"
"      40.0 %  tma_backend_bound\n"
" <not supported>  tma_memory_bound\n"
"               1.0 %  tma_store_bound\n"
"   <not counted>  tma_core_bound\n"
"  no value: use -v for the reasons\n"
"\n" },
	{ "one reason of all",
	  .frame = { .target = "true" },
	  .rows = { { "all", "cpu", 1, 100, 100, NODES(of_core),
		      CELLS(OK(1), LOST_FOR(TD_STATUS_NOT_COUNTED, "no counter"),
			    LOST_FOR(TD_STATUS_NOT_COUNTED, "no counter"), OK(40)) } },
	  .want = TITLE
" cpu\n"
"      40.0 %  tma_backend_bound\n"
"   <not counted>  tma_memory_bound\n"
"               1.0 %  tma_store_bound\n"
"   <not counted>  tma_core_bound\n"
"  no value: no counter\n"
"\n" },
	{ "the reasons",
	  .frame = { .target = "true", .describe = true },
	  .rows = { { "all", "cpu", 1, 100, 100, NODES(of_core),
		      CELLS(LOST, LOST_FOR(TD_STATUS_NOT_COUNTED, "no counter"),
			    REFUSED("no such event"), OK(40)) } },
	  .want = TITLE
" cpu\n"
"      40.0 %  tma_backend_bound\n"
" <not supported>  tma_memory_bound  (no such event)\n"
"       <not counted>  tma_store_bound\n"
"   <not counted>  tma_core_bound  (no counter)\n"
"\n" },
	{ "nothing was counted: reasons where somebody asks",
	  .frame = { .target = "true", .describe = true },
	  .rows = { { "all", "cpu", 1, 100, NAN, NODES(of_atom),
		      CELLS(LOST, LOST_FOR(TD_STATUS_NOT_COUNTED, "no counter"), NONE, NONE) } },
	  .want = TITLE
" cpu, <not counted>\n"
" <not counted>  tma_store_bound\n"
" <not counted>  tma_core_bound  (no counter)\n"
"\n" },
	{ "what is missing at the top takes room from all",
	  .frame = { .target = "true" },
	  .rows = { { "all", "cpu", 1, 100, 100, NODES(of_core),
		      CELLS(LOST, OK(15), OVER(25), REFUSED(NULL)) } },
	  .want = TITLE
" cpu\n"
" <not supported>  tma_backend_bound\n"
"              25.0 %  tma_memory_bound   <--\n"
"           <not counted>  tma_store_bound\n"
"              15.0 %  tma_core_bound\n"
"\n" },
	{ "nothing can be counted",
	  .frame = { .target = "true" },
	  .rows = { { "all", "cpu", 1, 100, 0, NODES(of_atom),
		      CELLS(REFUSED("a"), REFUSED("b"), OK(1), NONE) },
		    { "all", "cpu", 1, 100, 0, NODES(of_atom),
		      CELLS(REFUSED("a"), LOST, OK(1), NONE) },
		    { "all", "cpu", 1, 100, 0, NODES(of_atom),
		      CELLS(NONE, NONE, OK(1), NONE) } },
	  .want = TITLE
" cpu, <not supported>: use -v for the reasons\n"
"\n"
" cpu, <not counted>\n"
"\n"
" cpu, <not counted>\n"
"\n" },

	{ "descriptions end at column 80",
	  .frame = { .target = "true", .describe = true },
	  .rows = { { "all", "cpu", 1, 100, 100, NODES(described),
		      CELLS(OK(1), OK(2), OK(3), OVER(40)) } },
	  .want = TITLE
" cpu\n"
"      40.0 %  tma_backend_bound          <--\n"
"              ten_of_ten ten_of_ten ten_of_ten ten_of_ten ten_of_ten eleven_of_s\n"
"              twelve_of_is and all rest\n"
"           3.0 %  tma_memory_bound\n"
"                  ten_of_ten ten_of_ten ten_of_ten ten_of_ten ten_of_ten\n"
"                  eight_of\n"
"           2.0 %  tma_core_bound\n"
"               1.0 %  tma_store_bound\n"
"\n" },
	{ "only of what is shown, and only where somebody asks",
	  .frame = { .target = "true", .describe = true },
	  .rows = { { "all", "cpu", 1, 100, 100, NODES(described),
		      CELLS(NONE, NONE, OK(3), MINOR(40)) } },
	  .want = TITLE
" cpu\n"
"           3.0 %  tma_memory_bound\n"
"                  ten_of_ten ten_of_ten ten_of_ten ten_of_ten ten_of_ten\n"
"                  eight_of\n"
"  1 unmarked node is hidden; --all shows them\n"
"\n" },
	{ "no descriptions", .frame = { .target = "true" },
	  .rows = { { "all", "cpu", 1, 100, 100, NODES(described),
		      CELLS(NONE, NONE, NONE, OK(40)) } },
	  .want = TITLE
" cpu\n"
"      40.0 %  tma_backend_bound\n"
"\n" },
	{ "characters are not bytes; words are not torn",
	  .frame = { .target = "true", .describe = true },
	  .rows = { { "all", "cpu", 1, 100, 100, NODES(words),
		      CELLS(NONE, NONE, OK(3), OK(40)) } },
	  .want = TITLE
" cpu\n"
"      40.0 %  tma_backend_bound\n"
"              caf\303\251_caf\303\251 ten_of_ten ten_of_ten ten_of_ten ten_of_ten "
"\303\251l\303\251ven_of_ \303\251\n"
"       3.0 %  tma_memory_bound\n"
"              a\n"
"              WORD_THAT_IS_LONGER_THAN_ALL_OF_THE_ROOM_THAT_THERE_IS_FOR_IT_ON_ONE_LINE\n"
"              end\n"
"\n" },
	{ "far to the right there is still room for words",
	  .frame = { .target = "true", .describe = true },
	  .columns = long_columns,
	  .rows = { { "all", "cpu", 1, 100, 100, NODES(far_right), CELLS(OK(7)) } },
	  .want = TITLE
" cpu\n"
"                                           7.0 %  tma_backend_bound\n"
"                                        ten_of_ten ten_of_ten ten_of_ten seven_s\n"
"                                        is_not\n"
"\n" },
	{ "dim on a terminal",
	  .frame = { .target = "true", .describe = true, .colour = true },
	  .rows = { { "all", "cpu", 1, 100, 100, NODES(described),
		      CELLS(NONE, NONE, NONE, OK(40)) } },
	  .want = TITLE
" cpu\n"
"      40.0 %  tma_backend_bound\n"
"              \033[2mten_of_ten ten_of_ten ten_of_ten ten_of_ten ten_of_ten eleven_of_s\033[m\n"
"              \033[2mtwelve_of_is and all rest\033[m\n"
"\n" },

	{ "trees of intervals: the time before all of it",
	  .frame = { .interval = true, .trees = true, .screen_lines = 3 },
	  .time_ns = 1000104518, .repeat = 2,
	  .usage = &(struct td_usage){ 2000000000, true, 1, 1 },
	  .rows = { { "all", "cpu", 1, 100, 97.8, NODES(of_core),
		      CELLS(MINOR(1), OK(15), OVER(25), OVER(40)) } },
	  .want =
"#    1.000104518 cpu, measured 97.8 % of the time\n"
"     1.000104518      40.0 %  tma_backend_bound          <--\n"
"     1.000104518          25.0 %  tma_memory_bound       <--\n"
"     1.000104518          15.0 %  tma_core_bound\n"
"     1.000104518  1 unmarked node is hidden; --all shows them\n"
"\n"
"#    1.000104518 cpu, measured 97.8 % of the time\n"
"     1.000104518      40.0 %  tma_backend_bound          <--\n"
"     1.000104518          25.0 %  tma_memory_bound       <--\n"
"     1.000104518          15.0 %  tma_core_bound\n"
"     1.000104518  1 unmarked node is hidden; --all shows them\n"
"\n" },
	{ "trees of intervals: of which CPU and PMU",
	  .frame = { .interval = true, .trees = true, .show_id = true, .how = TD_AGGREGATE_CPU, .show_pmu = true },
	  .time_ns = 12000000000,
	  .rows = { { "CPU0", "cpu_core", 1, 100, 100, NODES(of_atom),
		      CELLS(OK(1), OVER(2), NONE, NONE) },
		    { "CPU12", "cpu_atom", 1, 25, 100, NODES(of_atom),
		      CELLS(OK(3), LOST, NONE, NONE) },
		    { "CPU13", "cpu_atom", 1, NAN, 100, NODES(of_atom),
		      CELLS(LOST, LOST, NONE, NONE) } },
	  .want =
"#   12.000000000 CPU0 cpu_core\n"
"    12.000000000 CPU0     cpu_core           1.0 %  tma_store_bound\n"
"    12.000000000 CPU0     cpu_core           2.0 %  tma_core_bound             <--\n"
"\n"
"#   12.000000000 CPU12 cpu_atom, 25.0 % of the slots\n"
"    12.000000000 CPU12    cpu_atom             3.0 %  tma_store_bound\n"
"    12.000000000 CPU12    cpu_atom     <not counted>  tma_core_bound\n"
"\n"
"#   12.000000000 CPU13 cpu_atom, <not counted>\n"
"\n" },
	{ "trees of intervals: descriptions under the names",
	  .frame = { .interval = true, .trees = true, .describe = true },
	  .time_ns = 12000000000,
	  .rows = { { "all", "cpu", 1, 100, 100, NODES(described),
		      CELLS(NONE, NONE, NONE, OK(2)) } },
	  .want =
"#   12.000000000 cpu\n"
"    12.000000000       2.0 %  tma_backend_bound\n"
"                              ten_of_ten ten_of_ten ten_of_ten ten_of_ten\n"
"                              ten_of_ten eleven_of_s twelve_of_is and all rest\n"
"\n" },
	{ "trees are for intervals that ask for them",
	  .frame = { .interval = true, .describe = true },
	  .columns = long_columns,
	  .rows = { { "all", "cpu", 1, 100, 100, NODES(far_right), CELLS(OK(7)) } },
	  .want =
"#           time %  tma_backend_bound\n"
"     0.000000000                  7.0\n" },
	{ "a whole run is a tree in any case",
	  .frame = { .target = "true", .trees = true },
	  .usage = &(struct td_usage){ .elapsed_ns = 1000000000 },
	  .rows = { { "all", "cpu", 1, 100, 100, NODES(without_units),
		      CELLS(NONE, NONE, NONE, NONE, OK(1.5)) } },
	  .want = TITLE
" cpu\n"
"      1.50  tma_info_thread_ipc\n"
"\n"
"       1.000000000 seconds time elapsed\n\n" },
};

static const struct {
	const char *unit;
	double value;
	const char *human, *script;
} values[] = {
	{ "%", 12.345, "12.3", "12.35" },
	{ "%", 0, "0.0", "0.00" },
	{ "%", -0.001, "0.0", "0.00" },
	{ "%", 1e9, "1000000000.0", "1000000000.00" },
	{ "%slots", 12.345, "12.3", "12.35" },
	{ "", 1.5, "1.50", "1.50" },
	{ "", 2, "2.00", "2.00" },
	{ "GHz", 3.14159265, "3.142", "3.14159" },
	{ "GHz", -3.14159265, "-3.142", "-3.14159" },
	{ "", 0.001234, "0.001234", "0.001234" },
	{ "", 0.00123456789, "0.001235", "0.00123457" },
	{ "", 1234567.89, "1234567.89", "1234567.89" },
	{ "", 99.994, "99.99", "99.994" },
	{ "", 99.999, "100.00", "99.999" },
	{ "", 9.99999, "10.00", "9.99999" },
	{ "", 123.456, "123.46", "123.456" },
	{ "", 0, "0.00", "0.00" },
	{ "", -0.0, "0.00", "0.00" },
	{ "", 1e-300, "0.00", "0.00" },
	{ "", -1e-300, "0.00", "0.00" },
	{ "", 1e-7, "0.0000001", "0.0000001" },
	{ "", 1e20, "100000000000000000000.00", "100000000000000000000.00" },
};
/* clang-format on */

static const struct td_column *columns_of(size_t r)
{
	return rows[r].columns ? rows[r].columns : columns;
}

/* Copy a row; values of 0 become unknown. */
static struct td_row copy_of(const struct td_row *from)
{
	struct td_row row = *from;

	row.busy_pct = from->busy_pct > 0 ? from->busy_pct : NAN;
	row.ghz = from->ghz > 0 ? from->ghz : NAN;
	row.ipc = from->ipc > 0 ? from->ipc : NAN;
	return row;
}

static char *write_row(size_t r)
{
	struct td_row copies[TD_ARRAY_SIZE(rows[r].rows)];
	struct td_report report = {
		.time_ns = rows[r].time_ns,
		.columns = columns_of(r),
		.nr_columns = rows[r].columns ? 1 : TD_ARRAY_SIZE(columns),
		.rows = copies,
		.has_busy = !rows[r].frame.interval,
		.has_ipc = !rows[r].frame.interval,
		.tasks_pct = rows[r].waited_pct,
		.mostly_waited = rows[r].waited_pct > 0,
	};
	char *text = NULL;
	size_t size;
	struct td_writer writer = {
		.out = &td_out_text,
		.fp = open_memstream(&text, &size),
		.frame = &rows[r].frame,
	};

	for (; report.nr_rows < TD_ARRAY_SIZE(copies) && rows[r].rows[report.nr_rows].id;
	     report.nr_rows++)
		copies[report.nr_rows] = copy_of(&rows[r].rows[report.nr_rows]);
	for (int i = 0; i < (rows[r].repeat ? rows[r].repeat : 1); i++)
		writer.out->report(&writer, &report);
	if (rows[r].usage)
		writer.out->end(&writer, rows[r].usage);
	fclose(writer.fp);
	return text;
}

static void check_value(const char *unit, double value, const char *human, const char *script)
{
	struct td_column column = { "name", unit, true };
	char buf[TD_VALUE_SIZE];

	is_str(td_out_value(buf, &column, value, TD_READER_HUMAN), human, "%g %s for people", value,
	       unit);
	is_str(td_out_value(buf, &column, value, TD_READER_SCRIPT), script, "%g %s for scripts",
	       value, unit);
}

/* Return true if this many digits are right and there is no exponent. */
static bool is_exact(double value, enum td_reader reader, double digits)
{
	static const struct td_column column = { "name", "MB/s", true };
	char buf[TD_VALUE_SIZE];
	const char *text = td_out_value(buf, &column, value, reader);
	const char *point = strchr(text, '.');

	return !text[strspn(text, "-.0123456789")] && point && strlen(point) > 2 &&
	       fabs(strtod(text, NULL) - value) <= 0.50001 * fabs(value) * pow(10, 1 - digits);
}

static void check_digits(void)
{
	bool human = true, script = true;

	for (double value = 1e-15; value < 1e300; value *= 1.37) {
		human &= is_exact(value, TD_READER_HUMAN, 4);
		human &= is_exact(-value, TD_READER_HUMAN, 4);
		script &= is_exact(value, TD_READER_SCRIPT, 6);
		script &= is_exact(-value, TD_READER_SCRIPT, 6);
	}
	ok(human, "people see four digits of any value");
	ok(script, "scripts see six digits of any value");
}

int main(void)
{
	for (size_t r = 0; r < TD_ARRAY_SIZE(rows); r++) {
		td_autofree char *got = write_row(r);

		is_str(got, rows[r].want, "%s", rows[r].name);
	}
	for (size_t i = 0; i < TD_ARRAY_SIZE(values); i++)
		check_value(values[i].unit, values[i].value, values[i].human, values[i].script);
	check_digits();
	return done_testing();
}
