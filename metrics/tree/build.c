// SPDX-License-Identifier: GPL-2.0-only
#include "metrics/tree/tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"
#include "metrics/tree/scope.h"

#define RANK_OUTSIDE 100 /* the rank of metrics outside of the tree */

/* --- for the scheduler ---------------------------------------------------- */

static bool may_split(const struct td_machine *machine,
		      const struct td_metric_def *def)
{
	switch (def->split) {
	case TD_SPLIT_NEVER:
		return false;
	case TD_SPLIT_ALWAYS:
		return true;
	case TD_SPLIT_NMI:
		return machine->nmi_watchdog;
	case TD_SPLIT_SMT:
		return machine->smt;
	}
	return false;
}

static int add_need(struct td_tree *tree, const struct td_metric *metric,
		    int rank)
{
	return td_array_push(
		&tree->needs, &tree->nr_needs,
		&(struct td_need){
			.events = metric->events.v,
			.nr = metric->events.nr,
			.rank = rank,
			.may_split = may_split(tree->machine, metric->def),
		},
		sizeof(struct td_need));
}

static int rank_of(const struct td_metric *metric)
{
	return metric->def->level ? metric->def->level : RANK_OUTSIDE;
}

/* Adds a need for each metric that is shown, upper levels first. */
static int add_needs(struct td_tree *tree)
{
	int rc = 0;

	for (int rank = 1; !rc && rank <= RANK_OUTSIDE; rank++) {
		for (size_t i = 0; !rc && i < tree->nr_metrics; i++) {
			const struct td_metric *metric = &tree->metrics[i];

			if (metric->shown && metric->value &&
			    rank_of(metric) == rank)
				rc = add_need(tree, metric, rank);
		}
	}
	return rc;
}

/* The event that is the reference of a built-in set, or -1. */
static int find_reference(const struct td_tree *tree, int pmu)
{
	const struct td_metric_set *set = tree->sets[pmu];

	for (size_t i = 0; set && set->reference && i < tree->nr_operands;
	     i++) {
		const struct td_operand *operand = &tree->operands[i];

		if (operand->pmu == pmu && operand->event &&
		    operand->events.nr &&
		    strcmp(operand->event->id, set->reference) == 0)
			return operand->events.v[0];
	}
	return -1;
}

/* Names of the number of slots: built in, in Intel's files, in AMD's. */
static const char *const slots_names[] = { TD_SLOTS, "tma_info_thread_slots",
					   "tma_info_core_slots",
					   "total_dispatch_slots" };

/* The operand that holds the number of slots, or -1. */
static int find_slots(const struct td_tree *tree, int pmu)
{
	for (size_t n = 0; n < TD_ARRAY_SIZE(slots_names); n++) {
		for (size_t i = 0; i < tree->nr_metrics; i++) {
			const struct td_metric *metric = &tree->metrics[i];

			if (metric->pmu == pmu && metric->value &&
			    strcmp(metric->name, slots_names[n]) == 0)
				return metric->slot;
		}
	}
	return -1;
}

/* --- the whole tree ------------------------------------------------------- */

static int add_thresholds(struct td_scope *scope)
{
	int rc;

	scope->no_new = !scope->tree->sets[scope->pmu]->files;
	rc = td_tree_compile_thresholds(scope);
	scope->no_new = false;
	return rc;
}

static int allocate(struct td_tree *tree, const struct td_tree_setup *setup)
{
	size_t nr = setup->sets->nr;

	*tree = (struct td_tree){
		.machine = setup->machine,
		.nr_pmus = nr,
		.fixed = setup->fixed,
		.tsc_hz = setup->literals->system_tsc_freq,
		.all_matter =
			setup->ask->no_threshold || setup->ask->only_level,
	};
	tree->sets = calloc(nr + 1, sizeof(const void *));
	tree->levels = calloc(nr + 1, sizeof(int));
	tree->references = calloc(nr + 1, sizeof(int));
	tree->slots = calloc(nr + 1, sizeof(int));
	tree->nr_dropped = calloc(nr + 1, sizeof(size_t));
	tree->nodes = calloc(nr + 1, sizeof(struct td_node *));
	tree->nr_nodes = calloc(nr + 1, sizeof(size_t));
	if (!tree->sets || !tree->levels || !tree->references || !tree->slots ||
	    !tree->nodes || !tree->nr_nodes || !tree->nr_dropped)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		if (!setup->machine->pmus[i].skip)
			tree->sets[i] = setup->sets->v[i];
	}
	return 0;
}

/*
 * Removes the set of a PMU without nodes, so that it gets no rows; finds
 * references and slots of the others.
 */
static void finish_pmus(struct td_tree *tree)
{
	for (size_t i = 0; i < tree->nr_pmus; i++) {
		if (!tree->nr_nodes[i])
			tree->sets[i] = NULL;
		tree->references[i] = find_reference(tree, (int)i);
		tree->slots[i] = find_slots(tree, (int)i);
	}
}

static void free_keys(struct td_scope *scope)
{
	for (size_t i = 0; scope->keys && i < scope->events->nr; i++)
		free(scope->keys[i]);
	free(scope->keys);
}

int td_tree_build(struct td_tree *tree, struct td_events *events,
		  const struct td_tree_setup *setup, struct td_err *err)
{
	struct td_scope scope = {
		.tree = tree,
		.events = events,
		.setup = setup,
		.mods = "",
		.owner = -1,
		.err = err,
	};
	int rc;

	if (allocate(tree, setup))
		return td_err_nomem(err);
	rc = td_tree_want_all(&scope);
	if (!rc)
		rc = td_tree_add_nodes(tree, setup->ask) ? td_err_nomem(err)
							 : 0;
	if (!rc && !setup->ask->no_threshold)
		rc = td_tree_each_pmu(&scope, add_thresholds);
	if (!rc)
		rc = td_tree_each_pmu(&scope, td_tree_want_weight);
	free_keys(&scope);
	if (!rc)
		rc = td_tree_finish_events(&scope);
	if (!rc && td_tree_spread_latencies(tree))
		rc = td_err_nomem(err);
	if (rc)
		return rc;
	finish_pmus(tree);
	if (setup->ask->drill && td_tree_find_families(tree, events->nr))
		return td_err_nomem(err);
	return add_needs(tree) ? td_err_nomem(err) : 0;
}

const char *td_metric_refusal(const struct td_tree *tree,
			      const struct td_metric *metric)
{
	return metric->value ? NULL : tree->operands[metric->slot].refusal;
}

void td_tree_free(struct td_tree *tree)
{
	td_tree_drop(tree, 0, 0);
	for (size_t i = 0; i < tree->nr_pmus && tree->nodes; i++)
		free(tree->nodes[i]);
	free(tree->nodes);
	free(tree->nr_nodes);
	free(tree->package_nodes);
	free(tree->nr_dropped);
	free(tree->sets);
	free(tree->metrics);
	free(tree->operands);
	free(tree->constants);
	for (size_t i = 0; i < tree->nr_latencies; i++) {
		free(tree->latencies[i].event);
		free(tree->latencies[i].why);
	}
	free(tree->latencies);
	free(tree->columns);
	free(tree->needs);
	free(tree->families);
	free(tree->families_of_events);
	free(tree->levels);
	free(tree->references);
	free(tree->slots);
	*tree = (struct td_tree){ 0 };
}
