/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_DIFF_LIMITS_H
#define TD_METRICS_DIFF_LIMITS_H

#include "lib/base/err.h"
#include "metrics/diff/diff.h"

/* The exit status of a comparison, as diff(1) has it. */
enum td_gate {
	TD_GATE_PASSED,
	TD_GATE_EXCEEDED,
	TD_GATE_TROUBLE, /* something was not compared */
};

/* How much more may be in B than in A. */
struct td_limit {
	char *name;  /* of a node, an event, "IPC" or a time */
	double most; /* points of a node, per cent of others; IPC may fall */
	/* what became of it, and why; before td_limits_exceeded() it is trouble */
	enum td_gate gate;
	struct td_notes found;
};

struct td_limits {
	struct td_limit *v;
	size_t nr;
	bool strict; /* what may be chance, as nobody knows, is a failure */
};

/*
 * Reads "tma_memory_bound:2,tma_fetch_latency:0.5"; NULL has no limits.  A wrong
 * text is a usage error.  Free it even then.
 */
int td_limits_parse(struct td_limits *limits, const char *text,
		    struct td_err *err);
/* A usage error if a name is in no row of the difference. */
int td_limits_check(const struct td_limits *limits, const struct td_diff *diff,
		    struct td_err *err);
/*
 * Did something grow by more than its limit, and not by chance: is its difference
 * clear?  Each limit gets what became of it, with each row that grew by more, of
 * which chance is not known, or that one side lacks.
 */
enum td_gate td_limits_exceeded(struct td_limits *limits,
				const struct td_diff *diff);
/* Adds what was found. */
void td_limits_note(const struct td_limits *limits, struct td_notes *notes);
void td_limits_free(struct td_limits *limits);

#endif
