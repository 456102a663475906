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
	bool refused;      /* it is back, and could not be counted */
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
int td_offline_follow(struct td_offline *offline, struct td_job *job,
		      struct td_counter *counter, uint64_t now_ns,
		      struct td_err *err);
/* After an error of opening what is there again: notes what would allow it. */
void td_offline_note_rights(struct td_job *job, int rc);
void td_offline_free(struct td_offline *offline);

#endif
