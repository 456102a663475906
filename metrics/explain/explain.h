/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * metrics/explain: explains the nodes of the tree, in texts written for tdstat.
 *
 * In: the name of a node.
 * Out: its meaning, usual causes and remedies.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The cores to which a text applies. */
enum td_explained_cores {
	TD_EXPLAINED_ALL,
	TD_EXPLAINED_CORE, /* P-cores, and the cores before there were two types */
	TD_EXPLAINED_ATOM, /* E-cores */
};

struct td_explanation {
	const char *name;   /* "tma_l3_bound" */
	const char *parent; /* NULL at level 1 */
	int level;
	enum td_explained_cores cores;
	const char *means, *causes, *advice;
};

/* Returns text number i, or NULL after the last one. */
const struct td_explanation *td_explanation_at(size_t i);

/* Finds the first text for a node, ignoring case; NULL if there is none. */
const struct td_explanation *td_explanation_find(const char *name);

/*
 * Does the typed text mean the metric of that name?  Case is ignored, the text may be a shell
 * pattern, and "tma_" may be left out.
 */
bool td_explanation_is_meant(const char *name, const char *typed);
bool td_explanation_is_pattern(const char *typed);

/* Is it a word for which the texts can be searched? */
bool td_explanation_is_word(const char *typed);
/*
 * Does the node's name contain the word, or does a word of its meaning or causes (advice: or
 * of its advice) begin with it?
 */
bool td_explanation_is_about(const struct td_explanation *text, const char *word, bool advice);
