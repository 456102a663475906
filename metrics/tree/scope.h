/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_TREE_SCOPE_H
#define TD_METRICS_TREE_SCOPE_H

/* What build.c is made of. */
#include "metrics/tree/tree.h"

/* An event that no PMU of the machine has as far as it has been read. */
#define TD_TREE_OTHERS 1

/* What a name in a formula is looked up in. */
struct td_scope {
	struct td_tree *tree;
	struct td_plan *plan;
	const struct td_tree_setup *setup;
	char **keys; /* fixed: one an event of the plan, made when needed */
	int pmu;
	const char *mods;
	int owner;                        /* see td_operand */
	const struct td_metric_def *def;  /* the metric whose formula it is */
	const struct td_metric_def *self; /* whose name means its event here */
	bool no_new; /* a threshold must not cost another event */
	int depth;
	struct td_err *err;
};

/* events.c: the plan's events that an operand is the sum of. */
int td_tree_find_events(struct td_scope *scope, struct td_operand *operand);
/* In the same rings, and for the same guests? */
bool td_tree_same_rings(const struct td_modifiers *a,
			const struct td_modifiers *b);

/* unknown.c: the error of a name that is nobody's, with one that is near. */
int td_tree_unknown_name(const struct td_scope *scope, const char *name);

/* finish.c: drops the events that no metric takes after all; adds SLOTS. */
int td_tree_finish_events(struct td_scope *scope);

/* names.c: for td_expr_parse(); ctx is the scope.  An operand's index. */
int td_tree_lookup(void *ctx, const char *name);

/* operands.c */
struct td_operand td_tree_new_operand(const struct td_scope *scope,
				      enum td_operand_kind kind);
/* The operand of that name; one that is like it if there was none. */
int td_tree_intern(struct td_scope *scope, const struct td_operand *like,
		   const char *name, double value);
/* Its operand is refused; -ENOMEM. */
int td_operand_refuse(struct td_operand *operand, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* compile.c: an index of tree->metrics; TD_TREE_OTHERS: as above. */
int td_tree_compile(struct td_scope *scope, const struct td_metric_def *def,
		    int *index);
int td_tree_compile_thresholds(struct td_scope *scope);

/* nodes.c: columns, and each PMU's nodes in order. */
int td_tree_add_nodes(struct td_tree *tree, const struct td_ask *ask);

#endif
