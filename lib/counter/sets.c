// SPDX-License-Identifier: GPL-2.0-only
/* Opens and reads the sets of open groups of a counter. */

#include "lib/base/util.h"
#include "lib/counter/counter.h"
#include "lib/counter/parts.h"
#include "lib/plan/fit.h"

struct td_open_set *td_counter_add_set(struct td_counter *counter)
{
	struct td_open_set *set = td_array_add(&counter->sets, counter->nr_sets++, sizeof(*set));

	set->id = counter->next_id++;
	return set;
}

void td_counter_drop_set(struct td_counter *counter)
{
	struct td_open_set *set = &counter->sets[--counter->nr_sets];

	td_close_set(set);
	td_ints_free(&set->tids);
	td_ints_free(&set->only);
	td_ints_free(&set->families);
	*set = (struct td_open_set){ 0 };
}

/* Number of consecutive refusals that are final. */
#define OPEN_TRIES 4

/*
 * If a task forks while its group is opened, the child may get the context of the leader
 * (perf_event_context_sched_out() in kernel/events/core.c).  The next member is then refused with
 * EINVAL, like one of a group that does not fit.
 */
static int try_to_open(struct td_counter *counter, struct td_open_set *set, size_t *index,
		       size_t *failed)
{
	const struct td_target *target = counter->setup.target;
	bool may_fork = set->tids.nr && !target->enable_on_exec;
	int rc = 0;

	for (int i = 0; i < OPEN_TRIES; i++) {
		rc = td_open_set(set, &counter->setup, index, failed);
		if (rc != -EINVAL || !*failed || !may_fork)
			break;
	}
	return rc;
}

/* Opens a set; refusals of the kernel change the plan until all groups can be opened. */
static int counter_open_set(struct td_counter *counter, struct td_open_set *set, struct td_err *err)
{
	size_t index = 0, failed = 0;
	int rc = try_to_open(counter, set, &index, &failed);

	while (rc) {
		rc = rc == -ENOMEM ? td_err_nomem(err)
				   : td_fall_back(&counter->setup, index, failed, rc, err);
		if (rc)
			return rc;
		rc = try_to_open(counter, set, &index, &failed);
	}
	return 0;
}

/*
 * Adds the descriptors of all members, which are read separately after the kernel has
 * dissolved the group because its CPU went offline.
 */
static void add_members(struct td_read_step *step, const struct td_open_group *group, int cpu,
			int thread)
{
	if (step->cpu < 0 || step->nr < 2)
		return;
	step->fds = td_calloc(step->nr, sizeof(*step->fds));
	for (size_t i = 0; i < step->nr; i++)
		step->fds[i] = td_event_fd(group->evsels[i], cpu, thread);
}

/* Returns the read of the index-th group of a set on one CPU or in one task. */
static struct td_read_step make_step(const struct td_counter *counter,
				     const struct td_open_set *set, size_t index, int cpu,
				     int thread)
{
	const struct td_plan *plan = counter->setup.plan;
	const struct td_group *from = &plan->groups[index];
	const struct td_open_group *group = &set->groups[index];
	bool pinned = group->nr && group->evsels[0]->attr.pinned;

	return (struct td_read_step){
		.fd = group->nr ? td_event_fd(group->evsels[0], cpu, thread) : -1,
		.group = (int)index,
		.cpu = td_group_cpu(group, cpu),
		.thread = thread,
		.set = set->id,
		.life = set->life,
		.mode = set->mode,
		.tid = group->cgroup ? -1 : perf_thread_map__pid(group->threads, thread),
		.cgroup = group->cgroup ? group->cgroup + thread : 0,
		.members = from->members + set->part.first,
		.nr = set->part.nr ? set->part.nr : from->nr,
		.name = plan->events.v[from->members[set->part.first]].name,
		.pinned = pinned,
		.resume = pinned && from->may_unpin,
		.inherited = group->nr && group->evsels[0]->attr.inherit,
		.may_be_off = from->family && !set->late,
		.moves = counter->setup.machine->pmus[from->pmu].kind == TD_PMU_OTHER,
		.on_cpu = counter->setup.machine->pmus[from->pmu].of_dies,
		.late = set->late,
		.part = set->part.first,
		.kind = from->at_once > 0 && !counter->setup.target->system_wide ? 1 + from->pmu
										 : 0,
		.at_once = from->at_once,
	};
}

/* Returns the task that counts tid, which may have started later than the others. */
static int counts_for(const struct td_target *target, int tid)
{
	bool known = !target->tids.nr || td_ints_has(&target->tids, tid);

	return known ? tid : target->tids.v[0];
}

/*
 * Returns true if first, one of the sorted steps of the start, is after the one that step
 * counts for.
 */
static bool is_after(const struct td_counter *counter, const struct td_read_step *first,
		     const struct td_read_step *step)
{
	const struct td_target *target = counter->setup.target;
	int tid = counts_for(target, step->tid);

	if (first->mode != step->mode)
		return first->late || first->mode > step->mode;
	if (first->late || first->cpu != step->cpu)
		return first->late || first->cpu > step->cpu;
	if (target->system_wide && first->thread != step->thread)
		return first->thread > step->thread;
	if (first->tid != tid)
		return first->tid > tid;
	return first->group > step->group;
}

/*
 * Finds the step on a CPU that came online later, or of a thread that is counted by itself and
 * may have begun later; these follow those of the start.
 */
static bool find_into(const struct td_counter *counter, struct td_read_step *step)
{
	const struct td_group_reader *reader = &counter->reader;
	bool per_thread = counter->setup.target->per_thread;

	for (size_t s = per_thread ? 0 : reader->nr_first; s < reader->nr_ready; s++) {
		const struct td_read_step *other = &reader->steps[s];
		bool same = step->cpu >= 0 ? other->cpu == step->cpu
					   : per_thread && other->tid == step->tid &&
						     other->life == step->life;

		if (!other->late && same && other->thread == step->thread &&
		    other->group == step->group) {
			step->into = s;
			return true;
		}
	}
	return false;
}

/* Sets the step that a late one counts for. */
static void set_into(const struct td_counter *counter, struct td_read_step *step)
{
	const struct td_read_step *steps = counter->reader.steps;
	size_t first = 0, nr = counter->reader.nr_first;

	if (find_into(counter, step))
		return;
	while (nr > 1) {
		if (is_after(counter, &steps[first + nr / 2], step)) {
			nr /= 2;
		} else {
			first += nr / 2;
			nr -= nr / 2;
		}
	}
	step->into = first;
}

/* Adds the steps of a group.  Those of a group that is not open yet count how long it is off. */
static void add_steps(struct td_counter *counter, const struct td_open_set *set, size_t index)
{
	const struct td_open_group *group = &set->groups[index];
	int nr_threads = perf_thread_map__nr(group->threads);
	int nr = td_group_units(group);

	if (!group->cpus) /* the set leaves it out */
		return;
	for (int unit = 0; unit < nr; unit++) {
		struct td_read_step *step = td_group_reader_add(&counter->reader);
		int cpu = unit / nr_threads, thread = unit % nr_threads;

		*step = make_step(counter, set, index, cpu, thread);
		if (group->nr)
			add_members(step, group, cpu, thread);
		if (step->late)
			set_into(counter, step);
	}
}

void td_counter_read_sets(struct td_counter *counter, size_t first)
{
	for (size_t s = first; s < counter->nr_sets; s++) {
		const struct td_open_set *set = &counter->sets[s];

		for (size_t g = 0; g < set->nr_groups; g++)
			add_steps(counter, set, g);
	}
	td_group_reader_begin(&counter->reader);
}

int td_start_group(const struct td_counter *counter, const struct td_open_group *group)
{
	int nr_threads = perf_thread_map__nr(group->threads), rc = 0;
	int nr = group->nr ? td_group_units(group) : 0;

	for (int unit = 0; !rc && unit < nr; unit++)
		rc = td_start_unit(counter, group, unit / nr_threads, unit % nr_threads);
	return rc;
}

/* Opens and starts the set that was added last. */
static int open_added(struct td_counter *counter)
{
	struct td_open_set *set = &counter->sets[counter->nr_sets - 1];
	size_t index = 0, failed = 0;
	int rc = td_open_set(set, &counter->setup, &index, &failed);

	for (size_t g = 0; !rc && g < set->nr_groups; g++)
		rc = td_start_group(counter, &set->groups[g]);
	if (rc) {
		td_counter_drop_set(counter);
		return rc;
	}
	td_counter_read_sets(counter, counter->nr_sets - 1);
	return 0;
}

/*
 * Adds a set for CPUs that were offline when other sets were opened, with all groups of the plan,
 * or with the families of -l auto that were enabled since.
 */
static int add_set(struct td_counter *counter, const struct td_ints *cpus,
		   const struct td_ints *families)
{
	struct td_open_set *set = td_counter_add_set(counter);

	set->late = families;
	set->tries = !families && counter->setup.open_late;
	td_ints_copy(&set->only, cpus);
	if (families)
		td_ints_copy(&set->families, families);
	return open_added(counter);
}

int td_counter_add_cgroup(struct td_counter *counter, size_t index)
{
	struct td_affinity before = td_affinity_save(counter);
	struct td_open_set *set = td_counter_add_set(counter);
	int rc;

	set->cgroup = 1 + (int)index;
	set->tries = counter->setup.open_late;
	rc = open_added(counter);
	td_affinity_restore(&before);
	return rc;
}

int td_counter_add_cpus(struct td_counter *counter, const struct td_ints *cpus)
{
	struct td_affinity before = td_affinity_save(counter);
	int rc = add_set(counter, cpus, NULL);

	if (!rc && counter->opened.nr)
		rc = add_set(counter, cpus, &counter->opened);
	td_affinity_restore(&before);
	return rc;
}

/* Returns true if a family of this group is open on the CPU. */
static bool is_open(const struct td_counter *counter, int cpu, size_t group)
{
	const struct td_group_reader *reader = &counter->reader;

	td_for_each(const struct td_read_step, step, reader->steps, reader->nr_steps) {
		if (step->late && step->cpu == cpu && step->group == (int)group)
			return true;
	}
	return false;
}

/* Lists the families that were opened on other CPUs while this CPU was offline. */
static void find_missing(const struct td_counter *counter, int cpu, struct td_ints *families)
{
	const struct td_plan *plan = counter->setup.plan;
	const struct td_pmu *pmus = counter->setup.machine->pmus;

	for (size_t g = 0; g < plan->nr_groups; g++) {
		const struct td_group *group = &plan->groups[g];

		if (td_ints_has(&counter->opened, group->family) &&
		    td_ints_has(&pmus[group->pmu].cpus, cpu) && !is_open(counter, cpu, g))
			td_ints_add(families, group->family);
	}
}

int td_counter_add_missing(struct td_counter *counter, const struct td_ints *cpus)
{
	int rc = 0;

	for (size_t i = 0; !rc && counter->opened.nr && i < cpus->nr; i++) {
		struct td_ints one = { &cpus->v[i], 1 }, families = { 0 };

		find_missing(counter, cpus->v[i], &families);
		if (families.nr)
			rc = add_set(counter, &one, &families);
		td_ints_free(&families);
	}
	return rc;
}

/* --- counting per thread, while threads begin and end ------------------------ */

/*
 * Adds a set for one thread.  The first thread settles the plan; a later
 * refusal for one thread is an error.
 */
static int open_thread(struct td_counter *counter, int tid, int life, struct td_err *err)
{
	struct td_open_set *set = td_counter_add_set(counter);
	struct td_counter_setup late = counter->setup;
	size_t index = 0, failed = 0;
	int rc;

	if (counter->began)
		late.target = &counter->late;
	td_ints_add(&set->tids, tid);
	td_index_set(&counter->by_tid, td_hash((uint32_t)tid), counter->nr_sets - 1);
	set->life = life;
	if (counter->nr_sets == 1)
		rc = counter_open_set(counter, set, err);
	else
		rc = td_open_set(set, &late, &index, &failed);
	/* the kernel's error for a thread whose process is exiting */
	if (rc == -ENODEV)
		rc = -ESRCH;
	if (!rc)
		return 0;
	td_counter_drop_set(counter);
	if (rc == -ESRCH)
		return td_err_set(err, rc, "thread %d has ended", tid);
	return rc == -ENOMEM           ? td_err_nomem(err)
	       : counter->nr_sets == 0 ? rc
				       : td_err_set(err, rc, "thread %d: %s", tid, strerror(-rc));
}

/* Opens a set for each thread of the target. */
static int counter_open_threads(struct td_counter *counter, struct td_err *err)
{
	const struct td_ints *tids = &counter->setup.target->tids;
	int rc = 0;

	for (size_t i = 0; i < tids->nr; i++) {
		rc = open_thread(counter, tids->v[i], 0, err);
		if (rc && rc != -ESRCH)
			return rc;
	}
	return counter->nr_sets || !tids->nr ? 0 : -ESRCH;
}

/* Starts a set like the others, except for disabled events. */
static int start_set(const struct td_counter *counter, const struct td_open_set *set,
		     struct td_err *err)
{
	td_for_each(const struct td_open_group, group, set->groups, set->nr_groups) {
		int rc = td_start_unit(counter, group, 0, 0);

		if (rc == -ENODEV) /* the task is exiting */
			rc = -ESRCH;
		if (rc)
			return td_err_set(err, rc, "cannot start the counters: %s", strerror(-rc));
	}
	return 0;
}

int td_counter_add_task(struct td_counter *counter, int tid, int life, struct td_err *err)
{
	int rc = open_thread(counter, tid, life, err);

	if (rc)
		return rc;
	rc = start_set(counter, &counter->sets[counter->nr_sets - 1], err);
	if (rc)
		td_counter_drop_set(counter);
	if (!rc)
		td_counter_read_sets(counter, counter->nr_sets - 1);
	return rc;
}

void td_counter_end_task(struct td_counter *counter, int tid)
{
	size_t at = td_index_find(&counter->by_tid, td_hash((uint32_t)tid));

	/* it may have failed to open, or the index may refer to another thread */
	if (at < counter->nr_sets && counter->sets[at].tids.v[0] == tid)
		counter->sets[at].ended = true;
	/* halves of its groups */
	for (size_t i = 0; counter->split_to && i < counter->nr_sets; i++)
		counter->sets[i].ended |= counter->sets[i].tids.v[0] == tid;
}

void td_counter_forget_ended(struct td_counter *counter)
{
	size_t kept = 0;

	td_index_clear(&counter->by_tid);
	for (size_t i = 0; i < counter->nr_sets; i++) {
		const struct td_open_set set = counter->sets[i];

		if (set.ended && !set.nr_groups) {
			td_ints_free(&counter->sets[i].tids);
			continue;
		}
		td_index_set(&counter->by_tid, td_hash((uint32_t)set.tids.v[0]), kept);
		counter->sets[kept++] = set;
	}
	counter->nr_sets = kept;
	td_group_reader_forget_ended(&counter->reader);
}

void td_counter_close(struct td_counter *counter)
{
	struct td_affinity before;

	if (!counter)
		return;
	before = td_affinity_save(counter);
	while (counter->nr_sets)
		td_counter_drop_set(counter);
	td_affinity_restore(&before);
	free(counter->sets);
	free(counter->off);
	td_ints_free(&counter->enabled);
	td_ints_free(&counter->opened);
	td_index_free(&counter->by_tid);
	free(counter->split_to);
	td_group_reader_free(&counter->reader);
	free(counter);
}

int td_counter_enable(struct td_counter *counter, bool on, int event, struct td_err *err)
{
	struct td_affinity before = td_affinity_save(counter);
	int rc = 0;

	for (size_t i = 0; !rc && i < counter->nr_sets; i++)
		rc = td_switch_set(&counter->sets[i], &counter->enabled, on, event, err);
	td_affinity_restore(&before);
	for (size_t i = 0; !rc && i < counter->setup.plan->events.nr; i++) {
		if (event < 0 || (int)i == event)
			counter->off[i] = !on;
	}
	if (event < 0)
		counter->on = on;
	if (event < 0 && on)
		td_counter_note_off(counter);
	return rc;
}

/* Closes the descriptors of ended tasks; the reader keeps their last values. */
static void close_ended(struct td_counter *counter)
{
	td_autofree size_t *closed = NULL;
	size_t nr = 0;

	for (size_t i = 0; i < counter->nr_sets; i++) {
		struct td_open_set *set = &counter->sets[i];

		if (!set->ended || !set->nr_groups)
			continue;
		td_array_push(&closed, &nr, &set->id, sizeof(set->id));
		td_close_set(set);
	}
	td_group_reader_end_sets(&counter->reader, closed, nr);
}

int td_counter_read(struct td_counter *counter, uint64_t retry_ns, struct td_readings *readings,
		    struct td_err *err)
{
	int rc = td_group_reader_read(&counter->reader, retry_ns, readings, err);

	if (!rc)
		close_ended(counter);
	return rc;
}

/* Opens a set for all tasks; groups that are opened late are tested, which settles the plan. */
static int open_all(struct td_counter *counter, int mode, struct td_err *err)
{
	struct td_open_set *set = td_counter_add_set(counter);

	td_ints_copy(&set->tids, &counter->setup.target->tids);
	set->tries = counter->setup.open_late;
	set->mode = mode;
	return counter_open_set(counter, set, err);
}

/*
 * Opens a set for each mode, without guests if the kernel cannot count them.  If the user
 * may not count the kernel, one set is for all modes, and a note gives the reason.
 */
static int open_modes(struct td_counter *counter, struct td_err *err)
{
	struct td_target *target = counter->setup.target;
	int rc = 0;

	for (int mode = TD_MODE_GUEST; !rc && mode <= TD_MODE_USER; mode++) {
		if (mode == TD_MODE_GUEST && target->exclude_guest)
			continue;
		rc = open_all(counter, mode, err);
		if (!rc && mode == TD_MODE_GUEST && target->exclude_guest)
			td_counter_drop_set(counter);
	}
	if (rc || !target->exclude_kernel)
		return rc;
	while (counter->nr_sets)
		td_counter_drop_set(counter);
	return open_all(counter, 0, err);
}

static struct td_counter *new_counter(const struct td_counter_setup *setup)
{
	struct td_counter *counter = td_calloc(1, sizeof(*counter));

	counter->setup = *setup;
	counter->late = *setup->target;
	counter->late.enable_on_exec = false;
	counter->reader.notes = setup->notes;
	return counter;
}

/* Allocates off after all groups were opened, because splitting them adds events. */
static void begin_off(struct td_counter *counter)
{
	size_t nr = counter->setup.plan->events.nr;

	counter->on = counter->setup.target->enable_on_exec;
	counter->off = td_calloc(nr + 1, sizeof(*counter->off));
	for (size_t i = 0; i < nr; i++)
		counter->off[i] = !counter->on;
	if (counter->on)
		td_counter_note_off(counter);
	counter->reader.off = counter->off;
}

static int open_sets(struct td_counter *counter, struct td_err *err)
{
	int rc = td_check_cgroups(&counter->setup, err);
	struct td_affinity before = td_affinity_save(counter);

	if (!rc)
		rc = counter->setup.target->per_thread ? counter_open_threads(counter, err)
		     : counter->setup.target->by_mode  ? open_modes(counter, err)
						       : open_all(counter, 0, err);
	td_affinity_restore(&before);
	if (!rc) {
		begin_off(counter);
		td_counter_read_sets(counter, 0);
	}
	return rc;
}

int td_counter_open(struct td_counter **out, const struct td_counter_setup *setup,
		    struct td_err *err)
{
	struct td_counter *counter = new_counter(setup);
	int rc = open_sets(counter, err);

	td_plan_fill_at_once(setup->plan, setup->machine);
	/* sets of modes are also multiplexed */
	for (size_t i = 0;
	     setup->target->by_mode && counter->nr_sets > 1 && i < setup->plan->nr_groups; i++)
		setup->plan->groups[i].at_once /= (double)counter->nr_sets;
	counter->late.exclude_kernel = setup->target->exclude_kernel;
	counter->late.exclude_guest = setup->target->exclude_guest;
	counter->began = true;
	if (rc)
		td_counter_close(counter);
	else
		*out = counter;
	return rc;
}
