// SPDX-License-Identifier: GPL-2.0-only
#include "metrics/eval/errors.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NORMAL 1.959964 /* the 97.5 % quantile of the normal distribution */

/* There are formulas for 1 degree (Cauchy's distribution) and for 2. */
static double few_degrees(double degrees)
{
	return degrees < 2 ? tan(0.475 * M_PI) : 0.95 * sqrt(2 / (1 - 0.9025));
}

/*
 * Cornish and Fisher's expansion around the normal quantile (M. Abramowitz, I.
 * Stegun, Handbook of Mathematical Functions, 26.7.5): within 0.5 % from 3
 * degrees on, and too small below.
 */
double td_student(double degrees)
{
	double n = degrees, x = NORMAL;
	double x3 = x * x * x, x5 = x3 * x * x, x7 = x5 * x * x;
	double x9 = x7 * x * x;

	if (n < 3)
		return few_degrees(n);
	return x + (x3 + x) / (4 * n) +
	       (5 * x5 + 16 * x3 + 3 * x) / (96 * n * n) +
	       (3 * x7 + 19 * x5 + 17 * x3 - 15 * x) / (384 * n * n * n) +
	       (79 * x9 + 776 * x7 + 1482 * x5 - 1920 * x3 - 945 * x) /
		       (92160 * n * n * n * n);
}

int td_errors_begin(struct td_errors *errors, struct td_report *report)
{
	*errors = (struct td_errors){
		.report = report,
		.v = calloc(report->nr_rows * report->nr_columns + 1,
			    sizeof(*errors->v)),
	};
	return errors->v ? 0 : -ENOMEM;
}

/* Mostly all reports have the same rows; a thread may have run in one batch. */
static const struct td_row *find_row(const struct td_report *in,
				     const struct td_row *row, size_t hint)
{
	for (size_t i = 0; i < in->nr_rows; i++) {
		const struct td_row *r = &in->rows[(hint + i) % in->nr_rows];

		if (!strcmp(r->id, row->id) && !strcmp(r->pmu, row->pmu))
			return r;
	}
	return NULL;
}

static void add_difference(struct td_jackknife *jackknife, double difference)
{
	if (jackknife->nr)
		jackknife->products += jackknife->last * difference;
	else
		jackknife->first = difference;
	jackknife->last = difference;
	jackknife->sum += difference;
	jackknife->squares += difference * difference;
	jackknife->nr++;
}

/*
 * Groups that take turns, or rest, may not run in a batch at all.  Then it says
 * nothing of how much their metrics change.
 */
static bool was_counted(const struct td_cell *whole, const struct td_cell *rest)
{
	return !whole->running_ns || rest->running_ns != whole->running_ns;
}

static void add_cell(struct td_jackknife *v, const struct td_cell *whole,
		     const struct td_cell *rest)
{
	if (rest->status != TD_STATUS_OK)
		return;
	add_difference(v, rest->value - whole->value);
	v->nr_counted += was_counted(whole, rest);
}

void td_errors_add(struct td_errors *errors, const struct td_report *whole,
		   const struct td_report *rest)
{
	for (size_t i = 0; i < whole->nr_rows; i++) {
		const struct td_row *row = &whole->rows[i];
		const struct td_row *other = find_row(rest, row, i);
		struct td_uncertainty *v = errors->v + i * whole->nr_columns;

		/* nothing ran in a batch whose slots are none */
		if (!other || other->slots == row->slots)
			continue;
		for (size_t c = 0; c < whole->nr_columns; c++)
			add_cell(&v[c].series, &row->cells[c],
				 &other->cells[c]);
	}
}

void td_errors_add_step(struct td_errors *errors,
			const struct td_report *larger)
{
	const struct td_report *report = errors->report;

	for (size_t i = 0; i < report->nr_rows; i++) {
		const struct td_row *row = &report->rows[i];
		const struct td_row *other = find_row(larger, row, i);
		struct td_uncertainty *v = errors->v + i * report->nr_columns;

		for (size_t c = 0; other && c < report->nr_columns; c++) {
			double step =
				other->cells[c].value - row->cells[c].value;

			if (isfinite(step))
				v[c].steps += step * step;
		}
	}
}

/*
 * The correlation of neighbours, with the bias of short series removed
 * (F. H. C. Marriott, J. A. Pope, Bias in the estimation of autocorrelations,
 * Biometrika 41, 1954).
 */
static double correlation(const struct td_jackknife *j, double mean,
			  double squares)
{
	double n = j->nr, r;

	if (!(squares > 0))
		return 0;
	r = j->products - mean * (2 * j->sum - j->first - j->last) +
	    (n - 1) * mean * mean;
	r /= squares;
	r += (1 + 3 * r) / n;
	return fmin(fmax(r, 0), 0.9);
}

/* The estimate of how batches resemble each other may leave too few. */
#define LEAST_DEGREES 3

/* Adds a series to those that have ended. */
static void add_series(struct td_uncertainty *u, const struct td_jackknife *j)
{
	double n = j->nr, mean = j->sum / n;
	double squares = fmax(j->squares - n * mean * mean, 0);
	double r = correlation(j, mean, squares);
	double longer = (1 + r) / (1 - r);
	double variance = (n - 1) / n * squares * longer;
	double degrees = fmax(j->nr_counted / longer - 1, LEAST_DEGREES);
	double of_batch = (n - 1) * squares;

	u->of_batch = u->nr_series ? fmin(u->of_batch, of_batch) : of_batch;
	u->variance += variance;
	u->per_degree += variance * variance / degrees;
	u->correlated += variance * r;
	u->nr_series++;
}

/*
 * A run of --no-multiplex that counted none of a metric's events says nothing
 * of it.
 */
static bool took_part(const struct td_cell *cell, const struct td_cell *whole)
{
	return !cell->running_ns || whole->running_ns;
}

void td_errors_end_series(struct td_errors *errors,
			  const struct td_report *whole)
{
	const struct td_report *report = errors->report;

	for (size_t i = 0; i < report->nr_rows; i++) {
		struct td_uncertainty *v = errors->v + i * report->nr_columns;

		for (size_t c = 0; c < report->nr_columns; c++) {
			const struct td_jackknife series = v[c].series;

			v[c].series = (struct td_jackknife){ 0 };
			if (!took_part(&report->rows[i].cells[c],
				       &whole->rows[i].cells[c]))
				continue;
			if (series.nr_counted < TD_MIN_BATCHES)
				v[c].too_short = true;
			else
				add_series(&v[c], &series);
		}
	}
}

/*
 * The part of the error that comes from rounding to whole steps.  Where the
 * values of batches differ by much more than a step, rounding is a random error
 * and already in the differences (B. Widrow, I. Kollar, Quantization Noise,
 * 2008); where they hardly differ, each is rounded the same way.
 */
static double rounding(const struct td_uncertainty *u)
{
	if (!(u->steps > 0))
		return 0;
	return u->steps / 12 * exp(-4 * M_PI * M_PI * u->of_batch / u->steps);
}

/*
 * The variances of several series add up; the degrees of freedom of the sum are
 * Welch's and Satterthwaite's (F. E. Satterthwaite, An Approximate Distribution
 * of Estimates of Variance Components, Biometrics Bulletin 2, 1946).
 */
static double sampling(const struct td_uncertainty *u)
{
	double t;

	if (!(u->variance > 0))
		return 0;
	t = td_student(u->variance * u->variance / u->per_degree);
	return t * t * u->variance;
}

/* Of values without order, one series of eight in twenty comes up to it. */
#define DRIFTS 0.6

static void set_error(struct td_cell *cell, const struct td_uncertainty *u,
		      double apart)
{
	bool mixed = u->nr_series > 1 && !u->together;
	double between = mixed ? apart * cell->value : 0;

	cell->drifts = u->variance > 0 && u->correlated >= DRIFTS * u->variance;
	cell->error = sqrt(sampling(u) + NORMAL * NORMAL * rounding(u) +
			   between * between);
}

void td_errors_end(struct td_errors *errors)
{
	const struct td_report *report = errors->report;

	for (size_t i = 0; i < report->nr_rows; i++) {
		for (size_t c = 0; c < report->nr_columns; c++) {
			const struct td_uncertainty *u =
				&errors->v[i * report->nr_columns + c];
			struct td_cell *cell = &report->rows[i].cells[c];

			/* nothing of a sum, or of a package, is a sample */
			if (cell->status != TD_STATUS_OK ||
			    report->rows[i].package)
				continue;
			cell->too_short = u->too_short || !u->nr_series;
			if (!cell->too_short)
				set_error(cell, u, errors->apart);
		}
	}
}

void td_errors_free(struct td_errors *errors)
{
	free(errors->v);
	*errors = (struct td_errors){ 0 };
}
