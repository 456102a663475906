// SPDX-License-Identifier: GPL-2.0-only
#include "metrics/formula/expr.h"

#include <limits.h>
#include <math.h>
#include <strings.h>

#include "lib/base/util.h"

/*
 * A formula is a chain of nodes: the first node has a value and each later one changes it.
 * Precedence is already resolved: a * b + c is the chain "a", "* b", "+ c".  The right side of an
 * operator is a separate chain.  So a sum of a thousand terms does not need more recursion than a
 * sum of two; only parentheses and "else" nest, and the parser limits their depth.
 *
 * Links are indices.  Node 0 is the first one, to which no link leads, so a next of 0 ends the
 * chain.
 */
enum node_kind {
	NODE_NUMBER, /* the value is .number */
	NODE_SLOT,   /* the value is values[.slot] */
	NODE_NEG,
	NODE_BINARY, /* applies .op to the value and the chain at .right */
	NODE_CHOICE, /* keeps the value if the chain at .right is true, else uses .otherwise */
};

enum expr_op {
	OP_OR,
	OP_XOR,
	OP_AND,
	OP_LESS,
	OP_GREATER,
	OP_AT_MOST,
	OP_AT_LEAST,
	OP_ADD,
	OP_SUB,
	OP_MUL,
	OP_DIV,
	OP_MOD,
	OP_MIN,
	OP_MAX,
	OP_RATIO,
};

struct expr_node {
	enum node_kind kind : 8;
	enum expr_op op : 8;
	unsigned int next;
	union {
		double number;
		int slot;
		struct {
			unsigned int right, otherwise;
		};
	};
};

struct td_expr {
	struct expr_node *nodes;
	unsigned int nr;
};

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
	TOKEN_ASK, /* a call whose argument is a name, such as has_event() */
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
	enum expr_op op;
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
	{ .text = "|", .kind = TOKEN_BINARY, .op = OP_OR, .binding = 1 },
	{ .text = "^", .kind = TOKEN_BINARY, .op = OP_XOR, .binding = 2 },
	{ .text = "&", .kind = TOKEN_BINARY, .op = OP_AND, .binding = 3 },
	{ .text = "<", .kind = TOKEN_BINARY, .op = OP_LESS, .binding = 4 },
	{ .text = ">", .kind = TOKEN_BINARY, .op = OP_GREATER, .binding = 4 },
	{ .text = "<=", .kind = TOKEN_BINARY, .op = OP_AT_MOST, .binding = 4 },
	{ .text = ">=", .kind = TOKEN_BINARY, .op = OP_AT_LEAST, .binding = 4 },
	{ .text = "+", .kind = TOKEN_BINARY, .op = OP_ADD, .binding = 5 },
	{ .text = "-", .kind = TOKEN_MINUS, .op = OP_SUB, .binding = 5 },
	{ .text = "*", .kind = TOKEN_BINARY, .op = OP_MUL, .binding = 6 },
	{ .text = "/", .kind = TOKEN_BINARY, .op = OP_DIV, .binding = 6 },
	{ .text = "%", .kind = TOKEN_BINARY, .op = OP_MOD, .binding = 6 },
	{ .text = "min", .kind = TOKEN_CALL, .op = OP_MIN },
	{ .text = "max", .kind = TOKEN_CALL, .op = OP_MAX },
	{ .text = "d_ratio", .kind = TOKEN_CALL, .op = OP_RATIO },
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

/*
 * Fail at a place in the text.  what completes the message "expected ...", such as "an operator".
 */
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

static void node_add(struct parser *p, struct expr_node node)
{
	if (p->in.rc)
		return;
	*(struct expr_node *)td_array_add(&p->expr->nodes, p->expr->nr, sizeof(node)) = node;
	p->expr->nr++;
}

/* Append a node to the chain that ends with the node before index right. */
static void node_chain(struct parser *p, unsigned int right, struct expr_node node)
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
	struct expr_node node = { .kind = NODE_BINARY };

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
	struct expr_node node = { .kind = NODE_NUMBER };

	errno = 0;
	node.number = strtod(p->in.start, NULL); /* strtod() also parses "NaN" */
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
	struct expr_node node = { .kind = NODE_SLOT };
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
	struct expr_node node = { .kind = NODE_SLOT };
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

/* Parse operands and all operators that bind tighter than binding. */
static void parse_expr(struct parser *p, int binding)
{
	bool minus = false;

	for (; p->in.word.kind == TOKEN_MINUS; next(p))
		minus = !minus;
	parse_operand(p);
	if (minus)
		node_chain(p, p->expr->nr, (struct expr_node){ .kind = NODE_NEG });
	while (p->in.word.binding > binding) {
		struct word word = p->in.word;
		struct expr_node node = { .kind = NODE_BINARY,
					  .op = word.op,
					  .right = p->expr->nr };

		next(p);
		parse_expr(p, word.binding);
		node_chain(p, node.right, node);
	}
}

/* Parse expr [if expr else choice]. */
static void parse_choice(struct parser *p)
{
	struct expr_node node = { .kind = NODE_CHOICE };

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

/* --- evaluate ---------------------------------------------------------- */

static bool unknown(double a, double b)
{
	return isnan(a) || isnan(b);
}

static bool is_true(double a)
{
	return !isnan(a) && a != 0;
}

static double either(double a, double b)
{
	if (is_true(a) || is_true(b))
		return 1;
	return unknown(a, b) ? NAN : 0;
}

static double both(double a, double b)
{
	if (a == 0 || b == 0)
		return 0;
	return unknown(a, b) ? NAN : 1;
}

static bool fits_long(double a)
{
	/* LONG_MAX is not exact as a double, but -LONG_MIN is */
	return a >= (double)LONG_MIN && a < -(double)LONG_MIN;
}

/* Return the remainder of integers, as in perf's expr.y. */
static double modulo(double a, double b)
{
	if (!fits_long(a) || !fits_long(b) || (long)b == 0)
		return NAN;
	if ((long)b == -1)
		return 0; /* LONG_MIN / -1 traps */
	return (double)((long)a % (long)b);
}

static double apply(enum expr_op op, double a, double b)
{
	switch (op) {
	case OP_OR:
		return either(a, b);
	case OP_XOR:
		return unknown(a, b) ? NAN : (double)(is_true(a) != is_true(b));
	case OP_AND:
		return both(a, b);
	case OP_LESS:
		return unknown(a, b) ? NAN : (double)(a < b);
	case OP_GREATER:
		return unknown(a, b) ? NAN : (double)(a > b);
	case OP_AT_MOST:
		return unknown(a, b) ? NAN : (double)(a <= b);
	case OP_AT_LEAST:
		return unknown(a, b) ? NAN : (double)(a >= b);
	case OP_ADD:
		return a + b;
	case OP_SUB:
		return a - b;
	case OP_MUL:
		return a * b;
	case OP_DIV:
		return b == 0 ? NAN : a / b;
	case OP_MOD:
		return modulo(a, b);
	case OP_MIN:
		return unknown(a, b) ? NAN : fmin(a, b);
	case OP_MAX:
		return unknown(a, b) ? NAN : fmax(a, b);
	case OP_RATIO:
		return b == 0 ? 0 : a / b;
	}
	return NAN;
}

static double eval(const struct expr_node *nodes, unsigned int i, const double *values,
		   bool bounded);

static double choose(const struct expr_node *nodes, const struct expr_node *node, double value,
		     const double *values, bool bounded)
{
	double cond = eval(nodes, node->right, values, bounded);

	if (isnan(cond))
		return NAN;
	return cond != 0 ? value : eval(nodes, node->otherwise, values, bounded);
}

/* Apply an operator without bounds: max(0, a) and min(a, 1) are a. */
static double apply_within(const struct expr_node *nodes, unsigned int first, unsigned int at,
			   double left, double right)
{
	const struct expr_node *node = &nodes[at];
	const struct expr_node *after = &nodes[node->right];

	if (node->op == OP_MIN || node->op == OP_MAX) {
		if (nodes[first].kind == NODE_NUMBER && nodes[first].next == at)
			return right;
		if (after->kind == NODE_NUMBER && !after->next)
			return left;
	}
	return apply(node->op, left, right);
}

static double eval(const struct expr_node *nodes, unsigned int i, const double *values,
		   bool bounded)
{
	unsigned int first = i;
	double value = NAN, right;

	do {
		const struct expr_node *node = &nodes[i];

		switch (node->kind) {
		case NODE_NUMBER:
			value = node->number;
			break;
		case NODE_SLOT:
			value = values[node->slot];
			break;
		case NODE_NEG:
			value = -value;
			break;
		case NODE_BINARY:
			right = eval(nodes, node->right, values, bounded);
			value = bounded ? apply(node->op, value, right)
					: apply_within(nodes, first, i, value, right);
			break;
		case NODE_CHOICE:
			value = choose(nodes, node, value, values, bounded);
			break;
		}
		i = node->next;
	} while (i);
	return value;
}

double td_expr_eval(const struct td_expr *expr, const double *values)
{
	return eval(expr->nodes, 0, values, true);
}

double td_expr_eval_unbounded(const struct td_expr *expr, const double *values)
{
	return eval(expr->nodes, 0, values, false);
}

/* A formula before counting, when the values of only some slots are known. */
struct partial {
	const struct expr_node *nodes;
	const double *values;
	bool (*known)(void *ctx, int slot);
	void (*fn)(void *ctx, int slot);
	void *ctx;
};

/* Is the value of a chain known before counting? */
static bool is_constant(const struct partial *p, unsigned int i)
{
	do {
		const struct expr_node *node = &p->nodes[i];

		if (node->kind == NODE_SLOT && !p->known(p->ctx, node->slot))
			return false;
		if ((node->kind == NODE_BINARY || node->kind == NODE_CHOICE) &&
		    !is_constant(p, node->right))
			return false;
		if (node->kind == NODE_CHOICE && !is_constant(p, node->otherwise))
			return false;
		i = node->next;
	} while (i);
	return true;
}

/* Return the index of the last choice in a chain before node end (0: the chain's end), or 0. */
static unsigned int last_choice(const struct partial *p, unsigned int first, unsigned int end)
{
	unsigned int i = first, found = 0;

	do {
		if (p->nodes[i].kind == NODE_CHOICE)
			found = i;
		i = p->nodes[i].next;
	} while (i != end);
	return found;
}

/* Is the right side of the node irrelevant, because it is "&" after a 0 or "|" after a 1? */
static bool is_decided(const struct partial *p, unsigned int first, const struct expr_node *node)
{
	const struct expr_node *operand = &p->nodes[first];
	double left;

	/* only the first operator of a chain is such a guard */
	if (node->kind != NODE_BINARY || operand->next == 0 || &p->nodes[operand->next] != node)
		return false;
	if (operand->kind == NODE_NUMBER)
		left = operand->number;
	else if (operand->kind == NODE_SLOT && p->known(p->ctx, operand->slot))
		left = p->values[operand->slot];
	else
		return false;
	return (node->op == OP_AND && left == 0) || (node->op == OP_OR && is_true(left));
}

static void visit(const struct partial *p, unsigned int first, unsigned int end);

/* Visit the part of a chain that ends with the choice at index at. */
static void visit_choice(const struct partial *p, unsigned int first, unsigned int at)
{
	const struct expr_node *choice = &p->nodes[at];
	double cond;

	if (!is_constant(p, choice->right)) {
		visit(p, first, at);
		visit(p, choice->right, 0);
		visit(p, choice->otherwise, 0);
		return;
	}
	cond = eval(p->nodes, choice->right, p->values, true);
	if (isnan(cond))
		return; /* the value is NaN as well */
	if (cond != 0)
		visit(p, first, at);
	else
		visit(p, choice->otherwise, 0);
}

/* Visit a chain from its first node up to the node before end (0: to its end). */
static void visit(const struct partial *p, unsigned int first, unsigned int end)
{
	unsigned int choice = last_choice(p, first, end), i = first;

	if (choice) {
		visit_choice(p, first, choice);
		i = p->nodes[choice].next;
		if (i == end)
			return;
	}
	do {
		const struct expr_node *node = &p->nodes[i];

		if (node->kind == NODE_SLOT)
			p->fn(p->ctx, node->slot);
		if (node->kind == NODE_BINARY && !is_decided(p, first, node))
			visit(p, node->right, 0);
		i = p->nodes[i].next;
	} while (i != end);
}

void td_expr_each_needed(const struct td_expr *expr, const double *values,
			 bool (*known)(void *ctx, int slot), void (*fn)(void *ctx, int slot),
			 void *ctx)
{
	const struct partial p = { expr->nodes, values, known, fn, ctx };

	visit(&p, 0, 0);
}

/* --- uses of a slot --------------------------------------------------------- */

/* Is the slot used in the chain, or in a chain that belongs to it? */
static bool uses(const struct expr_node *nodes, unsigned int i, int slot)
{
	do {
		const struct expr_node *node = &nodes[i];

		if (node->kind == NODE_SLOT && node->slot == slot)
			return true;
		if ((node->kind == NODE_BINARY || node->kind == NODE_CHOICE) &&
		    uses(nodes, node->right, slot))
			return true;
		if (node->kind == NODE_CHOICE && uses(nodes, node->otherwise, slot))
			return true;
		i = node->next;
	} while (i);
	return false;
}

bool td_expr_divides_by(const struct td_expr *expr, int slot)
{
	td_for_each(const struct expr_node, node, expr->nodes, expr->nr) {
		if (node->kind == NODE_BINARY && (node->op == OP_DIV || node->op == OP_RATIO) &&
		    uses(expr->nodes, node->right, slot))
			return true;
	}
	return false;
}

void td_expr_replace(struct td_expr *expr, int slot, int by)
{
	td_for_each(struct expr_node, node, expr->nodes, expr->nr) {
		if (node->kind == NODE_SLOT && node->slot == slot)
			node->slot = by;
	}
}

void td_expr_free(struct td_expr *expr)
{
	if (!expr)
		return;
	free(expr->nodes);
	free(expr);
}

/* --- literals: #num_cpus and others --------------------------------------- */

enum place_kind {
	PACKAGE,
	DIE,
	CORE,
};

static bool is_same(const struct td_place *a, const struct td_place *b, enum place_kind kind)
{
	return a->socket == b->socket && (kind < DIE || a->die == b->die) &&
	       (kind < CORE || a->core == b->core);
}

/* Count the different places; NaN if the places are unknown. */
static double count_different(const struct td_place *places, size_t nr, enum place_kind kind)
{
	double different = 0;

	if (!places || !nr)
		return NAN;
	for (size_t i = 0; i < nr; i++) {
		bool seen = false;

		for (size_t j = 0; j < i && !seen; j++)
			seen = is_same(&places[i], &places[j], kind);
		different += !seen;
	}
	return different;
}

void td_literals_fill(struct td_literals *out, const struct td_machine *machine,
		      const struct td_place *places, uint64_t tsc_hz, bool core_wide)
{
	size_t nr = machine->online.nr;

	*out = (struct td_literals){
		.smt_on = machine->smt,
		.core_wide = core_wide,
		.num_cpus = nr ? (double)machine->online.v[nr - 1] + 1 : NAN,
		.num_cpus_online = nr ? (double)nr : NAN,
		.num_cores = count_different(places, nr, CORE),
		.num_dies = count_different(places, nr, DIE),
		.num_packages = count_different(places, nr, PACKAGE),
		.system_tsc_freq = tsc_hz ? (double)tsc_hz : NAN,
		.has_pmem = machine->has_pmem,
	};
}

int td_literals_find(const struct td_literals *literals, const char *name, double *out)
{
	/* the names of expr__get_literal() in tools/perf/util/expr.c */
	const struct {
		const char *name;
		double value;
	} known[] = {
		{ "#smt_on", literals->smt_on },
		{ "#core_wide", literals->core_wide },
		/* true if CPUs are counted, rather than tasks; then all threads are counted */
		{ "#target_cpu", literals->core_wide },
		{ "#num_cpus", literals->num_cpus },
		{ "#num_cpus_online", literals->num_cpus_online },
		{ "#num_cores", literals->num_cores },
		{ "#num_dies", literals->num_dies },
		{ "#num_packages", literals->num_packages },
		{ "#system_tsc_freq", literals->system_tsc_freq },
		{ "#has_pmem", literals->has_pmem },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(known); i++) {
		if (strcasecmp(known[i].name, name) != 0)
			continue;
		*out = known[i].value;
		return 0;
	}
	return -ENOENT;
}
