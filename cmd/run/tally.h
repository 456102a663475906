/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_RUN_TALLY_H
#define TD_CMD_RUN_TALLY_H

#include "lib/base/index.h"
#include "lib/count/course.h"
#include "lib/count/readings.h"

/* What was read since the last row, and since counting began. */
struct td_tally {
	struct td_readings sum; /* counts since the last row */
	struct td_index index;  /* of sum, for threads, which come and go */
	struct td_course
		course; /* of sum; without points for a table of events */
	/* Times of each event since counting began, if they are kept. */
	struct td_readings all;
	size_t nr_read;              /* number of readings of the last read */
	bool fresh;                  /* its counts are in no row yet */
	bool behind;                 /* it could not read some counters */
	bool ever_enabled, ever_ran; /* for any counter */
};

/*
 * Adds the counts of a read.  Per thread, readings come and go; otherwise all
 * reads give the same readings in the same order, and maybe more behind them.
 * Returns 0 or -ENOMEM.
 */
int td_tally_add(struct td_tally *tally, const struct td_readings *delta,
		 bool per_thread);
/* Adds the times to all, summed over CPUs and threads.  0 or -ENOMEM. */
int td_tally_add_times(struct td_tally *tally, size_t nr_events,
		       const struct td_readings *delta);
/* Begins a new row. */
void td_tally_clear_row(struct td_tally *tally, bool per_thread);
/* The longest time that an event was enabled, if times are kept. */
uint64_t td_tally_enabled_ns(const struct td_tally *tally);
void td_tally_free(struct td_tally *tally);

#endif
