// SPDX-License-Identifier: GPL-2.0-only
/* Why counts are missing: the messages at the end of a run. */
#include <inttypes.h>
#include <math.h>
#include <unistd.h>

#include "cmd/run/run.h"
#include "lib/machine/machine.h"
#include "lib/plan/fit.h"
#include "lib/plan/plan.h"

/* --- explains groups that were opened and never counted -------------------- */

/*
 * Add a note for each group of -e that never ran because the NMI watchdog holds a counter
 * that it needs.  all has one reading for each event.  Returns the number of notes.
 */
static size_t note_groups(const struct td_plan *plan, const struct td_machine *machine,
			  const struct td_readings *all, struct td_notes *notes)
{
	size_t nr = 0;

	for (size_t g = 0; g < plan->nr_groups; g++) {
		const struct td_group *group = &plan->groups[g];

		/* the share is NaN for groups never enabled; a cgroup may lack running tasks */
		if (group->cgroup || td_readings_share(all, group) != 0 ||
		    !td_plan_needs_watchdogs_counter(plan, machine, g))
			continue;
		td_notes_add(
			notes,
			"the group of %s was not counted: it needs the counter of %s that the NMI "
			"watchdog has; sysctl kernel.nmi_watchdog=0 frees it, and :W after the "
			"group multiplexes its events",
			plan->events.v[group->members[0]].name, machine->pmus[group->pmu].name);
		nr++;
	}
	return nr;
}

/* --- one core type of a hybrid machine ------------------------------------- */

/* Return the PMU of the core type if events of tasks are counted on one type only; else NULL. */
static const struct td_pmu *only_kind(const struct td_job *job)
{
	const struct td_plan *plan = &job->plan;
	const struct td_pmu *kind = NULL;

	if (job->target.system_wide || job->machine.nr_core < 2)
		return NULL;
	for (size_t g = 0; g < plan->nr_groups; g++) {
		const struct td_pmu *pmu =
			plan->groups[g].pmu >= 0 ? &job->machine.pmus[plan->groups[g].pmu] : NULL;

		if (!pmu || pmu->kind != TD_PMU_CORE || (kind && pmu != kind))
			return NULL;
		kind = pmu;
	}
	return kind;
}

/*
 * Return an upper limit of the share of the time (in %) that tasks ran on the core type; NaN:
 * unknown.  It is an upper limit because groups may have counted simultaneously.
 */
static double max_time_there(const struct td_run *run)
{
	const struct td_plan *plan = &run->job->plan;
	double sum = 0, at_once = 1;

	for (size_t g = 0; g < plan->nr_groups; g++) {
		sum += td_readings_share(&run->tally.all, &plan->groups[g]);
		/* below 1, the groups shared the time with sampled groups */
		if (plan->groups[g].at_once > 0)
			at_once = fmin(at_once, plan->groups[g].at_once);
	}
	return sum / at_once;
}

/* Below this share of the time, the result represents little of the command. */
#define LITTLE_PCT 50

/* Print that the command mostly ran on another core type: the kernel chooses, or taskset(1). */
static void say_elsewhere(const struct td_run *run)
{
	const struct td_job *job = run->job;
	const struct td_pmu *kind = only_kind(job);
	td_autofree char *cpus = kind ? td_ints_format(&kind->cpus) : NULL;
	double most = kind ? max_time_there(run) : NAN;

	if (!cpus || !job->request->target.command || !run->tally.ever_enabled)
		return;
	if (!run->tally.ever_ran)
		td_job_say(job, "tdstat: taskset -c %s runs the command on %s\n", cpus, kind->name);
	else if (most < LITTLE_PCT)
		td_job_say(job,
			   "tdstat: only %s was measured, where the command ran for %.1f %% of "
			   "its time; taskset -c %s keeps it there\n",
			   kind->name, most, cpus);
}

/* --- why counts are missing ------------------------------------------------ */

/* Return true if tasks may have run on a core type whose events are not counted. */
static bool leaves_out_cores(const struct td_job *job)
{
	int nr = (int)job->machine.nr_core, pmu = 0;

	while (pmu < nr && td_plan_has_groups(&job->plan, pmu))
		pmu++;
	return pmu < nr && !job->target.system_wide;
}

static const char held[] = "another program held the counters";

/* Return the reason why no group ran although the counters were enabled. */
static const char *why_no_turn(const struct td_job *job, char text[128])
{
	const struct td_pmu *kind = only_kind(job);

	if (kind) {
		snprintf(text, 128, "no task ran on %s, or another program held its counters",
			 kind->name);
		return text;
	}
	if (leaves_out_cores(job))
		return "no task ran on the requested cores, or another program held their counters";
	return held;
}

static const char *why_nothing(const struct td_run *run, bool watchdog, char text[128])
{
	const struct td_job *job = run->job;
	bool enabled = run->tally.ever_enabled;
	bool by_control = job->request->when.delay_ms < 0;

	if (by_control && !run->counting.baseline)
		return "no enable came through --control";
	if (!run->clock.began || (by_control && !enabled))
		return "it was over before counting began (-D)";
	if (job->target.cgroups.nr)
		return "no task of the cgroups ran, or another program held the counters";
	if (watchdog)
		return "the NMI watchdog has a counter that was needed";
	if (enabled)
		return why_no_turn(job, text);
	if (job->request->target.pids.nr)
		return "these processes did not run (existing children are not included; give them to -p)";
	return "nothing ran";
}

/* Print why a finished run has no counts at all. */
static void say_if_nothing(const struct td_run *run, bool watchdog)
{
	const struct td_job *job = run->job;
	const struct td_ask *ask = &job->request->ask;
	char text[128];
	const char *why;

	if (run->tally.ever_ran || !job->plan.nr_groups)
		return;
	why = why_nothing(run, watchdog, text);
	td_job_say(job, "tdstat: nothing was counted: %s\n", why);
	if (why == held && ask->level && !ask->drill)
		td_job_say(job, "tdstat: -l auto may still count: the kernel prefers its groups\n");
}

/* Shorter gaps are not reported, because they occur on any machine. */
#define MISSED_MS 100

static void say_rows_missed(const struct td_job *job, uint64_t nr)
{
	if (nr * (uint64_t)job->request->when.interval_ms < MISSED_MS)
		return;
	td_job_say(job,
		   "tdstat: missed %" PRIu64
		   " interval%s (tdstat or the machine was stopped or overloaded); %s\n",
		   nr, nr == 1 ? "" : "s",
		   nr == 1 ? "its counts are in the next row"
			   : "their counts are in the next rows");
}

/* Explain rows in which all tasks slept or waited: to a reader, they look like a failure. */
static void say_rows_without_tasks(const struct td_run *run)
{
	const struct td_job *job = run->job;

	if (!run->waited || job->request->show.format != TD_FORMAT_TEXT || !job->tree ||
	    job->target.system_wide || job->target.per_thread || !run->tally.ever_ran)
		return;
	td_job_say(job,
		   "tdstat: %d interval%s without counts, because no task ran in %s: all were "
		   "waiting, maybe for a CPU\n",
		   run->waited, run->waited == 1 ? "" : "s", run->waited == 1 ? "it" : "them");
}

static void say_missed(const struct td_run *run)
{
	const struct td_counting *counting = &run->counting;
	uint64_t lost = counting->watch ? td_task_watch_lost(counting->watch) : 0;

	if (counting->nr_missed)
		td_job_say(run->job, "tdstat: %zu thread%s ended before %s could be counted\n",
			   counting->nr_missed, counting->nr_missed == 1 ? "" : "s",
			   counting->nr_missed == 1 ? "it" : "they");
	say_rows_missed(run->job, run->clock.rows_missed);
	say_rows_without_tasks(run);
	if (lost)
		td_job_say(run->job,
			   "tdstat: threads came and went too fast: %" PRIu64
			   " changes were missed\n",
			   lost);
}

/*
 * At the exec() of a program that may not be dumped, the kernel silently removes the task's
 * counters (begin_new_exec() in fs/exec.c).  The command's CPU time reveals that.  Root is
 * not affected.
 */
void td_note_uncounted(const struct td_run *run, const struct td_usage *usage)
{
	struct td_job *job = run->job;
	const struct td_child *child = &run->engine->child;
	const struct td_spent spent = {
		.used_ns = usage->user_ns + usage->sys_ns,
		.counted_ns = td_tally_enabled_ns(&run->tally),
		.before_ns = child->before_ns,
		.switches = child->switches,
		.forks = td_forks_between(run->first_pid, td_last_pid(&job->fs), child->switches),
	};

	if (!job->target.enable_on_exec || !job->target.inherit || job->request->when.control ||
	    !job->plan.nr_groups || geteuid() == 0)
		return;
	if (td_is_much_uncounted(&spent))
		td_notes_add(
			&job->notes,
			"much of the command was not counted: the kernel takes the counters from a "
			"program that has more rights than its user (set-uid, file capabilities), "
			"or may not be read");
}

/*
 * Note groups that could not count because of the NMI watchdog.  CPUs without any counts already
 * have a note from the start of the run.  Returns true if there are such groups.
 */
static bool note_watchdog(const struct td_run *run)
{
	struct td_job *job = run->job;
	struct td_notes unused = { 0 };
	bool said = job->target.system_wide && !run->tally.ever_ran;
	size_t nr = note_groups(&job->plan, &job->machine, &run->tally.all,
				said ? &unused : &job->notes);

	td_notes_free(&unused);
	return nr > 0;
}

void td_run_explain(const struct td_run *run)
{
	if (!run->given_up && !run->tally.behind) {
		bool watchdog = note_watchdog(run);

		say_if_nothing(run, watchdog);
		if (!watchdog)
			say_elsewhere(run);
	}
	say_missed(run);
	td_latency_explain(&run->latency, run->job, &run->session->latencies);
	td_view_note_step(&run->session->view, &run->job->notes);
	td_job_say_notes(run->job);
}

/* --- CPU time of a command that was not counted ---------------------------- */

/* Minimum of uncounted time for a note, because the clocks are not exact. */
#define MUCH_NS UINT64_C(100000000)

/*
 * A task's counters start with its first turn on a CPU and end inside its
 * exit() (perf_event_exit_task() in the kernel).  The time before and after is
 * 0.1 ms on an idle machine and ten times that on a busy one.
 */
#define MIN_FORK_NS UINT64_C(1000000)

/*
 * before_ns, the time of tdstat's own fork, shows how slow the machine is.  On a busy
 * machine another fork took up to five times as long.
 */
#define FORK_FACTOR 8

/* The smallest default of pid_max (PID_MAX_DEFAULT). */
#define MIN_PIDS 32768

bool td_is_much_uncounted(const struct td_spent *spent)
{
	uint64_t missing = td_since(spent->used_ns, spent->counted_ns + spent->before_ns);
	uint64_t fork_ns = FORK_FACTOR * spent->before_ns;
	/*
	 * forks of tdstat and of the command: at most those of the machine, and at most the
	 * voluntary switches, because every task ends with one
	 */
	uint64_t forks = 1 + (spent->forks < spent->switches ? spent->forks : spent->switches);

	missing = td_since(missing, forks * (fork_ns > MIN_FORK_NS ? fork_ns : MIN_FORK_NS));
	return missing > MUCH_NS && missing > spent->used_ns / 4;
}

uint64_t td_last_pid(const struct td_sysfs *fs)
{
	char text[128];
	uint64_t pid;

	/* the last number of proc(5)'s "0.20 0.18 0.12 1/80 11206" */
	if (td_sysfs_read_at(fs->proc, "loadavg", text, sizeof(text)) < 0 ||
	    sscanf(text, "%*s %*s %*s %*s %" SCNu64, &pid) != 1)
		return 0;
	return pid;
}

uint64_t td_forks_between(uint64_t first_pid, uint64_t last_pid, uint64_t switches)
{
	if (!first_pid || last_pid < first_pid || switches >= MIN_PIDS)
		return UINT64_MAX;
	return last_pid - first_pid;
}
