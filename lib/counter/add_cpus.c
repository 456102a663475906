// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sets for CPUs that were offline when the others' sets were opened: all groups of
 * the plan, or families of -l auto that were woken meanwhile.
 */
#include <errno.h>

#include "lib/base/util.h"
#include "lib/counter/parts.h"

static int start_group(const struct td_counter *counter,
		       const struct td_open_group *group)
{
	int nr_threads = perf_thread_map__nr(group->threads), rc = 0;
	int nr = group->nr ? td_group_units(group) : 0;

	for (int unit = 0; !rc && unit < nr; unit++)
		rc = td_start_unit(counter, group, unit / nr_threads,
				   unit % nr_threads);
	return rc;
}

/* Opens the set that was added last, of which only its CPUs are given. */
static int open_added(struct td_counter *counter, const struct td_ints *cpus)
{
	struct td_open_set *set = &counter->sets[counter->nr_sets - 1];
	size_t index = 0, failed = 0;
	int rc = td_ints_copy(&set->only, cpus);

	if (!rc)
		rc = td_open_set(set, &counter->setup, &index, &failed);
	for (size_t g = 0; !rc && g < set->nr_groups; g++)
		rc = start_group(counter, &set->groups[g]);
	if (rc) {
		td_counter_drop_set(counter);
		return rc;
	}
	return td_counter_read_sets(counter, counter->nr_sets - 1);
}

/* families: those that are awake, or were; NULL: all other groups */
static int add_set(struct td_counter *counter, const struct td_ints *cpus,
		   const struct td_ints *families)
{
	struct td_open_set *set = td_counter_add_set(counter);

	if (!set)
		return -ENOMEM;
	set->late = families;
	set->tries = !families && counter->setup.open_late;
	if (families && td_ints_copy(&set->families, families)) {
		td_counter_drop_set(counter);
		return -ENOMEM;
	}
	return open_added(counter, cpus);
}

int td_counter_add_cpus(struct td_counter *counter, const struct td_ints *cpus)
{
	struct td_home home = td_leave_home(counter);
	int rc = add_set(counter, cpus, NULL);

	if (!rc && counter->opened.nr)
		rc = add_set(counter, cpus, &counter->opened);
	td_go_home(&home);
	return rc;
}

/* Is a family of this group open on the CPU? */
static bool is_open(const struct td_counter *counter, int cpu, size_t group)
{
	const struct td_group_reader *reader = &counter->reader;

	for (size_t s = 0; s < reader->nr_steps; s++) {
		const struct td_read_step *step = &reader->steps[s];

		if (step->late && step->cpu == cpu && step->group == (int)group)
			return true;
	}
	return false;
}

/* The families that were opened elsewhere while the CPU was offline. */
static int find_missing(const struct td_counter *counter, int cpu,
			struct td_ints *families)
{
	const struct td_plan *plan = counter->setup.plan;
	const struct td_pmu *pmus = counter->setup.machine->pmus;
	int rc = 0;

	for (size_t g = 0; !rc && g < plan->nr_groups; g++) {
		const struct td_group *group = &plan->groups[g];

		if (td_ints_has(&counter->opened, group->family) &&
		    td_ints_has(&pmus[group->pmu].cpus, cpu) &&
		    !is_open(counter, cpu, g))
			rc = td_ints_add(families, group->family);
	}
	return rc;
}

int td_counter_add_missing(struct td_counter *counter,
			   const struct td_ints *cpus)
{
	int rc = 0;

	for (size_t i = 0; !rc && counter->opened.nr && i < cpus->nr; i++) {
		struct td_ints one = { &cpus->v[i], 1 }, families = { 0 };

		rc = find_missing(counter, cpus->v[i], &families);
		if (!rc && families.nr)
			rc = add_set(counter, &one, &families);
		td_ints_free(&families);
	}
	return rc;
}
