/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/plan: which events are counted together.
 *
 * In: events, and which of them belong together: the needs of metrics (build.c)
 * or groups that were typed (asked.c).
 * Out: struct td_plan: groups that fit the counters of their PMUs.  What the
 * kernel refuses is taken out of it later (split.c).
 */
#ifndef TD_LIB_PLAN_PLAN_H
#define TD_LIB_PLAN_PLAN_H

#include <linux/perf_event.h>
#include <stddef.h>

#include "lib/base/notes.h"
#include "lib/event/event.h"
#include "lib/machine/machine.h"
#include "lib/target/target.h"

/* Events that the kernel counts together: members[0] leads. */
struct td_group {
	int pmu;
	bool slots;             /* led by SLOTS: must never be split */
	bool weak;              /* :W: taken apart when the kernel refuses it */
	bool pinned, exclusive; /* :D, :e */
	int *members;           /* indices of the plan's events */
	size_t nr;
	int cgroup; /* 0: none, else 1 + an index of the target's */
	/*
	 * The PMU's reference event (slots, cycles), -1: it has none.  Its
	 * first group holds it; further groups count it once more, as their own
	 * event clone, -1: not a further group.  Groups that take turns see
	 * different moments: what share of the slots an event is, only the
	 * slots of its own moments say.
	 */
	int reference, clone;
	/*
	 * How many groups of its PMU count side by side, on average: what a
	 * task's time on one kind of core is told from.  0: its PMU is on all
	 * CPUs, and the task always has it.
	 */
	double at_once;
};

/* What to open.  Free with td_plan_free(). */
struct td_plan {
	struct td_event *events;
	size_t nr_events;
	struct td_group *groups;
	size_t nr_groups;
	bool asked; /* of events that were typed: each stands for itself */
	/*
	 * Software events that were typed alone are to count in one group: each
	 * read of another CPU interrupts it.  Not where events are switched on
	 * and off, or given cgroups, one by one.
	 */
	bool gathers;
};

/* Events that one value is made of: best counted in one group. */
struct td_need {
	int *events;
	size_t nr;
	int rank;   /* lower ones are placed first: the level */
	bool apart; /* they may be in several groups as well */
};

/* What td_plan_build() is to make of a plan's events. */
struct td_schedule {
	const struct td_need *needs;
	size_t nr_needs;
	/*
	 * One event a PMU that all groups count, -1: none, or with always one
	 * that a fixed counter counts, if groups take turns.
	 */
	const int *references;
	/*
	 * The events of ranks 1 and 2, or of rank 1 alone, make a pinned group
	 * of those PMUs whose counters hold them and any one of the others.
	 */
	bool always;
	bool single; /* each event a group of its own, but SLOTS and its fields */
};

/*
 * The group scheduler.  Pure.  plan->events are the caller's, each with its
 * PMU, and it fills in the groups: on each PMU SLOTS first, the topdown-*
 * metric events behind it, then whatever else the counters hold; the events
 * of a need stay together where they fit; more groups only where the counters
 * force them.
 */
int td_plan_build(struct td_plan *plan, const struct td_machine *machine,
		  const struct td_schedule *schedule, struct td_err *err);
/*
 * The scheduler for events that were typed: groups as the text has them, but
 * one PMU each, with SLOTS first, and added where only its fields are asked
 * for; the fields join it, wherever they were typed (perf 7.2's rules,
 * tools/perf/util/parse-events.c and arch/x86/util/evlist.c; but what was typed
 * beside SLOTS always stays with it).  Pure.  plan->gathers is the caller's.
 * notes: what is not as it was typed.
 */
int td_plan_arrange(struct td_plan *plan, const struct td_machine *machine,
		    struct td_notes *notes, struct td_err *err);
/*
 * Of groups that were recorded: an event of an earlier one's name.  clones: one
 * an event, which of them may be meant; NULL: any.  -ENOMEM.
 */
int td_plan_find_clones(struct td_plan *plan, const bool *clones);
void td_plan_free(struct td_plan *plan);
/*
 * An event each: the index of the group that it is in; -1: none.  To be freed;
 * NULL: out of memory.
 */
int *td_plan_groups(const struct td_plan *plan);
/* Forgets the events from the from-th on. */
void td_plan_drop_events(struct td_plan *plan, size_t from);

/* split.c */
/*
 * Splits a group that the kernel refused in two: not SLOTS', nor a pinned one,
 * nor one event.
 */
bool td_plan_can_split(const struct td_group *group);
int td_plan_split(struct td_plan *plan, size_t group, struct td_err *err);

/*
 * Makes single events of a weak group that the kernel refused, but for SLOTS
 * and its fields.  false: there is nothing to take apart.
 */
bool td_plan_is_breakable(const struct td_plan *plan, size_t group);
int td_plan_break(struct td_plan *plan, size_t group, struct td_err *err);

/*
 * The kernel does not count a member of a group: it leaves it, with what
 * cannot be counted without it.  why: for the user.  A group that is empty
 * then goes, too.
 */
int td_plan_refuse(struct td_plan *plan, size_t group, size_t member,
		   const char *why, struct td_err *err);

/* What the kernel is asked for, for the i-th member of a group. */
struct perf_event_attr td_plan_attr(const struct td_plan *plan,
				    const struct td_group *group, size_t i,
				    const struct td_target *target);

/* The CPUs that a PMU's groups are opened on, system wide; may be empty. */
int td_plan_cpus(const struct td_pmu *pmu, const struct td_target *target,
		 struct td_ints *out);

#endif
