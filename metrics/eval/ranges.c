// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/eval/finished.h"

/* Fewer batches tell nothing of a course. */
#define LEAST_BATCHES 8

/* So many of the batches are below the range, and above it. */
#define OUTSIDE 0.05

int td_ranges_begin(struct td_ranges *ranges, struct td_report *report)
{
	size_t nr = report->nr_rows * report->nr_columns + 1;

	*ranges = (struct td_ranges){
		.report = report,
		.values = calloc(nr, TD_COURSE_FEW * sizeof(float)),
		.over = calloc(nr, sizeof(*ranges->over)),
		.slots = calloc(report->nr_rows + 1,
				TD_COURSE_FEW * sizeof(float)),
		.ns = calloc(nr, sizeof(*ranges->ns)),
	};
	return ranges->values && ranges->over && ranges->slots && ranges->ns
		       ? 0
		       : -ENOMEM;
}

static const char *name_of(const struct td_report *report, int column)
{
	return column < 0 ? NULL : report->columns[column].name;
}

/* The largest node of a level that is a child of the one of that name. */
static int largest_child(const struct td_row *row, int level,
			 const char *parent)
{
	double most = 0;
	int best = -1;

	for (size_t i = 0; i < row->nr_nodes; i++) {
		const struct td_node *node = &row->nodes[i];
		const struct td_cell *cell = &row->cells[node->column];

		if (node->level != level || cell->status != TD_STATUS_OK ||
		    !(cell->value > most) ||
		    (parent &&
		     (!node->parent || strcmp(node->parent, parent) != 0)))
			continue;
		most = cell->value;
		best = node->column;
	}
	return best;
}

/* What the slots went to mostly; of what was lost, the part at level 2. */
static int leader(const struct td_report *report, const struct td_row *row)
{
	int best = largest_child(row, 1, NULL), part;
	const char *name = name_of(report, best);

	if (!name || td_part_of(name) == TD_PART_RETIRING)
		return best;
	part = largest_child(row, 2, name);
	return part < 0 ? best : part;
}

static void add_cell(struct td_ranges *ranges, size_t at,
		     const struct td_cell *cell)
{
	ranges->values[at * TD_COURSE_FEW + ranges->nr] =
		cell ? (float)td_cell_value(cell) : NAN;
	if (cell && cell->over_threshold)
		ranges->over[at] |= UINT32_C(1) << ranges->nr;
}

void td_ranges_add(struct td_ranges *ranges, const struct td_report *batch,
		   uint64_t ns)
{
	const struct td_report *report = ranges->report;

	for (size_t r = 0; r < report->nr_rows; r++) {
		const struct td_row *row = td_report_find(
			batch, report->rows[r].id, report->rows[r].pmu, r);
		size_t first = r * report->nr_columns;
		int most = row && !row->idle ? leader(batch, row) : -1;

		if (most >= 0)
			ranges->ns[first + (size_t)most] += ns;
		ranges->slots[r * TD_COURSE_FEW + ranges->nr] =
			row ? (float)row->slots : NAN;
		for (size_t c = 0; c < report->nr_columns; c++)
			add_cell(ranges, first + c,
				 row ? &row->cells[c] : NULL);
	}
	ranges->nr++;
	ranges->elapsed_ns += ns;
}

double td_ranges_value(const struct td_ranges *ranges, size_t at, size_t batch)
{
	return (double)ranges->values[at * TD_COURSE_FEW + batch];
}

double td_ranges_slots(const struct td_ranges *ranges, size_t row, size_t batch)
{
	return (double)ranges->slots[row * TD_COURSE_FEW + batch];
}

bool td_ranges_over(const struct td_ranges *ranges, size_t at, size_t batch)
{
	return ranges->over[at] >> batch & 1;
}

static size_t known_values(const struct td_ranges *ranges, size_t at,
			   float known[TD_COURSE_FEW])
{
	const float *v = ranges->values + at * TD_COURSE_FEW;
	size_t nr = 0;

	for (size_t i = 0; i < ranges->nr; i++) {
		if (isfinite(v[i]))
			known[nr++] = v[i];
	}
	return nr;
}

double td_ranges_variance(const struct td_ranges *ranges, size_t at)
{
	float v[TD_COURSE_FEW];
	size_t nr = known_values(ranges, at, v);
	double sum = 0, squares = 0;

	for (size_t i = 0; i < nr; i++)
		sum += (double)v[i];
	for (size_t i = 0; i < nr; i++)
		squares += pow((double)v[i] - sum / (double)nr, 2);
	return nr < 2 ? 0 : squares / (double)(nr - 1);
}

double td_ranges_reads(const struct td_ranges *ranges, size_t row)
{
	double sum = 0, squares = 0, in_batch = 1;

	for (size_t i = 0; i < ranges->nr; i++) {
		double slots = td_ranges_slots(ranges, row, i);

		sum += slots > 0 ? slots : 0;
		squares += slots > 0 ? slots * slots : 0;
	}
	if (ranges->nr_reads > ranges->nr)
		in_batch = (double)ranges->nr_reads / (double)ranges->nr;
	return in_batch *
	       (squares > 0 ? sum * sum / squares : (double)ranges->nr);
}

static int by_value(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;

	return (x > y) - (x < y);
}

static void set_range(const struct td_ranges *ranges, size_t at,
		      struct td_cell *cell)
{
	float v[TD_COURSE_FEW];
	size_t nr = known_values(ranges, at, v);
	size_t out = (size_t)(OUTSIDE * (double)nr);

	if (nr < LEAST_BATCHES || cell->status != TD_STATUS_OK)
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

		if (ranges->nr >= LEAST_BATCHES)
			row->phases = find_phases(ranges->ns + first,
						  report->nr_columns);
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
