// SPDX-License-Identifier: GPL-2.0-only
/* Values that are not possible: their marks, and what is said of them. */
#include "cmd/out/misfits.h"

#include "lib/base/util.h"

/* clang-format off */
static const struct {
	const char *word, *text;
} misfits[] = {
	[TD_MISFIT_RANGE] = { "range", "less than 0 or more than 100 %" },
	[TD_MISFIT_PARENT] = { "parent", "more than the node above" },
	[TD_MISFIT_SUM] = { "sum", "level 1 is not all of the slots" },
	[TD_MISFIT_WIDTH] = { "width", "more slots in a cycle than the core has" },
	[TD_MISFIT_CORRECTION] = { "correction", NULL },
};
/* clang-format on */

const char *td_out_misfit_word(enum td_misfit misfit)
{
	return misfits[misfit].word;
}

const char *td_out_misfit_mark(enum td_misfit misfit)
{
	if (misfit == TD_FITS)
		return "";
	return misfit == TD_MISFIT_CORRECTION ? "  ~" : "  ?";
}

void td_out_misfits_add(struct td_misfits *all, const struct td_cell *cell)
{
	if (cell->misfit == TD_FITS)
		return;
	all->seen |= 1u << cell->misfit;
	if (cell->misfit != TD_MISFIT_CORRECTION && !cell->other_slices)
		all->same_slices = true;
}

void td_out_misfits_put(FILE *fp, const struct td_misfits *all)
{
	const char *before = "  ? cannot be: ";
	bool any = false;

	for (size_t i = 0; i < TD_ARRAY_SIZE(misfits); i++) {
		if (!(all->seen & 1u << i) || !misfits[i].text)
			continue;
		fprintf(fp, "%s%s", before, misfits[i].text);
		before = ", ";
		any = true;
	}
	if (any)
		fputs(all->same_slices ? "\n"
				       : "; counted at other moments than the "
					 "node above\n",
		      fp);
	if (all->seen & 1u << TD_MISFIT_CORRECTION)
		fputs("  ~ no larger than the uops that were dropped, which are "
		      "subtracted\n",
		      fp);
}
