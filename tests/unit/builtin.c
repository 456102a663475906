// SPDX-License-Identifier: GPL-2.0-only
#include "metrics/sets/set.h"

#include <errno.h>

#include "metrics/formula/expr.h"
#include "metrics/tree/tree.h"
#include "tests/unit/levels.h"
#include "tests/unit/machine.h"
#include "tests/unit/test.h"

#define FOUR     "slots topdown-retiring topdown-bad-spec topdown-fe-bound topdown-be-bound"
#define EIGHT    FOUR " topdown-heavy-ops topdown-br-mispredict topdown-fetch-lat topdown-mem-bound"
#define ICE_1    FOUR " INT_MISC.UOP_DROPPING INT_MISC.CLEARS_COUNT"
#define BY_COUNT "BR_MISP_RETIRED.ALL_BRANCHES MACHINE_CLEARS.COUNT"
#define STALLS                                                       \
	"CYCLE_ACTIVITY.STALLS_MEM_ANY CYCLE_ACTIVITY.STALLS_TOTAL " \
	"EXE_ACTIVITY.1_PORTS_UTIL EXE_ACTIVITY.2_PORTS_UTIL "       \
	"EXE_ACTIVITY.BOUND_ON_STORES"
#define NO_UOPS "IDQ_UOPS_NOT_DELIVERED.CYCLES_0_UOPS_DELIV.CORE"
#define ICE_HEAVY                                                           \
	"UOPS_RETIRED.SLOTS UOPS_ISSUED.ANY IDQ.MS_UOPS UOPS_DECODED.DEC0 " \
	"UOPS_DECODED.DEC0,cmask=1 IDQ.MITE_UOPS"
#define ATOM_3   "cycles topdown-retiring topdown-be-bound topdown-fe-bound"
#define ATOM_4   ATOM_3 " topdown-bad-spec"
#define ATOM_SUM "topdown-retiring topdown-be-bound topdown-fe-bound topdown-bad-spec"
#define ATOM_2                                                                   \
	"TOPDOWN_BE_BOUND.ALLOC_RESTRICTIONS "                                   \
	"TOPDOWN_FE_BOUND.FRONTEND_LATENCY TOPDOWN_FE_BOUND.FRONTEND_BANDWIDTH " \
	"TOPDOWN_BAD_SPECULATION.MISPREDICT TOPDOWN_BAD_SPECULATION.MACHINE_CLEARS"
#define OLD_1                                                              \
	"topdown-total-slots topdown-fetch-bubbles topdown-slots-retired " \
	"topdown-slots-issued topdown-recovery-bubbles"

/* intel/PerfSpect, spr_alt_tma_metrics.json and icx_alt_tma_metrics.json */
#define GENERAL_1 "TOPDOWN.SLOTS_P UOPS_RETIRED.SLOTS TOPDOWN.BACKEND_BOUND_SLOTS"
#define GENERAL_2                                         \
	"UOPS_RETIRED.HEAVY TOPDOWN.BR_MISPREDICT_SLOTS " \
	"TOPDOWN.MEMORY_BOUND_SLOTS"
#define ICE_GENERAL                                                     \
	GENERAL_1 " IDQ_UOPS_NOT_DELIVERED.CORE INT_MISC.UOP_DROPPING " \
		  "INT_MISC.CLEARS_COUNT"

/* clang-format off */
static const struct {
	const char *model, *pmu;
	int levels; /* 0: no set */
	const char *level_1; /* the events of level 1 */
	const char *level_2; /* further events of level 2 */
	const char *reference;
	bool one_group, per_core;
} rows[] = {
	{ "spr", "cpu", 2, EIGHT " INT_MISC.UOP_DROPPING", "", NULL, true },
	{ "adl", "cpu_core", 2, EIGHT " INT_MISC.UOP_DROPPING", "", NULL,
	  true },
	{ "gnr", "cpu", 2, EIGHT " INT_MISC.UOP_DROPPING", "", NULL, true },
	{ "mtl", "cpu_core", 2, EIGHT " INT_MISC.UOP_DROPPING", "", NULL,
	  true },
	{ "lnl", "cpu_core", 2, EIGHT, "", NULL, true },
	{ "arl-h", "cpu_core", 2, EIGHT, "", NULL, true },
	{ "ptl", "cpu_core", 2, EIGHT, "", NULL, true },
	{ "new-8", "cpu", 2, EIGHT, "", NULL, true },
	{ "icx", "cpu", 2, ICE_1, BY_COUNT " " STALLS " " NO_UOPS " " ICE_HEAVY },
	{ "new-4", "cpu", 1, FOUR, "", NULL, true },
	{ "ehl", "cpu", 2, ATOM_3, ATOM_2, "cycles" },
	{ "adl-n", "cpu", 2, ATOM_3, ATOM_2, "cycles" },
	{ "adl", "cpu_atom", 2, ATOM_3, ATOM_2, "cycles" },
	{ "mtl", "cpu_atom", 2, ATOM_4, ATOM_2, "cycles" },
	{ "srf", "cpu", 2, ATOM_4, ATOM_2, "cycles" },
	{ "lnl", "cpu_atom", 2, ATOM_4, ATOM_2, "cycles" },
	{ "arl-h", "cpu_atom", 2, ATOM_4, ATOM_2, "cycles" },
	{ "arl-h", "cpu_lowpower", 2, ATOM_4, ATOM_2, "cycles" },
	{ "ptl", "cpu_atom", 2, ATOM_4, ATOM_2, "cycles" },
	{ "cwf", "cpu", 2, ATOM_4, ATOM_2, "cycles" },
	{ "new-atom", "cpu", 1, ATOM_SUM, "", NULL, true },
	{ "skx", "cpu", 2, OLD_1,
	  BY_COUNT " " STALLS " " NO_UOPS
	  " UOPS_RETIRED.MACRO_FUSED INST_RETIRED.ANY",
	  "total_slots", .per_core = true },
	{ "skx-smt", "cpu", 2, OLD_1,
	  BY_COUNT " " STALLS " " NO_UOPS
	  " UOPS_RETIRED.MACRO_FUSED INST_RETIRED.ANY",
	  "total_slots", .per_core = true },
	{ "bdw", "cpu", 1, OLD_1, "", "total_slots", .per_core = true },
	{ "zen", "cpu", 0 },
	{ "vm", "cpu", 2, ICE_GENERAL,
	  BY_COUNT " " STALLS " " NO_UOPS
	  " UOPS_ISSUED.ANY IDQ.MS_UOPS UOPS_DECODED.DEC0 UOPS_DECODED.DEC0,cmask=1 "
	  "IDQ.MITE_UOPS", "slots" },
	{ "vm-spr", "cpu", 2, GENERAL_1 " IDQ_BUBBLES.CORE INT_MISC.UOP_DROPPING",
	  GENERAL_2 " IDQ_BUBBLES.CYCLES_0_UOPS_DELIV.CORE", "slots" },
	{ "vm-lnl", "cpu_core", 2, GENERAL_1 " IDQ_BUBBLES.CORE",
	  GENERAL_2 " IDQ_BUBBLES.STARVATION_CYCLES", "slots" },
	{ "adl-old", "cpu", 0 },
};

/* Sysfs directories that lack events of a set: they have no replacement. */
static const struct {
	const char *name;
	struct test_pmu pmu;
	int levels;
} partial[] = {
	{ "no events", { "cpu", 4, "0", "" }, 0 },
	{ "slots alone", { "cpu", 4, "0", EVENT("slots", "0x4") }, 0 },
	{ "four fields without slots",
	  { "cpu", 4, "0", ATOM_("0", "0", "0", "0") }, 1 },
	{ "a field of eight missing",
	  { "cpu", 4, "0", METRICS_4 EVENT("topdown-heavy-ops", "0x84")
	    EVENT("topdown-fetch-lat", "0x86")
	    EVENT("topdown-mem-bound", "0x87") }, 1 },
	{ "a field of four missing",
	  { "cpu", 4, "0", EVENT("slots", "0x4")
	    EVENT("topdown-retiring", "0x80") EVENT("topdown-bad-spec", "0x81")
	    EVENT("topdown-fe-bound", "0x82") }, 0 },
	{ "fe-bound alone", { "cpu", 4, "0", "topdown-fe-bound event=0x71;" },
	  0 },
	{ "total-slots alone",
	  { "cpu", 4, "0", "topdown-total-slots event=0x3c 4;" }, 0 },
	{ "other events", { "cpu", 4, "0", "instructions event=0xc0;topdown event=0x1;mem-loads "
	"event=0xcd,umask=0x1,ldlat=3;" }, 0 },
};
/* clang-format on */

static int pmu_index(const struct td_machine *machine, const char *name)
{
	for (size_t i = 0; i < machine->nr_pmus; i++) {
		if (strcmp(machine->pmus[i].name, name) == 0)
			return (int)i;
	}
	return -1;
}

/* Reduces a machine to the PMU that a test needs. */
static const struct td_pmu *only(struct td_machine *machine, const char *name)
{
	for (size_t i = 0; i < machine->nr_pmus; i++)
		machine->pmus[i].skip = strcmp(machine->pmus[i].name, name);
	return &machine->pmus[pmu_index(machine, name)];
}

static int nr_words(const char *text)
{
	int nr = *text != '\0';

	for (; *text; text++)
		nr += *text == ' ';
	return nr;
}

static bool has_word(const char *text, const char *word, size_t len)
{
	const char *at = text;

	while ((at = strstr(at, word))) {
		if ((at == text || at[-1] == ' ') && (at[len] == ' ' || at[len] == '\0'))
			return true;
		at++;
	}
	return false;
}

/* True if the plan has exactly these events, each once. */
static bool events_are(const struct td_plan *plan, const char *pmu, const char *want)
{
	bool same = (int)plan->events.nr == nr_words(want);

	for (size_t i = 0; i < plan->events.nr; i++) {
		const char *name = plan->events.v[i].name + strlen(pmu) + 1;
		td_autofree char *id = strndup(name, strlen(name) - 1);

		if (has_word(want, id, strlen(id)))
			continue;
		printf("# not wanted: %s\n", id);
		same = false;
	}
	return same;
}

static void test_events(size_t i, struct td_machine *machine, int level)
{
	const struct td_pmu *pmu = only(machine, rows[i].pmu);
	struct td_plan plan = { 0 };
	struct td_tree tree;
	struct td_err err = { 0 };
	char want[1024];
	int rc = test_build_levels(&tree, &plan, machine, level, false, &err);

	snprintf(want, sizeof(want), "%s%s%s", rows[i].level_1,
		 level > 1 && *rows[i].level_2 ? " " : "", level > 1 ? rows[i].level_2 : "");
	ok(rc == 0, "%s %s: tree of level %d %s", rows[i].model, rows[i].pmu, level, err.msg);
	ok(events_are(&plan, pmu->name, want), "%s %s: events of level %d", rows[i].model,
	   rows[i].pmu, level);
	td_tree_free(&tree);
	td_plan_free(&plan);
}

struct names {
	const struct td_metric_set *set;
};

/* Looks up only events and metrics of the set, and one constant. */
static int find_name(void *ctx, const char *name)
{
	struct names *names = ctx;
	const struct td_metric_set *set = names->set;

	for (size_t i = 0; i < set->nr_events; i++) {
		if (strcmp(set->events[i].id, name) == 0)
			return (int)i;
	}
	for (size_t i = 0; i < set->nr_metrics; i++) {
		if (strcmp(set->metrics[i].name, name) == 0)
			return (int)(set->nr_events + i);
	}
	return strcmp(name, "#width") == 0 ? 63 : -ENOENT;
}

static bool parses(struct names *names, const char *formula)
{
	struct td_err err = { 0 };
	struct td_expr *expr;
	int rc = td_expr_parse(&expr, formula, find_name, names, &err);

	if (rc)
		printf("# %s\n", err.msg);
	td_expr_free(expr);
	return rc == 0;
}

static const struct td_metric_def *find(const struct td_metric_set *set, const char *name)
{
	for (size_t i = 0; i < set->nr_metrics; i++) {
		if (strcmp(set->metrics[i].name, name) == 0)
			return &set->metrics[i];
	}
	return NULL;
}

static int column(const char *name)
{
	for (size_t i = 0; i < td_nr_builtin_columns; i++) {
		if (strcmp(td_builtin_columns[i].name, name) == 0)
			return (int)i;
	}
	return -1;
}

static bool same_parent(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Checks a metric's column (after *last), parent and level. */
static bool is_in_place(const struct td_metric_set *set, const struct td_metric_def *def, int *last)
{
	const struct td_metric_def *parent = def->parent ? find(set, def->parent) : NULL;
	int here = column(def->name);
	bool ordered = here > *last;

	*last = here;
	if (here < 0 || !ordered || td_builtin_columns[here].level != def->level ||
	    !same_parent(td_builtin_columns[here].parent, def->parent))
		return false;
	if (def->level == 1)
		return !def->parent;
	return parent && parent < def && parent->level == def->level - 1;
}

static void test_set(const char *name, const struct td_metric_set *set)
{
	struct names names = { .set = set };
	bool formulas = true, thresholds = true, in_place = true;
	int last = -1, deepest = 0, tops = 0;

	for (size_t i = 0; i < set->nr_metrics; i++) {
		const struct td_metric_def *def = &set->metrics[i];

		formulas &= parses(&names, def->formula);
		deepest = def->level > deepest ? def->level : deepest;
		tops += def->level == 1;
		if (def->level == 0)
			continue;
		in_place &= is_in_place(set, def, &last);
		thresholds &= def->threshold && parses(&names, def->threshold) &&
			      strstr(def->threshold, def->name);
	}
	ok(formulas, "%s: formulas", name);
	ok(thresholds, "%s: thresholds, each of its own metric", name);
	ok(in_place, "%s: parents, levels and columns in their order", name);
	ok(deepest == set->levels && tops == 4, "%s: %d levels, 4 on top", name, set->levels);
	ok(find(set, TD_SLOTS) && find(set, TD_SLOTS)->level == 0, "%s: has slots", name);
}

static void test_row(size_t i)
{
	const struct td_metric_set *set;
	struct td_machine machine;
	char name[64];

	test_machine(&machine, rows[i].model);
	set = td_builtin_find(&machine, only(&machine, rows[i].pmu));
	snprintf(name, sizeof(name), "%s %s", rows[i].model, rows[i].pmu);
	ok(set ? set->levels == rows[i].levels : rows[i].levels == 0, "%s: %d levels", name,
	   rows[i].levels);
	if (set && rows[i].levels) {
		test_set(name, set);
		ok(same_parent(set->reference, rows[i].reference) &&
			   set->one_group == rows[i].one_group && set->per_core == rows[i].per_core,
		   "%s: reference and groups", name);
		for (int level = 1; level <= 2; level++)
			test_events(i, &machine, level);
	}
	td_machine_free(&machine);
}

static void test_partial(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(partial); i++) {
		struct td_machine machine = { 0 };
		const struct td_metric_set *set;

		test_add_pmu(&machine, &partial[i].pmu);
		set = td_builtin_find(&machine, &machine.pmus[0]);
		ok((set ? set->levels : 0) == partial[i].levels, "%s", partial[i].name);
		td_machine_free(&machine);
	}
}

static void test_columns(void)
{
	bool good = true;

	for (int i = 0; i < (int)td_nr_builtin_columns; i++) {
		const struct td_metric_def *def = &td_builtin_columns[i];

		good &= column(def->name) == i; /* no name appears twice */
		if (def->level == 1)
			good &= !def->parent;
		else
			good &= column(def->parent) >= 0 && column(def->parent) < i &&
				td_builtin_columns[column(def->parent)].level == def->level - 1;
	}
	ok(good, "columns: one a name, behind their parents");
}

int main(void)
{
	test_columns();
	for (size_t i = 0; i < TD_ARRAY_SIZE(rows); i++)
		test_row(i);
	test_partial();
	return done_testing();
}
