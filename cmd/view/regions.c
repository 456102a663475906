// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/view/view.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/view/errors.h"
#include "cmd/view/next.h"
#include "metrics/eval/finished.h"
#include "metrics/slow/slow.h"
#include "metrics/slow/usual.h"

#define PERCENT 100

/* The slots of regions without those within them, which add up. */
struct own {
	struct td_round round;
	struct td_index by_row; /* its rows, by id and PMU */
	double all;             /* the slots of all rows */
	bool sampled;           /* calls that were skipped are in it, too */
};

static uint64_t hash_of(const struct td_row *row)
{
	return td_hash_more(td_hash_text(row->id), td_hash_text(row->pmu));
}

static int index_rows(struct own *own)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < own->round.report.nr_rows; i++)
		rc = td_index_add(&own->by_row,
				  hash_of(&own->round.report.rows[i]), i);
	return rc;
}

static int make_own(struct td_view *view, const struct td_counted *counted,
		    struct own *own, struct td_err *err)
{
	struct td_aggregator agg = view->aggregator;
	const struct td_report *report = &own->round.report;
	int rc;

	*own = (struct own){ 0 };
	agg.own = true;
	rc = td_round_eval(&own->round, view, &agg, counted->readings,
			   counted->times, err);
	for (size_t i = 0; !rc && i < report->nr_rows; i++)
		own->all += isnan(report->rows[i].slots)
				    ? 0
				    : report->rows[i].slots;
	if (!rc && (index_rows(own) ||
		    (!view->source->regions->functions &&
		     td_report_find_lost(&own->round.report, false))))
		rc = td_err_nomem(err);
	for (size_t i = 0; i < view->source->regions->nr; i++)
		own->sampled |= view->source->regions->v[i].calls.skipped > 0;
	return rc;
}

/*
 * NULL: it has none, or they are not known: what was skipped is in the slots of what
 * was around it, which are its own.
 */
static const struct td_row *find_own(const struct own *own,
				     const struct td_row *row)
{
	uint64_t hash = hash_of(row);
	size_t step = 0, at;

	if (own->sampled)
		return NULL;
	while ((at = td_index_next(&own->by_row, hash, &step)) !=
	       TD_NOT_FOUND) {
		const struct td_row *r = &own->round.report.rows[at];

		if (strcmp(r->id, row->id) == 0 &&
		    strcmp(r->pmu, row->pmu) == 0)
			return r;
	}
	return NULL;
}

/*
 * Of the program's slots, those that the row lost without the regions within it: what
 * regions lost that contain each other does not add up.  The error is as large a
 * part of it as that of the whole row.
 */
static void set_lost(const struct td_row *own, struct td_row *row)
{
	double lost_pct = own ? own->lost_pct : NAN;

	row->lost_error *= lost_pct / row->lost_pct;
	row->lost_pct = lost_pct;
}

/* Without the region of a row nothing is known of its calls. */
static const struct td_region *find(const struct td_regions *regions,
				    const char *id)
{
	static const struct td_region unknown = { 0 };
	const struct td_region *region = td_regions_find(regions, id, false);

	if (!region)
		region = td_regions_find(regions, id, true);
	return region ? region : &unknown;
}

/* On the row's PMU, or on all for a merged row. */
static uint64_t calls_on(const struct td_source *source,
			 const struct td_region *region, const char *name)
{
	int pmu = td_machine_find_pmu(source->machine, name);

	if (pmu < 0)
		return region->calls.counted;
	return pmu < TD_REGION_PMUS ? region->on[pmu] : 0;
}

static double whole_pct(const struct td_source *source,
			const struct td_region *region, const char *name)
{
	int pmu = td_machine_find_pmu(source->machine, name);
	uint64_t whole = 0, on = calls_on(source, region, name);

	for (int i = 0; i < TD_REGION_PMUS; i++)
		whole += pmu < 0 || pmu == i ? region->whole[i] : 0;
	return whole && on ? PERCENT * (double)whole / (double)on : NAN;
}

/* How many calls one that was counted stands for. */
static double sampling(const struct td_calls *calls)
{
	return calls->counted ? (double)(calls->counted + calls->skipped) /
					(double)calls->counted
			      : NAN;
}

/* On the row's PMU, or on all for a merged row. */
static double ns_on(const struct td_source *source,
		    const uint64_t ns[TD_REGION_PMUS], const char *name)
{
	int pmu = td_machine_find_pmu(source->machine, name);
	double sum = 0;

	for (int i = 0; i < TD_REGION_PMUS; i++)
		sum += pmu < 0 || pmu == i ? (double)ns[i] : 0;
	return sum;
}

/* All calls of a timed function, which its buckets have. */
static double time_of(const struct td_regions *regions, int timed)
{
	double sum = 0;

	for (size_t i = 0; i < regions->nr; i++) {
		const struct td_region *region = &regions->v[i];

		if (region->timed == timed && !region->slow && !region->own)
			sum += (double)region->calls.time_ns;
	}
	return sum;
}

static void add_timed(const struct td_source *source, const struct td_row *row,
		      struct td_region_facts *facts)
{
	const struct td_region *region = find(source->regions, row->id);
	const struct td_call_facts *of = &region->facts;
	double calls = of->known ? (double)region->calls.counted : NAN;
	double reasons = of->waiting_only ? NAN : calls;

	facts->timed = region->timed;
	if (!region->timed)
		return;
	facts->of = source->regions->timed[region->timed - 1].name;
	facts->bucket = region->bucket;
	facts->slow = region->slow;
	facts->took_ns = ns_on(source, region->took_ns, row->pmu);
	facts->on_ns = ns_on(source, region->on_ns, row->pmu);
	facts->time_pct = PERCENT * facts->took_ns /
			  time_of(source->regions, region->timed);
	facts->on_cpu_pct =
		of->known ? PERCENT * facts->on_ns / facts->took_ns : NAN;
	facts->interrupted_ns =
		of->interrupts
			? ns_on(source, region->interrupted_ns, row->pmu) /
				  (double)facts->calls
			: NAN;
	facts->waited_ns = (double)of->waited_ns / calls;
	facts->preempted_ns = (double)of->preempted_ns / reasons;
	facts->faults = (double)of->faults / reasons;
	facts->switches = (double)of->switches / reasons;
	facts->migrations = (double)of->migrations / reasons;
}

static struct td_region_facts make_facts(const struct td_source *source,
					 const struct td_row *row,
					 const struct own *own,
					 const struct td_row *own_row)
{
	const struct td_region *region = find(source->regions, row->id);
	const struct td_calls *calls = &region->calls;
	uint64_t on = calls_on(source, region, row->pmu);
	double per_call = on ? row->slots / (double)on : NAN;
	double least = source->regions->least_slots;
	/* those of calls alone do not add up */
	double percent = own->all > 0 ? PERCENT / own->all : NAN;

	return (struct td_region_facts){
		.outside = region->outside,
		.function = source->regions->functions,
		.calls = on,
		.lost = calls->lost,
		.skipped = calls->skipped,
		.moved = calls->moved,
		.migrated = calls->migrated,
		.switched = calls->switched,
		.time_ns = calls->time_ns,
		.whole_pct = whole_pct(source, region, row->pmu),
		.slots_per_call = region->outside ? NAN : per_call,
		.inclusive_pct =
			own->sampled && region->outside
				? NAN
				: percent * row->slots * sampling(calls),
		.exclusive_pct = own_row ? percent * own_row->slots : NAN,
		.cost_pct = PERCENT * (double)calls->cost_ns /
			    (double)(calls->cost_ns + calls->time_ns),
		.least_slots = (region->outside ? row->slots : per_call) < least
				       ? least
				       : NAN,
	};
}

/* Rows of an id are next to each other: by_region() of lib/count. */
static double order_of(const struct td_report *report, size_t first,
		       size_t *end)
{
	const struct td_region_facts *facts = &report->regions[first];
	const char *id = report->rows[first].id;
	double sum = 0;

	for (*end = first;
	     *end < report->nr_rows && strcmp(report->rows[*end].id, id) == 0;
	     ++*end) {
		double share = report->regions[*end].inclusive_pct;

		sum += isnan(share) ? 0 : share;
	}
	/* those of a function together, the shortest first, then the slow ones */
	if (facts->timed)
		return -(double)(facts->timed * 2 * TD_REGION_BUCKETS +
				 facts->slow * TD_REGION_BUCKETS +
				 (int)facts->bucket);
	return facts->outside ? -1 : sum;
}

static int by_order(const void *a, const void *b)
{
	const struct td_row *x = a, *y = b;
	int rc = strcmp(x->id, y->id);

	if (x->region->order > y->region->order)
		return -1;
	if (x->region->order < y->region->order)
		return 1;
	return rc ? rc : -strcmp(x->pmu, y->pmu);
}

static void sort(struct td_report *report)
{
	size_t end;

	for (size_t i = 0; i < report->nr_rows; i = end) {
		double order = order_of(report, i, &end);

		for (size_t j = i; j < end; j++)
			report->regions[j].order = order;
	}
	/* without rows there is no array */
	if (report->nr_rows)
		qsort(report->rows, report->nr_rows, sizeof(*report->rows),
		      by_order);
}

/* Why the row's metrics would be of chance; NULL: they are not. */
static const char *why_not(const struct td_row *row, uint64_t period)
{
	const struct td_region_facts *facts = row->region;

	if (facts->timed)
		return td_slow_why_not(row, period);
	return facts->outside || facts->calls >= TD_LEAST_WINDOWS
		       ? NULL
		       : "fewer than 30 windows";
}

static void forget_few(struct td_row *row, struct td_region_facts *facts,
		       size_t nr_columns, uint64_t period)
{
	const char *sampled = td_slow_why_not_sampled(row, period);
	const char *why = why_not(row, period);

	/* it would be called the one that lost most */
	if (why && facts->function)
		row->lost_pct = row->lost_error = NAN;
	/* of no sample, it would be 0 */
	if (sampled)
		row->slots = facts->slots_per_call = NAN;
	for (size_t i = 0; why && i < nr_columns; i++) {
		struct td_cell *cell = &row->cells[i];

		/* a share of no samples is no number by itself */
		if (cell->status != TD_STATUS_OK &&
		    !(sampled && cell->status == TD_STATUS_NOT_COUNTED))
			continue;
		cell->status = TD_STATUS_NOT_COUNTED;
		cell->why = why;
	}
}

static int find_slow(const struct td_regions *regions, struct td_report *report)
{
	report->timed = regions->timed;
	report->nr_timed = regions->nr_timed;
	report->slow = calloc(regions->nr_timed + 1, sizeof(*report->slow));
	if (!report->slow)
		return -ENOMEM;
	for (size_t i = 0; i < regions->nr_timed; i++)
		if (td_slow_find(report, &regions->timed[i], i,
				 &report->slow[i]))
			return -ENOMEM;
	return 0;
}

static int add_facts(const struct td_source *source, const struct own *own,
		     struct td_report *report)
{
	const struct td_regions *regions = source->regions;

	report->regions = calloc(report->nr_rows + 1, sizeof(*report->regions));
	if (!report->regions)
		return -ENOMEM;
	for (size_t i = 0; i < report->nr_rows; i++) {
		struct td_row *row = &report->rows[i];
		const struct td_row *own_row = find_own(own, row);

		report->regions[i] = make_facts(source, row, own, own_row);
		if (!regions->functions && own->all > 0)
			set_lost(own_row, row);
		add_timed(source, row, &report->regions[i]);
		row->region = &report->regions[i];
	}
	if (regions->nr_timed && find_slow(regions, report))
		return -ENOMEM;
	for (size_t i = 0; i < report->nr_rows; i++) {
		int timed = report->regions[i].timed;

		if (regions->functions || timed)
			forget_few(&report->rows[i], &report->regions[i],
				   report->nr_columns,
				   timed ? regions->timed[timed - 1].period
					 : 0);
	}
	report->functions = regions->functions;
	return 0;
}

/* Before they are sorted, rows of an id follow each other as the ids do. */
static int find_clear(struct td_view *view, const struct td_totals *totals,
		      const struct td_times *times, struct td_report *report,
		      struct td_err *err)
{
	size_t first = 0;
	int rc = 0;

	for (size_t i = 0; !rc && i < totals->nr_ids; i++) {
		struct td_totals of_id = *totals;
		struct td_report rows = *report;

		of_id.ids += i;
		of_id.nr_ids = 1;
		of_id.v += i * totals->nr_events;
		rows.rows += first;
		rows.nr_rows = 0;
		while (first < report->nr_rows &&
		       strcmp(report->rows[first].id, of_id.ids->label) == 0) {
			rows.nr_rows++;
			first++;
		}
		rc = td_view_find_clear(view, &of_id, times, &rows, err);
	}
	return rc;
}

int td_view_fill_regions(struct td_view *view, const struct td_counted *counted,
			 const struct td_totals *totals,
			 struct td_report *report, struct td_err *err)
{
	struct own own;
	int rc = find_clear(view, totals, counted->times, report, err);

	if (rc)
		return rc;
	rc = make_own(view, counted, &own, err);

	if (!rc && add_facts(view->source, &own, report))
		rc = td_err_nomem(err);
	/* a recording tells it in front of the counts */
	view->sink.frame.timed = report->nr_timed > 0;
	if (!rc)
		sort(report);
	td_index_free(&own.by_row);
	td_round_free(&own.round);
	return rc;
}

void td_view_forget_busy(struct td_report *report)
{
	report->mostly_waited = false;
	report->tasks_pct = NAN;
	for (size_t i = 0; i < report->nr_rows; i++) {
		struct td_row *row = &report->rows[i];

		row->busy_pct = row->ghz = row->ipc = NAN;
		row->activity.cycles = row->activity.instructions = NAN;
		row->idle &= row->share_pct < TD_FEW_SLOTS_PCT;
	}
}
