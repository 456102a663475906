/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_OUT_PAGE_FLAME_H
#define TD_CMD_OUT_PAGE_FLAME_H

#include "cmd/out/out.h"
#include "cmd/out/where.h"

/*
 * The stacks of an event as a flame graph: a bar for each function, above the one
 * that called it, as wide as its part of the event's samples.  Nothing if it has
 * none.
 */
void td_flame_put_figure(struct td_writer *writer, const struct td_where *where,
			 const struct td_where_event *event);

#endif
