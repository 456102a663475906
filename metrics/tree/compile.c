// SPDX-License-Identifier: GPL-2.0-only
/* Compiles formulas, and finds the events and metrics that they need. */
#include <linux/perf_event.h>
#include <math.h>
#include <strings.h>

#include "lib/base/regex.h"
#include "lib/base/util.h"
#include "lib/event/symbols.h"
#include "lib/machine/uarch.h"
#include "lib/plan/plan.h"
#include "metrics/sets/set.h"
#include "metrics/tree/scope.h"

/* --- names in formulas, and their operands ------------------------------------ */

static const struct td_event_def *find_event(const struct td_metric_set *set, const char *id)
{
	for (size_t i = 0; i < set->nr_events; i++) {
		if (strcmp(set->events[i].id, id) == 0)
			return &set->events[i];
	}
	return NULL;
}

static int constant(struct td_scope *scope, const char *name, double value)
{
	struct td_operand like = td_tree_new_operand(scope, TD_OPERAND_CONSTANT);

	like.state = TD_OPERAND_READY;
	return td_tree_intern(scope, &like, name, value);
}

/* Is the name a call of the function, such as "has_event(x)"?  Sets arg to "x". */
static bool is_call(const char *name, const char *function, char *arg, size_t size)
{
	size_t len = strlen(function), end = strlen(name);

	if (strncmp(name, function, len) != 0 || name[len] != '(')
		return false;
	snprintf(arg, size, "%.*s", (int)(end - len - 2), name + len + 1);
	return true;
}

/* Does a regular expression match the processor's identity? */
static double is_this_processor(const struct td_machine *machine, const char *expression)
{
	char cpuid[48], why[128];
	regex_t regex;
	bool match;

	td_cpuid_format(&machine->cpuid, cpuid);
	if (td_regex_compile(&regex, expression, why, sizeof(why)))
		return NAN;
	match = regexec(&regex, cpuid, 0, NULL, 0) == 0;
	regfree(&regex);
	return match;
}

/* Find a time that tdstat measures itself, with the name that it has in perf. */
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

/* Does the name mean the time-stamp counter: "TSC", "msr/tsc/"? */
static bool is_tsc(const char *name)
{
	static const char slashed[] = "msr/tsc";
	size_t len = strlen(slashed);

	return strcasecmp(name, "tsc") == 0 ||
	       (strncmp(name, slashed, len) == 0 && (name[len] == '/' || name[len] == ','));
}

/*
 * Does the name mean a clock, which is not summed over places because it counts the same at all
 * of them?  The files write clocks of an uncore as an event of the first unit.
 */
static bool is_clock(const char *name)
{
	static const char *const uncore[] = {
		"UNC_CLOCK.SOCKET", "cbox_0/event=0x0/",       "cha_0/event=0x0/",
		"imc_0/event=0x0/", "uncore_cha_0/event=0x1/",
	};

	if (is_tsc(name))
		return true;
	for (size_t i = 0; i < TD_ARRAY_SIZE(uncore); i++) {
		if (strcasecmp(uncore[i], name) == 0)
			return true;
	}
	return false;
}

/* Is the generic event missing in the kernel's list of events of the core? */
static bool is_unlisted(const struct td_scope *scope, const struct td_symbol *symbol)
{
	const struct td_pmu *pmu = &scope->setup->machine->pmus[scope->pmu];

	return symbol && !scope->setup->fixed && td_pmu_has_event(pmu, "cpu-cycles") &&
	       !td_pmu_has_event(pmu, symbol->name) &&
	       !(symbol->alias && td_pmu_has_event(pmu, symbol->alias));
}

static const struct td_symbol *find_generic(const char *name)
{
	const struct td_symbol *symbol = td_symbol_find(name);

	return symbol && !symbol->tool && symbol->type == PERF_TYPE_HARDWARE ? symbol : NULL;
}

/* Look up has_event(), which is a constant because it is known before counting. */
static int lookup_has_event(struct td_scope *scope, const char *name, const char *arg)
{
	struct td_operand like = td_tree_new_operand(scope, TD_OPERAND_EVENT);
	const struct td_symbol *generic = find_generic(arg);
	struct td_operand *operand;
	int index;

	if (is_unlisted(scope, generic)) {
		scope->lacking = generic->name;
		return constant(scope, name, 0);
	}
	index = td_tree_intern(scope, &like, arg, NAN); /* this may move the operands */
	operand = &scope->tree->operands[index];
	if (operand->state == TD_OPERAND_NEW) {
		int rc = td_tree_find_events(scope, operand);

		if (rc)
			return rc;
	}
	if (generic && operand->refusal)
		scope->lacking = generic->name;
	return constant(scope, name, !operand->refusal);
}

/* Look up a call.  Sets *is to whether the name is a call. */
static int lookup_call(struct td_scope *scope, const char *name, bool *is)
{
	enum td_operand_kind kind = TD_OPERAND_CONSTANT;
	struct td_operand like;
	char arg[256];

	*is = true;
	if (is_call(name, "strcmp_cpuid_str", arg, sizeof(arg)))
		return constant(scope, name, is_this_processor(scope->setup->machine, arg));
	if (is_call(name, "has_event", arg, sizeof(arg)))
		return lookup_has_event(scope, name, arg);
	if (is_call(name, "source_count", arg, sizeof(arg)))
		kind = TD_OPERAND_SOURCES;
	else if (is_call(name, "aggr_nr", arg, sizeof(arg)))
		kind = TD_OPERAND_CPUS;
	*is = kind != TD_OPERAND_CONSTANT;
	like = td_tree_new_operand(scope, kind);
	return *is ? td_tree_intern(scope, &like, arg, NAN) : 0;
}

/* Return the index of an operand, for td_expr_parse(); ctx is the scope. */
static int lookup(void *ctx, const char *name)
{
	struct td_scope *scope = ctx;
	const struct td_metric_set *set = scope->tree->sets[scope->pmu];
	const struct td_pmu *pmu = &scope->setup->machine->pmus[scope->pmu];
	struct td_operand like = td_tree_new_operand(scope, TD_OPERAND_EVENT);
	bool is_a_call;
	double value;
	int rc;

	if (strcmp(name, "#width") == 0)
		return constant(scope, name, td_uarch_width(pmu->uarch));
	if (strcasecmp(name, "#num_cpus_online") == 0) {
		like.kind = TD_OPERAND_PLACES;
		like.state = TD_OPERAND_READY;
		return td_tree_intern(scope, &like, name, NAN);
	}
	if (*name == '#') {
		rc = td_literals_find(scope->setup->literals, name, &value);
		return rc ?: constant(scope, name, value);
	}
	rc = lookup_call(scope, name, &is_a_call);
	if (rc || is_a_call)
		return rc;
	like.event = find_event(set, name);
	like.tool = find_time(name);
	like.def = like.event ? NULL : td_set_find(set, name);
	/* in the formula of a metric that has the name of an event, this name means the event */
	if (like.def == scope->self)
		like.def = NULL;
	if (like.def)
		like.kind = TD_OPERAND_METRIC;
	else if (like.tool)
		like.kind = TD_OPERAND_TIME;
	else if (is_clock(name))
		like.kind = TD_OPERAND_CLOCK;
	/* formulas of the package use joules, not the unit that the kernel counts */
	like.scaled = like.kind == TD_OPERAND_EVENT && scope->def && scope->def->package;
	like.own_cpus = like.kind == TD_OPERAND_EVENT && scope->def && !scope->def->package &&
			!scope->def->apart && scope->setup->machine->nr_core > 1;
	/* one operand for each metric, however formulas spell its case */
	return td_tree_intern(scope, &like, like.def ? like.def->name : name, NAN);
}

/* --- places: CPUs, units and packages ------------------------------------------ */

/* The operands of a formula, for placing its clocks. */
struct formula {
	struct td_scope *scope;
	struct td_expr *expr;
	int counted; /* first event; -1: none */
	int unit;    /* first event on an uncore unit; -1: none */
	bool cores;  /* it uses the number of cores */
};

static bool is_literal(const struct td_operand *operand, const char *name)
{
	return operand->kind == TD_OPERAND_CONSTANT && strcasecmp(operand->name, name) == 0;
}

static void look_at(struct formula *f, int slot)
{
	const struct td_machine *machine = f->scope->setup->machine;
	const struct td_operand *o = &f->scope->tree->operands[slot];
	bool counts = o->kind == TD_OPERAND_EVENT && o->events.nr;
	int pmu = counts ? f->scope->events->v[o->events.v[0]].pmu : -1;

	if (counts && f->counted < 0)
		f->counted = slot;
	if (counts && f->unit < 0 && machine->pmus[pmu].kind == TD_PMU_OTHER)
		f->unit = slot;
	f->cores |= is_literal(o, "#num_cores");
}

/* Replace the operand in a slot of the formula.  The new one has the places of operand beside. */
static void put_beside(const struct formula *f, int slot, int beside, enum td_operand_kind kind)
{
	struct td_tree *tree = f->scope->tree;
	const struct td_operand *from = &tree->operands[slot];
	struct td_operand like = td_tree_new_operand(f->scope, kind);
	int placed;

	like.beside = beside;
	like.state = TD_OPERAND_READY;
	placed = td_tree_intern(f->scope, &like, from->name, NAN);
	/* the operands may have moved */
	tree->operands[placed].events.nr = 0;
	td_ints_add_all(&tree->operands[placed].events, &tree->operands[slot].events);
	td_expr_replace(f->expr, slot, placed);
}

static void place(const struct formula *f, int slot)
{
	const struct td_operand *operand = &f->scope->tree->operands[slot];

	/* the number of utilized CPUs divides by the TSC but is not a share of the time */
	if (operand->kind == TD_OPERAND_CLOCK && f->counted >= 0 && is_tsc(operand->name) &&
	    td_expr_divides_by(f->expr, slot) &&
	    strcasecmp(f->scope->def->name, "tma_info_system_cpus_utilized") != 0)
		put_beside(f, slot, f->counted, TD_OPERAND_CLOCK);
	else if (is_literal(operand, "#num_packages") && f->unit >= 0 && !f->cores)
		put_beside(f, slot, f->unit, TD_OPERAND_PLACES);
}

/*
 * Restrict the clocks and numbers of CPUs, units and packages in a formula to the places of its
 * events, because counts are summed over these places and then divided by clocks.  The operands
 * (slots) must be ready.
 */
static void place_all(struct td_scope *scope, struct td_expr *expr, const struct td_ints *slots)
{
	struct formula f = { .scope = scope, .expr = expr, .counted = -1, .unit = -1 };

	for (size_t i = 0; i < slots->nr; i++)
		look_at(&f, slots->v[i]);
	for (size_t i = 0; i < slots->nr; i++)
		place(&f, slots->v[i]);
}

/* --- formulas ------------------------------------------------------------- */

#define MAX_DEPTH 64 /* maximum depth of metrics that refer to other metrics */

/* The operands that a formula needs. */
struct needed {
	struct td_scope *scope;
	struct td_ints *slots;
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
		td_ints_add(needed->slots, slot);
}

/* Find an operand's events, including those in calls that count its units or CPUs. */
static int ready_event(struct td_scope *scope, int slot)
{
	struct td_operand *operand = &scope->tree->operands[slot];
	int rc;

	if (operand->state != TD_OPERAND_NEW)
		return 0;
	/* if the frequency of the TSC is known, it need not be counted */
	if (operand->kind == TD_OPERAND_CLOCK && scope->tree->tsc_hz > 0 && is_tsc(operand->name)) {
		operand->state = TD_OPERAND_READY;
		return 0;
	}
	rc = td_tree_find_events(scope, operand);
	if (!rc && !operand->refusal)
		operand->state = TD_OPERAND_READY;
	return rc;
}

static int ready_metric(struct td_scope *scope, int slot)
{
	struct td_tree *tree = scope->tree;
	int index;

	if (tree->operands[slot].state == TD_OPERAND_BUSY) {
		td_operand_refuse(&tree->operands[slot], "its formula refers to itself");
		return 0;
	}
	if (tree->operands[slot].state != TD_OPERAND_NEW)
		return 0;
	if (scope->no_new) {
		td_operand_refuse(&tree->operands[slot], "it is not counted");
		return 0;
	}
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
 * Make all operands of a formula ready, and add them to slots and their events to events.  Sets
 * *refused to the first operand without a value, or -1.
 */
static int ready_all(struct td_scope *scope, const struct td_expr *expr, struct td_ints *slots,
		     struct td_ints *events, int *refused)
{
	struct needed needed = { scope, slots };

	*refused = -1;
	td_expr_each_needed(expr, scope->tree->constants, is_known, note_slot, &needed);
	for (size_t i = 0; i < slots->nr; i++) {
		int slot = slots->v[i], rc = ready(scope, slot);

		if (rc)
			return rc;
		if (scope->tree->operands[slot].refusal && *refused < 0)
			*refused = slot;
		td_ints_add_all(events, events_of(scope->tree, slot));
	}
	return 0;
}

static int ready_value(struct td_scope *scope, struct td_metric *metric, int *refused)
{
	struct td_ints slots = { 0 };
	int rc = ready_all(scope, metric->value, &slots, &metric->events, refused);

	if (!rc && *refused < 0)
		place_all(scope, metric->value, &slots);
	td_ints_free(&slots);
	return rc;
}

/*
 * Parse a formula.  If it is invalid, sets *out to NULL and why to the reason, but returns 0,
 * because newer files may use words that this program does not know.
 */
static int parse(struct td_scope *scope, struct td_expr **out, const char *text, struct td_err *why)
{
	int rc = td_expr_parse(out, text, lookup, scope, why);

	if (rc != -EINVAL && rc != -ENOENT) {
		if (rc)
			*scope->err = *why;
		return rc;
	}
	*out = NULL;
	return 0;
}

/* Refuse a metric that needs a refused operand, with the operand's reason. */
static void refuse_for(struct td_tree *tree, struct td_metric *metric, int refused)
{
	const struct td_operand *cause = &tree->operands[refused];

	td_expr_free(metric->value);
	metric->value = NULL;
	metric->events.nr = 0;
	if (refused == metric->slot)
		return;
	td_operand_refuse(&tree->operands[metric->slot], "%s%s%s",
			  cause->kind == TD_OPERAND_METRIC ? cause->name : "",
			  cause->kind == TD_OPERAND_METRIC ? ": " : "", cause->refusal);
}

/* Refuse a metric whose only event does not exist. */
static void refuse_lacking(const struct td_scope *scope, struct td_operand *operand)
{
	if (scope->setup->fixed) {
		td_operand_refuse(operand, "%s was not recorded", scope->lacking);
		return;
	}
	td_operand_refuse(operand, "%s has no %s", scope->setup->machine->pmus[scope->pmu].name,
			  scope->lacking);
}

static int compile(struct td_scope *scope, struct td_metric *metric, int *index)
{
	struct td_tree *tree = scope->tree;
	struct td_err why = { 0 };
	int refused = -1, rc;

	rc = parse(scope, &metric->value, metric->def->formula, &why);
	if (!rc && !metric->value)
		td_operand_refuse(&tree->operands[metric->slot], "%s", why.msg);
	else if (!rc)
		rc = ready_value(scope, metric, &refused);
	if (rc)
		return rc;
	if (scope->lacking && !metric->events.nr)
		refuse_lacking(scope, &tree->operands[metric->slot]);
	if (tree->operands[metric->slot].refusal)
		refused = metric->slot;
	if (refused >= 0)
		refuse_for(tree, metric, refused);
	if (!tree->operands[metric->slot].refusal)
		tree->operands[metric->slot].state = TD_OPERAND_READY;
	metric->name =
		td_aprintf("%s%s%s", metric->def->name, *scope->mods ? ":" : "", scope->mods);
	*index = (int)tree->nr_metrics;
	td_array_push(&tree->metrics, &tree->nr_metrics, metric, sizeof(*metric));
	return 0;
}

/* Return the index of a metric in the tree, or -1 if it is not compiled yet. */
static int find_compiled(const struct td_tree *tree, int slot)
{
	for (size_t i = 0; i < tree->nr_metrics; i++) {
		if (tree->metrics[i].slot == slot)
			return (int)i;
	}
	return -1;
}

int td_tree_compile(struct td_scope *scope, const struct td_metric_def *def, int *index)
{
	struct td_operand like = td_tree_new_operand(scope, TD_OPERAND_METRIC);
	struct td_metric metric = { .def = def, .pmu = scope->pmu };
	struct td_scope inner = *scope;
	int rc;

	like.def = def;
	metric.column = metric.parent = -1;
	metric.slot = td_tree_intern(scope, &like, def->name, NAN);
	*index = find_compiled(scope->tree, metric.slot);
	if (*index >= 0)
		return 0;
	if (scope->depth >= MAX_DEPTH)
		return td_err_set(scope->err, -EINVAL,
				  "%s: more than %d metrics refer to each other", def->name,
				  MAX_DEPTH);
	scope->tree->operands[metric.slot].state = TD_OPERAND_BUSY;
	inner.def = inner.self = def;
	inner.lacking = NULL;
	inner.depth++;
	rc = compile(&inner, &metric, index);
	scope->keys = inner.keys;
	if (rc) {
		td_expr_free(metric.value);
		td_ints_free(&metric.events);
		free(metric.name);
	}
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
	/* a threshold that uses metrics without a value will be unknown */
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

		if (metric->pmu != scope->pmu || metric->column < 0 || !metric->value ||
		    !metric->def->threshold || td_is_useful_work(metric->def->name))
			continue;
		inner.def = metric->def;
		inner.self = NULL;
		inner.mods = tree->operands[metric->slot].mods;
		inner.owner = tree->operands[metric->slot].owner;
		rc = compile_threshold(&inner, i);
		scope->keys = inner.keys;
	}
	return rc;
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

/* Drop the events that no metric with a value needs. */
static void drop_unused(struct td_scope *scope)
{
	struct td_tree *tree = scope->tree;
	struct td_events *events = scope->events;
	td_autofree bool *used = td_calloc(events->nr + 1, sizeof(*used));
	td_autofree int *where = td_calloc(events->nr + 1, sizeof(*where));
	size_t nr = 0;

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
	for (size_t i = 0; i < tree->nr_operands; i++)
		renumber(&tree->operands[i].events, where);
	for (size_t i = 0; i < tree->nr_metrics; i++) {
		renumber(&tree->metrics[i].events, where);
		renumber(&tree->metrics[i].extra, where);
	}
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

/* Add SLOTS, which the fields need in their group; newer files do not name it. */
static int add_slots(struct td_scope *scope, int pmu)
{
	struct td_events *events = scope->events;
	int field = td_tree_first_event(events, pmu, td_event_is_metric);

	if (field < 0 || td_tree_first_event(events, pmu, td_event_is_slots) >= 0)
		return 0;
	return td_events_add_slots(events, &scope->setup->machine->pmus[pmu], (size_t)field,
				   scope->err);
}

/* Check that all fields have the same modifiers, because a CPU has one SLOTS counter. */
static int check_rings(struct td_scope *scope, int pmu)
{
	const struct td_events *events = scope->events;
	int first = td_tree_first_event(events, pmu, td_event_is_metric);

	for (size_t i = 0; first >= 0 && i < events->nr; i++) {
		const struct td_event *event = &events->v[i];

		if (event->pmu != pmu || !(td_event_is_metric(event) || td_event_is_slots(event)) ||
		    td_tree_same_rings(&event->mods, &events->v[first].mods))
			continue;
		td_err_usage(scope->err,
			     "-M: %s can count its topdown fields only with the same modifiers",
			     scope->setup->machine->pmus[pmu].name);
		return td_err_hint(
			scope->err,
			"give all metrics the same modifiers; if only thresholds need the fields, "
			"use --metric-no-threshold");
	}
	return 0;
}

int td_tree_finish_events(struct td_scope *scope)
{
	const struct td_machine *machine = scope->setup->machine;
	int rc = 0;

	if (scope->setup->fixed)
		return 0;
	drop_unused(scope);
	for (int pmu = 0; !rc && pmu < (int)machine->nr_core; pmu++) {
		if (!td_pmu_has_slots(&machine->pmus[pmu]))
			continue;
		rc = check_rings(scope, pmu);
		rc = rc ?: add_slots(scope, pmu);
	}
	return rc;
}
