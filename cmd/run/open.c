// SPDX-License-Identifier: GPL-2.0-only
/* Forks the command, opens the counters, then enables them and starts the clock. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd/plan/attr.h"
#include "cmd/plan/dry_run.h"
#include "cmd/plan/select.h"
#include "cmd/run/run.h"
#include "lib/base/util.h"
#include "lib/count/readings.h"
#include "lib/plan/fit.h"

/* --- forks the command and opens the counters, disabled ------------------- */

/* True if the command itself is counted, not CPUs or other tasks. */
static bool counts_command(const struct td_job *job)
{
	return !job->target.system_wide &&
	       !td_target_attaches(&job->request->target) &&
	       (!job->target.per_thread || !job->request->target.all_cpus);
}

static int start_child(struct td_run *run, struct td_err *err)
{
	struct td_job *job = run->job;
	int rc = td_engine_start(run->engine, job->request->target.command,
				 &run->session->inherited, err);

	if (rc || !job->request->target.command || !counts_command(job))
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
		.opened = job->request->verbose > 1 ? put_opened : NULL,
		.ctx = &job->machine,
	};
	int rc = td_counting_watch(counting, job, &run->session->names, err);

	run->engine->waiter.tasks =
		counting->watch ? td_task_watch_fd(counting->watch) : -1;
	return rc ? rc : td_counter_open(&counting->counter, &setup, err);
}

/*
 * Tries several times, because threads may come and go meanwhile.  Where they do so
 * faster than they can be opened, those that are left are counted, with what they start.
 */
static int open_counter(struct td_run *run, struct td_err *err)
{
	struct td_job *job = run->job;
	int rc;

	for (int attempt = 0; attempt < TD_ATTEMPTS; attempt++) {
		rc = td_target_find_tasks(&job->target, &job->fs, err);
		if (rc)
			return rc; /* no target is left */
		rc = open_once(run, err);
		if (rc != -ESRCH || !td_target_attaches(&job->request->target))
			return rc;
	}
	while (td_target_leave_out_ended(&job->target, &job->fs)) {
		rc = open_once(run, err);
		if (rc != -ESRCH)
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
		rc = open_counter(run, err);
	if (!rc && job->tree)
		rc = td_check_opened_metrics(job->tree, &job->plan.events, err);
	/* -l auto has none until a node with such metrics is counted */
	if (!rc && (!job->tree || !job->tree->nr_families))
		td_latency_open(&run->latency, job, false);
	if (!rc && job->request->verbose && !job->request->show.quiet &&
	    (!run->session->runs || job->plan.nr_sets > 1))
		td_describe(&job->machine, job->tree, &job->plan, &job->target);
	fflush(stderr); /* before the command's output */
	return rc;
}

/* --- held ------------------------------------------------------------------ */

static int all_held(const struct td_job *job, int pmu, struct td_err *err)
{
	td_err_set(err, -EBUSY, "%s: its counters are taken by somebody else",
		   job->machine.pmus[pmu].name);
	return td_err_hint(err, "end the other profiler, or the virtual "
				"machine, that holds them");
}

static bool has_groups(const struct td_plan *plan, int pmu)
{
	for (size_t g = 0; g < plan->nr_groups; g++) {
		if (plan->groups[g].pmu == pmu)
			return true;
	}
	return false;
}

static void note_held(struct td_job *job, int pmu, const struct td_ints *held)
{
	const char *name = job->machine.pmus[pmu].name;
	td_autofree char *text = td_ints_format(held);

	if (!text || !text[0])
		return;
	if (!job->tree && job->machine.nmi_watchdog)
		td_notes_add(&job->notes,
			     "%s: its counters on CPU(s) %s are taken, one of "
			     "them by the NMI watchdog (sysctl "
			     "kernel.nmi_watchdog): not counted there",
			     name, text);
	else
		td_notes_add(&job->notes,
			     "%s: somebody else has the counters of CPU(s) "
			     "%s: not counted there",
			     name, text);
}

/* The reference, and what the fixed counters count, say nothing of where slots went. */
static bool is_of_nodes(const struct td_job *job, int i)
{
	const struct td_event *event = &job->plan.events.v[i];

	for (size_t g = 0; g < job->plan.nr_groups; g++) {
		if (job->plan.groups[g].reference == i ||
		    job->plan.groups[g].clone == i)
			return false;
	}
	return td_event_is_metric(event) ||
	       !(td_claim_of(&job->machine, event).mask & TD_FIXED_ALL);
}

/* Does the event show whether its PMU is counted?  -l auto cannot do without slots. */
static bool shows_it(const struct td_job *job, int i)
{
	if (!job->tree)
		return true;
	return td_plan_has_families(&job->plan)
		       ? td_event_is_slots(&job->plan.events.v[i])
		       : is_of_nodes(job, i);
}

/*
 * Marks the PMU's events that show whether it is counted; all of them if none does.
 * Free the flags, one for each of the plan's events; NULL: there is no memory.
 */
static bool *find_needed(const struct td_job *job, int pmu)
{
	const struct td_events *events = &job->plan.events;
	bool *needed = calloc(events->nr + 1, sizeof(*needed));
	bool any = false;

	for (int pass = 0; needed && !any && pass < 2; pass++) {
		for (size_t i = 0; i < events->nr; i++) {
			needed[i] = events->v[i].pmu == pmu &&
				    !events->v[i].refusal &&
				    (pass || shows_it(job, (int)i));
			any |= needed[i];
		}
	}
	return needed;
}

/*
 * On how many of the PMU's CPUs somebody else holds the counters, or -ENOMEM.
 * *all becomes false if there are others.
 */
static int check_pmu_held(struct td_job *job, const struct td_readings *delta,
			  int pmu, bool last, bool *all)
{
	td_autofree bool *needed = find_needed(job, pmu);
	struct td_ints held = { 0 }, cpus = { 0 };
	int rc = needed ? td_readings_held_cpus(delta, needed, &held) : -ENOMEM;

	if (!rc)
		rc = td_plan_cpus(&job->machine.pmus[pmu], &job->target, &cpus);
	if (!rc) {
		rc = (int)held.nr;
		*all = *all && held.nr == cpus.nr;
		if (last)
			note_held(job, pmu, &held);
	}
	td_ints_free(&cpus);
	td_ints_free(&held);
	return rc;
}

/*
 * Finds CPUs where events opened but never ran, because somebody else's pinned
 * events have the counters.  Returns 1 if there are some.  The last look also
 * adds a note, and is an error if nothing is left for a tree.
 */
static int find_held(struct td_job *job, const struct td_readings *delta,
		     bool last, struct td_err *err)
{
	bool all = true;
	int first = -1; /* the PMU */

	for (int pmu = 0; pmu < (int)job->machine.nr_core; pmu++) {
		int nr = has_groups(&job->plan, pmu)
				 ? check_pmu_held(job, delta, pmu, last, &all)
				 : 0;

		if (nr < 0)
			return td_err_nomem(err);
		if (nr && first < 0)
			first = pmu;
	}
	if (last && first >= 0 && all && job->tree)
		return all_held(job, first, err);
	return first >= 0;
}

/* --- enables the counters for the first time and starts the clock ---------- */

/*
 * How long to wait for a group that cannot be read yet; 5 to 70 ms were seen.
 */
#define BASELINE_NS (200 * TD_NS_A_MS)

/*
 * Reads once and drops the counts.  Counters of a group start and are read one
 * after the other, so from here on every interval has the same lag at both
 * ends.  Ten looks in a tenth of a second give waiting counters many turns (the
 * kernel rotates every 4 ms).  Groups that cannot be read yet keep their lag.
 */
static int read_baseline(struct td_run *run, struct td_err *err)
{
	const struct timespec pause = { 0, 10000000 };
	struct td_job *job = run->job;
	struct td_readings delta;
	int rc;

	for (int looks = 10;; looks--) {
		rc = td_counter_read(run->counting.counter, BASELINE_NS, &delta,
				     err);
		run->tally.behind = !rc && delta.behind;
		/* without a running task, a cgroup's counters do not run */
		if (rc || !job->target.system_wide || job->target.cgroups.nr)
			return rc;
		rc = find_held(job, &delta, looks == 0, err);
		if (rc <= 0 || looks == 0)
			return rc < 0 ? rc : 0;
		nanosleep(&pause, NULL);
	}
}

/*
 * Tries again if a group could not be read: a thread that started while the
 * counters were opened may have half of a group, which can never be read.  A
 * thread that begins or ends right now looks the same.
 */
static int enable(struct td_run *run, struct td_err *err)
{
	struct td_counting *counting = &run->counting;
	int rc = 0;

	for (int attempt = 1;; attempt++) {
		rc = td_counter_enable(counting->counter, true, -1, err);
		if (!rc && !counting->baseline)
			rc = read_baseline(run, err);
		if (rc || !run->tally.behind || attempt == TD_ATTEMPTS ||
		    !td_target_attaches(&run->job->request->target))
			break;
		td_counter_close(counting->counter);
		counting->counter = NULL;
		rc = open_counter(run, err);
		if (rc)
			return rc;
	}
	counting->on = counting->baseline = !rc;
	if (!rc)
		td_latency_enable(&run->latency, true);
	return rc;
}

/* Starts the clock and takes the CPU times to subtract. */
static int begin_time(struct td_run *run, struct td_err *err)
{
	struct td_session *session = run->session;
	const struct td_viewer *viewer = session->view.viewer;
	struct td_times unused;
	int rc;

	run->clock.keeps = viewer && viewer->whole;
	rc = td_clock_start(&run->clock, &session->engine.waiter, run->job,
			    err);
	/* a delay may have taken longer */
	td_view_move_start(&session->view, session->engine.waiter.start_ns);
	if (!rc && !run->job->target.enable_on_exec)
		td_clock_times(&run->clock, run->job, 0, NULL, &unused);
	return rc;
}

/* After -D, the first event to be enabled needs the baseline and the clock. */
int td_run_first_enable(struct td_run *run, struct td_err *err)
{
	int rc = 0;

	if (!run->counting.baseline)
		rc = read_baseline(run, err);
	run->counting.baseline = true;
	return rc || run->clock.began ? rc : begin_time(run, err);
}

int td_run_end_delay(struct td_run *run, struct td_err *err)
{
	int rc;

	if (run->counting.on) /* a command of --control came first */
		return 0;
	rc = enable(run, err);
	if (!rc)
		td_job_say(run->job, "Events enabled\n");
	return rc || run->clock.began ? rc : begin_time(run, err);
}

/* --- from open counters to the moment when they count --------------------- */

/* With -D, counters stay disabled; with -D -1, the clock still starts. */
static int begin_delay(struct td_run *run, struct td_err *err)
{
	int delay_ms = run->job->request->when.delay_ms;

	td_job_say(run->job, "Events disabled\n");
	if (delay_ms < 0)
		return begin_time(run, err);
	return td_waiter_delay(&run->engine->waiter,
			       (uint64_t)delay_ms * TD_NS_A_MS, err);
}

static int begin_counting(struct td_run *run, struct td_err *err)
{
	int rc = 0;

	run->counting.on = true;
	if (!run->job->target.enable_on_exec)
		rc = enable(run, err);
	return rc;
}

/*
 * Takes the time of the wall clock once, for what is shown and for what is
 * recorded, so that both say the same.  The start is still to come with -D.
 */
static void take_start(struct td_session *session)
{
	int delay_ms = session->job->request->when.delay_ms;
	uint64_t delay_ns = delay_ms > 0 ? (uint64_t)delay_ms * TD_NS_A_MS : 0;
	uint64_t start_ns = td_wall_ns() + delay_ns;
	struct td_clocks clocks = td_clocks_now();

	clocks.mono_ns += delay_ns;
	session->recorder.start_ns = start_ns;
	session->recorder.clocks = clocks;
	td_view_start(&session->view, start_ns, &clocks);
}

/* What the first line of a recording takes long for, before the time is taken. */
static int prepare_recorder(struct td_run *run, struct td_err *err)
{
	return run->session->recorder.fp
		       ? td_job_read_places(run->job, true, err)
		       : 0;
}

int td_run_begin(struct td_run *run, struct td_err *err)
{
	struct td_session *session = run->session;
	struct td_recorder *recorder = &session->recorder;
	struct td_job *job = run->job;
	int rc = td_drilling_begin(&run->drilling, job, err);

	if (!rc)
		rc = prepare_recorder(run, err);
	if (!rc && !job->request->when.delay_ms)
		rc = begin_counting(run, err);
	take_start(session);
	if (!rc && !recorder->replaces)
		rc = td_recorder_begin(recorder, job, &session->source, err);
	if (!rc)
		rc = job->request->when.delay_ms ? begin_delay(run, err)
						 : begin_time(run, err);
	run->first_pid = td_last_pid(&job->fs);
	if (!rc && run->engine->child.pid > 0)
		rc = td_child_release(&run->engine->child,
				      job->request->target.command[0], err);
	if (!rc && recorder->replaces)
		rc = td_recorder_begin(recorder, job, &session->source, err);
	if (!rc)
		td_job_say_notes(job);
	return rc ? rc : td_view_begin(&session->view, err);
}
