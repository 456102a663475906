/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_COUNTER_PROBE_H
#define TD_LIB_COUNTER_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/base/ints.h"
#include "lib/event/event.h"
#include "lib/machine/pmu.h"
#include "lib/plan/plan.h"
#include "lib/target/target.h"

/* What the kernel answers when an event is opened that counts nothing. */

/*
 * Opens the dummy event in user space, which every user may.  pid, cpu and flags as
 * for perf_event_open(2); returns what that does.
 */
int td_dummy_open(int pid, int cpu, unsigned long flags);

/*
 * Containers and services forbid perf_event_open(2) to whoever is in them, whatever
 * kernel.perf_event_paranoid and capabilities say.
 *
 * Call it with the negative errno of a call that failed.  If such a filter is the
 * reason, sets err, whose message begins with what failed, and returns true.
 */
bool td_filter_error(struct td_err *err, int rc, const char *what);

/*
 * Lists those of cpus that have gone offline: the kernel opens no event there.
 * Returns 0 or -ENOMEM; free *out with td_ints_free().
 */
int td_find_offline(const struct td_ints *cpus, struct td_ints *out);

/*
 * Can SLOTS be counted, without which there are no PERF_METRICS?  No, where the
 * processor that the kernel sees lacks the counter (in a virtual machine), or
 * where somebody else has it all the time (a pinned event) on the PMU's first CPU,
 * if this user may count there.  True also if the kernel does not say.  Takes
 * turns with others for a moment, and has no need of the counter for longer.
 */
bool td_slots_probe(const struct td_pmu *pmu);

/*
 * Finds out which counters of the cores somebody else has all the time: other programs,
 * the NMI watchdog, a hypervisor.  Tries the largest group of plan in the calling thread
 * (system wide: on the first CPU that is counted); only if it never runs, more groups,
 * each for up to 40 ms.  Sets held_general and held_fixed of the machine's PMUs, and
 * returns true if some are held: a plan made with them does without.  Without a plan,
 * all of the counters are tried.
 */
bool td_find_held(const struct td_plan *plan, struct td_machine *machine,
		  const struct td_target *target);
/*
 * "cpu: 1 of 8 general counters, the counter of cycles": what was found.  *text is NULL
 * if it is nothing, and has to be freed.  Returns 0 or -ENOMEM.
 */
int td_held_text(const struct td_machine *machine, char **text);

/*
 * Pins groups of tasks that would never get their counters, as others count whole CPUs
 * with them: the kernel gives these the counters first, unless the group of the task is
 * pinned (ctx_sched_in() in kernel/events/core.c).  Groups of one PMU take turns, so
 * only one that is alone is tried, in the calling thread on one of its CPUs.  One that
 * cannot be opened, or has no counters pinned either, stays as it is.
 */
void td_pin_starved(struct td_plan *plan, const struct td_machine *machine,
		    const struct td_target *target);

/*
 * The frequency that the kernel has found for the time-stamp counter; 0 if it
 * gives none.  For processors whose CPUID does not have it.
 */
uint64_t td_tsc_hz_of_kernel(void);

/* True if the event cannot be counted without the kernel. */
bool td_event_needs_kernel(const struct td_event *event, const char *pmu);
/* Explains the kernel's refusal (rc, a negative errno) to open event on pmu. */
int td_open_error(struct td_err *err, int rc, const struct td_event *event,
		  const char *pmu, const struct td_target *target);

#endif
