// SPDX-License-Identifier: GPL-2.0-only
/* Finds what -l auto counts together: the children of one node. */
#include <errno.h>
#include <stdlib.h>

#include "lib/base/util.h"
#include "metrics/tree/scope.h"

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
		int label = tree->families_of_events[events->v[i]];

		if (td_tree_use(tree, label).kind == TD_USE_POOL)
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

int td_tree_find_families(struct td_tree *tree, size_t nr)
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
