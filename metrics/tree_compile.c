// SPDX-License-Identifier: GPL-2.0-only
/* Formulas -> programs, and what their names stand for. */
#include <errno.h>
#include <math.h>
#include <regex.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/uarch.h"
#include "lib/util.h"
#include "metrics/tree_parts.h"

#define MAX_DEPTH 64 /* of metrics that refer to metrics */

int td_operand_refuse(struct td_operand *operand, const char *fmt, ...)
{
	va_list args;
	int rc;

	if (operand->refusal)
		return 0;
	va_start(args, fmt);
	rc = vasprintf(&operand->refusal, fmt, args);
	va_end(args);
	operand->state = TD_OPERAND_REFUSED;
	if (rc >= 0)
		return 0;
	operand->refusal = NULL;
	return -ENOMEM;
}

/* --- names ---------------------------------------------------------------------- */

static const struct td_event_def *find_event(const struct td_metric_set *set,
					     const char *id)
{
	for (size_t i = 0; i < set->nr_events; i++) {
		if (strcmp(set->events[i].id, id) == 0)
			return &set->events[i];
	}
	return NULL;
}

static int find_operand(const struct td_scope *scope,
			const struct td_operand *like, const char *name)
{
	for (size_t i = 0; i < scope->tree->nr_operands; i++) {
		const struct td_operand *o = &scope->tree->operands[i];

		if (o->kind == like->kind && o->pmu == like->pmu &&
		    o->owner == like->owner && o->def == like->def &&
		    strcmp(o->mods, like->mods) == 0 &&
		    strcmp(o->name, name) == 0)
			return (int)i;
	}
	return -1;
}

static int add_operand(struct td_scope *scope, const struct td_operand *like,
		       const char *name, double value)
{
	struct td_tree *tree = scope->tree;
	struct td_operand *operand;
	double *slot;

	slot = td_array_add(&tree->values, tree->nr_operands, sizeof(*slot));
	operand = td_array_add(&tree->operands, tree->nr_operands,
			       sizeof(*operand));
	if (!operand || !slot)
		return td_err_nomem(scope->err);
	*slot = value;
	*operand = *like;
	operand->name = strdup(name);
	if (!operand->name)
		return td_err_nomem(scope->err);
	return (int)tree->nr_operands++;
}

/* The operand of that name; one that is like it if there was none. */
static int intern(struct td_scope *scope, const struct td_operand *like,
		  const char *name, double value)
{
	int index = find_operand(scope, like, name);

	return index >= 0 ? index : add_operand(scope, like, name, value);
}

static struct td_operand new_operand(const struct td_scope *scope,
				     enum td_operand_kind kind)
{
	return (struct td_operand){
		.pmu = scope->pmu,
		.mods = scope->mods,
		.owner = scope->owner,
		.kind = kind,
	};
}

static int constant(struct td_scope *scope, const char *name, double value)
{
	struct td_operand like = new_operand(scope, TD_OPERAND_CONSTANT);

	like.state = TD_OPERAND_READY;
	return intern(scope, &like, name, value);
}

/* "has_event" of "has_event(x)", with its x; false: not that call. */
static bool is_call(const char *name, const char *function, char *arg,
		    size_t size)
{
	size_t len = strlen(function), end = strlen(name);

	if (strncmp(name, function, len) != 0 || name[len] != '(')
		return false;
	snprintf(arg, size, "%.*s", (int)(end - len - 2), name + len + 1);
	return true;
}

/* Is the processor one of those that a regular expression means? */
static double is_this_processor(const struct td_machine *machine,
				const char *expression)
{
	char cpuid[48];
	regex_t regex;
	bool match;

	td_cpuid_format(&machine->cpuid, cpuid);
	if (regcomp(&regex, expression, REG_EXTENDED | REG_NOSUB))
		return NAN;
	match = regexec(&regex, cpuid, 0, NULL, 0) == 0;
	regfree(&regex);
	return match;
}

/* How perf calls the times that it takes itself. */
static enum td_tool find_time(const char *name)
{
	static const struct {
		const char *name;
		enum td_tool tool;
	} times[] = {
		{ "duration_time", TD_TOOL_DURATION_TIME },
		{ "user_time", TD_TOOL_USER_TIME },
		{ "system_time", TD_TOOL_SYSTEM_TIME },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(times); i++) {
		if (strcasecmp(times[i].name, name) == 0)
			return times[i].tool;
	}
	return TD_TOOL_NONE;
}

static int lookup_call(struct td_scope *scope, const char *name, bool *is)
{
	enum td_operand_kind kind = TD_OPERAND_CONSTANT;
	char arg[256];

	*is = true;
	if (is_call(name, "strcmp_cpuid_str", arg, sizeof(arg)))
		return constant(scope, name,
				is_this_processor(scope->setup->machine, arg));
	if (is_call(name, "source_count", arg, sizeof(arg)))
		kind = TD_OPERAND_SOURCES;
	else if (is_call(name, "aggr_nr", arg, sizeof(arg)))
		kind = TD_OPERAND_CPUS;
	if (kind != TD_OPERAND_CONSTANT) {
		struct td_operand like = new_operand(scope, kind);

		return intern(scope, &like, arg, NAN);
	}
	*is = is_call(name, "has_event", arg, sizeof(arg));
	if (*is) {
		struct td_operand like = new_operand(scope, TD_OPERAND_EVENT);
		int index = intern(scope, &like, arg, NAN), rc = 0;

		if (index < 0)
			return index;
		if (scope->tree->operands[index].state == TD_OPERAND_NEW)
			rc = td_tree_find_events(scope,
						 &scope->tree->operands[index]);
		if (rc)
			return rc < 0 ? rc : -EAGAIN;
		return constant(scope, name,
				!scope->tree->operands[index].refusal);
	}
	return 0;
}

static int lookup(void *ctx, const char *name)
{
	struct td_scope *scope = ctx;
	const struct td_metric_set *set = scope->tree->sets[scope->pmu];
	const struct td_pmu *pmu = &scope->setup->machine->pmus[scope->pmu];
	struct td_operand like = new_operand(scope, TD_OPERAND_EVENT);
	bool is_a_call;
	double value;
	int rc;

	if (strcmp(name, "#width") == 0)
		return constant(scope, name, td_uarch_width(pmu->uarch));
	if (*name == '#') {
		rc = td_literals_find(scope->setup->literals, name, &value);
		return rc ? rc : constant(scope, name, value);
	}
	rc = lookup_call(scope, name, &is_a_call);
	if (rc || is_a_call)
		return rc;
	like.event = find_event(set, name);
	like.tool = find_time(name);
	like.def = like.event ? NULL : td_set_find(set, name);
	/* a metric that is called like its event means the event */
	if (like.def == scope->self)
		like.def = NULL;
	if (like.def)
		like.kind = TD_OPERAND_METRIC;
	else if (like.tool)
		like.kind = TD_OPERAND_TIME;
	/* one operand a metric, in whatever case formulas write it */
	return intern(scope, &like, like.def ? like.def->name : name, NAN);
}

/* --- formulas -------------------------------------------------------------------- */

/* What a formula needs, by operands. */
struct needed {
	struct td_scope *scope;
	struct td_ints slots;
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

	if (!td_ints_has(&needed->slots, slot))
		needed->rc |= td_ints_add(&needed->slots, slot);
}

static int add_all(struct td_ints *to, const struct td_ints *from)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < from->nr; i++) {
		if (!td_ints_has(to, from->v[i]))
			rc = td_ints_add(to, from->v[i]);
	}
	return rc;
}

/* The events whose units or CPUs are to be counted are found like others. */
static int ready_event(struct td_scope *scope, int slot)
{
	struct td_operand *operand = &scope->tree->operands[slot];
	int rc;

	if (operand->state != TD_OPERAND_NEW)
		return 0;
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

/* Makes all that a formula needs; refused: the first thing without a value. */
static int ready_all(struct td_scope *scope, const struct td_expr *expr,
		     struct td_ints *events, int *refused)
{
	struct needed needed = { scope, { 0 }, 0 };
	int rc;

	*refused = -1;
	td_expr_each_needed(expr, scope->tree->values, is_known, note_slot,
			    &needed);
	rc = needed.rc;
	for (size_t i = 0; !rc && i < needed.slots.nr; i++) {
		int slot = needed.slots.v[i];

		rc = ready(scope, slot);
		if (!rc && scope->tree->operands[slot].refusal && *refused < 0)
			*refused = slot;
		if (!rc)
			rc = add_all(events, events_of(scope->tree, slot));
	}
	td_ints_free(&needed.slots);
	return rc;
}

/*
 * *out is NULL, and why says so, where the text is no formula: newer files than
 * this program have words that it does not know.
 */
static int parse(struct td_scope *scope, struct td_expr **out, const char *text,
		 struct td_err *why)
{
	int rc = td_expr_parse(out, text, lookup, scope, why);

	if (rc == -EAGAIN)
		return TD_TREE_OTHERS;
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
	struct td_metric *place;

	if (asprintf(&metric->name, "%s%s%s", metric->def->name,
		     *scope->mods ? ":" : "", scope->mods) < 0) {
		metric->name = NULL;
		return -ENOMEM;
	}
	place = td_array_add(&tree->metrics, tree->nr_metrics, sizeof(*place));
	if (!place)
		return -ENOMEM;
	*place = *metric;
	*index = (int)tree->nr_metrics++;
	return 0;
}

static void free_metric(struct td_metric *metric)
{
	td_expr_free(metric->value);
	td_ints_free(&metric->events);
	free(metric->name);
}

/* A metric that lacks something has no value; why is the lacking thing's why. */
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
		rc = ready_all(scope, metric->value, &metric->events, &refused);
	if (!rc && tree->operands[metric->slot].refusal)
		refused = metric->slot;
	if (!rc && refused >= 0)
		rc = refuse_for(tree, metric, refused);
	if (!rc && !tree->operands[metric->slot].refusal)
		tree->operands[metric->slot].state = TD_OPERAND_READY;
	return rc ? rc : add_metric(scope, metric, index);
}

/* Its index in the tree; -1: not compiled yet. */
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
	struct td_operand like = new_operand(scope, TD_OPERAND_METRIC);
	struct td_metric metric = { .def = def, .pmu = scope->pmu };
	struct td_scope inner = *scope;
	int rc;

	like.def = def;
	metric.column = metric.parent = -1;
	metric.slot = intern(scope, &like, def->name, NAN);
	if (metric.slot < 0)
		return metric.slot;
	*index = find_compiled(scope->tree, metric.slot);
	if (*index >= 0)
		return 0;
	if (scope->depth >= MAX_DEPTH)
		return td_err_set(scope->err, -EINVAL,
				  "%s: more than %d metrics inside each other",
				  def->name, MAX_DEPTH);
	scope->tree->operands[metric.slot].state = TD_OPERAND_BUSY;
	inner.def = inner.self = def;
	inner.depth++;
	rc = compile(&inner, &metric, index);
	scope->keys = inner.keys;
	if (rc)
		free_metric(&metric);
	if (rc == -ENOMEM)
		return td_err_nomem(scope->err);
	return rc;
}

/* --- thresholds -------------------------------------------------------------------- */

static int compile_threshold(struct td_scope *scope, size_t i)
{
	struct td_expr *threshold = NULL;
	struct td_ints events = { 0 };
	struct td_err why = { 0 };
	int refused, rc;

	rc = parse(scope, &threshold, scope->def->threshold, &why);
	if (!rc && threshold)
		rc = ready_all(scope, threshold, &events, &refused);
	if (rc) {
		td_expr_free(threshold);
		td_ints_free(&events);
		return rc;
	}
	/* what it names may have no value: then nobody knows */
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
		    !metric->value || !metric->def->threshold)
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
