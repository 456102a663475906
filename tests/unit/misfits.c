// SPDX-License-Identifier: GPL-2.0-only
#include "metrics/eval/finished.h"

#include <stdlib.h>

#include "cmd/output/out.h"
#include "tests/unit/test.h"

enum {
	ABOVE,
	BELOW,
	DEEP,
	RATIO,
	NR_COLUMNS
};

static const struct td_column columns[NR_COLUMNS] = {
	{ "tma_above", "%", true },
	{ "tma_below", "%", true },
	{ "tma_deep", "%", true },
	{ "tma_info_ratio", "", true },
};

static const struct td_node nodes[] = {
	{ ABOVE, NULL, 1, 0, NULL },
	{ BELOW, "tma_above", 2, 1, NULL },
	{ DEEP, "tma_below", 3, 2, NULL },
	{ RATIO, NULL, 0, 0, NULL },
};

#define CELL(v, e)                                                 \
	{                                                          \
		.status = TD_STATUS_OK, .value = (v), .error = (e) \
	}

/* clang-format off */
static const struct {
	const char *name;
	struct td_cell cells[NR_COLUMNS];
	enum td_misfit want[NR_COLUMNS];
} rows[] = {
	{ "all fit", { CELL(30, 1), CELL(20, 1), CELL(25, 1), CELL(-3, 1) }, { 0 } },
	{ "negative by less than its error",
	  { CELL(30, 1), CELL(-1.9, 2), CELL(0, 1), CELL(1, 1) }, { 0 } },
	{ "negative by more",
	  { CELL(30, 1), CELL(-2.1, 2), CELL(0, 1), CELL(1, 1) },
	  { 0, TD_MISFIT_RANGE } },
	{ "over 100 %",
	  { CELL(30, 1), CELL(20, 1), CELL(676, 20), CELL(676, 1) },
	  { 0, 0, TD_MISFIT_RANGE } },
	{ "larger than the parent, by less than both errors",
	  { CELL(30, 1), CELL(32.9, 2), CELL(0, 1), CELL(1, 1) }, { 0 } },
	{ "larger than the parent, by more",
	  { CELL(30, 1), CELL(33.1, 2), CELL(0, 1), CELL(1, 1) },
	  { 0, TD_MISFIT_PARENT } },
	{ "below level 2, a share of cycles may be larger",
	  { CELL(30, 1), CELL(20, 2), CELL(90, 1), CELL(1, 1) }, { 0 } },
	{ "without an error, two points are allowed",
	  { CELL(30, NAN), CELL(33.9, NAN), CELL(-1.9, NAN), CELL(1, 1) }, { 0 } },
	{ "and no more",
	  { CELL(30, NAN), CELL(34.1, NAN), CELL(-2.1, NAN), CELL(1, 1) },
	  { 0, TD_MISFIT_PARENT, TD_MISFIT_RANGE } },
	{ "what was not counted is not looked at",
	  { { TD_STATUS_NOT_COUNTED, NAN, .error = NAN }, CELL(33, 1),
	    { TD_STATUS_NONE, NAN, .error = NAN }, CELL(1, 1) }, { 0 } },
	{ "what is known already stays",
	  { { TD_STATUS_OK, 130, .error = 1, .misfit = TD_MISFIT_SUM },
	    CELL(33, 1), CELL(1, 1), CELL(1, 1) }, { TD_MISFIT_SUM } },
};

/* Explanations of marks below a tree. */
static const struct {
	struct td_cell cells[3];
	const char *want;
} remarks[] = {
	{ { { 0 } }, "" },
	{ { { .misfit = TD_MISFIT_RANGE, .other_slices = true } },
	  "  ? impossible value: below 0 or above 100 %; measured at other moments than its\n  "
	  "parent\n" },
	{ { { .misfit = TD_MISFIT_RANGE, .other_slices = true },
	    { .misfit = TD_MISFIT_PARENT } },
	  "  ? impossible value: below 0 or above 100 %, more than its parent\n" },
	{ { { .misfit = TD_MISFIT_CORRECTION } },
	  "  ~ may really be 0: not larger than the correction for dropped uops\n" },
};
/* clang-format on */

static void check_row(size_t r)
{
	struct td_cell cells[NR_COLUMNS];
	struct td_row row = { "all", "cpu", .cells = cells, .nodes = nodes, .nr_nodes = 4 };
	struct td_report report = {
		.columns = columns, .nr_columns = NR_COLUMNS, .rows = &row, .nr_rows = 1
	};

	memcpy(cells, rows[r].cells, sizeof(cells));
	td_report_find_misfits(&report);
	for (size_t i = 0; i < NR_COLUMNS; i++)
		ok(cells[i].misfit == rows[r].want[i], "%s: %s", rows[r].name, columns[i].name);
}

/* Level 1 of AMD: five nodes, which the events alone make all of the slots. */
static void check_parts(double smt, double error, bool counted, bool misfit)
{
	static const struct td_column parts[] = {
		{ "retiring", "%", true },       { "backend_bound", "%", true },
		{ "frontend_bound", "%", true }, { "bad_speculation", "%", true },
		{ "smt_contention", "%", true },
	};
	static const struct td_node level_1[] = {
		{ 0, .level = 1 }, { 1, .level = 1 }, { 2, .level = 1 },
		{ 3, .level = 1 }, { 4, .level = 1 },
	};
	struct td_cell cells[] = { CELL(40, error), CELL(20, error), CELL(20, error),
				   CELL(10, error), CELL(smt, error) };
	struct td_row row = { "all", "cpu", .cells = cells, .nodes = level_1, .nr_nodes = 5 };
	struct td_report report = { .columns = parts, .nr_columns = 5, .rows = &row, .nr_rows = 1 };

	cells[3].status = counted ? TD_STATUS_OK : TD_STATUS_NOT_COUNTED;
	td_report_find_misfits(&report);
	for (size_t i = 0; i < 5; i++)
		ok((cells[i].misfit == TD_MISFIT_SUM) == (misfit && (counted || i != 3)),
		   "level 1 with %g \302\261%g: %s", smt, error, parts[i].name);
}

static void check_remark(size_t r)
{
	const struct td_frame frame = { 0 };
	struct td_marks all = { 0 };
	char *text = NULL;
	size_t size;
	struct td_writer writer = { .frame = &frame, .fp = open_memstream(&text, &size) };

	if (!writer.fp)
		exit(1);
	for (size_t i = 0; i < 3; i++)
		td_out_marks_add_node(&all, &remarks[r].cells[i]);
	td_out_marks_put(&writer, &all, "  ");
	fclose(writer.fp);
	is_str(text, remarks[r].want, "remark %zu", r);
	free(text);
}

int main(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		check_row(i);
	check_parts(10, 0.1, true, false);
	check_parts(8.7, 0.1, true, false); /* 98.7, and 99 less 0.5 */
	check_parts(8.4, 0.1, true, true);
	check_parts(12.4, 0.1, true, false);
	check_parts(12.6, 0.1, true, true);
	check_parts(0, 3, true, false);
	check_parts(0, NAN, true, false); /* two points each */
	check_parts(-2, NAN, true, true);
	check_parts(50, 0.1, false, false);
	for (size_t i = 0; i < sizeof(remarks) / sizeof(*remarks); i++)
		check_remark(i);
	return done_testing();
}
