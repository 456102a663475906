/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_EXPLAIN_TEXTS_H
#define TD_METRICS_EXPLAIN_TEXTS_H

#include <stddef.h>

/* On which cores the text is right. */
enum td_explained_cores {
	TD_EXPLAINED_ALL,
	TD_EXPLAINED_CORE, /* P-cores, and the cores before there were two kinds */
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

/* Each in the order of the tree; deep: from level 4 on (texts_deep.c). */
extern const struct td_explanation td_explained_core[], td_explained_deep[],
	td_explained_atom[];
extern const size_t td_nr_explained_core, td_nr_explained_deep,
	td_nr_explained_atom;

#endif
