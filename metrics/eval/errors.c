// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/eval/finished.h"

#define NORMAL 1.959964 /* the 97.5 % quantile of the normal distribution */

/*
 * Of a field of PERF_METRICS, in squares of its step.  To the nearest it would be a
 * 12th, but fields that add up to 255 cannot all be rounded to the nearest: each is
 * the difference of two rounded sums, or goes up or down by chance.
 */
#define STEP_VARIANCE (1 / 6.)

int td_errors_begin(struct td_errors *errors, struct td_report *report)
{
	*errors = (struct td_errors){
		.report = report,
		.v = calloc(report->nr_rows * report->nr_columns + 1,
			    sizeof(*errors->v)),
	};
	return errors->v ? 0 : -ENOMEM;
}

/*
 * Groups that take turns, or rest, may not run in a batch at all.  Then it says
 * nothing of how much their metrics change.
 */
static bool was_counted(const struct td_cell *whole, const struct td_cell *rest)
{
	return !whole->running_ns || rest->running_ns != whole->running_ns;
}

/* How far the middle one is from what is between the others. */
static double stands_out(double before, double middle, double after)
{
	double low = fmin(before, after), high = fmax(before, after);

	return fmax(fmax(middle - high, low - middle), 0);
}

/* The next batch: what is the value without it tells its own. */
static void add_turns(struct td_uncertainty *u, double difference, double part)
{
	double value = -difference * (1 - part) / part;
	double change = value - u->batches.last;
	double by_chance = u->batches.part * stands_out(u->batches.before,
							u->batches.last, value);

	if (u->series.nr_counted > 1)
		u->batches.chance += by_chance * by_chance;
	if (u->series.nr_counted > 0)
		u->batches.changes += change * change;
	u->batches.before = u->batches.last;
	u->batches.last = value;
	u->batches.part = part;
}

static void add_cell(struct td_uncertainty *u, const struct td_cell *whole,
		     const struct td_cell *rest, bool in_time)
{
	struct td_jackknife *v = &u->series;
	double difference = rest->value - whole->value;
	double ran = (double)whole->running_ns - (double)rest->running_ns;

	if (rest->status != TD_STATUS_OK)
		return;
	if (!in_time)
		td_jackknife_add(v, difference);
	else if (ran > 0)
		add_turns(u, difference, ran / (double)whole->running_ns);
	v->nr_counted += was_counted(whole, rest);
}

void td_errors_add(struct td_errors *errors, const struct td_report *whole,
		   const struct td_report *rest)
{
	for (size_t i = 0; i < whole->nr_rows; i++) {
		const struct td_row *row = &whole->rows[i];
		const struct td_row *other =
			td_report_find(rest, row->id, row->pmu, i);
		struct td_uncertainty *v = errors->v + i * whole->nr_columns;

		/* nothing ran in a batch whose slots are none */
		if (!other || (!errors->ranges && other->slots == row->slots))
			continue;
		for (size_t c = 0; c < whole->nr_columns; c++)
			add_cell(&v[c], &row->cells[c], &other->cells[c],
				 errors->ranges);
	}
}

void td_errors_add_step(struct td_errors *errors,
			const struct td_report *larger)
{
	const struct td_report *report = errors->report;

	for (size_t i = 0; i < report->nr_rows; i++) {
		const struct td_row *row = &report->rows[i];
		const struct td_row *other =
			td_report_find(larger, row->id, row->pmu, i);
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
	return u->steps * STEP_VARIANCE *
	       exp(-4 * M_PI * M_PI * u->of_batch / u->steps);
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

static void set_error(struct td_cell *cell, const struct td_uncertainty *u,
		      double apart)
{
	bool mixed = u->nr_series > 1 && !u->together;
	double between = mixed ? apart * cell->value : 0;

	cell->too_short = u->too_short || !u->nr_series;
	if (!cell->too_short)
		cell->error = sqrt(sampling(u) + NORMAL * NORMAL * rounding(u) +
				   between * between);
}

/* There may be few batches. */
#define LEAST_DEGREES 3

/* --- in time -------------------------------------------------------------- */

/*
 * How long a turn is at most.  It is 4 ms where the kernel's timer has 250 Hz, but
 * some are longer, of virtual machines above all, and these see more of the changes.
 */
#define TURN_NS 8e6

/*
 * Of three values that differ by chance, with a variance of 1, the middle one
 * stands out by so much, squared.
 */
#define STANDS_OUT 0.77860

/*
 * When a program went over to something else is not known between two turns of a
 * group: a 12th of the square of the change, for the time from one to the next.  The
 * change is there in two steps, as the batch in which it came lies in between; their
 * squares may add up to no more than a half of its own.
 */
#define CHANGE_VARIANCE (2 / 12.)

/* How often the groups of a cell had their turn on a CPU. */
static double nr_turns(const struct td_cell *cell, double seen,
		       const struct td_ranges *ranges)
{
	double ns = fmin(seen * (double)ranges->elapsed_ns,
			 (double)cell->running_ns);

	return fmax(ns / TURN_NS, 1);
}

/* The variance of what was not seen; seen is the share of the time that was. */
static double unseen(const struct td_uncertainty *u, const struct td_cell *cell,
		     const struct td_ranges *ranges)
{
	double nr = u->series.nr_counted, t;
	double seen = fmin(cell->running_pct / 100, 1);
	double turns = nr_turns(cell, seen, ranges);
	double chance = u->batches.chance / STANDS_OUT * nr / (nr - 2);
	double changes = u->batches.changes * CHANGE_VARIANCE;

	/* of three neighbours each, a third tells something new */
	t = td_student(fmax(nr / 3, LEAST_DEGREES));
	return t * t * (chance + changes / (turns * turns)) * (1 - seen);
}

/*
 * Reads that differ by more than a step are rounded up and down; where they
 * hardly differ, all are rounded the same way, and so may be those of all CPUs.
 */
static double rounding_in_time(const struct td_uncertainty *u,
			       const struct td_ranges *ranges, size_t row,
			       size_t at)
{
	double nr = fmax(td_ranges_reads(ranges, row), 1);
	double in_batch = fmax(nr / fmax((double)ranges->nr, 1), 1);
	double variance = td_ranges_variance(ranges, at) * in_batch, same;

	if (!(u->steps > 0))
		return 0;
	same = exp(-4 * M_PI * M_PI * variance / u->steps);
	return u->steps * STEP_VARIANCE * (same + (1 - same) / nr);
}

static void set_error_in_time(const struct td_errors *errors, size_t r,
			      size_t c)
{
	size_t at = r * errors->report->nr_columns + c;
	const struct td_uncertainty *u = &errors->v[at];
	struct td_cell *cell = &errors->report->rows[r].cells[c];
	double sampled = 0, rounded;

	/* what somebody else kept from us in one piece is not as its neighbours */
	cell->too_short = u->turns && (u->series.nr_counted < TD_MIN_BATCHES ||
				       errors->report->held);
	if (cell->too_short)
		return;
	if (u->turns)
		sampled = unseen(u, cell, errors->ranges);
	rounded = NORMAL * sqrt(rounding_in_time(u, errors->ranges, r, at));
	cell->error_alike = rounded;
	cell->error = sqrt(sampled + rounded * rounded);
}

void td_errors_end(struct td_errors *errors)
{
	const struct td_report *report = errors->report;

	for (size_t r = 0; r < report->nr_rows; r++) {
		struct td_row *row = &report->rows[r];
		const struct td_uncertainty *u =
			errors->v + r * report->nr_columns;

		/* nothing of a sum, or of a package, is a sample */
		for (size_t c = 0; !row->package && c < report->nr_columns;
		     c++) {
			if (row->cells[c].status != TD_STATUS_OK)
				continue;
			if (errors->ranges)
				set_error_in_time(errors, r, c);
			else
				set_error(&row->cells[c], &u[c], errors->apart);
		}
	}
}

void td_errors_none(struct td_report *report)
{
	for (size_t r = 0; r < report->nr_rows; r++) {
		for (size_t c = 0; c < report->nr_columns; c++) {
			struct td_cell *cell = &report->rows[r].cells[c];

			cell->too_short = cell->status == TD_STATUS_OK &&
					  !report->rows[r].package;
		}
	}
}

void td_errors_free(struct td_errors *errors)
{
	free(errors->v);
	*errors = (struct td_errors){ 0 };
}
