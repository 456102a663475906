// SPDX-License-Identifier: GPL-2.0-only
#include "metrics/verdict/verdict.h"

#include "lib/base/util.h"
#include "metrics/eval/finished.h"
#include "tests/unit/test.h"

/* A part of the tree of P-cores, and the wording of descriptions about cycles. */
#define STALLED "This metric estimates how often the CPU was stalled"
#define SLOTS   "This metric represents fraction of slots"

static const struct {
	const char *name, *parent, *desc;
	int level;
} tree[] = {
	{ "tma_retiring", NULL, NULL, 1 },
	{ "tma_light_operations", "tma_retiring", NULL, 2 },
	{ "tma_heavy_operations", "tma_retiring", NULL, 2 },
	{ "tma_backend_bound", NULL, NULL, 1 },
	{ "tma_memory_bound", "tma_backend_bound", NULL, 2 },
	{ "tma_l1_bound", "tma_memory_bound", STALLED, 3 },
	{ "tma_l3_bound", "tma_memory_bound", STALLED, 3 },
	{ "tma_core_bound", "tma_backend_bound", NULL, 2 },
	{ "tma_divider", "tma_core_bound", "fraction of cycles", 3 },
	{ "tma_made_up", "tma_core_bound", SLOTS, 3 },
	{ "tma_rough", "tma_core_bound", "a rough estimate", 3 },
	{ "tma_early", "tma_core_bound", "estimates clocks wasted", 3 },
	{ "tma_frontend_bound", NULL, NULL, 1 },
	{ "tma_fetch_latency", "tma_frontend_bound", NULL, 2 },
	{ "tma_fetch_bandwidth", "tma_frontend_bound", NULL, 2 },
	{ "tma_bad_speculation", NULL, NULL, 1 },
	{ "tma_info_ipc", NULL, NULL, 0 },
};

#define NR_NODES TD_ARRAY_SIZE(tree)

enum mark {
	UNMARKED,
	NEAR,   /* above its threshold, by less than its error */
	OVER,   /* for sure */
	LOST,   /* not counted */
	BLIND,  /* its threshold was not counted */
	MISFIT, /* above its threshold, but impossible */
};

/* error 0 means 1; -1: too few reads; -2: unknown */
struct cell {
	const char *name;
	double value;
	enum mark mark;
	double error;
};

/* "a > b" for the path, "a, b" for nodes that are tied or over below it */
static const struct {
	const char *name;
	struct cell cells[12]; /* the others are not in the report */
	bool idle;
	/* the time in which that many CPUs were not halted, in one second */
	enum td_situation situation;
	const char *path, *runner_up, *tied, *over;
	bool waits, short_below, no_loss;
	enum td_deeper deeper;
	int level;
} rows[] = {
	{ "one loss, one level",
	  .cells = { { "tma_retiring", 20, UNMARKED },
		     { "tma_backend_bound", 60, OVER },
		     { "tma_frontend_bound", 17, OVER },
		     { "tma_bad_speculation", 3, UNMARKED } },
	  .situation = TD_SITUATION_CLEAR, .path = "tma_backend_bound",
	  .runner_up = "tma_frontend_bound", .deeper = TD_DEEPER_LEVEL, .level = 2 },
	{ "the whole path",
	  .cells = { { "tma_retiring", 20, UNMARKED },
		     { "tma_backend_bound", 60, OVER },
		     { "tma_memory_bound", 45, OVER },
		     { "tma_l1_bound", 5, UNMARKED },
		     { "tma_l3_bound", 35, OVER },
		     { "tma_core_bound", 15, OVER },
		     { "tma_frontend_bound", 17, OVER },
		     { "tma_bad_speculation", 3, UNMARKED } },
	  .situation = TD_SITUATION_CLEAR,
	  .path = "tma_backend_bound > tma_memory_bound > tma_l3_bound",
	  .runner_up = "tma_frontend_bound", .deeper = TD_DEEPER_GROUP, .level = 4 },
	{ "two losses that overlap",
	  .cells = { { "tma_retiring", 20, UNMARKED },
		     { "tma_backend_bound", 40, OVER, 3 },
		     { "tma_frontend_bound", 35, OVER, 3 },
		     { "tma_bad_speculation", 5, UNMARKED } },
	  .situation = TD_SITUATION_TIE, .path = "",
	  .tied = "tma_backend_bound, tma_frontend_bound", .deeper = TD_DEEPER_LEVEL, .level = 2 },
	{ "the same two, measured better",
	  .cells = { { "tma_retiring", 20, UNMARKED },
		     { "tma_backend_bound", 40, OVER, 2 },
		     { "tma_frontend_bound", 35, OVER, 2 },
		     { "tma_bad_speculation", 5, UNMARKED } },
	  .situation = TD_SITUATION_CLEAR, .path = "tma_backend_bound",
	  .runner_up = "tma_frontend_bound", .deeper = TD_DEEPER_LEVEL, .level = 2 },
	{ "a sibling below its threshold may be as large",
	  .cells = { { "tma_backend_bound", 19, UNMARKED },
		     { "tma_frontend_bound", 18, OVER },
		     { "tma_bad_speculation", 5, UNMARKED } },
	  .situation = TD_SITUATION_TIE, .path = "",
	  .tied = "tma_frontend_bound, tma_backend_bound", .deeper = TD_DEEPER_LEVEL, .level = 2 },
	{ "a sibling below its threshold is larger for sure",
	  .cells = { { "tma_backend_bound", 35, UNMARKED, 2 },
		     { "tma_frontend_bound", 18, OVER, 2 },
		     { "tma_bad_speculation", 5, UNMARKED } },
	  .situation = TD_SITUATION_TIE, .path = "",
	  .tied = "tma_frontend_bound, tma_backend_bound", .deeper = TD_DEEPER_LEVEL, .level = 2 },
	{ "so it is below a node",
	  .cells = { { "tma_backend_bound", 34.5, OVER, .3 },
		     { "tma_memory_bound", 19.4, UNMARKED, .3 },
		     { "tma_core_bound", 15.1, OVER, .3 },
		     { "tma_frontend_bound", 10, UNMARKED } },
	  .situation = TD_SITUATION_CLEAR, .path = "tma_backend_bound",
	  .runner_up = "tma_frontend_bound", .tied = "tma_core_bound, tma_memory_bound",
	  .deeper = TD_DEEPER_LEVEL, .level = 2 },
	{ "but many cycles may be no problem",
	  .cells = { { "tma_backend_bound", 60, OVER },
		     { "tma_core_bound", 50, OVER },
		     { "tma_divider", 20, OVER },
		     { "tma_early", 30, UNMARKED } },
	  .situation = TD_SITUATION_CLEAR,
	  .path = "tma_backend_bound > tma_core_bound > tma_divider", .deeper = TD_DEEPER_GROUP,
	  .level = 4 },
	{ "no single cause below",
	  .cells = { { "tma_backend_bound", 60, OVER },
		     { "tma_memory_bound", 31, OVER, 2 },
		     { "tma_core_bound", 29, OVER, 2 },
		     { "tma_frontend_bound", 10, UNMARKED },
		     { "tma_bad_speculation", 5, UNMARKED } },
	  .situation = TD_SITUATION_CLEAR, .path = "tma_backend_bound",
	  .runner_up = "tma_frontend_bound", .tied = "tma_memory_bound, tma_core_bound",
	  .deeper = TD_DEEPER_LEVEL, .level = 2 },
	{ "over its threshold by less than its error",
	  .cells = { { "tma_backend_bound", 20.5, NEAR },
		     { "tma_frontend_bound", 10, UNMARKED },
		     { "tma_bad_speculation", 5, UNMARKED } },
	  .situation = TD_SITUATION_NEAR, .path = "", .runner_up = "tma_backend_bound" },
	{ "no single cause below, in a group that is there already",
	  .cells = { { "tma_backend_bound", 60, OVER },
		     { "tma_memory_bound", 45, OVER },
		     { "tma_l1_bound", 20, OVER, 2 },
		     { "tma_l3_bound", 21, OVER, 2 },
		     { "tma_core_bound", 15, OVER },
		     { "tma_frontend_bound", 10, UNMARKED } },
	  .situation = TD_SITUATION_CLEAR, .path = "tma_backend_bound > tma_memory_bound",
	  .runner_up = "tma_core_bound", .tied = "tma_l3_bound, tma_l1_bound",
	  .deeper = TD_DEEPER_LEVEL, .level = 4 },
	{ "a second node with an error larger than its value is too short",
	  .cells = { { "tma_backend_bound", 60, OVER },
		     { "tma_memory_bound", 45, OVER },
		     { "tma_l1_bound", 3, UNMARKED, 20 },
		     { "tma_l3_bound", 21, OVER, 2 },
		     { "tma_core_bound", 15, OVER },
		     { "tma_frontend_bound", 10, UNMARKED } },
	  .situation = TD_SITUATION_CLEAR, .path = "tma_backend_bound > tma_memory_bound",
	  .runner_up = "tma_core_bound", .short_below = true, .deeper = TD_DEEPER_GROUP,
	  .level = 3 },
	{ "the parent is clear, the child is near its threshold",
	  .cells = { { "tma_backend_bound", 60, OVER },
		     { "tma_memory_bound", 20.5, NEAR },
		     { "tma_core_bound", 5, UNMARKED },
		     { "tma_frontend_bound", 10, UNMARKED } },
	  .situation = TD_SITUATION_CLEAR, .path = "tma_backend_bound",
	  .runner_up = "tma_frontend_bound", .deeper = TD_DEEPER_LEVEL, .level = 2 },
	{ "nothing over its threshold",
	  .cells = { { "tma_retiring", 60, UNMARKED },
		     { "tma_backend_bound", 15, UNMARKED },
		     { "tma_frontend_bound", 10, UNMARKED } },
	  .situation = TD_SITUATION_NOTHING, .path = "" },
	{ "too short",
	  .cells = { { "tma_backend_bound", 90, OVER, -1 },
		     { "tma_frontend_bound", 1, UNMARKED, -1 } },
	  .situation = TD_SITUATION_SHORT, .path = "" },
	{ "errors that are unknown",
	  .cells = { { "tma_backend_bound", 90, OVER, -2 },
		     { "tma_frontend_bound", 1, UNMARKED, -2 } },
	  .situation = TD_SITUATION_UNKNOWN, .path = "" },
	{ "too short for level 2",
	  .cells = { { "tma_backend_bound", 90, OVER },
		     { "tma_memory_bound", 80, OVER, -1 },
		     { "tma_core_bound", 10, UNMARKED, -1 },
		     { "tma_frontend_bound", 1, UNMARKED } },
	  .situation = TD_SITUATION_CLEAR, .path = "tma_backend_bound",
	  .runner_up = "tma_frontend_bound", .short_below = true, .deeper = TD_DEEPER_LEVEL,
	  .level = 2 },
	{ "a sibling without error may be larger",
	  .cells = { { "tma_backend_bound", 60, OVER },
		     { "tma_memory_bound", 30, OVER },
		     { "tma_core_bound", 10, UNMARKED, -1 },
		     { "tma_frontend_bound", 1, UNMARKED } },
	  .situation = TD_SITUATION_CLEAR, .path = "tma_backend_bound",
	  .runner_up = "tma_frontend_bound", .short_below = true, .deeper = TD_DEEPER_LEVEL,
	  .level = 2 },
	{ "a sibling without value, less than what is left",
	  .cells = { { "tma_backend_bound", 60, OVER },
		     { "tma_memory_bound", 45, OVER },
		     { "tma_core_bound", 0, LOST },
		     { "tma_frontend_bound", 1, UNMARKED } },
	  .situation = TD_SITUATION_CLEAR, .path = "tma_backend_bound > tma_memory_bound",
	  .deeper = TD_DEEPER_GROUP, .level = 3 },
	{ "a sibling without value, which may be larger",
	  .cells = { { "tma_backend_bound", 60, OVER },
		     { "tma_memory_bound", 25, OVER },
		     { "tma_core_bound", 0, LOST },
		     { "tma_frontend_bound", 1, UNMARKED } },
	  .situation = TD_SITUATION_CLEAR, .path = "tma_backend_bound",
	  .runner_up = "tma_frontend_bound", .deeper = TD_DEEPER_LEVEL, .level = 2 },
	{ "shares of slots and of cycles are not compared",
	  .cells = { { "tma_backend_bound", 60, OVER },
		     { "tma_memory_bound", 10, UNMARKED },
		     { "tma_core_bound", 50, OVER },
		     { "tma_divider", 80, OVER },
		     { "tma_made_up", 2, UNMARKED },
		     { "tma_frontend_bound", 1, UNMARKED } },
	  .situation = TD_SITUATION_CLEAR, .path = "tma_backend_bound > tma_core_bound",
	  .runner_up = "tma_memory_bound", .over = "tma_divider", .deeper = TD_DEEPER_GROUP,
	  .level = 4 },
	{ "a sibling of the path that is larger, but not over its threshold",
	  .cells = { { "tma_backend_bound", 50, OVER },
		     { "tma_memory_bound", 40, OVER },
		     { "tma_l1_bound", 2, UNMARKED },
		     { "tma_l3_bound", 38, OVER },
		     { "tma_core_bound", 10, UNMARKED },
		     { "tma_frontend_bound", 15, UNMARKED } },
	  .situation = TD_SITUATION_CLEAR,
	  .path = "tma_backend_bound > tma_memory_bound > tma_l3_bound",
	  .runner_up = "tma_l1_bound", .deeper = TD_DEEPER_GROUP, .level = 4 },
	{ "nobody knows what a node below its threshold is a share of",
	  .cells = { { "tma_backend_bound", 60, OVER },
		     { "tma_core_bound", 50, OVER },
		     { "tma_divider", 40, OVER },
		     { "tma_rough", 2, UNMARKED } },
	  .situation = TD_SITUATION_CLEAR,
	  .path = "tma_backend_bound > tma_core_bound > tma_divider", .deeper = TD_DEEPER_GROUP,
	  .level = 4 },
	{ "and of one that is over it",
	  .cells = { { "tma_backend_bound", 60, OVER },
		     { "tma_core_bound", 50, OVER },
		     { "tma_divider", 40, OVER },
		     { "tma_rough", 2, NEAR } },
	  .situation = TD_SITUATION_CLEAR, .path = "tma_backend_bound > tma_core_bound",
	  .over = "tma_divider", .deeper = TD_DEEPER_GROUP, .level = 4 },
	{ "clocks are cycles",
	  .cells = { { "tma_backend_bound", 60, OVER },
		     { "tma_core_bound", 50, OVER },
		     { "tma_divider", 40, OVER },
		     { "tma_early", 30, OVER } },
	  .situation = TD_SITUATION_CLEAR,
	  .path = "tma_backend_bound > tma_core_bound > tma_divider", .runner_up = "tma_early",
	  .deeper = TD_DEEPER_GROUP, .level = 4 },
	{ "both are over their thresholds, and not compared",
	  .cells = { { "tma_backend_bound", 60, OVER },
		     { "tma_core_bound", 50, OVER },
		     { "tma_divider", 40, OVER },
		     { "tma_made_up", 20, OVER } },
	  .situation = TD_SITUATION_CLEAR, .path = "tma_backend_bound > tma_core_bound",
	  .over = "tma_divider, tma_made_up" },
	{ "one is, the other one is by less than its error",
	  .cells = { { "tma_backend_bound", 60, OVER },
		     { "tma_core_bound", 50, OVER },
		     { "tma_divider", 40, NEAR },
		     { "tma_made_up", 20, OVER } },
	  .situation = TD_SITUATION_CLEAR, .path = "tma_backend_bound > tma_core_bound",
	  .over = "tma_made_up", .deeper = TD_DEEPER_GROUP, .level = 4 },
	{ "an impossible value is not ranked",
	  .cells = { { "tma_backend_bound", 676, OVER, 50 },
		     { "tma_frontend_bound", 30, OVER },
		     { "tma_bad_speculation", -45, UNMARKED } },
	  .situation = TD_SITUATION_CLEAR, .path = "tma_frontend_bound", .deeper = TD_DEEPER_LEVEL,
	  .level = 2 },
	{ "a value that something disturbed is not ranked",
	  .cells = { { "tma_backend_bound", 50, MISFIT }, { "tma_frontend_bound", 30, OVER } },
	  .situation = TD_SITUATION_CLEAR, .path = "tma_frontend_bound", .deeper = TD_DEEPER_LEVEL,
	  .level = 2 },
	{ "and alone it is not nothing",
	  .cells = { { "tma_backend_bound", 50, MISFIT }, { "tma_frontend_bound", 3, UNMARKED } },
	  .situation = TD_SITUATION_UNKNOWN, .path = "" },
	{ "retiring",
	  .cells = { { "tma_retiring", 75, OVER },
		     { "tma_backend_bound", 22, OVER },
		     { "tma_frontend_bound", 2, UNMARKED } },
	  .situation = TD_SITUATION_RETIRING, .path = "tma_retiring",
	  .runner_up = "tma_backend_bound", .deeper = TD_DEEPER_LEVEL, .level = 2 },
	{ "retiring heavy operations",
	  .cells = { { "tma_retiring", 75, OVER },
		     { "tma_light_operations", 62, OVER },
		     { "tma_heavy_operations", 13, OVER },
		     { "tma_backend_bound", 15, UNMARKED } },
	  .situation = TD_SITUATION_RETIRING, .path = "tma_retiring > tma_heavy_operations",
	  .no_loss = true, .deeper = TD_DEEPER_GROUP, .level = 3 },
	{ "light operations are no problem",
	  .cells = { { "tma_retiring", 75, OVER },
		     { "tma_light_operations", 72, OVER },
		     { "tma_heavy_operations", 3, UNMARKED },
		     { "tma_backend_bound", 15, UNMARKED } },
	  .situation = TD_SITUATION_RETIRING, .path = "tma_retiring", .no_loss = true },
	{ "retiring, and losses that overlap",
	  .cells = { { "tma_retiring", 55, OVER },
		     { "tma_light_operations", 52, OVER },
		     { "tma_backend_bound", 22, OVER, 2 },
		     { "tma_frontend_bound", 20, OVER, 2 } },
	  .situation = TD_SITUATION_RETIRING, .path = "tma_retiring",
	  .tied = "tma_backend_bound, tma_frontend_bound" },
	{ "retiring, and nobody knows what is a loss",
	  .cells = { { "tma_retiring", 75, OVER },
		     { "tma_light_operations", 72, OVER },
		     { "tma_backend_bound", 15, BLIND },
		     { "tma_frontend_bound", 10, BLIND } },
	  .situation = TD_SITUATION_RETIRING, .path = "tma_retiring" },
	{ "retiring over its threshold, but less than a loss",
	  .cells = { { "tma_retiring", 35, OVER },
		     { "tma_backend_bound", 55, OVER },
		     { "tma_frontend_bound", 2, UNMARKED } },
	  .situation = TD_SITUATION_CLEAR, .path = "tma_backend_bound",
	  .runner_up = "tma_frontend_bound", .deeper = TD_DEEPER_LEVEL, .level = 2 },
	{ "a group, without its parent",
	  .cells = { { "tma_l1_bound", 5, UNMARKED }, { "tma_l3_bound", 35, OVER } },
	  .situation = TD_SITUATION_CLEAR, .path = "tma_l3_bound", .runner_up = "tma_l1_bound",
	  .deeper = TD_DEEPER_GROUP, .level = 4 },
	{ "slots of different parents",
	  .cells = { { "tma_memory_bound", 5, UNMARKED }, { "tma_fetch_latency", 35, OVER } },
	  .situation = TD_SITUATION_CLEAR, .path = "tma_fetch_latency",
	  .runner_up = "tma_memory_bound", .deeper = TD_DEEPER_GROUP, .level = 3 },
	{ "level 2 alone: what did work is not lost",
	  .cells = { { "tma_light_operations", 35, UNMARKED },
		     { "tma_heavy_operations", 25, OVER },
		     { "tma_memory_bound", 22, OVER },
		     { "tma_core_bound", 8, UNMARKED } },
	  .situation = TD_SITUATION_CLEAR, .path = "tma_memory_bound",
	  .runner_up = "tma_core_bound", .deeper = TD_DEEPER_GROUP, .level = 3 },
	{ "level 2 alone: most slots did work",
	  .cells = { { "tma_light_operations", 70, OVER },
		     { "tma_heavy_operations", 8, UNMARKED },
		     { "tma_core_bound", 15, OVER } },
	  .situation = TD_SITUATION_RETIRING, .path = "tma_light_operations",
	  .runner_up = "tma_core_bound", .deeper = TD_DEEPER_GROUP, .level = 3 },
	{ "slots of different parents, deeper",
	  .cells = { { "tma_made_up", 35, OVER }, { "tma_memory_bound", 10, UNMARKED } },
	  .situation = TD_SITUATION_UNLIKE, .path = "" },
	{ "cycles of different parents",
	  .cells = { { "tma_l3_bound", 35, OVER }, { "tma_divider", 5, UNMARKED } },
	  .situation = TD_SITUATION_UNLIKE, .path = "" },
	{ "no tree", .cells = { { "tma_info_ipc", 1, UNMARKED } }, .situation = TD_SITUATION_NONE,
	  .path = "" },
	{ "no thresholds",
	  .cells = { { "tma_backend_bound", 60, BLIND }, { "tma_frontend_bound", 1, BLIND } },
	  .situation = TD_SITUATION_CLEAR, .path = "tma_backend_bound",
	  .runner_up = "tma_frontend_bound", .deeper = TD_DEEPER_LEVEL, .level = 2 },
	{ "no thresholds, most slots did work",
	  .cells = { { "tma_retiring", 70, BLIND },
		     { "tma_backend_bound", 20, BLIND },
		     { "tma_frontend_bound", 10, BLIND, 2 } },
	  .situation = TD_SITUATION_RETIRING, .path = "tma_retiring",
	  .runner_up = "tma_backend_bound", .deeper = TD_DEEPER_LEVEL, .level = 2 },
	{ "no thresholds, and errors that overlap",
	  .cells = { { "tma_backend_bound", 30, BLIND, 3 },
		     { "tma_frontend_bound", 28, BLIND, 3 } },
	  .situation = TD_SITUATION_TIE, .path = "",
	  .tied = "tma_backend_bound, tma_frontend_bound", .deeper = TD_DEEPER_LEVEL, .level = 2 },
	{ "no thresholds, too few reads",
	  .cells = { { "tma_backend_bound", 60, BLIND, -1 },
		     { "tma_frontend_bound", 10, BLIND, -1 } },
	  .situation = TD_SITUATION_SHORT, .path = "" },
	{ "nothing counted",
	  .cells = { { "tma_backend_bound", 0, LOST }, { "tma_frontend_bound", 0, LOST } },
	  .situation = TD_SITUATION_NOT_COUNTED, .path = "" },
	{ "idle CPUs", .idle = true,
	  .cells = { { "tma_backend_bound", 60, OVER }, { "tma_frontend_bound", 1, UNMARKED } },
	  .situation = TD_SITUATION_IDLE, .path = "" },
};

static struct td_cell make_cell(const struct cell *cell)
{
	struct td_cell out = {
		.status = cell->mark == LOST ? TD_STATUS_NOT_COUNTED : TD_STATUS_OK,
		.value = cell->mark == LOST ? NAN : cell->value,
		.error = cell->error > 0 ? cell->error : 1,
		.over_threshold = cell->mark == NEAR || cell->mark == OVER || cell->mark == MISFIT,
		.misfit = cell->mark == MISFIT ? TD_MISFIT_CORRECTION : TD_FITS,
		.over_unknown = cell->mark == BLIND,
		.too_short = cell->error == -1,
		.runs_error = NAN,
	};

	if (cell->mark == LOST || cell->error < 0)
		out.error = NAN;
	/* as metrics/eval has it: not without an error */
	out.clear_of_threshold = (cell->mark == OVER || cell->mark == MISFIT) && !isnan(out.error);
	return out;
}

/* Fills what a report borrows; nodes that cells do not name are left out. */
struct made {
	struct td_column columns[NR_NODES];
	struct td_cell cells[NR_NODES];
	struct td_node nodes[NR_NODES];
	size_t nr;
};

static void make(struct made *made, const struct cell *cells)
{
	*made = (struct made){ 0 };
	for (size_t i = 0; i < NR_NODES; i++) {
		made->columns[i] = (struct td_column){ tree[i].name, "%", true };
		made->cells[i] =
			(struct td_cell){ .status = TD_STATUS_NONE, .value = NAN, .error = NAN };
		for (size_t j = 0; cells[j].name; j++) {
			if (strcmp(cells[j].name, tree[i].name) != 0)
				continue;
			made->cells[i] = make_cell(&cells[j]);
			made->nodes[made->nr++] = (struct td_node){
				.column = (int)i,
				.parent = tree[i].parent,
				.level = tree[i].level,
				.desc = tree[i].desc,
			};
		}
	}
}

static struct td_row make_row(struct made *made, const char *pmu, double share, bool idle)
{
	return (struct td_row){
		.id = "all",
		.pmu = pmu,
		.slots = 1,
		.share_pct = share,
		.busy_pct = 12,
		.idle = idle,
		.activity.cpus = 1,
		.fields_sum = NAN,
		.cells = made->cells,
		.nodes = made->nodes,
		.nr_nodes = made->nr,
	};
}

static struct td_report make_report(struct made *made, struct td_row *rows_out, size_t nr)
{
	return (struct td_report){
		.columns = made->columns,
		.nr_columns = NR_NODES,
		.rows = rows_out,
		.nr_rows = nr,
		.tasks_pct = NAN,
	};
}

static const char *path_of(const struct td_verdict *verdict, char buf[512])
{
	buf[0] = '\0';
	for (size_t i = 0; i < verdict->nr_path; i++) {
		strcat(buf, i ? " > " : "");
		strcat(buf, verdict->path[i].name);
	}
	return buf;
}

static const char *two_of(const struct td_found two[2], char buf[512])
{
	buf[0] = '\0';
	if (two[0].node)
		snprintf(buf, 512, "%s%s%s", two[0].name, two[1].node ? ", " : "",
			 two[1].node ? two[1].name : "");
	return buf;
}

static const char *or_none(const char *text)
{
	return text ? text : "";
}

static void test_row(size_t r)
{
	struct made made;
	struct td_row row;
	struct td_report report;
	struct td_verdict v;
	char buf[512];

	make(&made, rows[r].cells);
	row = make_row(&made, "cpu_core", 100, rows[r].idle);
	report = make_report(&made, &row, 1);
	report.mostly_waited = rows[r].waits;
	td_verdict_find(&v, &report);
	ok(v.situation == rows[r].situation, "%s: situation %d", rows[r].name, v.situation);
	is_str(path_of(&v, buf), rows[r].path, "%s: path", rows[r].name);
	is_str(two_of(v.tied, buf), or_none(rows[r].tied), "%s: tied", rows[r].name);
	is_str(two_of(v.over, buf), or_none(rows[r].over), "%s: over", rows[r].name);
	is_str(or_none(v.runner_up.name), or_none(rows[r].runner_up), "%s: runner-up",
	       rows[r].name);
	ok(v.waits == rows[r].waits && v.short_below == rows[r].short_below &&
		   v.no_loss == rows[r].no_loss,
	   "%s: waits, short below, no loss", rows[r].name);
	ok(v.deeper == rows[r].deeper && v.level == rows[r].level, "%s: next %d, level %d",
	   rows[r].name, v.deeper, v.level);
}

/* The P-cores had the slots, but of them nothing else was counted. */
static void test_no_share(void)
{
	static const struct cell cells[] = {
		{ "tma_backend_bound", 60, OVER },
		{ "tma_frontend_bound", 1, UNMARKED },
		{ NULL },
	};
	struct made made;
	struct td_row row;
	struct td_report report;
	struct td_verdict v;

	make(&made, cells);
	row = make_row(&made, "cpu_atom", 0.4, true);
	row.busy_pct = NAN;
	report = make_report(&made, &row, 1);
	td_verdict_find(&v, &report);
	ok(v.situation == TD_SITUATION_NOT_COUNTED,
	   "hardly any slots are not idle CPUs: situation %d", v.situation);
}

/* 45 % of the slots wait for memory: 35 of 40 parts for the L3. */
static void test_slots(void)
{
	static const struct cell cells[] = {
		{ "tma_backend_bound", 60, OVER },
		{ "tma_memory_bound", 45, OVER },
		{ "tma_l1_bound", 5, UNMARKED },
		{ "tma_l3_bound", 35, OVER },
		{ "tma_core_bound", 15, UNMARKED },
		{ "tma_frontend_bound", 17, UNMARKED },
		{ NULL },
	};
	struct made made;
	struct td_row row;
	struct td_report report;
	struct td_verdict v;

	make(&made, cells);
	row = make_row(&made, "cpu_core", 100, false);
	report = make_report(&made, &row, 1);
	td_verdict_find(&v, &report);
	ok(v.nr_path == 3 && test_near(v.path[2].slots_pct, 45. * 35 / 40, 1e-9),
	   "shares of cycles divide up the parent's slots: %g", v.path[2].slots_pct);
	ok(v.path[2].value == 35 && v.path[2].error == 1, "and keep their own value and error");
}

static void test_rows(void)
{
	static const struct cell cells[] = {
		{ "tma_backend_bound", 60, OVER },
		{ "tma_frontend_bound", 17, UNMARKED },
		{ NULL },
	};
	struct made made;
	struct td_row two[2];
	struct td_report report;
	struct td_verdict v, others[TD_VERDICT_OTHERS];

	make(&made, cells);
	two[0] = make_row(&made, "cpu_core", 30, true);
	two[1] = make_row(&made, "cpu_atom", 70, false);
	report = make_report(&made, two, 2);
	td_verdict_find(&v, &report);
	ok(v.row == &two[1] && v.situation == TD_SITUATION_CLEAR, "the PMU with the most slots");
	ok(v.busy_pct == 12, "how busy its CPUs were");
	report.tasks_pct = 45;
	td_verdict_find(&v, &report);
	ok(v.busy_pct == 45, "or the tasks on all PMUs");
	ok(td_verdict_find_others(others, &v, &report) == 1,
	   "the other kind of core had more than a fifth");
	ok(others[0].row == &two[0] && others[0].situation == TD_SITUATION_IDLE,
	   "and has a verdict of its own");
	two[0] = make_row(&made, "cpu_core", 30, false);
	ok(td_verdict_find_others(others, &v, &report) == 1, "busy");
	is_str(others[0].path[0].name, "tma_backend_bound", "its node");
	two[0].share_pct = 20;
	ok(td_verdict_find_others(others, &v, &report) == 0, "a fifth is too little");
	two[0].share_pct = 30;
	two[0].package = true;
	ok(td_verdict_find_others(others, &v, &report) == 0, "a package is no kind of core");
	two[0] = make_row(&made, "cpu_core", 30, false);
	two[1].id = "CPU1";
	td_verdict_find(&v, &report);
	ok(v.situation == TD_SITUATION_NONE, "no verdict for several ids");
	report.nr_rows = 0;
	td_verdict_find(&v, &report);
	ok(v.situation == TD_SITUATION_NONE, "nor for none");
}

/* Two rows of several ids: what they lost, and how well that is known. */
static void test_losers(void)
{
	static const struct {
		double first, second, error;
		size_t nr_tied;
		const char *name;
	} cases[] = {
		{ 20, 10, 1, 1, "one lost more" },
		{ 20, 10, 5, 2, "not by more than the errors" },
		{ 20, 10, NAN, 1, "no errors are known" },
		{ 20, 18.5, 0.1, 2, "less than a tenth more" },
		{ 20, 0, 0.1, 1, "one lost nothing" },
	};
	static const struct cell cells[] = {
		{ "tma_backend_bound", 60, OVER },
		{ NULL },
	};
	static struct td_region_facts between = { .outside = true, .function = true };
	struct made made;
	struct td_row two[2];
	struct td_report report;
	struct td_verdict v;

	make(&made, cells);
	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		for (size_t r = 0; r < 2; r++) {
			two[r] = make_row(&made, "cpu", 50, false);
			two[r].lost_error = cases[i].error;
		}
		two[0].id = "CPU1";
		two[0].lost_pct = cases[i].second;
		two[1].lost_pct = cases[i].first;
		report = make_report(&made, two, 2);
		report.has_lost = true;
		td_verdict_find(&v, &report);
		ok(v.losers[0].id == two[1].id && v.nr_tied == cases[i].nr_tied, "losers: %s",
		   cases[i].name);
	}
	two[0].lost_pct = 10;
	two[1].region = &between;
	td_verdict_find(&v, &report);
	ok(v.losers[0].id == two[0].id && !v.losers[1].id && v.nr_losers == 1,
	   "losers: not what is between functions");
	ok(v.between_pct == two[1].lost_pct, "but it is told: %g", v.between_pct);
}

/* Shares of all slots that level 1 adds up to. */
static void test_sum(void)
{
	static const struct {
		double retiring, backend;
		enum td_misfit misfit;
		enum td_situation situation;
	} sums[] = {
		{ 5, 10, TD_MISFIT_SUM, TD_SITUATION_SUM },
		{ 60, 90, TD_MISFIT_SUM, TD_SITUATION_SUM },
		{ 10, 88.5, TD_MISFIT_SUM, TD_SITUATION_SUM },
		{ 5, 10, TD_FITS, TD_SITUATION_CLEAR },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(sums); i++) {
		const struct cell cells[] = {
			{ "tma_retiring", sums[i].retiring, UNMARKED },
			{ "tma_backend_bound", sums[i].backend, OVER },
			{ NULL },
		};
		struct made made;
		struct td_row row;
		struct td_report report;
		struct td_verdict v;

		make(&made, cells);
		row = make_row(&made, "cpu", 100, false);
		for (size_t c = 0; c < NR_NODES; c++)
			made.cells[c].misfit = sums[i].misfit;
		report = make_report(&made, &row, 1);
		td_verdict_find(&v, &report);
		ok(v.situation == sums[i].situation, "%.0f + %.0f: %d", sums[i].retiring,
		   sums[i].backend, v.situation);
		ok(v.situation != TD_SITUATION_SUM ||
			   (!v.nr_path && v.deeper == TD_DEEPER_NOTHING &&
			    test_near(v.sum_pct, sums[i].retiring + sums[i].backend, 1e-9)),
		   "no node, and the sum");
		/* nodes that are shares of a sum add up to the whole sum */
		row.fields_sum = 1.25;
		td_verdict_find(&v, &report);
		ok(v.situation != TD_SITUATION_SUM || v.sum_pct == 125, "the sum of the fields: %g",
		   v.sum_pct);
	}
}

/* Rows of CPUs, of which none had anything to do, or one. */
static void test_idle_rows(void)
{
	static const struct cell cells[] = {
		{ "tma_backend_bound", 60, OVER },
		{ NULL },
	};
	struct made made;
	struct td_row two[2];
	struct td_report report;
	struct td_verdict v;

	make(&made, cells);
	for (size_t r = 0; r < 2; r++) {
		two[r] = make_row(&made, "cpu", 50, true);
		two[r].id = r ? "CPU1" : "CPU0";
		two[r].lost_pct = r ? 60 : 20;
		two[r].activity =
			(struct td_activity){ .cpus = 1, .busy_s = r ? 0.02 : 0.01, .whole_s = 1 };
	}
	report = make_report(&made, two, 2);
	report.has_lost = true;
	td_verdict_find(&v, &report);
	ok(v.situation == TD_SITUATION_IDLE && !v.losers[0].id && test_near(v.busy_pct, 1.5, 1e-9),
	   "idle CPUs lost nothing: %g %%", v.busy_pct);
	two[0].idle = false;
	td_verdict_find(&v, &report);
	ok(v.situation == TD_SITUATION_NONE && v.losers[0].id == two[0].id && !v.losers[1].id,
	   "the one that was busy did");
	two[0].idle = true;
	two[0].activity.cpus = two[1].activity.cpus = 0;
	td_verdict_find(&v, &report);
	ok(v.losers[0].id == two[1].id, "many threads that do little do much");
}

/* A thread that goes from CPU to CPU, or many short ones. */
static void test_busy_together(void)
{
	static const struct cell cells[] = {
		{ "tma_backend_bound", 60, OVER },
		{ NULL },
	};
	static const char *const ids[] = { "CPU0", "CPU1", "CPU2", "CPU3",
					   "CPU4", "CPU5", "CPU6", "CPU7" };
	struct made made;
	struct td_row eight[TD_ARRAY_SIZE(ids)];
	struct td_report report;
	struct td_verdict v;

	make(&made, cells);
	for (size_t r = 0; r < TD_ARRAY_SIZE(eight); r++) {
		eight[r] = make_row(&made, "cpu", 12.5, true);
		eight[r].id = ids[r];
		eight[r].lost_pct = r ? 5 : 20;
		eight[r].activity = (struct td_activity){ .cpus = 1, .busy_s = 0.04, .whole_s = 1 };
	}
	report = make_report(&made, eight, TD_ARRAY_SIZE(eight));
	report.has_lost = true;
	td_verdict_find(&v, &report);
	ok(v.situation == TD_SITUATION_NONE && v.losers[0].id == eight[0].id,
	   "a third of a CPU, spread over eight");
}

/*
 * "a" lost 14 + 7 on two core types, "b" 16 on one.  An idle core type decides nothing alone, but
 * its loss is included.
 */
static void test_kinds(void)
{
	static const struct {
		const char *id, *pmu;
		double lost_pct;
		bool idle;
	} of[] = {
		{ "b", "cpu_core", 16, false }, { "a", "cpu_core", 14, false },
		{ "a", "cpu_atom", 7, true },   { "c", "cpu_core", NAN, false },
		{ "c", "cpu_atom", 1, false },  { "d", "cpu_atom", 50, true },
	};
	static const char *const sorted[] = { "d", "a", "a", "b", "c", "c" };
	static const struct cell cells[] = {
		{ "tma_backend_bound", 60, OVER },
		{ NULL },
	};
	struct made made;
	struct td_row made_rows[TD_ARRAY_SIZE(of)];
	struct td_report report;
	struct td_verdict v;

	make(&made, cells);
	for (size_t i = 0; i < TD_ARRAY_SIZE(of); i++) {
		made_rows[i] = make_row(&made, of[i].pmu, 50, of[i].idle);
		made_rows[i].id = of[i].id;
		made_rows[i].lost_pct = of[i].lost_pct;
		made_rows[i].lost_error = 3;
		made_rows[i].activity.cpus = 1;
	}
	report = make_report(&made, made_rows, TD_ARRAY_SIZE(of));
	report.has_lost = true;
	td_verdict_find(&v, &report);
	ok(strcmp(v.losers[0].id, "a") == 0 && v.losers[0].lost_pct == 21 &&
		   test_near(v.losers[0].lost_error, sqrt(18), 1e-9),
	   "kinds of core: the sum of an id: %s, %g +-%g", v.losers[0].id, v.losers[0].lost_pct,
	   v.losers[0].lost_error);
	ok(strcmp(v.losers[1].id, "b") == 0 && v.losers[1].lost_pct == 16 && v.nr_losers == 3 &&
		   v.nr_tied == 2,
	   "then the others, of which 16 +-3 may be as much: %zu of %zu", v.nr_tied, v.nr_losers);
	td_report_sort_by_size(&report);
	for (size_t i = 0; i < TD_ARRAY_SIZE(of); i++)
		ok(strcmp(made_rows[i].id, sorted[i]) == 0, "row %zu: %s", i, made_rows[i].id);
	ok(made_rows[1].lost_pct == 14, "rows of an id in their order");
	/* sorted by slots if these are known; unknown ones come last */
	for (size_t i = 0; i < TD_ARRAY_SIZE(of); i++) {
		made_rows[i].slots = i == 2 ? NAN : (double)i;
		made_rows[i].lost_pct = NAN;
	}
	td_report_sort_by_size(&report);
	ok(strcmp(made_rows[0].id, "c") == 0 && made_rows[0].slots > made_rows[1].slots &&
		   isnan(made_rows[4].slots + made_rows[5].slots),
	   "where nobody knows what they lost, by slots: %s, %g and %g", made_rows[0].id,
	   made_rows[0].slots, made_rows[1].slots);
}

/* Below the uppermost cgroup are all others, and within "web" is one more. */
static void test_cgroups(void)
{
	static const char *const ids[] = { "/", "db", "web", "web/in", "webs" };
	static const double slots[] = { 100, 20, 60, 40, 10 };
	static const struct cell cells[] = {
		{ "tma_retiring", 50, UNMARKED },
		{ NULL },
	};
	struct made made;
	struct td_row five[TD_ARRAY_SIZE(ids)];
	struct td_report report;
	struct td_verdict v;

	make(&made, cells);
	for (size_t r = 0; r < TD_ARRAY_SIZE(ids); r++) {
		five[r] = make_row(&made, "cpu", 100, false);
		five[r].id = ids[r];
		five[r].slots = slots[r];
	}
	report = make_report(&made, five, TD_ARRAY_SIZE(ids));
	td_report_find_lost(&report, true);
	td_verdict_find(&v, &report);
	ok(v.losers[0].id == five[3].id && v.losers[1].id == five[1].id && v.nr_losers == 3,
	   "not those that hold others");
	ok(test_near(five[3].lost_pct, 20, 1e-9), "slots of others within are not added: %g",
	   five[3].lost_pct);
}

/* A level alone, of more nodes than any node has children: the last one counts. */
static void test_level_alone(void)
{
	enum {
		NR = 40
	};
	static const struct cell low = { "low", 1, UNMARKED }, high = { "high", 50, OVER };
	struct td_column columns[NR];
	struct td_cell cells[NR];
	struct td_node nodes[NR];
	struct td_row row = { .id = "all",
			      .pmu = "cpu",
			      .cells = cells,
			      .nodes = nodes,
			      .nr_nodes = NR,
			      .share_pct = 100,
			      .busy_pct = 100,
			      .fields_sum = NAN };
	struct td_report report = {
		.columns = columns, .nr_columns = NR, .rows = &row, .nr_rows = 1, .tasks_pct = NAN
	};
	struct td_verdict v;

	for (int i = 0; i < NR; i++) {
		const struct cell *cell = i < NR - 1 ? &low : &high;

		columns[i] = (struct td_column){ cell->name, "%", true };
		cells[i] = make_cell(cell);
		nodes[i] = (struct td_node){
			.column = i, .level = 3, .parent = "tma_core_bound", .desc = SLOTS
		};
	}
	td_verdict_find(&v, &report);
	ok(v.situation == TD_SITUATION_CLEAR && v.nr_path == 1 &&
		   strcmp(v.path[0].name, "high") == 0,
	   "level 3 alone: its last node: situation %d", v.situation);
}

int main(void)
{
	for (size_t r = 0; r < TD_ARRAY_SIZE(rows); r++)
		test_row(r);
	test_no_share();
	test_slots();
	test_rows();
	test_losers();
	test_kinds();
	test_sum();
	test_idle_rows();
	test_busy_together();
	test_cgroups();
	test_level_alone();
	return done_testing();
}
