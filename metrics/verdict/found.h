/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_VERDICT_FOUND_H
#define TD_METRICS_VERDICT_FOUND_H

#include "lib/count/report.h"

/* A node of the tree. */
struct td_found {
	const struct td_node *node; /* NULL: none */
	const char *name;
	double value, error; /* in its column's unit */
	double slots_pct;    /* its share of the slots; NaN: unknown */
	bool clear;          /* it is over its threshold for sure */
};

#endif
