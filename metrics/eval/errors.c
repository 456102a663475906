// SPDX-License-Identifier: GPL-2.0-only
#include "metrics/eval/errors.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NORMAL 1.959964 /* the 97.5 % quantile of the normal distribution */

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
	td_jackknife_add(v, rest->value - whole->value);
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

/* Adds a series to those that have ended. */
static void add_series(struct td_uncertainty *u, const struct td_jackknife *j)
{
	struct td_jackknifed of = td_jackknife_end(j);

	u->of_batch =
		u->nr_series ? fmin(u->of_batch, of.of_batch) : of.of_batch;
	u->variance += of.variance;
	u->per_degree += of.variance * of.variance / of.degrees;
	u->correlated += of.variance * of.correlation;
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
