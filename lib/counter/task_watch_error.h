/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_COUNTER_TASK_WATCH_ERROR_H
#define TD_LIB_COUNTER_TASK_WATCH_ERROR_H

#include "lib/base/err.h"

/*
 * Explain why tasks cannot be watched.  Return the code for
 * td_task_watch_open().
 */
/* from opening events */
int td_task_watch_open_error(struct td_err *err, int rc);
/* from mapping their rings */
int td_task_watch_map_error(struct td_err *err, int rc);

#endif
