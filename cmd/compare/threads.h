/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_COMPARE_THREADS_H
#define TD_CMD_COMPARE_THREADS_H

#include "lib/base/index.h"
#include "lib/count/readings.h"
#include "lib/target/tasks.h"

/* The first thread of each name, for all that are called so. */
struct td_threads {
	struct td_thread_first {
		char *name;
		int tid, life;
	} * v;
	size_t nr;
	struct td_index index;
};

/*
 * Gives the counts of threads to the first thread of the same name: tids differ
 * from run to run.  Returns 0 or -ENOMEM.
 */
int td_threads_join(struct td_threads *threads,
		    const struct td_task_names *names,
		    struct td_readings *readings);
void td_threads_free(struct td_threads *threads);

#endif
