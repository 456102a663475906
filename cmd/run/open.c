// SPDX-License-Identifier: GPL-2.0-only
/* Forks the command and opens the counters, disabled. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/plan/attr.h"
#include "cmd/plan/dry_run.h"
#include "cmd/plan/select.h"
#include "cmd/run/run.h"
#include "lib/base/util.h"

/* True if the command itself is counted, not CPUs or other tasks. */
static bool counts_command(const struct td_run *run)
{
	return !run->target.system_wide && !td_opts_attaches(run->opts) &&
	       (!run->target.per_thread || !run->opts->all_cpus);
}

static int start_child(struct td_run *run, struct td_err *err)
{
	int rc;

	if (!run->opts->command)
		return 0;
	rc = td_child_start(&run->child, run->opts->command, &run->given, err);
	if (rc)
		return rc;
	run->waiter.child = run->child.pidfd;
	if (!counts_command(run))
		return 0;
	td_ints_free(&run->target.tids); /* from the run before */
	return td_ints_add(&run->target.tids, run->child.pid)
		       ? td_err_nomem(err)
		       : 0;
}

/* -vv: shows each open in the words of perf stat -vv. */
static void put_opened(void *ctx, const struct perf_event_attr *attr, int pid,
		       int cpu, int group_fd, int fd)
{
	const struct td_run *run = ctx;
	int pmu = td_machine_find_type(&run->machine, attr->type);

	td_attr_put(stderr, attr, pmu < 0 ? NULL : run->machine.pmus[pmu].name);
	td_attr_put_open(stderr, pid, cpu, group_fd, 0, fd);
}

static int open_once(struct td_run *run, struct td_err *err)
{
	const struct td_counter_setup setup = {
		.plan = &run->plan,
		.machine = &run->machine,
		.target = &run->target,
		.notes = &run->notes,
		.for_metrics = run->source.tree,
		.opened = run->opts->verbose > 1 ? put_opened : NULL,
		.ctx = run,
	};
	int rc = td_run_watch_tasks(run, err);

	return rc ? rc : td_counter_open(&run->counter, &setup, err);
}

/* Tries several times, because threads may come and go meanwhile. */
int td_run_open_counter(struct td_run *run, struct td_err *err)
{
	for (int attempt = 0; attempt < TD_ATTEMPTS; attempt++) {
		int rc = td_target_find_tasks(&run->target, &run->fs, err);

		if (rc)
			return rc; /* no target is left */
		rc = open_once(run, err);
		if (rc != -ESRCH || !td_opts_attaches(run->opts))
			return rc;
	}
	if (td_target_check_alive(&run->target, &run->fs, err))
		return err->code;
	return td_err_set(err, -ESRCH,
			  "-p, -t: threads come and go faster than they can be "
			  "opened: try again");
}

int td_run_open(struct td_run *run, struct td_err *err)
{
	int rc = start_child(run, err);

	if (!rc)
		rc = td_run_open_counter(run, err);
	if (!rc && run->source.tree)
		rc = td_check_opened_metrics(run->source.tree,
					     &run->plan.events, err);
	if (!rc && run->opts->verbose && !run->opts->quiet && !run->runs)
		td_describe(stderr, &run->machine, run->source.tree, &run->plan,
			    &run->target);
	fflush(stderr); /* before the command's output */
	return rc;
}
