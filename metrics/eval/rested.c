// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"
#include "metrics/eval/finished.h"

/* A node that may rest, in one row. */
struct node {
	const struct td_tree *tree;
	const struct td_ranges *ranges;
	const struct td_metric *metric;
	size_t row;
};

/* What is known of it over all batches. */
struct sums {
	double all, awake;  /* weights */
	double value, root; /* of the time awake: its own, its root's */
	double squares;     /* of its own by its root's, each batch */
	double nr;          /* batches in which it was awake */
	double taken;       /* of the root while it rested, but should not */
	double most;        /* the most that it had otherwise */
};

/* Of what is normally distributed, 95 of 100 are within so many deviations. */
#define NORMAL 1.959964

static size_t at(const struct node *n, int column)
{
	return n->row * n->ranges->report->nr_columns + (size_t)column;
}

static double value_in(const struct node *n, int column, size_t batch)
{
	return column < 0 ? (double)NAN
			  : td_ranges_value(n->ranges, at(n, column), batch);
}

/* The node whose children are the metric's family. */
static const struct td_metric *above(const struct td_tree *tree,
				     const struct td_metric *metric)
{
	return &tree->metrics[tree->families[metric->family - 1].node];
}

/* The nearest node above it that was counted in the batch. */
static const struct td_metric *nearest(const struct node *n, size_t batch)
{
	const struct td_metric *metric = above(n->tree, n->metric);

	while (metric->family && isnan(value_in(n, metric->column, batch)))
		metric = above(n->tree, metric);
	return metric;
}

static const struct td_metric *root_of(const struct node *n)
{
	const struct td_metric *metric = n->metric;

	while (metric->family)
		metric = above(n->tree, metric);
	return metric;
}

static bool begins_with(const struct td_metric *metric,
			const char *const *names, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (!strncmp(metric->def->name, names[i], strlen(names[i])))
			return true;
	}
	return false;
}

/* These are shares of the uops that retired, all others of slots or of cycles. */
static bool is_of_uops(const struct td_metric *metric)
{
	static const char *const names[] = { "tma_fp_arith", "tma_fp_scalar",
					     "tma_fp_vector",
					     "tma_int_operations",
					     "tma_int_vector" };

	return begins_with(metric, names, TD_ARRAY_SIZE(names));
}

/*
 * These are no part of their parent: cycles in which ports were busy, as they are of
 * a program that waits for nothing, and loads that hit while something else waits.
 */
static bool is_no_part(const struct td_metric *metric)
{
	static const char *const names[] = { "tma_ports_utilized_3m",
					     "tma_alu_op_utilization",
					     "tma_load_op_utilization",
					     "tma_store_op_utilization",
					     "tma_port_",
					     "tma_l1_hit_latency",
					     "tma_l1_latency_dependency" };

	return begins_with(metric, names, TD_ARRAY_SIZE(names));
}

/* Of level 1; of what is a share of the uops, it is what retired. */
static const struct td_metric *top_of(const struct node *n)
{
	const struct td_metric *metric = n->metric;

	while (metric->parent >= 0)
		metric = &n->tree->metrics[metric->parent];
	return metric;
}

/* How much what the node is a share of was, in the batch. */
static double weight_of(const struct node *n, size_t batch)
{
	double slots = td_ranges_slots(n->ranges, n->row, batch);

	return is_of_uops(n->metric)
		       ? slots * value_in(n, top_of(n)->column, batch) / 100
		       : slots;
}

static void add_awake(const struct node *n, size_t batch, double value,
		      double root, struct sums *sums)
{
	double of_root = td_ranges_slots(n->ranges, n->row, batch) * root;
	double weight = weight_of(n, batch);
	double own = weight * value;

	sums->awake += weight;
	sums->value += own;
	sums->root += of_root;
	sums->nr++;
	if (of_root > 0)
		sums->squares += own * own / of_root;
}

static void add_rested(const struct node *n, size_t batch, double root,
		       struct sums *sums)
{
	double slots = td_ranges_slots(n->ranges, n->row, batch);
	const struct td_metric *parent = nearest(n, batch);

	if (parent->column >= 0 &&
	    td_ranges_over(n->ranges, at(n, parent->column), batch))
		sums->taken += slots * root;
	else if (is_no_part(n->metric))
		sums->most += slots * 100;
	else
		sums->most += slots * value_in(n, parent->column, batch);
}

static void add_batch(const struct node *n, size_t batch, struct sums *sums)
{
	double weight = weight_of(n, batch);
	double value = value_in(n, n->metric->column, batch);
	double root = value_in(n, root_of(n)->column, batch);

	/*
	 * Nothing ran, or on the other kind of core.  What never rests is its own
	 * root, and has no node above it.
	 */
	if (!(weight > 0) || isnan(root))
		return;
	sums->all += weight;
	if (isnan(value))
		add_rested(n, batch, root, sums);
	else
		add_awake(n, batch, value, root, sums);
}

static struct sums add_batches(const struct node *n)
{
	struct sums sums = { 0 };

	for (size_t i = 0; i < n->ranges->nr; i++)
		add_batch(n, i, &sums);
	return sums;
}

static bool did_rest(const struct sums *sums)
{
	return sums->awake > 0 && sums->awake < sums->all;
}

static struct td_cell *cell_of(const struct node *n,
			       const struct td_metric *metric)
{
	return &n->ranges->report->rows[n->row].cells[metric->column];
}

/* So much less than its root was counted what may have rested; turns are short. */
#define WHOLE 0.95

/*
 * Without batches it is not known when it rested: it had something between
 * nothing and all that its root had of the run, or all uops that retired.
 */
static double bounded_value(const struct node *n, struct td_cell *cell)
{
	const struct td_metric *root = root_of(n);
	double value, most;

	if (root->column < 0 || !(cell_of(n, root)->value >= 0) ||
	    cell->running_pct >= WHOLE * cell_of(n, root)->running_pct)
		return NAN;
	most = is_of_uops(n->metric) ? 100 : cell_of(n, root)->value;
	value = fmin(fmax(cell->value, 0), most);
	cell->error = fmax(value, most - value);
	cell->too_short = false;
	return value;
}

/*
 * While it rested, but should not, it may have had another part of its root than
 * otherwise: how much that part changes, its batches tell, and one of them nothing.
 */
static double error_of_taken(const struct sums *sums)
{
	double part = sums->value / sums->root;
	double variance = sums->squares / sums->root - part * part;

	if (sums->nr < 2)
		return sums->taken * fmax(part, 1 - part);
	variance *= sums->nr / (sums->nr - 1);
	return NORMAL * sums->taken * sqrt(fmax(variance, 0));
}

static void add_error(struct td_cell *cell, double error)
{
	cell->error += error;
	cell->error_alike += error;
}

/* uneven: what rested gave its turns to others. */
static double find_value(const struct node *n, bool uneven)
{
	struct td_cell *cell = cell_of(n, n->metric);
	struct sums sums;
	double value;

	if (cell->status != TD_STATUS_OK)
		return NAN;
	if (n->ranges->nr < 2)
		return n->metric->family ? bounded_value(n, cell) : NAN;
	sums = add_batches(n);
	if (!(sums.awake > 0) || !uneven)
		return NAN;
	value = sums.value;
	if (sums.root > 0)
		value += sums.taken * sums.value / sums.root;
	value /= sums.all;
	/* small differences may be below 0 */
	if (cell->value > 0 && value > 0)
		cell->error *= fmin(value / cell->value, 1);
	add_error(cell, fabs(sums.most) / sums.all);
	if (sums.root > 0)
		add_error(cell, error_of_taken(&sums) / sums.all);
	/* what it had while it rested may be nothing */
	if (sums.most > 0 && !isnan(cell->low))
		cell->low = fmin(cell->low, 0);
	return value;
}

static bool is_in_row(const struct node *n)
{
	const struct td_row *row = &n->ranges->report->rows[n->row];
	const char *pmu = n->tree->machine->pmus[n->metric->pmu].name;

	return n->metric->position && n->metric->column >= 0 &&
	       (!strcmp(row->pmu, pmu) || !strcmp(row->pmu, "all"));
}

/* The largest share of the time for which something of the row was counted. */
static double most_running(const struct td_report *report, size_t row)
{
	double most = 0;

	for (size_t c = 0; c < report->nr_columns; c++)
		most = fmax(most, report->rows[row].cells[c].running_pct);
	return most;
}

/*
 * Did anything of the row rest?  Then all that takes turns had more of them in some
 * batches than in others, and sums over all of the time favour these.
 */
static bool is_uneven(const struct td_tree *tree,
		      const struct td_ranges *ranges, size_t row)
{
	for (size_t m = 0; m < tree->nr_metrics; m++) {
		const struct td_metric *metric = &tree->metrics[m];
		const struct node n = { tree, ranges, metric, row };
		struct sums sums;

		if (!metric->family || !is_in_row(&n))
			continue;
		sums = add_batches(&n);
		if (did_rest(&sums))
			return true;
	}
	return false;
}

static bool find_in_row(const struct td_rested *rested,
			const struct td_tree *tree,
			const struct td_ranges *ranges, size_t row)
{
	bool uneven = is_uneven(tree, ranges, row), any = false;
	double most = uneven ? most_running(ranges->report, row) : 0;

	for (size_t m = 0; m < tree->nr_metrics; m++) {
		const struct td_metric *metric = &tree->metrics[m];
		const struct node n = { tree, ranges, metric, row };
		double *value;

		/* levels 1 and 2 never rest; without turns they are right */
		if (!is_in_row(&n) ||
		    (!metric->family &&
		     !(cell_of(&n, metric)->running_pct < WHOLE * most)))
			continue;
		value = &rested->values[at(&n, metric->column)];
		/* kinds of core may have a column in common */
		if (isnan(*value))
			*value = find_value(&n, uneven);
		any = any || !isnan(*value);
	}
	return any;
}

int td_rested_find(struct td_rested *rested, const struct td_tree *tree,
		   const struct td_ranges *ranges, bool *any)
{
	const struct td_report *report = ranges->report;
	size_t nr = report->nr_rows * report->nr_columns;
	double *v = calloc(nr + 1, sizeof(*v));

	*rested = (struct td_rested){ report, v };
	*any = false;
	if (!v)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		v[i] = NAN;
	for (size_t r = 0; r < report->nr_rows; r++)
		*any |= find_in_row(rested, tree, ranges, r);
	return 0;
}

const double *td_rested_values(const struct td_rested *rested,
			       const struct td_row *row)
{
	const struct td_report *report = rested->report;
	const struct td_row *same =
		td_report_find(report, row->id, row->pmu, 0);

	return same ? rested->values + (size_t)(same - report->rows) *
					       report->nr_columns
		    : NULL;
}

void td_rested_set(const struct td_rested *rested, struct td_report *report,
		   const struct td_report *again)
{
	for (size_t r = 0; r < report->nr_rows; r++) {
		const struct td_row *row = &report->rows[r];
		const struct td_row *other =
			td_report_find(again, row->id, row->pmu, r);

		for (size_t c = 0; other && c < report->nr_columns; c++) {
			struct td_cell *cell = &row->cells[c];
			double value =
				rested->values[r * report->nr_columns + c];

			cell->over_threshold = other->cells[c].over_threshold;
			cell->over_unknown = other->cells[c].over_unknown;
			cell->matters = other->cells[c].matters;
			if (isnan(value))
				continue;
			cell->value = value;
			cell->rested = true;
		}
	}
}

void td_rested_free(struct td_rested *rested)
{
	free(rested->values);
	*rested = (struct td_rested){ 0 };
}
