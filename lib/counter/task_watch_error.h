/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_COUNTER_TASK_WATCH_ERROR_H
#define TD_LIB_COUNTER_TASK_WATCH_ERROR_H

#include "lib/base/err.h"

/* Why tasks cannot be watched; the code that td_task_watch_open() returns. */
int td_task_watch_open_error(struct td_err *err, int rc); /* the events */
int td_task_watch_map_error(struct td_err *err, int rc);  /* their rings */

#endif
