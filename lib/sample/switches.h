/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "lib/count/readings.h"
#include "lib/machine/machine.h"
#include "lib/plan/plan.h"
#include "lib/target/target.h"

/*
 * Counts of every task or cgroup of the machine, from groups of CPUs: each group is read at each
 * switch to another task or cgroup, by a sample of a software event that is a member of the group
 * (lib/sample/slices.h).
 */

/* All members must outlive the switches. */
struct td_switches_setup {
	struct td_plan *plan;
	const struct td_machine *machine;
	const struct td_target *target; /* whole CPUs */
	const struct td_sysfs *fs;
	struct td_task_names *names; /* gets the names of tasks */
	struct td_notes *notes;
	bool of_processes; /* sum the threads of a process */
	bool of_users;     /* with of_processes: sum the processes of a user */
	/* count these, each with the cgroups below it, instead of tasks; NULL: tasks */
	const struct td_cgroups *cgroups;
};

struct td_sampler;
struct td_switches;

/*
 * Returns false if the kernel cannot sample switches of cgroups (before Linux 5.11), or if this
 * process does not see all cgroups, or if the kernel does not count in one of the cgroups.
 */
bool td_switches_know(const struct td_cgroups *cgroups, int cpu);
/* Opens the groups, disabled.  Needs the right to count whole CPUs. */
int td_switches_open(struct td_switches **out, const struct td_switches_setup *setup,
		     struct td_err *err);
void td_switches_close(struct td_switches *switches); /* NULL is fine */
/* Enables the groups.  The first reading begins when this returns; call td_switches_drop() next. */
void td_switches_begin(struct td_switches *switches);
/* Drops the counts from before the end of td_switches_begin(). */
void td_switches_drop(struct td_switches *switches);
/* Returns a descriptor that is readable when a ring is half full: then call td_switches_drain(). */
int td_switches_fd(const struct td_switches *switches);
/* Returns the sampler, to follow CPUs that go offline and come back. */
struct td_sampler *td_switches_sampler(const struct td_switches *switches);
/* Returns true if cgroups were created since the last call. */
bool td_switches_has_new(struct td_switches *switches);
void td_switches_drain(struct td_switches *switches);
/*
 * Sets readings to the counts of tasks since the last read; they stay valid until the next read.
 * The calling thread visits each CPU, so that the task that runs there is switched out; counts
 * after that are in the next readings.
 */
void td_switches_read(struct td_switches *switches, struct td_readings *readings);
