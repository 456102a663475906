// SPDX-License-Identifier: GPL-2.0-only
/* Compiles formulas, and finds the events and metrics that they need. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"
#include "lib/plan/plan.h"
#include "metrics/sets/set.h"
#include "metrics/tree/scope.h"

#define MAX_DEPTH 64 /* of metrics that refer to other metrics */

/* --- formulas ------------------------------------------------------------- */

/* The operands that a formula needs. */
struct needed {
	struct td_scope *scope;
	struct td_ints *slots;
	int rc;
};

static bool is_known(void *ctx, int slot)
{
	const struct needed *needed = ctx;

	return needed->scope->tree->operands[slot].kind == TD_OPERAND_CONSTANT;
}

static void note_slot(void *ctx, int slot)
{
	struct needed *needed = ctx;

	if (!td_ints_has(needed->slots, slot))
		needed->rc |= td_ints_add(needed->slots, slot);
}

/*
 * Finds an operand's events, also for the calls that count its units or CPUs.
 */
static int ready_event(struct td_scope *scope, int slot)
{
	struct td_operand *operand = &scope->tree->operands[slot];
	int rc;

	if (operand->state != TD_OPERAND_NEW)
		return 0;
	/* the speed of the TSC is known, so nobody has to count it */
	if (operand->kind == TD_OPERAND_CLOCK && scope->tree->tsc_hz > 0 &&
	    td_tree_is_tsc(operand->name)) {
		operand->state = TD_OPERAND_READY;
		return 0;
	}
	rc = td_tree_find_events(scope, operand);
	if (rc)
		return rc;
	if (!operand->refusal)
		operand->state = TD_OPERAND_READY;
	return 0;
}

static int ready_metric(struct td_scope *scope, int slot)
{
	struct td_tree *tree = scope->tree;
	int index;

	if (tree->operands[slot].state == TD_OPERAND_BUSY)
		return td_operand_refuse(&tree->operands[slot],
					 "its formula refers to itself");
	if (tree->operands[slot].state != TD_OPERAND_NEW)
		return 0;
	if (scope->no_new)
		return td_operand_refuse(&tree->operands[slot],
					 "it is not counted");
	return td_tree_compile(scope, tree->operands[slot].def, &index);
}

static int ready(struct td_scope *scope, int slot)
{
	switch (scope->tree->operands[slot].kind) {
	case TD_OPERAND_EVENT:
	case TD_OPERAND_SOURCES:
	case TD_OPERAND_CPUS:
	case TD_OPERAND_CLOCK:
		return ready_event(scope, slot);
	case TD_OPERAND_METRIC:
		return ready_metric(scope, slot);
	default:
		return 0;
	}
}

static const struct td_ints *events_of(const struct td_tree *tree, int slot)
{
	for (size_t i = 0; i < tree->nr_metrics; i++) {
		if (tree->metrics[i].slot == slot)
			return &tree->metrics[i].events;
	}
	return &tree->operands[slot].events;
}

/*
 * Makes all operands of a formula ready, and adds them to slots; *refused: the first
 * one without a value, or -1.
 */
static int ready_all(struct td_scope *scope, const struct td_expr *expr,
		     struct td_ints *slots, struct td_ints *events,
		     int *refused)
{
	struct needed needed = { scope, slots, 0 };
	int rc;

	*refused = -1;
	td_expr_each_needed(expr, scope->tree->constants, is_known, note_slot,
			    &needed);
	rc = needed.rc;
	for (size_t i = 0; !rc && i < slots->nr; i++) {
		int slot = slots->v[i];

		rc = ready(scope, slot);
		if (!rc && scope->tree->operands[slot].refusal && *refused < 0)
			*refused = slot;
		if (!rc)
			rc = td_ints_add_all(events,
					     events_of(scope->tree, slot));
	}
	return rc;
}

static int ready_value(struct td_scope *scope, struct td_metric *metric,
		       int *refused)
{
	struct td_ints slots = { 0 };
	int rc = ready_all(scope, metric->value, &slots, &metric->events,
			   refused);

	if (!rc && *refused < 0)
		rc = td_tree_place(scope, metric->value, &slots);
	td_ints_free(&slots);
	return rc;
}

/*
 * Parses a formula.  If it is not valid, *out is NULL and why has the reason,
 * but that is no error: newer files may use words that this program does not
 * know.
 */
static int parse(struct td_scope *scope, struct td_expr **out, const char *text,
		 struct td_err *why)
{
	int rc = td_expr_parse(out, text, td_tree_lookup, scope, why);

	if (rc != -EINVAL && rc != -ENOENT) {
		if (rc)
			*scope->err = *why;
		return rc;
	}
	*out = NULL;
	return 0;
}

static int add_metric(struct td_scope *scope, struct td_metric *metric,
		      int *index)
{
	struct td_tree *tree = scope->tree;
	struct td_metric *added;

	if (asprintf(&metric->name, "%s%s%s", metric->def->name,
		     *scope->mods ? ":" : "", scope->mods) < 0) {
		metric->name = NULL;
		return -ENOMEM;
	}
	added = td_array_add(&tree->metrics, tree->nr_metrics, sizeof(*added));
	if (!added)
		return -ENOMEM;
	*added = *metric;
	*index = (int)tree->nr_metrics++;
	return 0;
}

static void free_metric(struct td_metric *metric)
{
	td_expr_free(metric->value);
	td_ints_free(&metric->events);
	free(metric->name);
}

/* Refuses a metric that needs a refused operand, with the reason of that. */
static int refuse_for(struct td_tree *tree, struct td_metric *metric,
		      int refused)
{
	const struct td_operand *cause = &tree->operands[refused];

	td_expr_free(metric->value);
	metric->value = NULL;
	metric->events.nr = 0;
	if (refused == metric->slot)
		return 0;
	return td_operand_refuse(
		&tree->operands[metric->slot], "%s%s%s",
		cause->kind == TD_OPERAND_METRIC ? cause->name : "",
		cause->kind == TD_OPERAND_METRIC ? ": " : "", cause->refusal);
}

/* Refuses a metric that has no other event than one which does not exist. */
static int refuse_lacking(const struct td_scope *scope,
			  struct td_operand *operand)
{
	if (scope->setup->fixed)
		return td_operand_refuse(operand, "%s was not recorded",
					 scope->lacking);
	return td_operand_refuse(operand, "%s has no %s",
				 scope->setup->machine->pmus[scope->pmu].name,
				 scope->lacking);
}

static int compile(struct td_scope *scope, struct td_metric *metric, int *index)
{
	struct td_tree *tree = scope->tree;
	struct td_err why = { 0 };
	int refused = -1, rc;

	rc = parse(scope, &metric->value, metric->def->formula, &why);
	if (!rc && !metric->value)
		rc = td_operand_refuse(&tree->operands[metric->slot], "%s",
				       why.msg);
	else if (!rc)
		rc = ready_value(scope, metric, &refused);
	if (!rc && scope->lacking && !metric->events.nr)
		rc = refuse_lacking(scope, &tree->operands[metric->slot]);
	if (!rc && tree->operands[metric->slot].refusal)
		refused = metric->slot;
	if (!rc && refused >= 0)
		rc = refuse_for(tree, metric, refused);
	if (!rc && !tree->operands[metric->slot].refusal)
		tree->operands[metric->slot].state = TD_OPERAND_READY;
	return rc ? rc : add_metric(scope, metric, index);
}

/* The index of a metric in the tree, or -1 if it is not compiled yet. */
static int find_compiled(const struct td_tree *tree, int slot)
{
	for (size_t i = 0; i < tree->nr_metrics; i++) {
		if (tree->metrics[i].slot == slot)
			return (int)i;
	}
	return -1;
}

int td_tree_compile(struct td_scope *scope, const struct td_metric_def *def,
		    int *index)
{
	struct td_operand like = td_tree_new_operand(scope, TD_OPERAND_METRIC);
	struct td_metric metric = { .def = def, .pmu = scope->pmu };
	struct td_scope inner = *scope;
	int rc;

	like.def = def;
	metric.column = metric.parent = -1;
	metric.slot = td_tree_intern(scope, &like, def->name, NAN);
	if (metric.slot < 0)
		return metric.slot;
	*index = find_compiled(scope->tree, metric.slot);
	if (*index >= 0)
		return 0;
	if (scope->depth >= MAX_DEPTH)
		return td_err_set(scope->err, -EINVAL,
				  "%s: more than %d metrics refer to each "
				  "other",
				  def->name, MAX_DEPTH);
	scope->tree->operands[metric.slot].state = TD_OPERAND_BUSY;
	inner.def = inner.self = def;
	inner.lacking = NULL;
	inner.depth++;
	rc = compile(&inner, &metric, index);
	scope->keys = inner.keys;
	if (rc)
		free_metric(&metric);
	if (rc == -ENOMEM)
		return td_err_nomem(scope->err);
	return rc;
}

/* --- thresholds ----------------------------------------------------------- */

static int compile_threshold(struct td_scope *scope, size_t i)
{
	struct td_expr *threshold = NULL;
	struct td_ints slots = { 0 }, events = { 0 };
	struct td_err why = { 0 };
	int refused, rc;

	rc = parse(scope, &threshold, scope->def->threshold, &why);
	if (!rc && threshold)
		rc = ready_all(scope, threshold, &slots, &events, &refused);
	td_ints_free(&slots);
	if (rc) {
		td_expr_free(threshold);
		td_ints_free(&events);
		return rc;
	}
	/* a threshold may name metrics without value; then it is not known */
	scope->tree->metrics[i].threshold = threshold;
	scope->tree->metrics[i].extra = events;
	return 0;
}

int td_tree_compile_thresholds(struct td_scope *scope)
{
	struct td_tree *tree = scope->tree;
	size_t nr = tree->nr_metrics;
	int rc = 0;

	for (size_t i = 0; !rc && i < nr; i++) {
		const struct td_metric *metric = &tree->metrics[i];
		struct td_scope inner = *scope;

		if (metric->pmu != scope->pmu || metric->column < 0 ||
		    !metric->value || !metric->def->threshold ||
		    td_is_useful_work(metric->def->name))
			continue;
		inner.def = metric->def;
		inner.self = NULL;
		inner.mods = tree->operands[metric->slot].mods;
		inner.owner = tree->operands[metric->slot].owner;
		rc = compile_threshold(&inner, i);
		scope->keys = inner.keys;
	}
	return rc == -ENOMEM ? td_err_nomem(scope->err) : rc;
}

/* --- the list of events, once all metrics are compiled -------------------- */

static void mark(bool *used, const struct td_ints *events)
{
	for (size_t i = 0; i < events->nr; i++)
		used[events->v[i]] = true;
}

static void renumber(struct td_ints *events, const int *where)
{
	size_t nr = 0;

	for (size_t i = 0; i < events->nr; i++) {
		if (where[events->v[i]] >= 0)
			events->v[nr++] = where[events->v[i]];
	}
	events->nr = nr;
}

static void renumber_all(struct td_tree *tree, const int *where)
{
	for (size_t i = 0; i < tree->nr_operands; i++)
		renumber(&tree->operands[i].events, where);
	for (size_t i = 0; i < tree->nr_metrics; i++) {
		renumber(&tree->metrics[i].events, where);
		renumber(&tree->metrics[i].extra, where);
	}
}

/* Drops the events that only metrics without a value need. */
static int drop_unused(struct td_scope *scope)
{
	struct td_tree *tree = scope->tree;
	struct td_events *events = scope->events;
	td_autofree bool *used = calloc(events->nr + 1, sizeof(*used));
	td_autofree int *where = calloc(events->nr + 1, sizeof(*where));
	size_t nr = 0;

	if (!used || !where)
		return td_err_nomem(scope->err);
	for (size_t i = 0; i < tree->nr_metrics; i++) {
		if (!tree->metrics[i].kept || !tree->metrics[i].value)
			continue;
		mark(used, &tree->metrics[i].events);
		mark(used, &tree->metrics[i].extra);
	}
	for (size_t i = 0; i < events->nr; i++) {
		where[i] = used[i] ? (int)nr : -1;
		if (!used[i])
			td_event_free(&events->v[i]);
		else
			events->v[nr++] = events->v[i];
	}
	events->nr = nr;
	renumber_all(tree, where);
	return 0;
}

int td_tree_first_event(const struct td_events *events, int pmu,
			bool (*is)(const struct td_event *event))
{
	for (size_t i = 0; i < events->nr; i++) {
		if (events->v[i].pmu == pmu && is(&events->v[i]))
			return (int)i;
	}
	return -1;
}

/* Adds SLOTS, whose group the fields need; newer files do not name it. */
static int add_slots(struct td_scope *scope, int pmu)
{
	struct td_events *events = scope->events;
	int field = td_tree_first_event(events, pmu, td_event_is_metric);

	if (field < 0 ||
	    td_tree_first_event(events, pmu, td_event_is_slots) >= 0)
		return 0;
	return td_events_add_slots(events, &scope->setup->machine->pmus[pmu],
				   (size_t)field, scope->err);
}

/*
 * A CPU has one SLOTS counter, so its fields can be counted only with one set
 * of modifiers.
 */
static int check_rings(struct td_scope *scope, int pmu)
{
	const struct td_events *events = scope->events;
	int first = td_tree_first_event(events, pmu, td_event_is_metric);

	for (size_t i = 0; first >= 0 && i < events->nr; i++) {
		const struct td_event *event = &events->v[i];

		if (event->pmu != pmu ||
		    !(td_event_is_metric(event) || td_event_is_slots(event)) ||
		    td_tree_same_rings(&event->mods, &events->v[first].mods))
			continue;
		td_err_usage(scope->err,
			     "-M: %s can count its topdown fields only with "
			     "the same modifiers",
			     scope->setup->machine->pmus[pmu].name);
		return td_err_hint(scope->err,
				   "give all metrics the same modifiers; if "
				   "only thresholds need the fields, use "
				   "--metric-no-threshold");
	}
	return 0;
}

int td_tree_finish_events(struct td_scope *scope)
{
	const struct td_machine *machine = scope->setup->machine;
	int rc = scope->setup->fixed ? 0 : drop_unused(scope);

	for (int pmu = 0;
	     !rc && !scope->setup->fixed && pmu < (int)machine->nr_core;
	     pmu++) {
		if (!td_pmu_has_slots(&machine->pmus[pmu]))
			continue;
		rc = check_rings(scope, pmu);
		if (!rc)
			rc = add_slots(scope, pmu);
	}
	return rc;
}
