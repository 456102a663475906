/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_VIEW_NEXT_H
#define TD_CMD_VIEW_NEXT_H

#include "cmd/opts/opts.h"
#include "cmd/view/source.h"
#include "metrics/verdict/verdict.h"

/* Command lines to paste; NULL: there is nothing to type. */
struct td_next {
	char *count;   /* counts what is below the verdict's node */
	char *when;    /* shows the phases of the program */
	char *where;   /* finds the places in the program */
	char *explain; /* says what the node means */
	bool above;    /* or what the nearest node above it means */
};

/* Returns -ENOMEM; free with td_next_free() even then. */
int td_next_make(struct td_next *next, const struct td_verdict *verdict,
		 const struct td_source *source, const struct td_opts *opts,
		 struct td_err *err);
void td_next_free(struct td_next *next);

#endif
