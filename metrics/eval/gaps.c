// SPDX-License-Identifier: GPL-2.0-only
/* Finds out why the events of a metric do not allow a value. */
#include <math.h>
#include <stdio.h>

#include "lib/base/util.h"
#include "metrics/eval/evaluation.h"

/* Did an event of another PMU run for at least 99 % of the task's time? */
static bool is_always_elsewhere(const struct td_evaluation *e, int pmu)
{
	const struct td_plan *plan = e->plan;

	for (size_t i = 0; i < plan->events.nr; i++) {
		const struct td_total *total = &e->totals[i];

		if (plan->events.v[i].pmu != pmu && total->enabled_ns &&
		    (double)total->running_ns >=
			    0.99 * (double)total->enabled_ns)
			return true;
	}
	return false;
}

/* Says why no event of the PMU ran; mostly the task was never there. */
static const char *describe_absence(const struct td_evaluation *e, int pmu)
{
	static const char unnamed[] = "nothing ran on this kind of core";
	enum td_absence how = e->in_cgroup || is_always_elsewhere(e, pmu)
				      ? TD_ABSENT
				      : TD_ABSENT_OR_HELD;
	char **text = &e->gaps[TD_NR_ABSENCES * (size_t)pmu + how];

	if (!*text &&
	    asprintf(text, "nothing ran on %s%s",
		     e->tree->machine->pmus[pmu].name,
		     how == TD_ABSENT
			     ? ""
			     : ", or somebody else held its counters") < 0)
		*text = NULL;
	return *text ? *text : unnamed;
}

/*
 * Was an event of the PMU enabled, or of any if it is -1?  Those of tasks are while
 * the tasks run, and those of a cgroup while it runs on that PMU's CPUs.
 */
static bool was_enabled(const struct td_evaluation *e, int pmu)
{
	const struct td_plan *plan = e->plan;

	for (size_t i = 0; i < plan->events.nr; i++) {
		if ((pmu < 0 || plan->events.v[i].pmu == pmu) &&
		    e->totals[i].enabled_ns)
			return true;
	}
	return false;
}

/* What a unit counts that is larger than a CPU; PLACE_CPU: it is none. */
enum place {
	PLACE_SOCKET,
	PLACE_DIE,
	PLACE_CORE,
	PLACE_UNKNOWN,
	PLACE_CPU
};

static enum place place_of(const struct td_evaluation *e, int event)
{
	const struct td_tree *tree = e->tree;
	const struct td_pmu *pmu =
		&tree->machine->pmus[e->plan->events.v[event].pmu];
	double nr = (double)pmu->cpus.nr;

	if (pmu->kind != TD_PMU_OTHER || nr == 0 || nr == tree->nr_cpus)
		return PLACE_CPU;
	if (nr == tree->nr_packages)
		return PLACE_SOCKET;
	if (nr == tree->nr_dies)
		return PLACE_DIE;
	return nr == tree->nr_cores ? PLACE_CORE : PLACE_UNKNOWN;
}

/* Says where the count of a unit is that was not counted in this row; or NULL. */
static const char *describe_elsewhere(const struct td_evaluation *e, int event)
{
	static const char *const texts[] = {
		"counted per socket, on another CPU: use --per-socket",
		"counted per die, on another CPU: use --per-die",
		"counted per core, on another CPU: use --per-core",
		"counted on another CPU",
		NULL,
	};
	enum place place = place_of(e, event);

	if (e->totals[event].nr)
		return NULL;
	if (e->tasks && place != PLACE_CPU)
		return "counted on whole CPUs, not for programs: use -a";
	return texts[place];
}

/*
 * Says that a unit counted for more CPUs than the row has, whose own count is beside;
 * or NULL.
 */
static const char *describe_larger(const struct td_evaluation *e, int event,
				   const struct td_total *own)
{
	static const char *const texts[] = {
		"counted for the whole socket: use --per-socket",
		"counted for the whole die: use --per-die",
		"counted for the whole core: use --per-core",
		"counted for more CPUs than these",
		NULL,
	};
	const struct td_tree *tree = e->tree;
	const struct td_pmu *pmu =
		&tree->machine->pmus[e->plan->events.v[event].pmu];

	/* the row of one kind of core has never all CPUs */
	if (tree->machine->nr_core > 1 ||
	    !(own->nr * (double)pmu->cpus.nr <
	      e->totals[event].nr * tree->nr_cpus))
		return NULL;
	return texts[place_of(e, event)];
}

static const char *describe_gap(const struct td_evaluation *e, int event)
{
	static const char unnamed[] = "an event did not get a counter";
	const struct td_plan *plan = e->plan;
	const char *elsewhere = describe_elsewhere(e, event);
	int pmu = plan->events.v[event].pmu;
	char **text;

	if (plan->events.v[event].refusal)
		return plan->events.v[event].refusal;
	if (elsewhere)
		return elsewhere;
	if ((e->tasks || e->in_cgroup) && !was_enabled(e, -1))
		return "no task ran in this time";
	if (e->tree->machine->nr_core > 1 &&
	    pmu < (int)e->tree->machine->nr_core &&
	    (e->tasks ? !td_eval_ran_on(e, pmu)
		      : e->in_cgroup && !was_enabled(e, pmu)))
		return describe_absence(e, pmu);
	text = &e->gaps[TD_NR_ABSENCES * e->tree->nr_pmus + (size_t)event];
	if (!*text && asprintf(text, "%s did not get a counter",
			       plan->events.v[event].name) < 0)
		*text = NULL;
	return *text ? *text : unnamed;
}

/* -l auto: did its groups rest, so that nothing is wrong with the event? */
static bool rested(const struct td_evaluation *e,
		   const struct td_metric *metric, int event)
{
	const struct td_tree *tree = e->tree;

	return metric->family && tree->families_of_events &&
	       tree->families_of_events[event] &&
	       !e->plan->events.v[event].refusal &&
	       td_eval_ran_on(e, metric->pmu);
}

/* Did the id run on another kind of core than this one? */
static bool ran_on_others(const struct td_evaluation *e, int pmu)
{
	for (int i = 0; i < (int)e->tree->machine->nr_core; i++) {
		if (i != pmu && td_eval_ran_on(e, i))
			return true;
	}
	return false;
}

/*
 * Of a hybrid: is the event not the PMU's, but the kernel's count of other kinds of
 * core as well?  beside: an event of the PMU.
 */
static bool is_of_all_kinds(const struct td_evaluation *e,
			    const struct td_metric *metric, int event,
			    const struct td_total *beside)
{
	const struct td_machine *machine = e->tree->machine;
	const struct td_event *of = &e->plan->events.v[event];

	if (machine->nr_core < 2 || metric->def->apart ||
	    of->home == metric->pmu ||
	    machine->pmus[of->pmu].kind != TD_PMU_SOFTWARE)
		return false;
	return e->totals[event].where != beside->where ||
	       ran_on_others(e, metric->pmu);
}

/* An event that is not of the same CPUs as those of the metric's PMU; or NULL. */
static const char *find_misplaced(const struct td_evaluation *e,
				  const struct td_metric *metric,
				  const struct td_total *own)
{
	for (size_t i = 0; i < metric->events.nr; i++) {
		int event = metric->events.v[i];
		const char *larger = describe_larger(e, event, own);

		if (larger)
			return larger;
		if (is_of_all_kinds(e, metric, event, own))
			return "an event that it needs was counted on all "
			       "kinds of core";
	}
	return NULL;
}

const char *td_eval_find_gap(const struct td_evaluation *e,
			     const struct td_metric *metric)
{
	const struct td_total *first = NULL;

	for (size_t i = 0; i < metric->events.nr; i++) {
		int event = metric->events.v[i];
		const struct td_total *total = &e->totals[event];
		double missed_ns;

		if (isnan(total->value) && rested(e, metric, event))
			return "the node above it was not over its threshold "
			       "for long enough";
		if (isnan(total->value))
			return describe_gap(e, event);
		if (e->plan->events.v[event].pmu != metric->pmu)
			continue;
		/* each run of the command has tasks and times of its own */
		if (e->plan->nr_sets > 1)
			continue;
		if (!first)
			first = total;
		missed_ns = fabs((double)total->covered_ns -
				 (double)first->covered_ns);
		if (total->where == first->where)
			continue;
		if (!e->tasks || missed_ns * 100 > (double)first->covered_ns)
			return "its events did not run on the same CPUs";
	}
	return first ? find_misplaced(e, metric, first) : NULL;
}
