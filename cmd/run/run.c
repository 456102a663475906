// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/run/run.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/say.h"
#include "lib/base/util.h"

void td_run_init(struct td_run *run, const struct td_opts *opts)
{
	*run = (struct td_run){
		.opts = opts,
		.fs = { -1, -1 },
		.waiter = TD_WAITER_NONE,
		.control = TD_CONTROL_NONE,
	};
}

int td_run_check_recording(struct td_run *run, struct td_err *err)
{
	if (!run->recording)
		return 0;
	return td_out_check(run->recording, run->opts->output, err);
}

void td_run_say(const struct td_run *run, const char *fmt, ...)
{
	va_list ap;

	if (run->opts->quiet)
		return;
	va_start(ap, fmt);
	td_vsay(fmt, ap);
	va_end(ap);
}

void td_run_say_notes(struct td_run *run)
{
	if (!run->opts->quiet)
		td_say_notes(&run->notes);
}

static int read_places(struct td_run *run, enum td_aggregation how,
		       struct td_err *err)
{
	const struct td_ints *cpus = &run->machine.online;
	int rc;

	if (!td_aggregation_wants_places(how))
		return 0;
	rc = td_places_read(&run->fs, cpus, &run->places, err);
	if (!rc && how == TD_AGGREGATE_CACHE)
		rc = td_places_read_caches(&run->fs, run->places, cpus->nr,
					   err);
	return rc;
}

const struct td_tree *td_run_tree(const struct td_run *run)
{
	return td_opts_want_events(run->opts) ? NULL : &run->measure.tree;
}

static struct td_source make_source(struct td_run *run)
{
	const struct td_opts *opts = run->opts;

	return (struct td_source){
		.machine = &run->machine,
		.plan = &run->plan,
		.tree = td_run_tree(run),
		.target = &run->target.name,
		.interval = opts->interval_ms > 0,
		.how = td_opts_aggregation(opts),
		.cache_level = opts->cache_level,
		.places = run->places,
		/* like perf stat, because most threads are idle */
		.skip_idle = run->target.all_tasks,
		.names = &run->names,
		.cgroups = run->target.cgroups.names,
		.nr_cgroups = run->target.cgroups.nr,
	};
}

int td_run_prepare(struct td_run *run, struct td_err *err)
{
	const struct td_opts *opts = run->opts;
	int rc = 0;

	rc = read_places(run, td_opts_aggregation(opts), err);
	run->source = make_source(run);
	if (!rc)
		rc = td_view_init(&run->view, &run->source, opts, err);
	if (!rc)
		rc = td_waiter_open(&run->waiter, &opts->pids, &opts->tids,
				    &run->given.mask, err);
	if (!rc && opts->control)
		rc = td_control_open(&run->control, opts->control, err);
	run->waiter.control = run->control.fd;
	return rc;
}

bool td_run_again(const struct td_run *run)
{
	if (run->signals || run->stopped)
		return false;
	return !run->opts->repeat || run->runs < run->opts->repeat;
}

void td_run_close_counters(struct td_run *run)
{
	td_counter_close(run->counter);
	run->counter = NULL;
	td_task_watch_close(run->watch);
	run->watch = NULL;
}

int td_run_close(struct td_run *run, int rc, struct td_err *err)
{
	struct td_err late = { 0 }, *first = rc ? &late : err;

	td_child_end(&run->child);
	td_run_close_counters(run);
	td_waiter_close(&run->waiter);
	td_control_close(&run->control);
	if (td_view_close(&run->view, first) && !rc && !run->unwritable)
		rc = err->code;
	if (run->recording && fclose(run->recording) && !rc && !run->unwritable)
		rc = td_err_set(err, -errno, "cannot write %s: %s",
				run->opts->output, strerror(errno));
	free(run->sum.v);
	td_index_free(&run->sum_index);
	free(run->all.v);
	td_task_names_free(&run->names);
	free(run->places);
	td_notes_free(&run->notes);
	td_target_free(&run->target);
	td_measure_free(&run->measure);
	td_plan_free(&run->plan);
	td_event_text_free(&run->text);
	td_machine_free(&run->machine);
	td_sysfs_close(&run->fs);
	return rc;
}
