// SPDX-License-Identifier: GPL-2.0-only
#include "metrics/tree/tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"
#include "metrics/tree/scope.h"

/* --- families: what -l auto counts together -------------------------------- */

#define ALWAYS_COUNTED 2 /* levels that are counted all the time */
#define UNKNOWN        (-1)

/* The family of a node's children; it is added if it is new. */
static int family_below(struct td_tree *tree, int node)
{
	struct td_tree_family *family;

	for (size_t i = 0; i < tree->nr_families; i++) {
		if (tree->families[i].node == node)
			return (int)i + 1;
	}
	family = td_array_add(&tree->families, tree->nr_families,
			      sizeof(*family));
	if (!family)
		return -ENOMEM;
	*family = (struct td_tree_family){ tree->metrics[node].pmu, node,
					   tree->metrics[node].family };
	tree->nr_families++;
	return (int)tree->nr_families;
}

static int find_of_metrics(struct td_tree *tree, int level)
{
	for (size_t i = 0; i < tree->nr_metrics; i++) {
		struct td_metric *metric = &tree->metrics[i];

		if (!metric->shown || metric->def->level != level ||
		    metric->parent < 0)
			continue;
		metric->family = family_below(tree, metric->parent);
		if (metric->family < 0)
			return -ENOMEM;
	}
	return 0;
}

/* Is a the family b, or above it? */
static bool is_above(const struct td_tree *tree, int a, int b)
{
	while (b && a != b)
		b = tree->families[b - 1].above;
	return a == b;
}

/* The deepest family that is not below either; 0: all the time. */
static int common(const struct td_tree *tree, int a, int b)
{
	if (a == UNKNOWN)
		return b;
	while (!is_above(tree, a, b))
		a = tree->families[a - 1].above;
	return a;
}

/*
 * Notes that a metric of the family uses these events.  What several families
 * use belongs to the one above all of them, because a family is counted only
 * while those above it are.
 */
static void add_user(struct td_tree *tree, const struct td_ints *events,
		     int family)
{
	int *families = tree->families_of_events;

	for (size_t i = 0; i < events->nr; i++)
		families[events->v[i]] =
			common(tree, families[events->v[i]], family);
}

static void mark_events(const struct td_tree *tree,
			const struct td_ints *events, int family, bool *own)
{
	for (size_t i = 0; i < events->nr; i++) {
		int event = events->v[i];

		own[event] |= tree->families_of_events[event] == family;
	}
}

/* Marks the events that the metrics of the families use themselves. */
static void mark_own(const struct td_tree *tree, bool *own)
{
	for (size_t i = 0; i < tree->nr_metrics; i++) {
		const struct td_metric *metric = &tree->metrics[i];

		if (!metric->kept || !metric->value)
			continue;
		mark_events(tree, &metric->events, metric->family, own);
		mark_events(tree, &metric->extra, metric->family, own);
	}
}

static bool uses_pool(const struct td_tree *tree, const struct td_ints *events)
{
	for (size_t i = 0; i < events->nr; i++) {
		int label = tree->families_of_events[events->v[i]], family;

		if (td_tree_use(tree, label, &family) == TD_USE_POOL)
			return true;
	}
	return false;
}

/* The pool of a family, as in td_metric.family. */
static int pool_of(const struct td_tree *tree, int family)
{
	return family ? td_tree_label(tree, TD_USE_POOL, family - 1)
		      : td_tree_label(tree, TD_USE_ANY, 0);
}

/*
 * Makes the pool of each family: the events that several families below it need,
 * but not the family itself.  They are counted only while one of these families
 * is: a formula that subtracts one count from another needs both of the same
 * time.  What levels 1 and 2 do not need either is in the common pool.
 */
static int make_pools(struct td_tree *tree, size_t nr)
{
	td_autofree bool *own = calloc(nr + 1, sizeof(*own));
	int *families = tree->families_of_events;

	if (!own)
		return -ENOMEM;
	mark_own(tree, own);
	for (size_t i = 0; i < nr; i++) {
		if (families[i] == UNKNOWN) {
			families[i] = 0;
			continue;
		}
		if (!own[i])
			families[i] = pool_of(tree, families[i]);
	}
	for (size_t i = 0; i < tree->nr_metrics; i++) {
		const struct td_metric *metric = &tree->metrics[i];

		if (metric->family && (uses_pool(tree, &metric->events) ||
				       uses_pool(tree, &metric->extra)))
			tree->families[metric->family - 1].shares = true;
	}
	return 0;
}

static int find_of_events(struct td_tree *tree, size_t nr)
{
	int *families = calloc(nr + 1, sizeof(*families));

	tree->families_of_events = families;
	if (!families)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		families[i] = UNKNOWN;
	for (size_t i = 0; i < tree->nr_metrics; i++) {
		const struct td_metric *metric = &tree->metrics[i];

		if (!metric->kept || !metric->value)
			continue;
		add_user(tree, &metric->events, metric->family);
		add_user(tree, &metric->extra, metric->family);
	}
	return make_pools(tree, nr);
}

/*
 * Finds the families of metrics, and of the nr events.  Returns 0 or -ENOMEM.
 */
static int tree_find_families(struct td_tree *tree, size_t nr)
{
	int rc = 0, deepest = 0;

	for (size_t i = 0; i < tree->nr_pmus; i++) {
		if (tree->levels[i] > deepest)
			deepest = tree->levels[i];
	}
	for (int level = ALWAYS_COUNTED + 1; !rc && level <= deepest; level++)
		rc = find_of_metrics(tree, level);
	return rc || !tree->nr_families ? rc : find_of_events(tree, nr);
}

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
	const struct td_literals *literals = setup->literals;
	size_t nr = setup->sets->nr;

	*tree = (struct td_tree){
		.machine = setup->machine,
		.nr_pmus = nr,
		.fixed = setup->fixed,
		.tsc_hz = literals->system_tsc_freq,
		.nr_cpus = literals->num_cpus_online,
		.nr_cores = literals->num_cores,
		.nr_dies = literals->num_dies,
		.nr_packages = literals->num_packages,
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
	if (!rc && td_tree_find_halved(tree, setup->literals))
		rc = td_err_nomem(err);
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
	if (setup->ask->drill && tree_find_families(tree, events->nr))
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
