// SPDX-License-Identifier: GPL-2.0-only
/* Siblings in the tree, and which of them is the largest for sure. */
#include "metrics/verdict/siblings.h"

#include <math.h>
#include <string.h>

#define ALL_SLOTS 100

/* Levels 1 and 2 are shares of slots on every core. */
#define SLOTS_LEVEL 2

const struct td_cell *td_siblings_cell(const struct td_siblings *siblings,
				       const struct td_node *node)
{
	return &siblings->row->cells[node->column];
}

static const char *name_of(const struct td_siblings *siblings,
			   const struct td_node *node)
{
	return siblings->report->columns[node->column].name;
}

/*
 * Below level 2 there are also shares of cycles, which only the first sentence of
 * the description tells.
 */
bool td_node_is_in_slots(const struct td_node *node)
{
	return node->level <= SLOTS_LEVEL ||
	       (node->desc && strstr(node->desc, " slots"));
}

static bool is_in_cycles(const struct td_node *node)
{
	return !td_node_is_in_slots(node) && node->desc &&
	       (strstr(node->desc, " cycles") ||
		strstr(node->desc, " clocks") ||
		strstr(node->desc, " stalled"));
}

static bool is_shown(const struct td_report *report, const struct td_row *row,
		     const char *name)
{
	for (size_t i = 0; i < row->nr_nodes; i++) {
		if (strcmp(report->columns[row->nodes[i].column].name, name) ==
		    0)
			return true;
	}
	return false;
}

static bool is_child(const struct td_siblings *siblings,
		     const struct td_node *node)
{
	if (!node->level ||
	    td_siblings_cell(siblings, node)->status == TD_STATUS_NONE)
		return false;
	if (siblings->parent)
		return node->parent &&
		       strcmp(node->parent, siblings->parent->name) == 0;
	return !node->parent ||
	       !is_shown(siblings->report, siblings->row, node->parent);
}

/* AMD publishes no thresholds. */
static bool has_thresholds(const struct td_row *row)
{
	for (size_t i = 0; i < row->nr_nodes; i++) {
		const struct td_cell *cell = &row->cells[row->nodes[i].column];

		if (cell->status == TD_STATUS_OK && !cell->over_unknown)
			return true;
	}
	return false;
}

void td_siblings_find(struct td_siblings *siblings,
		      const struct td_report *report, const struct td_row *row,
		      const struct td_found *parent)
{
	*siblings = (struct td_siblings){
		.report = report,
		.row = row,
		.parent = parent,
		.by_size = !has_thresholds(row),
	};
	for (size_t i = 0; i < row->nr_nodes; i++) {
		if (is_child(siblings, &row->nodes[i]) &&
		    siblings->nr < TD_MAX_SIBLINGS)
			siblings->nodes[siblings->nr++] = &row->nodes[i];
	}
}

const struct td_node *td_siblings_take(struct td_siblings *siblings,
				       const char *name)
{
	for (size_t i = 0; i < siblings->nr; i++) {
		const struct td_node *node = siblings->nodes[i];

		if (strcmp(td_node_short_name(name_of(siblings, node)), name) !=
		    0)
			continue;
		siblings->nr--;
		for (; i < siblings->nr; i++)
			siblings->nodes[i] = siblings->nodes[i + 1];
		return node;
	}
	return NULL;
}

/*
 * Shares of cycles become shares of slots by dividing up the parent's, as the
 * formulas of Intel's tma_info_bottleneck_* metrics do.
 */
static double slots_of(const struct td_siblings *siblings,
		       const struct td_node *node)
{
	double sum = 0;

	if (td_node_is_in_slots(node))
		return td_siblings_cell(siblings, node)->value;
	if (!siblings->parent || !is_in_cycles(node))
		return NAN;
	for (size_t i = 0; i < siblings->nr; i++)
		sum += td_siblings_cell(siblings, siblings->nodes[i])->value;
	return siblings->parent->slots_pct *
	       td_siblings_cell(siblings, node)->value / sum;
}

struct td_found td_siblings_found(const struct td_siblings *siblings,
				  const struct td_node *node)
{
	const struct td_cell *cell = td_siblings_cell(siblings, node);

	return (struct td_found){
		.node = node,
		.name = name_of(siblings, node),
		.value = cell->value,
		.error = cell->error,
		.slots_pct = slots_of(siblings, node),
		.clear = cell->clear_of_threshold,
	};
}

/* Can its true value be a share, and that of this node? */
static bool is_consistent(const struct td_cell *cell)
{
	return cell->misfit == TD_FITS && cell->value + cell->error >= 0 &&
	       cell->value - cell->error <= ALL_SLOTS;
}

/*
 * Nobody knows what a node is a share of whose description does not say it; below
 * its threshold it is no competitor, either.
 */
static bool is_out_of_it(const struct td_siblings *siblings,
			 const struct td_node *node)
{
	const struct td_cell *cell = td_siblings_cell(siblings, node);

	return !td_node_is_in_slots(node) && !is_in_cycles(node) &&
	       cell->status == TD_STATUS_OK && !cell->over_threshold &&
	       !cell->over_unknown && !isnan(cell->error);
}

/*
 * Are they all shares of slots, or shares of the cycles that one node is about?  Only
 * of levels 1 and 2 is it known that nodes of several parents are all lost slots.
 */
static bool are_comparable(const struct td_siblings *siblings)
{
	size_t nr_slots = 0, nr_cycles = 0, nr = 0;
	const char *parent = siblings->nodes[0]->parent;

	for (size_t i = 0; i < siblings->nr; i++) {
		const struct td_node *node = siblings->nodes[i];
		bool same = parent && node->parent
				    ? strcmp(parent, node->parent) == 0
				    : parent == node->parent;

		nr_slots += (same || node->level <= SLOTS_LEVEL) &&
			    td_node_is_in_slots(node);
		nr_cycles += same && is_in_cycles(node);
		nr += !is_out_of_it(siblings, node);
	}
	return nr_slots == nr || nr_cycles == nr;
}

/* Is it over its threshold, if sure for sure?  Without any, over nothing. */
static bool is_over(const struct td_siblings *siblings,
		    const struct td_cell *cell, bool sure)
{
	if (siblings->by_size)
		return cell->value - (sure ? cell->error : 0) > 0;
	return sure ? cell->clear_of_threshold : cell->over_threshold;
}

/* The largest node but one that is over its threshold, if sure for sure, or NULL. */
static const struct td_node *find_over(const struct td_siblings *siblings,
				       const struct td_node *but, bool sure)
{
	const struct td_node *first = NULL;

	for (size_t i = 0; i < siblings->nr; i++) {
		const struct td_cell *cell =
			td_siblings_cell(siblings, siblings->nodes[i]);

		if (is_over(siblings, cell, sure) &&
		    siblings->nodes[i] != but && is_consistent(cell) &&
		    (!first ||
		     cell->value > td_siblings_cell(siblings, first)->value))
			first = siblings->nodes[i];
	}
	return first;
}

static double top_of(const struct td_cell *cell)
{
	return cell->value + (isnan(cell->error) ? 0 : cell->error);
}

/*
 * Is it larger for sure, and yet not over its threshold?  Then many of its cycles
 * are no problem, such as those in which three ports were used.  Slots are lost
 * below a threshold, too.
 */
static bool is_harmless(const struct td_siblings *siblings,
			const struct td_node *node, const struct td_node *first)
{
	const struct td_cell *cell = td_siblings_cell(siblings, node);

	return !td_node_is_in_slots(node) && !cell->over_threshold &&
	       !cell->over_unknown && !isnan(cell->error) &&
	       cell->value - cell->error >
		       top_of(td_siblings_cell(siblings, first));
}

/* The sibling that may be the largest of the others, over a threshold or not. */
static const struct td_node *find_second(const struct td_siblings *siblings,
					 const struct td_node *first)
{
	const struct td_node *second = NULL;

	for (size_t i = 0; i < siblings->nr; i++) {
		const struct td_node *node = siblings->nodes[i];
		const struct td_cell *cell = td_siblings_cell(siblings, node);

		if (node == first || cell->status != TD_STATUS_OK ||
		    is_out_of_it(siblings, node) ||
		    (!isnan(cell->error) && !is_consistent(cell)) ||
		    (first && is_harmless(siblings, node, first)))
			continue;
		if (!second ||
		    top_of(cell) > top_of(td_siblings_cell(siblings, second)))
			second = node;
	}
	return second;
}

/* Why no node is over its threshold for sure. */
static enum td_outcome why_none(const struct td_siblings *siblings)
{
	enum td_outcome why = TD_OUTCOME_BELOW;

	for (size_t i = 0; i < siblings->nr; i++) {
		const struct td_cell *cell =
			td_siblings_cell(siblings, siblings->nodes[i]);
		bool over = is_over(siblings, cell, false);

		if (cell->status != TD_STATUS_OK ||
		    (cell->over_unknown && !siblings->by_size) ||
		    (over && cell->misfit != TD_FITS))
			why = TD_OUTCOME_UNKNOWN;
		else if (over && cell->too_short)
			return TD_OUTCOME_SHORT;
		else if (over && why == TD_OUTCOME_BELOW)
			why = isnan(cell->error) ? TD_OUTCOME_UNKNOWN
						 : TD_OUTCOME_NEAR;
	}
	return why;
}

/*
 * May a sibling that has no value, or no error, be as large as the first one?
 * What was not counted is at most what is left of the parent.
 */
static enum td_outcome what_is_missing(const struct td_siblings *siblings,
				       const struct td_node *first)
{
	double left = siblings->parent ? siblings->parent->value : ALL_SLOTS;
	bool uncounted = false;

	for (size_t i = 0; i < siblings->nr; i++) {
		const struct td_cell *cell =
			td_siblings_cell(siblings, siblings->nodes[i]);

		if (cell->status != TD_STATUS_OK)
			uncounted = true;
		else if (isnan(cell->error))
			return cell->too_short ? TD_OUTCOME_SHORT
					       : TD_OUTCOME_UNKNOWN;
		else
			left -= cell->value;
	}
	if (uncounted && (!td_node_is_in_slots(first) ||
			  left > td_siblings_cell(siblings, first)->value))
		return TD_OUTCOME_UNKNOWN;
	return TD_OUTCOME_WON;
}

void td_siblings_rank(const struct td_siblings *siblings,
		      struct td_ranking *ranking)
{
	const struct td_node *first, *second;
	const struct td_cell *cell, *other;

	*ranking = (struct td_ranking){ .outcome = TD_OUTCOME_EMPTY };
	if (!siblings->nr)
		return;
	first = find_over(siblings, NULL, true);
	second = first && !are_comparable(siblings)
			 ? find_over(siblings, first, true)
			 : find_second(siblings, first);
	if (first)
		ranking->first = td_siblings_found(siblings, first);
	if (second)
		ranking->second = td_siblings_found(siblings, second);
	if (!first) {
		ranking->outcome = why_none(siblings);
		first = find_over(siblings, NULL, false);
		if (first)
			ranking->first = td_siblings_found(siblings, first);
		return;
	}
	ranking->outcome = are_comparable(siblings)
				   ? what_is_missing(siblings, first)
				   : TD_OUTCOME_UNLIKE;
	cell = td_siblings_cell(siblings, first);
	if (ranking->outcome != TD_OUTCOME_WON || !second)
		return;
	other = td_siblings_cell(siblings, second);
	/* what may be nothing at all is no second cause, but not known well enough */
	if (top_of(other) >= cell->value - cell->error)
		ranking->outcome = other->error > other->value
					   ? TD_OUTCOME_SHORT
					   : TD_OUTCOME_TIED;
}
