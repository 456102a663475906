// SPDX-License-Identifier: GPL-2.0-only

#include "lib/base/util.h"
#include "metrics/sets/set.h"
#include "metrics/tree/scope.h"

/* --- nodes: the columns, and the tree of each PMU ----------------------------- */

#define NO_RANK 1000 /* larger than all ranks */

/* Return the position of a node of this name in the built-in tree. */
static int builtin_rank(const struct td_metric_def *def)
{
	for (int i = 0; i < (int)td_nr_builtin_columns; i++) {
		if (strcmp(td_node_short_name(td_builtin_columns[i].name),
			   td_node_short_name(def->name)) == 0)
			return i;
	}
	return NO_RANK;
}

static bool is_parent(const struct td_tree *tree, const struct td_metric *upper,
		      const struct td_metric *lower)
{
	return upper->shown && upper->pmu == lower->pmu && lower->def->parent &&
	       strcmp(upper->def->name, lower->def->parent) == 0 &&
	       strcmp(tree->operands[upper->slot].mods, tree->operands[lower->slot].mods) == 0;
}

static void find_parents(struct td_tree *tree)
{
	for (size_t i = 0; i < tree->nr_metrics; i++) {
		for (size_t j = 0; j < tree->nr_metrics; j++) {
			if (tree->metrics[i].parent < 0 &&
			    is_parent(tree, &tree->metrics[j], &tree->metrics[i]))
				tree->metrics[i].parent = (int)j;
		}
	}
}

/* --- the order of a whole set, shown or not ------------------------------- */

/* A node of the set.  The array is sorted by parent, then in the order of siblings. */
struct child {
	const char *parent; /* NULL: at the top */
	int rank, index;
};

struct walk {
	const struct td_metric_set *set;
	struct child *children;
	size_t nr_children;
	int *positions; /* for each metric of the set, its position in the tree; 0: none yet */
	int next;
};

static int compare_parents(const char *a, const char *b)
{
	return !a || !b ? !b - !a : strcmp(a, b);
}

static int compare_children(const void *a, const void *b)
{
	const struct child *x = a, *y = b;
	int rc = compare_parents(x->parent, y->parent);

	rc = rc ?: x->rank - y->rank;
	return rc ?: x->index - y->index;
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
	     i < walk->nr_children && compare_parents(walk->children[i].parent, parent) == 0; i++) {
		int index = walk->children[i].index;

		if (walk->positions[index])
			continue;
		walk->positions[index] = ++walk->next;
		number_below(walk, walk->set->metrics[index].name);
	}
}

/* Set the positions of nodes.  Metrics outside of the tree keep the requested order. */
static void set_positions(struct td_tree *tree, int pmu)
{
	const struct td_metric_set *set = tree->sets[pmu];
	size_t size = set ? set->nr_metrics + 1 : 1;
	td_autofree int *positions = td_calloc(size, sizeof(*positions));
	td_autofree struct child *children = td_calloc(size, sizeof(*children));
	struct walk walk = { set, children, 0, positions, 0 };

	if (set) {
		for (size_t i = 0; i < walk.set->nr_metrics; i++) {
			const struct td_metric_def *def = &walk.set->metrics[i];

			if (def->level)
				walk.children[walk.nr_children++] =
					(struct child){ def->parent, builtin_rank(def), (int)i };
		}
		qsort(walk.children, walk.nr_children, sizeof(*walk.children), compare_children);
		number_below(&walk, NULL);
	}
	td_for_each(struct td_metric, metric, tree->metrics, tree->nr_metrics) {
		if (metric->pmu == pmu)
			metric->position = positions[metric->def - set->metrics];
	}
}

/* Is a sorted before b?  The tree comes first, then metrics outside of it. */
static bool comes_before(const struct td_metric *a, const struct td_metric *b)
{
	if (!a->position != !b->position)
		return a->position;
	if (a->position != b->position)
		return a->position < b->position;
	return a->order < b->order;
}

/* Return the next child of parent on pmu after prev (-1: the first), or -1. */
static int next_child(const struct td_tree *tree, int pmu, int parent, int prev)
{
	int best = -1;

	for (int i = 0; i < (int)tree->nr_metrics; i++) {
		const struct td_metric *metric = &tree->metrics[i];

		if (!metric->shown || metric->pmu != pmu || metric->parent != parent || i == prev)
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

/* Insert a column for a metric after the one at index prev.  Returns its index. */
static int insert_column(struct td_tree *tree, const struct td_metric *metric, int prev)
{
	struct td_column *column = td_array_add(&tree->columns, tree->nr_columns, sizeof(*column));
	size_t at = prev < 0 ? 0 : (size_t)prev + 1;

	column = &tree->columns[at];
	memmove(column + 1, column, (tree->nr_columns - at) * sizeof(*column));
	tree->nr_columns++;
	*column = (struct td_column){ metric->name, metric->def->unit, false };
	return (int)at;
}

/*
 * Add the columns below a node, after *prev.  Nodes are added later, because inserting changes
 * the columns' indices.
 */
static void add_columns_below(struct td_tree *tree, int pmu, int parent, int *prev)
{
	for (int i = next_child(tree, pmu, parent, -1); i >= 0;
	     i = next_child(tree, pmu, parent, i)) {
		const struct td_metric *metric = &tree->metrics[i];
		int column = find_column(tree, metric->name);

		if (metric->def->package)
			continue;
		if (column < 0)
			column = insert_column(tree, metric, *prev);
		tree->columns[column].present = true;
		*prev = column;
		add_columns_below(tree, pmu, i, prev);
	}
}

/* Add a metric of the package, which is outside of trees, to the package row if it has a value. */
static void add_package_node(struct td_tree *tree, struct td_metric *metric)
{
	struct td_node node = { .desc = metric->def->desc };

	node.column = metric->column = find_column(tree, metric->name);
	if (metric->value)
		td_array_push(&tree->package_nodes, &tree->nr_package_nodes, &node, sizeof(node));
}

static const char *estimate_of(const struct td_metric *metric)
{
	if (metric->halved)
		return TD_ESTIMATE_OF_HALF;
	return td_is_estimate(metric->def->desc) ? TD_ESTIMATE_BY_WORDS : NULL;
}

static void add_node(struct td_tree *tree, int pmu, int index, int depth)
{
	struct td_metric *metric = &tree->metrics[index];
	struct td_node *node;

	if (metric->def->package) {
		add_package_node(tree, metric);
		return;
	}
	node = td_array_add(&tree->nodes[pmu], tree->nr_nodes[pmu], sizeof(*node));
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
}

static void add_nodes_below(struct td_tree *tree, int pmu, int parent, int depth)
{
	for (int i = next_child(tree, pmu, parent, -1); i >= 0;
	     i = next_child(tree, pmu, parent, i)) {
		add_node(tree, pmu, i, depth);
		add_nodes_below(tree, pmu, i, depth + 1);
	}
}

/* Add all columns of the built-in levels, so that CSV files are the same on every machine. */
static void add_builtin_columns(struct td_tree *tree, const struct td_ask *ask)
{
	td_for_each(const struct td_metric_def, def, td_builtin_columns, td_nr_builtin_columns) {
		const struct td_column column = { def->name, "%", false };

		if (def->level <= ask->level || def->level == ask->only_level)
			td_array_push(&tree->columns, &tree->nr_columns, &column, sizeof(column));
	}
}

/* Add the columns of the package last, even if the machine lacks some domain of energy. */
static void add_package_columns(struct td_tree *tree)
{
	td_for_each(const struct td_metric, metric, tree->metrics, tree->nr_metrics) {
		int column;

		if (!metric->def->package || !metric->shown)
			continue;
		column = insert_column(tree, metric, (int)tree->nr_columns - 1);
		tree->columns[column].present = metric->value;
	}
}

/* Add the columns, and each PMU's nodes in tree order. */
static void add_nodes(struct td_tree *tree, const struct td_ask *ask)
{
	if (!td_ask_wants_files(ask))
		add_builtin_columns(tree, ask);
	for (int pmu = 0; pmu < (int)tree->nr_pmus; pmu++)
		set_positions(tree, pmu);
	find_parents(tree);
	for (int pmu = 0; pmu < (int)tree->nr_pmus; pmu++) {
		int prev = -1;

		add_columns_below(tree, pmu, -1, &prev);
	}
	add_package_columns(tree);
	for (int pmu = 0; pmu < (int)tree->nr_pmus; pmu++)
		add_nodes_below(tree, pmu, -1, 0);
}

/* --- families: nodes that -l auto counts together ---------------------------- */

#define ALWAYS_COUNTED 2 /* levels that are counted all the time */
#define UNKNOWN        (-1)

/* Return the family of a node's children.  Adds it if it is new. */
static int family_below(struct td_tree *tree, int node)
{
	struct td_tree_family *family;

	for (size_t i = 0; i < tree->nr_families; i++) {
		if (tree->families[i].node == node)
			return (int)i + 1;
	}
	family = td_array_add(&tree->families, tree->nr_families++, sizeof(*family));
	*family = (struct td_tree_family){ tree->metrics[node].pmu, node,
					   tree->metrics[node].family };
	return (int)tree->nr_families;
}

/* Is a the same family as b, or an ancestor of b? */
static bool is_above(const struct td_tree *tree, int a, int b)
{
	while (b && a != b)
		b = tree->families[b - 1].above;
	return a == b;
}

/* Return the deepest common ancestor of two families; 0: counted all the time. */
static int common(const struct td_tree *tree, int a, int b)
{
	if (a == UNKNOWN)
		return b;
	while (!is_above(tree, a, b))
		a = tree->families[a - 1].above;
	return a;
}

/*
 * Note that a metric of the family uses these events.  Events of several families belong to
 * their common ancestor, because a family is counted only while its ancestors are.
 */
static void add_user(struct td_tree *tree, const struct td_ints *events, int family)
{
	int *families = tree->families_of_events;

	for (size_t i = 0; i < events->nr; i++)
		families[events->v[i]] = common(tree, families[events->v[i]], family);
}

static void mark_events(const struct td_tree *tree, const struct td_ints *events, int family,
			bool *own)
{
	for (size_t i = 0; i < events->nr; i++) {
		int event = events->v[i];

		own[event] |= tree->families_of_events[event] == family;
	}
}

/* Mark the events that belong to the family of a metric that uses them. */
static void mark_own(const struct td_tree *tree, bool *own)
{
	td_for_each(const struct td_metric, metric, tree->metrics, tree->nr_metrics) {
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

/*
 * Make the pool of each family: the events that several of its descendants need, but not the family
 * itself.  They are counted while at least one of these descendants is, because a formula that
 * subtracts counts needs all of them from the same time.  Events of several top families are in the
 * common pool.
 */
static void make_pools(struct td_tree *tree, size_t nr)
{
	td_autofree bool *own = td_calloc(nr + 1, sizeof(*own));
	int *families = tree->families_of_events;

	mark_own(tree, own);
	for (size_t i = 0; i < nr; i++) {
		if (families[i] == UNKNOWN)
			families[i] = 0;
		else if (!own[i])
			families[i] = families[i]
					      ? td_tree_label(tree, TD_USE_POOL, families[i] - 1)
					      : td_tree_label(tree, TD_USE_ANY, 0);
	}
	td_for_each(const struct td_metric, metric, tree->metrics, tree->nr_metrics) {
		if (metric->family &&
		    (uses_pool(tree, &metric->events) || uses_pool(tree, &metric->extra)))
			tree->families[metric->family - 1].shares = true;
	}
}

static void find_of_events(struct td_tree *tree, size_t nr)
{
	int *families = td_calloc(nr + 1, sizeof(*families));

	tree->families_of_events = families;
	for (size_t i = 0; i < nr; i++)
		families[i] = UNKNOWN;
	td_for_each(const struct td_metric, metric, tree->metrics, tree->nr_metrics) {
		if (!metric->kept || !metric->value)
			continue;
		add_user(tree, &metric->events, metric->family);
		add_user(tree, &metric->extra, metric->family);
	}
	make_pools(tree, nr);
}

/* Find the families of all metrics and of the nr events. */
static void find_families(struct td_tree *tree, size_t nr)
{
	int deepest = 0;

	for (size_t i = 0; i < tree->nr_pmus; i++) {
		if (tree->levels[i] > deepest)
			deepest = tree->levels[i];
	}
	for (int level = ALWAYS_COUNTED + 1; level <= deepest; level++) {
		td_for_each(struct td_metric, metric, tree->metrics, tree->nr_metrics) {
			if (!metric->shown || metric->def->level != level || metric->parent < 0)
				continue;
			metric->family = family_below(tree, metric->parent);
		}
	}
	if (tree->nr_families)
		find_of_events(tree, nr);
}

/* --- for the scheduler ---------------------------------------------------- */

#define RANK_OUTSIDE 100 /* the rank of metrics outside of the tree */

static bool may_split(const struct td_machine *machine, const struct td_metric_def *def)
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

/* Add a need for each metric that is shown, upper levels first. */
static void add_needs(struct td_tree *tree)
{
	for (int rank = 1; rank <= RANK_OUTSIDE; rank++) {
		td_for_each(const struct td_metric, metric, tree->metrics, tree->nr_metrics) {
			int level = metric->def->level ? metric->def->level : RANK_OUTSIDE;

			if (metric->shown && metric->value && level == rank)
				td_array_push(
					&tree->needs, &tree->nr_needs,
					&(struct td_need){
						.events = metric->events.v,
						.nr = metric->events.nr,
						.rank = rank,
						.may_split = may_split(tree->machine, metric->def),
					},
					sizeof(struct td_need));
		}
	}
}

/* Find the reference event of a built-in set, or -1. */
static int find_reference(const struct td_tree *tree, int pmu)
{
	const struct td_metric_set *set = tree->sets[pmu];

	for (size_t i = 0; set && set->reference && i < tree->nr_operands; i++) {
		const struct td_operand *operand = &tree->operands[i];

		if (operand->pmu == pmu && operand->event && operand->events.nr &&
		    strcmp(operand->event->id, set->reference) == 0)
			return operand->events.v[0];
	}
	return -1;
}

/* Metrics that are the number of slots: built in, in Intel's files and in AMD's. */
static const char *const slots_names[] = { TD_SLOTS, "tma_info_thread_slots", "tma_info_core_slots",
					   "total_dispatch_slots" };

/* Find the operand with the number of slots, or -1. */
static int find_slots(const struct td_tree *tree, int pmu)
{
	for (size_t n = 0; n < TD_ARRAY_SIZE(slots_names); n++) {
		td_for_each(const struct td_metric, metric, tree->metrics, tree->nr_metrics) {
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

static void allocate(struct td_tree *tree, const struct td_tree_setup *setup)
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
		.all_matter = setup->ask->no_threshold || setup->ask->only_level,
	};
	tree->sets = td_calloc(nr + 1, sizeof(const void *));
	tree->levels = td_calloc(nr + 1, sizeof(int));
	tree->references = td_calloc(nr + 1, sizeof(int));
	tree->slots = td_calloc(nr + 1, sizeof(int));
	tree->nr_dropped = td_calloc(nr + 1, sizeof(size_t));
	tree->nodes = td_calloc(nr + 1, sizeof(struct td_node *));
	tree->nr_nodes = td_calloc(nr + 1, sizeof(size_t));
	for (size_t i = 0; i < nr; i++) {
		if (!setup->machine->pmus[i].skip)
			tree->sets[i] = setup->sets->v[i];
	}
}

/* Remove the sets of PMUs without nodes, so that they have no rows; find references and slots. */
static void finish_pmus(struct td_tree *tree)
{
	for (size_t i = 0; i < tree->nr_pmus; i++) {
		if (!tree->nr_nodes[i])
			tree->sets[i] = NULL;
		tree->references[i] = find_reference(tree, (int)i);
		tree->slots[i] = find_slots(tree, (int)i);
	}
}

int td_tree_build(struct td_tree *tree, struct td_events *events, const struct td_tree_setup *setup,
		  struct td_err *err)
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

	allocate(tree, setup);
	rc = td_tree_want_all(&scope);
	if (!rc) {
		td_tree_find_halved(tree, setup->literals);
		add_nodes(tree, setup->ask);
	}
	if (!rc && !setup->ask->no_threshold)
		rc = td_tree_each_pmu(&scope, add_thresholds);
	rc = rc ?: td_tree_each_pmu(&scope, td_tree_want_weight);
	for (size_t i = 0; scope.keys && i < events->nr; i++)
		free(scope.keys[i]);
	free(scope.keys);
	rc = rc ?: td_tree_finish_events(&scope);
	if (rc)
		return rc;
	td_tree_spread_latencies(tree);
	finish_pmus(tree);
	if (setup->ask->drill)
		find_families(tree, events->nr);
	add_needs(tree);
	return 0;
}

const char *td_metric_refusal(const struct td_tree *tree, const struct td_metric *metric)
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
