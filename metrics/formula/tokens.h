/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_FORMULA_TOKENS_H
#define TD_METRICS_FORMULA_TOKENS_H

#include <stddef.h>

#include "lib/base/err.h"
#include "metrics/formula/node.h"

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
