// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the table of intervals in windows of all widths. */
#include <stdlib.h>

#include "cmd/output/format.h"
#include "cmd/output/out.h"
#include "lib/base/printable.h"
#include "lib/base/util.h"
#include "tests/unit/report.h"
#include "tests/unit/test.h"

#define MAX_CELLS 18
#define MAX_ROWS  3
#define PERCENT(name)           \
	{                       \
		name, "%", true \
	}

/* clang-format off */
static const struct td_column columns[MAX_CELLS] = {
	PERCENT("tma_retiring"),
	PERCENT("tma_backend_bound"),
	PERCENT("tma_frontend_bound"),
	PERCENT("tma_bad_speculation"),
	PERCENT("tma_memory_bound"),
	PERCENT("tma_core_bound"),
	PERCENT("tma_resource_bound"),
	PERCENT("tma_fetch_latency"),
	PERCENT("tma_fetch_bandwidth"),
	PERCENT("tma_branch_mispredicts"),
	PERCENT("tma_machine_clears"),
	PERCENT("tma_light_operations"),
	PERCENT("tma_heavy_operations"),
	PERCENT("tma_ifetch_latency"),
	PERCENT("tma_ifetch_bandwidth"),
	PERCENT("tma_l1_bound"),
	PERCENT("tma_l2_bound"),
	PERCENT("tma_l3_bound"),
};
static const struct td_column with_units[] = {
	PERCENT("tma_retiring"),
	{ "tma_info_thread_ipc", "", true },
	{ "tma_info_system_clock", "GHz", true },
	{ "tma_info_memory_latency", "cycles / transaction", true },
};
static const struct td_column level2[] = {
	PERCENT("tma_retiring"),
	PERCENT("tma_backend_bound"),
	PERCENT("tma_memory_bound"),
	PERCENT("tma_core_bound"),
	PERCENT("tma_resource_bound"),
};
static const struct td_column alike[] = {
	PERCENT("tma_store_latency"),
	PERCENT("tma_store_latest"),
};

static const struct {
	const char *name;
	struct td_frame frame;
	const struct td_column *columns; /* NULL: those above */
	size_t nr_columns;
	struct {
		const char *id, *pmu;
		bool idle;
		struct td_cell cells[MAX_CELLS];
	} rows[MAX_ROWS];
	uint64_t time_ns;
	int repeat; /* how often the report is written; 0: once */
	bool has_busy;
	double ipc; /* 0: unknown */
	const char *want;
} rows[] = {
	{ "as wide as it needs to be for whole names and a mark",
	  .frame = { .interval = true, .screen_columns = 104 },
	  .nr_columns = 4, .time_ns = 1000104518,
	  .rows = { { "all", "cpu",
		      .cells = { OK(25.1), OVER(49.8), OK(16.53), OVER(8.57) } } },
	  .want =
"#           time      %  tma_retiring %  tma_backend_bound %  tma_frontend_bound %  "
"tma_bad_speculation\n"
"     1.000104518                 25.1                 49.8*                 16.5                  "
"  8.6*\n" },
	{ "a character less: one % for all, no prefix, milliseconds",
	  .frame = { .interval = true, .screen_columns = 103 },
	  .nr_columns = 4, .time_ns = 1000104518,
	  .rows = { { "all", "cpu",
		      .cells = { OK(25.1), OVER(49.8), OK(16.53), OVER(8.57) } } },
	  .want =
"# %   time retiring backend_bound frontend_bound bad_speculation\n"
"     1.000     25.1          49.8*          16.5             8.6*\n" },
	{ "still whole words",
	  .frame = { .interval = true, .screen_columns = 65 },
	  .nr_columns = 4, .time_ns = 5,
	  .rows = { { "all", "cpu", .cells = { OK(1), OK(2), OK(3), OK(4) } } },
	  .want =
"# %   time retiring backend_bound frontend_bound bad_speculation\n"
"     0.000      1.0           2.0            3.0             4.0\n" },
	{ "names that do not fit are short, and the same in every window",
	  .frame = { .interval = true, .screen_columns = 64 },
	  .nr_columns = 4, .time_ns = 5,
	  .rows = { { "all", "cpu", .cells = { OK(1), OK(2), OK(3), OK(4) } } },
	  .want =
"# %   time    ret bac_bou fro_bou bad_spe\n"
"     0.000    1.0     2.0     3.0     4.0\n" },
	{ "three letters of each word are the least",
	  .frame = { .interval = true, .screen_columns = 42 },
	  .nr_columns = 4, .time_ns = 5,
	  .rows = { { "all", "cpu", .cells = { OK(1), OK(2), OK(3), OK(4) } } },
	  .want =
"# %   time    ret bac_bou fro_bou bad_spe\n"
"     0.000    1.0     2.0     3.0     4.0\n" },
	{ "then there are two lines, whose columns stand below each other",
	  .frame = { .interval = true, .screen_columns = 41 },
	  .nr_columns = 4, .time_ns = 5,
	  .rows = { { "all", "cpu", .cells = { OK(1), OVER(2), OVER(3), OVER(4) } } },
	  .want =
"# %   time     ret bac_bou fro_bou\n"
"#          bad_spe\n"
"     0.000     1.0     2.0*    3.0*\n"
"               4.0*\n" },
	{ "how busy they were, of two PMUs, where one is idle and has no marks",
	  .frame = { .interval = true, .show_pmu = true, .screen_columns = 60 },
	  .nr_columns = 2, .time_ns = 5, .has_busy = true,
	  .rows = { { "all", "cpu_core", .cells = { OVER(1), OVER(2) } },
		    { "all", "cpu_atom", true, .cells = { OVER(3), OVER(4) } } },
	  .want =
"# %   time pmu      %busy  GHz retiring backend_bound\n"
"     0.000 cpu_core  12.3  3.1      1.0*          2.0*\n"
"     0.000 cpu_atom  12.3  3.1      3.0           4.0\n" },
	{ "instructions a cycle, in a window with room for them",
	  .frame = { .interval = true, .show_pmu = true, .screen_columns = 100 },
	  .columns = level2, .nr_columns = 5, .time_ns = 5, .has_busy = true, .ipc = 1.5,
	  .rows = { { "all", "cpu_core", .cells = { OK(1), OK(2), OK(3), OK(4), OK(5) } } },
	  .want =
"# %   time pmu      %busy  GHz  IPC retiring backend_bound memory_bound core_bound "
"resource_bound\n"
"     0.000 cpu_core  12.3  3.1 1.50      1.0           2.0          3.0        4.0            "
"5.0\n" },
	{ "instructions a cycle: not in a narrower one",
	  .frame = { .interval = true, .show_pmu = true, .screen_columns = 99 },
	  .columns = level2, .nr_columns = 5, .time_ns = 5, .has_busy = true, .ipc = 1.5,
	  .rows = { { "all", "cpu_core", .cells = { OK(1), OK(2), OK(3), OK(4), OK(5) } } },
	  .want =
"# %   time pmu      %busy  GHz retiring backend_bound memory_bound core_bound resource_bound\n"
"     0.000 cpu_core  12.3  3.1      1.0           2.0          3.0        4.0            5.0\n" },
	{ "PMUs with other columns: a header for each, and no empty cells",
	  .frame = { .interval = true, .show_pmu = true, .screen_columns = 60 },
	  .columns = level2, .nr_columns = 5, .time_ns = 5, .repeat = 2,
	  .rows = { { "all", "cpu_core", .cells = { OK(1), OVER(2), OVER(3), OK(4), NONE } },
		    { "all", "cpu_atom", .cells = { OK(1), OVER(2), NONE, OK(3), OK(4) } } },
	  .want =
"# %   time cpu_core     ret bac_bou mem_bou cor_bou\n"
"# %   time cpu_atom     ret bac_bou cor_bou res_bou\n"
"     0.000 cpu_core     1.0     2.0*    3.0*    4.0\n"
"     0.000 cpu_atom     1.0     2.0*    3.0     4.0\n"
"     0.000 cpu_core     1.0     2.0*    3.0*    4.0\n"
"     0.000 cpu_atom     1.0     2.0*    3.0     4.0\n" },
	{ "all headers again on the next screen, which counts all lines",
	  .frame = { .interval = true, .show_pmu = true, .screen_columns = 60, .screen_lines = 6 },
	  .columns = level2, .nr_columns = 5, .time_ns = 5, .repeat = 2,
	  .rows = { { "all", "cpu_core", .cells = { OK(1), OK(2), OK(3), OK(4), NONE } },
		    { "all", "cpu_atom", .cells = { OK(1), OK(2), NONE, OK(3), OK(4) } } },
	  .want =
"# %   time cpu_core     ret bac_bou mem_bou cor_bou\n"
"# %   time cpu_atom     ret bac_bou cor_bou res_bou\n"
"     0.000 cpu_core     1.0     2.0     3.0     4.0\n"
"     0.000 cpu_atom     1.0     2.0     3.0     4.0\n"
"# %   time cpu_core     ret bac_bou mem_bou cor_bou\n"
"# %   time cpu_atom     ret bac_bou cor_bou res_bou\n"
"     0.000 cpu_core     1.0     2.0     3.0     4.0\n"
"     0.000 cpu_atom     1.0     2.0     3.0     4.0\n" },
	{ "no value, or none possible",
	  .frame = { .interval = true, .screen_columns = 60 },
	  .nr_columns = 3, .time_ns = 5,
	  .rows = { { "all", "cpu", .cells = { LOST, REFUSED("why"), OK(-100) } } },
	  .want =
"# %   time retiring backend_bound frontend_bound\n"
"     0.000        -           n/a         -100.0\n" },
	{ "values of several units: each with its own, as long as they have room",
	  .frame = { .interval = true, .screen_columns = 80 },
	  .columns = with_units, .nr_columns = 4, .time_ns = 5,
	  .rows = { { "all", "cpu", .cells = { OK(25.14), OK(-1.23e-12), OVER(3.1234), OK(0.01) } },
		    { "all", "cpu", .cells = { OK(25.14), OK(12345678901.75), OK(3), OK(1e12) } },
		    { "all", "cpu", .cells = { OK(25.14), OK(1.2e16), OK(3), LOST } } },
	  .want =
"#     time  % ret inf_thr_ipc GHz inf_sys_clo cyc / tra inf_mem_lat\n"
"     0.000   25.1      -1e-12           3.123*                 0.01\n"
"     0.000   25.1 12345678902            3.00      1000000000000.00\n"
"     0.000   25.1       1e+16            3.00                     -\n" },
	{ "as many letters as keep names apart",
	  .frame = { .interval = true, .screen_columns = 35 },
	  .columns = alike, .nr_columns = 2, .time_ns = 5,
	  .rows = { { "all", "cpu", .cells = { OK(1), OK(2) } } },
	  .want =
"# %   time store_laten store_lates\n"
"     0.000         1.0         2.0\n" },
	{ "rather two lines than two columns of the same name",
	  .frame = { .interval = true, .screen_columns = 34 },
	  .columns = alike, .nr_columns = 2, .time_ns = 5,
	  .rows = { { "all", "cpu", .cells = { OK(1), OK(2) } } },
	  .want =
"# %   time store_latency\n"
"#           store_latest\n"
"     0.000           1.0\n"
"                     2.0\n" },
	{ "an id of more than a third: its end",
	  .frame = { .interval = true, .show_id = true, .screen_columns = 42 },
	  .nr_columns = 1, .time_ns = 5,
	  .rows = { { "system.slice/web.service", "cpu", .cells = { OK(1) } },
		    { "web", "cpu", .cells = { OK(2) } } },
	  .want =
"# %   time id             retiring\n"
"     0.000 ../web.service      1.0\n"
"     0.000 web                 2.0\n" },
	{ "no letter of it is cut, even if it is shown as \\xe2\\x80\\xae",
	  .frame = { .interval = true, .show_id = true, .screen_columns = 42 },
	  .nr_columns = 1, .time_ns = 5,
	  .rows = { { "system\342\200\25612345678", "cpu", .cells = { OK(1) } } },
	  .want =
"# %   time id             retiring\n"
"     0.000 ..12345678          1.0\n" },
	{ "an id that makes the wide form too long",
	  .frame = { .interval = true, .show_id = true, .screen_columns = 62 },
	  .nr_columns = 1, .time_ns = 5,
	  .rows = { { "system.slice/web.service", "cpu", .cells = { OK(1) } } },
	  .want =
"# %   time id                   retiring\n"
"     0.000 ...slice/web.service      1.0\n" },
	{ "no rows, as no thread ran: no header either",
	  .frame = { .interval = true, .screen_columns = 60 },
	  .nr_columns = 4, .time_ns = 5, .want = "" },
	{ "more than eleven days",
	  .frame = { .interval = true, .screen_columns = 30 },
	  .nr_columns = 1, .time_ns = 1000000500000000,
	  .rows = { { "all", "cpu", .cells = { OK(1) } } },
	  .want =
"# %   time retiring\n"
"   1000000      1.0\n" },
	{ "in a file as wide as ever, and the mark moves nothing",
	  .frame = { .interval = true, .show_pmu = true },
	  .columns = level2, .nr_columns = 3, .time_ns = 5,
	  .rows = { { "all", "cpu_core", .cells = { OVER(1), OK(2), OVER(3) } },
		    { "all", "cpu_atom", .cells = { OK(1), OVER(2), NONE } } },
	  .want =
"#           time pmu               %  tma_retiring %  tma_backend_bound  %  tma_memory_bound\n"
"     0.000000005 cpu_core                      1.0*                 2.0                  3.0*\n"
"     0.000000005 cpu_atom                      1.0                  2.0*                    \n" },
};
/* clang-format on */

static size_t make_rows(size_t r, struct td_row out[MAX_ROWS],
			struct td_cell cells[MAX_ROWS][MAX_CELLS])
{
	size_t nr = 0;

	for (; nr < MAX_ROWS && rows[r].rows[nr].id; nr++) {
		memcpy(cells[nr], rows[r].rows[nr].cells, sizeof(cells[nr]));
		out[nr] = td_row_init(rows[r].rows[nr].id, rows[r].rows[nr].pmu);
		out[nr].idle = rows[r].rows[nr].idle;
		out[nr].busy_pct = 12.34;
		out[nr].ghz = 3.1;
		out[nr].ipc = rows[r].ipc;
		out[nr].cells = cells[nr];
	}
	return nr;
}

static char *write_row(size_t r)
{
	struct td_cell cells[MAX_ROWS][MAX_CELLS];
	struct td_row report_rows[MAX_ROWS];
	struct td_report report = {
		.time_ns = rows[r].time_ns,
		.columns = rows[r].columns ? rows[r].columns : columns,
		.nr_columns = rows[r].nr_columns,
		.rows = report_rows,
		.nr_rows = make_rows(r, report_rows, cells),
		.has_busy = rows[r].has_busy,
		.has_ipc = rows[r].ipc > 0,
	};
	char *text = NULL;
	size_t size;
	struct td_writer writer = {
		.out = &td_out_text,
		.fp = open_memstream(&text, &size),
		.frame = &rows[r].frame,
	};

	for (int i = 0; i < (rows[r].repeat ? rows[r].repeat : 1); i++)
		writer.out->report(&writer, &report);
	fclose(writer.fp);
	return text;
}

/* Two PMUs, whose rows have the columns that their masks say. */
struct machine {
	struct td_cell cells[2][MAX_CELLS];
	struct td_row rows[2];
	struct td_report report;
};

static void make_machine(struct machine *machine, const unsigned int masks[2])
{
	static const char *const pmus[] = { "cpu_core", "cpu_atom" };
	const struct td_cell has = OVER(100), lacks = NONE;

	*machine = (struct machine){
		.report = { 1, columns, MAX_CELLS, machine->rows, 2, .has_busy = true },
	};
	for (size_t i = 0; i < 2; i++) {
		for (size_t c = 0; c < MAX_CELLS; c++)
			machine->cells[i][c] = masks[i] >> c & 1 ? has : lacks;
		machine->rows[i] = td_row_init("system.slice/of-a-long-name.service", pmus[i]);
		machine->rows[i].busy_pct = 1600;
		machine->rows[i].ghz = 3;
		machine->rows[i].cells = machine->cells[i];
	}
}

/* The width of the longest line; *nr is the number of values in it all. */
static int longest_line(char *text, size_t *nr)
{
	int longest = 0;

	*nr = 0;
	for (char *line; (line = strsep(&text, "\n"));) {
		int width = td_printable_width(line);

		longest = width > longest ? width : longest;
		while ((line = strstr(line, "100.0*"))) {
			line++;
			++*nr;
		}
	}
	return longest;
}

#define OF_CORE 0x01fbfu /* 12 columns */
#define OF_ATOM 0x0666fu /* 10 columns */
#define MANY    0x0ffffu /* 16 */

/* A window is given another width before each interval. */
static void check_widths(void)
{
	struct td_frame frame = {
		.interval = true, .trees = true, .show_pmu = true, .show_id = true
	};
	struct td_writer writer = { .out = &td_out_text, .frame = &frame };
	bool fits = true, complete = true, used = true;
	struct machine machine;
	size_t size, nr;

	make_machine(&machine, (const unsigned int[]){ OF_CORE, OF_ATOM });
	for (unsigned int i = 0; i < 240; i++) {
		td_autofree char *text = NULL;

		/* 60, 299, 61, 298 ... */
		frame.screen_columns = i % 2 ? 299 - i / 2 : 60 + i / 2;
		writer.fp = open_memstream(&text, &size);
		writer.out->report(&writer, &machine.report);
		fclose(writer.fp);
		used &= strncmp(text, "# %", 3) == 0;
		fits &= longest_line(text, &nr) <= (int)frame.screen_columns;
		complete &= nr == (size_t)__builtin_popcount(OF_CORE) +
					  (size_t)__builtin_popcount(OF_ATOM);
	}
	ok(fits, "no line is longer than its window");
	ok(complete, "every value is in the table");
	ok(used, "a window of another width has another header");
}

/* Writes an interval into a window of these columns. */
static char *write_machine(const unsigned int masks[2], unsigned int window)
{
	struct td_frame frame = {
		.interval = true, .trees = true, .show_pmu = true, .screen_columns = window
	};
	struct machine machine;
	char *text = NULL;
	size_t size;
	struct td_writer writer = { .out = &td_out_text,
				    .frame = &frame,
				    .fp = open_memstream(&text, &size) };

	make_machine(&machine, masks);
	writer.out->report(&writer, &machine.report);
	fclose(writer.fp);
	return text;
}

static void check_trees(void)
{
	static const struct {
		unsigned int masks[2], window;
		bool trees;
	} cases[] = {
		{ { OF_CORE, OF_ATOM }, 120, false },   { { OF_CORE, OF_ATOM }, 0, true },
		{ { MANY, OF_ATOM }, 120, true },       { { OF_CORE, MANY }, 120, true },
		{ { MANY >> 1, OF_ATOM }, 120, false },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		td_autofree char *text = write_machine(cases[i].masks, cases[i].window);

		ok(!strstr(text, "time cpu_core") == cases[i].trees,
		   "%s for masks %#x, %#x in %u columns", cases[i].trees ? "trees" : "a table",
		   cases[i].masks[0], cases[i].masks[1], cases[i].window);
	}
}

int main(void)
{
	for (size_t r = 0; r < TD_ARRAY_SIZE(rows); r++) {
		td_autofree char *got = write_row(r);

		is_str(got, rows[r].want, "%s", rows[r].name);
	}
	check_widths();
	check_trees();
	return done_testing();
}
