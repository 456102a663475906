// SPDX-License-Identifier: GPL-2.0-only
#include "metrics/explain/explain.h"

#include <ctype.h>
#include <fnmatch.h>
#include <string.h>
#include <strings.h>

#define PREFIX "tma_"

/* Minimum length of a word, such as "l2"; most texts contain any single letter. */
#define SHORTEST_WORD 2

const struct td_explanation *td_explanation_at(size_t i)
{
	return i < td_nr_explanations ? &td_explanations[i] : NULL;
}

const struct td_explanation *td_explanation_find(const char *name)
{
	const struct td_explanation *text;
	size_t i = 0;

	while ((text = td_explanation_at(i++)) && strcasecmp(text->name, name) != 0)
		;
	return text;
}

bool td_explanation_exists(const char *name)
{
	return td_explanation_find(name);
}

bool td_explanation_is_pattern(const char *typed)
{
	return strpbrk(typed, "*?[") != NULL;
}

bool td_explanation_is_word(const char *typed)
{
	size_t len = strlen(typed);

	for (size_t i = 0; i < len; i++) {
		if (!isalnum((unsigned char)typed[i]) && typed[i] != ' ' && typed[i] != '-')
			return false;
	}
	return len >= SHORTEST_WORD;
}

static bool has_word(const char *text, const char *word)
{
	const char *at = text;

	while ((at = strcasestr(at, word))) {
		if (at == text || !isalnum((unsigned char)at[-1]))
			return true;
		at++;
	}
	return false;
}

bool td_explanation_is_about(const struct td_explanation *text, const char *word, bool advice)
{
	return strcasestr(text->name, word) || has_word(text->means, word) ||
	       has_word(text->causes, word) || (advice && has_word(text->advice, word));
}

static const char *skip_prefix(const char *name)
{
	size_t len = strlen(PREFIX);

	return strncasecmp(name, PREFIX, len) == 0 ? name + len : name;
}

bool td_explanation_is_meant(const char *name, const char *typed)
{
	const char *rest = skip_prefix(name);

	/* a pattern keeps its prefix: "tma_*" does not match all names */
	if (!td_explanation_is_pattern(typed))
		return strcasecmp(rest, skip_prefix(typed)) == 0;
	return fnmatch(typed, name, FNM_CASEFOLD) == 0 || fnmatch(typed, rest, FNM_CASEFOLD) == 0;
}

const struct td_explanation *td_explanation_next(const char *parent, enum td_explained_cores cores,
						 size_t *at)
{
	const struct td_explanation *text;

	while ((text = td_explanation_at((*at)++))) {
		bool child =
			parent ? text->parent && strcmp(text->parent, parent) == 0 : !text->parent;

		if (child && (text->cores == cores || text->cores == TD_EXPLAINED_ALL))
			return text;
	}
	return NULL;
}
