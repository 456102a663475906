// SPDX-License-Identifier: GPL-2.0-only
/* Which rows of timed calls tell something; those around the median, joined. */
#include "metrics/slow/usual.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PERCENT 100
#define REACH   2 /* buckets: half, and twice, as long */

/* --- what metrics need, by lib/count/regions.h --------------------------------- */

const char *td_slow_why_not_sampled(const struct td_row *row, uint64_t period)
{
	if (!period)
		return NULL;
	if (td_region_bucket_ns(row->region->bucket) < TD_SAMPLED_NS)
		return "samples come too late for such short calls";
	return row->slots < TD_LEAST_SAMPLES * (double)period
		       ? "fewer than 30 samples"
		       : NULL;
}

const char *td_slow_why_not(const struct td_row *row, uint64_t period)
{
	const struct td_region_facts *facts = row->region;

	if (td_slow_why_not_sampled(row, period))
		return td_slow_why_not_sampled(row, period);
	if (facts->cost_pct >= TD_COST_OF_MANY)
		return "the probes took most of the time";
	if (facts->calls < TD_MANY_CALLS && facts->cost_pct >= TD_COST_OF_FEW)
		return "fewer than 30 calls, and the probes took a tenth of "
		       "the time";
	return facts->calls ? NULL : "no call ended there";
}

double td_slow_chance(const struct td_row *row, uint64_t period)
{
	return period ? TD_SLOW_CHANCE * sqrt((double)period / row->slots) : 0;
}

/* --- which calls are around the median ---------------------------------------- */

static bool is_of(const struct td_row *row, size_t at)
{
	const struct td_region_facts *facts = row->region;

	return facts && facts->timed == 1 + (int)at && !facts->slow;
}

static bool is_within(const struct td_usual *usual, const struct td_row *row,
		      size_t at)
{
	return is_of(row, at) && row->region->bucket >= usual->from &&
	       row->region->bucket <= usual->to;
}

static double calls_within(const struct td_usual *usual,
			   const struct td_report *report, size_t at)
{
	double calls = 0;

	for (size_t i = 0; i < report->nr_rows; i++)
		if (is_within(usual, &report->rows[i], at))
			calls += (double)report->rows[i].region->calls;
	return calls;
}

/* As near to the median as it gets; slow calls are not usual. */
static void choose(struct td_usual *usual, const struct td_report *report,
		   const struct td_timed *timed, size_t at)
{
	usual->from = usual->to = timed->middle;
	for (int i = 0;
	     i < REACH && calls_within(usual, report, at) < TD_MANY_CALLS;
	     i++) {
		usual->from -= usual->from > 0;
		usual->to += usual->to + 1 < timed->slow;
	}
}

/* --- joined ----------------------------------------------------------------- */

/* Of what is the same in the rows of a bucket on all PMUs: its first one. */
static const struct td_row *first_of(const struct td_report *report, size_t at,
				     unsigned int bucket, double *calls)
{
	const struct td_row *first = NULL;

	*calls = 0;
	for (size_t i = 0; i < report->nr_rows; i++) {
		const struct td_row *row = &report->rows[i];

		if (!is_of(row, at) || row->region->bucket != bucket)
			continue;
		*calls += (double)row->region->calls;
		first = first ? first : row;
	}
	return first;
}

static double cost_ns(const struct td_region_facts *facts)
{
	return (double)facts->time_ns * facts->cost_pct /
	       (PERCENT - facts->cost_pct);
}

/* What a call has in the mean, on all PMUs. */
static struct td_region_facts mean_of(const struct td_usual *usual,
				      const struct td_report *report, size_t at)
{
	struct td_region_facts mean = { .timed = 1 + (int)at,
					.bucket = usual->from };
	double all = calls_within(usual, report, at), cost = 0, calls;

	for (unsigned int b = usual->from; b <= usual->to; b++) {
		const struct td_row *row = first_of(report, at, b, &calls);
		const struct td_region_facts *of = row ? row->region : NULL;

		if (!of)
			continue;
		mean.time_ns += of->time_ns;
		cost += cost_ns(of);
		mean.waited_ns += calls / all * of->waited_ns;
		mean.preempted_ns += calls / all * of->preempted_ns;
		mean.faults += calls / all * of->faults;
		mean.switches += calls / all * of->switches;
		mean.migrations += calls / all * of->migrations;
	}
	mean.cost_pct = PERCENT * cost / (cost + (double)mean.time_ns);
	return mean;
}

static void add_facts(struct td_region_facts *to,
		      const struct td_region_facts *from)
{
	double calls = (double)(to->calls + from->calls);

	if (from->calls)
		to->interrupted_ns +=
			(double)from->calls / calls *
			(from->interrupted_ns - to->interrupted_ns);
	to->calls += from->calls;
	to->took_ns += from->took_ns;
	to->on_ns += from->on_ns;
	to->time_pct += from->time_pct;
}

static void add_cell(struct td_cell *to, double to_slots,
		     const struct td_cell *from, double from_slots)
{
	double both = to_slots + from_slots;

	if (to->status != TD_STATUS_OK)
		return;
	if (from->status != TD_STATUS_OK) {
		*to = *from;
		return;
	}
	to->value = (to_slots * to->value + from_slots * from->value) / both;
	to->error =
		hypot(to_slots * to->error, from_slots * from->error) / both;
}

/* A row of no slots, as of calls as short as their probes, says nothing of others. */
static void add_cells(struct td_row *to, const struct td_row *from,
		      size_t nr_columns)
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

/* The joined row of the PMU of another, which it adds with nothing in it. */
static struct td_row *row_for(struct td_usual *usual, const struct td_row *like,
			      const struct td_region_facts *mean)
{
	struct td_report *report = &usual->report;
	size_t at = 0;
	struct td_row *row;

	while (at < usual->nr && strcmp(usual->rows[at].pmu, like->pmu) != 0)
		at++;
	row = &usual->rows[at];
	if (at < usual->nr)
		return row;
	usual->nr = at + 1;
	usual->facts[at] = *mean;
	*row = *like;
	row->slots = 0;
	row->region = &usual->facts[at];
	row->cells = usual->cells + at * report->nr_columns;
	memcpy(row->cells, like->cells,
	       report->nr_columns * sizeof(*row->cells));
	return row;
}

static void fill(struct td_usual *usual, const struct td_report *report,
		 size_t at)
{
	struct td_region_facts mean = mean_of(usual, report, at);

	for (size_t i = 0; i < report->nr_rows; i++) {
		const struct td_row *row = &report->rows[i];
		struct td_row *to;

		if (!is_within(usual, row, at))
			continue;
		to = row_for(usual, row, &mean);
		add_facts(&usual->facts[to - usual->rows], row->region);
		add_cells(to, row, report->nr_columns);
	}
	usual->report.nr_rows = usual->nr;
	for (size_t i = 0; i < report->nr_rows; i++)
		if (!is_within(usual, &report->rows[i], at))
			usual->rows[usual->report.nr_rows++] = report->rows[i];
}

int td_usual_join(struct td_usual *usual, const struct td_report *report,
		  const struct td_timed *timed, size_t at)
{
	*usual = (struct td_usual){ .report = *report };
	choose(usual, report, timed, at);
	if (usual->from == usual->to)
		return 0;
	usual->rows = calloc(report->nr_rows + 1, sizeof(*usual->rows));
	usual->facts = calloc(report->nr_rows + 1, sizeof(*usual->facts));
	usual->cells = calloc(report->nr_rows * report->nr_columns + 1,
			      sizeof(*usual->cells));
	usual->report.rows = usual->rows;
	if (!usual->rows || !usual->facts || !usual->cells)
		return -ENOMEM;
	fill(usual, report, at);
	return 0;
}

void td_usual_free(struct td_usual *usual)
{
	free(usual->rows);
	free(usual->facts);
	free(usual->cells);
}
