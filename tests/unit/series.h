/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_TEST_SERIES_H
#define TD_TEST_SERIES_H

/* Values that are means of batches, and their errors. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "metrics/eval/finished.h"

#define SERIES_MAX 64

struct series {
	double v[SERIES_MAX];
	int nr;
	double slots[SERIES_MAX]; /* slots of each batch */
	double step;              /* step of the value's only field */
	int nr_counted;           /* the first batches; 0: all */
};

/* The time that the value's events ran, without a batch. */
static inline uint64_t running_without(const struct series *s, int batch)
{
	int nr = s->nr_counted ? s->nr_counted : s->nr;

	return (uint64_t)(batch >= 0 && batch < nr ? nr - 1 : nr);
}

static inline double mean_without(const struct series *s, int batch)
{
	double sum = 0;
	int nr = 0;

	for (int i = 0; i < s->nr; i++) {
		if (i == batch || s->slots[i] == 0)
			continue;
		sum += s->v[i];
		nr++;
	}
	return sum / nr;
}

static inline double slots_without(const struct series *s, int batch)
{
	double sum = 0;

	for (int i = 0; i < s->nr; i++)
		sum += i == batch ? 0 : s->slots[i];
	return sum;
}

/* The cell of a report whose one value is the mean of the series. */
static inline struct td_cell cell_of(const struct series *s)
{
	struct td_cell whole = { .value = mean_without(s, -1),
				 .running_ns = running_without(s, -1),
				 .error = NAN };
	struct td_row row = { "all", "cpu", slots_without(s, -1) };
	struct td_report report = { .nr_columns = 1, .rows = &row, .nr_rows = 1 };
	struct td_errors errors;
	struct td_cell rest;
	struct td_row rest_row = { "all", "cpu" };
	struct td_report without = { .nr_columns = 1, .rows = &rest_row, .nr_rows = 1 };

	row.cells = &whole;
	rest_row.cells = &rest;
	td_errors_begin(&errors, &report);
	for (int i = 0; i < s->nr; i++) {
		rest = (struct td_cell){ .value = mean_without(s, i),
					 .running_ns = running_without(s, i) };
		rest_row.slots = slots_without(s, i);
		td_errors_add(&errors, &report, &without);
	}
	td_errors_end_series(&errors, &report);
	rest = (struct td_cell){ .value = whole.value + s->step };
	td_errors_add_step(&errors, &without);
	td_errors_end(&errors);
	td_errors_free(&errors);
	return whole;
}

static inline void series_set(struct series *s, int nr, double low, double high)
{
	*s = (struct series){ .nr = nr };
	for (int i = 0; i < nr; i++) {
		s->v[i] = i % 2 ? high : low;
		s->slots[i] = 100;
	}
}

static inline double uniform(uint64_t *state)
{
	*state = *state * 6364136223846793005 + 1442695040888963407;
	return (double)(*state >> 11) / 9007199254740992.0;
}

static inline double normal(uint64_t *state)
{
	double a = uniform(state), b = uniform(state);

	return sqrt(-2 * log(1 - a)) * cos(2 * M_PI * b);
}

/* For many values: each calculation yields two. */
struct normals {
	uint64_t state;
	bool has_next;
	double next;
};

static inline double normal_of(struct normals *n)
{
	double a, b, sine, cosine;

	n->has_next = !n->has_next;
	if (!n->has_next)
		return n->next;
	a = sqrt(-2 * log(1 - uniform(&n->state)));
	b = 2 * M_PI * uniform(&n->state);
	sincos(b, &sine, &cosine);
	n->next = a * sine;
	return a * cosine;
}

/* Its mean is 0. */
static inline struct series make_series(int nr, double correlation, uint64_t *state)
{
	struct series s = { .nr = nr };
	double last = normal(state);

	for (int i = 0; i < nr; i++) {
		last = correlation * last + sqrt(1 - correlation * correlation) * normal(state);
		s.v[i] = last;
		s.slots[i] = 1 + i;
	}
	return s;
}

#endif
