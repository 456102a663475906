// SPDX-License-Identifier: GPL-2.0-only
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"
#include "metrics/eval/finished.h"
#include "metrics/table/table.h"

void td_spread_add(struct td_spread *spread, double value)
{
	double delta = value - spread->mean;

	spread->least = spread->nr ? fmin(spread->least, value) : value;
	spread->most = spread->nr ? fmax(spread->most, value) : value;
	spread->nr++;
	spread->mean += delta / spread->nr;
	spread->m2 += delta * (value - spread->mean);
}

double td_spread_error(const struct td_spread *spread)
{
	if (spread->nr < 2)
		return NAN;
	return sqrt(spread->m2 / (spread->nr - 1) / spread->nr);
}

/*
 * Find the values of a key.  The search starts at the next position, because most runs have the
 * same order of keys.
 */
static struct td_spread *find(struct td_spreads *spreads, const char *key)
{
	size_t step = 0, at = spreads->next;
	uint64_t hash;

	if (at >= spreads->nr || strcmp(spreads->v[at].key, key) != 0) {
		hash = td_hash_text(key);
		do {
			at = td_index_next(&spreads->index, hash, &step);
		} while (at != TD_NOT_FOUND && strcmp(spreads->v[at].key, key) != 0);
	}
	if (at == TD_NOT_FOUND)
		return NULL;
	spreads->next = at + 1;
	return &spreads->v[at];
}

/* Find or add the values of a key.  Takes ownership of key. */
static struct td_spread *find_or_add(struct td_spreads *spreads, char *key)
{
	struct td_spread *spread = find(spreads, key);

	if (spread) {
		free(key);
		return spread;
	}
	spread = td_array_add(&spreads->v, spreads->nr, sizeof(*spread));
	td_index_add(&spreads->index, td_hash_text(key), spreads->nr);
	spread->key = key;
	spreads->nr++;
	return spread;
}

static char *cell_key(const struct td_report *report, const struct td_row *row, size_t column)
{
	return td_aprintf("%s %s %s", row->id, row->pmu, report->columns[column].name);
}

static char *share_key(const struct td_row *row)
{
	return td_aprintf("%s %s", row->id, row->pmu);
}

static char *event_key(const struct td_event_row *row)
{
	/* the same event may have been typed twice */
	return td_aprintf("%s %s %d", row->id, row->cgroup ? row->cgroup : "", row->which);
}

static struct td_spread *add_value(struct td_spreads *spreads, char *key, double value)
{
	struct td_spread *spread = find_or_add(spreads, key);

	td_spread_add(spread, value);
	return spread;
}

void td_spreads_add_report(struct td_spreads *spreads, const struct td_report *report)
{
	for (size_t i = 0; i < report->nr_rows; i++) {
		const struct td_row *row = &report->rows[i];
		/* if no task ran on a core type, it had none of the slots */
		double share = row->absent ? 0 : row->share_pct;

		if (!isnan(share))
			add_value(spreads, share_key(row), share);
		for (size_t c = 0; c < report->nr_columns; c++) {
			const struct td_cell *cell = &row->cells[c];
			struct td_spread *spread;

			if (cell->status != TD_STATUS_OK)
				continue;
			spread = add_value(spreads, cell_key(report, row, c), cell->value);
			spread->systematic += cell->systematic_error;
			spread->paused |= cell->paused;
		}
	}
}

void td_spreads_add_events(struct td_spreads *spreads, const struct td_event_report *report)
{
	for (size_t i = 0; i < report->nr_rows; i++) {
		const struct td_event_row *row = &report->rows[i];

		if (row->status == TD_STATUS_OK || row->elsewhere)
			add_value(spreads, event_key(row), row->elsewhere ? 0 : row->value);
	}
}

/* Set the standard error of the mean and half of its 95 % interval, and free key. */
static void fill(struct td_spreads *spreads, char *key, double *error, double *half)
{
	const struct td_spread *spread = find(spreads, key);

	*error = *half = NAN;
	if (spread) {
		*error = td_spread_error(spread);
		*half = hypot(td_student(spread->nr - 1.) * *error,
			      spread->systematic / spread->nr);
	}
	free(key);
}

static void fill_share(struct td_spreads *spreads, struct td_row *row)
{
	td_autofree char *key = share_key(row);
	const struct td_spread *spread = find(spreads, key);

	row->share_least = spread ? spread->least : (double)NAN;
	row->share_most = spread ? spread->most : (double)NAN;
}

void td_spreads_fill_report(struct td_spreads *spreads, struct td_report *report)
{
	for (size_t i = 0; i < report->nr_rows; i++) {
		struct td_row *row = &report->rows[i];

		fill_share(spreads, row);
		for (size_t c = 0; c < report->nr_columns; c++)
			fill(spreads, cell_key(report, row, c), &row->cells[c].runs_error,
			     &row->cells[c].error);
	}
}

void td_spreads_fill_events(struct td_spreads *spreads, struct td_event_report *report)
{
	for (size_t i = 0; i < report->nr_rows; i++) {
		struct td_event_row *row = &report->rows[i];
		double error, unused;

		fill(spreads, event_key(row), &error, &unused);
		row->error_pct = 100 * error / row->value;
		if (row->value == 0 && error == 0)
			row->error_pct = 0;
	}
}

bool td_spreads_find_paused(struct td_spreads *spreads, const struct td_report *report,
			    double *values)
{
	bool any = false;

	for (size_t i = 0; i < report->nr_rows * report->nr_columns; i++) {
		td_autofree char *key = cell_key(report, &report->rows[i / report->nr_columns],
						 i % report->nr_columns);
		const struct td_spread *spread = find(spreads, key);

		values[i] = spread && spread->paused ? spread->mean : NAN;
		any = any || !isnan(values[i]);
	}
	return any;
}

void td_spreads_free(struct td_spreads *spreads)
{
	for (size_t i = 0; i < spreads->nr; i++)
		free(spreads->v[i].key);
	free(spreads->v);
	td_index_free(&spreads->index);
	*spreads = (struct td_spreads){ 0 };
}
