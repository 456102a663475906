// SPDX-License-Identifier: GPL-2.0-only
/*
 * Opens groups after the start: those of families when they are first enabled, and those that the
 * kernel no longer counts.  When a CPU goes offline, the kernel removes its events and permanently
 * dissolves their groups (perf_event_exit_cpu_context() in kernel/events/core.c), but events of
 * other PMUs than cores' move to another CPU (perf_pmu_migrate_context()).
 */

#include <inttypes.h>
#include <sys/resource.h>

#include "lib/base/util.h"
#include "lib/counter/parts.h"
#include "lib/counter/probe.h"

/* Marks all groups on CPUs with dead groups as dead, even those that are off. */
static void mark_cpus(struct td_group_reader *reader, const struct td_ints *cpus)
{
	td_for_each(struct td_read_step, step, reader->steps, reader->nr_steps) {
		if (step->fd >= 0 && !step->moves && td_ints_has(cpus, step->cpu))
			step->dead = true;
	}
}

void td_counter_list_dead(struct td_counter *counter, struct td_ints *cpus)
{
	struct td_group_reader *reader = &counter->reader;
	struct td_ints whole = { 0 };

	*cpus = (struct td_ints){ 0 };
	td_for_each(const struct td_read_step, step, reader->steps, reader->nr_steps) {
		if (step->dead)
			td_ints_add(cpus, step->cpu);
		if (step->dead && !step->moves)
			td_ints_add(&whole, step->cpu);
	}
	mark_cpus(reader, &whole);
	td_ints_free(&whole);
}

static size_t set_of(const struct td_counter *counter, const struct td_read_step *step)
{
	size_t s = 0;

	while (counter->sets[s].id != step->set)
		s++;
	return s;
}

static const struct td_open_group *group_of(const struct td_counter *counter,
					    const struct td_read_step *step)
{
	return &counter->sets[set_of(counter, step)].groups[step->group];
}

static int index_of(const struct td_open_group *group, int cpu)
{
	int i = 0;

	while (td_group_cpu(group, i) != cpu)
		i++;
	return i;
}

/* Sets the new descriptors; the next difference starts at 0. */
static void renew_descriptors(struct td_group_reader *reader, struct td_read_step *step,
			      const struct td_open_group *group, int cpu)
{
	step->fd = td_event_fd(group->evsels[0], cpu, step->thread);
	for (size_t i = 0; step->fds && i < step->nr; i++)
		step->fds[i] = td_event_fd(group->evsels[i], cpu, step->thread);
	for (size_t i = 0; step->fd >= 0 && i < step->nr; i++) {
		struct td_reading *before = &reader->before.v[step->first + i];

		before->value = before->enabled_ns = before->running_ns = 0;
	}
}

static int open_step(struct td_counter *counter, struct td_read_step *step)
{
	const struct td_open_group *group = group_of(counter, step);
	int cpu = index_of(group, step->cpu), rc;

	td_close_unit(group, cpu, step->thread);
	rc = td_open_unit(&counter->setup, group, cpu, step->thread);
	rc = rc ?: td_start_unit(counter, group, cpu, step->thread);
	if (rc)
		td_close_unit(group, cpu, step->thread);
	renew_descriptors(&counter->reader, step, group, cpu);
	/* ENOENT of a hybrid's PMU: the CPU is offline again */
	return rc == -ENOENT ? -ENODEV : rc;
}

/* Returns true if the step counts in this cgroup; a group that is off may never have. */
static bool is_in(const struct td_counter *counter, const struct td_read_step *step, int cgroup)
{
	return step->cgroup == cgroup && group_of(counter, step)->nr;
}

/* Opens the steps of a cgroup, or the dead steps of some CPUs. */
static int open_steps(struct td_counter *counter, const struct td_ints *cpus, int cgroup)
{
	struct td_group_reader *reader = &counter->reader;
	int first = 0;

	td_for_each(struct td_read_step, step, reader->steps, reader->nr_steps) {
		int rc;

		if (cgroup ? !is_in(counter, step, cgroup)
			   : !step->dead || !td_ints_has(cpus, step->cpu))
			continue;
		rc = open_step(counter, step);
		step->dead = cgroup ? rc == -ENODEV : rc != 0;
		if (rc && !first && !(cgroup && step->dead))
			first = rc;
	}
	return first;
}

static int reopen(struct td_counter *counter, const struct td_ints *cpus, int cgroup)
{
	struct td_affinity before = td_affinity_save(counter);
	int rc = open_steps(counter, cpus, cgroup);

	if (!rc && cpus)
		rc = td_counter_add_missing(counter, cpus);
	td_affinity_restore(&before);
	return rc;
}

int td_counter_open_cpus(struct td_counter *counter, const struct td_ints *cpus)
{
	return reopen(counter, cpus, 0);
}

int td_counter_open_cgroup(struct td_counter *counter, size_t index)
{
	const struct td_counter_setup *setup = &counter->setup;

	if (!td_cgroup_probe(setup->target->cgroups.fds[index], setup->machine->online.v[0]))
		return -ENOENT;
	return reopen(counter, NULL, 1 + (int)index);
}

/* --- families, whose groups are enabled and disabled together -------------- */

/* Switches the groups of a set whose families were enabled or disabled. */
static int switch_changed(const struct td_open_set *set, const struct td_ints *before,
			  const struct td_ints *enabled, struct td_err *err)
{
	int rc;

	td_for_each(struct td_open_group, group, set->groups, set->nr_groups) {
		bool off = td_group_is_off(group->family, enabled);

		if (off != td_group_is_off(group->family, before))
			group->next = off ? TD_NEXT_OFF : TD_NEXT_ON;
	}
	rc = td_change_set(set, -1);
	return rc ? td_err_set(err, rc, "cannot switch groups: %s", strerror(-rc)) : 0;
}

/*
 * Opens the set that was added last.  Returns 1 if its task has ended or its CPU went
 * offline; *index is the group that the kernel refused.
 */
static int open_last_set(struct td_counter *counter, size_t *index)
{
	struct td_open_set *set = &counter->sets[counter->nr_sets - 1];
	struct td_counter_setup late = counter->setup;
	size_t failed = 0;
	int rc;

	/* CPUs may have changed since */
	counter->late.has_cpus = counter->setup.target->has_cpus;
	counter->late.cpus = counter->setup.target->cpus;
	late.target = &counter->late;
	rc = td_open_set(set, &late, index, &failed);
	/* a task has ended, or a CPU went offline since the last read (ENOENT of a hybrid's PMU) */
	if (rc == -ENODEV || (late.target->system_wide ? rc == -ENOENT : rc == -ESRCH))
		return 1;
	return rc;
}

static const char *name_of(const struct td_counter *counter, size_t group)
{
	const struct td_plan *plan = counter->setup.plan;

	return plan->events.v[plan->groups[group].members[0]].name;
}

static void note_refused(const struct td_counter *counter, size_t group, int rc)
{
	struct td_notes *notes = counter->setup.notes;
	struct rlimit limit;

	if (rc == -EMFILE && !getrlimit(RLIMIT_NOFILE, &limit))
		td_notes_add(notes,
			     "-l auto: not all nodes below level 2 are counted, because at most "
			     "%" PRIu64 " files may be open; raise the limit (ulimit -n)",
			     (uint64_t)limit.rlim_cur);
	else
		td_notes_add(notes, "-l auto: the group of %s is not counted: %s",
			     name_of(counter, group), strerror(-rc));
}

/* Opens the families of the set that was added last, if the kernel allows it. */
static int open_added(struct td_counter *counter, struct td_err *err)
{
	size_t index = 0;
	int rc = open_last_set(counter, &index);

	if (rc == -ENOMEM)
		return td_err_nomem(err);
	if (rc > 0)
		return rc;
	if (rc)
		note_refused(counter, index, rc);
	/* groups opened before a refused one are counted */
	td_counter_read_sets(counter, counter->nr_sets - 1);
	return 0;
}

/* Restricts a set to the CPUs that are online. */
static void leave_offline(struct td_counter *counter, struct td_open_set *set)
{
	const struct td_group_reader *reader = &counter->reader;
	struct td_ints dead;

	td_counter_list_dead(counter, &dead);
	for (size_t s = 0; dead.nr && s < reader->nr_steps; s++) {
		if (!td_ints_has(&dead, reader->steps[s].cpu))
			td_ints_add(&set->only, reader->steps[s].cpu);
	}
	td_ints_free(&dead);
}

/* Opens these families in tasks.  Returns 1 if a task has ended. */
static int open_late(struct td_counter *counter, const struct td_ints *families,
		     const struct td_ints *tasks, struct td_err *err)
{
	struct td_open_set *set = td_counter_add_set(counter);
	int rc;

	set->late = true;
	td_ints_copy(&set->tids, tasks);
	td_ints_copy(&set->families, families);
	leave_offline(counter, set);
	rc = open_added(counter, err);
	for (size_t i = 0; !rc && i < families->nr; i++)
		td_ints_add(&counter->opened, families->v[i]);
	if (rc)
		td_counter_drop_set(counter);
	return rc;
}

/* Opens the families that were never enabled before.  Returns 1 if the next call has to do it. */
static int open_unopened(struct td_counter *counter, const struct td_ints *enabled,
			 const struct td_ints *tasks, struct td_err *err)
{
	struct td_ints families;
	int rc;

	if (!counter->setup.open_late)
		return 0;
	td_ints_copy(&families, enabled);
	td_ints_remove(&families, &counter->opened);
	if (!families.nr)
		rc = 0;
	else if (tasks->nr || counter->setup.target->system_wide)
		rc = open_late(counter, &families, tasks, err);
	else
		rc = 1;
	td_ints_free(&families);
	return rc;
}

static int switch_families(struct td_counter *counter, const struct td_ints *enabled,
			   struct td_err *err)
{
	struct td_ints before = counter->enabled;
	int rc = 0;

	td_ints_copy(&counter->enabled, enabled);
	for (size_t i = 0; !rc && counter->on && i < counter->nr_sets; i++)
		rc = switch_changed(&counter->sets[i], &before, enabled, err);
	td_ints_free(&before);
	if (counter->on)
		td_counter_note_off(counter);
	return rc;
}

int td_counter_enable_families(struct td_counter *counter, const struct td_ints *enabled,
			       const struct td_ints *tasks, struct td_err *err)
{
	struct td_affinity before = td_affinity_save(counter);
	int rc = open_unopened(counter, enabled, tasks, err);

	rc = rc ?: switch_families(counter, enabled, err);
	td_affinity_restore(&before);
	return rc;
}

/* --- groups whose counters other programs hold ------------------------------ */

/* Multiplexed groups run every few ms, and there are hardly more than fifty. */
#define STARVED_NS TD_NS_A_SECOND

/* A group of tasks that did not run for this time per group of its PMU is tried where they are. */
#define TURN_NS (10 * TD_NS_A_MS)

/*
 * The groups of --no-multiplex only wait for those of other programs, and a group that was split
 * on another CPU or task needs no further proof.
 */
#define SOON_STARVED_NS (100 * TD_NS_A_MS)

/* Returns the time after which the group of a step in tasks is tried. */
static uint64_t turns_ns(const struct td_counter *counter, const struct td_read_step *step)
{
	const struct td_plan *plan = counter->setup.plan;
	uint64_t ns = 0;

	for (size_t g = 0; g < plan->nr_groups; g++) {
		if (plan->groups[g].pmu == plan->groups[step->group].pmu &&
		    !td_group_is_off(plan->groups[g].family, &counter->enabled))
			ns += TURN_NS;
	}
	/* halves are twice as many */
	if (step->late)
		ns *= 2;
	return ns < STARVED_NS ? ns : STARVED_NS;
}

static bool is_starved(const struct td_counter *counter, const struct td_read_step *step)
{
	const struct td_plan *plan = counter->setup.plan;
	size_t nr = counter->split_to ? counter->split_to[step->group] : 0;

	if (step->ended || !step->waits_ns)
		return false;
	if (plan->nr_sets > 1 || (nr && step->nr > nr))
		return step->waits_ns >= SOON_STARVED_NS;
	if (counter->setup.target->system_wide || step->tried)
		return step->waits_ns >= STARVED_NS;
	return step->waits_ns >= turns_ns(counter, step);
}

/* Halves the part of its group that a step counts; SLOTS and its fields stay together. */
static bool halve(const struct td_counter *counter, const struct td_read_step *step,
		  struct td_part half[2])
{
	const struct td_plan *plan = counter->setup.plan;
	const struct td_group *group = &plan->groups[step->group];
	size_t keep = step->nr / 2;

	for (size_t i = 1; i < step->nr && group->slots; i++) {
		if (i >= keep && td_event_is_metric(&plan->events.v[step->members[i]]))
			keep = i + 1;
	}
	half[0] = (struct td_part){ (size_t)step->group, step->part, keep };
	half[1] = (struct td_part){ (size_t)step->group, step->part + keep, step->nr - keep };
	return group->may_split && keep && keep < step->nr;
}

static struct td_read_step *find_starved(const struct td_counter *counter, struct td_part half[2])
{
	const struct td_group_reader *reader = &counter->reader;

	for (size_t s = 0; s < reader->nr_steps && !counter->keeps_groups; s++) {
		struct td_read_step *step = &reader->steps[s];

		if (is_starved(counter, step) && halve(counter, step, half))
			return step;
	}
	return NULL;
}

bool td_counter_is_starved(const struct td_counter *counter)
{
	struct td_part unused[2];

	return find_starved(counter, unused) != NULL;
}

/* Opens a half on the CPUs of the set, or in the current tasks. */
static int open_half(struct td_counter *counter, size_t from, const struct td_part *half,
		     const struct td_ints *tasks)
{
	struct td_open_set *set = td_counter_add_set(counter);
	size_t unused = 0;
	int rc;

	set->late = true;
	set->part = *half;
	set->cgroup = counter->sets[from].cgroup;
	set->mode = counter->sets[from].mode;
	set->life = counter->sets[from].life;
	td_ints_copy(&set->tids,
		     counter->setup.target->per_thread ? &counter->sets[from].tids : tasks);
	td_ints_copy(&set->only, &counter->sets[from].only);
	if (!set->only.nr)
		leave_offline(counter, set);
	rc = open_last_set(counter, &unused);
	if (rc)
		td_counter_drop_set(counter);
	return rc;
}

/* Closes a group; its counts stay in the readings. */
static void close_steps(struct td_counter *counter, size_t set, int group)
{
	struct td_group_reader *reader = &counter->reader;

	td_for_each(struct td_read_step, step, reader->steps, reader->nr_steps) {
		if (step->set != counter->sets[set].id || step->group != group)
			continue;
		step->fd = -1;
		step->waits_ns = 0;
		step->lost = step->behind = step->dead = false;
	}
	td_close_group(&counter->sets[set].groups[group]);
}

/* Replaces a group of set with the last two sets. */
static int begin_halves(struct td_counter *counter, size_t set, int group)
{
	size_t first = counter->nr_sets - 2;
	int rc = 0;

	close_steps(counter, set, group);
	for (size_t s = first; !rc && s < counter->nr_sets; s++)
		rc = td_start_group(counter, &counter->sets[s].groups[group]);
	if (rc == -ENODEV || rc == -ESRCH) /* a task is exiting */
		rc = 0;
	if (!rc)
		td_counter_read_sets(counter, first);
	return rc;
}

static int split(struct td_counter *counter, size_t set, const struct td_part half[2],
		 const struct td_ints *tasks)
{
	int rc = open_half(counter, set, &half[0], tasks);

	if (rc)
		return rc;
	rc = open_half(counter, set, &half[1], tasks);
	if (rc) {
		td_counter_drop_set(counter);
		return rc;
	}
	return begin_halves(counter, set, (int)half[0].group);
}

/*
 * Returns false if the group of a step has counters on the CPUs of the tasks, so that it only waits
 * for its turn, or for its task, which is on another core type.  It need not be tried after a long
 * wait, or if other groups lack counters.  known has the answers for the groups of the plan, 0 if
 * unknown.
 */
static bool lacks_counters(const struct td_counter *counter, const struct td_read_step *step,
			   const struct td_ints *cpus, int *known)
{
	const struct td_counter_setup *setup = &counter->setup;
	struct td_group part = setup->plan->groups[step->group];
	int *here = &known[step->group];

	part.members += step->part;
	part.nr = step->nr;
	part.pinned = false;
	if ((!step->kind || step->beside) &&
	    (step->waits_ns >= STARVED_NS || counter->split_to || setup->plan->nr_sets > 1))
		return true;
	if (!*here)
		*here = td_is_starved(setup->plan, &part, setup->machine, setup->target, cpus) ? 1
											       : -1;
	return *here > 0;
}

/* Notes the first split, and to what size each group was split. */
static void note_split(struct td_counter *counter, const struct td_part half[2])
{
	size_t group = half[0].group, nr = half[0].nr > half[1].nr ? half[0].nr : half[1].nr;
	bool first = !counter->split_to;

	if (first)
		counter->split_to =
			td_calloc(counter->setup.plan->nr_groups, sizeof(*counter->split_to));
	if (!counter->split_to[group] || nr < counter->split_to[group])
		counter->split_to[group] = nr;
	if (first)
		td_notes_add(counter->setup.notes,
			     "the group of %s had no counters, because other programs hold some: "
			     "such groups are now split in two",
			     name_of(counter, group));
}

int td_counter_split_starved(struct td_counter *counter, const struct td_ints *tasks,
			     const struct td_ints *cpus, struct td_err *err)
{
	const struct td_target *target = counter->setup.target;
	td_autofree int *known = td_calloc(counter->setup.plan->nr_groups + 1, sizeof(*known));
	bool any = tasks->nr || target->system_wide;
	struct td_affinity before = td_affinity_save(counter);
	int rc = 0;

	while (!rc && any) {
		struct td_part half[2];
		struct td_read_step *step = find_starved(counter, half);

		if (!step)
			break;
		if (!lacks_counters(counter, step, cpus, known)) {
			/* after a second, it is tried again */
			if (step->tried)
				step->waits_ns = 0;
			step->tried = true;
			continue;
		}
		rc = split(counter, set_of(counter, step), half, tasks);
		if (!rc)
			note_split(counter, half);
		/* a thread that has ended does not matter to the others */
		if (rc > 0 && target->per_thread) {
			step->waits_ns = 0;
			rc = 0;
		}
	}
	td_affinity_restore(&before);
	counter->keeps_groups |= rc < 0;
	return rc == -ENOMEM ? td_err_nomem(err) : rc > 0;
}
