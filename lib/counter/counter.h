/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/counter: the counters.  Only this directory and lib/sample use libperf.
 *
 * In: a plan, a machine and a target.
 * Out: struct td_readings, at each read.  Groups that the kernel refuses are split,
 * left out or explained here (fall_back.c, probe.h), and tasks that begin and end are
 * watched (tasks.h).
 */
#pragma once

#include "lib/count/readings.h"
#include "lib/machine/machine.h"
#include "lib/plan/plan.h"
#include "lib/target/target.h"

/* Setup of a counter.  All members must outlive it. */
struct td_counter_setup {
	struct td_plan *plan;
	const struct td_machine *machine;
	struct td_target *target;
	struct td_notes *notes;
	/*
	 * The events are operands of metrics: their names, which formulas use, do not change
	 * if only user space is counted, and a core without SLOTS counts nothing, because no
	 * metric would have a value.
	 */
	bool for_metrics;
	/*
	 * Open the groups of families when they are first enabled: each fork of a
	 * counted task copies all its open events, and many CPUs need many
	 * descriptors.  Not supported per thread.
	 */
	bool open_late;
	/*
	 * Called after each perf_event_open(2), with the descriptor or a
	 * negative errno; may be NULL.
	 */
	void (*opened)(void *ctx, const struct perf_event_attr *attr, int pid, int cpu,
		       int group_fd, int fd);
	void *ctx;
};

struct td_counter;

/*
 * Opens the plan's groups, disabled.  A group that the kernel cannot schedule is split, and a typed
 * event that it cannot count is refused (both change plan); modes that this user may not count are
 * excluded (in target).  Notes explain these changes, also later ones.  Returns -ESRCH if a task of
 * target has ended; per thread, if all have.
 */
int td_counter_open(struct td_counter **out, const struct td_counter_setup *setup,
		    struct td_err *err);
void td_counter_close(struct td_counter *counter); /* NULL is fine */
/* Enables or disables an event and the group that it leads; -1 means all events. */
int td_counter_enable(struct td_counter *counter, bool on, int event, struct td_err *err);
/*
 * Enables the groups of these families of the plan, and disables those of all others; at first, all
 * are disabled.  Groups without a family are always enabled.  td_counter_enable() switches only
 * groups of enabled families.  In the readings, a group does not run while its family is disabled.
 *
 * With open_late, groups that are enabled for the first time are opened in tasks: the tasks of the
 * target and those that they have started since (empty for CPUs).  Returns 1 if a task has ended;
 * then the groups stay disabled until the next call.
 */
int td_counter_enable_families(struct td_counter *counter, const struct td_ints *enabled,
			       const struct td_ints *tasks, struct td_err *err);
/*
 * Returns true if a group of metrics did not run for a second, or in tasks for the time in which all
 * groups usually run.  Another program may hold its counters on some CPUs or all.
 */
bool td_counter_is_starved(const struct td_counter *counter);
/*
 * Splits starved groups in two halves, with a note; tasks as in
 * td_counter_enable_families().  After a short wait, first tries a group on some of cpus, those of
 * the tasks.  Returns 1 if a task has ended; then it may be called again.
 */
int td_counter_split_starved(struct td_counter *counter, const struct td_ints *tasks,
			     const struct td_ints *cpus, struct td_err *err);
/*
 * Sets readings to the counts since the last read; they belong to the counter and stay valid until
 * the next read.  A group that cannot be read yet is retried for retry_ns.
 */
int td_counter_read(struct td_counter *counter, uint64_t retry_ns, struct td_readings *readings,
		    struct td_err *err);

/*
 * Lists the CPUs whose counters were dead at the last reads; free the list with td_ints_free().  A
 * CPU that goes offline and a cgroup that is removed lose their counters.  Reopened counters
 * continue the same readings, without the time in between.
 */
void td_counter_list_dead(struct td_counter *counter, struct td_ints *cpus);
/*
 * Also counts on CPUs that came online after the start and were added to the machine;
 * their readings follow the others.  May be retried after an error.
 */
int td_counter_add_cpus(struct td_counter *counter, const struct td_ints *cpus);
/*
 * Reopens the dead counters of these CPUs.  Returns the first error; counters that cannot
 * be opened stay dead.
 */
int td_counter_open_cpus(struct td_counter *counter, const struct td_ints *cpus);
/*
 * Reopens the counters of a cgroup whose descriptor has changed.  Returns the first error,
 * -ENOENT if the kernel does not count events there (yet); then it may be retried.
 */
int td_counter_open_cgroup(struct td_counter *counter, size_t index);

/*
 * Also counts in a cgroup that was added after the start; its readings follow all
 * others.  After an error it is not counted.
 */
int td_counter_add_cgroup(struct td_counter *counter, size_t index);

/*
 * Per thread: also counts a new thread, enabled like the others; life as in td_reading.
 * Returns -ESRCH if it has ended.
 */
int td_counter_add_task(struct td_counter *counter, int tid, int life, struct td_err *err);
/* Marks a thread as ended: it is read once more. */
void td_counter_end_task(struct td_counter *counter, int tid);
/*
 * Removes ended threads, whose last values are part of all readings until then.  The
 * last readings become invalid.
 */
void td_counter_forget_ended(struct td_counter *counter);
