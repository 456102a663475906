/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_TEST_SEEN_H
#define TD_TEST_SEEN_H

/*
 * A program whose rate is known at each millisecond, of which a group that takes
 * turns sees a part.  It is read every 100 ms.
 */
#include "metrics/eval/finished.h"

#include "tests/unit/series.h"
#include "tests/unit/test.h"

#define TURN_MS 4
#define READ_MS 100
#define MOST_MS 30000

struct seen {
	double sum, nr;
};

/* What a row's cell and the batches tell of it. */
struct counted {
	struct seen whole, batches[TD_COURSE_POINTS];
	int nr_batches, groups;
	double truth;
};

static inline struct td_cell cell_seen(const struct counted *c, int without)
{
	static const struct seen none;
	const struct seen *out = without < 0 ? &none : &c->batches[without];
	struct td_cell cell =
		td_cell_make(TD_STATUS_OK, (c->whole.sum - out->sum) /
						   (c->whole.nr - out->nr));

	cell.running_ns = (uint64_t)((c->whole.nr - out->nr) * 1e6);
	cell.running_pct = 100.0 / c->groups;
	return cell;
}

static inline struct td_report report_of(struct td_row *row,
					 struct td_cell *cell)
{
	static const struct td_column column = { "tma_memory_bound", "%",
						 true };

	*row = (struct td_row){ .id = "all", .pmu = "cpu", .cells = cell };
	return (struct td_report){
		.columns = &column, .nr_columns = 1, .rows = row, .nr_rows = 1
	};
}

static inline struct td_cell evaluate(const struct counted *c, bool turns)
{
	struct td_row row, other;
	struct td_cell cell = cell_seen(c, -1), rest;
	struct td_report report = report_of(&row, &cell);
	struct td_report without = report_of(&other, &rest);
	struct td_errors errors;
	struct td_ranges ranges;
	int few = c->nr_batches < TD_COURSE_FEW ? c->nr_batches : TD_COURSE_FEW;
	uint64_t ns = (uint64_t)c->nr_batches * READ_MS * 1000000;

	if (td_errors_begin(&errors, &report) ||
	    td_ranges_begin(&ranges, &report))
		exit(1);
	errors.ranges = &ranges;
	errors.v[0].turns = turns;
	for (int i = 0; i < c->nr_batches; i++) {
		rest = td_cell_make(TD_STATUS_OK,
				    c->batches[i].sum / c->batches[i].nr);
		if (i < TD_COURSE_FEW)
			td_ranges_add(&ranges, &without, ns / (uint64_t)few);
		rest = cell_seen(c, i);
		td_errors_add(&errors, &report, &without);
	}
	td_ranges_end(&ranges);
	td_errors_end(&errors);
	td_ranges_free(&ranges);
	td_errors_free(&errors);
	return cell;
}

#endif
