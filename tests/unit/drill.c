// SPDX-License-Identifier: GPL-2.0-only
/* The groups that -l auto counts, second by second. */
#include "metrics/drill/drill.h"

#include <stdlib.h>

#include "tests/unit/test.h"

/*
 * A tree on one PMU, whose level 1 and 2 take one turn: BACKEND has MEMORY and
 * CORE, MEMORY's children are DRAM and L3, and those of DRAM have one more level.
 */
enum {
	RETIRING,
	LIGHT,
	BACKEND,
	MEMORY,
	CORE,
	DRAM,
	L3,
	NR_METRICS
};

/* The families: the children of these. */
enum {
	OF_MEMORY,
	OF_CORE,
	OF_LIGHT,
	OF_DRAM,
	OF_L3,
	NR_FAMILIES
};

static const struct td_metric_def defs[NR_METRICS] = {
	[RETIRING] = { .name = "tma_retiring" },     [LIGHT] = { .name = "tma_light_operations" },
	[BACKEND] = { .name = "tma_backend_bound" }, [MEMORY] = { .name = "tma_memory_bound" },
	[CORE] = { .name = "tma_core_bound" },       [DRAM] = { .name = "tma_dram_bound" },
	[L3] = { .name = "tma_l3_bound" },
};

static struct td_metric metrics[NR_METRICS] = {
	[RETIRING] = { &defs[RETIRING], .column = RETIRING, .parent = -1 },
	[LIGHT] = { &defs[LIGHT], .column = LIGHT, .parent = RETIRING },
	[BACKEND] = { &defs[BACKEND], .column = BACKEND, .parent = -1 },
	[MEMORY] = { &defs[MEMORY], .column = MEMORY, .parent = BACKEND },
	[CORE] = { &defs[CORE], .column = CORE, .parent = BACKEND },
	[DRAM] = { &defs[DRAM], .column = DRAM, .parent = MEMORY },
	[L3] = { &defs[L3], .column = L3, .parent = MEMORY },
};

static struct td_tree_family families[NR_FAMILIES] = {
	[OF_MEMORY] = { 0, MEMORY, 0, false },    [OF_CORE] = { 0, CORE, 0, false },
	[OF_LIGHT] = { 0, LIGHT, 0, false },      [OF_DRAM] = { 0, DRAM, 1 + OF_MEMORY, true },
	[OF_L3] = { 0, L3, 1 + OF_MEMORY, true },
};

static char pmu_name[] = "cpu";
static struct td_pmu pmu = { .name = pmu_name };
static struct td_machine machine = { .pmus = &pmu, .nr_pmus = 1, .nr_core = 1 };
static const struct td_tree tree = {
	.machine = &machine,
	.nr_pmus = 1,
	.metrics = metrics,
	.nr_metrics = NR_METRICS,
	.families = families,
	.nr_families = NR_FAMILIES,
};

/* Each family has one group, LIGHT's three, and MEMORY's below share one. */
static struct td_group groups[] = {
	{ .family = 0, .pinned = true }, { .family = 0 },
	{ .family = 1 + OF_MEMORY },     { .family = 1 + OF_CORE },
	{ .family = 1 + OF_LIGHT },      { .family = 1 + OF_LIGHT },
	{ .family = 1 + OF_LIGHT },      { .family = 1 + OF_DRAM },
	{ .family = 1 + OF_L3 },
};

static const struct td_plan plan = { .groups = groups,
				     .nr_groups = sizeof(groups) / sizeof(*groups) };

/* One second: the nodes above their thresholds, with their values. */
struct second {
	double memory, core, light, dram, l3;
	const char *want; /* letters of the families: M, C, l, D, 3 */
};

static void put(struct td_cell *cell, double value, bool counted)
{
	*cell = (struct td_cell){
		.status = counted ? TD_STATUS_OK : TD_STATUS_NOT_COUNTED,
		.value = counted ? value : NAN,
		.over_threshold = counted && value > 0,
	};
}

static bool decide(struct td_drill *drill, const struct second *s, uint64_t ns)
{
	struct td_cell cells[NR_METRICS] = { 0 };
	struct td_row row = { .id = "all", .pmu = "cpu", .cells = cells };
	const struct td_report report = { .rows = &row, .nr_rows = 1, .nr_columns = NR_METRICS };

	put(&cells[MEMORY], s->memory, true);
	put(&cells[CORE], s->core, true);
	put(&cells[LIGHT], s->light, true);
	put(&cells[DRAM], s->dram, drill->v[OF_MEMORY].on);
	put(&cells[L3], s->l3, drill->v[OF_MEMORY].on);
	return td_drill_decide(drill, &report, ns);
}

static void list_on(const struct td_drill *drill, char *out)
{
	static const char letters[] = "MClD3";

	for (int i = 0; i < NR_FAMILIES; i++) {
		if (drill->v[i].on)
			*out++ = letters[i];
	}
	*out = '\0';
}

/* Decide at 1 s, 2 s ...; want of the i-th second is the state after it. */
static void test_seconds(const char *name, const struct second *seconds)
{
	struct td_drill drill;
	bool same = true;
	char on[NR_FAMILIES + 1], before[NR_FAMILIES + 1] = "";

	td_drill_begin(&drill, &tree, &plan);
	for (int i = 0; same && seconds[i].want; i++) {
		bool switched = decide(&drill, &seconds[i], (uint64_t)(i + 1) * 1000000000);

		list_on(&drill, on);
		same = strcmp(on, seconds[i].want) == 0 && switched == (strcmp(on, before) != 0);
		if (!same)
			printf("# second %d: on \"%s\", want \"%s\"\n", i + 1, on, seconds[i].want);
		memcpy(before, on, sizeof(on));
	}
	ok(same, "%s", name);
	td_drill_free(&drill);
}

static const struct second nothing[] = {
	{ .want = "" },
	{ .want = "" },
	{ 0 },
};

static const struct second down[] = {
	{ .memory = 60, .want = "M" },
	{ .memory = 60, .dram = 40, .want = "MD" },
	{ .memory = 60, .dram = 40, .want = "MD" },
	{ 0 },
};

/* A node below its threshold keeps its family for two seconds. */
static const struct second hold[] = {
	{ .core = 30, .want = "C" }, { .want = "C" }, { .want = "" }, { .want = "" }, { 0 },
};

static const struct second flaps[] = {
	{ .core = 20, .want = "C" },
	{ .want = "C" },
	{ .core = 20, .want = "C" },
	{ .want = "C" },
	{ .core = 20, .want = "C" },
	{ .want = "C" },
	{ .want = "" },
	{ 0 },
};

/* MEMORY to its end takes all three turns, and CORE waits for four seconds. */
static const struct second equal[] = {
	{ .memory = 35, .core = 34, .want = "MC" },
	{ .memory = 35, .core = 34, .dram = 30, .want = "MD" },
	{ .memory = 34, .core = 35, .dram = 30, .want = "MD" },
	{ .memory = 35, .core = 34, .dram = 30, .want = "MD" },
	{ .memory = 35, .core = 34, .dram = 30, .want = "MC" },
	{ .memory = 35, .core = 34, .dram = 30, .want = "MC" },
	{ .memory = 34, .core = 35, .dram = 30, .want = "MC" },
	{ .memory = 35, .core = 34, .dram = 30, .want = "MC" },
	{ .memory = 35, .core = 34, .dram = 30, .want = "MD" },
	{ .memory = 35, .core = 34, .dram = 30, .want = "MD" },
	{ 0 },
};

/* A node that is much smaller than the counted one gets no turn. */
static const struct second unequal[] = {
	{ .memory = 60, .core = 20, .want = "MC" },
	{ .memory = 60, .core = 20, .dram = 50, .want = "MD" },
	{ .memory = 60, .core = 20, .dram = 50, .want = "MD" },
	{ .memory = 60, .core = 20, .dram = 50, .want = "MD" },
	{ .memory = 60, .core = 20, .dram = 50, .want = "MD" },
	{ .memory = 60, .core = 20, .dram = 50, .want = "MD" },
	{ 0 },
};

static const struct second change[] = {
	{ .memory = 60, .want = "M" },
	{ .memory = 60, .dram = 50, .want = "MD" },
	/* there is room for M beside C, but not for D */
	{ .core = 50, .want = "MC" },
	{ .core = 50, .want = "C" },
	{ .core = 50, .want = "C" },
	{ 0 },
};

/* Useful work comes last, however much it is; alone it is looked at. */
static const struct second useful[] = {
	{ .memory = 20, .light = 70, .want = "M" },
	{ .light = 90, .want = "M" },
	{ .light = 90, .want = "l" },
	{ 0 },
};

/* Two nodes of one family: the larger one's children. */
static const struct second siblings[] = {
	{ .memory = 60, .want = "M" },
	{ .memory = 60, .dram = 20, .l3 = 40, .want = "M3" },
	{ .memory = 60, .dram = 41, .l3 = 40, .want = "M3" },
	{ .memory = 60, .dram = 60, .l3 = 40, .want = "MD" },
	{ 0 },
};

/* Each use has a label of its own, from which it is found again. */
static void test_labels(void)
{
	int last = td_tree_label(&tree, TD_USE_ANY, 0);

	ok(td_tree_label(&tree, TD_USE_ALWAYS, 0) == 0, "0 is always");
	for (int label = 0; label <= last; label++) {
		int family;
		enum td_use_kind use = td_tree_use(&tree, label, &family);

		ok(td_tree_label(&tree, use, family) == label && family < NR_FAMILIES &&
			   (use == TD_USE_ANY) == (label == last),
		   "label %d: kind %d, family %d", label, use, family);
	}
}

/* The pool is on while a family that needs it is, and takes a turn of its own. */
static void test_pool(void)
{
	struct td_group pooled[sizeof(groups) / sizeof(*groups) + 1];
	const struct td_plan more = {
		.groups = pooled,
		.nr_groups = sizeof(pooled) / sizeof(*pooled),
	};
	const struct second memory = { .memory = 60 };
	const struct second dram = { .memory = 60, .dram = 40 };
	struct td_drill drill;
	struct td_ints on = { 0 };

	memcpy(pooled, groups, sizeof(groups));
	pooled[more.nr_groups - 1] =
		(struct td_group){ .family = td_tree_label(&tree, TD_USE_POOL, OF_MEMORY) };
	td_drill_begin(&drill, &tree, &more);
	ok(drill.v[OF_MEMORY].nr_groups == 1 && drill.v[OF_MEMORY].nr_pooled == 1 &&
		   drill.always[0] == 1,
	   "groups are counted by family and pool; a pinned one takes no turn");
	ok(decide(&drill, &memory, 1), "its pool rests");
	td_drill_list(&drill, &on);
	ok(on.nr == 2 && on.v[0] == 1 + OF_MEMORY && on.v[1] == td_tree_label(&tree, TD_USE_ANY, 0),
	   "while nothing needs it, the common one is on");
	td_ints_free(&on);
	ok(decide(&drill, &dram, 2), "it wakes up");
	td_drill_list(&drill, &on);
	ok(td_ints_has(&on, 1 + OF_DRAM) &&
		   td_ints_has(&on, td_tree_label(&tree, TD_USE_POOL, OF_MEMORY)),
	   "it is on with the first family that does");
	td_ints_free(&on);
	td_drill_free(&drill);
}

int main(void)
{
	test_seconds("nothing is over its threshold: nothing more", nothing);
	test_seconds("down to the last level", down);
	test_seconds("a family stays on for two seconds", hold);
	test_seconds("a node that flaps keeps its family", flaps);
	test_seconds("two equal nodes have turns of four seconds", equal);
	test_seconds("a small node does not take turns with a large one", unequal);
	test_seconds("a change of phase is followed at once", change);
	test_seconds("useful work comes last", useful);
	test_seconds("of siblings, the larger one, with a margin", siblings);
	test_labels();
	test_pool();
	return done_testing();
}
