// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/plan/latencies.h"

#include "lib/plan/fit.h"
#include "lib/plan/plan.h"

/*
 * The runs of --no-multiplex have counters for what they count, and none for
 * samples; samples of CPUs do not tell the cgroup.
 */
bool td_latencies_are_wanted(const struct td_opts *opts)
{
	if (!opts->does.latencies)
		return false;
	return opts->record_tpebs ||
	       (!opts->no_record_tpebs && !opts->no_multiplex &&
		!td_target_has_cgroups(&opts->target));
}

static bool has_latencies(const struct td_machine *machine)
{
	for (size_t i = 0; i < machine->nr_core; i++) {
		if (!machine->pmus[i].skip &&
		    td_uarch_has(machine->pmus[i].uarch, TD_CORE_LATENCIES))
			return true;
	}
	return false;
}

/* Do the counters hold it beside the others of the last group?  Or -1. */
static int join(struct td_plan *plan, const struct td_machine *machine,
		int event)
{
	size_t last = plan->nr_groups - 1;
	bool fits = plan->nr_groups &&
		    plan->groups[last].pmu == plan->events.v[event].pmu;

	if (!fits)
		return 0;
	if (td_group_add(&plan->groups[last], &event, 1))
		return -1;
	fits = td_plan_group_fits(plan, machine, last) &&
	       !td_plan_needs_watchdogs_counter(plan, machine, last);
	plan->groups[last].nr -= !fits;
	return fits;
}

/*
 * As few groups as there can be: each more takes a turn from the counters of all
 * others.  The kernel may break them up.
 */
static int add(struct td_plan *plan, const struct td_machine *machine,
	       int event)
{
	struct td_group *group;
	int rc = join(plan, machine, event);

	if (rc)
		return rc < 0 ? rc : 0;
	group = td_plan_new_group(plan, plan->events.v[event].pmu);
	if (!group)
		return -1;
	group->weak = true;
	return td_group_add(group, &event, 1);
}

/* Of a tree, what some metric needs; of typed events, all. */
static bool is_used(const struct td_tree *tree, int event)
{
	for (size_t i = 0; tree && i < tree->nr_latencies; i++) {
		if (tree->latencies[i].sampled == event &&
		    tree->latencies[i].used)
			return true;
	}
	return !tree;
}

int td_latencies_plan(struct td_plan *sampled, const struct td_tree *tree,
		      const struct td_machine *machine, struct td_err *err)
{
	for (size_t i = 0; i < sampled->events.nr; i++) {
		if (is_used(tree, (int)i) && add(sampled, machine, (int)i))
			return td_err_nomem(err);
	}
	return 0;
}

void td_latencies_note_none(const struct td_machine *machine,
			    struct td_notes *notes)
{
	if (!has_latencies(machine))
		td_notes_add(notes,
			     "--record-tpebs: samples of this processor do not "
			     "tell retire latencies: what has a mean in the "
			     "files is computed with that");
}
