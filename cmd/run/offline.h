/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_RUN_OFFLINE_H
#define TD_CMD_RUN_OFFLINE_H

#include <stdbool.h>

#include "cmd/plan/job.h"
#include "lib/counter/counter.h"

/* A CPU whose counters went away with it. */
struct td_offline_cpu {
	int cpu;
	uint64_t since_ns; /* it was counted at least up to here */
	bool said;         /* that it went */
};

/* The CPUs that are not counted at the moment. */
struct td_offline {
	struct td_offline_cpu *v;
	size_t nr;
	uint64_t read_ns; /* time of the last read */
};

/*
 * After a read, which was at now_ns: says which CPUs went offline, and counts on
 * those that are back.
 */
int td_offline_follow(struct td_offline *offline, const struct td_job *job,
		      struct td_counter *counter, uint64_t now_ns,
		      struct td_err *err);
void td_offline_free(struct td_offline *offline);

#endif
