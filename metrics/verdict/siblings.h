/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_VERDICT_SIBLINGS_H
#define TD_METRICS_VERDICT_SIBLINGS_H

/* The parts of td_verdict_find(): nodes that are compared with each other. */
#include "lib/count/report.h"

/* A node of the tree. */
struct td_found {
	const struct td_node *node; /* NULL: none */
	const char *name;
	double value, error; /* in its column's unit */
	double slots_pct;    /* its share of the slots; NaN: unknown */
	bool clear;          /* it is over its threshold for sure */
};

/* More than any level of a tree has, which may be shown alone. */
#define TD_MAX_SIBLINGS 256

/* The children of one node. */
struct td_siblings {
	const struct td_report *report;
	const struct td_row *row;
	const struct td_found *parent; /* NULL: the whole is all slots */
	const struct td_node *nodes[TD_MAX_SIBLINGS];
	size_t nr;
	bool by_size; /* nothing in the row has a threshold: any loss is one */
};

/* What can be said of siblings. */
enum td_outcome {
	TD_OUTCOME_EMPTY,   /* it has no nodes in the report */
	TD_OUTCOME_BELOW,   /* no node is over its threshold */
	TD_OUTCOME_NEAR,    /* one is, but by less than its error */
	TD_OUTCOME_SHORT,   /* too few reads, or the second may be anything */
	TD_OUTCOME_UNKNOWN, /* errors or values are missing */
	TD_OUTCOME_UNLIKE,  /* shares of different things */
	TD_OUTCOME_TIED,    /* first and second cannot be told apart */
	TD_OUTCOME_WON,     /* first is the largest for sure */
};

struct td_ranking {
	enum td_outcome outcome;
	/*
	 * First is over its threshold; second is the largest of the others, or
	 * if they are not alike, the largest that is over its own for sure.
	 */
	struct td_found first, second;
};

/* Is the node a share of slots?  There are shares of cycles, too. */
bool td_node_is_in_slots(const struct td_node *node);
/* The children of parent; of NULL, the nodes whose parent is not shown. */
void td_siblings_find(struct td_siblings *siblings,
		      const struct td_report *report, const struct td_row *row,
		      const struct td_found *parent);
/* Takes the node of that short name out of them, and returns it, or NULL. */
const struct td_node *td_siblings_take(struct td_siblings *siblings,
				       const char *name);
void td_siblings_rank(const struct td_siblings *siblings,
		      struct td_ranking *ranking);
struct td_found td_siblings_found(const struct td_siblings *siblings,
				  const struct td_node *node);
const struct td_cell *td_siblings_cell(const struct td_siblings *siblings,
				       const struct td_node *node);

#endif
