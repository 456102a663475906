// SPDX-License-Identifier: GPL-2.0-only
/* The fields of PERF_METRICS that need more frequent reads than others. */
#include "cmd/run/run.h"

/* Below it, a group took turns, and was not just late for a moment. */
#define WHOLE_PCT 95

static bool has_fields(const struct td_plan *plan, const struct td_group *group)
{
	return group->slots && group->nr > 1 &&
	       td_event_is_metric(&plan->events.v[group->members[1]]);
}

/*
 * Has PERF_METRICS taken turns?  Tasks are left out: where they run on another kind
 * of core, their counters wait as well.
 */
static bool shares_fields(const struct td_run *run)
{
	const struct td_plan *plan = &run->job->plan;

	for (size_t g = 0; run->job->target.system_wide && g < plan->nr_groups;
	     g++) {
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
 * Where tasks are switched, the kernel adds what the fields have grown by since
 * the switch before, and leaves out what they fell by, until a read begins them
 * anew (__icl_update_topdown_event() in the kernel).  So what the four of them are
 * more than the slots tells how much is wrong.  Rounding makes 257 of 255 at most.
 */
#define MOST_SUM 1.01

static void add_fields(const struct td_run *run, const struct td_group *group,
		       double *slots, double *level_1)
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
 * Were they more than the slots since the last read?  Once they were, they would
 * be again with rare reads.
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
	if (level_1 - run->level_1 > MOST_SUM * (slots - run->slots))
		run->fields_linger = true;
	run->slots = slots;
	run->level_1 = level_1;
	return run->fields_linger;
}

bool td_run_wants_fields_often(struct td_run *run)
{
	const struct td_target *target = &run->job->target;

	if (!run->job->tree)
		return false;
	if ((!target->system_wide || target->cgroups.nr) && linger(run))
		return true;
	return shares_fields(run);
}
