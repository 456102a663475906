// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/util.h"
#include "metrics/formula/expr.h"
#include "metrics/formula/parts.h"

/* --- tokens ------------------------------------------------------------ */

#define BLANKS  " \t\r\n"
#define DIGITS  "0123456789"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

#define SHOWN 80 /* maximum number of characters of a formula in an error message */

enum token_kind {
	TOKEN_END,
	TOKEN_BAD,
	TOKEN_NUMBER,
	TOKEN_NAME,   /* a name or a literal */
	TOKEN_MINUS,  /* binary or unary */
	TOKEN_BINARY, /* any other operator */
	TOKEN_CALL,
	TOKEN_ASK, /* a call with a name as its argument, such as has_event() */
	TOKEN_IF,
	TOKEN_ELSE,
	TOKEN_OPEN,
	TOKEN_COMMA,
	TOKEN_CLOSE,
};

/* A token; text is set for operators, keywords, functions and brackets. */
struct word {
	const char *text;
	enum token_kind kind;
	enum td_expr_op op;
	int binding; /* the precedence; 0: not a binary operator */
};

/* The tokens of a formula, one at a time. */
struct tokens {
	const char *text;  /* the whole formula */
	const char *start; /* start of the current token */
	size_t len;
	/* the current token; numbers, names and invalid tokens have no .text */
	struct word word;
	int rc; /* code of the first error; 0: none */
	struct td_err *err;
};

/* clang-format off */
static const struct word words[] = {
	{ .text = "|", .kind = TOKEN_BINARY, .op = TD_OP_OR, .binding = 1 },
	{ .text = "^", .kind = TOKEN_BINARY, .op = TD_OP_XOR, .binding = 2 },
	{ .text = "&", .kind = TOKEN_BINARY, .op = TD_OP_AND, .binding = 3 },
	{ .text = "<", .kind = TOKEN_BINARY, .op = TD_OP_LESS, .binding = 4 },
	{ .text = ">", .kind = TOKEN_BINARY, .op = TD_OP_GREATER, .binding = 4 },
	{ .text = "<=", .kind = TOKEN_BINARY, .op = TD_OP_AT_MOST, .binding = 4 },
	{ .text = ">=", .kind = TOKEN_BINARY, .op = TD_OP_AT_LEAST, .binding = 4 },
	{ .text = "+", .kind = TOKEN_BINARY, .op = TD_OP_ADD, .binding = 5 },
	{ .text = "-", .kind = TOKEN_MINUS, .op = TD_OP_SUB, .binding = 5 },
	{ .text = "*", .kind = TOKEN_BINARY, .op = TD_OP_MUL, .binding = 6 },
	{ .text = "/", .kind = TOKEN_BINARY, .op = TD_OP_DIV, .binding = 6 },
	{ .text = "%", .kind = TOKEN_BINARY, .op = TD_OP_MOD, .binding = 6 },
	{ .text = "min", .kind = TOKEN_CALL, .op = TD_OP_MIN },
	{ .text = "max", .kind = TOKEN_CALL, .op = TD_OP_MAX },
	{ .text = "d_ratio", .kind = TOKEN_CALL, .op = TD_OP_RATIO },
	{ .text = "has_event", .kind = TOKEN_ASK },
	{ .text = "source_count", .kind = TOKEN_ASK },
	{ .text = "aggr_nr", .kind = TOKEN_ASK },
	{ .text = "strcmp_cpuid_str", .kind = TOKEN_ASK },
	{ .text = "if", .kind = TOKEN_IF },
	{ .text = "else", .kind = TOKEN_ELSE },
	{ .text = "NaN", .kind = TOKEN_NUMBER },
	{ .text = "(", .kind = TOKEN_OPEN },
	{ .text = ",", .kind = TOKEN_COMMA },
	{ .text = ")", .kind = TOKEN_CLOSE },
};
/* clang-format on */

/* Write at most SHOWN characters of text, including the one at offset at. */
static void excerpt(char *out, const char *text, size_t at)
{
	size_t len = strlen(text), last = len > SHOWN ? len - SHOWN : 0;
	size_t from = at > SHOWN / 2 ? at - SHOWN / 2 : 0;
	const char *head, *tail;

	from = from < last ? from : last;
	head = from > 0 ? "..." : "";
	tail = from < last ? "..." : "";
	snprintf(out, SHOWN + 1, "%s%.*s%s", head, (int)(SHOWN - strlen(head) - strlen(tail)),
		 text + from + strlen(head), tail);
	for (char *c = out; *c; c++) {
		if (*c < ' ' || *c > '~')
			*c = ' ';
	}
}

/*
 * Prefix the error message with the formula and the column, and set rc, so that all functions do
 * nothing until the parser returns.
 */
static void fail_at(struct tokens *tokens, const char *at)
{
	size_t offset = (size_t)(at - tokens->text);
	char shown[SHOWN + 1];

	excerpt(shown, tokens->text, offset);
	tokens->rc = td_err_wrap(tokens->err, "formula '%s', column %zu", shown, offset + 1);
	tokens->word = (struct word){ .kind = TOKEN_BAD };
}

/* Fail at a place in the text with "expected " and what, such as "an operator". */
static void fail_expected(struct tokens *tokens, const char *at, const char *what)
{
	if (tokens->rc)
		return;
	td_err_set(tokens->err, -EINVAL, "expected %s", what);
	fail_at(tokens, at);
}

/* Fail with "unknown name 'x'" at the current token. */
static void fail_unknown(struct tokens *tokens, int code, const char *what)
{
	int len = tokens->len < SHOWN ? (int)tokens->len : SHOWN;

	td_err_set(tokens->err, code, "unknown %s '%.*s'", what, len, tokens->start);
	fail_at(tokens, tokens->start);
}

/*
 * Return the length of the number at the start of the text, such as "1.5e-9"; or 0.
 * ([0-9]+\.?[0-9]*|[0-9]*\.?[0-9]+)(e-?[0-9]+)?
 */
static size_t number_length(const char *s)
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

/* Return the length of a name; two @ may enclose any visible character.  *open: one is missing. */
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

static void token(struct tokens *tokens, enum token_kind kind, size_t len)
{
	tokens->word = (struct word){ .kind = kind };
	tokens->len = len;
	for (size_t i = 0; i < TD_ARRAY_SIZE(words); i++) {
		if (strlen(words[i].text) == len && memcmp(words[i].text, tokens->start, len) == 0)
			tokens->word = words[i];
	}
}

/* Read the next token.  The longest match wins: 100 is a number, 100ns a name. */
static void tokens_next(struct tokens *tokens)
{
	const char *s = tokens->start + tokens->len;
	size_t number, name;
	bool open;

	if (tokens->rc)
		return;
	s += strspn(s, BLANKS);
	number = number_length(s);
	name = name_len(s, &open);
	tokens->start = s;
	if (open && name > number)
		fail_expected(tokens, s + name, "the closing '@'");
	else if (number && number >= name)
		token(tokens, TOKEN_NUMBER, number);
	else if (name)
		token(tokens, TOKEN_NAME, name);
	else if ((*s == '<' || *s == '>') && s[1] == '=')
		token(tokens, TOKEN_BAD, 2);
	else
		token(tokens, *s ? TOKEN_BAD : TOKEN_END, *s ? 1 : 0);
}

/* --- parse ------------------------------------------------------------- */

#define MAX_DEPTH 200 /* maximum depth of parentheses, calls and else; also in the error message */

struct parser {
	struct tokens in;
	struct td_expr *expr;
	int depth;
	td_expr_lookup lookup;
	void *ctx;
};

static void next(struct parser *p)
{
	tokens_next(&p->in);
}

static void expected(struct parser *p, const char *what)
{
	fail_expected(&p->in, p->in.start, what);
}

static void skip(struct parser *p, enum token_kind kind, const char *what)
{
	if (p->in.word.kind != kind)
		expected(p, what);
	next(p);
}

static void node_add(struct parser *p, struct td_expr_node node)
{
	if (p->in.rc)
		return;
	*(struct td_expr_node *)td_array_add(&p->expr->nodes, p->expr->nr, sizeof(node)) = node;
	p->expr->nr++;
}

/* Append a node to the chain that ends with the node before index right. */
static void node_chain(struct parser *p, unsigned int right, struct td_expr_node node)
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
	skip(p, TOKEN_CLOSE, "an operator or ')'");
}

/* Parse a function of two arguments as an operator. */
static void parse_call(struct parser *p)
{
	struct td_expr_node node = { .kind = TD_NODE_BINARY };

	node.op = p->in.word.op;
	next(p);
	skip(p, TOKEN_OPEN, "'('");
	parse_expr(p, 0);
	skip(p, TOKEN_COMMA, "an operator or ','");
	node.right = p->expr->nr;
	parse_expr(p, 0);
	skip(p, TOKEN_CLOSE, "an operator or ')'");
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

/* Remove the backslashes and replace each @ by a slash. */
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
	td_autofree char *name = td_strndup(p->in.start, p->in.len);
	struct td_expr_node node = { .kind = TD_NODE_SLOT };
	const char *after = p->in.start + p->in.len;

	if (after[strspn(after, BLANKS)] == '(')
		fail_unknown(&p->in, -EINVAL, "function");
	else
		node.slot = p->lookup(p->ctx, unescape(name));
	if (node.slot < 0)
		fail_unknown(&p->in, node.slot, "name");
	node_add(p, node);
	next(p);
}

/* Parse a call such as "has_event(name)", which is looked up as one name. */
static void parse_ask(struct parser *p)
{
	struct td_expr_node node = { .kind = TD_NODE_SLOT };
	const char *function = p->in.word.text;
	td_autofree char *name = NULL, *call = NULL;

	next(p);
	skip(p, TOKEN_OPEN, "'('");
	if (p->in.word.kind != TOKEN_NAME)
		expected(p, "a name");
	if (p->in.rc)
		return;
	name = td_strndup(p->in.start, p->in.len);
	call = td_aprintf("%s(%s)", function, unescape(name));
	node.slot = p->lookup(p->ctx, call);
	if (node.slot < 0)
		fail_unknown(&p->in, node.slot, "name");
	node_add(p, node);
	next(p);
	skip(p, TOKEN_CLOSE, "')'");
}

static void parse_operand(struct parser *p)
{
	enum token_kind kind = p->in.word.kind;

	if (kind == TOKEN_NUMBER)
		parse_number(p);
	else if (kind == TOKEN_NAME)
		parse_name(p);
	else if (kind == TOKEN_OPEN)
		parse_nested(p, parse_group);
	else if (kind == TOKEN_CALL)
		parse_nested(p, parse_call);
	else if (kind == TOKEN_ASK)
		parse_ask(p);
	else
		expected(p, "a number, a name or '('");
}

static void parse_unary(struct parser *p)
{
	bool minus = false;

	for (; p->in.word.kind == TOKEN_MINUS; next(p))
		minus = !minus;
	parse_operand(p);
	if (minus)
		node_chain(p, p->expr->nr, (struct td_expr_node){ .kind = TD_NODE_NEG });
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

/* Parse operands and all operators that bind tighter than binding. */
static void parse_expr(struct parser *p, int binding)
{
	parse_unary(p);
	while (p->in.word.binding > binding)
		parse_binary(p);
}

/* Parse expr [if expr else choice]. */
static void parse_choice(struct parser *p)
{
	struct td_expr_node node = { .kind = TD_NODE_CHOICE };

	parse_expr(p, 0);
	if (p->in.word.kind != TOKEN_IF)
		return;
	node.right = p->expr->nr;
	next(p);
	parse_expr(p, 0);
	skip(p, TOKEN_ELSE, "an operator or 'else'");
	node.otherwise = p->expr->nr;
	parse_nested(p, parse_choice);
	node_chain(p, node.right, node);
}

int td_expr_parse(struct td_expr **out, const char *text, td_expr_lookup lookup, void *ctx,
		  struct td_err *err)
{
	struct parser p = {
		.in = { .text = text, .start = text, .err = err },
		.expr = td_calloc(1, sizeof(*p.expr)),
		.lookup = lookup,
		.ctx = ctx,
	};

	*out = NULL;
	next(&p);
	parse_choice(&p);
	skip(&p, TOKEN_END, "an operator or the end");
	if (p.in.rc)
		td_expr_free(p.expr);
	else
		*out = p.expr;
	return p.in.rc;
}
