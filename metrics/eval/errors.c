// SPDX-License-Identifier: GPL-2.0-only
#include "metrics/eval/finished.h"

#include <math.h>

#include "lib/base/util.h"

#define NORMAL 1.959964 /* the 97.5 % quantile of the normal distribution */

/* --- how values changed ----------------------------------------------------- */

#define MIN_BATCHES 8 /* with fewer batches there is no range */
/* share of the batches below the range, and share of the batches above it */
#define OUTSIDE 0.05

void td_ranges_begin(struct td_ranges *ranges, struct td_report *report)
{
	size_t nr = report->nr_rows * report->nr_columns + 1;

	*ranges = (struct td_ranges){
		.report = report,
		.values = td_calloc(nr, TD_TIMELINE_FEW * sizeof(float)),
		.over = td_calloc(nr, sizeof(*ranges->over)),
		.slots = td_calloc(report->nr_rows + 1, TD_TIMELINE_FEW * sizeof(float)),
		.ns = td_calloc(nr, sizeof(*ranges->ns)),
	};
}

/* Find the largest node of a level that is a child of parent; -1: none. */
static int largest_child(const struct td_row *row, int level, const char *parent)
{
	double most = 0;
	int best = -1;

	td_for_each(const struct td_node, node, row->nodes, row->nr_nodes) {
		const struct td_cell *cell = &row->cells[node->column];

		if (node->level != level || cell->status != TD_STATUS_OK || !(cell->value > most) ||
		    (parent && (!node->parent || strcmp(node->parent, parent) != 0)))
			continue;
		most = cell->value;
		best = node->column;
	}
	return best;
}

/* Find the node with most slots: retiring, or the largest child of the biggest loss. */
static int leader(const struct td_report *report, const struct td_row *row)
{
	int best = largest_child(row, 1, NULL), child = -1;

	if (best >= 0 && td_part_of(report->columns[best].name) != TD_PART_RETIRING)
		child = largest_child(row, 2, report->columns[best].name);
	return child < 0 ? best : child;
}

static void add_to_range(struct td_ranges *ranges, size_t at, const struct td_cell *cell)
{
	ranges->values[at * TD_TIMELINE_FEW + ranges->nr] = cell ? (float)td_cell_value(cell) : NAN;
	if (cell && cell->over_threshold)
		ranges->over[at] |= UINT32_C(1) << ranges->nr;
}

void td_ranges_add(struct td_ranges *ranges, const struct td_report *batch, uint64_t ns)
{
	const struct td_report *report = ranges->report;
	struct td_index index;

	td_report_index(batch, &index);
	for (size_t r = 0; r < report->nr_rows; r++) {
		const struct td_row *row = td_report_find(batch, &index, &report->rows[r]);
		size_t first = r * report->nr_columns;
		int most = row && !row->idle ? leader(batch, row) : -1;

		if (most >= 0)
			ranges->ns[first + (size_t)most] += ns;
		ranges->slots[r * TD_TIMELINE_FEW + ranges->nr] = row ? (float)row->slots : NAN;
		for (size_t c = 0; c < report->nr_columns; c++)
			add_to_range(ranges, first + c, row ? &row->cells[c] : NULL);
	}
	td_index_free(&index);
	ranges->nr++;
	ranges->elapsed_ns += ns;
}

static double range_slots(const struct td_ranges *ranges, size_t row, size_t batch)
{
	return (double)ranges->slots[row * TD_TIMELINE_FEW + batch];
}

static size_t known_values(const struct td_ranges *ranges, size_t at, float known[TD_TIMELINE_FEW])
{
	const float *v = ranges->values + at * TD_TIMELINE_FEW;
	size_t nr = 0;

	for (size_t i = 0; i < ranges->nr; i++) {
		if (isfinite(v[i]))
			known[nr++] = v[i];
	}
	return nr;
}

/* Return the variance of the values of a cell; 0 if there are fewer than two. */
static double range_variance(const struct td_ranges *ranges, size_t at)
{
	float v[TD_TIMELINE_FEW];
	size_t nr = known_values(ranges, at, v);
	double sum = 0, squares = 0;

	for (size_t i = 0; i < nr; i++)
		sum += (double)v[i];
	for (size_t i = 0; i < nr; i++)
		squares += pow((double)v[i] - sum / (double)nr, 2);
	return nr < 2 ? 0 : squares / (double)(nr - 1);
}

/* Return the effective number of reads of the row, weighted by their slots. */
static double range_reads(const struct td_ranges *ranges, size_t row)
{
	double sum = 0, squares = 0, in_batch = 1;

	for (size_t i = 0; i < ranges->nr; i++) {
		double slots = range_slots(ranges, row, i);

		sum += slots > 0 ? slots : 0;
		squares += slots > 0 ? slots * slots : 0;
	}
	if (ranges->nr_reads > ranges->nr)
		in_batch = (double)ranges->nr_reads / (double)ranges->nr;
	return in_batch * (squares > 0 ? sum * sum / squares : (double)ranges->nr);
}

static int by_value(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;

	return (x > y) - (x < y);
}

static void set_range(const struct td_ranges *ranges, size_t at, struct td_cell *cell)
{
	float v[TD_TIMELINE_FEW];
	size_t nr = known_values(ranges, at, v);
	size_t out = (size_t)(OUTSIDE * (double)nr);

	if (nr < MIN_BATCHES || cell->status != TD_STATUS_OK)
		return;
	qsort(v, nr, sizeof(*v), by_value);
	cell->low = (double)v[out];
	cell->high = (double)v[nr - 1 - out];
}

static struct td_phases find_phases(const uint64_t *ns, size_t nr)
{
	struct td_phases phases = { .first = -1, .second = -1 };
	uint64_t all = 0;

	for (size_t i = 0; i < nr; i++) {
		all += ns[i];
		if (!ns[i])
			continue;
		if (phases.first < 0 || ns[i] > ns[phases.first]) {
			phases.second = phases.first;
			phases.first = (int)i;
		} else if (phases.second < 0 || ns[i] > ns[phases.second]) {
			phases.second = (int)i;
		}
	}
	if (all)
		phases.first_pct = 100 * (double)ns[phases.first] / (double)all;
	return phases;
}

void td_ranges_end(struct td_ranges *ranges)
{
	const struct td_report *report = ranges->report;

	for (size_t r = 0; r < report->nr_rows; r++) {
		struct td_row *row = &report->rows[r];
		size_t first = r * report->nr_columns;

		if (ranges->nr >= MIN_BATCHES)
			row->phases = find_phases(ranges->ns + first, report->nr_columns);
		for (size_t c = 0; c < report->nr_columns; c++)
			set_range(ranges, first + c, &row->cells[c]);
	}
}

void td_ranges_free(struct td_ranges *ranges)
{
	free(ranges->values);
	free(ranges->over);
	free(ranges->slots);
	free(ranges->ns);
	*ranges = (struct td_ranges){ 0 };
}

/* --- the errors of values ---------------------------------------------------- */

/*
 * Variance of rounding a field of PERF_METRICS, in squares of its step.  Rounding to the nearest
 * value would give 1/12.  But fields that sum to 255 cannot all be rounded to the nearest: each is
 * the difference of two rounded sums, or is rounded up or down at random.
 */
#define STEP_VARIANCE (1 / 6.)

void td_errors_begin(struct td_errors *errors, struct td_report *report)
{
	*errors = (struct td_errors){
		.report = report,
		.v = td_calloc(report->nr_rows * report->nr_columns + 1, sizeof(*errors->v)),
	};
}

/* Were the cell's events counted in the batch?  Other batches do not show their variation. */
static bool was_counted(const struct td_cell *whole, const struct td_cell *rest)
{
	return !whole->running_ns || rest->running_ns != whole->running_ns;
}

/* Add a batch.  Its value is computed from the change of the result without the batch. */
static void add_turns(struct td_uncertainty *u, double difference, double part)
{
	double value = -difference * (1 - part) / part;
	double change = value - u->batches.last;
	double random = u->batches.part * td_stands_out(u->batches.before, u->batches.last, value);

	if (u->series.nr_counted > 1)
		u->batches.noise += random * random;
	if (u->series.nr_counted > 0)
		u->batches.changes += change * change;
	u->batches.before = u->batches.last;
	u->batches.last = value;
	u->batches.part = part;
}

static void add_cell(struct td_uncertainty *u, const struct td_cell *whole,
		     const struct td_cell *rest, bool in_time)
{
	struct td_jackknife *v = &u->series;
	double difference = rest->value - whole->value;
	double ran = (double)whole->running_ns - (double)rest->running_ns;

	if (rest->status != TD_STATUS_OK)
		return;
	if (!in_time)
		td_jackknife_add(v, difference);
	else if (ran > 0)
		add_turns(u, difference, ran / (double)whole->running_ns);
	v->nr_counted += was_counted(whole, rest);
}

void td_errors_add(struct td_errors *errors, const struct td_report *whole,
		   const struct td_report *rest)
{
	struct td_index index;

	td_report_index(rest, &index);
	for (size_t i = 0; i < whole->nr_rows; i++) {
		const struct td_row *row = &whole->rows[i];
		const struct td_row *other = td_report_find(rest, &index, row);
		struct td_uncertainty *v = errors->v + i * whole->nr_columns;

		/* a batch without slots was empty */
		if (!other || (!errors->ranges && other->slots == row->slots))
			continue;
		for (size_t c = 0; c < whole->nr_columns; c++)
			add_cell(&v[c], &row->cells[c], &other->cells[c], errors->ranges);
	}
	td_index_free(&index);
}

/* Add the squared differences from another report. */
static void add_squares(struct td_errors *errors, const struct td_report *other, bool cost)
{
	const struct td_report *report = errors->report;
	struct td_index index;

	td_report_index(other, &index);
	for (size_t i = 0; i < report->nr_rows; i++) {
		const struct td_row *row = &report->rows[i];
		const struct td_row *like = td_report_find(other, &index, row);
		struct td_uncertainty *v = errors->v + i * report->nr_columns;

		for (size_t c = 0; like && c < report->nr_columns; c++) {
			double change = like->cells[c].value - row->cells[c].value;
			double *sum = cost ? &v[c].cost : &v[c].steps;

			if (isfinite(change))
				*sum += change * change;
		}
	}
	td_index_free(&index);
}

void td_errors_add_step(struct td_errors *errors, const struct td_report *larger)
{
	add_squares(errors, larger, false);
}

void td_errors_add_cost(struct td_errors *errors, const struct td_report *with)
{
	add_squares(errors, with, true);
}

/* Add a series to the series that have ended. */
static void add_series(struct td_uncertainty *u, const struct td_jackknife *j)
{
	struct td_jackknifed of = td_jackknife_end(j);

	u->of_batch = u->nr_series ? fmin(u->of_batch, of.of_batch) : of.of_batch;
	u->variance += of.variance;
	u->per_degree += of.variance * of.variance / of.degrees;
	u->nr_series++;
}

void td_errors_end_series(struct td_errors *errors, const struct td_report *whole)
{
	const struct td_report *report = errors->report;

	for (size_t i = 0; i < report->nr_rows; i++) {
		struct td_uncertainty *v = errors->v + i * report->nr_columns;

		for (size_t c = 0; c < report->nr_columns; c++) {
			const struct td_jackknife series = v[c].series;

			v[c].series = (struct td_jackknife){ 0 };
			/* a run of --no-multiplex may not have counted any event of the metric */
			if (report->rows[i].cells[c].running_ns &&
			    !whole->rows[i].cells[c].running_ns)
				continue;
			if (series.nr_counted < TD_MIN_BATCHES)
				v[c].too_short = true;
			else
				add_series(&v[c], &series);
		}
	}
}

/*
 * Return the variance of rounding to whole steps.  If the values of batches differ by much
 * more than a step, rounding is a random error that the differences include (B. Widrow, I.
 * Kollar, Quantization Noise, 2008); if they hardly differ, all are rounded the same way.
 */
static double rounding(const struct td_uncertainty *u)
{
	if (!(u->steps > 0))
		return 0;
	return u->steps * STEP_VARIANCE * exp(-4 * M_PI * M_PI * u->of_batch / u->steps);
}

/*
 * Return the square of the half-width from sampling.  The variances of the series add up; the
 * degrees of freedom are Welch's and Satterthwaite's (F. E. Satterthwaite, An Approximate
 * Distribution of Estimates of Variance Components, Biometrics Bulletin 2, 1946).
 */
static double sampling(const struct td_uncertainty *u)
{
	double t;

	if (!(u->variance > 0))
		return 0;
	t = td_student(u->variance * u->variance / u->per_degree);
	return t * t * u->variance;
}

static void set_error(struct td_cell *cell, const struct td_uncertainty *u, double apart)
{
	bool mixed = u->nr_series > 1 && !u->together;
	double between = mixed ? apart * cell->value : 0;

	cell->too_short = u->too_short || !u->nr_series;
	if (!cell->too_short)
		cell->error = sqrt(sampling(u) + NORMAL * NORMAL * rounding(u) + between * between +
				   u->cost);
}

/* --- in time -------------------------------------------------------------- */

/*
 * Maximum time slice of a multiplexed group.  It is 4 ms with a kernel timer of 250 Hz, but
 * longer on some machines, above all virtual ones.
 */
#define TURN_NS 8e6

#define MIN_DEGREES 3 /* minimum degrees of freedom */

/*
 * Variance from a change of the program at an unknown time between two time slices of a group: a
 * 12th of the squared change.  The values of batches change in two steps, because the batch with
 * the change is in between; the squared steps may sum to only half of the squared change.
 */
#define CHANGE_VARIANCE (2 / 12.)

/* Return the number of time slices of a cell's groups on one CPU. */
static double nr_turns(const struct td_cell *cell, double seen, const struct td_ranges *ranges)
{
	double ns = fmin(seen * (double)ranges->elapsed_ns, (double)cell->running_ns);

	return fmax(ns / TURN_NS, 1);
}

/* Return the square of the half-width that is due to the uncounted time. */
static double unseen(const struct td_uncertainty *u, const struct td_cell *cell,
		     const struct td_ranges *ranges)
{
	double nr = u->series.nr_counted, t;
	double seen = fmin(cell->running_pct / 100, 1);
	double turns = nr_turns(cell, seen, ranges);
	double noise = u->batches.noise / TD_STANDS_OUT * nr / (nr - 2);
	double changes = u->batches.changes * CHANGE_VARIANCE;

	/* each value is compared with two neighbours, so a third of them are independent */
	t = td_student(fmax(nr / 3, MIN_DEGREES));
	return t * t * (noise + changes / (turns * turns)) * (1 - seen);
}

/* Return the variance of rounding; see rounding().  Similar CPUs may be rounded alike as well. */
static double rounding_in_time(const struct td_uncertainty *u, const struct td_ranges *ranges,
			       size_t row, size_t at)
{
	double nr = fmax(range_reads(ranges, row), 1);
	double in_batch = fmax(nr / fmax((double)ranges->nr, 1), 1);
	double variance = range_variance(ranges, at) * in_batch, same;

	if (!(u->steps > 0))
		return 0;
	same = exp(-4 * M_PI * M_PI * variance / u->steps);
	return u->steps * STEP_VARIANCE * (same + (1 - same) / nr);
}

static void set_error_in_time(const struct td_errors *errors, size_t r, size_t c)
{
	size_t at = r * errors->report->nr_columns + c;
	const struct td_uncertainty *u = &errors->v[at];
	struct td_cell *cell = &errors->report->rows[r].cells[c];
	double sampled = 0, rounded;

	/* batches in which another program had the counters may be unlike their neighbours */
	cell->too_short =
		u->turns && (u->series.nr_counted < TD_MIN_BATCHES || errors->report->held);
	if (cell->too_short)
		return;
	if (u->turns)
		sampled = unseen(u, cell, errors->ranges);
	rounded = NORMAL * sqrt(rounding_in_time(u, errors->ranges, r, at));
	cell->systematic_error = rounded;
	cell->error = sqrt(sampled + rounded * rounded);
}

void td_errors_end(struct td_errors *errors)
{
	const struct td_report *report = errors->report;

	for (size_t r = 0; r < report->nr_rows; r++) {
		struct td_row *row = &report->rows[r];
		const struct td_uncertainty *u = errors->v + r * report->nr_columns;

		/* package rows have no errors */
		for (size_t c = 0; !row->package && c < report->nr_columns; c++) {
			if (row->cells[c].status != TD_STATUS_OK)
				continue;
			if (errors->ranges)
				set_error_in_time(errors, r, c);
			else
				set_error(&row->cells[c], &u[c], errors->apart);
		}
	}
}

void td_errors_in_step(const struct td_errors *errors, const char *pmu)
{
	const struct td_report *report = errors->report;

	for (size_t r = 0; r < report->nr_rows; r++) {
		const struct td_row *row = &report->rows[r];

		if (strcmp(row->pmu, pmu) != 0 && strcmp(row->pmu, "all") != 0)
			continue;
		for (size_t c = 0; c < report->nr_columns; c++) {
			const struct td_uncertainty *u = &errors->v[r * report->nr_columns + c];
			struct td_cell *cell = &row->cells[c];
			double rounded = NORMAL * sqrt(u->steps * STEP_VARIANCE);

			if (u->turns)
				cell->error = NAN;
			else if (cell->error < rounded)
				cell->error = cell->systematic_error = rounded;
		}
	}
}

void td_errors_none(struct td_report *report)
{
	for (size_t r = 0; r < report->nr_rows; r++) {
		td_for_each(struct td_cell, cell, report->rows[r].cells, report->nr_columns) {
			cell->too_short = cell->status == TD_STATUS_OK && !report->rows[r].package;
		}
	}
}

void td_errors_free(struct td_errors *errors)
{
	free(errors->v);
	*errors = (struct td_errors){ 0 };
}

/* --- nodes that were not measured all the time -------------------------------- */

/* A node that may not be measured all the time, in one row. */
struct node {
	const struct td_tree *tree;
	const struct td_ranges *ranges;
	const struct td_metric *metric;
	size_t row;
};

/* Sums over all batches, for one node. */
struct sums {
	double all, awake;  /* weights of all batches, and of batches that measured the node */
	double value, root; /* value of the node and of its root while the node was measured */
	double squares;     /* sum over batches of value^2 / root */
	double nr;          /* number of batches that measured the node */
	double wanted;      /* value of the root while the node should have been measured */
	double most;        /* maximum of the node in the other batches */
};

static size_t at(const struct node *n, int column)
{
	return n->row * n->ranges->report->nr_columns + (size_t)column;
}

static double value_in(const struct node *n, int column, size_t batch)
{
	return column < 0 ? (double)NAN
			  : (double)n->ranges->values[at(n, column) * TD_TIMELINE_FEW + batch];
}

/* Return the parent of the metric's family. */
static const struct td_metric *above(const struct td_tree *tree, const struct td_metric *metric)
{
	return &tree->metrics[tree->families[metric->family - 1].node];
}

/* Return the nearest ancestor that was measured in the batch. */
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

static bool begins_with(const struct td_metric *metric, const char *const *names, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (!strncmp(metric->def->name, names[i], strlen(names[i])))
			return true;
	}
	return false;
}

/* Is it a share of the retired uops?  All others are shares of slots or cycles. */
static bool is_of_uops(const struct td_metric *metric)
{
	static const char *const names[] = { "tma_fp_arith", "tma_fp_scalar", "tma_fp_vector",
					     "tma_int_operations", "tma_int_vector" };

	return begins_with(metric, names, TD_ARRAY_SIZE(names));
}

/*
 * Can the metric be larger than its parent?  Cycles with busy ports also occur in programs that
 * do not wait, and loads may hit while another instruction waits.
 */
static bool may_exceed_parent(const struct td_metric *metric)
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

/*
 * Return the number of slots or retired uops in the batch, of which the value of the node is a
 * share.
 */
static double weight_of(const struct node *n, size_t batch)
{
	double slots = range_slots(n->ranges, n->row, batch);
	const struct td_metric *top = n->metric;

	if (!is_of_uops(n->metric))
		return slots;
	while (top->parent >= 0)
		top = &n->tree->metrics[top->parent];
	return slots * value_in(n, top->column, batch) / 100;
}

static void add_awake(const struct node *n, size_t batch, double value, double root,
		      struct sums *sums)
{
	double of_root = range_slots(n->ranges, n->row, batch) * root;
	double weight = weight_of(n, batch);
	double own = weight * value;

	sums->awake += weight;
	sums->value += own;
	sums->root += of_root;
	sums->nr++;
	if (of_root > 0)
		sums->squares += own * own / of_root;
}

static void add_paused(const struct node *n, size_t batch, double root, struct sums *sums)
{
	double slots = range_slots(n->ranges, n->row, batch);
	const struct td_metric *parent = nearest(n, batch);

	if (parent->column >= 0 && n->ranges->over[at(n, parent->column)] >> batch & 1)
		sums->wanted += slots * root;
	else if (may_exceed_parent(n->metric))
		sums->most += slots * 100;
	else
		sums->most += slots * value_in(n, parent->column, batch);
}

static void add_batch(const struct node *n, size_t batch, struct sums *sums)
{
	double weight = weight_of(n, batch);
	double value = value_in(n, n->metric->column, batch);
	double root = value_in(n, root_of(n)->column, batch);

	/* nothing ran, or only on the other core type; a node without a family is its own root */
	if (!(weight > 0) || isnan(root))
		return;
	sums->all += weight;
	if (isnan(value))
		add_paused(n, batch, root, sums);
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

static struct td_cell *cell_of(const struct node *n, const struct td_metric *metric)
{
	return &n->ranges->report->rows[n->row].cells[metric->column];
}

/* a node that was measured for this part of its root's time counts as always measured */
#define WHOLE 0.95

/*
 * Bound the value if there are no batches: it is between 0 and the value of its root, or all
 * retired uops.
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
 * Return the error of extrapolating to batches in which the node should have been measured.  In
 * these, the node may be a different part of its root; the other batches show how much this part
 * varies.
 */
static double error_of_wanted(const struct sums *sums)
{
	double part = sums->value / sums->root;
	double variance = sums->squares / sums->root - part * part;

	if (sums->nr < 2)
		return sums->wanted * fmax(part, 1 - part);
	variance *= sums->nr / (sums->nr - 1);
	return NORMAL * sums->wanted * sqrt(fmax(variance, 0));
}

static void add_error(struct td_cell *cell, double error)
{
	cell->error += error;
	cell->systematic_error += error;
}

/* Return the node's value over the run, or NaN.  uneven: counting time differs between batches. */
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
		value += sums.wanted * sums.value / sums.root;
	value /= sums.all;
	/* small differences may be below 0 */
	if (cell->value > 0 && value > 0)
		cell->error *= fmin(value / cell->value, 1);
	add_error(cell, fabs(sums.most) / sums.all);
	if (sums.root > 0)
		add_error(cell, error_of_wanted(&sums) / sums.all);
	/* the value may have been 0 while it was not measured */
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

/* Return the largest share of the time for which a metric of the row was measured. */
static double most_running(const struct td_report *report, size_t row)
{
	double most = 0;

	for (size_t c = 0; c < report->nr_columns; c++)
		most = fmax(most, report->rows[row].cells[c].running_pct);
	return most;
}

/*
 * Was a family of the row paused at times?  Then all multiplexed groups were counted longer in some
 * batches than in others, and sums over the run are biased toward the former.
 */
static bool is_uneven(const struct td_tree *tree, const struct td_ranges *ranges, size_t row)
{
	td_for_each(const struct td_metric, metric, tree->metrics, tree->nr_metrics) {
		const struct node n = { tree, ranges, metric, row };
		struct sums sums;

		if (!metric->family || !is_in_row(&n))
			continue;
		sums = add_batches(&n);
		if (sums.awake > 0 && sums.awake < sums.all)
			return true;
	}
	return false;
}

static bool find_in_row(const struct td_paused *paused, const struct td_tree *tree,
			const struct td_ranges *ranges, size_t row)
{
	bool uneven = is_uneven(tree, ranges, row), any = false;
	double most = uneven ? most_running(ranges->report, row) : 0;

	td_for_each(const struct td_metric, metric, tree->metrics, tree->nr_metrics) {
		const struct node n = { tree, ranges, metric, row };
		double *value;

		/* levels 1 and 2 are always measured; unless multiplexed, they are unbiased */
		if (!is_in_row(&n) ||
		    (!metric->family && !(cell_of(&n, metric)->running_pct < WHOLE * most)))
			continue;
		value = &paused->values[at(&n, metric->column)];
		/* core types may share a column */
		if (isnan(*value))
			*value = find_value(&n, uneven);
		any = any || !isnan(*value);
	}
	return any;
}

bool td_paused_find(struct td_paused *paused, const struct td_tree *tree,
		    const struct td_ranges *ranges)
{
	const struct td_report *report = ranges->report;
	size_t nr = report->nr_rows * report->nr_columns;
	bool any = false;

	*paused =
		(struct td_paused){ .report = report, .values = td_calloc(nr + 1, sizeof(double)) };
	td_report_index(report, &paused->index);
	for (size_t i = 0; i < nr; i++)
		paused->values[i] = NAN;
	for (size_t r = 0; r < report->nr_rows; r++)
		any |= find_in_row(paused, tree, ranges, r);
	return any;
}

void td_paused_free(struct td_paused *paused)
{
	free(paused->values);
	td_index_free(&paused->index);
	*paused = (struct td_paused){ 0 };
}
