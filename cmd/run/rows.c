// SPDX-License-Identifier: GPL-2.0-only
/* Reads the counters, and records and shows rows. */
#include <time.h>

#include "cmd/run/run.h"

/* --- the fields of PERF_METRICS ------------------------------------------- */

/* Below this share of the time, a group was multiplexed, and not just late for a moment. */
#define WHOLE_PCT 95

static bool has_fields(const struct td_plan *plan, const struct td_group *group)
{
	return group->slots && group->nr > 1 &&
	       td_event_is_metric(&plan->events.v[group->members[1]]);
}

/*
 * Return true if PERF_METRICS was multiplexed.  Returns false for tasks, because their counters
 * also wait while the tasks run on another core type.
 */
static bool shares_fields(const struct td_run *run)
{
	const struct td_plan *plan = &run->job->plan;

	for (size_t g = 0; run->job->target.system_wide && g < plan->nr_groups; g++) {
		const struct td_group *group = &plan->groups[g];
		double share;

		if (!has_fields(plan, group))
			continue;
		share = td_readings_share(&run->tally.sum, group);
		if (share > 0 && share < WHOLE_PCT)
			return true;
	}
	return false;
}

/*
 * At each switch of tasks, the kernel adds the growth of the fields since the previous switch and
 * ignores decreases, until a read resets the fields (__icl_update_topdown_event()).  This has
 * happened if the sum of the four fields exceeds the slots.  Rounding alone makes the sum at most
 * 257/255.
 */
#define MAX_SUM 1.01

static void add_fields(const struct td_run *run, const struct td_group *group, double *slots,
		       double *level_1)
{
	const struct td_event *events = run->job->plan.events.v;
	const struct td_readings *sum = &run->tally.sum;

	*slots += td_readings_value(sum, group->members[0]);
	for (size_t i = 1; i < group->nr; i++) {
		if (td_event_is_level_1(&events[group->members[i]]))
			*level_1 += td_readings_value(sum, group->members[i]);
	}
}

/*
 * Return true if the fields exceeded the slots at any read of this run, because they would do so
 * again with rare reads.
 */
static bool linger(struct td_run *run)
{
	const struct td_plan *plan = &run->job->plan;
	double slots = 0, level_1 = 0;

	for (size_t g = 0; g < plan->nr_groups; g++) {
		if (has_fields(plan, &plan->groups[g]))
			add_fields(run, &plan->groups[g], &slots, &level_1);
	}
	/* a new row begins at 0 */
	if (slots < run->slots)
		run->slots = run->level_1 = 0;
	if (level_1 - run->level_1 > MAX_SUM * (slots - run->slots))
		run->fields_linger = true;
	run->slots = slots;
	run->level_1 = level_1;
	return run->fields_linger;
}

/* Return true if PERF_METRICS needs more frequent reads. */
static bool wants_frequent_reads(struct td_run *run)
{
	const struct td_target *target = &run->job->target;

	/* each sample of switches reads them */
	if (!run->job->tree || run->counting.switches)
		return false;
	if ((!target->system_wide || target->cgroups.nr) && linger(run))
		return true;
	return shares_fields(run);
}

/* --- cgroups --------------------------------------------------------------- */

/*
 * Reopen the counters of a cgroup, because a service that restarts gets a new cgroup with the same
 * name.
 */
static void reopen_cgroup(struct td_job *job, struct td_counter *counter, size_t index)
{
	struct td_cgroups *cgroups = &job->target.cgroups;
	int rc = td_count_cgroup(job, counter, index, false);

	if (rc) {
		/* the next read tries again; ENOENT means that the cgroup is not ready */
		td_cgroup_set_gone(cgroups, index, true);
		if (rc == -ENOENT)
			return;
		td_notes_add(&job->notes,
			     "cgroup %s is back, but its counters cannot be reopened: %s",
			     cgroups->names[index], strerror(-rc));
		td_offline_note_rights(job, rc);
		return;
	}
	td_cgroup_set_gone(cgroups, index, false);
	if (!job->request->does.follows)
		td_job_say(job, "tdstat: cgroup %s was created again; counted again\n",
			   cgroups->names[index]);
}

/*
 * After a read, print which cgroups of the target were removed, and count new ones with the same
 * names.
 */
static void cgroups_follow(struct td_job *job, struct td_counter *counter)
{
	struct td_cgroups *cgroups = &job->target.cgroups;

	for (size_t i = 0; i < cgroups->nr; i++) {
		int rc = td_cgroup_look(cgroups, i);

		if (rc == -ENOENT && td_cgroup_set_gone(cgroups, i, true) &&
		    !job->request->does.follows)
			td_job_say(job,
				   "tdstat: cgroup %s was removed: not counted until there is one "
				   "again\n",
				   cgroups->names[i]);
		else if (rc == 1 || (rc == 0 && cgroups->gone[i]))
			reopen_cgroup(job, counter, i);
	}
}

/* --- read the counters ----------------------------------------------------- */

bool td_run_printed_all(const struct td_run *run)
{
	int count = run->job->request->when.interval_count;

	return count && run->printed == count;
}

static bool counts_each_task(const struct td_run *run)
{
	return run->job->target.per_thread || run->counting.switches;
}

int td_run_read(struct td_run *run, uint64_t retry_ns, struct td_err *err)
{
	struct td_job *job = run->job;
	struct td_counter *counter = run->counting.counter;
	bool per_task = counts_each_task(run);
	struct td_readings delta = { 0 };
	int rc = 0;

	if (run->counting.switches)
		td_switches_read(run->counting.switches, &delta);
	else
		rc = td_counter_read(counter, retry_ns, &delta, err);
	run->counting.nr_ended = 0;
	if (rc)
		return rc;
	run->clock.read_ns = td_since(delta.read_ns, run->engine->waiter.start_ns);
	td_clock_note_read(&run->clock, delta.took_ns);
	td_tally_add(&run->tally, &delta, per_task);
	if (run->drilling.active)
		td_drilling_add(&run->drilling, &delta);
	/* events have no errors */
	if (job->tree)
		td_timeline_add(&run->tally.timeline, &run->tally.sum, run->clock.read_ns);
	/* for -v and notes on uncounted events */
	if (job->request->verbose || job->target.enable_on_exec || job->machine.nmi_watchdog)
		td_tally_add_times(&run->tally, job->plan.events.nr, &delta);
	if (run->latency.sampler)
		td_latency_read(&run->latency, job, &run->session->latencies);
	/* the tally has the counts of ended threads; delta is invalid after this */
	if (job->target.per_thread)
		td_counter_forget_ended(counter);
	if (run->counting.switches)
		td_sampled_cpus_follow(&run->counting.cpus, job,
				       td_switches_sampler(run->counting.switches), "counted");
	if (!job->target.system_wide || job->target.tells_tasks)
		return 0;
	if (!counter) {
		cgroups_follow(job, counter);
		return 0;
	}
	/* the counters of CPUs and cgroups that disappear are gone as well */
	td_offline_follow(&run->offline, job, counter, run->clock.read_ns);
	cgroups_follow(job, counter);
	return td_newcomers_follow(&run->newcomers, job, counter, run->clock.read_ns, err);
}

/* Begin a new row.  Drop threads that have ended, unless the summary needs their names. */
static void clear_row(struct td_run *run)
{
	bool per_task = counts_each_task(run);

	if (per_task && !run->session->view.summary)
		td_task_names_forget_ended(&run->session->names);
	td_tally_clear_row(&run->tally, per_task);
}

static int record_row(struct td_run *run, const struct td_counted *counted, struct td_err *err)
{
	struct td_session *session = run->session;
	struct td_recorder *recorder = &session->recorder;

	if (!recorder->fp)
		return 0;
	if (td_session_rotate(session, err))
		return err->code;
	td_recorder_put_latencies(recorder, &session->latencies);
	td_recorder_put_places(recorder, run->job);
	return td_recorder_put(recorder, counted, &session->names, err);
}

int td_run_put_sum(struct td_run *run, uint64_t time_ns, const struct td_usage *usage,
		   struct td_err *err)
{
	struct td_times times;
	const struct td_counted counted = { time_ns, &times, &run->tally.sum,
					    &run->tally.timeline };
	int rc;

	td_clock_times(&run->clock, run->job, time_ns, usage, &times);
	td_timeline_end(&run->tally.timeline, &run->tally.sum, run->clock.read_ns);
	rc = record_row(run, &counted, err);
	return rc ?: td_view_put(&run->session->view, &counted, err);
}

static void report_unread(struct td_run *run)
{
	if (!run->tally.behind || run->reported_unread)
		return;
	run->reported_unread = true;
	td_job_say(run->job,
		   "tdstat: not all counters could be read at once, because a child process was "
		   "starting or ending: counts missing from a row are in one of the next rows\n");
}

/*
 * Look for new cgroups on a live screen or if counters are exported, because services start and
 * stop.  A recording only contains the cgroups in its first line.
 */
static void look_for_cgroups(struct td_run *run)
{
	struct td_session *session = run->session;
	const struct td_cgroups *cgroups = &run->job->target.cgroups;
	struct td_switches *switches = run->counting.switches;

	if (!td_request_follows_cgroups(run->job->request))
		return;
	/* the array of names may have moved, even if no cgroup was added */
	td_newcomers_look_for_cgroups(
		&run->newcomers, run->job, run->counting.counter, run->clock.read_ns,
		run->job->request->does.follows && switches && td_switches_has_new(switches));
	session->source.cgroups = cgroups->names;
	session->source.containers = cgroups->containers;
	session->source.nr_cgroups = cgroups->nr;
}

/*
 * Write the row and begin a new one.  Its time is when its counts were read, which may be after the
 * tick if tdstat had to wait for a CPU.  Otherwise, tasks would seem to have run for longer than
 * the row lasted.
 */
static int put_row(struct td_run *run, struct td_err *err)
{
	bool waited = !td_readings_enabled(&run->tally.sum);
	int rc = td_run_put_sum(run, run->clock.read_ns, NULL, err);

	run->waited += waited && !run->tally.behind;
	report_unread(run);
	/* now, because counting may continue for days */
	td_job_say_notes(run->job);
	clear_row(run);
	run->printed++;
	if (!rc)
		look_for_cgroups(run);
	return rc;
}

int td_run_read_in_time(struct td_run *run, struct td_err *err)
{
	uint64_t row_ns = run->engine->waiter.period_ns * run->clock.ticks_a_row;

	return td_run_read(run, (row_ns < TD_LONGEST_NS ? row_ns : TD_LONGEST_NS) / 10, err);
}

int td_run_put_row_now(struct td_run *run, struct td_err *err)
{
	int rc;

	if (!run->job->request->when.interval_ms || !run->clock.began || td_run_printed_all(run))
		return 0;
	rc = td_run_read_in_time(run, err);
	return rc ?: put_row(run, err);
}

/* Return the CPU time that tdstat itself has used, or 0 if the ticks do not depend on it. */
static uint64_t own_ns(const struct td_clock *clock)
{
	struct timespec now;

	if (!clock->often)
		return 0;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/*
 * Split groups that wait for counters, which other programs may take at any time, or hold on other
 * CPUs than tdstat's own.  If tasks start and end too fast, the next read tries again.
 */
static int split_starved(struct td_run *run, struct td_err *err)
{
	const struct td_job *job = run->job;
	struct td_counter *counter = run->counting.counter;
	int rc = 1;

	if (!job->tree || !counter || !td_counter_is_starved(counter))
		return 0;
	for (int i = 0; rc > 0 && i < TD_ATTEMPTS; i++) {
		struct td_ints tasks = { 0 }, cpus = { 0 };

		td_target_list_running(&job->target, &job->fs, &tasks);
		td_target_list_cpus(&job->fs, &tasks, &cpus);
		rc = td_counter_split_starved(counter, &tasks, &cpus, err);
		td_ints_free(&tasks);
		td_ints_free(&cpus);
	}
	return rc < 0 ? rc : 0;
}

int td_run_tick(struct td_run *run, uint64_t ticks, struct td_err *err)
{
	uint64_t before_ns = own_ns(&run->clock);
	bool is_due = td_clock_tick(&run->clock, ticks);
	int rc = is_due ? td_run_read_in_time(run, err)
			: td_run_read(run, run->engine->waiter.period_ns / 10, err);

	rc = rc ?: split_starved(run, err);
	if (!rc && run->drilling.active)
		rc = td_drilling_decide(&run->drilling, run->job, run->counting.counter,
					run->clock.read_ns, err);
	if (run->drilling.active && run->job->sampled.nr_groups)
		td_latency_follow(&run->latency, run->job, &run->drilling);
	run->clock.shared = wants_frequent_reads(run);
	td_clock_adapt(&run->clock, &run->engine->waiter, own_ns(&run->clock) - before_ns);
	return rc || !is_due || !run->job->request->when.interval_ms ? rc : put_row(run, err);
}
