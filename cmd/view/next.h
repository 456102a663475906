/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_VIEW_NEXT_H
#define TD_CMD_VIEW_NEXT_H

#include "cmd/opts/opts.h"
#include "cmd/out/advice.h"
#include "cmd/view/source.h"

/*
 * Sets the command lines of an advice whose verdict is set.  Returns -ENOMEM; free
 * with td_next_free() even then.
 */
int td_next_make(struct td_advice *advice, const struct td_source *source,
		 const struct td_opts *opts, struct td_err *err);
void td_next_free(struct td_advice *advice);

#endif
