// SPDX-License-Identifier: GPL-2.0-only
/* Follows threads and processes that begin and end, and counts them by context switches. */

#include "cmd/run/run.h"

static void read_names(struct td_task_names *names, const struct td_job *job)
{
	const struct td_ints *tids = &job->target.tids;

	for (size_t i = 0; i < tids->nr; i++) {
		td_task_names_begin(names, tids->v[i], 0);
		td_task_names_read(names, &job->fs, tids->v[i]);
	}
}

static bool has_same_tids(const struct td_ints *a, const struct td_ints *b)
{
	return a->nr == b->nr && (!a->nr || memcmp(a->v, b->v, a->nr * sizeof(*a->v)) == 0);
}

/* Open the watch.  Returns 1 if more tasks have appeared since the target was listed. */
static int watch_once(struct td_task_watch **watch, struct td_job *job, struct td_err *err)
{
	struct td_ints *tids = &job->target.tids, before = { 0 };
	int rc;

	td_task_watch_close(*watch);
	*watch = NULL;
	rc = td_task_watch_open(watch, tids, &job->machine.online, err);
	if (rc || !td_target_attaches(&job->request->target))
		return rc;
	td_ints_copy(&before, tids);
	rc = td_target_find_tasks(&job->target, &job->fs, err);
	if (!rc && !has_same_tids(&before, tids))
		rc = 1;
	td_ints_free(&before);
	return rc;
}

int td_counting_watch(struct td_counting *counting, struct td_job *job, struct td_task_names *names,
		      struct td_err *err)
{
	const struct td_request *request = job->request;
	int rc = 1;

	/* a report of the recording may show the tasks separately */
	if (!job->target.per_thread) {
		if (request->does.records && td_target_attaches(&request->target))
			read_names(names, job);
		return 0;
	}
	/* with all tasks of the machine, new ones are not followed */
	for (int i = 0; rc > 0 && i < TD_ATTEMPTS; i++)
		rc = job->target.all_tasks ? 0 : watch_once(&counting->watch, job, err);
	if (rc > 0)
		return td_err_set(
			err, -ESRCH,
			"--per-thread: threads come and go faster than they can be opened: try "
			"again");
	if (rc)
		return rc;
	read_names(names, job);
	return 0;
}

bool td_run_counts_by_switches(const struct td_job *job)
{
	const struct td_cgroups *cgroups = &job->target.cgroups;

	if (!job->target.by_switches || !job->target.each_cgroup)
		return job->target.by_switches;
	return (cgroups->nr > 1 || td_request_follows_cgroups(job->request)) &&
	       job->machine.online.nr && td_switches_know(cgroups, job->machine.online.v[0]);
}

int td_run_open_switches(struct td_run *run, struct td_err *err)
{
	struct td_job *job = run->job;
	enum td_aggregation how = td_request_aggregation(job->request);
	struct td_target cpus = job->target;
	const struct td_switches_setup setup = {
		.plan = &job->plan,
		.machine = &job->machine,
		.target = &cpus,
		.fs = &job->fs,
		.names = &run->session->names,
		.notes = &job->notes,
		.of_processes = how != TD_AGGREGATE_THREAD,
		.of_users = how == TD_AGGREGATE_USER,
		.cgroups = job->target.each_cgroup ? &job->target.cgroups : NULL,
	};
	int rc;

	cpus.each_cgroup = false;
	cpus.cgroups = (struct td_cgroups){ 0 };
	rc = td_switches_open(&run->counting.switches, &setup, err);
	if (!rc)
		run->engine->waiter.tasks = td_switches_fd(run->counting.switches);
	return rc;
}

/* Count a new task, which has the name of its parent.  If that fails, only note it. */
static void add_task(struct td_run *run, const struct td_task_event *event)
{
	struct td_task_names *names = &run->session->names;
	const char *name = td_task_names_find(names, event->parent);
	int life = td_task_names_next_life(names, event->tid);
	struct td_err unused = { 0 };
	int rc = td_counter_add_task(run->counting.counter, event->tid, life, &unused);

	if (rc == -ESRCH) {
		run->counting.nr_missed++;
		return;
	}
	if (rc) {
		td_notes_add(&run->job->notes, "--per-thread: not all threads could be counted: %s",
			     strerror(-rc));
		return;
	}
	td_task_names_begin(names, event->tid, life);
	if (name)
		td_task_names_set(names, event->tid, name);
}

static void handle_event(struct td_run *run, const struct td_task_event *event)
{
	struct td_task_names *names = &run->session->names;

	switch (event->change) {
	case TD_TASK_BEGAN:
		if (!run->job->request->target.no_inherit)
			add_task(run, event);
		break;
	case TD_TASK_ENDED:
		td_counter_end_task(run->counting.counter, event->tid);
		td_task_names_end(names, event->tid);
		run->counting.nr_ended++;
		break;
	case TD_TASK_NAMED:
		td_task_names_set(names, event->tid, event->name);
	}
}

void td_run_follow_tasks(struct td_run *run)
{
	struct td_task_watch *watch = run->counting.watch;
	struct td_task_event event;

	if (run->counting.switches) {
		td_switches_drain(run->counting.switches);
		return;
	}
	td_task_watch_read(watch);
	while (td_task_watch_next(watch, &event))
		handle_event(run, &event);
}
