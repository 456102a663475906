// SPDX-License-Identifier: GPL-2.0-only
/* Compiles the requested metrics, and metrics whose events are counted anyway. */
#include <strings.h>

#include "lib/base/suggest.h"
#include "lib/base/util.h"
#include "lib/event/event.h"
#include "lib/event/symbols.h"
#include "metrics/files/pmu_events.h"
#include "metrics/sets/set.h"
#include "metrics/sets/sets.h"
#include "metrics/tree/scope.h"

/* --- the error for an unknown name after -M -------------------------------- */

static void offer_node(const struct td_metric_def *def, struct td_suggest *suggest)
{
	if (def->level && !def->part)
		td_suggest_offer(suggest, def->name, def->desc);
}

static void offer_any(const struct td_metric_def *def, struct td_suggest *suggest)
{
	char buf[TD_GROUPS_SIZE], group[TD_GROUP_NAME];
	const char *groups = td_metric_def_groups(def, buf);

	if (def->part)
		return;
	td_suggest_offer(suggest, def->name, def->desc);
	while (td_next_group(&groups, group))
		td_suggest_offer(suggest, group, NULL);
}

static void offer_each(const struct td_tree *tree,
		       void (*offer)(const struct td_metric_def *def, struct td_suggest *suggest),
		       struct td_suggest *suggest)
{
	for (size_t pmu = 0; pmu < tree->nr_pmus; pmu++) {
		const struct td_metric_set *set = tree->sets[pmu];

		for (size_t i = 0; set && i < set->nr_metrics; i++)
			offer(&set->metrics[i], suggest);
	}
}

/* Suggest nodes whose names contain the name, or else any metric or group. */
static struct td_suggest suggest_for(const struct td_tree *tree, const char *name)
{
	struct td_suggest nodes = { .wanted = name }, all = nodes;

	offer_each(tree, offer_node, &nodes);
	if (nodes.nr && nodes.nearness <= TD_NEAR_PART)
		return nodes;
	offer_each(tree, offer_any, &all);
	return all;
}

/* Is it a glob, or "list" or "help", for which similar names are not suggested? */
static bool is_question(const char *name)
{
	return strcasecmp(name, "list") == 0 || strcasecmp(name, "help") == 0 ||
	       strpbrk(name, "*?[");
}

static bool is_event(const struct td_scope *scope, const char *name)
{
	const struct td_machine *machine = scope->setup->machine;
	const struct td_model_event *event = NULL;
	struct td_err unused;
	uint64_t config;

	if (td_symbol_find(name))
		return true;
	/* "branch" and "dtlb" are cache events as well, but users rarely mean these */
	if (strchr(name, '-') && td_cache_parse(name, &config) == 0)
		return true;
	for (size_t i = 0; scope->setup->files && i < machine->nr_core; i++) {
		if (td_pmu_events_find(scope->setup->files, machine->pmus[i].name, name, &event,
				       &unused) == 0 &&
		    event)
			return true;
	}
	return false;
}

/* Is it the name of a metric of --energy? */
static bool package_has(const char *name)
{
	for (size_t i = 0; i < td_nr_package_metrics; i++) {
		if (strcmp(td_package_metrics[i].name, name) == 0)
			return true;
	}
	return false;
}

static int hint_at(const struct td_scope *scope, const char *name)
{
	struct td_suggest suggest = { .wanted = name };
	char text[sizeof(scope->err->hint) / 2];

	if (package_has(name))
		return td_err_hint(scope->err, "--energy shows it");
	if (is_event(scope, name))
		return td_err_hint(scope->err, "it is an event: -e %s", name);
	if (!is_question(name))
		suggest = suggest_for(scope->tree, name);
	td_suggest_format(&suggest, text, sizeof(text));
	if (!text[0] && !scope->setup->machine->nr_core)
		return td_err_hint(
			scope->err,
			"the kernel shows no PMU of the processor's cores: tdstat doctor shows "
			"more");
	if (!text[0])
		return td_err_hint(scope->err, "tdstat list metrics shows all metrics");
	return td_err_hint(scope->err, "did you mean %s?%s", text,
			   suggest.more ? " (tdstat list metrics has more)" : "");
}

/* Set the error for an unknown name, with a hint. */
static int unknown_name(const struct td_scope *scope, const char *name)
{
	const struct td_machine *machine = scope->setup->machine;

	td_err_usage(scope->err, "-M %s: no metric or group of %s", name,
		     td_machine_count_kinds(machine) < machine->nr_core ? "the selected cores"
									: "this processor");
	scope->err->elsewhere = scope->setup->is_elsewhere && scope->setup->is_elsewhere(name);
	return hint_at(scope, name);
}

/* --- the requested metrics ------------------------------------------------------ */

/*
 * Are the events of the metric counted?  Those of shown metrics are.  In built-in sets, so are
 * those of operands, if the set is one group, and those of slots, which merging needs.
 */
static bool is_kept(const struct td_metric_set *set, const struct td_metric_def *def, bool shown)
{
	return shown ||
	       (def->part && !set->files && (set->one_group || strcmp(def->name, TD_SLOTS) == 0));
}

/*
 * Find a metric that is already shown.  Two names can mean the same metric, and two metrics of a
 * set can have the same name.
 */
static struct td_metric *find_shown(const struct td_scope *scope, const struct td_metric_def *def)
{
	struct td_tree *tree = scope->tree;

	td_for_each(struct td_metric, metric, tree->metrics, tree->nr_metrics) {
		if (metric->shown && metric->pmu == scope->pmu &&
		    strcmp(metric->def->name, def->name) == 0 &&
		    strcmp(tree->operands[metric->slot].mods, scope->mods) == 0)
			return metric;
	}
	return NULL;
}

static int want(struct td_scope *scope, const struct td_metric_def *def, bool shown, bool by_name)
{
	struct td_tree *tree = scope->tree;
	struct td_metric *metric;
	int index, rc;

	metric = shown ? find_shown(scope, def) : NULL;
	if (metric) {
		metric->named = metric->named || by_name;
		return 0;
	}
	rc = td_tree_compile(scope, def, &index);
	if (rc)
		return rc;
	metric = &tree->metrics[index];
	metric->kept = true;
	metric->named = metric->named || by_name;
	if (!shown || metric->shown)
		return 0;
	/* a metric without value was not recorded */
	if (!metric->value && scope->setup->fixed && !by_name) {
		tree->nr_dropped[scope->pmu]++;
		return 0;
	}
	metric->shown = true;
	metric->order = (int)tree->nr_shown++;
	return 0;
}

/* Is the metric a node of the tree on a level that ask includes? */
static bool wants_level(const struct td_ask *ask, const struct td_metric_def *def)
{
	if (def->level == 0)
		return false;
	return def->level <= ask->level || def->level == ask->only_level;
}

static int want_levels(struct td_scope *scope)
{
	const struct td_metric_set *set = scope->tree->sets[scope->pmu];
	const struct td_ask *ask = scope->setup->ask;
	int rc = 0;

	if (!ask->level && !ask->only_level)
		return 0;
	for (size_t i = 0; !rc && i < set->nr_metrics; i++) {
		const struct td_metric_def *def = &set->metrics[i];
		bool shown = wants_level(ask, def);
		/* the events of a one-group set are counted anyway, and thresholds may use them */
		bool free = set->one_group && !set->files && def->level > 0;

		if (free || is_kept(set, def, shown))
			rc = want(scope, def, shown, false);
	}
	return rc;
}

static bool has_level_1(const struct td_tree *tree, int pmu)
{
	td_for_each(const struct td_metric, metric, tree->metrics, tree->nr_metrics) {
		if (metric->pmu == pmu && metric->shown && metric->value && metric->def->level == 1)
			return true;
	}
	return false;
}

/*
 * Compile the levels.  If the recorded events of a PMU do not fit the files, use the built-in set,
 * whose events have other names.
 */
static int want_recorded_levels(struct td_scope *scope)
{
	const struct td_machine *machine = scope->setup->machine;
	struct td_tree *tree = scope->tree;
	size_t nr_metrics = tree->nr_metrics, nr_operands = tree->nr_operands;
	size_t nr_shown = tree->nr_shown;
	const struct td_metric_set *builtin;
	int rc = want_levels(scope);

	if (rc || !scope->setup->fixed || !scope->setup->ask->level ||
	    has_level_1(tree, scope->pmu))
		return rc;
	builtin = td_builtin_find(machine, &machine->pmus[scope->pmu]);
	if (!builtin || builtin == tree->sets[scope->pmu])
		return 0;
	td_tree_drop(tree, nr_metrics, nr_operands);
	tree->nr_shown = nr_shown;
	tree->nr_dropped[scope->pmu] = 0;
	tree->sets[scope->pmu] = builtin;
	return want_levels(scope);
}

/*
 * Add the metrics of this PMU that the name means.  Sets *found if there are any.  The tree
 * borrows mods, the modifiers of the name.
 */
static int want_name(struct td_scope *scope, const char *name, const char *mods, bool *found)
{
	const struct td_metric_set *set = scope->tree->sets[scope->pmu];
	int rc = 0;

	scope->mods = mods;
	for (size_t i = 0; !rc && i < set->nr_metrics; i++) {
		if (set->metrics[i].package || !td_ask_matches(name, &set->metrics[i]))
			continue;
		*found = true;
		if (scope->setup->ask->no_merge)
			scope->owner = (int)scope->tree->nr_shown;
		rc = want(scope, &set->metrics[i], true, true);
	}
	scope->mods = "";
	scope->owner = -1;
	return rc;
}

static int want_on_each_pmu(struct td_scope *scope, const char *name, const char *mods, bool *found)
{
	struct td_tree *tree = scope->tree;
	int rc = 0;

	for (scope->pmu = 0; !rc && scope->pmu < (int)tree->nr_pmus; scope->pmu++) {
		if (tree->sets[scope->pmu])
			rc = want_name(scope, name, mods, found);
	}
	return rc;
}

/* Returns the modifiers of a name: "u" of "tma_retiring:u", or "". */
static const char *modifiers_of(const char *name)
{
	const char *colon = strrchr(name, ':');

	return colon ? colon + 1 : name + strlen(name);
}

/* "l2_bound" means tma_l2_bound if there is no metric or group of that name. */
static int want_with_prefix(struct td_scope *scope, const char *name, bool *found)
{
	td_autofree char *whole = td_aprintf("tma_%s", name);

	return want_on_each_pmu(scope, whole, modifiers_of(name), found);
}

/* Find the only metric with this short name ("mem_bound": tma_memory_bound), or return NULL. */
static const char *find_short(const struct td_scope *scope, const char *name)
{
	const struct td_tree *tree = scope->tree;
	const char *found = NULL;
	size_t len = strcspn(name, ":");

	for (size_t pmu = 0; pmu < tree->nr_pmus; pmu++) {
		const struct td_metric_set *set = tree->sets[pmu];

		for (size_t i = 0; set && i < set->nr_metrics; i++) {
			const char *whole = set->metrics[i].name;

			if (!td_node_is_short_for(name, len, whole))
				continue;
			if (found && strcmp(found, whole) != 0)
				return NULL;
			found = whole;
		}
	}
	return found;
}

static int want_short(struct td_scope *scope, const char *name, bool *found)
{
	const char *whole = find_short(scope, name);

	return whole ? want_on_each_pmu(scope, whole, modifiers_of(name), found) : 0;
}

static int check_modifiers(const struct td_scope *scope, const char *name)
{
	const char *mods = modifiers_of(name), *why = NULL;
	struct td_modifiers unused = { 0 };

	if (strspn(mods, TD_RING_LETTERS) != strlen(mods))
		why = "a metric's modifiers are u k h G H I";
	for (const char *letter = mods; !why && *letter; letter++)
		why = td_modifiers_add(&unused, *letter);
	return why ? td_err_usage(scope->err, "-M %s: %s", name, why) : 0;
}

static int want_names(struct td_scope *scope)
{
	const struct td_ask *ask = scope->setup->ask;
	int rc = 0;

	for (size_t i = 0; !rc && i < ask->nr_names; i++) {
		const char *name = ask->names[i];
		bool found = false;

		rc = check_modifiers(scope, name);
		rc = rc ?: want_on_each_pmu(scope, name, modifiers_of(name), &found);
		if (!rc && !found)
			rc = want_with_prefix(scope, name, &found);
		if (!rc && !found)
			rc = want_short(scope, name, &found);
		if (!rc && !found)
			rc = unknown_name(scope, name);
	}
	return rc;
}

/* Show metrics as if requested by name, so that those without a value have rows as well. */
static int want_bottlenecks(struct td_scope *scope)
{
	const struct td_metric_set *set = scope->tree->sets[scope->pmu];
	int rc = 0;

	for (size_t i = 0; !rc && i < set->nr_metrics; i++) {
		if (td_set_is_bottleneck(set, &set->metrics[i]))
			rc = want(scope, &set->metrics[i], true, true);
	}
	return rc;
}

static int want_package(struct td_scope *scope)
{
	const struct td_metric_set *set = scope->tree->sets[scope->pmu];
	int rc = 0;

	for (size_t i = 0; !rc && i < set->nr_metrics; i++) {
		if (set->metrics[i].package)
			rc = want(scope, &set->metrics[i], true, true);
	}
	return rc;
}

/* Is SLOTS counted anyway, without modifiers, because fields need it? */
static bool needs_slots(const struct td_scope *scope)
{
	int field = td_tree_first_event(scope->events, scope->pmu, td_event_is_metric);

	return field >= 0 && !scope->setup->fixed && !scope->events->v[field].has_suffix;
}

int td_tree_want_weight(struct td_scope *scope)
{
	const struct td_metric_def *def = td_set_find(scope->tree->sets[scope->pmu], TD_SLOTS);
	int rc;

	if (!def || !scope->tree->sets[scope->pmu]->files)
		return 0;
	scope->no_new = !needs_slots(scope);
	rc = want(scope, def, false, false);
	scope->no_new = false;
	return rc;
}

int td_tree_each_pmu(struct td_scope *scope, int (*fn)(struct td_scope *scope))
{
	struct td_tree *tree = scope->tree;
	int rc = 0;

	for (scope->pmu = 0; !rc && scope->pmu < (int)tree->nr_pmus; scope->pmu++) {
		if (tree->sets[scope->pmu])
			rc = fn(scope);
	}
	return rc;
}

int td_tree_want_all(struct td_scope *scope)
{
	int rc = td_tree_each_pmu(scope, want_recorded_levels);

	if (!rc && scope->setup->ask->bottlenecks)
		rc = td_tree_each_pmu(scope, want_bottlenecks);
	rc = rc ?: want_names(scope);
	if (!rc && scope->setup->ask->energy)
		rc = td_tree_each_pmu(scope, want_package);
	return rc;
}
