// SPDX-License-Identifier: GPL-2.0-only
/* Starts a run: from open counters to the moment when they count. */

#include "cmd/run/run.h"
#include "cmd/run/uncounted.h"
#include "lib/base/util.h"

/* Written only now, because opening may have refused events. */
static int write_head(struct td_run *run, struct td_err *err)
{
	struct td_recording_info info = {
		.interval_ms = run->opts->interval_ms,
		.target = run->target.name,
		.tsc_hz = td_tsc_hz(),
		.tasks = !run->target.system_wide,
		.of_events = !run->source.tree,
		.level = run->opts->level,
		.only_level = run->opts->only_level,
		.metrics = run->opts->metrics,
		.nr_metrics = run->opts->nr_metrics,
		.how = td_opts_aggregation(run->opts),
		.cache_level = run->opts->cache_level,
		.cgroups = run->target.cgroups.names,
		.nr_cgroups = run->target.cgroups.nr,
	};
	td_autofree struct td_place *places = NULL;
	int rc;

	td_out_empty(run->recording);
	rc = td_places_read(&run->fs, &run->machine.online, &places, err);
	if (!rc)
		rc = td_places_read_caches(&run->fs, places,
					   run->machine.online.nr, err);
	if (!rc)
		td_recording_write_head(run->recording, &run->machine, places,
					&run->plan, &info);
	return rc ? rc : td_run_check_recording(run, err);
}

/* With -D, counters stay disabled; with -D -1, the clock still starts. */
static int begin_delay(struct td_run *run, struct td_err *err)
{
	int delay_ms = run->opts->delay_ms;

	td_run_say(run, "Events disabled\n");
	if (delay_ms < 0)
		return td_run_begin_time(run, err);
	return td_waiter_delay(&run->waiter, (uint64_t)delay_ms * TD_NS_A_MS,
			       err);
}

static int begin_counting(struct td_run *run, struct td_err *err)
{
	int rc = 0;

	run->counting = true;
	if (!run->target.enable_on_exec)
		rc = td_run_enable(run, err);
	return rc;
}

int td_run_begin(struct td_run *run, struct td_err *err)
{
	int rc = run->opts->delay_ms ? 0 : begin_counting(run, err);

	if (!rc && run->recording && !run->replaces)
		rc = write_head(run, err);
	if (!rc)
		rc = run->opts->delay_ms ? begin_delay(run, err)
					 : td_run_begin_time(run, err);
	run->first_pid = td_last_pid(&run->fs);
	if (!rc && run->child.pid > 0)
		rc = td_child_release(&run->child, run->opts->command[0], err);
	if (!rc && run->recording && run->replaces)
		rc = write_head(run, err);
	if (!rc)
		td_run_say_notes(run);
	return rc ? rc : td_view_begin(&run->view, err);
}
