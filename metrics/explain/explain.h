/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * metrics/explain: what the nodes of the tree mean, in words of our own.
 *
 * In: the name of a node.
 * Out: what it means, what usually causes it, what to try.
 */
#ifndef TD_METRICS_EXPLAIN_EXPLAIN_H
#define TD_METRICS_EXPLAIN_EXPLAIN_H

#include <stdbool.h>
#include <stddef.h>

#include "metrics/explain/texts.h"

/* All texts; NULL behind the last one. */
const struct td_explanation *td_explanation_at(size_t i);

/*
 * The next child of parent (NULL: of level 1) on cores of that kind; NULL behind
 * the last one.  *at is 0 before the first.
 */
const struct td_explanation *td_explanation_next(const char *parent,
						 enum td_explained_cores cores,
						 size_t *at);

/* The text for the node of that name, in any case; NULL: there is none. */
const struct td_explanation *td_explanation_find(const char *name);
bool td_explanation_exists(const char *name);

/*
 * Does what was typed mean the metric of that name?  In any case, as a shell
 * pattern, too, and "tma_" may be left out.
 */
bool td_explanation_is_meant(const char *name, const char *typed);
bool td_explanation_is_pattern(const char *typed);

/* Can it be looked for in the texts? */
bool td_explanation_is_word(const char *typed);
/*
 * Is the word a part of the node's name, or does a word of what it means or what
 * causes it begin so?  Or, with advice, one of what can be tried.
 */
bool td_explanation_is_about(const struct td_explanation *text,
			     const char *word, bool advice);

#endif
