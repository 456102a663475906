/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_COUNTER_FILTERED_H
#define TD_LIB_COUNTER_FILTERED_H

#include <stdbool.h>

#include "lib/base/err.h"

/*
 * Containers and services forbid perf_event_open(2) to whoever is in them, whatever
 * kernel.perf_event_paranoid and capabilities say.
 *
 * Call it with the negative errno of a call that failed.  If such a filter is the
 * reason, sets err, whose message begins with what failed, and returns true.
 */
bool td_filter_error(struct td_err *err, int rc, const char *what);

#endif
