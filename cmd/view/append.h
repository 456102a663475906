/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_VIEW_APPEND_H
#define TD_CMD_VIEW_APPEND_H

#include "cmd/view/sink.h"

/*
 * With --append, an error if the file of an open sink begins otherwise than these
 * rows would: a reader finds columns by the first header.  columns: of rows of
 * metrics; sheet: of other rows; both NULL: of events as perf stat has them, which
 * have no header.  A file that cannot be read is taken as it is.
 */
int td_append_check(struct td_sink *sink, const struct td_report *columns,
		    const struct td_sheet *sheet, struct td_err *err);

#endif
