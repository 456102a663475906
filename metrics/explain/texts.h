/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_EXPLAIN_TEXTS_H
#define TD_METRICS_EXPLAIN_TEXTS_H

#include <stddef.h>

/* The cores to which a text applies. */
enum td_explained_cores {
	TD_EXPLAINED_ALL,
	TD_EXPLAINED_CORE, /* P-cores, and the cores before there were two types */
	TD_EXPLAINED_ATOM, /* E-cores */
};

struct td_explanation {
	const char *name;   /* "tma_l3_bound" */
	const char *parent; /* NULL at level 1 */
	int level;
	enum td_explained_cores cores;
	const char *means;
	const char *causes;
	const char *advice;
};

/* All texts; for each core type, parents come before their children. */
extern const struct td_explanation td_explanations[];
extern const size_t td_nr_explanations;

#endif
