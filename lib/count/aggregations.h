/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_COUNT_AGGREGATIONS_H
#define TD_LIB_COUNT_AGGREGATIONS_H

#include "lib/count/aggregation.h"

size_t td_nr_aggregations(void);
const struct td_aggregation_row *td_aggregation_row(enum td_aggregation how);
/* Finds it by its name in recordings. */
bool td_aggregation_find(const char *name, enum td_aggregation *how);
/* True if it needs to know where CPUs are. */
bool td_aggregation_wants_places(enum td_aggregation how);
/* True if tasks, or parts of them, have rows of their own. */
bool td_aggregation_tells_tasks(enum td_aggregation how);
/* "-A" or "--per-core", as messages name it. */
const char *td_aggregation_option(enum td_aggregation how);

#endif
