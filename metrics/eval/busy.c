// SPDX-License-Identifier: GPL-2.0-only
/* How busy CPUs or tasks were, and how fast the cores went. */
#include <math.h>

#include "lib/base/util.h"
#include "metrics/eval/evaluation.h"

void td_eval_find_clocks(const struct td_evaluation *e)
{
	const struct td_tree *tree = e->tree;

	for (int pmu = 0; pmu < (int)tree->nr_pmus; pmu++) {
		for (int clock = 0; clock < TD_NR_CLOCKS; clock++)
			e->clocks[pmu][clock] = td_clocks_find(
				e->plan, tree->machine, pmu,
				(enum td_clock_event)clock, tree->fixed);
	}
}

/* The count of a clock for the whole time; NaN: not counted. */
static double count_of(const struct td_evaluation *e, int pmu,
		       enum td_clock_event clock)
{
	int event = e->clocks[pmu][clock];

	return event < 0 ? NAN : e->counts[event];
}

/* --- CPUs ----------------------------------------------------------------- */

/*
 * The time of all CPUs where the event was counted.  What a cgroup's events
 * were enabled for is the time of the cgroup, not of the CPUs.
 */
static double whole_of(const struct td_evaluation *e,
		       const struct td_total *total)
{
	/* covered_ns is 0 if counts are not scaled */
	uint64_t ns = total->covered_ns ? total->covered_ns : total->running_ns;

	if (!e->in_cgroup)
		return ns ? (double)ns / 1e9 : NAN;
	return e->times ? (double)e->times->elapsed_ns / 1e9 * total->nr : NAN;
}

/* Events that rest are enabled nowhere. */
static unsigned int count_cpus(const struct td_evaluation *e, int pmu)
{
	unsigned int most = 0;

	for (size_t i = 0; i < e->plan->events.nr; i++) {
		unsigned int nr = e->totals[i].nr_enabled;

		if (e->plan->events.v[i].pmu == pmu && nr > most)
			most = nr;
	}
	return most;
}

static struct td_activity of_cpus(const struct td_evaluation *e, int pmu)
{
	int reference = e->clocks[pmu][TD_CLOCK_REFERENCE];
	struct td_activity out = {
		.counted_cpus = count_cpus(e, pmu),
		.busy_s = NAN,
		.whole_s = NAN,
		.cycles = count_of(e, pmu, TD_CLOCK_CYCLES),
		.clock_s =
			count_of(e, pmu, TD_CLOCK_REFERENCE) / e->tree->tsc_hz,
		.instructions = count_of(e, pmu, TD_CLOCK_INSTRUCTIONS),
	};

	if (reference < 0)
		return out;
	out.cpus = e->totals[reference].nr;
	out.whole_s = whole_of(e, &e->totals[reference]);
	if (!e->part)
		out.busy_s = out.clock_s;
	return out;
}

/* --- tasks ---------------------------------------------------------------- */

/* Of joined runs, each counted other events: their mean is of any events. */
static uint64_t enabled_of(const struct td_total *total)
{
	return total->run_enabled_ns ? total->run_enabled_ns
				     : total->enabled_ns;
}

static uint64_t covered_of(const struct td_total *total)
{
	return total->run_covered_ns ? total->run_covered_ns
				     : total->covered_ns;
}

/*
 * How long tasks ran on a kind of core.  A task's counters are enabled only
 * while it runs, on any kind of core, so this needs no event of its own.  Where
 * somebody else held the counters, nobody knows on which kind it ran.
 */
static double time_on(const struct td_evaluation *e, int pmu)
{
	const struct td_plan *plan = e->plan;
	bool hybrid = e->tree->machine->nr_core > 1;
	uint64_t most = 0;

	if (hybrid && td_eval_is_held(e))
		return NAN;
	for (size_t i = 0; i < plan->events.nr; i++) {
		const struct td_total *total = &e->totals[i];
		uint64_t ns = hybrid ? covered_of(total) : enabled_of(total);

		if (plan->events.v[i].pmu == pmu && ns > most)
			most = ns;
	}
	return most ? (double)most / 1e9 : NAN;
}

/* Times that differ by more than this part of one of them. */
#define UNLIKE 20

/*
 * The count of a clock, to be divided by the cycles or to divide them.  Groups begin
 * one after another: of a task that ended soon, they count times of unlike length.
 * NaN then.
 */
static double count_beside(const struct td_evaluation *e, int pmu,
			   enum td_clock_event clock)
{
	int event = e->clocks[pmu][clock],
	    cycles = e->clocks[pmu][TD_CLOCK_CYCLES];
	double ns, than;

	if (event < 0 || cycles < 0)
		return count_of(e, pmu, clock);
	ns = (double)enabled_of(&e->totals[event]);
	than = (double)enabled_of(&e->totals[cycles]);
	return fabs(ns - than) > than / UNLIKE ? NAN : e->counts[event];
}

static struct td_activity of_tasks(const struct td_evaluation *e, int pmu)
{
	struct td_activity out = { .busy_s = time_on(e, pmu), .whole_s = NAN };

	if (e->times && e->times->elapsed_ns && !td_times_are_unsure(e->times))
		out.whole_s = (double)e->times->elapsed_ns / 1e9;
	out.cycles = count_of(e, pmu, TD_CLOCK_CYCLES);
	out.instructions = count_beside(e, pmu, TD_CLOCK_INSTRUCTIONS);
	out.clock_s =
		count_beside(e, pmu, TD_CLOCK_REFERENCE) / e->tree->tsc_hz;
	return out;
}

/*
 * The share of one CPU below which tasks have mostly waited, unless what is
 * missing is so short that starting and ending them explains it.
 */
#define MOSTLY_WAITED_PCT 50
#define LEAST_WAIT_NS     UINT64_C(100000000)

void td_eval_fill_tasks(const struct td_evaluation *e, struct td_report *report)
{
	uint64_t most = 0, elapsed = e->times ? e->times->elapsed_ns : 0;

	for (size_t i = 0; i < e->plan->events.nr; i++) {
		uint64_t ns = enabled_of(&e->totals[i]);

		most = ns > most ? ns : most;
	}
	if (!most || !elapsed)
		return;
	report->tasks_pct = TD_PERCENT * (double)most / (double)elapsed;
	report->mostly_waited = report->tasks_pct < MOSTLY_WAITED_PCT &&
				elapsed - most >= LEAST_WAIT_NS;
}

/* --- rows ----------------------------------------------------------------- */

static void set(struct td_row *row, const struct td_activity *activity)
{
	row->activity = *activity;
	row->busy_pct = TD_PERCENT * activity->busy_s / activity->whole_s;
	row->ghz = activity->clock_s > 0
			   ? activity->cycles / activity->clock_s / 1e9
			   : NAN;
	row->ipc = activity->cycles > 0
			   ? activity->instructions / activity->cycles
			   : NAN;
}

void td_eval_fill_busy(const struct td_evaluation *e, int pmu,
		       struct td_row *row)
{
	struct td_activity activity =
		e->tasks ? of_tasks(e, pmu) : of_cpus(e, pmu);

	set(row, &activity);
}

void td_eval_merge_busy(const struct td_row *rows, size_t nr,
			struct td_row *merged)
{
	struct td_activity sum = { .cpus = 0 };

	for (size_t i = 0; i < nr; i++) {
		const struct td_activity *part = &rows[i].activity;

		if (rows[i].absent)
			continue;
		sum.busy_s += part->busy_s;
		sum.whole_s = part->cpus ? sum.whole_s + part->whole_s
					 : part->whole_s;
		sum.cpus += part->cpus;
		sum.counted_cpus += part->counted_cpus;
		sum.cycles += part->cycles;
		sum.instructions += part->instructions;
		sum.clock_s += part->clock_s;
	}
	set(merged, &sum);
}

bool td_eval_is_idle(const struct td_evaluation *e, const struct td_row *row)
{
	const struct td_activity *a = &row->activity;

	if (row->share_pct < TD_FEW_SLOTS_PCT)
		return true;
	/* one busy CPU of many is not idle, nor is what little a cgroup does */
	return !e->in_cgroup &&
	       td_are_idle(row->busy_pct, a->busy_s, a->whole_s, a->cpus);
}

/*
 * Adds for how long the groups of a PMU ran, all together, since they take turns,
 * and returns for how long they were enabled.
 */
static double add_pmu(const struct td_evaluation *e, int pmu, double *ran)
{
	double enabled = 0;

	for (size_t i = 0; i < e->plan->nr_groups; i++) {
		const struct td_group *group = &e->plan->groups[i];
		const struct td_total *leader;

		if (group->pmu != pmu || !group->nr)
			continue;
		leader = &e->totals[group->members[0]];
		*ran += (double)leader->running_ns;
		enabled = fmax(enabled, (double)leader->enabled_ns);
	}
	return enabled;
}

/*
 * Groups that count at the same time may hide that others could not, but where
 * all together ran for less than half of the time, they were kept from it.  A
 * task's events are enabled on each kind of core, and run on one at a time.
 */
bool td_eval_is_held(const struct td_evaluation *e)
{
	double ran = 0, enabled = 0;

	for (int pmu = 0; pmu < (int)e->tree->nr_pmus; pmu++) {
		double one = add_pmu(e, pmu, &ran);

		enabled = e->tasks ? fmax(enabled, one) : enabled + one;
	}
	return ran < enabled / 2;
}
