/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "lib/event/event.h"
#include "lib/machine/pmu.h"
#include "lib/plan/plan.h"
#include "lib/target/target.h"

/* Questions to the kernel: events are opened to see its answer. */

/*
 * Opens the dummy event in user space, which every user may.  pid, cpu and flags as
 * for perf_event_open(2), whose result it returns.
 */
int td_dummy_open(int pid, int cpu, unsigned long flags);
/* Returns false if the kernel has no perf_event controller in the cgroup of a descriptor. */
bool td_cgroup_probe(int fd, int cpu);

/*
 * Checks a filter of the tracepoint with this id.  Returns -EINVAL if the kernel refuses
 * it; 0 also if the kernel cannot be asked.
 */
int td_tracepoint_ask(uint64_t id, const char *filter);
/*
 * Checks if a system call filter forbids perf_event_open(2), as in containers and services,
 * regardless of kernel.perf_event_paranoid and capabilities.  rc is the negative errno of
 * the call.  If so, sets err, whose message begins with what, and returns true.
 */
bool td_filter_error(struct td_err *err, int rc, const char *what);

/* Lists the CPUs in cpus that have gone offline, on which the kernel opens no events. */
void td_find_offline(const struct td_ints *cpus, struct td_ints *out);

/*
 * Returns false if SLOTS cannot be counted, without which there are no PERF_METRICS: if the
 * processor lacks the counter (in a virtual machine), or if another program holds it with
 * a pinned event on the PMU's first CPU and this user may count there.  Returns true if
 * unknown.  Uses the counter only for a moment.
 */
bool td_slots_probe(const struct td_pmu *pmu);

/*
 * Finds the counters of the cores that other programs, the NMI watchdog or a hypervisor
 * hold.  Tries the largest group of plan in the calling thread (system wide: on each CPU that
 * is counted, but on at most 16 that are not idle), or asks the kernel which counters a few
 * events get; only if it never runs, more groups, each for up to 40 ms.  For tasks, tries the CPUs
 * of other core types only if counters of the thread's CPU are held.  Sets held_general,
 * held_fixed and held_cpu of the machine's PMUs, whose plans then suit each CPU, and returns
 * true if some are held.  Without a plan, all counters are tried, and, not system wide,
 * nmi_watchdog becomes false if the watchdog holds no counter, or another one than that of cycles.
 */
bool td_find_held(const struct td_plan *plan, struct td_machine *machine,
		  const struct td_target *target);
/*
 * Returns true if the NMI watchdog, which is on, holds no counter of this thread's CPU, as the buddy
 * detector of Linux 6.5 and later; false also if that is unknown, or another program holds it.
 */
bool td_watchdog_is_idle(const struct td_machine *machine);
/*
 * Sets *text to the held counters, "cpu: 1 of 8 general counters, the counter of cycles",
 * or NULL.  The caller frees it.
 */
void td_held_text(const struct td_machine *machine, char **text);

/*
 * Pins groups of tasks that would never get their counters because other programs count
 * whole CPUs with them: the kernel gives these the counters first, unless the group of the
 * task is pinned (ctx_sched_in() in kernel/events/core.c).  Only the single group of a PMU
 * is tried, in the calling thread on one of its CPUs, because several are multiplexed.  A
 * group that cannot be opened, or does not run even when pinned, stays unpinned.
 */
void td_pin_starved(struct td_plan *plan, const struct td_machine *machine,
		    const struct td_target *target);
/*
 * Returns true if a group, in the calling thread, is not counted on one of these CPUs that are its
 * PMU's.  Tries at most 16.
 */
bool td_is_starved(const struct td_plan *plan, const struct td_group *group,
		   const struct td_machine *machine, const struct td_target *target,
		   const struct td_ints *cpus);

/*
 * Returns the frequency of the time-stamp counter that the kernel has measured, for
 * processors whose CPUID lacks it; 0 if unknown.
 */
uint64_t td_tsc_hz_of_kernel(void);

/* Returns true if the event cannot be counted without the kernel. */
bool td_event_needs_kernel(const struct td_event *event, const char *pmu);
/* Explains the kernel's refusal (rc, a negative errno) to open event on pmu. */
int td_open_error(struct td_err *err, int rc, const struct td_event *event, const char *pmu,
		  const struct td_target *target);
