// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compares levels 1 and 2 with values that the formulas of the kernel tree's
 * metric files give for the same counts.  They are in the file TD_ORACLE, which
 * make-oracle writes without a line of tdstat's.
 */
#include <json-c/json.h>

#include "metrics/eval/eval.h"
#include "tests/unit/levels.h"
#include "tests/unit/machine.h"
#include "tests/unit/test.h"

#define TOLERANCE 1e-9 /* relative difference */

/* clang-format off */
static const struct {
	const char *dir, *pmu, *model;
} sets[] = {
	{ "alderlake", "cpu_core", "adl" },
	{ "alderlake", "cpu_atom", "adl" },
	{ "sapphirerapids", "cpu", "spr" },
	{ "icelakex", "cpu", "icx" },
	{ "skylakex", "cpu", "skx" },
	{ "meteorlake", "cpu_core", "mtl" },
	{ "meteorlake", "cpu_atom", "mtl" },
	{ "lunarlake", "cpu_core", "lnl" },
	{ "lunarlake", "cpu_atom", "lnl" },
	{ "arrowlake", "cpu_core", "lnl" },
	{ "arrowlake", "cpu_atom", "lnl" },
	{ "graniterapids", "cpu", "gnr" },
};

/* Names in the metric files of events that sysfs calls otherwise. */
static const struct {
	const char *ours, *theirs;
	bool smt_off, smt_on; /* only in this case */
} names[] = {
	{ "slots", "TOPDOWN.SLOTS" },
	{ "cycles", "CPU_CLK_UNHALTED.CORE" },
	{ "topdown-retiring", "TOPDOWN_RETIRING.ALL" },
	{ "topdown-retiring", "TOPDOWN_RETIRING.ALL_P" },
	{ "topdown-be-bound", "TOPDOWN_BE_BOUND.ALL" },
	{ "topdown-be-bound", "TOPDOWN_BE_BOUND.ALL_P" },
	{ "topdown-fe-bound", "TOPDOWN_FE_BOUND.ALL" },
	{ "topdown-fe-bound", "TOPDOWN_FE_BOUND.ALL_P" },
	{ "topdown-bad-spec", "TOPDOWN_BAD_SPECULATION.ALL_P" },
	/*
	 * Slots in the files are 4 * CORE_CLKS, which is THREAD, or THREAD_ANY
	 * / 2 with hyper-threading; in sysfs they are cycles with a scale of 4
	 * or 2.
	 */
	{ "topdown-total-slots", "CPU_CLK_UNHALTED.THREAD", .smt_off = true },
	{ "topdown-total-slots", "CPU_CLK_UNHALTED.THREAD_ANY",
	  .smt_on = true },
	{ "topdown-recovery-bubbles", "INT_MISC.RECOVERY_CYCLES",
	  .smt_off = true },
	{ "topdown-recovery-bubbles", "INT_MISC.RECOVERY_CYCLES_ANY",
	  .smt_on = true },
	{ "topdown-fetch-bubbles", "IDQ_UOPS_NOT_DELIVERED.CORE" },
	{ "topdown-slots-issued", "UOPS_ISSUED.ANY" },
	{ "topdown-slots-retired", "UOPS_RETIRED.RETIRE_SLOTS" },
};
/* clang-format on */

struct oracle {
	struct json_object *set, *test; /* one of the machine's cases */
	const char *dir, *pmu;
	size_t number;
	bool smt;
	/* to check that values were compared at all */
	int values, nulls, flags;
};

static struct json_object *get(struct json_object *object, const char *key)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(object, key, &value);
	return value;
}

static const char *get_string(struct json_object *object, const char *key)
{
	return json_object_get_string(get(object, key));
}

static bool get_count(const struct oracle *o, const char *name, uint64_t *count)
{
	struct json_object *counts = get(o->test, "counts"), *value;
	char full[128];

	snprintf(full, sizeof(full), "%s/%s/", o->pmu, name);
	if (!json_object_object_get_ex(counts, full, &value) &&
	    !json_object_object_get_ex(counts, name, &value))
		return false;
	*count = json_object_get_uint64(value);
	return true;
}

static bool find_count(const struct oracle *o, const char *name, uint64_t *count)
{
	if (get_count(o, name, count))
		return true;
	for (size_t i = 0; i < TD_ARRAY_SIZE(names); i++) {
		if (strcmp(names[i].ours, name) != 0 || (names[i].smt_off && o->smt) ||
		    (names[i].smt_on && !o->smt))
			continue;
		if (get_count(o, names[i].theirs, count))
			return true;
	}
	printf("# no count for %s\n", name);
	return false;
}

/* The counts of the set's PMU, read on its first CPU. */
static bool fill_readings(const struct oracle *o, const struct td_machine *machine,
			  const struct td_plan *plan, struct td_readings *readings)
{
	readings->v = calloc(plan->events.nr, sizeof(*readings->v));
	for (size_t i = 0; i < plan->events.nr; i++) {
		const struct td_pmu *pmu = &machine->pmus[plan->events.v[i].pmu];
		const char *id = plan->events.v[i].name + strlen(pmu->name) + 1;
		td_autofree char *name = strndup(id, strlen(id) - 1);
		struct td_reading *reading = &readings->v[readings->nr];

		if (strcmp(pmu->name, o->pmu) != 0)
			continue;
		*reading = (struct td_reading){ (int)i, pmu->cpus.v[0], -1,
						0,      1000000000,     1000000000 };
		if (!find_count(o, name, &reading->value))
			return false;
		readings->nr++;
	}
	return true;
}

static bool is_quirk(const struct oracle *o, const char *metric)
{
	struct json_object *list = get(o->test, "quirk");
	size_t nr = list ? json_object_array_length(list) : 0;

	for (size_t i = 0; i < nr; i++) {
		struct json_object *one = json_object_array_get_idx(list, i);

		if (strcmp(json_object_get_string(one), metric) == 0)
			return true;
	}
	return false;
}

static void check_flag(struct oracle *o, const char *metric, const struct td_cell *cell)
{
	struct json_object *flags = get(o->test, "over_threshold"), *flag;

	if (!flags || !json_object_object_get_ex(flags, metric, &flag))
		return;
	o->flags++;
	ok(cell->over_threshold == (json_object_get_int(flag) != 0),
	   "%s %s, case %zu: over the threshold of %s", o->dir, o->pmu, o->number, metric);
}

static void check_value(struct oracle *o, const char *metric, const struct td_cell *cell)
{
	struct json_object *want = get(get(o->test, "values"), metric);
	double value = 100 * json_object_get_double(want);

	if (!want) {
		o->nulls++;
		ok(cell->status == TD_STATUS_NOT_COUNTED && isnan(cell->value),
		   "%s %s, case %zu: no %s", o->dir, o->pmu, o->number, metric);
		return;
	}
	o->values++;
	ok(cell->status == TD_STATUS_OK && fabs(cell->value - value) <= TOLERANCE * fabs(value),
	   "%s %s, case %zu: %s is %.12g", o->dir, o->pmu, o->number, metric, value);
	if (!(fabs(cell->value - value) <= TOLERANCE * fabs(value)))
		printf("# got: %.12g\n", cell->value);
}

static const struct td_metric_set *set_of(const struct td_tree *tree, const char *pmu)
{
	size_t i = 0;

	while (strcmp(tree->machine->pmus[i].name, pmu) != 0)
		i++;
	return tree->sets[i];
}

/* Exactly the metrics that the files have down to this level. */
static void check_row(struct oracle *o, const struct td_tree *tree, int level,
		      const struct td_report *report)
{
	struct json_object *levels = get(o->set, "levels");
	const struct td_metric_set *set = set_of(tree, report->rows[0].pmu);
	int shown = 0, wanted = 0;

	json_object_object_foreach(levels, name, its_level)
	{
		(void)name;
		wanted += json_object_get_int(its_level) <= level;
	}
	for (size_t i = 0; i < report->nr_columns; i++) {
		const char *metric = report->columns[i].name;
		const struct td_cell *cell = &report->rows[0].cells[i];

		if (cell->status == TD_STATUS_NONE)
			continue;
		shown += get(levels, metric) != NULL;
		if (is_quirk(o, metric))
			continue;
		check_value(o, metric, cell);
		/*
		 * the threshold of retiring does not use heavy operations at
		 * level 1
		 */
		if (level == 1 && !set->one_group && strcmp(metric, "tma_retiring") == 0)
			continue;
		check_flag(o, metric, cell);
	}
	ok(shown == wanted, "%s %s, case %zu: %d metrics", o->dir, o->pmu, o->number, wanted);
}

static void check_case(struct oracle *o, const char *model, int level)
{
	struct td_machine machine;
	struct td_plan plan = { 0 };
	struct td_tree tree;
	struct td_readings readings = { 0 };
	struct td_totals totals = { 0 };
	struct td_evaluation evaluation = { 0 };
	struct td_report report = { 0 };
	const struct td_aggregator all = { TD_AGGREGATE_ALL };
	struct td_err err = { 0 };

	test_machine(&machine, model);
	if (test_build_levels(&tree, &plan, &machine, level, false, &err) ||
	    !fill_readings(o, &machine, &plan, &readings)) {
		ok(false, "%s %s, case %zu: %s", o->dir, o->pmu, o->number, err.msg);
	} else {
		td_aggregate(&all, &readings, &plan, &totals);
		td_evaluation_make(&evaluation, &tree, &plan);
		td_eval(&evaluation, &totals, NULL, false, &report);
		if (report.nr_rows != 1)
			ok(false, "%s %s, case %zu: rows", o->dir, o->pmu, o->number);
		else
			check_row(o, &tree, level, &report);
	}
	td_report_free(&report);
	td_evaluation_free(&evaluation);
	td_totals_free(&totals);
	free(readings.v);
	td_tree_free(&tree);
	td_plan_free(&plan);
	td_machine_free(&machine);
}

/* For tasks, the files count slots with events that sysfs does not have. */
static bool is_comparable(struct json_object *literals)
{
	struct json_object *core_wide = get(literals, "#core_wide");

	return !core_wide || json_object_get_int(core_wide) == 1;
}

static void check_set(struct oracle *o, const char *model)
{
	struct json_object *cases = get(o->set, "cases");

	for (size_t i = 0; i < json_object_array_length(cases); i++) {
		bool old = strcmp(model, "skx") == 0;
		struct json_object *literals;

		o->number = i;
		o->test = json_object_array_get_idx(cases, i);
		literals = get(o->test, "literals");
		if (!is_comparable(literals))
			continue;
		o->smt = json_object_get_int(get(literals, "#smt_on")) != 0;
		for (int level = 1; level <= 2; level++)
			check_case(o, old && o->smt ? "skx-smt" : model, level);
	}
}

static const char *model_of(const char *dir, const char *pmu)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(sets); i++) {
		if (strcmp(sets[i].dir, dir) == 0 && strcmp(sets[i].pmu, pmu) == 0)
			return sets[i].model;
	}
	return NULL;
}

static void check_file(struct json_object *file)
{
	struct json_object *array = get(file, "sets");
	struct oracle o = { 0 };
	size_t known = 0;

	for (size_t i = 0; i < json_object_array_length(array); i++) {
		const char *model;

		o.set = json_object_array_get_idx(array, i);
		o.dir = get_string(o.set, "dir");
		o.pmu = get_string(o.set, "pmu");
		model = model_of(o.dir, o.pmu);
		if (!model)
			continue;
		known++;
		check_set(&o, model);
	}
	ok(known == TD_ARRAY_SIZE(sets), "%zu sets", known);
	ok(o.values > 0 && o.nulls > 0 && o.flags > 0,
	   "%d values, %d that are not known, %d thresholds", o.values, o.nulls, o.flags);
}

int main(void)
{
	const char *path = getenv("TD_ORACLE");
	struct json_object *file = path && *path ? json_object_from_file(path) : NULL;

	if (file)
		check_file(file);
	else
		ok(true, "values to compare with # SKIP no TD_ORACLE");
	json_object_put(file);
	return done_testing();
}
