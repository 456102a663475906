/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_VIEW_ERRORS_JOINED_H
#define TD_CMD_VIEW_ERRORS_JOINED_H

#include "cmd/view/view.h"

/* Runs that differ by more did not do the same. */
#define TD_SAME_WORK 0.02

/* --no-multiplex: keeps what a run counted until td_view_join(). */
int td_view_add_joined(struct td_view *view, const struct td_totals *totals,
		       const struct td_counted *counted, struct td_err *err);
/*
 * Are runs kept for the errors of what they counted?  A mean of several results
 * has the errors of a mean, and events have none.
 */
bool td_view_keeps_runs(const struct td_view *view);

#endif
