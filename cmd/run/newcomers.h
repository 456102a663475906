/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_RUN_NEWCOMERS_H
#define TD_CMD_RUN_NEWCOMERS_H

#include "cmd/plan/job.h"
#include "lib/counter/counter.h"
#include "lib/target/cgroup.h"

/* CPUs that were offline when counting began.  All 0 at first. */
struct td_newcomers {
	struct td_ints
		known;      /* online at any time so far; the caller frees it */
	uint64_t looked_ns; /* when we last looked for others */
	/* and the same of cgroups */
	struct td_cgroup_news news;
	uint64_t looked_cgroups_ns;
	bool said_refused; /* that one cannot be counted */
};

/*
 * After a read, with -a: counts from now on on CPUs that have come online, and
 * says so.  Looks for them twice a second at most: short intervals stay cheap.
 */
int td_newcomers_follow(struct td_newcomers *newcomers, struct td_job *job,
			struct td_counter *counter, uint64_t now_ns,
			struct td_err *err);

/*
 * Between two rows, with --for-each-cgroup of who only shows counters: counts from now
 * on in cgroups that the list matches by now, and says so.  The names may move.
 */
void td_newcomers_look_for_cgroups(struct td_newcomers *newcomers,
				   struct td_job *job,
				   struct td_counter *counter, uint64_t now_ns);
void td_newcomers_free(struct td_newcomers *newcomers);

#endif
