// SPDX-License-Identifier: GPL-2.0-only
#include "metrics/slow/slow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"
#include "metrics/slow/usual.h"

#define PERCENT 100
#define LEVELS  2 /* that calls are counted at */

/* The rows of the slow calls, or of those around the median: one for each PMU. */
struct class
{
	const struct td_report *report;
	int timed;
	bool slow;
	unsigned int bucket;
	double calls;      /* on all PMUs */
	uint64_t period;   /* slots between two samples; 0: they are counted */
	double longest_ns; /* of all calls */
};

/* --- rows ------------------------------------------------------------------- */

static bool is_of(const struct class *class, const struct td_row *row)
{
	const struct td_region_facts *facts = row->region;

	return facts && facts->timed == class->timed &&
	       facts->slow == class->slow && facts->bucket == class->bucket;
}

/* The row on this PMU, on any for NULL; or NULL. */
static const struct td_row *row_on(const struct class *class, const char *pmu)
{
	for (size_t i = 0; i < class->report->nr_rows; i++) {
		const struct td_row *row = &class->report->rows[i];

		if (is_of(class, row) && (!pmu || strcmp(row->pmu, pmu) == 0))
			return row;
	}
	return NULL;
}

static struct class make_class(const struct td_report *report, size_t at,
			       unsigned int bucket, bool slow)
{
	struct class class = { .report = report,
			       .timed = 1 + (int)at,
			       .slow = slow,
			       .bucket = bucket };

	for (size_t i = 0; i < report->nr_rows; i++) {
		if (is_of(&class, &report->rows[i]))
			class.calls += (double)report->rows[i].region->calls;
	}
	return class;
}

/* The PMU that most calls of a class ended on. */
static const char *home_of(const struct class *class)
{
	const struct td_row *most = NULL;

	for (size_t i = 0; i < class->report->nr_rows; i++) {
		const struct td_row *row = &class->report->rows[i];

		if (is_of(class, row) &&
		    (!most || row->region->calls > most->region->calls))
			most = row;
	}
	return most ? most->pmu : NULL;
}

/* --- causes ----------------------------------------------------------------- */

static struct td_slow_cause *
find_cause(struct td_slow *out, enum td_slow_kind kind, const char *node)
{
	for (size_t i = 0; i < out->nr; i++) {
		struct td_slow_cause *cause = &out->causes[i];

		if (cause->kind == kind &&
		    (!node || strcmp(cause->node, node) == 0))
			return cause;
	}
	return NULL;
}

/* The times are ns of a slow call.  What several PMUs have of a cause adds up. */
static void add_cause(struct td_slow *out, enum td_slow_kind kind,
		      const char *node, double ns, double error_ns)
{
	struct td_slow_cause *cause = find_cause(out, kind, node);
	/* what took no longer has no shares of that */
	double extra_ns = fabs(out->extra_ns) > 0 ? out->extra_ns : NAN;

	if (!cause) {
		if (out->nr == TD_SLOW_CAUSES - 1)
			return;
		cause = &out->causes[out->nr++];
		*cause = (struct td_slow_cause){ .kind = kind, .node = node };
	}
	cause->share_pct += PERCENT * ns / extra_ns;
	cause->error_pct =
		hypot(cause->error_pct, PERCENT * error_ns / fabs(extra_ns));
}

/* In which the calls that ended on the row's PMU ran themselves. */
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

/* --- chance ----------------------------------------------------------------- */

/* What a call of the row has of something, in the mean, in ns; NaN: unknown. */
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

/* One of the rows that the slow calls are the sum of. */
static bool is_part_of(const struct class *slow, const struct td_row *row)
{
	const struct td_region_facts *facts = row->region;

	return facts && facts->timed == slow->timed && !facts->slow &&
	       facts->bucket >= slow->bucket && facts->calls;
}

static double longest_of(const struct class *slow, unsigned int bucket)
{
	return bucket + 1 < TD_REGION_BUCKETS
		       ? fmin(slow->longest_ns,
			      (double)td_region_bucket_ns(bucket + 1))
		       : slow->longest_ns;
}

/* Of the calls of a bucket, on all PMUs. */
static double sum_of(const struct class *slow, unsigned int bucket,
		     mean_fn *mean)
{
	double sum = 0;

	for (size_t i = 0; i < slow->report->nr_rows; i++) {
		const struct td_row *row = &slow->report->rows[i];

		if (is_part_of(slow, row) && row->region->bucket == bucket)
			sum += (double)row->region->calls * mean(row);
	}
	return sum;
}

/* The most that the squares of numbers up to a limit add up to: few have it all. */
static double most_squares(double sum, double limit)
{
	double nr = limit > 0 ? floor(sum / limit) : 0;
	double rest = sum - nr * limit;

	return nr * limit * limit + rest * rest;
}

/*
 * One slow call may have more of something than all others together, as where a host
 * stopped the processor in an interrupt, and that is no cause of the others.  So how
 * far may the mean be from that of more such calls?  In a bucket, no call has more than
 * it took; its rows on several PMUs may share what one call had.
 */
static double chance_ns(const struct class *slow, mean_fn *mean)
{
	double nr = 0, sum = 0, squares = 0;

	for (size_t i = 0; i < slow->report->nr_rows; i++) {
		const struct td_row *row = &slow->report->rows[i];

		nr += is_part_of(slow, row) ? (double)row->region->calls : 0;
	}
	for (unsigned int b = slow->bucket; b < TD_REGION_BUCKETS; b++) {
		double of = sum_of(slow, b, mean);

		sum += of;
		squares += most_squares(of, longest_of(slow, b));
	}
	if (nr == 0)
		return 0;
	return TD_SLOW_CHANCE *
	       sqrt(fmax(squares / nr - sum * sum / nr / nr, 0) / nr);
}

/* --- causes of time --------------------------------------------------------- */

static void add_waiting(struct td_slow *out, const struct class *of)
{
	const struct td_region_facts *slow = out->slow, *middle = &out->middle;
	double preempted = slow->preempted_ns - middle->preempted_ns;
	double chance = chance_ns(of, waited_ns);

	if (isnan(slow->waited_ns) || isnan(middle->waited_ns))
		return;
	if (isnan(preempted)) {
		add_cause(out, TD_SLOW_OFF, NULL,
			  slow->waited_ns - middle->waited_ns, chance);
		return;
	}
	add_cause(out, TD_SLOW_WAITED, NULL,
		  slow->waited_ns - middle->waited_ns - preempted, chance);
	add_cause(out, TD_SLOW_PREEMPTED, NULL, preempted,
		  chance_ns(of, preempted_ns));
}

/* The mean of the calls of a class; NaN: unknown. */
static double interrupted_ns(const struct class *class)
{
	double sum = 0;

	for (size_t i = 0; i < class->report->nr_rows; i++) {
		const struct td_region_facts *facts =
			class->report->rows[i].region;

		if (is_of(class, &class->report->rows[i]) && facts->calls)
			sum += (double)facts->calls * facts->interrupted_ns;
	}
	return sum / class->calls;
}

static void add_interrupts(struct td_slow *out, const struct class *slow,
			   const struct class *middle)
{
	double ns = interrupted_ns(slow) - interrupted_ns(middle);

	if (!isnan(ns))
		add_cause(out, TD_SLOW_INTERRUPT, NULL, ns,
			  chance_ns(slow, lost_ns));
}

/* Calls of the function that ended on the PMU, any for NULL, of buckets below this. */
static double calls_below(const struct class *of, const char *pmu,
			  unsigned int bucket)
{
	double sum = 0;

	for (size_t i = 0; i < of->report->nr_rows; i++) {
		const struct td_row *row = &of->report->rows[i];
		const struct td_region_facts *facts = row->region;

		if (facts && facts->timed == of->timed && !facts->slow &&
		    facts->bucket < bucket &&
		    (!pmu || strcmp(row->pmu, pmu) == 0))
			sum += (double)facts->calls;
	}
	return sum;
}

/*
 * The calls that are usual on the PMU of slow calls: those around the median, at home of
 * all calls, elsewhere of the PMU's own.  NULL: these are slow calls themselves.
 */
static const struct td_row *usual_on(const struct class *slow,
				     const struct td_row *at_home,
				     const char *pmu)
{
	struct class usual = { .report = slow->report, .timed = slow->timed };
	double all = calls_below(slow, pmu, TD_REGION_BUCKETS);

	if (strcmp(at_home->pmu, pmu) == 0)
		return at_home;
	if (2 * calls_below(slow, pmu, slow->bucket) < all || all == 0)
		return NULL;
	while (2 * calls_below(slow, pmu, usual.bucket + 1) < all)
		usual.bucket++;
	return row_on(&usual, pmu);
}

/*
 * Of a slow call: what a usual one takes longer on its PMU than at home, or itself, where
 * slow calls are usual.  Sets *guessed if few calls alone tell what is usual.
 */
static double core_ns(const struct class *slow, const struct td_row *at_home,
		      const struct td_row *row, bool *guessed)
{
	const struct td_row *usual = usual_on(slow, at_home, row->pmu);

	*guessed |= usual && usual->region->calls < TD_MANY_CALLS;
	return own_ns_of(usual ? usual : row) - own_ns_of(at_home);
}

/* What slow calls take longer than those that are usual there is add_slots()'s. */
static void add_core(struct td_slow *out, const struct class *slow,
		     const struct class *middle, const struct td_row *at_home)
{
	double sum = 0, squares = 0, before = 0;
	bool guessed = false;

	for (size_t i = 0; i < slow->report->nr_rows; i++) {
		const struct td_row *row = &slow->report->rows[i];
		double calls;

		if (!row->region || !row->region->calls)
			continue;
		calls = (double)row->region->calls;
		if (is_of(slow, row))
			sum += calls * core_ns(slow, at_home, row, &guessed);
		else if (is_of(middle, row))
			before += own_ns(row) - calls * own_ns_of(at_home);
		else if (is_part_of(slow, row))
			squares +=
				calls *
				pow(core_ns(slow, at_home, row, &guessed), 2);
	}
	sum /= slow->calls;
	before /= middle->calls;
	squares = fmax(squares / slow->calls - sum * sum, 0) / slow->calls;
	if (sum != before)
		add_cause(out, TD_SLOW_CORE, NULL, sum - before,
			  guessed ? fabs(sum - before)
				  : TD_SLOW_CHANCE * sqrt(squares));
}

/* --- slots ------------------------------------------------------------------ */

static const struct td_cell *cell_of(const struct td_row *row,
				     const struct td_node *node)
{
	return &row->cells[node->column];
}

static bool has_value(const struct td_row *row, const struct td_node *node)
{
	return cell_of(row, node)->status == TD_STATUS_OK;
}

static bool is_child(const struct td_report *report,
		     const struct td_node *child, const struct td_node *node)
{
	return child->parent && child->level == node->level + 1 &&
	       child->level <= LEVELS &&
	       strcmp(child->parent, report->columns[node->column].name) == 0;
}

/* Nodes whose children are all known are told by these. */
static bool is_split(const struct td_report *report, const struct td_row *slow,
		     const struct td_node *node)
{
	size_t nr = 0;

	for (size_t i = 0; i < slow->nr_nodes; i++) {
		const struct td_node *child = &slow->nodes[i];

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

/* Slots of a call that are a node's. */
static double slots_of(const struct td_row *row, double percent)
{
	return percent / PERCENT * row->slots / (double)row->region->calls;
}

/* The slow calls of a PMU and those that are usual there. */
struct pair {
	const struct td_row *slow, *middle;
	double ns_a_slot; /* in the slow calls */
	/* of a usual call; as if its clock were theirs, if unknown */
	double slots;
	bool known; /* they are */
	size_t nr_leaves;
	double chance; /* that there are so many more slots or fewer, as a part */
};

/*
 * What a node had of a usual call, in slots.  Where that is not known, as
 * calls were as short as their probes, it is a part like any other, or any part.
 */
static double part_of(const struct pair *pair, const struct td_node *node,
		      double *error)
{
	const struct td_cell *cell = cell_of(pair->middle, node);

	if (pair->known && cell->status == TD_STATUS_OK) {
		*error = pair->slots * cell->error / PERCENT;
		return pair->slots * cell->value / PERCENT;
	}
	*error = pair->slots;
	return pair->slots / (double)pair->nr_leaves;
}

/* scale: from slots of a call there to ns of a slow call. */
static void add_nodes(struct td_slow *out, const struct td_report *report,
		      const struct pair *pair, double scale)
{
	const struct td_row *slow = pair->slow;

	for (size_t i = 0; i < slow->nr_nodes; i++) {
		const struct td_node *node = &slow->nodes[i];
		const struct td_cell *cell = cell_of(slow, node);
		double before, error, more;

		if (!is_leaf(report, slow, node))
			continue;
		before = part_of(pair, node, &error);
		more = slots_of(slow, cell->value) - before;
		error = hypot(slots_of(slow, cell->error), error);
		add_cause(out, TD_SLOW_NODE, report->columns[node->column].name,
			  scale * more,
			  scale * hypot(error, pair->chance * more));
	}
}

static struct pair make_pair(const struct class *of, const struct td_row *slow,
			     const struct td_row *middle)
{
	struct pair pair = { .slow = slow,
			     .middle = middle,
			     .chance = td_slow_chance(slow, of->period) };

	pair.ns_a_slot = own_ns_of(slow) / slots_of(slow, PERCENT);
	pair.slots = slots_of(middle, PERCENT);
	pair.known =
		pair.slots > 0 && !td_slow_why_not_sampled(middle, of->period);
	if (!pair.known)
		pair.slots = own_ns_of(middle) / pair.ns_a_slot;
	for (size_t i = 0; i < slow->nr_nodes; i++)
		pair.nr_leaves += is_leaf(of->report, slow, &slow->nodes[i]);
	return pair;
}

/*
 * The time on the CPU is slots times the time that each takes: what there are more
 * slots is the nodes', and what those of a usual call take longer the clock's.
 */
static void add_slots(struct td_slow *out, const struct class *of,
		      const struct td_row *slow, const struct td_row *middle)
{
	struct pair pair = make_pair(of, slow, middle);
	double part = (double)slow->region->calls / of->calls, error;

	if (td_slow_why_not(slow, of->period) || !middle->region->calls ||
	    !isfinite(pair.ns_a_slot))
		return;
	add_nodes(out, of->report, &pair, part * pair.ns_a_slot);
	if (!pair.known)
		return;
	error = hypot(pair.chance, td_slow_chance(middle, of->period));
	add_cause(out, TD_SLOW_CLOCK, NULL,
		  part * (pair.slots * pair.ns_a_slot - own_ns_of(middle)),
		  part * own_ns_of(middle) * error);
}

/* --- all of it -------------------------------------------------------------- */

static int by_share(const void *a, const void *b)
{
	const struct td_slow_cause *x = a, *y = b;

	return (x->share_pct < y->share_pct) - (x->share_pct > y->share_pct);
}

static void add_rest(struct td_slow *out)
{
	double known = 0;

	for (size_t i = 0; i < out->nr; i++)
		known += out->causes[i].share_pct;
	out->causes[out->nr++] =
		(struct td_slow_cause){ .kind = TD_SLOW_REST,
					.share_pct = PERCENT - known,
					.error_pct = NAN };
	qsort(out->causes, out->nr, sizeof(out->causes[0]), by_share);
}

static void add_causes(struct td_slow *out, const struct class *slow,
		       const struct class *middle)
{
	const struct td_row *at_home = row_on(middle, home_of(middle));

	add_waiting(out, slow);
	add_interrupts(out, slow, middle);
	add_core(out, slow, middle, at_home);
	for (size_t i = 0; i < slow->report->nr_rows; i++) {
		const struct td_row *row = &slow->report->rows[i];
		const struct td_row *usual;

		if (!is_of(slow, row) || !row->region->calls)
			continue;
		usual = usual_on(slow, at_home, row->pmu);
		if (usual)
			add_slots(out, slow, row, usual);
	}
	add_rest(out);
}

static double took_ns_of(const struct class *class)
{
	double sum = 0;

	for (size_t i = 0; i < class->report->nr_rows; i++)
		if (is_of(class, &class->report->rows[i]))
			sum += class->report->rows[i].region->took_ns;
	return sum;
}

static double time_pct_of(const struct class *class)
{
	double sum = 0;

	for (size_t i = 0; i < class->report->nr_rows; i++)
		if (is_of(class, &class->report->rows[i]))
			sum += class->report->rows[i].region->time_pct;
	return sum;
}

static void find(const struct td_usual *usual, const struct td_timed *timed,
		 size_t at, struct td_slow *out)
{
	struct class slow = make_class(&usual->report, at, timed->slow, true);
	struct class middle =
		make_class(&usual->report, at, usual->from, false);
	const struct td_row *slow_row = row_on(&slow, NULL);
	const struct td_row *middle_row = row_on(&middle, NULL);

	if (!slow_row || !middle_row || slow.calls <= 0 || middle.calls <= 0)
		return;
	slow.period = timed->period;
	slow.longest_ns = (double)timed->durations.max_ns;
	out->no_interrupts = isnan(interrupted_ns(&slow));
	out->slow = slow_row->region;
	out->middle = *middle_row->region;
	out->middle_end = usual->to;
	out->calls_pct = PERCENT * slow.calls /
			 calls_below(&slow, NULL, TD_REGION_BUCKETS);
	out->time_pct = time_pct_of(&slow);
	out->extra_ns = took_ns_of(&slow) / slow.calls -
			took_ns_of(&middle) / middle.calls;
	add_causes(out, &slow, &middle);
}

int td_slow_find(const struct td_report *report, const struct td_timed *timed,
		 size_t at, struct td_slow *out)
{
	struct td_usual usual;
	int rc;

	*out = (struct td_slow){ 0 };
	/* recordings of older versions may have slow calls of few */
	if (!timed->slow || timed->durations.nr < TD_LEAST_CALLS)
		return 0;
	rc = td_usual_join(&usual, report, timed, at);
	if (!rc)
		find(&usual, timed, at, out);
	td_usual_free(&usual);
	return rc;
}
