// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/session.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/child.h"
#include "cmd/dry_run.h"
#include "cmd/events.h"
#include "cmd/run.h"
#include "cmd/select.h"
#include "cmd/target.h"
#include "metrics/why.h"

static int make_tree(struct td_run *run, struct td_err *err)
{
	int rc = td_tree_build(&run->tree, &run->plan, &run->machine,
			       run->opts->level, false, err);

	if (rc)
		return rc;
	if (td_select_check(&run->tree, &run->machine, run->opts, &run->notes))
		return td_why_no_tree(&run->machine, err);
	rc = td_select_rows(&run->tree, &run->machine, run->opts, err);
	if (!rc)
		rc = td_select_whole_cores(&run->fs, &run->tree, &run->machine,
					   &run->target, &run->notes, err);
	if (rc)
		return rc;
	return td_plan_build(&run->plan, &run->machine, run->tree.needs,
			     run->tree.nr_needs, run->tree.references, err);
}

static int make_plan(struct td_run *run, struct td_err *err)
{
	int rc = td_target_make(&run->target, run->opts, err);

	if (!rc)
		rc = td_opts_want_events(run->opts) ? td_events_plan(run, err)
						    : make_tree(run, err);
	if (!rc && run->opts->pids.nr)
		rc = td_target_threads(&run->fs, &run->opts->pids,
				       &run->target.tids, err);
	return rc;
}

static int count(struct td_run *run, int *status, struct td_err *err)
{
	int rc = td_run_open(run, err);

	if (!rc)
		rc = td_run_count(run, err);
	/* of a run that failed, only that the command could not be run */
	if (!rc || !run->child.reaped)
		*status = run->child.status;
	return rc;
}

int td_session_run(const struct td_opts *opts, int *status, struct td_err *err)
{
	struct td_run run;
	int rc;

	td_run_init(&run, opts);
	rc = td_select_machine(&run.fs, &run.machine, opts, err);
	if (!rc)
		rc = make_plan(&run, err);
	if (!rc && opts->dry_run) {
		td_run_say_notes(&run);
		td_dry_run(stdout, &run.machine, &run.tree, &run.plan,
			   &run.target);
		rc = td_out_check(stdout, "standard output", err);
	} else if (!rc) {
		rc = count(&run, status, err);
	}
	if (rc && td_opts_want_events(opts)) /* why nothing is left to count */
		td_run_say_notes(&run);
	return td_run_close(&run, rc, err);
}
