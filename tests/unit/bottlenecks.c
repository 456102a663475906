// SPDX-License-Identifier: GPL-2.0-only
/* Tests of --bottlenecks: which metrics they are, and their order as text. */
#include "metrics/sets/set.h"

#include <stdlib.h>

#include "cmd/output/format.h"
#include "cmd/output/out.h"
#include "lib/base/util.h"
#include "metrics/table/table.h"
#include "tests/unit/report.h"
#include "tests/unit/test.h"

#define MAX_METRICS 6

/* clang-format off */
/* "+" precedes the names that --bottlenecks selects. */
static const struct {
	const char *what;
	struct td_metric_def defs[MAX_METRICS + 1];
} sets[] = {
	{ "a P-core's files of Linux 6.12",
	  { { .name = "tma_retiring", .level = 1 },
	    { .name = "tma_light_operations", .level = 2, .parent = "tma_retiring" },
	    { .name = "+tma_info_bottleneck_big_code" },
	    { .name = "+tma_info_bottleneck_other_bottlenecks" },
	    { .name = "tma_info_thread_ipc" } } },
	{ "files since version 5 of TMA",
	  { { .name = "tma_retiring", .level = 1 },
	    { .name = "+tma_bottleneck_big_code" },
	    { .name = "+tma_bottleneck_other_bottlenecks" } } },
	{ "an Atom core's: shares of cycles are left out, a leaf of level 1 is not",
	  { { .name = "+tma_retiring", .level = 1 },
	    { .name = "tma_backend_bound", .level = 1 },
	    { .name = "+tma_core_bound", .level = 2, .parent = "tma_backend_bound" },
	    { .name = "+tma_resource_bound", .level = 2, .parent = "tma_backend_bound" },
	    { .name = "tma_serialization", .level = 3, .parent = "tma_resource_bound" },
	    { .name = "tma_info_bottleneck_%_load_miss_bound_cycles" } } },
	{ "one level",
	  { { .name = "+retiring", .level = 1 },
	    { .name = "+backend_bound", .level = 1 },
	    { .name = "td_slots", .part = true } } },
};

static const struct td_column columns[] = {
	{ "tma_a", "%", true },
	{ "tma_b", "%", true },
	{ "tma_c", "%", true },
};

static const struct td_node nodes[] = {
	{ 0, NULL, 0, 0, NULL },
	{ 1, NULL, 0, 0, NULL },
	{ 2, NULL, 0, 0, NULL },
};

#define ERROR(v, half)                                                    \
	{                                                                 \
		.status = TD_STATUS_OK, .value = (v), .running_pct = 100, \
		.matters = true, .error = (half), .runs_error = NAN,      \
	}
#define UNSURE(v) ERROR(v, NAN)

static const struct {
	const char *what;
	struct td_cell cells[TD_ARRAY_SIZE(columns)];
	const char *want;
	bool tree;
	double share_pct; /* 0: all slots */
} rows[] = {
	{ "the largest first", { UNSURE(10.2), UNSURE(60.3), UNSURE(29.5) },
" cpu\n"
"      60.3 %  tma_b\n"
"      29.5 %  tma_c\n"
"      10.2 %  tma_a\n"
"     100.0 %  in all\n"
"  too few readings to estimate the errors; -r N compares N runs\n"
"\n" },
	{ "equal ones as they were, and negative ones last",
	  { UNSURE(-1), UNSURE(50.5), UNSURE(50.5) },
" cpu\n"
"      50.5 %  tma_b\n"
"      50.5 %  tma_c\n"
"      -1.0 %  tma_a\n"
"     100.0 %  in all\n"
"  too few readings to estimate the errors; -r N compares N runs\n"
"\n" },
	{ "one that was not counted: no sum", { LOST, UNSURE(1), UNSURE(2) },
" cpu\n"
"         2.0 %  tma_c\n"
"         1.0 %  tma_b\n"
" <not counted>  tma_a\n"
"  1 was not counted, so there is no sum\n"
"  too few readings to estimate the errors; -r N compares N runs\n"
"\n" },
	{ "two of them", { LOST, UNSURE(1), REFUSED(NULL) },
" cpu\n"
"           1.0 %  tma_b\n"
"   <not counted>  tma_a\n"
" <not supported>  tma_c\n"
"  2 were not counted, so there is no sum\n"
"  too few readings to estimate the errors; -r N compares N runs\n"
"\n" },
	{ "what another kind of core has is not missing",
	  { UNSURE(40), NONE, UNSURE(60) },
" cpu\n"
"      60.0 %  tma_c\n"
"      40.0 %  tma_a\n"
"     100.0 %  in all\n"
"  too few readings to estimate the errors; -r N compares N runs\n"
"\n" },
	{ "errors where they are known",
	  { ERROR(31.4, 0.6), ERROR(59.6, 12.3), UNSURE(9) },
" cpu\n"
"      59.6 ±12.3 %  tma_b\n"
"      31.4 ±0.6  %  tma_a\n"
"       9.0       %  tma_c\n"
"     100.0       %  in all\n"
"  no ± means too few readings to estimate the error\n"
"\n" },
	{ "nodes of the tree, where there are no such metrics",
	  { UNSURE(50), UNSURE(30), UNSURE(20) },
" cpu\n"
"      50.0 %  tma_a\n"
"      30.0 %  tma_b\n"
"      20.0 %  tma_c\n"
"     100.0 %  in all\n"
"  too few readings to estimate the errors; -r N compares N runs\n"
"  this core type has no bottleneck metrics; these are nodes of the tree\n"
"\n", .tree = true },
	{ "hardly any slots: nothing is shown, so there is no sum of it",
	  { UNSURE(50), UNSURE(30), UNSURE(20) },
" cpu: --all shows its tree\n"
"\n", .tree = true, .share_pct = 0.2 },
	{ "nothing was counted", { LOST, LOST, LOST },
" cpu, <not counted>\n"
"\n" },
};

/* Bottlenecks that are not losses. */
static const struct {
	const char *name;
	bool useful;
} names[] = {
	{ "tma_info_bottleneck_useful_work", true },
	{ "tma_bottleneck_useful_work", true },
	{ "tma_info_bottleneck_Useful_Work", true },
	{ "tma_info_bottleneck_big_code", false },
	{ "tma_info_bottleneck_useful_work_est", false },
	{ "useful_work", false },
};

/* Nodes that replace bottlenecks, with levels. */
static const struct td_node tree_nodes[] = {
	{ 0, NULL, 1, 0, NULL },
	{ 1, NULL, 2, 0, NULL },
	{ 2, NULL, 2, 0, NULL },
};
/* clang-format on */

static void test_set(size_t s)
{
	struct td_metric_def defs[MAX_METRICS];
	struct td_metric_set set = { .metrics = defs };

	for (; sets[s].defs[set.nr_metrics].name; set.nr_metrics++) {
		struct td_metric_def *def = &defs[set.nr_metrics];

		*def = sets[s].defs[set.nr_metrics];
		def->name += *def->name == '+';
	}
	for (size_t i = 0; i < set.nr_metrics; i++)
		ok(td_set_is_bottleneck(&set, &defs[i]) == (sets[s].defs[i].name[0] == '+'),
		   "%s: %s", sets[s].what, defs[i].name);
}

static void test_row(size_t r)
{
	const struct td_frame frame = { .target = "true" };
	struct td_cell cells[TD_ARRAY_SIZE(columns)];
	struct td_row row = { .id = "all",
			      .pmu = "cpu",
			      .share_pct = rows[r].share_pct > 0 ? rows[r].share_pct : 100,
			      .busy_pct = NAN,
			      .ghz = NAN,
			      .ipc = NAN,
			      .running_pct = 100,
			      .cells = cells,
			      .nodes = rows[r].tree ? tree_nodes : nodes,
			      .nr_nodes = TD_ARRAY_SIZE(nodes) };
	struct td_report report = {
		.columns = columns, .nr_columns = TD_ARRAY_SIZE(columns), .rows = &row, .nr_rows = 1
	};
	char *text = NULL;
	size_t size;
	struct td_writer writer = { .out = &td_out_text,
				    .fp = open_memstream(&text, &size),
				    .frame = &frame,
				    .header_done = true };

	memcpy(cells, rows[r].cells, sizeof(cells));
	td_report_rank(&report);
	writer.out->report(&writer, &report);
	fclose(writer.fp);
	is_str(text, rows[r].want, "%s", rows[r].what);
	free(row.ranked);
	free(text);
}

int main(void)
{
	for (size_t s = 0; s < TD_ARRAY_SIZE(sets); s++)
		test_set(s);
	for (size_t r = 0; r < TD_ARRAY_SIZE(rows); r++)
		test_row(r);
	for (size_t i = 0; i < TD_ARRAY_SIZE(names); i++)
		ok(td_is_useful_work(names[i].name) == names[i].useful, "%s", names[i].name);
	return done_testing();
}
