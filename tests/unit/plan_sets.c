// SPDX-License-Identifier: GPL-2.0-only
/* --no-multiplex: groups are split into sets that count at once. */

#include <stdlib.h>

#include "lib/plan/fit.h"
#include "lib/plan/plan.h"
#include "tests/unit/machine.h"
#include "tests/unit/test.h"

#define MAX_GROUPS 12
#define CORE       0
#define ATOM       1

/*
 * Events that any general counter can count (0xd0), on Gracemont's six;
 * instructions (0xc0) have a fixed one, SLOTS (0x400) has one of its own.
 */
struct made {
	int pmu;
	int nr;          /* number of 0xd0 events */
	uint64_t config; /* config of one more event; 0: none */
	bool pinned, exclusive;
	unsigned int set; /* expected; 0: every run */
	double share;     /* expected without sets, in per cent */
};

/* clang-format off */
static const struct {
	const char *what;
	struct made groups[MAX_GROUPS];
	unsigned int nr_sets;
	int nr_work; /* number of groups that are added to count instructions */
} rows[] = {
	{ "all fit: one run, and nothing is added",
	  { { ATOM, 3, .set = 1, .share = 100 },
	    { ATOM, 3, .set = 1, .share = 100 } }, 1, 0 },
	{ "seven on six",
	  { { ATOM, 4, .set = 1, .share = 50 },
	    { ATOM, 3, .set = 2, .share = 50 } }, 2, 1 },
	/* the kernel stops where one does not fit: A; B; C A */
	{ "the first set with room",
	  { { ATOM, 4, .set = 1, .share = 200.0 / 3 },
	    { ATOM, 5, .set = 2, .share = 100.0 / 3 },
	    { ATOM, 2, .set = 1, .share = 100.0 / 3 } }, 2, 1 },
	{ "what is pinned is in every run, and takes its room",
	  { { ATOM, 2, .pinned = true, .set = 0, .share = 100 },
	    { ATOM, 3, .set = 1, .share = 50 },
	    { ATOM, 4, .set = 2, .share = 50 } }, 2, 1 },
	{ "an exclusive group is alone",
	  { { ATOM, 1, .set = 1, .share = 200.0 / 3 },
	    { ATOM, 1, .exclusive = true, .set = 2, .share = 100.0 / 3 },
	    { ATOM, 1, .set = 1, .share = 100.0 / 3 } }, 2, 1 },
	{ "one that never fits has a set of its own",
	  { { ATOM, 7, .set = 1, .share = 0 },
	    { ATOM, 1, .set = 2, .share = 50 } }, 2, 1 },
	{ "SLOTS has one counter",
	  { { CORE, 0, 0x400, .set = 1, .share = 50 },
	    { CORE, 0, 0x400, .set = 2, .share = 50 } }, 2, 1 },
	/* the P-cores' one set is counted in both runs */
	{ "each PMU has its own sets",
	  { { CORE, 4, .set = 1, .share = 100 },
	    { ATOM, 6, .set = 1, .share = 50 },
	    { ATOM, 6, .set = 2, .share = 50 } }, 2, 2 },
	/* as many of them as there are sets without */
	{ "a set that has instructions needs no more of them",
	  { { ATOM, 6, 0xc0, .set = 1, .share = 100.0 / 3 },
	    { ATOM, 6, .set = 2, .share = 100.0 / 3 },
	    { ATOM, 6, .set = 3, .share = 100.0 / 3 } }, 3, 2 },
};
/* clang-format on */

static void add_event(struct td_plan *plan, struct td_group *group,
		      const struct td_machine *machine, int pmu, uint64_t config)
{
	struct td_event *event = td_events_add(&plan->events);
	int index = (int)plan->events.nr - 1;

	event->name = strdup("made");
	event->pmu = pmu;
	event->type = machine->pmus[pmu].type;
	event->config[0] = config;
	td_group_add(group, &index, 1);
}

static size_t make_plan(struct td_plan *plan, const struct td_machine *machine,
			const struct made *made)
{
	size_t nr = 0;

	*plan = (struct td_plan){ .groups = NULL };
	for (; made[nr].nr || made[nr].config; nr++) {
		const struct made *m = &made[nr];
		struct td_group *group = td_plan_new_group(plan, m->pmu);

		group->pinned = m->pinned;
		group->exclusive = m->exclusive;
		for (int i = 0; i < m->nr; i++)
			add_event(plan, group, machine, m->pmu, 0xd0 | 0x100U << i);
		if (m->config)
			add_event(plan, group, machine, m->pmu, m->config);
	}
	return nr;
}

/* Each run counts instructions on each PMU that it counts on, in one group. */
static bool has_work(const struct td_plan *plan, int pmu, unsigned int run)
{
	int nr = 0;

	for (size_t g = 0; g < plan->nr_groups; g++) {
		const struct td_group *group = &plan->groups[g];

		for (size_t i = 0; i < group->nr; i++)
			nr += group->pmu == pmu && td_plan_run_counts(plan, group, run) &&
			      plan->events.v[group->members[i]].is_work;
	}
	return nr == 1;
}

static bool has_pmu(const struct made *made, size_t nr, int pmu)
{
	for (size_t g = 0; g < nr; g++) {
		if (made[g].pmu == pmu)
			return true;
	}
	return false;
}

static void check_runs(struct td_plan *plan, size_t r, size_t nr)
{
	size_t all = plan->nr_groups;

	for (unsigned int run = 0; run < plan->nr_sets; run++) {
		size_t want = 0;

		for (size_t g = 0; g < all; g++)
			want += td_plan_run_counts(plan, &plan->groups[g], run);
		for (int pmu = CORE; pmu <= ATOM; pmu++)
			ok(plan->nr_sets < 2 || !has_pmu(rows[r].groups, nr, pmu) ||
				   has_work(plan, pmu, run),
			   "%s: run %u counts instructions", rows[r].what, run);
		td_plan_select_set(plan, run);
		ok(plan->nr_groups == want && plan->nr_parked == all - want,
		   "%s: run %u has %zu groups", rows[r].what, run, plan->nr_groups);
		td_plan_restore_groups(plan);
		ok(plan->nr_groups == all, "%s: all are back", rows[r].what);
	}
}

static void test_row(size_t r)
{
	const struct made *made = rows[r].groups;
	struct td_machine machine;
	struct td_plan plan;
	struct td_err err = { 0 };
	double shares[MAX_GROUPS];
	size_t nr;

	test_machine(&machine, "adl");
	machine.nmi_watchdog = false;
	nr = make_plan(&plan, &machine, made);
	td_plan_shares(&plan, &machine, shares);
	for (size_t g = 0; g < nr; g++)
		ok(test_near(100 * shares[g], made[g].share, 1e-9), "%s: group %zu has %g %%",
		   rows[r].what, g, 100 * shares[g]);
	ok(td_plan_count_sets(&plan, &machine) == rows[r].nr_sets, "%s: so many sets",
	   rows[r].what);
	ok(td_plan_make_sets(&plan, &machine, &err) == 0, "%s: made", rows[r].what);
	ok(plan.nr_sets == rows[r].nr_sets, "%s: %u sets", rows[r].what, plan.nr_sets);
	for (size_t g = 0; g < nr && plan.nr_sets > 1; g++)
		ok(plan.groups[g].set == made[g].set, "%s: group %zu in %u", rows[r].what, g,
		   plan.groups[g].set);
	ok(plan.nr_groups == nr + (size_t)rows[r].nr_work, "%s: %zu groups are added", rows[r].what,
	   plan.nr_groups - nr);
	check_runs(&plan, r, nr);
	td_plan_free(&plan);
	td_machine_free(&machine);
}

int main(void)
{
	for (size_t r = 0; r < TD_ARRAY_SIZE(rows); r++)
		test_row(r);
	return done_testing();
}
