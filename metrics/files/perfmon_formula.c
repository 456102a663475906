// SPDX-License-Identifier: GPL-2.0-only
/*
 * Translates perfmon's formulas, which use letters for names, to those of
 * metrics/formula/expr.h.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/util.h"
#include "metrics/files/perfmon_parts.h"
#include "metrics/formula/tokens.h"

#define BLANKS  " \t"
#define DIGITS  "0123456789"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define LEGACY  "metric_TMA_"

/* The state of translating one formula; the result goes to fp. */
struct translation {
	const struct td_perfmon_aliases *aliases; /* NULL for a threshold */
	bool fractions;
	FILE *fp;
	struct td_err *err;
};

static bool is_word(const char *text, size_t len, const char *word)
{
	return strlen(word) == len && strncmp(text, word, len) == 0;
}

static const char *find_word(const struct translation *t, const char *text,
			     size_t len)
{
	static const char *const own[] = { "if", "else", "min", "max" };

	for (size_t i = 0; i < TD_ARRAY_SIZE(own); i++) {
		if (is_word(text, len, own[i]))
			return own[i];
	}
	for (size_t i = 0; t->aliases && i < t->aliases->nr; i++) {
		if (is_word(text, len, t->aliases->v[i].alias))
			return t->aliases->v[i].text;
	}
	return NULL;
}

/*
 * Writes the name of a metric such as "metric_TMA_..Fetch_Latency(%)", which
 * ends at a blank; returns its length.
 */
static size_t add_metric(const struct translation *t, const char *text)
{
	size_t len = strcspn(text, BLANKS);
	td_autofree char *name = NULL;

	if (td_perfmon_name(text, len, &name, t->err))
		return 0;
	if (t->fractions && text[len - 1] == ')')
		fprintf(t->fp, "(%s / 100)", name);
	else
		fputs(name, t->fp);
	return len;
}

static size_t add_word(const struct translation *t, const char *text)
{
	size_t len = strspn(text, LETTERS DIGITS "_.#");
	const char *word = find_word(t, text, len);

	if (!t->aliases && strncmp(text, LEGACY, strlen(LEGACY)) == 0)
		return add_metric(t, text);
	if (!word) {
		td_err_set(t->err, -EINVAL, "unknown '%.*s'", (int)len, text);
		return 0;
	}
	fputs(word, t->fp);
	return len;
}

/*
 * Writes an operator and returns its length; "> =" is read as ">=", "&&" as
 * "&".
 */
static size_t add_operator(const struct translation *t, const char *text)
{
	size_t len = 1 + strspn(text + 1, BLANKS);

	if (!strchr("+-*/%()<>,&|", *text)) {
		td_err_set(t->err, -EINVAL, "a '%c'",
			   isprint((unsigned char)*text) ? *text : '?');
		return 0;
	}
	fputc(*text, t->fp);
	if ((*text == '<' || *text == '>') && text[len] == '=') {
		fputc('=', t->fp);
		return len + 1;
	}
	return (*text == '&' || *text == '|') && text[1] == *text ? 2 : 1;
}

/* Translates one token and returns its length; 0 on error. */
static size_t add_token(const struct translation *t, const char *text)
{
	size_t len = strspn(text, BLANKS);

	if (len) {
		fputc(' ', t->fp);
		return len;
	}
	len = td_number_length(text);
	if (len) {
		fprintf(t->fp, "%.*s", (int)len, text);
		return len;
	}
	if (strchr(LETTERS "_#", *text))
		return add_word(t, text);
	return add_operator(t, text);
}

static int translate(struct translation *t, const char *text, char **out)
{
	size_t size, len = 1;

	*out = NULL;
	t->fp = open_memstream(out, &size);
	if (!t->fp)
		return td_err_nomem(t->err);
	for (text += strspn(text, BLANKS); *text && len; text += len)
		len = add_token(t, text);
	if (td_text_close(t->fp, out))
		return td_err_nomem(t->err);
	if (len)
		return 0;
	free(*out);
	*out = NULL;
	return t->err->code;
}

int td_perfmon_formula(const struct td_perfmon_aliases *aliases,
		       const char *text, char **out, struct td_err *err)
{
	struct translation t = { .aliases = aliases, .err = err };

	return translate(&t, text, out);
}

int td_perfmon_threshold(const char *text, bool fractions, char **out,
			 struct td_err *err)
{
	struct translation t = { .fractions = fractions, .err = err };

	return translate(&t, text, out);
}
