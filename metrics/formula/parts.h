/* SPDX-License-Identifier: GPL-2.0-only */
/* The nodes of a formula: parse.c makes them, expr.c evaluates them. */
#ifndef TD_METRICS_FORMULA_PARTS_H
#define TD_METRICS_FORMULA_PARTS_H

/*
 * A formula is a chain of nodes: the first node has a value and each later one changes it.
 * Precedence is already resolved: a * b + c is the chain "a", "* b", "+ c".  The right side of an
 * operator is a separate chain.  So a sum of a thousand terms does not need more recursion than a
 * sum of two; only parentheses and "else" nest, and the parser limits their depth.
 *
 * Links are indices.  Node 0 is the first one, to which no link leads, so a next of 0 ends the
 * chain.
 */
enum td_node_kind {
	TD_NODE_NUMBER, /* the value is .number */
	TD_NODE_SLOT,   /* the value is values[.slot] */
	TD_NODE_NEG,
	TD_NODE_BINARY, /* applies .op to the value and the chain at .right */
	TD_NODE_CHOICE, /* keeps the value if the chain at .right is true, else uses .otherwise */
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

#endif
