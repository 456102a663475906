/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_SAMPLE_WHERE_H
#define TD_CMD_SAMPLE_WHERE_H

#include "cmd/opts/opts.h"
#include "cmd/out/where.h"
#include "lib/machine/machine.h"
#include "lib/plan/plan.h"

/* Sets what of it the options want to see. */
void td_where_want(struct td_where *where, const struct td_opts *opts);
/* Sums up the hits of each event.  Free it even after an error. */
int td_where_make(struct td_where *where, const struct td_plan *plan,
		  const struct td_machine *machine,
		  const struct td_spots *spots, const struct td_hits *hits,
		  struct td_err *err);
/* True if stacks go to standard output, and the table would, too. */
bool td_where_is_displaced(const struct td_opts *opts);
/* Where the result cannot be left out for them, this is wrong usage. */
int td_where_check_room(const struct td_opts *opts, struct td_err *err);
void td_where_free(struct td_where *where);

#endif
