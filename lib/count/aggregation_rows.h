/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_COUNT_AGGREGATION_ROWS_H
#define TD_LIB_COUNT_AGGREGATION_ROWS_H

#include "lib/count/aggregation.h"

/* Rows of the table in aggregations.c that have a file: by_place.c */
extern const struct td_aggregation_row td_by_core, td_by_cluster, td_by_cache;
extern const struct td_aggregation_row td_by_die, td_by_socket, td_by_node;

#endif
