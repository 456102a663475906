// SPDX-License-Identifier: GPL-2.0-only
/* The values of duration_time, user_time and system_time in an interval. */
#include "cmd/run/run.h"
#include "lib/base/util.h"

static bool wants_cpu_times(const struct td_plan *plan)
{
	for (size_t i = 0; i < plan->events.nr; i++) {
		if (plan->events.v[i].tool == TD_TOOL_USER_TIME ||
		    plan->events.v[i].tool == TD_TOOL_SYSTEM_TIME)
			return true;
	}
	return false;
}

/* Without proc, the other events are still counted. */
static int read_cpus(struct td_run *run, struct td_cpu_times *now,
		     struct td_err *err)
{
	const struct td_target *target = &run->target;
	int rc = td_cpu_times_read(
		&run->fs, target->has_cpus ? &target->cpus : NULL, now, err);

	if (!td_sysfs_is_none(rc))
		return rc;
	td_notes_add(&run->notes, "%s", err->msg);
	*err = (struct td_err){ 0 };
	return 1;
}

/*
 * Reads the CPU time that the target has used so far.  Returns 1 if it is
 * unknown: a running command's children, or a process that has ended.
 */
static int read_cpu_times(struct td_run *run, const struct td_usage *usage,
			  struct td_cpu_times *now, struct td_err *err)
{
	const struct td_target *target = &run->target;

	if (target->system_wide)
		return read_cpus(run, now, err);
	if (run->opts->tids.nr || target->per_thread)
		return 1;
	if (td_opts_attaches(run->opts))
		return !td_cpu_times_read_pids(&run->fs, &run->opts->pids, now);
	if (!usage || !usage->has_times || run->opts->interval_ms)
		return 1;
	now->user_ns = usage->user_ns;
	now->system_ns = usage->sys_ns;
	return 0;
}

void td_run_times(struct td_run *run, uint64_t time_ns,
		  const struct td_usage *usage, struct td_times *out)
{
	struct td_cpu_times now = { 0 };
	struct td_err err = { 0 };
	int rc;

	*out = (struct td_times){ .elapsed_ns = time_ns - run->row_ns };
	run->row_ns = time_ns;
	if (!wants_cpu_times(&run->plan))
		return;
	rc = read_cpu_times(run, usage, &now, &err);
	if (rc < 0)
		td_notes_add(&run->notes, "%s", err.msg);
	if (rc)
		return;
	out->has_cpu_times = true;
	out->user_ns = td_since(now.user_ns, run->row_times.user_ns);
	out->system_ns = td_since(now.system_ns, run->row_times.system_ns);
	run->row_times = now;
}
