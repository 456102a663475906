/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/plan: which events are counted together.
 *
 * In: events, and which of them belong together: the needs of metrics (build.c)
 * or groups that were typed (arrange.c).
 * Out: struct td_plan: groups that fit the counters of their PMUs.  What the
 * kernel refuses is taken out of it later.
 */
#ifndef TD_LIB_PLAN_PLAN_H
#define TD_LIB_PLAN_PLAN_H

#include <linux/perf_event.h>
#include <stddef.h>

#include "lib/base/err.h"
#include "lib/event/event.h"
#include "lib/machine/machine.h"
#include "lib/target/cgroup.h"
#include "lib/target/target.h"

/* Events that the kernel counts together; members[0] is the leader. */
struct td_group {
	int pmu;
	bool slots;             /* SLOTS is the leader: never split it */
	bool weak;              /* :W, break it if the kernel refuses it */
	bool pinned, exclusive; /* :D and :e */
	/*
	 * What nobody typed may be changed later: that these events share a
	 * group (may_split, set for all groups of the scheduler of metrics), and
	 * that the group is pinned (may_unpin).  If somebody else takes the
	 * counters of such a pinned group, it counts again as soon as it can,
	 * unless it samples; a group with :D stays stopped, as in perf.
	 */
	bool may_split, may_unpin;
	int *members; /* indices of the plan's events */
	size_t nr;
	int cgroup; /* 0 for none, else 1 + index in the target's */
	/*
	 * reference is the event (slots or cycles) by which groups that take
	 * turns are scaled, or -1.  Its first group has it as a member; every
	 * further group of the PMU has a copy, clone (else -1), because only
	 * slots that were counted at the same time give a group's share of them.
	 */
	int reference, clone;
	/* --no-multiplex: the run that counts it, from 1; 0: every run does */
	unsigned int set;
	/*
	 * The family that it is counted for, as in td_schedule: it is disabled
	 * until the family is enabled.  0: it is always enabled.
	 */
	int family;
	/*
	 * The average number of groups of its PMU that count at the same time,
	 * from which the time of a task on one kind of core is estimated. 0 if
	 * the PMU is on all CPUs, where a task always has it.  Less than 1 where
	 * groups that are sampled have turns, too (td_plan_share_turns()).
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
	 * read of another CPU interrupts it.  Not set if events are enabled,
	 * disabled or given cgroups one by one.
	 */
	bool gathers;
	/* --no-multiplex: number of runs that count it all; 0, 1: one run */
	unsigned int nr_sets;
	struct td_group *parked; /* the groups of the other runs: sets.h */
	size_t nr_parked;
};

/* The events of one value, best counted in one group. */
struct td_need {
	int *events;
	size_t nr;
	int rank;       /* lower ranks are placed first: the level */
	bool may_split; /* its events may be in different groups */
};

/* Input of td_plan_build() besides the events. */
struct td_schedule {
	const struct td_need *needs;
	size_t nr_needs;
	/*
	 * For each PMU an event that all groups count, or -1.  References may
	 * be NULL. Without one and with always set, an event of a fixed counter
	 * is used if groups take turns.
	 */
	const int *references;
	/*
	 * Pin the events of ranks 1 and 2, or else of rank 1, in a group of
	 * their own, on PMUs whose counters hold them beside any other event.
	 */
	bool always;
	/*
	 * For each event the family whose groups count it, from 1, or 0: then
	 * it is counted all the time.  No group has events of two families.
	 * NULL: there are no families.
	 */
	const int *families;
	bool single; /* one group for each event, but fields stay with SLOTS */
	/*
	 * Count the clocks of each core PMU, too (clocks.h), if this takes no
	 * counter from other events.
	 */
	bool clocks;
};

/*
 * The scheduler of metrics.  Pure.  plan->events are given, each with its PMU;
 * the groups are filled in.  On each PMU, SLOTS comes first with its fields
 * behind it, then other events as far as the counters hold them.  The events of
 * a need stay together if they fit, and there are no more groups than the
 * counters require.
 */
int td_plan_build(struct td_plan *plan, const struct td_machine *machine,
		  const struct td_schedule *schedule, struct td_err *err);
/*
 * The scheduler of typed events.  Pure.  plan->events and plan->gathers are
 * given.  Groups are as typed, except that a group has one PMU, that SLOTS is
 * first and is added if it is missing, and that its fields join it wherever
 * they were typed (perf 7.2's rules, tools/perf/util/parse-events.c and
 * arch/x86/util/evlist.c; unlike there, a group typed with SLOTS stays
 * together). notes say what is not as typed.
 */
int td_plan_arrange(struct td_plan *plan, const struct td_machine *machine,
		    struct td_notes *notes, struct td_err *err);
/*
 * Finds reference and clone of recorded groups: a clone has the name of an
 * earlier event of its PMU. clones says for each event if it may be one; NULL:
 * all may.
 * Returns 0 or -ENOMEM.
 */
int td_plan_find_clones(struct td_plan *plan, const bool *clones);
void td_plan_free(struct td_plan *plan);
/* True if some groups are disabled until their family is enabled. */
bool td_plan_has_families(const struct td_plan *plan);
/*
 * Returns for each event the index of its first group, or -1.  The caller frees
 * it; NULL means out of memory.
 */
int *td_plan_groups(const struct td_plan *plan);
/* The same in an array of the caller's. */
void td_plan_fill_groups(const struct td_plan *plan, int *groups);

/*
 * Splits a group that the kernel refused into two.  Typed groups, groups with
 * SLOTS, pinned groups and single events cannot be split.
 */
bool td_plan_can_split(const struct td_group *group);
int td_plan_split(struct td_plan *plan, size_t group, struct td_err *err);

/*
 * Breaks a weak group into single events; fields stay with SLOTS. Breakable
 * means that there is an event to take out.
 */
bool td_plan_is_breakable(const struct td_plan *plan, size_t group);
int td_plan_break(struct td_plan *plan, size_t group, struct td_err *err);

/* True if no other group is its PMU's. */
bool td_plan_is_alone(const struct td_plan *plan, const struct td_group *group);

/*
 * Removes a member that the kernel refused, and the fields if it is SLOTS. why
 * is for the user.  A group that becomes empty is removed, too.
 */
int td_plan_refuse(struct td_plan *plan, size_t group, size_t member,
		   const char *why, struct td_err *err);

/* The attr for perf_event_open() of the i-th member of a group. */
struct perf_event_attr td_plan_attr(const struct td_plan *plan,
				    const struct td_group *group, size_t i,
				    const struct td_target *target);

/*
 * The CPUs to open a PMU's groups on, system wide.  *out may be empty.  Returns
 * 0 or -ENOMEM.
 */
int td_plan_cpus(const struct td_pmu *pmu, const struct td_target *target,
		 struct td_ints *out);
/* *why, which is to be freed: that -C has none of these CPUs, or NULL if it has. */
int td_plan_lacks_cpus(const struct td_pmu *pmu, const struct td_target *target,
		       char **why);

/* Building blocks of the schedulers.  Out of memory gives NULL or -ENOMEM. */

/* Adds an empty group.  Pointers to other groups become invalid. */
struct td_group *td_plan_new_group(struct td_plan *plan, int pmu);
int td_group_add(struct td_group *group, const int *events, size_t nr);
/* Copies the reference event into another group. */
int td_plan_add_clone(struct td_plan *plan, struct td_group *group,
		      int reference);

/*
 * Assigns the cgroups of -G to the groups: the first cgroup to the first event
 * of the text, and so on.  A single cgroup is for the first nr_specs events,
 * those typed before -G. It is a usage error if events of one group differ, or
 * if there are fewer events than cgroups.
 */
int td_cgroups_assign(struct td_plan *plan, const struct td_cgroups *cgroups,
		      int nr_specs, struct td_err *err);

#endif
