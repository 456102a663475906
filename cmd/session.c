// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/session.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "cmd/plan/dry_run.h"
#include "cmd/plan/events.h"
#include "cmd/plan/select.h"
#include "cmd/plan/target.h"
#include "cmd/run/child.h"
#include "cmd/run/run.h"
#include "lib/base/util.h"
#include "lib/plan/cgroups.h"

static int build_measure(struct td_run *run, struct td_err *err)
{
	struct td_measuring how = {
		.machine = &run->machine,
		.fs = &run->fs,
		.opts = run->opts,
		.notes = &run->notes,
		.tsc_hz = td_tsc_hz(),
		.core_wide = run->target.system_wide,
	};
	td_autofree struct td_place *places = NULL;
	int rc = td_places_read(&run->fs, &run->machine.online, &places, err);

	how.places = places;
	return rc ? rc
		  : td_measure_build(&run->measure, &run->plan.events, &how,
				     err);
}

static int check_cores(struct td_run *run, const struct td_tree *tree,
		       struct td_err *err)
{
	if (!run->target.system_wide)
		return td_check_cores_of_tasks(&run->fs, tree, &run->machine,
					       run->opts, err);
	return td_select_whole_cores(&run->fs, tree, &run->machine,
				     &run->target, &run->notes, err);
}

static int make_tree(struct td_run *run, struct td_err *err)
{
	const struct td_tree *tree = &run->measure.tree;
	struct td_schedule schedule = { .single = run->opts->no_group };
	int rc = td_machine_check_known(&run->machine, err);

	if (!rc)
		rc = build_measure(run, err);
	if (!rc)
		rc = td_check_shown_metrics(tree, &run->machine, run->opts,
					    &run->notes, err);
	if (!rc)
		rc = td_check_rows_of_cpus(tree, &run->machine, run->opts, err);
	if (!rc)
		rc = check_cores(run, tree, err);
	if (rc)
		return rc;
	schedule.needs = tree->needs;
	schedule.nr_needs = tree->nr_needs;
	schedule.references = tree->references;
	schedule.always =
		td_ask_wants_files(&run->measure.ask) || run->opts->metrics_dir;
	return td_plan_build(&run->plan, &run->machine, &schedule, err);
}

/* The events of the -e that came before -G, all of what is none of -e's. */
static int specs_before_cgroup(const struct td_run *run)
{
	const struct td_opts *opts = run->opts;
	const char *behind = opts->cgroups_at < opts->nr_events
				     ? opts->events[opts->cgroups_at].list
				     : NULL;

	for (size_t i = 0; behind && i < run->text.nr_specs; i++) {
		if (run->text.specs[i].span.text == behind)
			return (int)i;
	}
	return INT_MAX;
}

static int plan_events(struct td_run *run, struct td_err *err)
{
	struct td_typing typing = {
		.opts = run->opts,
		.fs = &run->fs,
		.machine = &run->machine,
		.text = &run->text,
		.target = &run->target,
		.plan = &run->plan,
		.notes = &run->notes,
	};

	return td_events_plan(&typing, err);
}

static int make_plan(struct td_run *run, struct td_err *err)
{
	const struct td_opts *opts = run->opts;
	int rc = td_target_make(&run->target, opts, err);

	if (opts->overridden)
		td_notes_add(&run->notes,
			     "-p and -t count tasks: %s is ignored",
			     opts->overridden);
	if (!rc)
		rc = td_target_open_cgroups(&run->target, &run->fs, opts,
					    &run->notes, err);
	if (!rc)
		rc = td_opts_want_events(opts) ? plan_events(run, err)
					       : make_tree(run, err);
	if (!rc && opts->cgroups)
		rc = td_cgroups_assign(&run->plan, &run->target.cgroups,
				       specs_before_cgroup(run), err);
	return rc ? rc : td_target_find_tasks(&run->target, &run->fs, err);
}

static int count(struct td_run *run, int *status, struct td_err *err)
{
	struct td_err late = { 0 };
	int rc = td_run_prepare(run, err), rc_finish;

	do {
		if (!rc)
			rc = td_run_once(run, err);
	} while (!rc && td_run_again(run));
	/* what the runs before the one that failed have given is not lost */
	rc_finish = td_run_finish(run, rc ? &late : err);
	/* of a run that failed, only that the command could not be run */
	if (!rc || !run->child.reaped)
		*status = rc ? run->child.status : td_run_status(run);
	return rc ? rc : rc_finish;
}

/* Before anything of ours gets that number. */
static int check_log_fd(const struct td_opts *opts, struct td_err *err)
{
	int flags = opts->log_fd ? fcntl(opts->log_fd, F_GETFL) : O_WRONLY;

	if (flags < 0)
		return td_err_set(err, -errno, "--log-fd %d: %s", opts->log_fd,
				  strerror(errno));
	if ((flags & O_ACCMODE) == O_RDONLY)
		return td_err_set(err, -EBADF,
				  "--log-fd %d: it is open for reading only",
				  opts->log_fd);
	return 0;
}

/*
 * The right to count is ours alone.  As a capability of our file, exec() of the
 * command takes it away; as an ambient one, exec() would hand it on.
 */
static void keep_right_to_ourselves(void)
{
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_LOWER, CAP_PERFMON, 0, 0);
}

int td_session_run(const struct td_opts *opts, int *status, struct td_err *err)
{
	struct td_run run;
	int rc;

	keep_right_to_ourselves();
	td_run_init(&run, opts);
	td_given_take(&run.given);
	rc = check_log_fd(opts, err);
	if (!rc)
		rc = td_select_machine(&run.fs, &run.machine, opts, err);
	if (!rc)
		rc = make_plan(&run, err);
	if (!rc && opts->dry_run) {
		td_run_say_notes(&run);
		td_dry_run(stdout, &run.machine, td_run_tree(&run), &run.plan,
			   &run.target);
		rc = td_out_check(stdout, "standard output", err);
	} else if (!rc) {
		rc = count(&run, status, err);
	}
	if (rc && td_opts_want_events(opts)) /* why nothing is left to count */
		td_run_say_notes(&run);
	return td_run_close(&run, rc, err);
}
