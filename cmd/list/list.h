/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmd/list: tdstat list.
 *
 * In: the patterns of the command line.
 * Out: the events and metrics that match, as text or JSON, or how the kernel
 * encodes them (--print).
 */
#ifndef TD_CMD_LIST_LIST_H
#define TD_CMD_LIST_LIST_H

#include "cmd/opts/opts.h"

/* tdstat list: what there is to count, or with --print how it is encoded. */
int td_list_run(const struct td_opts *opts, struct td_err *err);

#endif
