/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_OUT_MISFITS_H
#define TD_CMD_OUT_MISFITS_H

#include <stdio.h>

#include "lib/count/report.h"

/* What a tree has shown that cannot be. */
struct td_misfits {
	unsigned int seen; /* bits of enum td_misfit */
	bool same_slices;  /* some were counted when the node above was */
};

/* "range"; NULL if the value fits. */
const char *td_out_misfit_word(enum td_misfit misfit);
/* What stands behind the value's name: "  ?"; "" if it fits. */
const char *td_out_misfit_mark(enum td_misfit misfit);
void td_out_misfits_add(struct td_misfits *all, const struct td_cell *cell);
/* Says in one line or two what the marks mean. */
void td_out_misfits_put(FILE *fp, const struct td_misfits *all);

#endif
