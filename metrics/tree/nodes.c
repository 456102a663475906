// SPDX-License-Identifier: GPL-2.0-only
/*
 * Arranges the metrics that are shown: in columns, and in the tree of each PMU.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"
#include "metrics/sets/set.h"
#include "metrics/tree/scope.h"

#define NO_RANK 1000 /* after all that have a rank */

/* The position of a node of this name in the built-in tree. */
static int rank_of(const struct td_metric_def *def)
{
	for (int i = 0; i < (int)td_nr_builtin_columns; i++) {
		if (strcmp(td_node_short_name(td_builtin_columns[i].name),
			   td_node_short_name(def->name)) == 0)
			return i;
	}
	return NO_RANK;
}

static bool is_above(const struct td_tree *tree, const struct td_metric *upper,
		     const struct td_metric *lower)
{
	return upper->shown && upper->pmu == lower->pmu && lower->def->parent &&
	       strcmp(upper->def->name, lower->def->parent) == 0 &&
	       strcmp(tree->operands[upper->slot].mods,
		      tree->operands[lower->slot].mods) == 0;
}

static void find_parents(struct td_tree *tree)
{
	for (size_t i = 0; i < tree->nr_metrics; i++) {
		for (size_t j = 0; j < tree->nr_metrics; j++) {
			if (tree->metrics[i].parent < 0 &&
			    is_above(tree, &tree->metrics[j],
				     &tree->metrics[i]))
				tree->metrics[i].parent = (int)j;
		}
	}
}

/* --- the order of a whole set, shown or not ------------------------------- */

/* A node of the set; those with one parent stand side by side, in their order. */
struct child {
	const char *parent; /* NULL: at the top */
	int rank, index;
};

struct walk {
	const struct td_metric_set *set;
	struct child *children;
	size_t nr_children;
	/*
	 * one for each metric of the set: its position in the tree, 0: none yet
	 */
	int *positions;
	int next;
};

static int compare_parents(const char *a, const char *b)
{
	if (!a || !b)
		return !b - !a;
	return strcmp(a, b);
}

static int compare_children(const void *a, const void *b)
{
	const struct child *x = a, *y = b;
	int rc = compare_parents(x->parent, y->parent);

	if (!rc)
		rc = x->rank - y->rank;
	return rc ? rc : x->index - y->index;
}

static void sort_children(struct walk *walk)
{
	for (size_t i = 0; i < walk->set->nr_metrics; i++) {
		const struct td_metric_def *def = &walk->set->metrics[i];

		if (def->level)
			walk->children[walk->nr_children++] =
				(struct child){ def->parent, rank_of(def),
						(int)i };
	}
	qsort(walk->children, walk->nr_children, sizeof(*walk->children),
	      compare_children);
}

static size_t first_child(const struct walk *walk, const char *parent)
{
	size_t low = 0, high = walk->nr_children;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_parents(walk->children[middle].parent, parent) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void number_below(struct walk *walk, const char *parent)
{
	for (size_t i = first_child(walk, parent);
	     i < walk->nr_children &&
	     compare_parents(walk->children[i].parent, parent) == 0;
	     i++) {
		int index = walk->children[i].index;

		if (walk->positions[index])
			continue;
		walk->positions[index] = ++walk->next;
		number_below(walk, walk->set->metrics[index].name);
	}
}

/*
 * Sets the positions.  Metrics outside of the tree have none and keep the order
 * in which they were asked for.
 */
static int set_positions(struct td_tree *tree, int pmu)
{
	const struct td_metric_set *set = tree->sets[pmu];
	size_t size = set ? set->nr_metrics + 1 : 1;
	td_autofree int *positions = calloc(size, sizeof(*positions));
	td_autofree struct child *children = calloc(size, sizeof(*children));
	struct walk walk = { set, children, 0, positions, 0 };

	if (!positions || !children)
		return -ENOMEM;
	if (set) {
		sort_children(&walk);
		number_below(&walk, NULL);
	}
	for (size_t i = 0; i < tree->nr_metrics; i++) {
		struct td_metric *metric = &tree->metrics[i];

		if (metric->pmu == pmu)
			metric->position =
				positions[metric->def - set->metrics];
	}
	return 0;
}

/* The order of rows: first the tree, then metrics outside of it. */
static bool comes_before(const struct td_metric *a, const struct td_metric *b)
{
	if (!a->position != !b->position)
		return a->position;
	if (a->position != b->position)
		return a->position < b->position;
	return a->order < b->order;
}

/* The next child of parent on pmu after prev (-1: the first), or -1. */
static int next_child(const struct td_tree *tree, int pmu, int parent, int prev)
{
	int best = -1;

	for (int i = 0; i < (int)tree->nr_metrics; i++) {
		const struct td_metric *metric = &tree->metrics[i];

		if (!metric->shown || metric->pmu != pmu ||
		    metric->parent != parent || i == prev)
			continue;
		if (prev >= 0 && !comes_before(&tree->metrics[prev], metric))
			continue;
		if (best < 0 || comes_before(metric, &tree->metrics[best]))
			best = i;
	}
	return best;
}

static int find_column(const struct td_tree *tree, const char *name)
{
	for (int i = 0; i < (int)tree->nr_columns; i++) {
		if (strcmp(tree->columns[i].name, name) == 0)
			return i;
	}
	return -1;
}

/* Inserts a column for a metric after the one at index prev. */
static int insert_column(struct td_tree *tree, const struct td_metric *metric,
			 int prev)
{
	struct td_column *column =
		td_array_add(&tree->columns, tree->nr_columns, sizeof(*column));
	size_t at = prev < 0 ? 0 : (size_t)prev + 1;

	if (!column)
		return -ENOMEM;
	column = &tree->columns[at];
	memmove(column + 1, column, (tree->nr_columns - at) * sizeof(*column));
	tree->nr_columns++;
	*column = (struct td_column){ metric->name, metric->def->unit, false };
	return (int)at;
}

/*
 * Adds the columns below a node.  Nodes are added later, as inserting changes
 * the columns' indices.
 */
static int add_columns_below(struct td_tree *tree, int pmu, int parent,
			     int *prev)
{
	int rc = 0;

	for (int i = next_child(tree, pmu, parent, -1); rc >= 0 && i >= 0;
	     i = next_child(tree, pmu, parent, i)) {
		const struct td_metric *metric = &tree->metrics[i];
		int column = find_column(tree, metric->name);

		if (metric->def->package)
			continue;
		if (column < 0)
			column = insert_column(tree, metric, *prev);
		if (column < 0)
			return column;
		tree->columns[column].present = true;
		*prev = column;
		rc = add_columns_below(tree, pmu, i, prev);
	}
	return rc;
}

/* Those of the package stand for themselves, and only if they have values. */
static int add_package_node(struct td_tree *tree, struct td_metric *metric)
{
	struct td_node *node;

	metric->column = find_column(tree, metric->name);
	if (!metric->value)
		return 0;
	node = td_array_add(&tree->package_nodes, tree->nr_package_nodes,
			    sizeof(*node));
	if (!node)
		return -ENOMEM;
	tree->nr_package_nodes++;
	*node = (struct td_node){ .column = metric->column,
				  .desc = metric->def->desc };
	return 0;
}

static const char *estimate_of(const struct td_metric *metric)
{
	if (metric->halved)
		return TD_ESTIMATE_OF_HALF;
	return td_is_estimate(metric->def->desc) ? TD_ESTIMATE_BY_WORDS : NULL;
}

static int add_node(struct td_tree *tree, int pmu, int index, int depth)
{
	struct td_metric *metric = &tree->metrics[index];
	struct td_node *node;

	if (metric->def->package)
		return add_package_node(tree, metric);
	node = td_array_add(&tree->nodes[pmu], tree->nr_nodes[pmu],
			    sizeof(*node));
	if (!node)
		return -ENOMEM;
	metric->column = find_column(tree, metric->name);
	*node = (struct td_node){
		.column = metric->column,
		.parent = metric->def->parent,
		.level = metric->def->level,
		.depth = depth,
		.desc = metric->def->desc,
		.errata = metric->def->errata,
		.estimate = estimate_of(metric),
	};
	tree->nr_nodes[pmu]++;
	if (metric->def->level > tree->levels[pmu])
		tree->levels[pmu] = metric->def->level;
	return 0;
}

static int add_nodes_below(struct td_tree *tree, int pmu, int parent, int depth)
{
	int rc = 0;

	for (int i = next_child(tree, pmu, parent, -1); !rc && i >= 0;
	     i = next_child(tree, pmu, parent, i)) {
		rc = add_node(tree, pmu, i, depth);
		if (!rc)
			rc = add_nodes_below(tree, pmu, i, depth + 1);
	}
	return rc;
}

/*
 * Adds all columns of the built-in levels, so that CSV files have the same
 * columns on every machine.
 */
static int add_builtin_columns(struct td_tree *tree, const struct td_ask *ask)
{
	for (size_t i = 0; i < td_nr_builtin_columns; i++) {
		const struct td_metric_def *def = &td_builtin_columns[i];
		struct td_column *column;

		if (def->level > ask->level && def->level != ask->only_level)
			continue;
		column = td_array_add(&tree->columns, tree->nr_columns,
				      sizeof(*column));
		if (!column)
			return -ENOMEM;
		*column = (struct td_column){ def->name, "%", false };
		tree->nr_columns++;
	}
	return 0;
}

/* The last ones, on any machine, which may lack some domains of energy. */
static int add_package_columns(struct td_tree *tree)
{
	for (size_t i = 0; i < tree->nr_metrics; i++) {
		const struct td_metric *metric = &tree->metrics[i];
		int column;

		if (!metric->def->package || !metric->shown)
			continue;
		column = insert_column(tree, metric, (int)tree->nr_columns - 1);
		if (column < 0)
			return column;
		tree->columns[column].present = metric->value;
	}
	return 0;
}

int td_tree_add_nodes(struct td_tree *tree, const struct td_ask *ask)
{
	int rc = td_ask_wants_files(ask) ? 0 : add_builtin_columns(tree, ask);

	for (int pmu = 0; rc >= 0 && pmu < (int)tree->nr_pmus; pmu++)
		rc = set_positions(tree, pmu);
	find_parents(tree);
	for (int pmu = 0; rc >= 0 && pmu < (int)tree->nr_pmus; pmu++) {
		int prev = -1;

		rc = add_columns_below(tree, pmu, -1, &prev);
	}
	if (rc >= 0)
		rc = add_package_columns(tree);
	for (int pmu = 0; rc >= 0 && pmu < (int)tree->nr_pmus; pmu++)
		rc = add_nodes_below(tree, pmu, -1, 0);
	return rc < 0 ? rc : 0;
}
