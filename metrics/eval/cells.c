// SPDX-License-Identifier: GPL-2.0-only
/* Fills one cell of a row: a metric's value, or why there is none. */
#include <math.h>
#include <string.h>

#include "lib/base/util.h"
#include "lib/plan/sets.h"
#include "metrics/eval/evaluation.h"

/* --- single events that a host forbids ------------------------------------ */

/*
 * A host can forbid single events to its guests (KVM_SET_PMU_EVENT_FILTER): they
 * open, run and count 0.  With so many slots or uops, each of these counts something.
 */
#define SURELY 1e9

static bool is_never_0(const struct td_event_def *def)
{
	static const char *const ids[] = {
		"slots",     "retiring",      "be_bound",  "fe_bound",
		"heavy_ops", "br_mispredict", "mem_bound", "no_uops",
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(ids); i++) {
		if (strcmp(def->id, ids[i]) == 0)
			return true;
	}
	return false;
}

/* Counts are those of all the time, of which an event may have run a part. */
static double part_of_time(const struct td_total *total)
{
	return total->enabled_ns
		       ? (double)total->running_ns / (double)total->enabled_ns
		       : 0;
}

/*
 * cells.c: does an event of the metric, on general counters, count 0 because
 * the host forbids it to its guests?
 */
static bool eval_is_filtered(const struct td_evaluation *e,
			     const struct td_metric *metric)
{
	const struct td_tree *tree = e->tree;
	const struct td_metric_set *set = tree->sets[metric->pmu];
	double most = 0, zero_part = 0;

	/* user space alone may have loops without a mispredict */
	if (!set || !set->general || e->part)
		return false;
	for (size_t i = 0; i < tree->nr_operands; i++) {
		const struct td_operand *operand = &tree->operands[i];
		const struct td_total *total;

		if (operand->pmu != metric->pmu || !operand->event ||
		    !operand->events.nr || !is_never_0(operand->event))
			continue;
		total = &e->totals[operand->events.v[0]];
		most = fmax(most, total->value);
		if (total->value == 0 &&
		    td_ints_has(&metric->events, operand->events.v[0]))
			zero_part = fmax(zero_part, part_of_time(total));
	}
	/* while the event ran, that is */
	return most * zero_part >= SURELY;
}

/* --- cells ---------------------------------------------------------------- */

/*
 * The time that an event might have run.  Where each run of the command counts
 * other groups, the task's time on other kinds of core is left out: it differs
 * from run to run, which would look like groups that take turns.
 */
static double possible_ns(const struct td_evaluation *e,
			  const struct td_total *total)
{
	bool joined = e->plan->nr_sets > 1 && total->covered_ns;

	return (double)(joined ? total->covered_ns : total->enabled_ns);
}

/* The share of time that the event counted least was running. */
static double running_pct(const struct td_evaluation *e,
			  const struct td_metric *metric)
{
	double least = TD_PERCENT;

	for (size_t i = 0; i < metric->events.nr; i++) {
		const struct td_total *total = &e->totals[metric->events.v[i]];

		if (!total->enabled_ns)
			return 0;
		least = fmin(least, TD_PERCENT * (double)total->running_ns /
					    possible_ns(e, total));
	}
	return least;
}

/* Is the event to tell how long a metric was counted? */
static bool is_of_run(const struct td_evaluation *e, int event)
{
	int group = e->groups[event];

	return !e->run || group < 0 ||
	       td_plan_run_counts(e->plan, &e->plan->groups[group], e->run - 1);
}

/* How long the event that ran least was running; 0 if there is none. */
static uint64_t running_ns(const struct td_evaluation *e,
			   const struct td_metric *metric)
{
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < metric->events.nr; i++) {
		uint64_t ns = e->totals[metric->events.v[i]].running_ns;

		if (ns < least && is_of_run(e, metric->events.v[i]))
			least = ns;
	}
	return least < UINT64_MAX ? least : 0;
}

/*
 * Were the metric's events counted in other slices of time than its parent's?
 */
static bool ran_in_other_slices(const struct td_evaluation *e,
				const struct td_metric *metric)
{
	const struct td_metric *parent;

	if (metric->parent < 0)
		return false;
	parent = &e->tree->metrics[metric->parent];
	for (size_t i = 0; i < metric->events.nr; i++) {
		int event = metric->events.v[i];
		bool together = td_total_ran_always(&e->totals[event]);

		for (size_t j = 0; j < parent->events.nr && !together; j++)
			together = e->groups[parent->events.v[j]] ==
				   e->groups[event];
		if (!together)
			return true;
	}
	return false;
}

static void set_missing(struct td_cell *cell, enum td_status status,
			const char *why)
{
	cell->status = status;
	cell->value = NAN;
	cell->why = why;
}

static void set_over(const struct td_evaluation *e,
		     const struct td_metric *metric, struct td_cell *cell)
{
	double over = metric->threshold
			      ? td_expr_eval(metric->threshold, e->values)
			      : NAN;

	cell->over_unknown = isnan(over);
	cell->over_threshold = !isnan(over) && over != 0;
}

void td_eval_fill_cell(const struct td_evaluation *e,
		       const struct td_metric *metric, struct td_cell *cell)
{
	const struct td_tree *tree = e->tree;
	double value = metric->def->factor * e->values[metric->slot];
	const char *gap = td_eval_find_gap(e, metric);

	*cell = td_cell_make(TD_STATUS_OK, value);
	cell->matters = metric->named || e->tree->all_matter;
	if (!metric->value) {
		/* a recording does not tell what its machine could count */
		set_missing(cell,
			    tree->fixed ? TD_STATUS_NOT_COUNTED
					: TD_STATUS_NOT_SUPPORTED,
			    td_metric_refusal(tree, metric));
		return;
	}
	cell->running_pct = running_pct(e, metric);
	cell->running_ns = running_ns(e, metric);
	if (gap) {
		set_missing(cell, TD_STATUS_NOT_COUNTED, gap);
		return;
	}
	if (eval_is_filtered(e, metric)) {
		set_missing(cell, TD_STATUS_NOT_SUPPORTED,
			    "an event that it needs counts nothing: the host "
			    "forbids it to its guests");
		return;
	}
	if (!isfinite(value)) {
		gap = td_tree_latency_gap(tree, metric);
		set_missing(cell, TD_STATUS_NOT_COUNTED,
			    gap ? gap
				: "its formula has no value for these counts");
		return;
	}
	set_over(e, metric, cell);
	cell->other_slices = ran_in_other_slices(e, metric);
}

/* Nodes up to this level of the tree are always shown. */
#define ALWAYS_SHOWN 2

/*
 * Marks the cells worth showing: the upper levels, metrics outside of the tree,
 * and of deeper nodes those over their threshold, their siblings with a value,
 * and all nodes above them.
 */
void td_eval_find_what_matters(struct td_row *row)
{
	for (size_t i = 0; i < row->nr_nodes; i++) {
		const struct td_node *node = &row->nodes[i];
		bool over =
			row->cells[node->column].over_threshold && !row->idle;

		if (node->level <= ALWAYS_SHOWN)
			row->cells[node->column].matters = true;
		for (size_t j = 0; over && j < row->nr_nodes; j++) {
			const struct td_node *other = &row->nodes[j];
			bool sibling = node->parent && other->parent &&
				       other->level == node->level &&
				       strcmp(node->parent, other->parent) == 0;
			bool counted = row->cells[other->column].status ==
				       TD_STATUS_OK;

			if (i == j || (sibling && counted))
				row->cells[other->column].matters = true;
		}
	}
	/* nodes come after their ancestors */
	for (size_t i = row->nr_nodes; i-- > 0;) {
		const struct td_node *node = &row->nodes[i];
		size_t above = i;

		if (!row->cells[node->column].matters || node->depth == 0)
			continue;
		while (row->nodes[above].depth >= node->depth)
			above--;
		row->cells[row->nodes[above].column].matters = true;
	}
}

/* --- what is over its threshold for sure ---------------------------------- */

/* The metric's cell; NULL if it is not shown, or is of another PMU. */
static struct td_cell *cell_of(const struct td_metric *metric, int pmu,
			       const struct td_row *row)
{
	if (metric->pmu != pmu || metric->column < 0)
		return NULL;
	return &row->cells[metric->column];
}

/*
 * Moves the values of all shown metrics to one end of their intervals: side is
 * -1 or 1.  Those that are not shown have no error, and stay.
 */
static void shift(const struct td_evaluation *e, int pmu,
		  const struct td_row *row, int side)
{
	const struct td_tree *tree = e->tree;

	memcpy(e->shifted, e->values, tree->nr_operands * sizeof(*e->shifted));
	for (size_t i = 0; i < tree->nr_metrics; i++) {
		const struct td_metric *metric = &tree->metrics[i];
		const struct td_cell *cell = cell_of(metric, pmu, row);

		if (cell)
			e->shifted[metric->slot] =
				(cell->value + side * cell->error) /
				metric->def->factor;
	}
}

/* Forgets the cells whose threshold does not hold at one end. */
static void check_end(const struct td_evaluation *e, int pmu,
		      const struct td_row *row, int side)
{
	const struct td_tree *tree = e->tree;

	shift(e, pmu, row, side);
	for (size_t i = 0; i < tree->nr_metrics; i++) {
		const struct td_metric *metric = &tree->metrics[i];
		struct td_cell *cell = cell_of(metric, pmu, row);

		/* NaN, of an unknown error, is no */
		if (cell && cell->clear_of_threshold)
			cell->clear_of_threshold =
				td_expr_eval(metric->threshold, e->shifted) > 0;
	}
}

/* A merged row has the nodes of the PMU with the most slots. */
static int pmu_of(const struct td_tree *tree, const struct td_row *row)
{
	const struct td_node *nodes = row->ranked ? row->unranked : row->nodes;

	for (int i = 0; i < (int)tree->nr_pmus; i++) {
		if (tree->nodes[i] == nodes)
			return i;
	}
	return -1;
}

/*
 * Thresholds of nodes are comparisons joined by "and" and "or", so what is true
 * at both ends is true in between.  A threshold may name further nodes, such as
 * the parent, which are moved along.
 */
void td_eval_find_clear(const struct td_evaluation *e, struct td_report *report)
{
	for (size_t r = 0; r < report->nr_rows; r++) {
		const struct td_row *row = &report->rows[r];
		int pmu = pmu_of(e->tree, row);

		for (size_t i = 0; i < report->nr_columns; i++) {
			struct td_cell *cell = &row->cells[i];

			cell->clear_of_threshold = pmu >= 0 &&
						   cell->over_threshold &&
						   !isnan(cell->error);
		}
		if (pmu < 0)
			continue;
		check_end(e, pmu, row, -1);
		check_end(e, pmu, row, 1);
	}
}
