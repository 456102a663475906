// SPDX-License-Identifier: GPL-2.0-only
#include "metrics/formula/expr.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/util.h"
#include "metrics/formula/parts.h"

/* of parentheses, calls and else; the error message has the number */
#define MAX_DEPTH 200

struct parser {
	struct td_tokens in;
	struct td_expr *expr;
	int depth;
	td_expr_lookup lookup;
	void *ctx;
};

static void next(struct parser *p)
{
	td_tokens_next(&p->in);
}

static void fail(struct parser *p, int rc)
{
	td_tokens_fail(&p->in, rc);
}

static void expected(struct parser *p, const char *what)
{
	td_tokens_expected(&p->in, p->in.start, what);
}

static void skip(struct parser *p, enum td_token_kind kind, const char *what)
{
	if (p->in.word.kind != kind)
		expected(p, what);
	next(p);
}

static void node_add(struct parser *p, struct td_expr_node node)
{
	if (!p->in.rc && td_expr_add(p->expr, node))
		fail(p, td_err_nomem(p->in.err));
}

/*
 * Appends a node to the chain that ends at the node before index right. (A
 * parsed part is a run of nodes: its first heads the chain, its last ends it.)
 */
static void node_chain(struct parser *p, unsigned int right,
		       struct td_expr_node node)
{
	if (p->in.rc)
		return; /* there may be no chain before right */
	p->expr->nodes[right - 1].next = p->expr->nr;
	node_add(p, node);
}

static void parse_choice(struct parser *p);
static void parse_expr(struct parser *p, int binding);

static void parse_nested(struct parser *p, void (*parse)(struct parser *p))
{
	if (++p->depth > MAX_DEPTH)
		expected(p, "at most 200 levels of nesting");
	else
		parse(p);
	p->depth--;
}

static void parse_group(struct parser *p)
{
	next(p);
	parse_choice(p);
	skip(p, TD_TOKEN_CLOSE, "an operator or ')'");
}

/* Turns the two arguments of a function into the two sides of an operator. */
static void parse_call(struct parser *p)
{
	struct td_expr_node node = { .kind = TD_NODE_BINARY };

	node.op = p->in.word.op;
	next(p);
	skip(p, TD_TOKEN_OPEN, "'('");
	parse_expr(p, 0);
	skip(p, TD_TOKEN_COMMA, "an operator or ','");
	node.right = p->expr->nr;
	parse_expr(p, 0);
	skip(p, TD_TOKEN_CLOSE, "an operator or ')'");
	node_chain(p, node.right, node);
}

static void parse_number(struct parser *p)
{
	struct td_expr_node node = { .kind = TD_NODE_NUMBER };

	errno = 0;
	node.number = strtod(p->in.start, NULL); /* also parses "NaN" */
	if (errno)
		expected(p, "a number that fits a double");
	node_add(p, node);
	next(p);
}

/* Removes the backslashes and turns each @ into a slash. */
static const char *unescape(char *name)
{
	char *to = name;

	for (const char *from = name; *from; from++) {
		if (*from == '\\')
			from++;
		*to++ = (char)(*from == '@' ? '/' : *from);
	}
	*to = '\0';
	return name;
}

static void parse_name(struct parser *p)
{
	td_autofree char *name = strndup(p->in.start, p->in.len);
	struct td_expr_node node = { .kind = TD_NODE_SLOT };

	if (!name)
		fail(p, td_err_nomem(p->in.err));
	else if (td_tokens_after(&p->in) == '(')
		td_tokens_unknown(&p->in, -EINVAL, "function");
	else
		node.slot = p->lookup(p->ctx, unescape(name));
	if (node.slot < 0)
		td_tokens_unknown(&p->in, node.slot, "name");
	node_add(p, node);
	next(p);
}

/* Returns "has_event(name)", where name is the current token. */
static char *call_of(struct parser *p, const char *function)
{
	td_autofree char *name = strndup(p->in.start, p->in.len);
	char *call;

	if (name && asprintf(&call, "%s(%s)", function, unescape(name)) >= 0)
		return call;
	fail(p, td_err_nomem(p->in.err));
	return NULL;
}

/* Looks up the call as one name. */
static void parse_ask(struct parser *p)
{
	struct td_expr_node node = { .kind = TD_NODE_SLOT };
	const char *function = p->in.word.text;
	td_autofree char *call = NULL;

	next(p);
	skip(p, TD_TOKEN_OPEN, "'('");
	if (p->in.word.kind != TD_TOKEN_NAME)
		expected(p, "a name");
	if (!p->in.rc)
		call = call_of(p, function);
	if (!call)
		return;
	node.slot = p->lookup(p->ctx, call);
	if (node.slot < 0)
		td_tokens_unknown(&p->in, node.slot, "name");
	node_add(p, node);
	next(p);
	skip(p, TD_TOKEN_CLOSE, "')'");
}

static void parse_operand(struct parser *p)
{
	enum td_token_kind kind = p->in.word.kind;

	if (kind == TD_TOKEN_NUMBER)
		parse_number(p);
	else if (kind == TD_TOKEN_NAME)
		parse_name(p);
	else if (kind == TD_TOKEN_OPEN)
		parse_nested(p, parse_group);
	else if (kind == TD_TOKEN_CALL)
		parse_nested(p, parse_call);
	else if (kind == TD_TOKEN_ASK)
		parse_ask(p);
	else
		expected(p, "a number, a name or '('");
}

static void parse_unary(struct parser *p)
{
	bool minus = false;

	for (; p->in.word.kind == TD_TOKEN_MINUS; next(p))
		minus = !minus;
	parse_operand(p);
	if (minus)
		node_chain(p, p->expr->nr,
			   (struct td_expr_node){ .kind = TD_NODE_NEG });
}

static void parse_binary(struct parser *p)
{
	struct td_expr_node node = {
		.kind = TD_NODE_BINARY,
		.op = p->in.word.op,
		.right = p->expr->nr,
	};
	int binding = p->in.word.binding;

	next(p);
	parse_expr(p, binding);
	node_chain(p, node.right, node);
}

/* Parses operands and all operators that bind tighter than binding. */
static void parse_expr(struct parser *p, int binding)
{
	parse_unary(p);
	while (p->in.word.binding > binding)
		parse_binary(p);
}

/* expr [if expr else choice] */
static void parse_choice(struct parser *p)
{
	struct td_expr_node node = { .kind = TD_NODE_CHOICE };

	parse_expr(p, 0);
	if (p->in.word.kind != TD_TOKEN_IF)
		return;
	node.right = p->expr->nr;
	next(p);
	parse_expr(p, 0);
	skip(p, TD_TOKEN_ELSE, "an operator or 'else'");
	node.otherwise = p->expr->nr;
	parse_nested(p, parse_choice);
	node_chain(p, node.right, node);
}

int td_expr_parse(struct td_expr **out, const char *text, td_expr_lookup lookup,
		  void *ctx, struct td_err *err)
{
	struct parser p = {
		.lookup = lookup,
		.ctx = ctx,
	};

	*out = NULL;
	p.expr = calloc(1, sizeof(*p.expr));
	if (!p.expr)
		return td_err_nomem(err);
	td_tokens_begin(&p.in, text, err);
	parse_choice(&p);
	skip(&p, TD_TOKEN_END, "an operator or the end");
	if (p.in.rc)
		td_expr_free(p.expr);
	else
		*out = p.expr;
	return p.in.rc;
}
