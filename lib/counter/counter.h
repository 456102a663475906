/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/counter: the counters.  No other folder uses libperf.
 *
 * In: a plan, a machine and a target.
 * Out: struct td_readings, at each read.  What the kernel refuses is split,
 * left out or explained here (fall_back.c, probe.h), and tasks that begin
 * and end are watched (tasks.h).
 */
#ifndef TD_LIB_COUNTER_COUNTER_H
#define TD_LIB_COUNTER_COUNTER_H

#include <stdbool.h>

#include "lib/base/err.h"
#include "lib/count/readings.h"
#include "lib/machine/machine.h"
#include "lib/plan/plan.h"
#include "lib/target/target.h"

/* What to open.  All of it must outlive the counter. */
struct td_counter_setup {
	struct td_plan *plan;
	const struct td_machine *machine;
	struct td_target *target;
	struct td_notes *notes;
	/*
	 * The events are operands of metrics.  Then their names stay as
	 * formulas have them when only user space is counted, and a core
	 * without SLOTS counts nothing, because no metric would have a value.
	 * Else each event stands for itself.
	 */
	bool for_metrics;
	/*
	 * The groups of families are opened when they are first enabled: each
	 * fork of a counted task copies all its open events, and many CPUs take
	 * many descriptors.  Not per thread.
	 */
	bool open_late;
	/*
	 * Called after each perf_event_open(2), with the descriptor or a
	 * negative errno; may be NULL.
	 */
	void (*opened)(void *ctx, const struct perf_event_attr *attr, int pid,
		       int cpu, int group_fd, int fd);
	void *ctx;
};

struct td_counter;

/*
 * Opens the plan's groups, disabled.  A group that the kernel cannot schedule
 * is split, and a typed event that it cannot count is refused (both change
 * plan); what this user may not count is excluded (in target).  Notes say so,
 * also later. -ESRCH if a task of target has ended;
 * per thread, if all have.
 */
int td_counter_open(struct td_counter **out,
		    const struct td_counter_setup *setup, struct td_err *err);
void td_counter_close(struct td_counter *counter); /* NULL is fine */
/*
 * Enables or disables an event and the group that it leads; -1 means all
 * events.
 */
int td_counter_enable(struct td_counter *counter, bool on, int event,
		      struct td_err *err);
/*
 * reopen.c: enables the groups of these families (of the plan), and disables those
 * of all others; at first, all are disabled.  Groups of no family are always enabled.
 * td_counter_enable() switches only groups of enabled families.  In the readings, a
 * group does not run while its family is disabled.
 *
 * With open_late, groups that are enabled for the first time are opened in tasks:
 * those of the target and what they have started since; CPUs need none.  Returns 1
 * if some of these have ended meanwhile: then the groups stay disabled, and the next
 * call opens them.
 */
int td_counter_enable_families(struct td_counter *counter,
			       const struct td_ints *enabled,
			       const struct td_ints *tasks, struct td_err *err);
/*
 * Sets readings to the counts since the last read; they belong to the counter
 * and stay valid until the next read.  A group that cannot be read now is tried
 * again for retry_ns.
 */
int td_counter_read(struct td_counter *counter, uint64_t retry_ns,
		    struct td_readings *readings, struct td_err *err);

/*
 * reopen.c: a CPU that goes offline takes its counters with it for good; so does a
 * cgroup that is removed.  Counters that are opened anew are the same ones for
 * whoever reads: differences go on, without the time in between.
 *
 * Lists the CPUs with counters that the last reads found dead; free it with
 * td_ints_free().  Returns 0 or -ENOMEM.
 */
int td_counter_list_dead(struct td_counter *counter, struct td_ints *cpus);
/*
 * Counts from now on on CPUs that came online since the start, too, which are the
 * machine's by now; their readings stand behind the others.  After an error it may
 * be tried again.
 */
int td_counter_add_cpus(struct td_counter *counter, const struct td_ints *cpus);
/*
 * Opens the dead ones of these CPUs anew.  Returns the first error; what cannot be
 * opened stays dead.
 */
int td_counter_open_cpus(struct td_counter *counter,
			 const struct td_ints *cpus);
/*
 * Opens what counts in a cgroup anew, whose descriptor is that of another one now.
 * Returns the first error, -ENOENT if the kernel counts no events there, or not
 * yet; then it may be tried again.
 */
int td_counter_open_cgroup(struct td_counter *counter, size_t index);

/*
 * Counts from now on in a cgroup behind those of the start, too; its readings stand
 * behind all others.  After an error nothing of it is counted.
 */
int td_counter_add_cgroup(struct td_counter *counter, size_t index);

/*
 * sets.c: for counting per thread.  The first counts a new thread from now
 * on, if the others are counting (-ESRCH if it has ended; life as in
 * td_reading).
 */
int td_counter_add_task(struct td_counter *counter, int tid, int life,
			struct td_err *err);
/* Lets an ended thread be read once more. */
void td_counter_end_task(struct td_counter *counter, int tid);
/*
 * Drops the last values of ended threads, which are part of all readings until
 * then.  The last readings become invalid.
 */
void td_counter_forget_ended(struct td_counter *counter);

#endif
