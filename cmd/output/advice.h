/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "metrics/verdict/verdict.h"

/* A verdict, and command lines for the next steps, quoted for a shell. */
struct td_advice {
	const struct td_verdict *verdict;
	const struct td_verdict *others; /* verdicts on other core types */
	size_t nr_others;
	char *next;          /* command that measures the children; NULL: none */
	long long next_runs; /* number of runs with --no-multiplex; 0: unknown */
	char *when;          /* command that shows the phases in rows; NULL: none */
	char *where;         /* command that finds the functions; NULL: none */
	char *explain;       /* command that explains the node; NULL: none */
	bool above;          /* explain is for an ancestor, because the node has no text */
};

/* Return the words for a situation, which also follow "Bottleneck:". */
const char *td_situation_words(enum td_situation situation);

#define TD_HELD_WORDS "other programs used the counters most of the time"
