/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/counter: the counters.  No other folder uses libperf.
 *
 * In: a plan, a machine and a target.
 * Out: struct td_readings, at each read.  What the kernel refuses is split,
 * left out or explained here (fall_back.h, open_error.h), and tasks that begin
 * and end are watched (task_watch.h).
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
 * The interface of counters: the kernel's through libperf (perf.c), or a
 * recording's (replay.c).
 */
struct td_counter;

struct td_counter_ops {
	/*
	 * Enables or disables an event and the group that it leads; -1 means
	 * all events.
	 */
	int (*enable)(struct td_counter *counter, bool on, int event,
		      struct td_err *err);
	/*
	 * Sets readings to the counts since the last read; they belong to the
	 * counter and stay valid until the next read.  A group that cannot be
	 * read now is tried again for patience_ns.  *time_ns is the time since
	 * counting began, unchanged if the counter does not know it.  Returns 1
	 * at the end of a recording.
	 */
	int (*read)(struct td_counter *counter, uint64_t patience_ns,
		    uint64_t *time_ns, struct td_readings *readings,
		    struct td_err *err);
	/*
	 * These are NULL unless counting per thread. add_task counts a new
	 * thread from now on, if the others are counting (-ESRCH if it has
	 * ended; life as in td_reading). end_task lets it be read once more.
	 * Its last values are part of all readings until forget_ended, which
	 * also makes the last readings invalid.
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

/* What to open.  All of it must outlive the counter. */
struct td_counter_setup {
	struct td_plan *plan;
	const struct td_machine *machine;
	struct td_target *target;
	struct td_notes *notes;
	/*
	 * The events are operands of metrics.  Then their names stay as formulas
	 * have them when only user space is counted, and a core without SLOTS
	 * counts nothing, because no metric would have a value.  Else each
	 * event stands for itself.
	 */
	bool for_metrics;
	/*
	 * Called after each perf_event_open(2), with the descriptor or a
	 * negative errno; may be NULL.
	 */
	void (*opened)(void *ctx, const struct perf_event_attr *attr, int pid,
		       int cpu, int group_fd, int fd);
	void *ctx;
};

/*
 * Opens the plan's groups, disabled.  A group that the kernel cannot schedule
 * is split, and a typed event that it cannot count is refused (both change
 * plan); what this user may not count is excluded (in target).  Notes say so,
 * also later about CPUs that go offline. -ESRCH if a task of target has ended;
 * per thread, if all have.
 */
int td_counter_perf_open(struct td_counter **out,
			 const struct td_counter_setup *setup,
			 struct td_err *err);

struct td_recording;
/* Reads the intervals of a recording, which is borrowed. */
int td_counter_replay_open(struct td_counter **out,
			   struct td_recording *recording, struct td_err *err);

#endif
