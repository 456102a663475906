/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_VIEW_REGIONS_H
#define TD_CMD_VIEW_REGIONS_H

#include "cmd/view/view.h"

/* Regions know how long they lasted, but not for how long they had a CPU. */
void td_view_forget_busy(struct td_report *report);

/*
 * Adds to the rows of a report what is known of their regions, and puts those with
 * the most slots first.  counted and totals are what the report was computed from.
 */
int td_view_fill_regions(struct td_view *view, const struct td_counted *counted,
			 const struct td_totals *totals,
			 struct td_report *report, struct td_err *err);

#endif
