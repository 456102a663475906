/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_COMPARE_LIMITS_H
#define TD_CMD_COMPARE_LIMITS_H

#include "lib/base/notes.h"
#include "metrics/diff/diff.h"

/* How much more a node may be in B than in A. */
struct td_limit {
	char *name;
	double points;
};

struct td_limits {
	struct td_limit *v;
	size_t nr;
};

/*
 * Reads "tma_memory_bound:2,tma_fetch_latency:0.5"; NULL has no limits.  A wrong
 * text is a usage error.  Free it even then.
 */
int td_limits_parse(struct td_limits *limits, const char *text,
		    struct td_err *err);
/* A usage error if a name is no node of the difference. */
int td_limits_check(const struct td_limits *limits, const struct td_diff *diff,
		    struct td_err *err);
/*
 * True if a node grew by more than its limit, and not by chance: its difference
 * is clear.  Notes which one; and each that grew by so much, but of which
 * chance is not known.
 */
bool td_limits_exceeded(const struct td_limits *limits,
			const struct td_diff *diff, struct td_notes *notes);
void td_limits_free(struct td_limits *limits);

#endif
