/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_DIFF_CHANCE_H
#define TD_METRICS_DIFF_CHANCE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * What 95 % leave: the share of the diffs in which chance alone may mark a row, of
 * all its rows together, and that of the intervals which miss the difference.
 */
#define TD_CHANCE_MOST 0.05

/*
 * How likely chance alone gives a Student's t that far from 0, on either side:
 * M. Abramowitz, I. Stegun, Handbook of Mathematical Functions, 26.7.1, by the
 * continued fraction of the incomplete beta function, 26.5.8.
 */
double td_chance_of_student(double t, double degrees);
/*
 * How likely chance alone gives all a values of one side one value, and all b
 * of the other side another one: a share of the ways to deal the same values
 * out to sides of this size, which are equally likely if nothing changed (E. J.
 * G. Pitman, Significance Tests Which May be Applied to Samples from any
 * Populations, Supplement to the Journal of the Royal Statistical Society 4,
 * 1937).
 */
double td_chance_of_parting(unsigned int a, unsigned int b);
/*
 * Which of nr chances are too small for chance: S. Holm, A Simple Sequentially
 * Rejective Multiple Test Procedure, Scandinavian Journal of Statistics 6, 1979.
 * However many there are, and however they depend on each other, all of them are
 * right in all but TD_CHANCE_MOST of the diffs in which nothing changed.  NaN is no
 * test, and never marked.  Returns 0 or -ENOMEM.
 */
int td_chance_holm(const double *chances, size_t nr, bool *marked);

#endif
