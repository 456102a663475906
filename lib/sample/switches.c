// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sample/switches.h"

#include <linux/perf_event.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "lib/base/util.h"
#include "lib/counter/affinity.h"
#include "lib/counter/probe.h"
#include "lib/sample/sampler.h"
#include "lib/sample/slices.h"

/*
 * Groups that do not fit together alternate every TURN_NS, or more slowly on large machines.  This
 * task exchanges them while it runs on their CPU: a group that the kernel replaces at any other
 * time misses switches.
 */
#define TURN_NS     (50 * TD_NS_A_MS)
#define TURN_CPU_NS (2 * TD_NS_A_MS)

struct td_switches {
	struct td_switches_setup setup;
	struct td_target target; /* the setup's, as the sampler may change it */
	struct td_sampling *how;
	struct td_sampler *sampler;
	struct td_slices slices;
	size_t turn; /* number of turns so far */
	int timer;   /* ends a turn; -1: each core type has one group */
	int epoll;   /* the timer, and the sampler's descriptor */
	bool ends;   /* the look ends the interval */
	int *ended;  /* the last task that ended on each CPU */
	size_t nr_cpus;
	struct gone {
		int number, life;
	} * gone; /* tasks that ended since the last read */
	size_t nr_gone;
	uint64_t self; /* the number of this task or its user, or the id of its cgroup */
	/* Users: their numbers are their ids plus 1, because 0 is TD_TASK_IDLE. */
	struct td_index users;   /* number of each user id */
	struct td_index user_of; /* number of each process's user */
	struct td_index read_in; /* the interval in which it was last read; 0: none */
	size_t interval;         /* number of this interval; the first is 1 */
	/* Cgroups. */
	char *root;
	struct td_cgroup_paths paths;
	bool has_read_paths;        /* in this interval */
	bool has_new;               /* cgroups were created since td_switches_has_new() */
	struct td_slice_sums named; /* counts of the setup's cgroups on each CPU */
	size_t nr_named, nr_online; /* cgroups and CPUs that named has */
};

static const struct td_companion at_switches = {
	.type = PERF_TYPE_SOFTWARE,
	.config = PERF_COUNT_SW_CONTEXT_SWITCHES,
	.samples = true,
};

static const struct td_companion at_cgroup_switches = {
	.type = PERF_TYPE_SOFTWARE,
	.config = PERF_COUNT_SW_CGROUP_SWITCHES,
	.samples = true,
};

/* --- tasks ------------------------------------------------------------------ */

static int life_of(const struct td_switches *switches, int task)
{
	int next = td_task_names_next_life(switches->setup.names, task);

	return next ? next - 1 : 0;
}

static int *ended_on(struct td_switches *switches, int cpu)
{
	while (switches->nr_cpus <= (size_t)cpu) {
		const int none = TD_TASK_LOST;

		td_array_push(&switches->ended, &switches->nr_cpus, &none, sizeof(none));
	}
	return &switches->ended[cpu];
}

static size_t number_user(struct td_switches *switches, uid_t id)
{
	struct td_task_names *names = switches->setup.names;
	size_t number = td_index_find(&switches->users, td_hash(id));
	td_autofree char *name = NULL;

	if (number != TD_NOT_FOUND)
		return number;
	/* the same in other recordings, but for users with a number that no user should have */
	number = id < TD_TASK_LOST - 1 ? id + 1 : TD_TASK_LOST + 1 + switches->users.nr;
	td_index_add(&switches->users, td_hash(id), number);
	name = td_user_name(id);
	td_task_names_begin(names, (int)number, 0);
	td_task_names_set(names, (int)number, name);
	return number;
}

/*
 * Returns the number of a process's user, which is read once in an interval because it may change.
 * A process that has ended keeps its last user, which at first is that of its parent.
 */
static int user_of(struct td_switches *switches, int pid)
{
	uint64_t process = td_hash((uint32_t)pid);
	size_t user;
	int64_t id;

	if (pid == TD_TASK_IDLE)
		return TD_TASK_IDLE;
	if (td_index_find(&switches->read_in, process) != switches->interval) {
		td_index_set(&switches->read_in, process, switches->interval);
		id = td_task_user(switches->setup.fs, pid);
		if (id >= 0)
			td_index_set(&switches->user_of, process, number_user(switches, (uid_t)id));
	}
	user = td_index_find(&switches->user_of, process);
	return user == TD_NOT_FOUND ? TD_TASK_LOST : (int)user;
}

/* Returns the name of a task, which may have begun before its records were read, or NULL. */
static const char *name_of(struct td_switches *switches, int number)
{
	struct td_task_names *names = switches->setup.names;
	const char *name = td_task_names_find(names, number);

	if (name)
		return name;
	td_task_names_begin(names, number, life_of(switches, number));
	td_task_names_read(names, switches->setup.fs, number);
	return td_task_names_find(names, number);
}

/* Returns the number of the task of a sample.  A thread that is exiting has none any more. */
static int task_of(struct td_switches *switches, const struct td_record *record)
{
	int number = switches->setup.of_processes ? record->pid : record->tid;

	if (number < 0)
		number = *ended_on(switches, record->cpu);
	if (switches->setup.of_users)
		return user_of(switches, number);
	name_of(switches, number);
	return number;
}

/* Begin a task with the name of the process or thread that started it, or with its user. */
static void begin_task(struct td_switches *switches, int number, const struct td_record *record)
{
	struct td_task_names *names = switches->setup.names;
	uint64_t process = td_hash((uint32_t)number);
	const char *name;

	if (switches->setup.of_users) {
		td_index_set(&switches->user_of, process,
			     (size_t)user_of(switches, record->parent));
		td_index_set(&switches->read_in, process, 0);
		return;
	}
	name = name_of(switches,
		       switches->setup.of_processes ? record->parent : record->parent_tid);
	td_task_names_begin(names, number, td_task_names_next_life(names, number));
	if (name)
		td_task_names_set(names, number, name);
}

/* Notes the end of a task, whose last slice may be in the next interval. */
static void end_task(struct td_switches *switches, const struct td_record *record)
{
	bool by_pid = switches->setup.of_processes;
	int number = by_pid ? record->pid : record->tid;
	const struct gone gone = { number, life_of(switches, number) };

	*ended_on(switches, record->cpu) = number;
	if (!switches->setup.of_users && (!by_pid || record->pid == record->tid))
		td_array_push(&switches->gone, &switches->nr_gone, &gone, sizeof(gone));
}

static void follow(struct td_switches *switches, const struct td_record *record)
{
	bool by_pid = switches->setup.of_processes;

	switch (record->kind) {
	case TD_RECORD_CGROUP:
		td_cgroup_paths_add(&switches->paths, record->cgroup, record->path);
		switches->has_new = true;
		break;
	case TD_RECORD_FORK:
		begin_task(switches, by_pid ? record->pid : record->tid, record);
		break;
	case TD_RECORD_THREAD:
		if (!by_pid)
			begin_task(switches, record->tid, record);
		break;
	case TD_RECORD_EXEC:
	case TD_RECORD_NAME:
		if (switches->setup.of_users)
			td_index_set(&switches->read_in, td_hash((uint32_t)record->pid), 0);
		else if (!by_pid || record->pid == record->tid)
			td_task_names_set(switches->setup.names, record->tid, record->path);
		break;
	case TD_RECORD_END:
		end_task(switches, record);
		break;
	case TD_RECORD_LOST:
		if (record->cpu >= 0)
			td_slices_lose(&switches->slices, record->cpu);
		break;
	default:
		break;
	}
}

/* --- cgroups ---------------------------------------------------------------- */

bool td_switches_know(const struct td_cgroups *cgroups, int cpu)
{
	struct perf_event_attr attr = {
		.type = at_cgroup_switches.type,
		.size = sizeof(attr),
		.config = at_cgroup_switches.config,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_CGROUP,
		.disabled = true,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	struct stat root;

	if (fd < 0)
		return false;
	td_close_fd(&fd);
	/* in a namespace, the kernel's paths are not those below the mount point */
	if (fstat(cgroups->root, &root) || root.st_ino != 1)
		return false;
	for (size_t i = 0; i < cgroups->nr; i++) {
		if (!td_cgroup_probe(cgroups->fds[i], cpu))
			return false;
	}
	return true;
}

bool td_switches_has_new(struct td_switches *switches)
{
	bool has_new = switches->has_new;

	switches->has_new = false;
	return has_new;
}

/* Adds up a slice or, with the value 0, only makes its place. */
static void add_named(struct td_switches *switches, const struct td_reading *slice, size_t cgroup)
{
	struct td_reading reading = *slice;
	const struct td_readings one = { .v = &reading, .nr = 1 };

	reading.tid = -1;
	reading.life = 0;
	reading.cgroup = 1 + (int)cgroup;
	td_readings_merge(&switches->named.sum, &switches->named.index, &one);
}

/* Makes places for all cgroups on a CPU, because cgroups that do not run count 0. */
static void add_places(struct td_switches *switches, int cpu)
{
	const struct td_plan *plan = switches->setup.plan;
	struct td_reading reading = { .cpu = cpu };

	for (size_t i = 0; i < switches->nr_named * plan->nr_groups; i++) {
		const struct td_group *group = &plan->groups[i % plan->nr_groups];

		if (!td_ints_has(&switches->setup.machine->pmus[group->pmu].cpus, cpu))
			continue;
		for (size_t k = 0; k < group->nr; k++) {
			reading.event = group->members[k];
			add_named(switches, &reading, i / plan->nr_groups);
		}
	}
}

static void clear_named(struct td_switches *switches)
{
	const struct td_ints *online = &switches->setup.machine->online;
	struct td_slice_sums *named = &switches->named;

	td_readings_clear(&named->sum);
	if (switches->nr_named == switches->setup.cgroups->nr && switches->nr_online == online->nr)
		return;
	named->sum.nr = 0;
	td_index_clear(&named->index);
	switches->nr_named = switches->setup.cgroups->nr;
	switches->nr_online = online->nr;
	for (size_t i = 0; i < online->nr; i++)
		add_places(switches, online->v[i]);
}

/* Returns NULL if the cgroup is unknown, after looking for new ones once in an interval. */
static const char *find_path(struct td_switches *switches, uint64_t id)
{
	const char *found = td_cgroup_paths_find(&switches->paths, id);

	if (found || id == TD_TASK_LOST || switches->has_read_paths)
		return found;
	switches->has_read_paths = true;
	td_cgroup_paths_read(&switches->paths, switches->root);
	return td_cgroup_paths_find(&switches->paths, id);
}

/* Adds a slice to its cgroup and to all that contain it.  Returns false if it is unknown. */
static bool add_to_cgroups(struct td_switches *switches, const struct td_reading *slice)
{
	const struct td_cgroups *cgroups = switches->setup.cgroups;
	uint64_t id = (uint64_t)(uint32_t)slice->life << 32 | (uint32_t)slice->tid;
	const char *found = find_path(switches, id);
	td_autofree char *name = found ? td_strdup(found) : NULL;
	char *end = name;

	while (end) {
		size_t at = td_cgroups_find(cgroups, name);

		if (at < cgroups->nr)
			add_named(switches, slice, at);
		end = strrchr(name, '/');
		if (end)
			*end = '\0';
	}
	if (found && strcmp(found, "/") != 0 && td_cgroups_find(cgroups, "/") < cgroups->nr)
		add_named(switches, slice, td_cgroups_find(cgroups, "/"));
	return found != NULL;
}

/* Removed cgroups are forgotten when there are more of them than this, and than others. */
#define MAX_REMOVED 1000
/* Slices beside turns are lost, which is too little to report. */
#define MAX_LOST 0.01

/* Replaces the counts of all cgroups by those of the setup's. */
static void name_cgroups(struct td_switches *switches, struct td_readings *readings)
{
	struct td_cgroup_paths *paths = &switches->paths;
	uint64_t all_ns = 0, lost_ns = 0;

	clear_named(switches);
	switches->has_read_paths = false;
	td_for_each(const struct td_reading, slice, readings->v, readings->nr) {
		all_ns += slice->enabled_ns;
		lost_ns += add_to_cgroups(switches, slice) ? 0 : slice->enabled_ns;
	}
	if ((double)lost_ns > MAX_LOST * (double)all_ns)
		td_notes_add(
			switches->setup.notes,
			"more than 1 %% of the time is in no row, because its cgroup is unknown: "
			"--by-events needs no records of switches");
	if (paths->nr > 2 * paths->nr_read + MAX_REMOVED)
		td_cgroup_paths_read(paths, switches->root);
	*readings = switches->named.sum;
}

/* --- records ---------------------------------------------------------------- */

static struct td_slice_end slice_end(const struct td_switches *switches,
				     const struct td_record *record, int event, uint64_t id)
{
	bool tasks = !switches->setup.cgroups;

	return (struct td_slice_end){
		.group = event - (int)switches->setup.plan->events.nr,
		.cpu = record->cpu,
		.task = (int)id,
		.life = tasks ? life_of(switches, (int)id) : (int)(id >> 32),
		.enabled_ns = record->enabled_ns,
		.running_ns = record->running_ns,
		.pairs = record->values,
	};
}

/* Is the record that of the companion of a group, with all its values? */
static bool is_slice(const struct td_switches *switches, const struct td_record *record, int event)
{
	const struct td_plan *plan = switches->setup.plan;

	return record->kind == TD_RECORD_SAMPLE && event >= (int)plan->events.nr &&
	       record->cpu >= 0 &&
	       record->nr_values >= plan->groups[event - (int)plan->events.nr].nr;
}

static void take_record(void *ctx, const struct td_record *record, int event)
{
	struct td_switches *switches = ctx;
	struct td_slice_end end;

	if (!is_slice(switches, record, event)) {
		follow(switches, record);
		return;
	}
	end = slice_end(switches, record, event,
			switches->setup.cgroups ? record->cgroup
						: (uint64_t)task_of(switches, record));
	td_slices_add(&switches->slices, &end);
}

static void take_look(void *ctx, const struct td_record *record, int event)
{
	struct td_switches *switches = ctx;
	struct td_slice_end end;
	bool here;

	if (!is_slice(switches, record, event))
		return;
	/* after the read, because a real-time task may have replaced this one before */
	here = sched_getcpu() == record->cpu;
	end = slice_end(switches, record, event, here ? switches->self : TD_TASK_LOST);
	td_slices_look(&switches->slices, &end, switches->ends);
}

/* Returns the number of groups of a group's core type, and sets *at to its place among them. */
static size_t count_groups(const struct td_plan *plan, size_t group, size_t *at)
{
	size_t nr = 0;

	for (size_t i = 0; i < plan->nr_groups; i++) {
		if (i == group)
			*at = nr;
		nr += plan->groups[i].nr && plan->groups[i].pmu == plan->groups[group].pmu;
	}
	return nr;
}

/* Are there groups on this CPU that alternate? */
static bool alternates(const struct td_switches *switches, int cpu)
{
	const struct td_plan *plan = switches->setup.plan;
	const struct td_pmu *pmus = switches->setup.machine->pmus;
	size_t unused;

	for (size_t i = 0; i < plan->nr_groups; i++) {
		if (count_groups(plan, i, &unused) > 1 && plan->groups[i].nr &&
		    td_ints_has(&pmus[plan->groups[i].pmu].cpus, cpu))
			return true;
	}
	return false;
}

/*
 * Every ALL_TURNS turns, all groups but the next one are disabled, because all groups of a CPU that
 * was offline are enabled.
 */
#define ALL_TURNS 16

/* Has the group, the at-th of nr, to be disabled in this turn? */
static bool has_lost_turn(const struct td_switches *switches, size_t at, size_t nr)
{
	size_t turn = switches->turn;

	return turn % nr != at && (turn % ALL_TURNS <= 1 || (turn - 1) % nr == at);
}

/*
 * Look at the groups of the CPU of this task that count, or, with turn, exchange those that
 * alternate.  The first pass disables, so that the counters are free in the second.
 */
static void look_at(struct td_switches *switches, int cpu, bool turn)
{
	const struct td_plan *plan = switches->setup.plan;

	for (int on = !turn; on <= 1; on++) {
		for (size_t i = 0; i < plan->nr_groups; i++) {
			size_t at = 0, nr = count_groups(plan, i, &at);

			if (!plan->groups[i].nr || (nr == 1 && turn) ||
			    !(on ? switches->turn % nr == at : has_lost_turn(switches, at, nr)))
				continue;
			if (turn)
				td_sampler_enable_group(switches->sampler, i, cpu, on);
			td_sampler_look(switches->sampler, i, cpu, take_look, switches);
		}
	}
}

/*
 * Visit each CPU: the task there is switched out, and the rest of its counts is this task's.  On
 * CPUs that a cpuset excludes or a real-time task occupies, nothing is switched out, so the rest is
 * of an unknown task.
 */
static void look_at_all(struct td_switches *switches, bool ends)
{
	const struct td_ints *cpus = &switches->setup.machine->online;
	struct td_affinity before = td_affinity_now();

	switches->ends = ends;
	before.returns_to = 0;
	for (size_t i = 0; i < cpus->nr; i++) {
		if (!ends && !alternates(switches, cpus->v[i]))
			continue;
		td_go_to_cpu(cpus->v[i]);
		look_at(switches, cpus->v[i], !ends);
	}
	td_affinity_restore(&before);
}

/* --- all -------------------------------------------------------------------- */

static int prepare_turns(struct td_switches *switches, struct td_err *err)
{
	const struct td_ints *cpus = &switches->setup.machine->online;
	struct epoll_event event = { .events = EPOLLIN };
	int fds[] = { td_sampler_fd(switches->sampler), -1 };
	bool any = false;

	for (size_t i = 0; i < cpus->nr; i++)
		any |= alternates(switches, cpus->v[i]);
	if (any)
		fds[1] = switches->timer =
			timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (any && switches->timer < 0)
		return td_err_set(err, -errno, "timerfd: %s", strerror(errno));
	switches->epoll = epoll_create1(EPOLL_CLOEXEC);
	for (int i = 0; i < 1 + any && switches->epoll >= 0; i++) {
		if (epoll_ctl(switches->epoll, EPOLL_CTL_ADD, fds[i], &event))
			td_close_fd(&switches->epoll);
	}
	return switches->epoll < 0 ? td_err_set(err, -errno, "epoll: %s", strerror(errno)) : 0;
}

int td_switches_open(struct td_switches **out, const struct td_switches_setup *setup,
		     struct td_err *err)
{
	struct td_switches *switches = td_calloc(1, sizeof(*switches));
	struct td_sampler_setup sampler = {
		.plan = setup->plan,
		.machine = setup->machine,
		.target = &switches->target,
		.notes = setup->notes,
		.format.values = true,
		.format.cgroup = setup->cgroups,
		.companions = setup->cgroups ? &at_cgroup_switches : &at_switches,
		.nr_companions = 1,
	};
	int rc = 0;

	switches->setup = *setup;
	switches->target = *setup->target;
	switches->slices.plan = setup->plan;
	switches->slices.by_cpu = setup->cgroups;
	switches->how = td_calloc(setup->plan->events.nr, sizeof(*switches->how));
	switches->self = (uint64_t)(setup->of_processes ? getpid() : gettid());
	switches->interval = 1;
	switches->timer = switches->epoll = -1;
	sampler.how = switches->how;
	td_task_names_begin(setup->names, TD_TASK_IDLE, 0);
	td_task_names_set(setup->names, TD_TASK_IDLE, TD_IDLE_NAME);
	td_task_names_begin(setup->names, TD_TASK_LOST, 0);
	td_task_names_set(setup->names, TD_TASK_LOST, TD_LOST_NAME);
	if (setup->cgroups)
		rc = td_cgroup_root(setup->fs, &switches->root, err);
	if (!rc)
		rc = td_sampler_open(&switches->sampler, &sampler, err);
	if (!rc)
		rc = prepare_turns(switches, err);
	if (rc)
		td_switches_close(switches);
	else
		*out = switches;
	return rc;
}

/* Disables all groups: else the kernel stops and starts their counters with each closed event. */
static void disable(const struct td_switches *switches)
{
	const struct td_ints *cpus = &switches->setup.machine->online;
	const struct td_plan *plan = switches->setup.plan;

	for (size_t i = 0; switches->sampler && i < cpus->nr; i++) {
		for (size_t g = 0; g < plan->nr_groups; g++) {
			if (plan->groups[g].nr)
				td_sampler_enable_group(switches->sampler, g, cpus->v[i], false);
		}
	}
}

void td_switches_close(struct td_switches *switches)
{
	if (!switches)
		return;
	td_close_fd(&switches->timer);
	td_close_fd(&switches->epoll);
	disable(switches);
	td_sampler_close(switches->sampler);
	td_slices_free(&switches->slices);
	free(switches->how);
	free(switches->ended);
	free(switches->gone);
	free(switches->root);
	td_index_free(&switches->users);
	td_index_free(&switches->user_of);
	td_index_free(&switches->read_in);
	td_cgroup_paths_free(&switches->paths);
	td_slice_sums_free(&switches->named);
	free(switches);
}

/*
 * Takes the records until now, in order of time.  The second read passes those from before the
 * first one.  For later ones, the cause may be in a ring that was read before: a fork, for example.
 */
static void take_records(struct td_switches *switches)
{
	for (int i = 0; i < 2; i++)
		td_sampler_read(switches->sampler, false, take_record, switches);
}

static void take_turn(struct td_switches *switches)
{
	switches->turn++;
	look_at_all(switches, false);
	take_records(switches);
	td_slices_settle(&switches->slices);
}

static void start_timer(const struct td_switches *switches)
{
	uint64_t nr_cpus = switches->setup.machine->online.nr;
	uint64_t ns = nr_cpus * TURN_CPU_NS > TURN_NS ? nr_cpus * TURN_CPU_NS : TURN_NS;
	const struct timespec turn = { (time_t)(ns / TD_NS_A_SECOND), (long)(ns % TD_NS_A_SECOND) };
	const struct itimerspec spec = { turn, turn };

	if (switches->timer >= 0)
		timerfd_settime(switches->timer, 0, &spec, NULL);
}

void td_switches_begin(struct td_switches *switches)
{
	td_sampler_enable(switches->sampler, true);
	start_timer(switches);
	/* only the second turn begins with a group that no other one keeps from the counters */
	for (int i = 0; i < 2 && switches->timer >= 0; i++)
		take_turn(switches);
	/* processes and cgroups from before the groups were enabled; records name later ones */
	if (switches->setup.of_users) {
		struct td_ints pids = { 0 };
		struct td_err unused = { 0 };

		td_tasks_add_processes(switches->setup.fs, &pids, &unused);
		for (size_t i = 0; i < pids.nr; i++)
			user_of(switches, pids.v[i]);
		td_ints_free(&pids);
		switches->self = (uint64_t)user_of(switches, getpid());
	}
	if (switches->root) {
		td_cgroup_paths_read(&switches->paths, switches->root);
		switches->self = td_cgroup_own(switches->setup.fs, switches->root);
	}
	look_at_all(switches, true);
}

void td_switches_drop(struct td_switches *switches)
{
	take_records(switches);
	td_slices_end(&switches->slices);
}

int td_switches_fd(const struct td_switches *switches)
{
	return switches->epoll;
}

struct td_sampler *td_switches_sampler(const struct td_switches *switches)
{
	return switches->sampler;
}

void td_switches_drain(struct td_switches *switches)
{
	uint64_t ends;

	if (switches->timer >= 0 && read(switches->timer, &ends, sizeof(ends)) == sizeof(ends))
		take_turn(switches);
	else
		td_sampler_read(switches->sampler, false, take_record, switches);
}

void td_switches_read(struct td_switches *switches, struct td_readings *readings)
{
	uint64_t begin_ns = td_now_ns(), read_ns;

	/* Marks the tasks that ended before the last look, so that their names can be dropped. */
	for (size_t i = 0; i < switches->nr_gone; i++)
		td_task_names_end_life(switches->setup.names, switches->gone[i].number,
				       switches->gone[i].life);
	switches->nr_gone = 0;
	look_at_all(switches, true);
	read_ns = td_now_ns();
	take_records(switches);
	switches->interval++;
	*readings = *td_slices_end(&switches->slices);
	if (switches->setup.cgroups)
		name_cgroups(switches, readings);
	readings->read_ns = read_ns;
	readings->took_ns = read_ns - begin_ns;
}
