// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/util.h"
#include "metrics/formula/parts.h"

#define BLANKS  " \t\r\n"
#define DIGITS  "0123456789"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

#define SHOWN 80 /* the most characters of a formula in an error message */

/* clang-format off */
static const struct td_word words[] = {
	{ .text = "|", .kind = TD_TOKEN_BINARY, .op = TD_OP_OR, .binding = 1 },
	{ .text = "^", .kind = TD_TOKEN_BINARY, .op = TD_OP_XOR, .binding = 2 },
	{ .text = "&", .kind = TD_TOKEN_BINARY, .op = TD_OP_AND, .binding = 3 },
	{ .text = "<", .kind = TD_TOKEN_BINARY, .op = TD_OP_LESS, .binding = 4 },
	{ .text = ">", .kind = TD_TOKEN_BINARY, .op = TD_OP_GREATER, .binding = 4 },
	{ .text = "<=", .kind = TD_TOKEN_BINARY, .op = TD_OP_AT_MOST, .binding = 4 },
	{ .text = ">=", .kind = TD_TOKEN_BINARY, .op = TD_OP_AT_LEAST, .binding = 4 },
	{ .text = "+", .kind = TD_TOKEN_BINARY, .op = TD_OP_ADD, .binding = 5 },
	{ .text = "-", .kind = TD_TOKEN_MINUS, .op = TD_OP_SUB, .binding = 5 },
	{ .text = "*", .kind = TD_TOKEN_BINARY, .op = TD_OP_MUL, .binding = 6 },
	{ .text = "/", .kind = TD_TOKEN_BINARY, .op = TD_OP_DIV, .binding = 6 },
	{ .text = "%", .kind = TD_TOKEN_BINARY, .op = TD_OP_MOD, .binding = 6 },
	{ .text = "min", .kind = TD_TOKEN_CALL, .op = TD_OP_MIN },
	{ .text = "max", .kind = TD_TOKEN_CALL, .op = TD_OP_MAX },
	{ .text = "d_ratio", .kind = TD_TOKEN_CALL, .op = TD_OP_RATIO },
	{ .text = "has_event", .kind = TD_TOKEN_ASK },
	{ .text = "source_count", .kind = TD_TOKEN_ASK },
	{ .text = "aggr_nr", .kind = TD_TOKEN_ASK },
	{ .text = "strcmp_cpuid_str", .kind = TD_TOKEN_ASK },
	{ .text = "if", .kind = TD_TOKEN_IF },
	{ .text = "else", .kind = TD_TOKEN_ELSE },
	{ .text = "NaN", .kind = TD_TOKEN_NUMBER },
	{ .text = "(", .kind = TD_TOKEN_OPEN },
	{ .text = ",", .kind = TD_TOKEN_COMMA },
	{ .text = ")", .kind = TD_TOKEN_CLOSE },
};
/* clang-format on */

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

void td_tokens_fail(struct td_tokens *tokens, int rc)
{
	tokens->rc = rc;
	tokens->word = (struct td_word){ .kind = TD_TOKEN_BAD };
}

/* Prefixes the message with the formula and the column. */
static void fail_at(struct td_tokens *tokens, const char *at)
{
	size_t offset = (size_t)(at - tokens->text);
	char shown[SHOWN + 1];

	excerpt(shown, tokens->text, offset);
	td_tokens_fail(tokens,
		       td_err_wrap(tokens->err, "formula '%s', column %zu",
				   shown, offset + 1));
}

void td_tokens_expected(struct td_tokens *tokens, const char *at,
			const char *what)
{
	if (tokens->rc)
		return;
	td_err_set(tokens->err, -EINVAL, "expected %s", what);
	fail_at(tokens, at);
}

void td_tokens_unknown(struct td_tokens *tokens, int code, const char *what)
{
	int len = tokens->len < SHOWN ? (int)tokens->len : SHOWN;

	td_err_set(tokens->err, code, "unknown %s '%.*s'", what, len,
		   tokens->start);
	fail_at(tokens, tokens->start);
}

/* ([0-9]+\.?[0-9]*|[0-9]*\.?[0-9]+)(e-?[0-9]+)? */
size_t td_number_length(const char *s)
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

static void token(struct td_tokens *tokens, enum td_token_kind kind, size_t len)
{
	tokens->word = (struct td_word){ .kind = kind };
	tokens->len = len;
	for (size_t i = 0; i < TD_ARRAY_SIZE(words); i++) {
		if (strlen(words[i].text) == len &&
		    memcmp(words[i].text, tokens->start, len) == 0)
			tokens->word = words[i];
	}
}

void td_tokens_next(struct td_tokens *tokens)
{
	const char *s = tokens->start + tokens->len;
	size_t number, name;
	bool open;

	if (tokens->rc)
		return;
	s += strspn(s, BLANKS);
	number = td_number_length(s);
	name = name_len(s, &open);
	tokens->start = s;
	if (open && name > number)
		td_tokens_expected(tokens, s + name, "the closing '@'");
	else if (number && number >= name)
		token(tokens, TD_TOKEN_NUMBER, number);
	else if (name)
		token(tokens, TD_TOKEN_NAME, name);
	else if ((*s == '<' || *s == '>') && s[1] == '=')
		token(tokens, TD_TOKEN_BAD, 2);
	else
		token(tokens, *s ? TD_TOKEN_BAD : TD_TOKEN_END, *s ? 1 : 0);
}

char td_tokens_after(const struct td_tokens *tokens)
{
	const char *after = tokens->start + tokens->len;

	return after[strspn(after, BLANKS)];
}

void td_tokens_begin(struct td_tokens *tokens, const char *text,
		     struct td_err *err)
{
	*tokens = (struct td_tokens){ .text = text, .start = text, .err = err };
	td_tokens_next(tokens);
}
