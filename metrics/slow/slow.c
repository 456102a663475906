// SPDX-License-Identifier: GPL-2.0-only
#include "metrics/slow/slow.h"

#include <math.h>

#include "lib/base/util.h"

#define PERCENT 100
#define Z95     1.96 /* standard deviations of the 95 % interval */
#define REACH   2    /* buckets on each side of the median: down to half, up to twice its time */
#define LEVELS  2    /* maximum level of the nodes of calls */

/* --- rows without metrics: limits of lib/count/regions.h ------------------------ */

const char *td_slow_why_not_sampled(const struct td_row *row, uint64_t period)
{
	if (!period)
		return NULL;
	if (td_region_bucket_ns(row->region->bucket) < TD_SAMPLED_NS)
		return "samples come too late for such short calls";
	return row->slots < TD_MIN_SAMPLES * (double)period ? "fewer than 30 samples" : NULL;
}

const char *td_slow_why_not(const struct td_row *row, uint64_t period)
{
	const struct td_region_facts *facts = row->region;

	if (td_slow_why_not_sampled(row, period))
		return td_slow_why_not_sampled(row, period);
	if (facts->cost_pct >= TD_COST_OF_MANY)
		return "the probes took most of the time";
	if (facts->calls < TD_MANY_CALLS && facts->cost_pct >= TD_COST_OF_FEW)
		return "fewer than 30 calls, and the probes took a tenth of the time";
	return facts->calls ? NULL : "no call ended there";
}

static double sampling_error(const struct td_row *row, uint64_t period)
{
	return period ? Z95 * sqrt((double)period / row->slots) : 0;
}

/* --- typical calls --------------------------------------------------------- */

/*
 * A report with one row per PMU for typical calls, whose duration is near the median.  If there are
 * few such calls, rows of calls with half to twice their duration are joined.
 */
struct typical {
	struct td_report report;
	unsigned int from, to; /* range of buckets; joined rows have the first one */
	size_t nr;             /* number of joined rows, which come first */
	struct td_row *rows;
	struct td_region_facts *facts;
	struct td_cell *cells;
};

static bool is_function_row(const struct td_row *row, size_t at)
{
	const struct td_region_facts *facts = row->region;

	return facts && facts->timed == 1 + (int)at && !facts->slow;
}

static bool is_within(const struct typical *typical, const struct td_row *row, size_t at)
{
	return is_function_row(row, at) && row->region->bucket >= typical->from &&
	       row->region->bucket <= typical->to;
}

static double calls_within(const struct typical *typical, const struct td_report *report, size_t at)
{
	double calls = 0;

	for (size_t i = 0; i < report->nr_rows; i++)
		if (is_within(typical, &report->rows[i], at))
			calls += (double)report->rows[i].region->calls;
	return calls;
}

/* --- joining ---------------------------------------------------------------- */

/*
 * Returns the first row of a bucket, for facts that are the same on all PMUs, and the number of its
 * calls on all PMUs.
 */
static const struct td_row *first_of(const struct td_report *report, size_t at, unsigned int bucket,
				     double *calls)
{
	const struct td_row *first = NULL;

	*calls = 0;
	td_for_each(const struct td_row, row, report->rows, report->nr_rows) {
		if (!is_function_row(row, at) || row->region->bucket != bucket)
			continue;
		*calls += (double)row->region->calls;
		first = first ? first : row;
	}
	return first;
}

/* Returns the facts of the typical calls on all PMUs: their total time, and means per call. */
static struct td_region_facts mean_of(const struct typical *typical, const struct td_report *report,
				      size_t at)
{
	struct td_region_facts mean = { .timed = 1 + (int)at, .bucket = typical->from };
	double all = calls_within(typical, report, at), cost = 0, calls;

	for (unsigned int b = typical->from; b <= typical->to; b++) {
		const struct td_row *row = first_of(report, at, b, &calls);
		const struct td_region_facts *of = row ? row->region : NULL;

		if (!of)
			continue;
		mean.time_ns += of->time_ns;
		cost += (double)of->time_ns * of->cost_pct / (PERCENT - of->cost_pct);
		mean.waited_ns += calls / all * of->waited_ns;
		mean.preempted_ns += calls / all * of->preempted_ns;
		mean.faults += calls / all * of->faults;
		mean.switches += calls / all * of->switches;
		mean.migrations += calls / all * of->migrations;
	}
	mean.cost_pct = PERCENT * cost / (cost + (double)mean.time_ns);
	return mean;
}

static void add_facts(struct td_region_facts *to, const struct td_region_facts *from)
{
	double calls = (double)(to->calls + from->calls);

	if (from->calls)
		to->interrupted_ns +=
			(double)from->calls / calls * (from->interrupted_ns - to->interrupted_ns);
	to->calls += from->calls;
	to->took_ns += from->took_ns;
	to->on_ns += from->on_ns;
	to->time_pct += from->time_pct;
}

static void add_cell(struct td_cell *to, double to_slots, const struct td_cell *from,
		     double from_slots)
{
	double both = to_slots + from_slots;

	if (to->status != TD_STATUS_OK)
		return;
	if (from->status != TD_STATUS_OK) {
		*to = *from;
		return;
	}
	to->value = (to_slots * to->value + from_slots * from->value) / both;
	to->error = hypot(to_slots * to->error, from_slots * from->error) / both;
}

/* Adds the cells of a row, unless it has no slots: its calls may be as short as their probes. */
static void add_cells(struct td_row *to, const struct td_row *from, size_t nr_columns)
{
	double before = to->slots;

	if (!(from->slots > 0))
		return;
	to->slots += from->slots;
	if (!(before > 0)) {
		memcpy(to->cells, from->cells, nr_columns * sizeof(*to->cells));
		return;
	}
	for (size_t i = 0; i < nr_columns; i++)
		add_cell(&to->cells[i], before, &from->cells[i], from->slots);
}

/*
 * Returns the joined row for the PMU of another row.  If there is none, adds a row without slots.
 */
static struct td_row *row_for(struct typical *typical, const struct td_row *like,
			      const struct td_region_facts *mean)
{
	struct td_report *report = &typical->report;
	size_t at = 0;
	struct td_row *row;

	while (at < typical->nr && strcmp(typical->rows[at].pmu, like->pmu) != 0)
		at++;
	row = &typical->rows[at];
	if (at < typical->nr)
		return row;
	typical->nr = at + 1;
	typical->facts[at] = *mean;
	*row = *like;
	row->slots = 0;
	row->region = &typical->facts[at];
	row->cells = typical->cells + at * report->nr_columns;
	memcpy(row->cells, like->cells, report->nr_columns * sizeof(*row->cells));
	return row;
}

static void fill(struct typical *typical, const struct td_report *report, size_t at)
{
	struct td_region_facts mean = mean_of(typical, report, at);

	td_for_each(const struct td_row, row, report->rows, report->nr_rows) {
		struct td_row *to;

		if (!is_within(typical, row, at))
			continue;
		to = row_for(typical, row, &mean);
		add_facts(&typical->facts[to - typical->rows], row->region);
		add_cells(to, row, report->nr_columns);
	}
	typical->report.nr_rows = typical->nr;
	for (size_t i = 0; i < report->nr_rows; i++)
		if (!is_within(typical, &report->rows[i], at))
			typical->rows[typical->report.nr_rows++] = report->rows[i];
}

static void join_typical(struct typical *typical, const struct td_report *report,
			 const struct td_timed *timed, size_t at)
{
	*typical = (struct typical){ .report = *report };
	/* the smallest range around the median with enough calls, but never slow ones */
	typical->from = typical->to = timed->middle;
	for (int i = 0; i < REACH && calls_within(typical, report, at) < TD_MANY_CALLS; i++) {
		typical->from -= typical->from > 0;
		typical->to += typical->to + 1 < timed->slow;
	}
	if (typical->from == typical->to)
		return;
	typical->rows = td_calloc(report->nr_rows + 1, sizeof(*typical->rows));
	typical->facts = td_calloc(report->nr_rows + 1, sizeof(*typical->facts));
	typical->cells =
		td_calloc(report->nr_rows * report->nr_columns + 1, sizeof(*typical->cells));
	typical->report.rows = typical->rows;
	fill(typical, report, at);
}

/* --- classes of calls ------------------------------------------------------ */

/* The slow or the typical calls of a function, with one row for each PMU. */
struct class
{
	const struct td_report *report;
	int timed;
	bool slow;
	unsigned int bucket;
	/* sums over all PMUs */
	double calls, took_ns, time_pct;
	uint64_t period;   /* slots between two samples; 0: slots are counted */
	double longest_ns; /* duration of the longest of all calls */
};

/* --- rows ------------------------------------------------------------------- */

static bool is_of(const struct class *class, const struct td_row *row)
{
	const struct td_region_facts *facts = row->region;

	return facts && facts->timed == class->timed && facts->slow == class->slow &&
	       facts->bucket == class->bucket;
}

/*
 * Returns the row of a class on a PMU, or on any PMU if pmu is NULL.  Returns NULL if there is
 * none.
 */
static const struct td_row *row_on(const struct class *class, const char *pmu)
{
	td_for_each(const struct td_row, row, class->report->rows, class->report->nr_rows) {
		if (is_of(class, row) && (!pmu || strcmp(row->pmu, pmu) == 0))
			return row;
	}
	return NULL;
}

static struct class make_class(const struct td_report *report, size_t at, unsigned int bucket,
			       bool slow)
{
	struct class class = {
		.report = report, .timed = 1 + (int)at, .slow = slow, .bucket = bucket
	};

	for (size_t i = 0; i < report->nr_rows; i++) {
		const struct td_region_facts *facts = report->rows[i].region;

		if (!is_of(&class, &report->rows[i]))
			continue;
		class.calls += (double)facts->calls;
		class.took_ns += facts->took_ns;
		class.time_pct += facts->time_pct;
	}
	return class;
}

/* Returns the PMU on which most calls of a class ended. */
static const char *main_pmu(const struct class *class)
{
	const struct td_row *most = NULL;

	td_for_each(const struct td_row, row, class->report->rows, class->report->nr_rows) {
		if (is_of(class, row) && (!most || row->region->calls > most->region->calls))
			most = row;
	}
	return most ? most->pmu : NULL;
}

/* --- causes ----------------------------------------------------------------- */

static struct td_slow_cause *find_cause(struct td_slow *out, enum td_slow_kind kind,
					const char *node)
{
	td_for_each(struct td_slow_cause, cause, out->causes, out->nr) {
		if (cause->kind == kind && (!node || strcmp(cause->node, node) == 0))
			return cause;
	}
	return NULL;
}

/* Adds the time of a cause, per slow call.  A cause on several PMUs adds up. */
static void add_cause(struct td_slow *out, enum td_slow_kind kind, const char *node, double ns,
		      double error_ns)
{
	struct td_slow_cause *cause = find_cause(out, kind, node);
	/* without extra time, shares are undefined */
	double extra_ns = fabs(out->extra_ns) > 0 ? out->extra_ns : NAN;

	if (!cause) {
		if (out->nr == TD_SLOW_CAUSES - 1)
			return;
		cause = &out->causes[out->nr++];
		*cause = (struct td_slow_cause){ .kind = kind, .node = node };
	}
	cause->share_pct += PERCENT * ns / extra_ns;
	cause->error_pct = hypot(cause->error_pct, PERCENT * error_ns / fabs(extra_ns));
}

/* Returns the time on a CPU, without interrupts, of the calls that ended on the row's PMU. */
static double own_ns(const struct td_row *row)
{
	const struct td_region_facts *facts = row->region;
	double lost_ns = (double)facts->calls * facts->interrupted_ns;

	return fmax(facts->on_ns - (isnan(lost_ns) ? 0 : lost_ns), 0);
}

static double own_ns_of(const struct td_row *row)
{
	return own_ns(row) / (double)row->region->calls;
}

/* --- errors ----------------------------------------------------------------- */

/* Returns a mean time of the row's calls in ns; NaN: unknown. */
typedef double mean_fn(const struct td_row *row);

static double preempted_ns(const struct td_row *row)
{
	return row->region->preempted_ns;
}

static double waited_ns(const struct td_row *row)
{
	double preempted = preempted_ns(row);

	return row->region->waited_ns - (isnan(preempted) ? 0 : preempted);
}

static double lost_ns(const struct td_row *row)
{
	return row->region->interrupted_ns;
}

/* Is it the row of a single bucket of slow calls, and not of all slow calls? */
static bool is_part_of(const struct class *slow, const struct td_row *row)
{
	const struct td_region_facts *facts = row->region;

	return facts && facts->timed == slow->timed && !facts->slow &&
	       facts->bucket >= slow->bucket && facts->calls;
}

static double longest_of(const struct class *slow, unsigned int bucket)
{
	return bucket + 1 < TD_REGION_BUCKETS
		       ? fmin(slow->longest_ns, (double)td_region_bucket_ns(bucket + 1))
		       : slow->longest_ns;
}

/* Sums up a time of the calls of a bucket, on all PMUs. */
static double sum_of(const struct class *slow, unsigned int bucket, mean_fn *mean)
{
	double sum = 0;

	td_for_each(const struct td_row, row, slow->report->rows, slow->report->nr_rows) {
		if (is_part_of(slow, row) && row->region->bucket == bucket)
			sum += (double)row->region->calls * mean(row);
	}
	return sum;
}

/*
 * Returns the maximum sum of the squares of numbers from 0 to limit that have this sum: all but one
 * are 0 or the limit.
 */
static double most_squares(double sum, double limit)
{
	double nr = limit > 0 ? floor(sum / limit) : 0;
	double rest = sum - nr * limit;

	return nr * limit * limit + rest * rest;
}

/*
 * Returns the error of a mean time of the slow calls, half of its 95 % confidence interval.  One
 * call may have more of this time than all others together, for example if the host stopped the
 * processor in an interrupt; this does not explain the others.  Only sums are known, so the time is
 * assumed to be in as few calls as possible, up to their whole duration.  PMUs are summed first,
 * because a call may have spent its time on several.
 */
static double error_of_mean(const struct class *slow, mean_fn *mean)
{
	double nr = 0, sum = 0, squares = 0;

	td_for_each(const struct td_row, row, slow->report->rows, slow->report->nr_rows)
		nr += is_part_of(slow, row) ? (double)row->region->calls : 0;
	for (unsigned int b = slow->bucket; b < TD_REGION_BUCKETS; b++) {
		double of = sum_of(slow, b, mean);

		sum += of;
		squares += most_squares(of, longest_of(slow, b));
	}
	return nr == 0 ? 0 : Z95 * sqrt(fmax(squares / nr - sum * sum / nr / nr, 0) / nr);
}

/* --- causes of time --------------------------------------------------------- */

static void add_waiting(struct td_slow *out, const struct class *of)
{
	const struct td_region_facts *slow = out->slow, *middle = &out->middle;
	double preempted = slow->preempted_ns - middle->preempted_ns;
	double error = error_of_mean(of, waited_ns);

	if (isnan(slow->waited_ns) || isnan(middle->waited_ns))
		return;
	if (isnan(preempted)) {
		add_cause(out, TD_SLOW_OFF, NULL, slow->waited_ns - middle->waited_ns, error);
		return;
	}
	add_cause(out, TD_SLOW_WAITED, NULL, slow->waited_ns - middle->waited_ns - preempted,
		  error);
	add_cause(out, TD_SLOW_PREEMPTED, NULL, preempted, error_of_mean(of, preempted_ns));
}

/* Returns the mean time in interrupts of the calls of a class in ns; NaN: unknown. */
static double interrupted_ns(const struct class *class)
{
	double sum = 0;

	for (size_t i = 0; i < class->report->nr_rows; i++) {
		const struct td_region_facts *facts = class->report->rows[i].region;

		if (is_of(class, &class->report->rows[i]) && facts->calls)
			sum += (double)facts->calls * facts->interrupted_ns;
	}
	return sum / class->calls;
}

/* Returns the number of calls in lower buckets that ended on a PMU, or on any if pmu is NULL. */
static double calls_below(const struct class *of, const char *pmu, unsigned int bucket)
{
	double sum = 0;

	td_for_each(const struct td_row, row, of->report->rows, of->report->nr_rows) {
		const struct td_region_facts *facts = row->region;

		if (facts && facts->timed == of->timed && !facts->slow && facts->bucket < bucket &&
		    (!pmu || strcmp(row->pmu, pmu) == 0))
			sum += (double)facts->calls;
	}
	return sum;
}

/*
 * Returns the row of typical calls on a PMU.  On the main PMU, these are around the median of all
 * calls; elsewhere, around the median on that PMU.  NULL: most calls on that PMU are slow.
 */
static const struct td_row *typical_on(const struct class *slow, const struct td_row *on_main,
				       const char *pmu)
{
	struct class typical = { .report = slow->report, .timed = slow->timed };
	double all = calls_below(slow, pmu, TD_REGION_BUCKETS);

	if (strcmp(on_main->pmu, pmu) == 0)
		return on_main;
	if (2 * calls_below(slow, pmu, slow->bucket) < all || all == 0)
		return NULL;
	while (2 * calls_below(slow, pmu, typical.bucket + 1) < all)
		typical.bucket++;
	return row_on(&typical, pmu);
}

/*
 * Returns the extra time of a typical call on the PMU compared to the main PMU, or of the slow call
 * itself if there are no typical ones.  Sets *guessed if only few calls are typical.
 */
static double core_ns(const struct class *slow, const struct td_row *on_main,
		      const struct td_row *row, bool *guessed)
{
	const struct td_row *typical = typical_on(slow, on_main, row->pmu);

	*guessed |= typical && typical->region->calls < TD_MANY_CALLS;
	return own_ns_of(typical ? typical : row) - own_ns_of(on_main);
}

/* Adds the time that core types explain.  add_slots() adds the differences within a core type. */
static void add_core(struct td_slow *out, const struct class *slow, const struct class *middle,
		     const struct td_row *on_main)
{
	double sum = 0, squares = 0, before = 0;
	bool guessed = false;

	td_for_each(const struct td_row, row, slow->report->rows, slow->report->nr_rows) {
		double calls;

		if (!row->region || !row->region->calls)
			continue;
		calls = (double)row->region->calls;
		if (is_of(slow, row))
			sum += calls * core_ns(slow, on_main, row, &guessed);
		else if (is_of(middle, row))
			before += own_ns(row) - calls * own_ns_of(on_main);
		else if (is_part_of(slow, row))
			squares += calls * pow(core_ns(slow, on_main, row, &guessed), 2);
	}
	sum /= slow->calls;
	before /= middle->calls;
	squares = fmax(squares / slow->calls - sum * sum, 0) / slow->calls;
	if (sum != before)
		add_cause(out, TD_SLOW_CORE, NULL, sum - before,
			  guessed ? fabs(sum - before) : Z95 * sqrt(squares));
}

/* --- slots ------------------------------------------------------------------ */

static const struct td_cell *cell_of(const struct td_row *row, const struct td_node *node)
{
	return &row->cells[node->column];
}

static bool has_value(const struct td_row *row, const struct td_node *node)
{
	return cell_of(row, node)->status == TD_STATUS_OK;
}

static bool is_child(const struct td_report *report, const struct td_node *child,
		     const struct td_node *node)
{
	return child->parent && child->level == node->level + 1 && child->level <= LEVELS &&
	       strcmp(child->parent, report->columns[node->column].name) == 0;
}

/* Are all children of the node known, so that they can represent it? */
static bool is_split(const struct td_report *report, const struct td_row *slow,
		     const struct td_node *node)
{
	size_t nr = 0;

	td_for_each(const struct td_node, child, slow->nodes, slow->nr_nodes) {
		if (!is_child(report, child, node))
			continue;
		if (!has_value(slow, child))
			return false;
		nr++;
	}
	return nr > 0;
}

static bool is_leaf(const struct td_report *report, const struct td_row *slow,
		    const struct td_node *node)
{
	bool shown = node->level == 1;

	if (!has_value(slow, node))
		return false;
	for (size_t i = 0; !shown && i < slow->nr_nodes; i++) {
		const struct td_node *parent = &slow->nodes[i];

		shown = parent->level == 1 && is_child(report, node, parent) &&
			is_split(report, slow, parent);
	}
	return shown && !is_split(report, slow, node);
}

/* Converts a percentage of a row to slots per call. */
static double slots_of(const struct td_row *row, double percent)
{
	return percent / PERCENT * row->slots / (double)row->region->calls;
}

/* The slow and the typical calls of a PMU. */
struct pair {
	const struct td_row *slow, *middle;
	double ns_per_slot; /* time per slot in the slow calls */
	double slots;       /* slots of a typical call; if unknown, its time / ns_per_slot */
	bool known;         /* slots is measured */
	size_t nr_leaves;
	double sampling; /* relative error of the slots of the slow calls, due to sampling */
};

/*
 * Returns the slots of a node in a typical call, with their error.  They are unknown if calls are
 * as short as their probes; then all leaves get the same number, with an error of all slots.
 */
static double part_of(const struct pair *pair, const struct td_node *node, double *error)
{
	const struct td_cell *cell = cell_of(pair->middle, node);

	if (pair->known && cell->status == TD_STATUS_OK) {
		*error = pair->slots * cell->error / PERCENT;
		return pair->slots * cell->value / PERCENT;
	}
	*error = pair->slots;
	return pair->slots / (double)pair->nr_leaves;
}

/*
 * Adds the extra slots of each leaf as a cause.  scale converts slots of a slow call on this PMU to
 * ns of the mean slow call.
 */
static void add_nodes(struct td_slow *out, const struct td_report *report, const struct pair *pair,
		      double scale)
{
	const struct td_row *slow = pair->slow;

	td_for_each(const struct td_node, node, slow->nodes, slow->nr_nodes) {
		const struct td_cell *cell = cell_of(slow, node);
		double before, error, more;

		if (!is_leaf(report, slow, node))
			continue;
		before = part_of(pair, node, &error);
		more = slots_of(slow, cell->value) - before;
		error = hypot(slots_of(slow, cell->error), error);
		add_cause(out, TD_SLOW_NODE, report->columns[node->column].name, scale * more,
			  scale * hypot(error, pair->sampling * more));
	}
}

static struct pair make_pair(const struct class *of, const struct td_row *slow,
			     const struct td_row *middle)
{
	struct pair pair = { .slow = slow,
			     .middle = middle,
			     .sampling = sampling_error(slow, of->period) };

	pair.ns_per_slot = own_ns_of(slow) / slots_of(slow, PERCENT);
	pair.slots = slots_of(middle, PERCENT);
	pair.known = pair.slots > 0 && !td_slow_why_not_sampled(middle, of->period);
	if (!pair.known)
		pair.slots = own_ns_of(middle) / pair.ns_per_slot;
	for (size_t i = 0; i < slow->nr_nodes; i++)
		pair.nr_leaves += is_leaf(of->report, slow, &slow->nodes[i]);
	return pair;
}

/*
 * Splits the extra time on a CPU, which is slots x time per slot.  Extra slots are charged to the
 * nodes.  The longer time per slot, for the slots of a typical call, is charged to the clock.
 */
static void add_slots(struct td_slow *out, const struct class *of, const struct td_row *slow,
		      const struct td_row *middle)
{
	struct pair pair = make_pair(of, slow, middle);
	double part = (double)slow->region->calls / of->calls, error;

	if (td_slow_why_not(slow, of->period) || !middle->region->calls ||
	    !isfinite(pair.ns_per_slot))
		return;
	add_nodes(out, of->report, &pair, part * pair.ns_per_slot);
	if (!pair.known)
		return;
	error = hypot(pair.sampling, sampling_error(middle, of->period));
	add_cause(out, TD_SLOW_CLOCK, NULL,
		  part * (pair.slots * pair.ns_per_slot - own_ns_of(middle)),
		  part * own_ns_of(middle) * error);
}

/* --- the result ------------------------------------------------------------- */

static int by_share(const void *a, const void *b)
{
	const struct td_slow_cause *x = a, *y = b;

	return (x->share_pct < y->share_pct) - (x->share_pct > y->share_pct);
}

static void add_causes(struct td_slow *out, const struct class *slow, const struct class *middle)
{
	const struct td_row *on_main = row_on(middle, main_pmu(middle));
	double ns = interrupted_ns(slow) - interrupted_ns(middle), known = 0;

	add_waiting(out, slow);
	if (!isnan(ns))
		add_cause(out, TD_SLOW_INTERRUPT, NULL, ns, error_of_mean(slow, lost_ns));
	add_core(out, slow, middle, on_main);
	td_for_each(const struct td_row, row, slow->report->rows, slow->report->nr_rows) {
		const struct td_row *typical;

		if (!is_of(slow, row) || !row->region->calls)
			continue;
		typical = typical_on(slow, on_main, row->pmu);
		if (typical)
			add_slots(out, slow, row, typical);
	}
	for (size_t i = 0; i < out->nr; i++)
		known += out->causes[i].share_pct;
	out->causes[out->nr++] = (struct td_slow_cause){ .kind = TD_SLOW_REST,
							 .share_pct = PERCENT - known,
							 .error_pct = NAN };
	qsort(out->causes, out->nr, sizeof(out->causes[0]), by_share);
}

static void find(const struct typical *typical, const struct td_timed *timed, size_t at,
		 struct td_slow *out)
{
	struct class slow = make_class(&typical->report, at, timed->slow, true);
	struct class middle = make_class(&typical->report, at, typical->from, false);
	const struct td_row *slow_row = row_on(&slow, NULL);
	const struct td_row *middle_row = row_on(&middle, NULL);

	if (!slow_row || !middle_row || slow.calls <= 0 || middle.calls <= 0)
		return;
	slow.period = timed->period;
	slow.longest_ns = (double)timed->durations.max_ns;
	out->no_interrupts = isnan(interrupted_ns(&slow));
	out->slow = slow_row->region;
	out->middle = *middle_row->region;
	out->middle_end = typical->to;
	out->calls_pct = PERCENT * slow.calls / calls_below(&slow, NULL, TD_REGION_BUCKETS);
	out->time_pct = slow.time_pct;
	out->extra_ns = slow.took_ns / slow.calls - middle.took_ns / middle.calls;
	add_causes(out, &slow, &middle);
}

void td_slow_find(const struct td_report *report, const struct td_timed *timed, size_t at,
		  struct td_slow *out)
{
	struct typical typical;

	*out = (struct td_slow){ 0 };
	/* older versions recorded slow calls even if there were few calls */
	if (!timed->slow || timed->durations.nr < TD_MIN_CALLS)
		return;
	join_typical(&typical, report, timed, at);
	find(&typical, timed, at, out);
	free(typical.rows);
	free(typical.facts);
	free(typical.cells);
}
