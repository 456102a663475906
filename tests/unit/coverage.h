/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_TEST_COVERAGE_H
#define TD_TEST_COVERAGE_H

/* Programs whose calls differ over time: do the printed errors contain the true values? */
#include "lib/count/batched.h"
#include "tests/unit/series.h"
#include "tests/unit/test.h"

enum kind {
	INDEPENDENT,
	RESEMBLING, /* by is the correlation with the call before */
	PHASES,     /* by is the mean number of calls in one */
	IN_TURN,    /* by is after how many calls another one comes */
};

struct pattern {
	const char *name;
	enum kind kind;
	double by, truth; /* the mean of all calls that there might be */
};

static const struct pattern patterns[] = {
	{ "independent calls", INDEPENDENT, 0, 0.3 },
	{ "a call is like the one before by .9", RESEMBLING, 0.9, 0.3 },
	{ "a call is like the one before by .98", RESEMBLING, 0.98, 0.3 },
	{ "phases of 50 calls", PHASES, 50, 0.4 },
	{ "phases of 200 calls", PHASES, 200, 0.4 },
	{ "each 2nd call is another", IN_TURN, 2, 0.2 + 0.5 / 2 },
	{ "each 4th call is another", IN_TURN, 4, 0.2 + 0.5 / 4 },
	{ "each 8th call is another", IN_TURN, 8, 0.2 + 0.5 / 8 },
};
#define NR_PATTERNS (sizeof(patterns) / sizeof(patterns[0]))

/* A program that makes the calls of a pattern. */
struct program {
	const struct pattern *pattern;
	struct normals chance;
	double last;     /* last value of RESEMBLING */
	unsigned int nr; /* calls of a phase that are left, or since the other one */
	bool high;       /* in the other phase */
};

static inline struct program program_start(const struct pattern *pattern, uint64_t seed)
{
	struct program p = { pattern, { .state = 2 * seed + 1 }, 0, 0, false };

	p.last = normal_of(&p.chance);
	p.high = uniform(&p.chance.state) < 0.5;
	if (pattern->kind == IN_TURN)
		p.nr = (unsigned int)(pattern->by * uniform(&p.chance.state));
	return p;
}

static inline double call_of_phase(struct program *p)
{
	if (!p->nr) {
		double length = -p->pattern->by * log(1 - uniform(&p->chance.state));

		p->nr = 1 + (unsigned int)length;
		p->high = !p->high;
	}
	p->nr--;
	return p->high ? 0.7 : 0.1;
}

/* Which part of its slots the next call loses. */
static inline double program_call(struct program *p)
{
	double by = p->pattern->by;

	switch (p->pattern->kind) {
	case PHASES:
		return call_of_phase(p);
	case IN_TURN:
		p->nr = (p->nr + 1) % (unsigned int)by;
		return (p->nr ? 0.2 : 0.7) + 0.02 * normal_of(&p->chance);
	default:
		p->last = by * p->last + sqrt(1 - by * by) * normal_of(&p->chance);
		return 0.3 + 0.05 * p->last;
	}
}

/* Results of many similar programs. */
struct coverage {
	unsigned int nr, held;
	double errors, sum, squares;
};

static inline void coverage_add(struct coverage *c, double shown, double error, double truth)
{
	c->nr++;
	c->held += fabs(shown - truth) <= error;
	c->errors += error;
	c->sum += shown;
	c->squares += shown * shown;
}

/* 95 % of the intervals should; the true width is known from the results. */
static inline void coverage_check(const struct coverage *c, const char *how, const char *what)
{
	double n = c->nr, held = 100 * c->held / n;
	double mean = c->sum / n;
	double half = 1.96 * sqrt(c->squares / n - mean * mean);
	double ratio = c->errors / n / half;

	ok(held >= 92 && held <= 98, "%s, %s: %.1f %% of the intervals hold it", how, what, held);
	ok(ratio > 1 / 1.5 && ratio < 1.5, "%s, %s: they are %.2f times as wide as they need be",
	   how, what, ratio);
}

static inline double batch_value(const struct td_batched *batched, size_t batch, size_t reading)
{
	const struct td_timeline_point *points = batched->timeline.points;
	uint64_t before = batch ? points[batch - 1].v[reading].value : 0;

	return (double)(points[batch].v[reading].value - before);
}

/* The cell of the ratio of two readings. */
static inline struct td_cell ratio_of(const struct td_batched *batched, size_t above, size_t below)
{
	double n = (double)batched->readings.v[above].value;
	double d = (double)batched->readings.v[below].value;
	struct td_cell whole = { .value = n / d, .error = NAN }, rest;
	struct td_row row = { "all", "cpu", d }, rest_row = row;
	struct td_report report = { .nr_columns = 1, .rows = &row, .nr_rows = 1 };
	struct td_report without = report;
	struct td_errors errors;

	row.cells = &whole;
	rest_row.cells = &rest;
	without.rows = &rest_row;
	td_errors_begin(&errors, &report);
	for (size_t i = 0; i < batched->timeline.nr; i++) {
		rest_row.slots = d - batch_value(batched, i, below);
		rest = (struct td_cell){
			.value = (n - batch_value(batched, i, above)) / rest_row.slots,
		};
		td_errors_add(&errors, &report, &without);
	}
	td_errors_end_series(&errors, &report);
	td_errors_end(&errors);
	td_errors_free(&errors);
	return whole;
}

#endif
