/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <internal/evsel.h>
#include <internal/xyarray.h>
#include <perf/cpumap.h>
#include <perf/evsel.h>
#include <perf/threadmap.h>

#include "lib/counter/affinity.h"
#include "lib/counter/counter.h"
#include "lib/counter/read.h"

/*
 * Functions and types of the files that use libperf.  libperf reads only the leader of a group, so
 * these files take descriptors from its internal array and read groups themselves.
 */

/* An open group of the plan, on CPUs x tasks or on CPUs x cgroups. */
struct td_open_group {
	struct perf_evsel **evsels; /* evsels[0] is the leader */
	size_t nr;                  /* 0: not open in this set */
	size_t tried;       /* number of members that the kernel accepted and that were closed */
	const int *members; /* members of the plan's group; borrowed */
	struct perf_cpu_map *cpus;
	struct perf_thread_map *threads; /* tasks, or descriptors of cgroups */
	/* 1 + index of the cgroup that threads[0] is a descriptor of; 0: none */
	int cgroup;
	int family; /* family of the plan's group */
	/* for td_change_set(); TD_NEXT_OPEN: on all CPUs but the first one */
	enum {
		TD_NEXT_SAME,
		TD_NEXT_OPEN,
		TD_NEXT_ON,
		TD_NEXT_OFF,
		TD_NEXT_CLOSED,
	} next;
};

/* All groups of the plan for the same tasks. */
struct td_open_set {
	struct td_open_group *groups;
	size_t nr_groups;
	struct td_ints tids; /* empty: counts on CPUs */
	struct td_ints only; /* CPUs that came online later; empty: all CPUs */
	int cgroup;          /* 1 + index of a cgroup that was added later; 0: all cgroups */
	bool tries;          /* only tests the groups of families, on one CPU or task */
	bool late;           /* contains only the groups of families, or part */
	struct td_ints families;
	/*
	 * late: contains nr members of a group of the plan, starting at first; nr is 0 if it
	 * contains more
	 */
	struct td_part {
		size_t group, first, nr;
	} part;
	int mode;                           /* the only mode to count (TD_MODE_*); 0: all */
	bool ended;                         /* its only task has ended */
	int life;                           /* life of its task, as in td_reading */
	size_t id;                          /* never reused, unlike a tid */
	bool exclude_kernel, exclude_guest; /* exclude bits of the target when groups were opened */
	size_t nr_cpus;                     /* CPUs of the target when groups were opened */
};

struct td_counter {
	struct td_counter_setup setup;
	struct td_open_set *sets; /* one set, or one for each thread */
	size_t nr_sets, next_id;
	struct td_index by_tid; /* finds the last set of a tid, if per thread */
	struct td_target late;  /* target for later threads, which count immediately */
	bool *off;              /* for each event: it is disabled */
	bool on;                /* all events were enabled */
	struct td_ints enabled; /* enabled families; groups of all others are disabled */
	struct td_ints opened;  /* with open_late: families that were opened */
	bool began;             /* the tasks of the start are open */
	bool keeps_groups;      /* groups cannot be split while they count */
	/* for each group: members of the larger half after the last split; 0, or NULL: whole */
	size_t *split_to;
	struct td_group_reader reader;
};

/* Returns the descriptor, or -1 if it is not open. */
static inline int td_event_fd(const struct perf_evsel *evsel, int cpu_idx, int thread)
{
	const int *fd =
		evsel->fd ? xyarray__entry(evsel->fd, (size_t)cpu_idx, (size_t)thread) : NULL;

	return fd ? *fd : -1;
}

/* Returns the i-th CPU.  libperf takes an int, or since Linux 7 an unsigned int. */
static inline int td_group_cpu(const struct td_open_group *group, int i)
{
	return perf_cpu_map__cpu(group->cpus, (uint16_t)i).cpu;
}

/* Returns the number of CPUs times tasks. */
static inline int td_group_units(const struct td_open_group *group)
{
	return (int)perf_cpu_map__nr(group->cpus) * perf_thread_map__nr(group->threads);
}

/*
 * Checks that the kernel can count in each of the target's cgroups.  The error names the first
 * cgroup where it cannot.
 */
int td_check_cgroups(const struct td_counter_setup *setup, struct td_err *err);

/*
 * Opens the plan's groups for set->tids.  On failure, *index and *failed are
 * the group and member that the kernel refused, and the groups before it stay
 * open: the next call starts at the first group that has changed in the plan.
 * If the target has changed, it reopens all.
 */
int td_open_set(struct td_open_set *set, const struct td_counter_setup *setup, size_t *index,
		size_t *failed);
void td_close_set(struct td_open_set *set);
void td_close_group(struct td_open_group *group);

/*
 * Open, close and start a group on one CPU, in one task or cgroup, which are
 * indices of its maps.  After an error the unit is closed.
 */
int td_open_unit(const struct td_counter_setup *setup, const struct td_open_group *group, int cpu,
		 int thread);
void td_close_unit(const struct td_open_group *group, int cpu, int thread);
int td_start_unit(const struct td_counter *counter, const struct td_open_group *group, int cpu,
		  int thread);
/* Starts the group wherever it is open. */
int td_start_group(const struct td_counter *counter, const struct td_open_group *group);

/*
 * Changes the groups of a set to their next state, CPU by CPU, and there if that is quicker.
 * event: the event of the plan to switch; -1: the leader and thereby the whole group.
 */
int td_change_set(const struct td_open_set *set, int event);
/* Starts or stops an event in all groups of a set or, with -1, all groups that are not off. */
int td_switch_set(const struct td_open_set *set, const struct td_ints *enabled, bool on, int event,
		  struct td_err *err);
/* Marks events of groups that are off as disabled, and all others as enabled. */
void td_counter_note_off(struct td_counter *counter);
/* Returns true for a group whose family is not enabled. */
bool td_group_is_off(int family, const struct td_ints *enabled);
/*
 * Saves the CPUs of this thread before it moves.  Events of whole CPUs are closed on their CPU, and
 * those of cgroups also opened, started and stopped, because from another CPU each needs an
 * interrupt.  Each function of counter.h that does so begins with td_affinity_save() and ends with
 * td_affinity_restore().
 */
struct td_affinity td_affinity_save(const struct td_counter *counter);

/* sets.c: add and remove the last set of a counter. */
struct td_open_set *td_counter_add_set(struct td_counter *counter);
void td_counter_drop_set(struct td_counter *counter);
/* Adds the sets from first to the reader. */
void td_counter_read_sets(struct td_counter *counter, size_t first);

/* Opens families on these CPUs that were opened on others while these CPUs were offline. */
int td_counter_add_missing(struct td_counter *counter, const struct td_ints *cpus);

/* --- fall_back.c ---------------------------------------------------------- */

/*
 * Handles the kernel's refusal (rc, a negative errno) to open a member of a group.  Returns 0 to
 * try again, after one change of the plan or the target and a note, or sets an error in words.
 */
int td_fall_back(const struct td_counter_setup *setup, size_t group, size_t member, int rc,
		 struct td_err *err);
