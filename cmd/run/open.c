// SPDX-License-Identifier: GPL-2.0-only
/* Forks the command and opens the counters, disabled. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/plan/attr.h"
#include "cmd/plan/dry_run.h"
#include "cmd/plan/select.h"
#include "cmd/run/run.h"

/* True if the command itself is counted, not CPUs or other tasks. */
static bool counts_command(const struct td_job *job)
{
	return !job->target.system_wide &&
	       !td_target_attaches(&job->opts->target) &&
	       (!job->target.per_thread || !job->opts->target.all_cpus);
}

static int start_child(struct td_run *run, struct td_err *err)
{
	struct td_job *job = run->job;
	int rc = td_engine_start(run->engine, job->opts->target.command,
				 &run->session->inherited, err);

	if (rc || !job->opts->target.command || !counts_command(job))
		return rc;
	td_ints_free(&job->target.tids); /* from the run before */
	return td_ints_add(&job->target.tids, run->engine->child.pid)
		       ? td_err_nomem(err)
		       : 0;
}

/* -vv: shows each open in the words of perf stat -vv. */
static void put_opened(void *ctx, const struct perf_event_attr *attr, int pid,
		       int cpu, int group_fd, int fd)
{
	const struct td_machine *machine = ctx;
	int pmu = td_machine_find_type(machine, attr->type);

	td_attr_put(stderr, attr, pmu < 0 ? NULL : machine->pmus[pmu].name);
	td_attr_put_open(stderr, pid, cpu, group_fd, 0, fd);
}

static int open_once(struct td_run *run, struct td_err *err)
{
	struct td_counting *counting = &run->counting;
	struct td_job *job = run->job;
	const struct td_counter_setup setup = {
		.plan = &job->plan,
		.machine = &job->machine,
		.target = &job->target,
		.notes = &job->notes,
		.for_metrics = job->tree,
		.open_late = !job->target.per_thread && !job->target.by_mode,
		.opened = job->opts->verbose > 1 ? put_opened : NULL,
		.ctx = &job->machine,
	};
	int rc = td_counting_watch(counting, job, &run->session->names, err);

	run->engine->waiter.tasks =
		counting->watch ? td_task_watch_fd(counting->watch) : -1;
	return rc ? rc : td_counter_open(&counting->counter, &setup, err);
}

/* Tries several times, because threads may come and go meanwhile. */
int td_run_open_counter(struct td_run *run, struct td_err *err)
{
	struct td_job *job = run->job;

	for (int attempt = 0; attempt < TD_ATTEMPTS; attempt++) {
		int rc = td_target_find_tasks(&job->target, &job->fs, err);

		if (rc)
			return rc; /* no target is left */
		rc = open_once(run, err);
		if (rc != -ESRCH || !td_target_attaches(&job->opts->target))
			return rc;
	}
	if (td_target_check_alive(&job->target, &job->fs, err))
		return err->code;
	return td_err_set(err, -ESRCH,
			  "-p, -t: threads come and go faster than they can be "
			  "opened: try again");
}

int td_run_open(struct td_run *run, struct td_err *err)
{
	struct td_job *job = run->job;
	int rc = start_child(run, err);

	if (!rc)
		rc = td_run_open_counter(run, err);
	if (!rc && job->tree)
		rc = td_check_opened_metrics(job->tree, &job->plan.events, err);
	/* -l auto has none until a node with such metrics is counted */
	if (!rc && (!job->tree || !job->tree->nr_families))
		td_latency_open(&run->latency, job, false);
	if (!rc && job->opts->verbose && !job->opts->show.quiet &&
	    (!run->session->runs || job->plan.nr_sets > 1))
		td_describe(stderr, &job->machine, job->tree, &job->plan,
			    &job->target);
	fflush(stderr); /* before the command's output */
	return rc;
}
