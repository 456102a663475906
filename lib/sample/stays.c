// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sample/stays.h"

#include <math.h>

/*
 * How many windows would begin and end there if the two had nothing to do with each
 * other, as in a table of both (J. Cohen, A Coefficient of Agreement for Nominal
 * Scales, 1960).
 */
void td_stays_add(struct td_stays *stays, const struct td_stretch *stretch,
		  int function)
{
	double from = 0, to = 0, both = 0, nr = stretch->nr;
	double ends, chance;

	for (unsigned int i = 0; i < stretch->nr; i++) {
		from += stretch->from[i] == function;
		to += stretch->to[i] == function;
		both += stretch->from[i] == function &&
			stretch->to[i] == function;
	}
	ends = (from + to) / 2;
	chance = from * to / nr;
	stays->ends += ends;
	stays->both += both;
	stays->chance += chance;
	stays->foreign += chance * (1 - ends / nr);
}

/*
 * The samples are taken for two kinds: those after which the program stayed, and those
 * after which it was in the function again as often as by chance.  Where it stays for
 * times of all lengths, more of the windows are whole than this says.
 */
double td_stays_whole(const struct td_stays *stays)
{
	double least = stays->ends - stays->chance, stayed = 1;

	if (!(stays->both > 0))
		return 0;
	if (least > 0)
		stayed = (stays->both - stays->chance) / least;
	stayed = fmin(fmax(stayed, 0), 1);
	return fmax(1 - (1 - stayed) * stays->foreign / stays->both, 0);
}
