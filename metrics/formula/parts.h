/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of a formula: nodes, which are evaluated (expr.c), and tokens. */
#ifndef TD_METRICS_FORMULA_PARTS_H
#define TD_METRICS_FORMULA_PARTS_H

#include <stddef.h>

#include "lib/base/err.h"

/* --- nodes ---------------------------------------------------------------- */

/*
 * A formula is a chain of nodes: the first node gives a value and each later
 * one changes it.  Precedence is already resolved: a * b + c is the chain "a",
 * "* b", "+ c".  The right side of an operator is a chain of its own.  So a sum
 * of a thousand terms needs no more recursion than a sum of two; only
 * parentheses and "else" nest, and the parser limits their depth.
 *
 * Links are indices.  No link leads to node 0, the first one, so a next of 0
 * ends the chain.
 */
enum td_node_kind {
	TD_NODE_NUMBER, /* the value is .number */
	TD_NODE_SLOT,   /* the value is values[.slot] */
	TD_NODE_NEG,
	TD_NODE_BINARY, /* the value, .op, and the chain at .right */
	/*
	 * the value if the chain at .right is true, else the chain at
	 * .otherwise
	 */
	TD_NODE_CHOICE,
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

/* Appends a node.  Returns 0 or -ENOMEM. */
int td_expr_add(struct td_expr *expr, struct td_expr_node node);

/* --- tokens.c ------------------------------------------------------------- */

enum td_token_kind {
	TD_TOKEN_END,
	TD_TOKEN_BAD,
	TD_TOKEN_NUMBER,
	TD_TOKEN_NAME,   /* or a literal */
	TD_TOKEN_MINUS,  /* binary or unary */
	TD_TOKEN_BINARY, /* any other operator */
	TD_TOKEN_CALL,
	TD_TOKEN_ASK, /* a call with a name as its argument, such as has_event() */
	TD_TOKEN_IF,
	TD_TOKEN_ELSE,
	TD_TOKEN_OPEN,
	TD_TOKEN_COMMA,
	TD_TOKEN_CLOSE,
};

/* An operator, a keyword, a function or a bracket; or any other token. */
struct td_word {
	const char *text;
	enum td_token_kind kind;
	enum td_expr_op op;
	int binding; /* the precedence; 0: not a binary operator */
};

/* The tokens of a formula, one at a time. */
struct td_tokens {
	const char *text;  /* the whole formula */
	const char *start; /* of the current token */
	size_t len;
	/* the current token; numbers, names and bad ones have no .text */
	struct td_word word;
	int rc; /* of the first error */
	struct td_err *err;
};

/* Reads the first token.  err gets the words of an error. */
void td_tokens_begin(struct td_tokens *tokens, const char *text,
		     struct td_err *err);
/*
 * Reads the next token: the longest match wins, so 100 is a number and 100ns a
 * name.
 */
void td_tokens_next(struct td_tokens *tokens);

/*
 * Ends reading at the first error: no token is read any more, and what the
 * caller still does until it returns has no effect.
 */
void td_tokens_fail(struct td_tokens *tokens, int rc);
/* The same at a place in the text, "expected an operator". */
void td_tokens_expected(struct td_tokens *tokens, const char *at,
			const char *what);
/* The same at the current token, "unknown name 'x'". */
void td_tokens_unknown(struct td_tokens *tokens, int code, const char *what);
/* The length of the number that text begins with, such as "1.5e-9"; or 0. */
size_t td_number_length(const char *text);

/* Returns the first character after the current token that is no blank. */
char td_tokens_after(const struct td_tokens *tokens);

#endif
