// SPDX-License-Identifier: GPL-2.0-only
#include "metrics/tree.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util.h"

/* What a name in a formula is looked up in. */
struct scope {
	struct td_tree *tree;
	struct td_plan *plan;
	const struct td_machine *machine;
	int pmu;
	bool fixed;  /* the events are those that there are */
	bool no_new; /* a threshold must not cost another event */
	int depth;   /* of metrics that refer to metrics */
	struct td_err *err;
	struct td_err cause; /* why a name could not be had */
};

#define MAX_DEPTH 32

/* Returns its index in the tree. */
static int compile_metric(struct scope *scope, const struct td_metric_def *def);

static int new_value(struct td_tree *tree, double value)
{
	double *slot =
		td_array_add(&tree->values, tree->nr_values, sizeof(*slot));

	if (!slot)
		return -ENOMEM;
	*slot = value;
	return (int)tree->nr_values++;
}

static int event_slot(struct td_tree *tree, size_t event)
{
	while (tree->nr_event_slots <= event) {
		int value = new_value(tree, NAN);
		int *slot = td_array_add(&tree->event_slots,
					 tree->nr_event_slots, sizeof(*slot));

		if (!slot || value < 0)
			return -ENOMEM;
		*slot = value;
		tree->nr_event_slots++;
	}
	return tree->event_slots[event];
}

/* The event string of an event of this PMU: "cpu_core/slots/". */
static bool is_named(const struct td_event *event, const struct td_pmu *pmu,
		     const char *id)
{
	size_t len = strlen(pmu->name), id_len = strlen(id);

	return strncmp(event->name, pmu->name, len) == 0 &&
	       event->name[len] == '/' &&
	       strncmp(event->name + len + 1, id, id_len) == 0 &&
	       strcmp(event->name + len + 1 + id_len, "/") == 0;
}

static int add_event(struct scope *scope, const struct td_event_def *def)
{
	const struct td_pmu *pmu = &scope->machine->pmus[scope->pmu];
	struct td_plan *plan = scope->plan;
	struct td_event *event;

	if (scope->no_new || scope->fixed)
		return -ENOENT;
	event = td_array_add(&plan->events, plan->nr_events, sizeof(*event));
	if (!event)
		return td_err_nomem(&scope->cause);
	plan->nr_events++;
	return td_event_init(event, pmu, scope->pmu, def->name, def->terms,
			     &scope->cause);
}

static int find_event(struct scope *scope, const struct td_event_def *def)
{
	const struct td_pmu *pmu = &scope->machine->pmus[scope->pmu];
	struct td_plan *plan = scope->plan;
	int rc;

	for (size_t i = 0; i < plan->nr_events; i++) {
		if (is_named(&plan->events[i], pmu, def->name))
			return event_slot(scope->tree, i);
	}
	rc = add_event(scope, def);
	return rc ? rc : event_slot(scope->tree, plan->nr_events - 1);
}

static const struct td_event_def *event_def(const struct td_metric_set *set,
					    const char *id)
{
	for (size_t i = 0; i < set->nr_events; i++) {
		if (strcmp(set->events[i].id, id) == 0)
			return &set->events[i];
	}
	return NULL;
}

static const struct td_metric_def *metric_def(const struct td_metric_set *set,
					      const char *name)
{
	for (size_t i = 0; i < set->nr_metrics; i++) {
		if (strcmp(set->metrics[i].name, name) == 0)
			return &set->metrics[i];
	}
	return NULL;
}

/* Its index in the tree; -1: not compiled yet. */
static int compiled(const struct td_tree *tree, int pmu,
		    const struct td_metric_def *def)
{
	for (size_t i = 0; i < tree->nr_metrics; i++) {
		if (tree->metrics[i].pmu == pmu && tree->metrics[i].def == def)
			return (int)i;
	}
	return -1;
}

/* The index of a metric, compiled now if it was not before. */
static int need_metric(struct scope *scope, const struct td_metric_def *def)
{
	int index = compiled(scope->tree, scope->pmu, def);

	if (index >= 0)
		return index;
	return scope->no_new ? -ENOENT : compile_metric(scope, def);
}

static int find_metric(struct scope *scope, const struct td_metric_def *def)
{
	int index = need_metric(scope, def);

	return index < 0 ? index : scope->tree->metrics[index].slot;
}

static int lookup(void *ctx, const char *name)
{
	struct scope *scope = ctx;
	const struct td_metric_set *set = scope->tree->sets[scope->pmu];
	const struct td_pmu *pmu = &scope->machine->pmus[scope->pmu];
	const struct td_event_def *event = event_def(set, name);
	const struct td_metric_def *metric = metric_def(set, name);

	if (event)
		return find_event(scope, event);
	if (metric)
		return find_metric(scope, metric);
	if (strcmp(name, "#width") == 0)
		return new_value(scope->tree, td_uarch_width(pmu->uarch));
	return -ENOENT;
}

/* A threshold may name what is not counted: that is not known then. */
static int lookup_or_unknown(void *ctx, const char *name)
{
	struct scope *scope = ctx;
	int slot = lookup(ctx, name);

	return slot == -ENOENT ? new_value(scope->tree, NAN) : slot;
}

struct gather {
	const struct td_tree *tree;
	struct td_ints *events;
	int rc;
};

static void gather_slot(void *ctx, int slot)
{
	struct gather *g = ctx;

	for (size_t i = 0; i < g->tree->nr_event_slots; i++) {
		if (g->tree->event_slots[i] == slot)
			g->rc |= td_ints_add(g->events, (int)i);
	}
	for (size_t i = 0; i < g->tree->nr_metrics; i++) {
		const struct td_metric *metric = &g->tree->metrics[i];

		if (metric->slot != slot)
			continue;
		for (size_t j = 0; j < metric->events.nr; j++)
			g->rc |= td_ints_add(g->events, metric->events.v[j]);
	}
}

static int compile_metric(struct scope *scope, const struct td_metric_def *def)
{
	struct td_tree *tree = scope->tree;
	struct td_metric metric = { .def = def, .pmu = scope->pmu }, *place;
	struct gather gather = { tree, &metric.events, 0 };
	int rc;

	if (scope->depth >= MAX_DEPTH)
		return td_err_set(scope->err, -EINVAL, "%s refers to itself",
				  def->name);
	scope->depth++;
	rc = td_expr_parse(&metric.value, def->formula, lookup, scope,
			   scope->err);
	scope->depth--;
	/* more than the name is unknown: the file behind it makes no sense */
	if (rc && scope->cause.code)
		*scope->err = scope->cause;
	if (rc)
		return rc;
	td_expr_each_slot(metric.value, gather_slot, &gather);
	metric.slot = new_value(tree, NAN);
	place = td_array_add(&tree->metrics, tree->nr_metrics, sizeof(*place));
	if (!place || metric.slot < 0 || gather.rc) {
		td_expr_free(metric.value);
		td_ints_free(&metric.events);
		return td_err_nomem(scope->err);
	}
	metric.column = -1;
	*place = metric;
	return (int)tree->nr_metrics++;
}

static int column_of(const struct td_tree *tree, const char *name)
{
	for (size_t i = 0; i < tree->nr_columns; i++) {
		if (strcmp(tree->columns[i].name, name) == 0)
			return (int)i;
	}
	return -1;
}

/* Shown, or a part of what costs nothing more, or the weight of the rest. */
static bool is_wanted(const struct td_metric_set *set,
		      const struct td_metric_def *def, bool shown)
{
	return shown || set->one_group || strcmp(def->name, TD_SLOTS) == 0;
}

/* The metrics that are shown, and that their thresholds can be known by. */
static int compile_shown(struct scope *scope, int level)
{
	struct td_tree *tree = scope->tree;
	const struct td_metric_set *set = tree->sets[scope->pmu];

	for (size_t i = 0; i < set->nr_metrics; i++) {
		const struct td_metric_def *def = &set->metrics[i];
		bool shown = def->level >= 1 && def->level <= level;
		int index, column;

		if (!is_wanted(set, def, shown))
			continue;
		index = need_metric(scope, def);
		/* what was not recorded is not there to be shown */
		if (index == -ENOENT && scope->fixed)
			continue;
		if (index < 0)
			return index;
		column = shown ? column_of(tree, def->name) : -1;
		tree->metrics[index].column = column;
		if (column < 0)
			continue;
		tree->columns[column].present = true;
		if (def->level > tree->levels[scope->pmu])
			tree->levels[scope->pmu] = def->level;
	}
	return 0;
}

static int compile_thresholds(struct scope *scope)
{
	struct td_tree *tree = scope->tree;
	int rc = 0;

	scope->no_new = true;
	for (size_t i = 0; !rc && i < tree->nr_metrics; i++) {
		struct td_metric *metric = &tree->metrics[i];

		if (metric->pmu == scope->pmu && metric->column >= 0 &&
		    metric->def->threshold)
			rc = td_expr_parse(
				&metric->threshold, metric->def->threshold,
				lookup_or_unknown, scope, scope->err);
	}
	scope->no_new = false;
	return rc;
}

static int add_columns(struct td_tree *tree, int level)
{
	for (size_t i = 0; i < td_nr_builtin_columns; i++) {
		const struct td_column_def *def = &td_builtin_columns[i];
		struct td_column *column;

		if (def->level > level)
			continue;
		column = td_array_add(&tree->columns, tree->nr_columns,
				      sizeof(*column));
		if (!column)
			return -ENOMEM;
		*column = (struct td_column){
			.name = def->name,
			.parent = def->parent,
			.unit = "%",
			.level = def->level,
		};
		tree->nr_columns++;
	}
	return 0;
}

/* One need a metric that is shown, the upper levels first. */
static int add_needs(struct td_tree *tree, int deepest)
{
	for (int level = 1; level <= deepest; level++) {
		for (size_t i = 0; i < tree->nr_metrics; i++) {
			const struct td_metric *metric = &tree->metrics[i];
			struct td_need *need;

			if (metric->column < 0 || metric->def->level != level)
				continue;
			need = td_array_add(&tree->needs, tree->nr_needs,
					    sizeof(*need));
			if (!need)
				return -ENOMEM;
			need->events = metric->events.v;
			need->nr = metric->events.nr;
			need->rank = level;
			tree->nr_needs++;
		}
	}
	return 0;
}

/* The plan's event that stands for the set's reference; -1: none. */
static int find_reference(const struct scope *scope)
{
	const struct td_metric_set *set = scope->tree->sets[scope->pmu];
	const struct td_event_def *def =
		set->reference ? event_def(set, set->reference) : NULL;
	const struct td_pmu *pmu = &scope->machine->pmus[scope->pmu];

	for (size_t i = 0; def && i < scope->plan->nr_events; i++) {
		if (is_named(&scope->plan->events[i], pmu, def->name))
			return (int)i;
	}
	return -1;
}

static int build_pmu(struct scope *scope, int level)
{
	int rc = compile_shown(scope, level);

	if (!rc && scope->tree->levels[scope->pmu] == 0)
		scope->tree->sets[scope->pmu] = NULL;
	if (rc || !scope->tree->sets[scope->pmu])
		return rc;
	scope->tree->references[scope->pmu] = find_reference(scope);
	return compile_thresholds(scope);
}

int td_tree_build(struct td_tree *tree, struct td_plan *plan,
		  const struct td_machine *machine, int level, bool fixed,
		  struct td_err *err)
{
	struct scope scope = { tree, plan, machine, .fixed = fixed,
			       .err = err };
	int rc;

	*tree = (struct td_tree){
		.plan = plan,
		.machine = machine,
		.nr_pmus = machine->nr_core,
	};
	tree->sets = calloc(machine->nr_core + 1, sizeof(const void *));
	tree->levels = calloc(machine->nr_core + 1, sizeof(int));
	tree->references = calloc(machine->nr_core + 1, sizeof(int));
	if (!tree->sets || !tree->levels || !tree->references ||
	    add_columns(tree, level))
		return td_err_nomem(err);
	for (size_t i = 0; i < machine->nr_core; i++) {
		tree->references[i] = -1;
		if (machine->pmus[i].skip)
			continue;
		tree->sets[i] = td_builtin_find(machine, &machine->pmus[i]);
		if (!tree->sets[i])
			continue;
		scope.pmu = (int)i;
		rc = build_pmu(&scope, level);
		if (rc)
			return rc;
	}
	/* recorded events that no metric uses have values all the same */
	if (plan->nr_events && event_slot(tree, plan->nr_events - 1) < 0)
		return td_err_nomem(err);
	return add_needs(tree, level) ? td_err_nomem(err) : 0;
}

void td_tree_free(struct td_tree *tree)
{
	for (size_t i = 0; i < tree->nr_metrics; i++) {
		td_expr_free(tree->metrics[i].value);
		td_expr_free(tree->metrics[i].threshold);
		td_ints_free(&tree->metrics[i].events);
	}
	free(tree->sets);
	free(tree->metrics);
	free(tree->event_slots);
	free(tree->values);
	free(tree->columns);
	free(tree->needs);
	free(tree->levels);
	free(tree->references);
	*tree = (struct td_tree){ 0 };
}
