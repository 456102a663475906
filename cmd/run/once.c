// SPDX-License-Identifier: GPL-2.0-only
/* One run, from --pre to --post. */
#include <math.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cmd/plan/dry_run.h"
#include "cmd/plan/select.h"
#include "cmd/run/run.h"
#include "cmd/say.h"
#include "cmd/view/errors.h"
#include "lib/base/printable.h"
#include "lib/count/readings.h"
#include "lib/plan/clocks.h"
#include "lib/plan/fit.h"

/* --- the first read, and counters that another program holds ---------------- */

static void note_held(struct td_job *job, int pmu, const struct td_ints *held)
{
	const char *name = job->machine.pmus[pmu].name;
	td_autofree char *text = td_ints_format(held);

	if (!text[0])
		return;
	if (!job->tree && job->machine.nmi_watchdog)
		td_notes_add(&job->notes,
			     "%s: its counters on CPU(s) %s are in use, one of them by the NMI "
			     "watchdog (sysctl kernel.nmi_watchdog); not counted there",
			     name, text);
	else
		td_notes_add(
			&job->notes,
			"%s: another program uses the counters of CPU(s) %s; not counted there",
			name, text);
}

/* Return false for references of groups and for events of fixed counters: they measure no nodes. */
static bool is_of_nodes(const struct td_job *job, int i)
{
	const struct td_event *event = &job->plan.events.v[i];

	for (size_t g = 0; g < job->plan.nr_groups; g++) {
		if (job->plan.groups[g].reference == i || job->plan.groups[g].clone == i)
			return false;
	}
	return td_event_is_metric(event) ||
	       !(td_claim_of(&job->machine, event).mask & TD_FIXED_ALL);
}

/* Return true if the event shows whether its PMU is counted.  With -l auto, only slots do. */
static bool shows_pmu(const struct td_job *job, int i)
{
	if (!job->tree)
		return true;
	return td_plan_has_families(&job->plan) ? td_event_is_slots(&job->plan.events.v[i])
						: is_of_nodes(job, i);
}

/*
 * Mark the PMU's events that show whether it is counted; if there are none, mark all its events.
 * Returns a flag for each event of the plan, to be freed.
 */
static bool *find_needed(const struct td_job *job, int pmu)
{
	const struct td_events *events = &job->plan.events;
	bool *needed = td_calloc(events->nr + 1, sizeof(*needed));
	bool any = false;

	for (int pass = 0; !any && pass < 2; pass++) {
		for (size_t i = 0; i < events->nr; i++) {
			needed[i] = events->v[i].pmu == pmu && !events->v[i].refusal &&
				    (pass || shows_pmu(job, (int)i));
			any |= needed[i];
		}
	}
	return needed;
}

/*
 * Return true if another program holds the counters of some of the PMU's CPUs.  *all
 * becomes false if there are other CPUs.
 */
static bool check_pmu_held(struct td_job *job, const struct td_readings *delta, int pmu, bool last,
			   bool *all)
{
	td_autofree bool *needed = find_needed(job, pmu);
	struct td_ints held = { 0 }, cpus = { 0 };
	bool any;

	td_readings_held_cpus(delta, needed, &held);
	td_plan_cpus(&job->machine.pmus[pmu], &job->target, &cpus);
	any = held.nr > 0;
	*all = *all && held.nr == cpus.nr;
	if (last)
		note_held(job, pmu, &held);
	td_ints_free(&cpus);
	td_ints_free(&held);
	return any;
}

/*
 * Find CPUs where events opened but never ran, because pinned events of another program hold the
 * counters.  Returns 1 if there are some.  If last is true, also adds a note, and returns an error
 * if no CPU is left for a tree.
 */
static int find_held(struct td_job *job, const struct td_readings *delta, bool last,
		     struct td_err *err)
{
	const struct td_pmu *first = NULL;
	bool all = true;

	for (int pmu = 0; pmu < (int)job->machine.nr_core; pmu++) {
		if (td_plan_has_groups(&job->plan, pmu) &&
		    check_pmu_held(job, delta, pmu, last, &all) && !first)
			first = &job->machine.pmus[pmu];
	}
	if (!last || !first || !all || !job->tree)
		return first != NULL;
	td_err_set(err, -EBUSY, "%s: its counters are in use by another program", first->name);
	return td_err_hint(err, "end the other profiler, or the virtual machine, that holds them");
}

/* Remove clocks of PMUs of which groups do not run.  Returns false if there are none. */
static bool drop_clocks(struct td_job *job, const struct td_readings *delta)
{
	bool any = false, all = true;

	for (int pmu = 0; job->tree && pmu < (int)job->machine.nr_core; pmu++) {
		if (td_plan_has_groups(&job->plan, pmu) &&
		    check_pmu_held(job, delta, pmu, false, &all))
			any |= td_clocks_drop(&job->plan, &job->machine, pmu);
	}
	return any;
}

/* How long to wait for a group that cannot be read yet; 5 to 70 ms were observed. */
#define BASELINE_NS (200 * TD_NS_A_MS)

/*
 * Read once and drop the counts.  Counters of a group start and are read one after another; from
 * here on, every interval has the same lag at both ends.  Ten looks within 0.1 s let waiting
 * counters run many times, because the kernel rotates groups every 4 ms.  Groups that cannot be
 * read yet keep their lag.  Returns -EAGAIN if clocks were removed, because a program may hold their
 * counters: to be opened again.
 */
static int read_baseline(struct td_run *run, struct td_err *err)
{
	const struct timespec pause = { 0, 10000000 };
	struct td_job *job = run->job;
	struct td_readings delta;
	int rc;

	for (int looks = 10;; looks--) {
		rc = td_counter_read(run->counting.counter, BASELINE_NS, &delta, err);
		run->tally.behind = !rc && delta.behind;
		/* a cgroup's counters only run while a task of it runs */
		if (rc || !job->target.system_wide || job->target.cgroups.nr)
			return rc;
		rc = find_held(job, &delta, looks == 0, err);
		if (rc > 0 && looks == 5 && drop_clocks(job, &delta))
			return -EAGAIN;
		if (rc <= 0 || looks == 0)
			return rc < 0 ? rc : 0;
		nanosleep(&pause, NULL);
	}
}

/* --- fork the command and open the counters, disabled --------------------- */

/* Return true if the command itself is counted, not CPUs or other tasks. */
static bool counts_command(const struct td_job *job)
{
	return !job->target.system_wide && !td_target_attaches(&job->request->target) &&
	       (!job->target.per_thread || !job->request->target.all_cpus);
}

static int start_child(struct td_run *run, struct td_err *err)
{
	struct td_job *job = run->job;
	char **command = job->request->target.command;
	int rc = td_engine_start(run->engine, command, &run->session->inherited, err);

	if (rc || !command || !counts_command(job))
		return rc;
	td_ints_free(&job->target.tids); /* tids of the previous run */
	td_ints_add(&job->target.tids, run->engine->child.pid);
	return 0;
}

/* -vv: show each open in the words of perf stat -vv. */
static void put_opened(void *ctx, const struct perf_event_attr *attr, int pid, int cpu,
		       int group_fd, int fd)
{
	const struct td_machine *machine = ctx;
	int pmu = td_machine_find_type(machine, attr->type);
	/* events of tasks have no CPU */
	unsigned long cgroup = pid >= 0 && cpu >= 0 ? PERF_FLAG_PID_CGROUP : 0;

	td_attr_put(stderr, attr, pmu < 0 ? NULL : machine->pmus[pmu].name);
	td_attr_put_open(stderr, pid, cpu, group_fd, cgroup | PERF_FLAG_FD_CLOEXEC, fd);
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

	run->engine->waiter.tasks = counting->watch ? td_task_watch_fd(counting->watch) : -1;
	return rc ?: td_counter_open(&counting->counter, &setup, err);
}

/*
 * Open and read the counters without switches, which adapts the plan to the kernel and to counters
 * that are in use.
 */
static int look_before(struct td_run *run, struct td_err *err)
{
	struct td_counting *counting = &run->counting;
	int rc = open_once(run, err);

	rc = rc ?: td_counter_enable(counting->counter, true, -1, err);
	rc = rc ?: read_baseline(run, err);
	td_counter_close(counting->counter);
	counting->counter = NULL;
	/* -EAGAIN: clocks were removed from the plan */
	return rc == -EAGAIN ? 0 : rc;
}

/*
 * Try several times, because threads may start and end while they are opened.  If they start faster
 * than they can be opened, count the opened ones and their new threads.
 */
static int open_counter(struct td_run *run, struct td_err *err)
{
	struct td_job *job = run->job;
	int rc;

	job->target.by_switches = td_run_counts_by_switches(job);
	if (job->target.by_switches) {
		rc = job->target.tells_tasks ? look_before(run, err) : 0;
		rc = rc ?: td_run_open_switches(run, err);
		if (!rc || job->target.tells_tasks)
			return rc;
		job->target.by_switches = false;
		*err = (struct td_err){ 0 };
	}
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
			  "-p, -t: threads come and go faster than they can be opened: try again");
}

static int run_open(struct td_run *run, struct td_err *err)
{
	struct td_job *job = run->job;

	if (start_child(run, err) || open_counter(run, err))
		return err->code;
	if (job->tree && td_check_opened_metrics(job->tree, &job->plan.events, err))
		return err->code;
	/* -l auto opens the sampler when it first counts a node with latencies */
	if (!job->tree || !job->tree->nr_families)
		td_latency_open(&run->latency, job, false);
	if (job->request->verbose && !job->request->show.quiet &&
	    (!run->session->runs || job->plan.nr_sets > 1))
		td_describe(&job->machine, job->tree, &job->plan, &job->target);
	fflush(stderr); /* notes come before the command's output */
	return 0;
}

/* --- enable the counters for the first time and start the clock ------------ */

/*
 * Try again without the clocks that were removed, or if a group could not be read.  A thread that
 * started while the counters were being opened may have half of a group, which can never be read.
 * A thread that is just starting or ending looks the same.
 */
static int enable(struct td_run *run, struct td_err *err)
{
	struct td_counting *counting = &run->counting;
	int rc = 0;

	if (counting->switches) { /* begin_time() enables them */
		counting->on = counting->baseline = true;
		return 0;
	}
	for (int attempt = 1;; attempt++) {
		rc = td_counter_enable(counting->counter, true, -1, err);
		if (!rc && !counting->baseline)
			rc = read_baseline(run, err);
		if (rc != -EAGAIN && (rc || !run->tally.behind || attempt == TD_ATTEMPTS ||
				      !td_target_attaches(&run->job->request->target)))
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

/* Start the clock, counts at switches right before it, and read the CPU times to subtract. */
static int begin_time(struct td_run *run, struct td_err *err)
{
	struct td_session *session = run->session;
	const struct td_viewer *viewer = session->view.viewer;
	bool by_switches = run->counting.switches && run->counting.on;
	struct td_times unused;
	int rc;

	run->clock.keeps = viewer && viewer->whole;
	if (by_switches)
		td_switches_begin(run->counting.switches);
	rc = td_clock_start(&run->clock, &session->engine.waiter, run->job, err);
	if (by_switches) {
		run->counting.cpus.start_ns = td_now_ns();
		td_switches_drop(run->counting.switches);
	}
	/* the delay may have taken longer than requested */
	td_view_move_start(&session->view, session->engine.waiter.start_ns);
	if (!rc && !run->job->target.enable_on_exec)
		td_clock_times(&run->clock, run->job, 0, NULL, &unused);
	return rc;
}

/* Read the baseline and start the clock, if that was not done, before a single event is enabled. */
static int run_first_enable(struct td_run *run, struct td_err *err)
{
	int rc = run->counting.baseline ? 0 : read_baseline(run, err);

	run->counting.baseline = true;
	return rc || run->clock.began ? rc : begin_time(run, err);
}

/* Enable the counters after -D and start the clock. */
static int run_end_delay(struct td_run *run, struct td_err *err)
{
	if (run->counting.on) /* a command of --control came first */
		return 0;
	if (enable(run, err))
		return err->code;
	td_job_say(run->job, "Events enabled\n");
	return run->clock.began ? 0 : begin_time(run, err);
}

/* --- from open counters to the moment when they count --------------------- */

/* Begin -D, with disabled counters.  The clock starts now with -D -1, else when -D ends. */
static int begin_delay(struct td_run *run, struct td_err *err)
{
	int delay_ms = run->job->request->when.delay_ms;

	td_job_say(run->job, "Events disabled\n");
	if (delay_ms < 0)
		return begin_time(run, err);
	return td_waiter_delay(&run->engine->waiter, (uint64_t)delay_ms * TD_NS_A_MS, err);
}

/*
 * Read the wall clock once, so that output and recording contain the same start time.  With -D, the
 * start is in the future.
 */
static void set_start(struct td_session *session)
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

/* Start the counters, the clock and the command. */
static int run_begin(struct td_run *run, struct td_err *err)
{
	struct td_session *session = run->session;
	struct td_recorder *recorder = &session->recorder;
	struct td_job *job = run->job;
	bool delayed = job->request->when.delay_ms;
	/* the first line of a recording contains the places, which take a while to read */
	int rc = recorder->fp ? td_job_read_places(job, true, err) : 0;

	td_drilling_begin(&run->drilling, job);
	if (!rc && !delayed) {
		run->counting.on = true;
		rc = job->target.enable_on_exec ? 0 : enable(run, err);
	}
	set_start(session);
	if (!rc && !recorder->replaces)
		rc = td_recorder_begin(recorder, job, &session->source, err);
	if (!rc)
		rc = delayed ? begin_delay(run, err) : begin_time(run, err);
	run->first_pid = td_last_pid(&job->fs);
	if (!rc && run->engine->child.pid > 0)
		rc = td_child_release(&run->engine->child, job->request->target.command[0], err);
	if (!rc && recorder->replaces)
		rc = td_recorder_begin(recorder, job, &session->source, err);
	if (!rc)
		td_job_say_notes(job);
	return rc ?: td_view_begin(&session->view, err);
}

/* --- commands of --control, which are perf stat's ------------------------ */

#define MAX_NOTES 10
#define MAX_WORD  60 /* bytes of an unknown word to show */

/* Return the next event with this name, starting at index from, or -1. */
static int find_event(const struct td_plan *plan, const char *name, int from)
{
	for (int i = from; i < (int)plan->events.nr; i++) {
		if (strcmp(plan->events.v[i].name, name) == 0)
			return i;
	}
	return -1;
}

/* Return the length of a word to show.  *rest is "..." if the word is cut off. */
static int shown(const char *word, const char **rest)
{
	size_t len = strlen(word);

	*rest = len > MAX_WORD ? "..." : "";
	if (len <= MAX_WORD)
		return (int)len;
	len = MAX_WORD;
	while (len && ((unsigned char)word[len] & 0xc0) == 0x80)
		len--; /* do not cut a UTF-8 character */
	return (int)len;
}

/* Print what is wrong with a command, a limited number of times, because a script may send many. */
static void refuse(struct td_run *run, const char *why, const char *word, const char *hint)
{
	struct td_session *session = run->session;
	const char *rest;
	int len = shown(word, &rest);

	if (session->control_notes > MAX_NOTES)
		return;
	if (session->control_notes++ < MAX_NOTES)
		td_job_say(run->job, "tdstat: --control: %s %.*s%s%s\n", why, len, word, rest,
			   hint);
	else
		td_job_say(run->job, "tdstat: --control: further messages are not shown\n");
}

static int switch_event(struct td_run *run, const char *name, bool on, struct td_err *err)
{
	const struct td_plan *plan = &run->job->plan;
	int event = find_event(plan, name, 0), rc;

	if (event < 0) {
		refuse(run, "no event", name, ": evlist lists them");
		return 0;
	}
	rc = on && !run->counting.baseline ? run_first_enable(run, err) : 0;
	for (; !rc && event >= 0; event = find_event(plan, name, event + 1))
		rc = td_counter_enable(run->counting.counter, on, event, err);
	if (!rc)
		td_job_say(run->job, "Event %s %s\n", name, on ? "enabled" : "disabled");
	return rc;
}

static int switch_all(struct td_run *run, bool on, struct td_err *err)
{
	int rc;

	if (on && !run->counting.on)
		return run_end_delay(run, err);
	rc = td_counter_enable(run->counting.counter, on, -1, err);
	td_latency_enable(&run->latency, on);
	if (!rc)
		td_job_say(run->job, "Events %s\n", on ? "enabled" : "disabled");
	return rc;
}

static int do_switch(struct td_run *run, const struct td_control_request *request,
		     struct td_err *err)
{
	bool on = request->word == TD_CONTROL_ENABLE;
	/* as in perf, the row ends here */
	int rc = on ? td_run_put_row_now(run, err) : 0;

	if (!rc)
		rc = request->argument ? switch_event(run, request->argument, on, err)
				       : switch_all(run, on, err);
	return rc || on ? rc : td_run_put_row_now(run, err);
}

/* Print {slots,topdown-retiring}: the events of a group. */
static void list_group(const struct td_plan *plan, const struct td_group *group)
{
	fputs(group->nr > 1 ? "{" : "", stderr);
	for (size_t i = 0; i < group->nr; i++) {
		fputs(i ? "," : "", stderr);
		td_put_printable(stderr, plan->events.v[group->members[i]].name);
	}
	fputs(group->nr > 1 ? "}\n" : "\n", stderr);
}

static void list_events(const struct td_job *job, const char *how)
{
	const struct td_plan *plan = &job->plan;

	for (size_t g = 0; g < plan->nr_groups; g++) {
		const struct td_group *group = &plan->groups[g];

		if (how && strcmp(how, "-g") == 0) {
			list_group(plan, group);
			continue;
		}
		for (size_t i = 0; i < group->nr; i++) {
			struct perf_event_attr attr = td_plan_attr(plan, group, i, &job->target);

			td_put_printable(stderr, plan->events.v[group->members[i]].name);
			fputc('\n', stderr);
			if (how && strcmp(how, "-v") == 0)
				td_attr_put(stderr, &attr, job->machine.pmus[group->pmu].name);
		}
	}
	fflush(stderr); /* messages come before the acknowledgement */
}

static int obey(struct td_run *run, const struct td_control_request *request, struct td_err *err)
{
	switch (request->word) {
	case TD_CONTROL_ENABLE:
	case TD_CONTROL_DISABLE:
		return do_switch(run, request, err);
	case TD_CONTROL_EVLIST:
		if (!run->job->request->show.quiet)
			list_events(run->job, request->argument);
		return 0;
	case TD_CONTROL_STOP:
		run->session->stopped = run->session->is_last = true;
		return 0;
	case TD_CONTROL_PING:
	case TD_CONTROL_SNAPSHOT:
		return 0;
	case TD_CONTROL_UNKNOWN:
		refuse(run, "no such command:", request->line, "");
	}
	return 0;
}

static void answer(struct td_run *run)
{
	struct td_session *session = run->session;

	if (td_control_ack(&session->control) != -EAGAIN || session->control_unread)
		return;
	session->control_unread = true;
	td_job_say(run->job, "tdstat: --control: no process reads the answers\n");
}

static int obey_all(struct td_run *run, struct td_err *err)
{
	struct td_control *control = &run->session->control;
	struct td_control_request request;
	int rc = 0;

	/* counting continues without commands */
	if (td_control_read(control, err))
		td_say_error(err);
	while (!rc && td_control_next(control, &request)) {
		enum td_control_word word = request.word;

		rc = obey(run, &request, err);
		if (!rc && td_control_is_acked(word))
			answer(run);
	}
	run->engine->waiter.control = control->fd;
	return rc;
}

/* --- what happens during a run ---------------------------------------------- */

/*
 * Threads that have ended hold descriptors until they are read.  Read when this many have
 * ended, and at least this part of all, because each read reads all threads.
 */
#define MAX_ENDED  64
#define ENDED_PART 8

static bool has_many_ended(const struct td_run *run)
{
	size_t nr = run->counting.nr_ended;

	return nr > MAX_ENDED && nr * run->job->plan.events.nr > run->tally.nr_read / ENDED_PART;
}

static int take_viewer(struct td_run *run, struct td_err *err)
{
	const struct td_viewer *viewer = run->session->view.viewer;
	bool ends = false;
	int rc = viewer->ready(viewer->ctx, &ends, err);

	if (ends)
		run->session->is_last = run->session->stopped = true;
	return rc;
}

static int take_wake(struct td_run *run, const struct td_wake *wake, struct td_err *err)
{
	int rc = 0;

	/* first, so that the new file gets the next rows */
	if (wake->what & TD_WAKE_REOPEN)
		rc = td_session_reopen(run->session, err);
	if (!rc && wake->what & TD_WAKE_DELAY)
		rc = run_end_delay(run, err);
	if (!rc && wake->what & TD_WAKE_CONTROL)
		rc = obey_all(run, err);
	if (!rc && wake->what & TD_WAKE_TASKS)
		td_run_follow_tasks(run);
	/* a viewer's request comes too late when a signal ends the run */
	if (!rc && wake->what & TD_WAKE_VIEWER && !run->engine->signals)
		rc = take_viewer(run, err);
	if (!rc && has_many_ended(run))
		rc = td_run_read_in_time(run, err);
	/* after "stop" the run only waits for the command, like perf stat */
	if (!rc && wake->what & TD_WAKE_TICK && !td_run_printed_all(run) && !run->session->stopped)
		rc = td_run_tick(run, wake->ticks, err);
	return rc;
}

/* Returns 1 after "stop" or the last row: without a command, the run ends then. */
static int serve(void *ctx, const struct td_wake *wake, struct td_err *err)
{
	struct td_run *run = ctx;
	int rc;

	/* no run follows: the user ended tdstat, or its target has ended */
	if (wake->what & (TD_WAKE_SIGNAL | TD_WAKE_TARGETS))
		run->session->is_last = true;
	if (run->given_up)
		return 0;
	rc = take_wake(run, wake, err);
	if (rc)
		return td_run_outlives(run, err) ? 0 : rc;
	return run->session->stopped || td_run_printed_all(run);
}

/* --- --no-multiplex -------------------------------------------------------- */

/* Return true if any node has an error.  Nodes of a short command have none. */
static bool has_errors(const struct td_report *report)
{
	td_for_each(const struct td_row, row, report->rows, report->nr_rows) {
		for (size_t n = 0; n < row->nr_nodes; n++) {
			const struct td_cell *cell = &row->cells[row->nodes[n].column];

			if (cell->status == TD_STATUS_OK && !isnan(cell->error))
				return true;
		}
	}
	return false;
}

static void say_difference(struct td_session *session)
{
	const struct td_work *work = &session->view.work;
	double difference = td_work_difference(work);

	if (difference <= TD_SAME_WORK || session->said_difference)
		return;
	session->said_difference = true;
	td_job_say(
		session->job,
		"tdstat: the runs differ by %.1f %% in instructions (%.4g to %.4g); combining their "
		"counts is only approximate%s\n",
		100 * difference, work->min, work->max,
		td_view_keeps_runs(&session->view) && has_errors(&session->view.report)
			? ", which the errors include"
			: "");
}

/*
 * Put the groups of the other runs back.  If the run was the last of a result, or if now
 * is set, show the result of the runs so far.
 */
static int session_end_set(struct td_session *session, bool now, struct td_err *err)
{
	struct td_plan *plan = &session->job->plan;
	int rc;

	if (plan->nr_sets < 2)
		return 0;
	td_plan_restore_groups(plan);
	if (session->unwritable || (!now && (unsigned int)session->runs % plan->nr_sets))
		return 0;
	rc = td_view_join(&session->view, err);
	say_difference(session);
	return rc;
}

/* --- one run --------------------------------------------------------------- */

/*
 * How long the last read waits for a group that cannot be read yet.  An exiting child
 * without a CPU was observed to take 1.2 s.
 */
#define LAST_READ_NS (5000 * TD_NS_A_MS)

/*
 * Open the output and the recording.  Call it late, so that a run that cannot begin leaves no
 * empty file.  Lets signals through, because opening a FIFO waits for its reader.
 */
static int open_outputs(struct td_session *session, struct td_err *err)
{
	const struct td_request *request = session->job->request;
	int rc;

	if (session->runs)
		return 0;
	if (request->show.output)
		td_signals_let_through(true);
	rc = td_view_open(&session->view, request, err);
	rc = rc ?: td_view_check_append(&session->view, err);
	if (!rc && request->does.records)
		rc = td_session_open_recorder(session, err);
	td_signals_let_through(false);
	return rc;
}

static int read_last(struct td_run *run, struct td_err *err)
{
	if (run->counting.watch || run->counting.switches)
		td_run_follow_tasks(run);
	if (td_run_read(run, LAST_READ_NS, err))
		return err->code;
	run->clock.end_ns = run->clock.read_ns;
	if (run->tally.behind)
		td_job_say(run->job,
			   "tdstat: not all counters could be read at the end, because a child "
			   "process was starting or ending: their last counts are missing\n");
	return 0;
}

/* Write the last row, or the total if there are no rows. */
static int put_last(struct td_run *run, const struct td_usage *usage, struct td_err *err)
{
	struct td_session *session = run->session;
	bool shown = run->given_up && run->job->request->when.interval_ms && !run->tally.fresh;
	bool done = td_run_printed_all(run) || shown;
	int rc = 0;

	if (session->unwritable)
		return 0;
	if (!done)
		rc = td_run_put_sum(run, run->given_up ? run->clock.read_ns : usage->elapsed_ns,
				    usage, err);
	rc = rc ?: td_view_end_run(&session->view, usage, err);
	if (!rc && !done && !run->given_up && !run->tally.behind)
		td_note_uncounted(run, usage);
	return rc ?: td_recorder_end(&session->recorder, usage, run->engine->child.status, err);
}

static void say_last(struct td_run *run)
{
	const struct td_job *job = run->job;

	td_run_explain(run);
	if (job->request->verbose && !job->request->show.quiet)
		td_describe_shares(&job->machine, &job->plan, &run->tally.all);
	fflush(stderr); /* messages come before the output of --post */
}

/* Return the time from the start of the clock to the last read, or to now without that read. */
static uint64_t elapsed_ns(const struct td_run *run)
{
	if (!run->clock.began)
		return 0;
	return run->clock.end_ns ? run->clock.end_ns : td_now_ns() - run->engine->waiter.start_ns;
}

/* Show the counts, even after an error. */
static int end_run(struct td_run *run, struct td_err *err)
{
	struct td_usage usage = { .elapsed_ns = elapsed_ns(run) };
	struct td_err late = { 0 };
	int rc = 0, rc_put;

	if (run->engine->child.pid > 0)
		rc = td_child_wait(&run->engine->child, &usage, err);
	td_progress_clear(&run->session->progress);
	rc_put = put_last(run, &usage, rc ? &late : err);
	if (rc_put && td_run_outlives(run, rc ? &late : err))
		rc_put = 0;
	say_last(run);
	return rc ?: rc_put;
}

static int count_to_the_end(struct td_run *run, struct td_err *err)
{
	struct td_err late = { 0 };
	int rc = run_begin(run, err), rc_end;

	if (rc && !td_run_outlives(run, err))
		return rc;
	rc = td_engine_run(run->engine, serve, run, err);
	if (!rc && !run->given_up && !td_run_printed_all(run))
		rc = read_last(run, err);
	if (rc && td_run_outlives(run, err))
		rc = 0;
	rc_end = end_run(run, rc ? &late : err);
	return rc ?: rc_end;
}

/*
 * Run the shell command of --pre or --post, if there is one, with the signals and limits
 * that tdstat was started with.
 */
static int run_hook(const struct td_session *session, const char *option, const char *command,
		    struct td_err *err)
{
	pid_t pid = command ? fork() : 0, ended;
	int status;

	if (!command)
		return 0;
	if (pid == 0) {
		td_signals_hold();
		td_inherited_restore(&session->inherited);
		execl("/bin/sh", "sh", "-c", command, NULL);
		_exit(errno == ENOENT ? 127 : 126);
	}
	if (pid < 0)
		return td_err_set(err, -errno, "%s %s: fork: %s", option, command, strerror(errno));
	do {
		ended = waitpid(pid, &status, 0);
	} while (ended < 0 && errno == EINTR);
	if (ended < 0)
		return td_err_set(err, -errno, "%s: waitpid: %s", option, strerror(errno));
	if (WIFSIGNALED(status))
		return td_err_set(err, -EINTR, "%s %s: ended by signal %d", option, command,
				  WTERMSIG(status));
	if (WEXITSTATUS(status))
		return td_err_set(err, -EIO, "%s %s: exit status %d", option, command,
				  WEXITSTATUS(status));
	return 0;
}

/*
 * Run --pre, unless a failed session has done so.  Returns an error if a signal has arrived,
 * because there is no command yet that it could end.
 */
static int run_pre(struct td_session *session, struct td_err *err)
{
	const struct td_when *when = &session->job->request->when;
	bool done = session->pre_done;
	struct td_signal signal;
	int rc = done ? 0 : run_hook(session, "--pre", when->pre, err);

	session->pre_done = !rc;
	session->blocked = rc != 0;
	if (rc || !when->pre || done)
		return rc;
	do {
		if (!td_signals_take(&signal))
			return 0;
	} while (!td_signals_is_ending(&signal));
	session->is_last = session->blocked = true;
	return td_err_set(err, -EINTR, "stopped before it began");
}

static int run_post(struct td_session *session, struct td_err *err)
{
	int rc = run_hook(session, "--post", session->job->request->when.post, err);

	session->blocked |= rc != 0;
	return rc;
}

static int run_main(struct td_run *run, struct td_err *err)
{
	struct td_session *session = run->session;
	struct td_progress *progress = &session->progress;

	if (run_pre(session, err))
		return err->code;
	if (run->job->request->when.sync)
		sync();
	if (run_open(run, err) || open_outputs(session, err))
		return err->code;
	if (progress->all != 1)
		td_progress_run(progress, "run", (size_t)session->runs + 1, progress->all);
	return count_to_the_end(run, err);
}

int td_run_once(struct td_run *run, struct td_err *err)
{
	struct td_session *session = run->session;
	const struct td_request *request = run->job->request;
	struct td_plan *plan = &run->job->plan;
	struct td_err late = { 0 };
	int rc = td_run_reset(run, err), rc_set;

	session->pre_done = request->when.pre_done && !session->runs;
	if (!rc && plan->nr_sets > 1)
		td_plan_select_set(plan, (unsigned int)session->runs % plan->nr_sets);
	if (request->verbose && (request->when.has_repeat || plan->nr_sets > 1))
		td_job_say(run->job, "tdstat: run %d\n", session->runs + 1);
	rc = rc ?: run_main(run, err);
	td_progress_clear(&session->progress);
	/* not inherited by --post */
	td_counting_close(&run->counting);
	td_latency_close(&run->latency);
	session->runs++;
	session->begun += run->engine->child.runs;
	rc_set = session_end_set(session, false, rc ? &late : err);
	rc = rc ? rc : rc_set;
	rc = rc ?: run_post(session, err);
	return rc;
}

int td_run_finish(struct td_run *run, struct td_err *err)
{
	struct td_session *session = run->session;
	int rc = session_end_set(session, true, err);

	if (!rc && !session->unwritable)
		rc = td_view_end(&session->view, err);
	return rc && td_run_outlives(run, err) ? 0 : rc;
}
