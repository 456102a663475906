/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_VIEW_ERRORS_H
#define TD_CMD_VIEW_ERRORS_H

#include "cmd/view/view.h"

/*
 * Sets the errors of the values of report, which was computed from these
 * counts, by metrics/eval/errors.h.  Returns -ENOMEM.
 */
int td_view_fill_errors(struct td_view *view, const struct td_counted *counted,
			struct td_report *report, struct td_err *err);

#endif
