// SPDX-License-Identifier: GPL-2.0-only
#include "metrics/formula/expr.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/util.h"
#include "metrics/formula/node.h"

#define BLANKS  " \t\r\n"
#define DIGITS  "0123456789"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

/* of parentheses, calls and else; the error message has the number */
#define MAX_DEPTH 200
#define SHOWN     80 /* the most characters of a formula in an error message */

enum token_kind {
	TOK_END,
	TOK_BAD,
	TOK_NUMBER,
	TOK_NAME,   /* or a literal */
	TOK_MINUS,  /* binary or unary */
	TOK_BINARY, /* any other operator */
	TOK_CALL,
	TOK_ASK, /* a call with a name as its argument, such as has_event() */
	TOK_IF,
	TOK_ELSE,
	TOK_OPEN,
	TOK_COMMA,
	TOK_CLOSE,
};

struct word {
	const char *text;
	enum token_kind kind;
	enum td_expr_op op;
	int binding; /* the precedence; 0: not a binary operator */
};

/* clang-format off */
static const struct word words[] = {
	{ .text = "|", .kind = TOK_BINARY, .op = TD_OP_OR, .binding = 1 },
	{ .text = "^", .kind = TOK_BINARY, .op = TD_OP_XOR, .binding = 2 },
	{ .text = "&", .kind = TOK_BINARY, .op = TD_OP_AND, .binding = 3 },
	{ .text = "<", .kind = TOK_BINARY, .op = TD_OP_LESS, .binding = 4 },
	{ .text = ">", .kind = TOK_BINARY, .op = TD_OP_GREATER, .binding = 4 },
	{ .text = "<=", .kind = TOK_BINARY, .op = TD_OP_AT_MOST, .binding = 4 },
	{ .text = ">=", .kind = TOK_BINARY, .op = TD_OP_AT_LEAST, .binding = 4 },
	{ .text = "+", .kind = TOK_BINARY, .op = TD_OP_ADD, .binding = 5 },
	{ .text = "-", .kind = TOK_MINUS, .op = TD_OP_SUB, .binding = 5 },
	{ .text = "*", .kind = TOK_BINARY, .op = TD_OP_MUL, .binding = 6 },
	{ .text = "/", .kind = TOK_BINARY, .op = TD_OP_DIV, .binding = 6 },
	{ .text = "%", .kind = TOK_BINARY, .op = TD_OP_MOD, .binding = 6 },
	{ .text = "min", .kind = TOK_CALL, .op = TD_OP_MIN },
	{ .text = "max", .kind = TOK_CALL, .op = TD_OP_MAX },
	{ .text = "d_ratio", .kind = TOK_CALL, .op = TD_OP_RATIO },
	{ .text = "has_event", .kind = TOK_ASK },
	{ .text = "source_count", .kind = TOK_ASK },
	{ .text = "aggr_nr", .kind = TOK_ASK },
	{ .text = "strcmp_cpuid_str", .kind = TOK_ASK },
	{ .text = "if", .kind = TOK_IF },
	{ .text = "else", .kind = TOK_ELSE },
	{ .text = "NaN", .kind = TOK_NUMBER },
	{ .text = "(", .kind = TOK_OPEN },
	{ .text = ",", .kind = TOK_COMMA },
	{ .text = ")", .kind = TOK_CLOSE },
};
/* clang-format on */

struct parser {
	const char *text;
	const char *start; /* of the current token */
	size_t len;
	/* the current token; .text is set only for those in words[] */
	struct word word;
	struct td_expr *expr;
	int depth;
	int rc;
	td_expr_lookup lookup;
	void *ctx;
	struct td_err *err;
};

/* Writes at most SHOWN characters of text, including the one at offset at. */
static void excerpt(char *out, const char *text, size_t at)
{
	size_t len = strlen(text), last = len > SHOWN ? len - SHOWN : 0;
	size_t from = at > SHOWN / 2 ? at - SHOWN / 2 : 0;
	const char *head, *tail;

	from = from < last ? from : last;
	head = from > 0 ? "..." : "";
	tail = from < last ? "..." : "";
	snprintf(out, SHOWN + 1, "%s%.*s%s", head,
		 (int)(SHOWN - strlen(head) - strlen(tail)),
		 text + from + strlen(head), tail);
	for (char *c = out; *c; c++) {
		if (*c < ' ' || *c > '~')
			*c = ' ';
	}
}

/*
 * Ends parsing at the first error: no token is read any more, and what the
 * callers still do until td_expr_parse() returns has no effect.
 */
static void fail(struct parser *p, int rc)
{
	p->rc = rc;
	p->word = (struct word){ .kind = TOK_BAD };
}

/* Prefixes the message with the formula and the column. */
static void fail_at(struct parser *p, const char *at)
{
	size_t offset = (size_t)(at - p->text);
	char shown[SHOWN + 1];

	excerpt(shown, p->text, offset);
	fail(p, td_err_wrap(p->err, "formula '%s', column %zu", shown,
			    offset + 1));
}

static void expected(struct parser *p, const char *at, const char *what)
{
	if (p->rc)
		return;
	td_err_set(p->err, -EINVAL, "expected %s", what);
	fail_at(p, at);
}

/* ([0-9]+\.?[0-9]*|[0-9]*\.?[0-9]+)(e-?[0-9]+)? */
static size_t number_len(const char *s)
{
	size_t whole = strspn(s, DIGITS), len = whole, exponent, sign;

	if (s[len] == '.')
		len += 1 + strspn(s + len + 1, DIGITS);
	if (len == 0 || (whole == 0 && len == 1))
		return 0;
	if (s[len] != 'e')
		return len;
	sign = s[len + 1] == '-' ? 1 : 0;
	exponent = strspn(s + len + 1 + sign, DIGITS);
	return exponent ? len + 1 + sign + exponent : len;
}

/*
 * Length of a name.  Any visible character may stand between two @; *open: the
 * second @ is missing.
 */
static size_t name_len(const char *s, bool *open)
{
	const char *c = s;

	*open = false;
	if (*s == '#')
		return 1 + strspn(s + 1, LETTERS DIGITS "_.-");
	for (;; c++) {
		if (*c == '@')
			*open = !*open;
		else if (*c == '\\' && c[1] && strchr("-,=\\", c[1]))
			c++;
		else if (*c == '\\' || *c <= ' ' || *c > '~' ||
			 (!*open && !strchr(LETTERS DIGITS "_.:?", *c)))
			break;
	}
	return (size_t)(c - s);
}

static void token(struct parser *p, enum token_kind kind, size_t len)
{
	p->word = (struct word){ .kind = kind };
	p->len = len;
	for (size_t i = 0; i < TD_ARRAY_SIZE(words); i++) {
		if (strlen(words[i].text) == len &&
		    memcmp(words[i].text, p->start, len) == 0)
			p->word = words[i];
	}
}

/*
 * Reads the next token: the longest match wins, so 100 is a number and 100ns a
 * name.
 */
static void next(struct parser *p)
{
	const char *s = p->start + p->len;
	size_t number, name;
	bool open;

	if (p->rc)
		return;
	s += strspn(s, BLANKS);
	number = number_len(s);
	name = name_len(s, &open);
	p->start = s;
	if (open && name > number)
		expected(p, s + name, "the closing '@'");
	else if (number && number >= name)
		token(p, TOK_NUMBER, number);
	else if (name)
		token(p, TOK_NAME, name);
	else if ((*s == '<' || *s == '>') && s[1] == '=')
		token(p, TOK_BAD, 2);
	else
		token(p, *s ? TOK_BAD : TOK_END, *s ? 1 : 0);
}

static void skip(struct parser *p, enum token_kind kind, const char *what)
{
	if (p->word.kind != kind)
		expected(p, p->start, what);
	next(p);
}

static void node_add(struct parser *p, struct td_expr_node node)
{
	if (!p->rc && td_expr_add(p->expr, node))
		fail(p, td_err_nomem(p->err));
}

/*
 * Appends a node to the chain that ends at the node before index right. (A
 * parsed part is a run of nodes: its first heads the chain, its last ends it.)
 */
static void node_chain(struct parser *p, unsigned int right,
		       struct td_expr_node node)
{
	if (p->rc)
		return; /* there may be no chain before right */
	p->expr->nodes[right - 1].next = p->expr->nr;
	node_add(p, node);
}

static void parse_choice(struct parser *p);
static void parse_expr(struct parser *p, int binding);

static void parse_nested(struct parser *p, void (*parse)(struct parser *p))
{
	if (++p->depth > MAX_DEPTH)
		expected(p, p->start, "at most 200 levels of nesting");
	else
		parse(p);
	p->depth--;
}

static void parse_group(struct parser *p)
{
	next(p);
	parse_choice(p);
	skip(p, TOK_CLOSE, "an operator or ')'");
}

/* Turns the two arguments of a function into the two sides of an operator. */
static void parse_call(struct parser *p)
{
	struct td_expr_node node = { .kind = TD_NODE_BINARY };

	node.op = p->word.op;
	next(p);
	skip(p, TOK_OPEN, "'('");
	parse_expr(p, 0);
	skip(p, TOK_COMMA, "an operator or ','");
	node.right = p->expr->nr;
	parse_expr(p, 0);
	skip(p, TOK_CLOSE, "an operator or ')'");
	node_chain(p, node.right, node);
}

static void parse_number(struct parser *p)
{
	struct td_expr_node node = { .kind = TD_NODE_NUMBER };

	errno = 0;
	node.number = strtod(p->start, NULL); /* also parses "NaN" */
	if (errno)
		expected(p, p->start, "a number that fits a double");
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

static void unknown(struct parser *p, int code, const char *what)
{
	int len = p->len < SHOWN ? (int)p->len : SHOWN;

	td_err_set(p->err, code, "unknown %s '%.*s'", what, len, p->start);
	fail_at(p, p->start);
}

static void parse_name(struct parser *p)
{
	td_autofree char *name = strndup(p->start, p->len);
	const char *after = p->start + p->len;
	struct td_expr_node node = { .kind = TD_NODE_SLOT };

	if (!name)
		fail(p, td_err_nomem(p->err));
	else if (after[strspn(after, BLANKS)] == '(')
		unknown(p, -EINVAL, "function");
	else
		node.slot = p->lookup(p->ctx, unescape(name));
	if (node.slot < 0)
		unknown(p, node.slot, "name");
	node_add(p, node);
	next(p);
}

/* Looks up the call as one name: "has_event(name)". */
static void parse_ask(struct parser *p)
{
	struct td_expr_node node = { .kind = TD_NODE_SLOT };
	td_autofree char *name = NULL, *call = NULL;
	const char *function = p->word.text;

	next(p);
	skip(p, TOK_OPEN, "'('");
	if (p->word.kind != TOK_NAME)
		expected(p, p->start, "a name");
	if (p->rc)
		return;
	name = strndup(p->start, p->len);
	if (!name || asprintf(&call, "%s(%s)", function, unescape(name)) < 0) {
		call = NULL;
		fail(p, td_err_nomem(p->err));
		return;
	}
	node.slot = p->lookup(p->ctx, call);
	if (node.slot < 0)
		unknown(p, node.slot, "name");
	node_add(p, node);
	next(p);
	skip(p, TOK_CLOSE, "')'");
}

static void parse_operand(struct parser *p)
{
	enum token_kind kind = p->word.kind;

	if (kind == TOK_NUMBER)
		parse_number(p);
	else if (kind == TOK_NAME)
		parse_name(p);
	else if (kind == TOK_OPEN)
		parse_nested(p, parse_group);
	else if (kind == TOK_CALL)
		parse_nested(p, parse_call);
	else if (kind == TOK_ASK)
		parse_ask(p);
	else
		expected(p, p->start, "a number, a name or '('");
}

static void parse_unary(struct parser *p)
{
	bool minus = false;

	for (; p->word.kind == TOK_MINUS; next(p))
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
		.op = p->word.op,
		.right = p->expr->nr,
	};
	int binding = p->word.binding;

	next(p);
	parse_expr(p, binding);
	node_chain(p, node.right, node);
}

/* Parses operands and all operators that bind tighter than binding. */
static void parse_expr(struct parser *p, int binding)
{
	parse_unary(p);
	while (p->word.binding > binding)
		parse_binary(p);
}

/* expr [if expr else choice] */
static void parse_choice(struct parser *p)
{
	struct td_expr_node node = { .kind = TD_NODE_CHOICE };

	parse_expr(p, 0);
	if (p->word.kind != TOK_IF)
		return;
	node.right = p->expr->nr;
	next(p);
	parse_expr(p, 0);
	skip(p, TOK_ELSE, "an operator or 'else'");
	node.otherwise = p->expr->nr;
	parse_nested(p, parse_choice);
	node_chain(p, node.right, node);
}

int td_expr_parse(struct td_expr **out, const char *text, td_expr_lookup lookup,
		  void *ctx, struct td_err *err)
{
	struct parser p = {
		.text = text,
		.start = text,
		.lookup = lookup,
		.ctx = ctx,
		.err = err,
	};

	*out = NULL;
	p.expr = calloc(1, sizeof(*p.expr));
	if (!p.expr)
		return td_err_nomem(err);
	next(&p);
	parse_choice(&p);
	skip(&p, TOK_END, "an operator or the end");
	if (p.rc)
		td_expr_free(p.expr);
	else
		*out = p.expr;
	return p.rc;
}
