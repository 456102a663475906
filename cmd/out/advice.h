/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_OUT_ADVICE_H
#define TD_CMD_OUT_ADVICE_H

#include "metrics/verdict/verdict.h"

/* A verdict, and what to type next: whole command lines, quoted for a shell. */
struct td_advice {
	const struct td_verdict *verdict;
	const struct td_verdict *others; /* of other kinds of core */
	size_t nr_others;
	char *next; /* counts what is below; NULL: none */
	/* of --no-multiplex: how often it runs the command; 0: not known */
	long long next_runs;
	char *when;    /* shows the phases in rows; NULL: none */
	char *where;   /* finds the places in the program; NULL: none */
	char *explain; /* says what the node means; NULL: none */
	bool above;    /* the node has no text, so it is of one above it */
};

/* What a situation is called, behind "Bottleneck:". */
const char *td_situation_words(enum td_situation situation);

#define TD_HELD_WORDS "somebody else had the counters most of the time"

#endif
