// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sample/stays.h"

#include <math.h>
#include <stdbool.h>

/*
 * Adds the pairs of a window's begin with the end of the one that so many are behind.
 * How many would be in it at both if the two had nothing to do with each other is as
 * in a table of both (J. Cohen, A Coefficient of Agreement for Nominal Scales, 1960).
 * Returns the chance, and sets *share to the function's share of the samples.
 */
static double add_pairs(struct td_stays_pairs *pairs,
			const struct td_stretch *stretch, unsigned int behind,
			int function, double *share)
{
	double from = 0, to = 0, both = 0, nr = stretch->nr - behind;
	double chance;

	for (unsigned int i = 0; i + behind < stretch->nr; i++) {
		bool begins = stretch->from[i] == function;
		bool ends = stretch->to[i + behind] == function;

		from += begins;
		to += ends;
		both += begins && ends;
	}
	chance = from * to / nr;
	*share = (from + to) / 2 / nr;
	pairs->ends += (from + to) / 2;
	pairs->both += both;
	pairs->chance += chance;
	return chance;
}

void td_stays_add(struct td_stays *stays, const struct td_stretch *stretch,
		  int function)
{
	double share, chance;

	if (!stretch->nr)
		return;
	chance = add_pairs(&stays->windows, stretch, 0, function, &share);
	stays->foreign += chance * (1 - share);
	if (stretch->nr > 1)
		add_pairs(&stays->twice, stretch, 1, function, &share);
}

/* By how much more often it is at both than by chance: 1 if it always is. */
static double agreement(const struct td_stays_pairs *pairs)
{
	double least = pairs->ends - pairs->chance;

	return least > 0 ? (pairs->both - pairs->chance) / least : 1;
}

/*
 * There may be two kinds of samples: those after which the program stays for times of
 * all lengths, so that after two windows the agreement is the square of that after one,
 * and those after which it is in the function by chance, which is the same after both.
 * A part of the former that ends in the first window, as e^-x does, is whole to
 * (1 + x) e^-x at least.
 */
static double stayed(const struct td_stays *stays)
{
	double once = fmin(agreement(&stays->windows), 1);
	double twice = agreement(&stays->twice), part = 1;

	if (!(once > 0))
		return 0;
	if (twice > 0)
		part = fmin(fmax(once * once / twice, once), 1);
	return once * (1 - log(once / part));
}

double td_stays_whole(const struct td_stays *stays)
{
	double by_chance;

	if (!(stays->windows.both > 0))
		return 0;
	by_chance = (1 - stayed(stays)) * stays->foreign / stays->windows.both;
	return fmin(fmax(1 - by_chance, 0), 1);
}
