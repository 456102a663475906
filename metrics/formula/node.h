/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_FORMULA_NODE_H
#define TD_METRICS_FORMULA_NODE_H

/*
 * A formula is a chain of nodes: the first gives a value, each next one
 * changes it, whatever the precedence was: a * b + c is a, "* b", "+ c".
 * Only what stands to the right of an operator is a chain of its own.  So
 * a sum of a thousand terms is no deeper than one of two, and depth grows
 * with brackets and else alone, which the parser bounds.
 *
 * Links are indices.  The first node of all is 0, and as no link leads
 * there, a next of 0 ends the chain.
 */
enum td_node_kind {
	TD_NODE_NUMBER, /* the value is number */
	TD_NODE_SLOT,   /* the value is that of slot */
	TD_NODE_NEG,
	TD_NODE_BINARY, /* value op the chain at right */
	TD_NODE_CHOICE, /* value if the chain at right else the other one */
};

enum td_expr_op {
	TD_OP_OR,
	TD_OP_XOR,
	TD_OP_AND,
	TD_OP_LESS,
	TD_OP_GREATER,
	TD_OP_AT_MOST,
	TD_OP_AT_LEAST,
	TD_OP_ADD,
	TD_OP_SUB,
	TD_OP_MUL,
	TD_OP_DIV,
	TD_OP_MOD,
	TD_OP_MIN,
	TD_OP_MAX,
	TD_OP_RATIO,
};

struct td_expr_node {
	enum td_node_kind kind : 8;
	enum td_expr_op op : 8;
	unsigned int next;
	union {
		double number;
		int slot;
		struct {
			unsigned int right;
			unsigned int otherwise;
		};
	};
};

struct td_expr {
	struct td_expr_node *nodes;
	unsigned int nr;
};

/* Appends a node.  -ENOMEM. */
int td_expr_add(struct td_expr *expr, struct td_expr_node node);

#endif
