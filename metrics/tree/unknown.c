// SPDX-License-Identifier: GPL-2.0-only
/*
 * The error for an unknown name after -M, with a hint what was probably meant.
 */
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "lib/base/suggest.h"
#include "lib/base/util.h"
#include "lib/event/symbols.h"
#include "metrics/sets/package.h"
#include "metrics/tree/scope.h"

static void offer_group(void *ctx, const char *group)
{
	td_suggest_offer(ctx, group, NULL);
}

static void offer_node(const struct td_metric_def *def,
		       struct td_suggest *suggest)
{
	if (def->level && !def->part)
		td_suggest_offer(suggest, def->name, def->desc);
}

static void offer_any(const struct td_metric_def *def,
		      struct td_suggest *suggest)
{
	if (def->part)
		return;
	td_suggest_offer(suggest, def->name, def->desc);
	td_metric_def_each_group(def, offer_group, suggest);
}

static void offer_each(const struct td_tree *tree,
		       void (*offer)(const struct td_metric_def *def,
				     struct td_suggest *suggest),
		       struct td_suggest *suggest)
{
	for (size_t pmu = 0; pmu < tree->nr_pmus; pmu++) {
		const struct td_metric_set *set = tree->sets[pmu];

		for (size_t i = 0; set && i < set->nr_metrics; i++)
			offer(&set->metrics[i], suggest);
	}
}

/* Nodes of the tree with the name in theirs come before all other metrics. */
static struct td_suggest suggest_for(const struct td_tree *tree,
				     const char *name)
{
	struct td_suggest nodes = { .wanted = name }, all = nodes;

	offer_each(tree, offer_node, &nodes);
	if (nodes.nr && nodes.nearness <= TD_NEAR_PART)
		return nodes;
	offer_each(tree, offer_any, &all);
	return all;
}

/*
 * Is it a question or a glob?  "list" and "help" are close to words of many
 * descriptions, but these are not meant.
 */
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
	/*
	 * "branch" and "dtlb" are cache events, too, but hardly meant as such
	 */
	if (strchr(name, '-') && td_cache_parse(name, &config) == 0)
		return true;
	for (size_t i = 0; scope->setup->files && i < machine->nr_core; i++) {
		if (td_pmu_events_find(scope->setup->files,
				       machine->pmus[i].name, name, &event,
				       &unused) == 0 &&
		    event)
			return true;
	}
	return false;
}

static int hint_at(const struct td_scope *scope, const char *name)
{
	struct td_suggest suggest = { .wanted = name };
	char text[sizeof(scope->err->hint) / 2];

	if (td_package_has(name))
		return td_err_hint(scope->err, "--energy shows it");
	if (is_event(scope, name))
		return td_err_hint(scope->err, "it is an event: -e %s", name);
	if (!is_question(name))
		suggest = suggest_for(scope->tree, name);
	td_suggest_format(&suggest, text, sizeof(text));
	if (!text[0])
		return td_err_hint(scope->err,
				   "tdstat list metrics shows all metrics");
	return td_err_hint(scope->err, "did you mean %s?%s", text,
			   suggest.more ? " (tdstat list metrics has more)"
					: "");
}

int td_tree_unknown_name(const struct td_scope *scope, const char *name)
{
	const struct td_machine *machine = scope->setup->machine;

	td_err_usage(scope->err, "-M %s: no metric or group of %s", name,
		     td_machine_count_kinds(machine) < machine->nr_core
			     ? "the cores that are looked at"
			     : "this processor");
	return hint_at(scope, name);
}
