/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_VIEW_JOINED_H
#define TD_CMD_VIEW_JOINED_H

#include "cmd/view/view.h"

/* --no-multiplex: keeps what a run counted until td_view_join(). */
int td_view_add_joined(struct td_view *view, const struct td_totals *totals,
		       const struct td_counted *counted, struct td_err *err);

#endif
