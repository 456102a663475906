// SPDX-License-Identifier: GPL-2.0-only
/* The counters are switched on for the first time, and the clock is started. */
#include <errno.h>
#include <time.h>

#include "cmd/run/run.h"
#include "lib/base/util.h"

/*
 * The longest time between reads: PERF_METRICS has 8 bits a field, and a
 * read starts it afresh (icl_update_topdown_event() in the kernel).
 */
#define LONGEST_MS 1000

/* Rows longer than a second are read inside. */
static int start_clock(struct td_run *run, struct td_err *err)
{
	uint64_t row_ms = (uint64_t)run->opts->interval_ms;

	if (!row_ms)
		row_ms = LONGEST_MS;
	run->ticks_a_row = (row_ms + LONGEST_MS - 1) / LONGEST_MS;
	run->began = true;
	return td_waiter_start(
		&run->waiter, row_ms * TD_NS_A_MS / run->ticks_a_row,
		(uint64_t)run->opts->timeout_ms * TD_NS_A_MS, err);
}

/* For a group that cannot be read yet; seen to take 5 to 70 ms. */
#define BASELINE_NS (200 * TD_NS_A_MS)

static int all_held(const struct td_run *run, int pmu, struct td_err *err)
{
	td_err_set(err, -EBUSY, "%s: its counters are taken by somebody else",
		   run->machine.pmus[pmu].name);
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

static void note_held(struct td_run *run, int pmu, const struct td_ints *held)
{
	const char *name = run->machine.pmus[pmu].name;
	td_autofree char *text = td_ints_format(held);

	if (!text || !text[0])
		return;
	if (run->plan.asked && run->machine.nmi_watchdog)
		td_notes_add(&run->notes,
			     "%s: its counters on CPU(s) %s are taken, one of "
			     "them by the NMI watchdog (sysctl "
			     "kernel.nmi_watchdog): not counted there",
			     name, text);
	else
		td_notes_add(&run->notes,
			     "%s: somebody else has the counters of CPU(s) "
			     "%s: not counted there",
			     name, text);
}

/* What was held of one PMU, or of all of them. */
struct held {
	bool some, all;
	int pmu; /* the first one */
};

static int check_pmu_held(struct td_run *run, const struct td_readings *delta,
			  int pmu, bool last, struct held *found)
{
	struct td_ints held, cpus;
	int rc = td_readings_held_cpus(delta, &run->plan, pmu, &held);

	if (!rc)
		rc = td_plan_cpus(&run->machine.pmus[pmu], &run->target, &cpus);
	if (rc)
		return rc;
	if (held.nr && !found->some)
		found->pmu = pmu;
	found->some = found->some || held.nr;
	found->all = found->all && held.nr == cpus.nr;
	if (last)
		note_held(run, pmu, &held);
	td_ints_free(&cpus);
	td_ints_free(&held);
	return 0;
}

/*
 * CPUs whose counters opened, and never got onto the hardware: somebody else's
 * are pinned there.  0: none; 1: some, as at this look; when it is the last
 * look a note, and an error where no CPU of no PMU is left for a tree.
 */
static int check_held(struct td_run *run, const struct td_readings *delta,
		      bool last, struct td_err *err)
{
	struct held found = { .all = true };

	for (int pmu = 0; pmu < (int)run->machine.nr_core; pmu++) {
		if (has_groups(&run->plan, pmu) &&
		    check_pmu_held(run, delta, pmu, last, &found))
			return td_err_nomem(err);
	}
	if (last && found.some && found.all && !run->plan.asked)
		return all_held(run, found.pmu, err);
	return found.some;
}

/*
 * Reads once and forgets it.  The counters of a group start and are read one
 * behind the other: from here on every interval has the same lag at both of
 * its ends.  A tenth of a second is many turns for counters that wait for the
 * hardware (the kernel rotates every 4 ms).  What cannot be read yet keeps its
 * lag.
 */
static int read_baseline(struct td_run *run, struct td_err *err)
{
	const struct timespec pause = { 0, 10000000 };
	struct td_readings delta;
	uint64_t unused;
	int rc;

	for (int looks = 10;; looks--) {
		rc = run->counter->ops->read(run->counter, BASELINE_NS, &unused,
					     &delta, err);
		run->behind = !rc && delta.behind;
		/* where no task of a cgroup is, its counters do not run */
		if (rc || !run->target.system_wide || run->target.cgroups.nr)
			return rc;
		rc = check_held(run, &delta, looks == 0, err);
		if (rc <= 0 || looks == 0)
			return rc < 0 ? rc : 0;
		nanosleep(&pause, NULL);
	}
}

/*
 * A thread that began while the counters were opened may have half of a group,
 * which cannot be read as long as it lives.  One that begins or ends just now
 * looks the same.
 */
int td_run_enable(struct td_run *run, struct td_err *err)
{
	int rc = 0;

	for (int attempt = 1;; attempt++) {
		rc = run->counter->ops->enable(run->counter, true, -1, err);
		if (!rc && !run->baseline)
			rc = read_baseline(run, err);
		if (rc || !run->behind || attempt == TD_ATTEMPTS ||
		    !td_opts_attaches(run->opts))
			break;
		td_counter_close(run->counter);
		run->counter = NULL;
		rc = td_run_open_counter(run, err);
		if (rc)
			return rc;
	}
	run->counting = run->baseline = !rc;
	return rc;
}

int td_run_begin_time(struct td_run *run, struct td_err *err)
{
	struct td_times unused;
	int rc = start_clock(run, err);

	if (!rc && !run->target.enable_on_exec)
		td_run_times(run, 0, NULL, &unused);
	return rc;
}

/* With -D: what was off until now has no baseline yet, and maybe no clock. */
int td_run_first_enable(struct td_run *run, struct td_err *err)
{
	int rc = 0;

	if (!run->baseline)
		rc = read_baseline(run, err);
	run->baseline = true;
	return rc || run->began ? rc : td_run_begin_time(run, err);
}

int td_run_end_delay(struct td_run *run, struct td_err *err)
{
	int rc;

	if (run->counting) /* --control was faster */
		return 0;
	rc = td_run_enable(run, err);
	if (!rc)
		td_run_say(run, "Events enabled\n");
	return rc || run->began ? rc : td_run_begin_time(run, err);
}
