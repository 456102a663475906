/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_RUN_NEWCOMERS_H
#define TD_CMD_RUN_NEWCOMERS_H

#include "cmd/plan/job.h"
#include "lib/counter/counter.h"

/* CPUs that were offline when counting began.  All 0 at first. */
struct td_newcomers {
	struct td_ints
		known;      /* online at any time so far; the caller frees it */
	uint64_t looked_ns; /* when we last looked for others */
};

/*
 * After a read, with -a: counts from now on on CPUs that have come online, and
 * says so.  Looks for them twice a second at most: short intervals stay cheap.
 */
int td_newcomers_follow(struct td_newcomers *newcomers, struct td_job *job,
			struct td_counter *counter, uint64_t now_ns,
			struct td_err *err);

#endif
