/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/plan: which events are counted together.
 *
 * In: events, and which of them belong together: the needs of metrics (build.c) or typed groups
 * (arrange.c).
 * Out: struct td_plan: groups that fit the counters of their PMUs.  Events that the kernel refuses
 * are removed later.
 */
#pragma once

#include <linux/perf_event.h>

#include "lib/event/event.h"
#include "lib/machine/machine.h"
#include "lib/target/cgroup.h"
#include "lib/target/target.h"

/* Events that the kernel counts together; members[0] is the leader. */
struct td_group {
	int pmu;
	bool slots;             /* the leader is SLOTS, so the group is never split */
	bool weak;              /* :W, break the group if the kernel refuses it */
	bool pinned, exclusive; /* :D and :e */
	bool may_split;         /* the group was not typed, so its events may be separated */
	/*
	 * The group was not typed with :D.  If another program takes its counters, it counts again
	 * as soon as possible, unless it samples.  With :D it stays stopped, as in perf.
	 */
	bool may_unpin;
	bool ran;     /* td_pin_starved() has tried the group, and it was counted */
	int *members; /* indices of the plan's events */
	size_t nr;
	int cgroup; /* 1 + index in the target's cgroups; 0: none */
	/*
	 * reference is the event (slots or cycles) with which multiplexed groups are scaled, or -1.
	 * It is a member of the first group of the PMU.  Each further group contains a copy, clone
	 * (else -1), because shares of slots need slots that were counted at the same time.
	 */
	int reference, clone;
	/* --no-multiplex: the run that counts the group, from 1; 0: every run */
	unsigned int set;
	/*
	 * family, as in td_schedule: the group is disabled until the family starts; 0: never
	 * disabled
	 */
	int family;
	/*
	 * The average number of groups of the PMU that count at the same time, used to estimate the
	 * time of a task on one core type.  0 if the PMU covers all CPUs.  Less than 1 if groups of
	 * a sampler are multiplexed with those of the plan (td_plan_share_turns()).
	 */
	double at_once;
};

/* The events and groups to open.  Free with td_plan_free(). */
struct td_plan {
	struct td_events events;
	struct td_group *groups;
	size_t nr_groups;
	/*
	 * Software events typed outside of {} go into one group, because each
	 * read on another CPU interrupts that CPU.  Not set if events are enabled,
	 * disabled or given cgroups one by one.
	 */
	bool gathers;
	/* --no-multiplex: number of runs that together count all groups; 0, 1: one run */
	unsigned int nr_sets;
	struct td_group *parked; /* groups of other runs (fit.h) */
	size_t nr_parked;
};

/* The events of one value, best counted in one group. */
struct td_need {
	int *events;
	size_t nr;
	int rank;       /* the level; lower ranks are placed first */
	bool may_split; /* its events may be in different groups */
};

/* Input of td_plan_build() besides the events. */
struct td_schedule {
	const struct td_need *needs;
	size_t nr_needs;
	/*
	 * For each PMU, the reference event that all its groups count, or -1; NULL: all -1.  If
	 * always is set, a multiplexed PMU without a reference gets an event of a fixed counter.
	 */
	const int *references;
	/*
	 * Pin the events of ranks 1 and 2, or of rank 1 if both do not fit, in a group of their
	 * own.  This is done on PMUs where it leaves counters for any other event.
	 */
	bool always;
	/*
	 * For each event, the family whose groups count it, from 1; 0: counted all the
	 * time.  No group contains events of two families.  NULL: without families.
	 */
	const int *families;
	bool single; /* make one group for each event, except that fields stay with SLOTS */
	/* also count the clocks of each core PMU (clocks.h), if that takes no counter */
	bool clocks;
};

/*
 * Schedule the events of metrics: fill in the groups of plan->events, each with its PMU.
 * Pure.  On each PMU, SLOTS comes first and its fields follow, then other events as far as
 * the counters hold them.  The events of a need stay together if they fit, and there are
 * no more groups than the counters require.
 */
int td_plan_build(struct td_plan *plan, const struct td_machine *machine,
		  const struct td_schedule *schedule, struct td_err *err);
/*
 * Schedule typed events: fill in the groups of plan->events.  Pure.  Groups are as typed, with
 * three exceptions: a group has one PMU, SLOTS is first and is added if it is missing, and
 * fields join SLOTS wherever they were typed.  These are the rules of perf 7.2
 * (tools/perf/util/parse-events.c and arch/x86/util/evlist.c), except that a group typed with
 * SLOTS stays together.  Differences from the typed text are noted.
 */
int td_plan_arrange(struct td_plan *plan, const struct td_machine *machine, struct td_notes *notes,
		    struct td_err *err);
/*
 * Find reference and clone of recorded groups: a clone has the name of an earlier event of
 * its PMU.  clones: for each event, whether it may be a clone; NULL: all may.
 */
void td_plan_find_clones(struct td_plan *plan, const bool *clones);
void td_plan_free(struct td_plan *plan);
/* Are there groups that are disabled until their family is enabled? */
bool td_plan_has_families(const struct td_plan *plan);
/* Does the plan have events of the PMU? */
bool td_plan_uses(const struct td_plan *plan, int pmu);
/* Does the plan have groups of the PMU? */
bool td_plan_has_groups(const struct td_plan *plan, int pmu);
/* Returns for each event the index of its first group, or -1; the caller frees it. */
int *td_plan_groups(const struct td_plan *plan);
/* Fill an array of the caller with the index of each event's first group, or -1. */
void td_plan_fill_groups(const struct td_plan *plan, int *groups);

/*
 * Split a group that the kernel refused into two.  Typed groups, groups with SLOTS, pinned
 * groups and single events cannot be split.
 */
bool td_plan_can_split(const struct td_group *group);
int td_plan_split(struct td_plan *plan, size_t group, struct td_err *err);

/* Break a weak group into single events; fields stay with SLOTS. */
bool td_plan_is_breakable(const struct td_plan *plan, size_t group);
void td_plan_break(struct td_plan *plan, size_t group);

/* Is it the only group of its PMU? */
bool td_plan_is_alone(const struct td_plan *plan, const struct td_group *group);

/*
 * Remove a member that the kernel refused, with the fields if it is SLOTS, and the group if it
 * is empty then.  why is the reason for the user.
 */
void td_plan_refuse(struct td_plan *plan, size_t group, size_t member, const char *why);

/* Return the attr for perf_event_open() of the i-th member of a group. */
struct perf_event_attr td_plan_attr(const struct td_plan *plan, const struct td_group *group,
				    size_t i, const struct td_target *target);

/* Find the CPUs on which to open a PMU's groups, system wide.  *out may be empty. */
void td_plan_cpus(const struct td_pmu *pmu, const struct td_target *target, struct td_ints *out);
/*
 * Returns the message that -C contains none of the PMU's CPUs, which the caller frees; NULL if
 * it contains some.
 */
char *td_plan_lacks_cpus(const struct td_pmu *pmu, const struct td_target *target);

/* --- building blocks of the schedulers ------------------------------------- */

/* Add an empty group.  Pointers to other groups become invalid. */
struct td_group *td_plan_new_group(struct td_plan *plan, int pmu);
void td_group_add(struct td_group *group, const int *events, size_t nr);
/* Add a copy of an event to the plan's events; returns its index. */
int td_plan_copy_event(struct td_plan *plan, int index);
/* Copy the reference event into another group. */
void td_plan_add_clone(struct td_plan *plan, struct td_group *group, int reference);

/*
 * Assign the cgroups of -G to the groups: the first cgroup to the first event of the text, and so
 * on.  A single cgroup applies to the first nr_specs events, those typed before -G.  Events of one
 * group with different cgroups are a usage error, and so are fewer events than cgroups.
 */
int td_cgroups_assign(struct td_plan *plan, const struct td_cgroups *cgroups, int nr_specs,
		      struct td_err *err);
