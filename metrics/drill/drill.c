// SPDX-License-Identifier: GPL-2.0-only
#include "metrics/drill/drill.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/memory.h"
#include "lib/base/util.h"

#define FAVOUR       1.25 /* another node must be larger by this factor to replace one that is on */
#define WORTH_A_TURN 0.5  /* minimum size of a waiting node, relative to the one that is on */

/* Is the node "tma_retiring", or a descendant? */
static bool is_retiring(const struct td_tree *tree, int node)
{
	const char *name;

	while (tree->metrics[node].parent >= 0)
		node = tree->metrics[node].parent;
	name = tree->metrics[node].def->name;
	return strstr(name, "retiring");
}

void td_drill_begin(struct td_drill *drill, const struct td_tree *tree, const struct td_plan *plan)
{
	*drill = (struct td_drill){ .tree = tree, .nr = tree->nr_families };
	drill->v = td_calloc(drill->nr + 1, sizeof(*drill->v));
	drill->always = td_calloc(tree->nr_pmus + 1, sizeof(*drill->always));
	for (size_t i = 0; i < drill->nr; i++) {
		drill->v[i].is = &tree->families[i];
		drill->v[i].retiring = is_retiring(tree, tree->families[i].node);
	}
	td_for_each(const struct td_group, group, plan->groups, plan->nr_groups) {
		int family;
		enum td_use_kind use = td_tree_use(drill->tree, group->family, &family);

		if (use == TD_USE_FAMILY)
			drill->v[family].nr_groups++;
		else if (use == TD_USE_POOL)
			drill->v[family].nr_pooled++;
		else if (!group->pinned && group->pmu < (int)drill->tree->nr_pmus)
			drill->always[group->pmu]++;
	}
}

/* --- candidates ------------------------------------------------------------ */

/* Update a family: is its node above its threshold in any row of its PMU? */
static void look(const struct td_drill *drill, struct td_drill_family *family,
		 const struct td_report *report, uint64_t now_ns)
{
	const struct td_tree *tree = drill->tree;
	const struct td_metric *node = &tree->metrics[family->is->node];
	const char *pmu = tree->machine->pmus[family->is->pmu].name;
	double most = NAN;

	td_for_each(const struct td_row, row, report->rows, report->nr_rows) {
		const struct td_cell *cell = &row->cells[node->column];

		if (strcmp(row->pmu, pmu) != 0 || cell->status != TD_STATUS_OK)
			continue;
		most = fmax(most, cell->value);
		if (!cell->over_threshold)
			continue;
		family->ever_over = true;
		family->over_ns = now_ns;
	}
	if (!isnan(most))
		family->value = most;
}

static bool is_wanted(const struct td_drill_family *family, uint64_t now_ns)
{
	if (!family->ever_over)
		return false;
	return family->over_ns == now_ns ||
	       (family->on && now_ns - family->over_ns < TD_DRILL_HOLD_NS);
}

/* --- the choice ------------------------------------------------------------- */

struct choice {
	struct td_drill *drill;
	int pmu;
	uint64_t now_ns;
	unsigned int groups; /* number of multiplexed groups */
	bool complete;       /* all families of the first path are chosen */
};

/* Has the family led for TD_DRILL_TURN_NS, so that it may be replaced? */
static bool had_turn(const struct choice *c, const struct td_drill_family *family)
{
	return c->now_ns - family->leads_ns >= TD_DRILL_TURN_NS;
}

static bool keeps_lead(const struct choice *c, const struct td_drill_family *leader,
		       const struct td_drill_family *other)
{
	return had_turn(c, leader) ? other->value < WORTH_A_TURN * leader->value
				   : other->value <= FAVOUR * leader->value;
}

static bool comes_first(const struct choice *c, const struct td_drill_family *a,
			const struct td_drill_family *b)
{
	if (a->retiring != b->retiring)
		return b->retiring;
	if (a->leads)
		return keeps_lead(c, a, b);
	if (b->leads)
		return !keeps_lead(c, b, a);
	if (a->on != b->on)
		return a->on ? FAVOUR * a->value >= b->value : a->value > FAVOUR * b->value;
	return a->value > b->value;
}

/* Return the next family to choose below another one (0: below levels 1 and 2), or -1. */
static int next_below(const struct choice *c, int above)
{
	const struct td_drill *drill = c->drill;
	int best = -1;

	for (int i = 0; i < (int)drill->nr; i++) {
		const struct td_drill_family *family = &drill->v[i];

		if (family->is->pmu != c->pmu || family->is->above != above || family->visited ||
		    !is_wanted(family, c->now_ns))
			continue;
		if (best < 0 || comes_first(c, family, &drill->v[best]))
			best = i;
	}
	return best;
}

/* Count the groups of the pools that the family needs, except those already chosen. */
static unsigned int pooled_groups(const struct choice *c, int i, bool take)
{
	const struct td_tree_family *family = c->drill->v[i].is;
	unsigned int nr = 0;

	for (int above = family->above; family->shares && above;
	     above = c->drill->v[above - 1].is->above) {
		struct td_drill_family *pool = &c->drill->v[above - 1];

		nr += pool->pool_chosen ? 0 : pool->nr_pooled;
		pool->pool_chosen |= take;
	}
	return nr;
}

/* Choose families depth first. */
static void choose_below(struct choice *c, int above)
{
	bool first = true;

	for (int i = next_below(c, above); i >= 0; i = next_below(c, above)) {
		struct td_drill_family *family = &c->drill->v[i];
		unsigned int groups = c->groups + family->nr_groups + pooled_groups(c, i, false);

		family->visited = true;
		if (c->complete && groups > TD_DRILL_GROUPS)
			continue;
		c->groups = groups;
		family->chosen = true;
		family->first = first;
		first = false;
		pooled_groups(c, i, true);
		choose_below(c, i + 1);
		c->complete = true;
	}
}

static bool apply(struct td_drill *drill, uint64_t now_ns)
{
	bool switched = false;

	td_for_each(struct td_drill_family, family, drill->v, drill->nr) {
		switched |= family->pool_on != family->pool_chosen;
		switched |= family->on != family->chosen;
		if (family->first && !family->leads)
			family->leads_ns = now_ns;
		family->leads = family->first;
		family->on = family->chosen;
		family->pool_on = family->pool_chosen;
	}
	return switched;
}

bool td_drill_decide(struct td_drill *drill, const struct td_report *report, uint64_t now_ns)
{
	td_for_each(struct td_drill_family, family, drill->v, drill->nr) {
		family->chosen = family->pool_chosen = false;
		family->visited = family->first = false;
		look(drill, family, report, now_ns);
	}
	for (int pmu = 0; pmu < (int)drill->tree->nr_pmus; pmu++) {
		struct choice choice = {
			.drill = drill,
			.pmu = pmu,
			.now_ns = now_ns,
			.groups = drill->always[pmu],
		};

		choose_below(&choice, 0);
	}
	return apply(drill, now_ns);
}

void td_drill_list(const struct td_drill *drill, struct td_ints *out)
{
	bool any = false;

	*out = (struct td_ints){ 0 };
	for (int i = 0; i < (int)drill->nr; i++) {
		any |= drill->v[i].on;
		if (drill->v[i].on)
			td_ints_add(out, td_tree_label(drill->tree, TD_USE_FAMILY, i));
		if (drill->v[i].pool_on)
			td_ints_add(out, td_tree_label(drill->tree, TD_USE_POOL, i));
	}
	if (any)
		td_ints_add(out, td_tree_label(drill->tree, TD_USE_ANY, 0));
}

void td_drill_free(struct td_drill *drill)
{
	free(drill->v);
	free(drill->always);
	*drill = (struct td_drill){ 0 };
}
