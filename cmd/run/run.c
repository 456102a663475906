// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/run/run.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/plan/target.h"
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
	run->sink.tree = &run->measure.tree;
	run->sink.plan = &run->plan;
	run->sink.machine = &run->machine;
	run->sink.aggregator = &run->aggregator;
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
	for (; run->notes_said < run->notes.nr; run->notes_said++)
		td_run_say(run, "tdstat: %s\n", run->notes.v[run->notes_said]);
}

static int build_aggregator(struct td_run *run, struct td_err *err)
{
	const struct td_opts *opts = run->opts;
	enum td_aggregation how = td_opts_aggregation(opts);
	td_autofree struct td_place *places = NULL;
	size_t nr = 0;
	int rc = 0;

	if (td_aggregation_wants_places(how)) {
		rc = td_places_read(&run->fs, &run->machine.online, &places,
				    err);
		nr = rc ? 0 : run->machine.online.nr;
	}
	if (!rc && how == TD_AGGREGATE_CACHE)
		rc = td_places_read_caches(&run->fs, places, nr, err);
	if (!rc)
		rc = td_aggregator_build(&run->aggregator, how,
					 opts->cache_level, places, nr, err);
	run->aggregator.raw = opts->no_scale;
	/* like perf stat, because most threads are idle */
	run->aggregator.skip_idle = td_target_is_everyone(opts);
	run->aggregator.names = &run->names;
	run->aggregator.cgroups = run->target.cgroups.names;
	run->aggregator.nr_cgroups = run->target.cgroups.nr;
	return rc;
}

int td_run_prepare(struct td_run *run, struct td_err *err)
{
	const struct td_opts *opts = run->opts;
	int rc = 0;

	run->target_text = td_target_describe(opts);
	if (!run->target_text)
		return td_err_nomem(err);
	rc = build_aggregator(run, err);
	if (!rc)
		rc = td_waiter_open(&run->waiter, &opts->pids, &opts->tids,
				    &run->inherited.mask, err);
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
	if (td_sink_close(&run->sink, first) && !rc && !run->unwritable)
		rc = err->code;
	if (run->recording && fclose(run->recording) && !rc && !run->unwritable)
		rc = td_err_set(err, -errno, "cannot write %s: %s",
				run->opts->output, strerror(errno));
	free(run->sum.v);
	td_index_free(&run->sum_index);
	free(run->all.v);
	free(run->target_text);
	td_task_names_free(&run->names);
	td_aggregator_free(&run->aggregator);
	td_notes_free(&run->notes);
	td_target_free(&run->target);
	td_measure_free(&run->measure);
	td_ratio_table_free(&run->ratios);
	td_plan_free(&run->plan);
	td_event_text_free(&run->text);
	td_machine_free(&run->machine);
	td_sysfs_close(&run->fs);
	return rc;
}
