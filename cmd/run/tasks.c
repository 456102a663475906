// SPDX-License-Identifier: GPL-2.0-only
/* --per-thread: follows threads and processes that begin and end. */
#include <errno.h>
#include <string.h>

#include "cmd/run/run.h"

static int read_names(struct td_run *run, struct td_err *err)
{
	const struct td_ints *tids = &run->target.tids;

	for (size_t i = 0; i < tids->nr; i++) {
		if (td_task_names_begin(&run->names, tids->v[i], 0) ||
		    td_task_names_read(&run->names, &run->fs, tids->v[i]))
			return td_err_nomem(err);
	}
	return 0;
}

static bool same_tids(const struct td_ints *a, const struct td_ints *b)
{
	return a->nr == b->nr &&
	       (!a->nr || memcmp(a->v, b->v, a->nr * sizeof(*a->v)) == 0);
}

/* Opens the watch.  Returns 1 if more tasks have appeared meanwhile. */
static int watch_once(struct td_run *run, struct td_err *err)
{
	struct td_ints before = { 0 };
	int rc;

	td_task_watch_close(run->watch);
	run->watch = NULL;
	rc = td_task_watch_open(&run->watch, &run->target.tids,
				&run->machine.online, err);
	if (rc || !td_opts_attaches(run->opts))
		return rc;
	if (td_ints_copy(&before, &run->target.tids))
		return td_err_nomem(err);
	rc = td_target_find_tasks(&run->target, &run->fs, err);
	if (!rc && !same_tids(&before, &run->target.tids))
		rc = 1;
	td_ints_free(&before);
	return rc;
}

int td_run_watch_tasks(struct td_run *run, struct td_err *err)
{
	const struct td_target *target = &run->target;
	int rc = 1;

	/* a report of the recording may show the tasks separately */
	if (!target->per_thread)
		return run->opts->subcommand == TD_RECORD &&
				       td_opts_attaches(run->opts)
			       ? read_names(run, err)
			       : 0;
	/* with all tasks of the machine, new ones are not followed */
	for (int i = 0; rc > 0 && i < TD_ATTEMPTS; i++)
		rc = target->all_tasks ? 0 : watch_once(run, err);
	if (rc > 0)
		return td_err_set(err, -ESRCH,
				  "--per-thread: threads come and go faster "
				  "than they can be opened: try again");
	run->waiter.tasks = run->watch ? td_task_watch_fd(run->watch) : -1;
	return rc ? rc : read_names(run, err);
}

/* The new task has the name of the task that started it. */
static int add_task(struct td_run *run, const struct td_task_event *event,
		    struct td_err *err)
{
	const char *name = td_task_names_find(&run->names, event->parent);
	int life = td_task_names_next_life(&run->names, event->tid);
	int rc = td_counter_add_task(run->counter, event->tid, life, err);

	/* one missing thread must not stop the others */
	if (rc && rc != -ENOMEM) {
		run->nr_missed += rc == -ESRCH;
		if (rc != -ESRCH)
			td_notes_add(&run->notes,
				     "--per-thread: not all threads could be "
				     "counted: %s",
				     strerror(-rc));
		return 0;
	}
	if (!rc && (td_task_names_begin(&run->names, event->tid, life) ||
		    (name && td_task_names_set(&run->names, event->tid, name))))
		rc = td_err_nomem(err);
	return rc;
}

static int take_event(struct td_run *run, const struct td_task_event *event,
		      struct td_err *err)
{
	switch (event->change) {
	case TD_TASK_BEGAN:
		return run->opts->no_inherit ? 0 : add_task(run, event, err);
	case TD_TASK_ENDED:
		td_counter_end_task(run->counter, event->tid);
		td_task_names_end(&run->names, event->tid);
		run->nr_ended++;
		return 0;
	case TD_TASK_NAMED:
		return td_task_names_set(&run->names, event->tid, event->name)
			       ? td_err_nomem(err)
			       : 0;
	}
	return 0;
}

int td_run_take_tasks(struct td_run *run, struct td_err *err)
{
	struct td_task_event event;
	int rc = td_task_watch_read(run->watch, err);

	while (!rc && td_task_watch_next(run->watch, &event))
		rc = take_event(run, &event, err);
	return rc;
}
