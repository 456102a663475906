/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/counter: the counters.  No other folder uses libperf.
 *
 * In: a plan, a machine and a target.
 * Out: struct td_readings each time that somebody looks.  What the kernel refuses
 * is split, left out or explained here (fall_back.h, open_error.h), and tasks
 * that begin and end are watched (task_watch.h).
 */
#ifndef TD_LIB_COUNTER_COUNTER_H
#define TD_LIB_COUNTER_COUNTER_H

#include <stdbool.h>

#include "lib/base/notes.h"
#include "lib/count/readings.h"
#include "lib/machine/machine.h"
#include "lib/plan/plan.h"
#include "lib/target/target.h"

/*
 * The door to the counters: the kernel's through libperf
 * (perf.c), or a recording's (replay.c).
 */
struct td_counter;

struct td_counter_ops {
	/* Starts or stops: event, and what it leads; -1: all of them. */
	int (*enable)(struct td_counter *counter, bool on, int event,
		      struct td_err *err);
	/*
	 * What was counted since the last read; the readings belong to the
	 * counter and hold until the next read.  patience_ns: how long to wait
	 * for a group that cannot be read at the moment.  *time_ns: since
	 * counting began, left alone by a counter that does not know.  1: there
	 * is no more (a recording's end).
	 */
	int (*read)(struct td_counter *counter, uint64_t patience_ns,
		    uint64_t *time_ns, struct td_readings *readings,
		    struct td_err *err);
	/*
	 * Per thread, NULL else: one that began is counted from now on, if the
	 * others are (-ESRCH: it has ended already; life: as td_reading has it),
	 * one that ended is read once more; what was read for the last time is
	 * in all readings to come until it is forgotten, which ends the
	 * readings of before.
	 */
	int (*add_task)(struct td_counter *counter, int tid, int life,
			struct td_err *err);
	void (*end_task)(struct td_counter *counter, int tid);
	void (*forget_ended)(struct td_counter *counter);
	void (*close)(struct td_counter *counter);
};

struct td_counter {
	const struct td_counter_ops *ops;
};

static inline void td_counter_close(struct td_counter *counter)
{
	if (counter)
		counter->ops->close(counter);
}

/* What is to be opened; all of it outlives the counter. */
struct td_counter_setup {
	struct td_plan *plan;
	const struct td_machine *machine;
	struct td_target *target;
	struct td_notes *notes;
	/* Told of each perf_event_open(2), fd or negative errno; may be NULL. */
	void (*opened)(void *ctx, const struct perf_event_attr *attr, int pid,
		       int cpu, int group_fd, int fd);
	void *ctx;
};

/*
 * Opens the plan's groups, stopped.  A group that the kernel cannot schedule
 * is split (in plan), an event of the user's that it does not count is refused
 * (in plan), and what may not be counted is left out (in target): notes say
 * so, also later of CPUs that went away.  -ESRCH: a task of target has ended;
 * per thread, all of them.
 */
int td_counter_perf_open(struct td_counter **out,
			 const struct td_counter_setup *setup,
			 struct td_err *err);

struct td_recording;
/* recording is borrowed. */
int td_counter_replay_open(struct td_counter **out,
			   struct td_recording *recording, struct td_err *err);

#endif
