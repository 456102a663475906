// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <math.h>
#include <stdio.h>
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

/* Finds the values of a key; mostly they come in the same order in each run. */
static struct td_spread *find(struct td_spreads *spreads, const char *key)
{
	size_t step = 0, at = spreads->next;
	uint64_t hash;

	if (at >= spreads->nr || strcmp(spreads->v[at].key, key) != 0) {
		hash = td_hash_text(key);
		do {
			at = td_index_next(&spreads->index, hash, &step);
		} while (at != TD_NOT_FOUND &&
			 strcmp(spreads->v[at].key, key) != 0);
	}
	if (at == TD_NOT_FOUND)
		return NULL;
	spreads->next = at + 1;
	return &spreads->v[at];
}

/* Finds or adds the values of a key, and takes over key. */
static struct td_spread *find_or_add(struct td_spreads *spreads, char *key)
{
	struct td_spread *spread = find(spreads, key);

	if (spread) {
		free(key);
		return spread;
	}
	spread = td_array_add(&spreads->v, spreads->nr, sizeof(*spread));
	if (!spread ||
	    td_index_add(&spreads->index, td_hash_text(key), spreads->nr)) {
		free(key);
		return NULL;
	}
	spread->key = key;
	spreads->nr++;
	return spread;
}

static char *cell_key(const struct td_report *report, const struct td_row *row,
		      size_t column)
{
	char *key;

	return asprintf(&key, "%s %s %s", row->id, row->pmu,
			report->columns[column].name) < 0
		       ? NULL
		       : key;
}

/* Of the row's share of the slots. */
static char *share_key(const struct td_row *row)
{
	char *key;

	return asprintf(&key, "%s %s", row->id, row->pmu) < 0 ? NULL : key;
}

static char *event_key(const struct td_event_row *row)
{
	char *key;

	/* the same event may have been typed twice */
	return asprintf(&key, "%s %s %d", row->id,
			row->cgroup ? row->cgroup : "", row->which) < 0
		       ? NULL
		       : key;
}

static struct td_spread *add_value(struct td_spreads *spreads, char *key,
				   double value)
{
	struct td_spread *spread = key ? find_or_add(spreads, key) : NULL;

	if (spread)
		td_spread_add(spread, value);
	return spread;
}

static int add_cell(struct td_spreads *spreads, char *key,
		    const struct td_cell *cell)
{
	struct td_spread *spread = add_value(spreads, key, cell->value);

	if (!spread)
		return -ENOMEM;
	spread->alike += cell->error_alike;
	spread->rested |= cell->rested;
	return 0;
}

/* A kind of core that no task ran on had none of the slots. */
static int add_share(struct td_spreads *spreads, const struct td_row *row)
{
	double share = row->absent ? 0 : row->share_pct;

	return isnan(share) || add_value(spreads, share_key(row), share)
		       ? 0
		       : -ENOMEM;
}

int td_spreads_add_report(struct td_spreads *spreads,
			  const struct td_report *report)
{
	for (size_t i = 0; i < report->nr_rows; i++) {
		const struct td_row *row = &report->rows[i];

		if (add_share(spreads, row))
			return -ENOMEM;
		for (size_t c = 0; c < report->nr_columns; c++) {
			if (row->cells[c].status != TD_STATUS_OK)
				continue;
			if (add_cell(spreads, cell_key(report, row, c),
				     &row->cells[c]))
				return -ENOMEM;
		}
	}
	return 0;
}

int td_spreads_add_events(struct td_spreads *spreads,
			  const struct td_event_report *report)
{
	for (size_t i = 0; i < report->nr_rows; i++) {
		const struct td_event_row *row = &report->rows[i];

		if ((row->status == TD_STATUS_OK || row->elsewhere) &&
		    !add_value(spreads, event_key(row),
			       row->elsewhere ? 0 : row->value))
			return -ENOMEM;
	}
	return 0;
}

/* Sets the standard error, and half of the 95 % interval of the mean. */
static int fill(struct td_spreads *spreads, char *key, double *error,
		double *half)
{
	const struct td_spread *spread = key ? find(spreads, key) : NULL;
	int rc = key ? 0 : -ENOMEM;

	*error = *half = NAN;
	if (spread) {
		*error = td_spread_error(spread);
		*half = hypot(td_student(spread->nr - 1.) * *error,
			      spread->alike / spread->nr);
	}
	free(key);
	return rc;
}

static int fill_share(struct td_spreads *spreads, struct td_row *row)
{
	td_autofree char *key = share_key(row);
	const struct td_spread *spread = key ? find(spreads, key) : NULL;

	row->share_least = spread ? spread->least : (double)NAN;
	row->share_most = spread ? spread->most : (double)NAN;
	return key ? 0 : -ENOMEM;
}

int td_spreads_fill_report(struct td_spreads *spreads, struct td_report *report)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < report->nr_rows; i++) {
		struct td_row *row = &report->rows[i];

		rc = fill_share(spreads, row);
		for (size_t c = 0; !rc && c < report->nr_columns; c++)
			rc = fill(spreads, cell_key(report, row, c),
				  &row->cells[c].runs_error,
				  &row->cells[c].error);
	}
	return rc;
}

int td_spreads_fill_events(struct td_spreads *spreads,
			   struct td_event_report *report)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < report->nr_rows; i++) {
		struct td_event_row *row = &report->rows[i];
		double error, unused;

		rc = fill(spreads, event_key(row), &error, &unused);
		row->error_pct = 100 * error / row->value;
		if (row->value == 0 && error == 0)
			row->error_pct = 0;
	}
	return rc;
}

int td_spreads_find_rested(struct td_spreads *spreads,
			   const struct td_report *report, double *values)
{
	bool any = false;

	for (size_t i = 0; i < report->nr_rows * report->nr_columns; i++) {
		td_autofree char *key =
			cell_key(report, &report->rows[i / report->nr_columns],
				 i % report->nr_columns);
		const struct td_spread *spread =
			key ? find(spreads, key) : NULL;

		if (!key)
			return -ENOMEM;
		values[i] = spread && spread->rested ? spread->mean : NAN;
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
