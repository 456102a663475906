// SPDX-License-Identifier: GPL-2.0-only
/* The plans of built-in trees on every core; plan_parts.c has the rest. */
#include "lib/plan/plan.h"

#include "lib/plan/fit.h"
#include "tests/unit/levels.h"
#include "tests/unit/machine.h"
#include "tests/unit/test.h"

#define NR_BITS  17 /* ten general counters, followed by the fixed ones 0 to 6 */
#define FIXED(n) (1u << (10 + (n)))

/*
 * Minimum number of groups: the number of events that only general counters can count, divided by
 * their number.  With the watchdog on fixed counter 1, cycles also take a general counter of each
 * group.
 */
/* clang-format off */
static const struct {
	const char *model, *pmu;
	int general; /* counters */
	int groups[2][2]; /* level 1 and 2, without and with the watchdog */
} rows[] = {
	/* PERF_METRICS and at most UOP_DROPPING */
	{ "spr", "cpu", 8, { { 1, 1 }, { 1, 1 } } },
	{ "gnr", "cpu", 8, { { 1, 1 }, { 1, 1 } } },
	{ "adl", "cpu_core", 8, { { 1, 1 }, { 1, 1 } } },
	{ "mtl", "cpu_core", 8, { { 1, 1 }, { 1, 1 } } },
	{ "lnl", "cpu_core", 10, { { 1, 1 }, { 1, 1 } } },
	{ "ptl", "cpu_core", 10, { { 1, 1 }, { 1, 1 } } },
	{ "new-8", "cpu", 4, { { 1, 1 }, { 1, 1 } } },
	{ "new-4", "cpu", 4, { { 1, 1 }, { 1, 1 } } },
	/* 2, which level 2 pins; the other 14 by sixes, or fives, beside them */
	{ "icx", "cpu", 8, { { 1, 1 }, { 4, 4 } } },
	/* 4 by fours, by threes; 13 by fours, by threes */
	{ "skx-smt", "cpu", 4, { { 1, 2 }, { 4, 5 } } },
	/* hyper-threading off: the same, as in a virtual machine */
	{ "skx", "cpu", 4, { { 1, 2 }, { 4, 5 } } },
	{ "bdw", "cpu", 4, { { 1, 2 }, { 1, 2 } } },
	/* 3; 8 by fours, by threes */
	{ "ehl", "cpu", 4, { { 1, 1 }, { 2, 3 } } },
	/* 3; 8 by sixes, by fives */
	{ "adl", "cpu_atom", 6, { { 1, 1 }, { 2, 2 } } },
	{ "adl-n", "cpu", 6, { { 1, 1 }, { 2, 2 } } },
	/* 4; 9 by eights, by sevens */
	{ "mtl", "cpu_atom", 8, { { 1, 1 }, { 2, 2 } } },
	{ "srf", "cpu", 8, { { 1, 1 }, { 2, 2 } } },
	{ "arl-h", "cpu_lowpower", 8, { { 1, 1 }, { 2, 2 } } },
	/* be-bound alone, three of the others have fixed counters; 6 by eights */
	{ "lnl", "cpu_atom", 8, { { 1, 1 }, { 1, 1 } } },
	{ "arl-h", "cpu_atom", 8, { { 1, 1 }, { 1, 1 } } },
	{ "ptl", "cpu_atom", 8, { { 1, 1 }, { 1, 1 } } },
	{ "cwf", "cpu", 8, { { 1, 1 }, { 1, 1 } } },
	{ "new-atom", "cpu", 4, { { 1, 1 }, { 1, 1 } } },
};

/* Event codes of Ice Lake's tree that counters 0 to 3 alone have. */
static const uint8_t ice_lake_bound[] = { 0x0d, 0x79, 0x56 };
/* clang-format on */

struct planned {
	struct td_machine machine;
	struct td_plan plan;
	struct td_tree tree;
	size_t nr_initial;
	int pmu; /* the one that is looked at */
	const char *name;
	int general;
	bool skymont;
};

static bool is_slots(const struct td_event *event)
{
	return event->type == 4 && event->config[0] == 0x400;
}

static bool is_field(const struct td_event *event)
{
	return event->type == 4 && event->config[0] >= 0x8000 && event->config[0] <= 0x8700 &&
	       !(event->config[0] & 0xff);
}

/* The counters that can count an event of the trees, from their manuals. */
static unsigned int counters_of(const struct planned *p, const struct td_event *event)
{
	unsigned int all = (1u << p->general) - 1;
	uint64_t config = event->config[0];
	bool watchdog = p->machine.nmi_watchdog;

	if (is_slots(event))
		return FIXED(3);
	if (config == 0xc0)
		return all | FIXED(0);
	if ((config & ~(UINT64_C(1) << 21)) == 0x3c) /* any */
		return watchdog ? all : all | FIXED(1);
	if (p->skymont && config == 0x73)
		return all | FIXED(4);
	if (p->skymont && config == 0x19c)
		return all | FIXED(5);
	if (p->skymont && config == 0x2c2)
		return all | FIXED(6);
	for (size_t i = 0; i < TD_ARRAY_SIZE(ice_lake_bound); i++) {
		if (strcmp(p->name, "icx") == 0 && (config & 0xff) == ice_lake_bound[i])
			return 0xf;
	}
	return all;
}

/* Hall's theorem: no set of counters is wanted by more events than it has. */
static bool is_schedulable(const struct planned *p, const struct td_group *g)
{
	unsigned int masks[32];
	size_t nr = 0;

	for (size_t i = 0; i < g->nr; i++) {
		const struct td_event *e = &p->plan.events.v[g->members[i]];

		if (is_field(e))
			continue;
		if (nr == TD_ARRAY_SIZE(masks))
			return false;
		masks[nr++] = counters_of(p, e);
	}
	for (unsigned int set = 0; set < 1u << NR_BITS; set++) {
		int inside = 0;

		for (size_t i = 0; i < nr; i++)
			inside += (masks[i] & ~set) == 0;
		if (inside > __builtin_popcount(set))
			return false;
	}
	return true;
}

/* SLOTS, its fields, and then the others; only with SLOTS is there a field. */
static bool is_in_order(const struct planned *p, const struct td_group *g)
{
	size_t i = 0;

	if (g->slots != is_slots(&p->plan.events.v[g->members[0]]))
		return false;
	for (i = 1; g->slots && i < g->nr; i++) {
		if (!is_field(&p->plan.events.v[g->members[i]]))
			break;
	}
	for (; i < g->nr; i++) {
		const struct td_event *e = &p->plan.events.v[g->members[i]];

		if (is_field(e) || is_slots(e))
			return false;
	}
	return true;
}

/* Led by cycles, or by reference cycles where the watchdog has their counter. */
static bool is_of_cycles(const struct planned *p, const struct td_group *g)
{
	return p->plan.events.v[g->members[0]].config[0] ==
	       (p->machine.nmi_watchdog ? 0x300 : 0x3c);
}

/* A further group's leader is a clone of the reference in the first one. */
static bool has_clone(const struct planned *p, const struct td_group *first,
		      const struct td_group *g)
{
	int reference = p->tree.references[p->pmu];
	const struct td_event *a, *b;

	/* each group except the pinned ones counts its own cycles */
	if (first->pinned)
		return g == first || is_of_cycles(p, g);
	if (g == first || reference < 0)
		return g->clone == -1 && g->reference == reference;
	if (g->reference != reference || g->clone != g->members[0] ||
	    g->clone < (int)p->nr_initial || first->members[0] != reference)
		return false;
	a = &p->plan.events.v[reference];
	b = &p->plan.events.v[g->clone];
	return a->name != b->name && strcmp(a->name, b->name) == 0 && a->type == b->type &&
	       a->config[0] == b->config[0];
}

/* Each event of the PMU is in exactly one group. */
static bool is_complete(const struct planned *p)
{
	for (int e = 0; e < (int)p->plan.events.nr; e++) {
		int times = 0;

		for (size_t g = 0; g < p->plan.nr_groups; g++) {
			const struct td_group *group = &p->plan.groups[g];

			for (size_t i = 0; i < group->nr; i++) {
				if (group->members[i] != e)
					continue;
				times++;
				if (group->pmu != p->plan.events.v[e].pmu)
					return false;
			}
		}
		if (times != 1)
			return false;
	}
	return true;
}

static void check(const struct planned *p, const char *name, int groups)
{
	bool schedulable = true, ordered = true, cloned = true;
	const struct td_group *first = NULL;
	int nr = 0, slots = 0;

	for (size_t i = 0; i < p->plan.nr_groups; i++) {
		const struct td_group *g = &p->plan.groups[i];

		if (g->pmu != p->pmu)
			continue;
		first = first ? first : g;
		nr++;
		slots += g->slots;
		schedulable &= is_schedulable(p, g) &&
			       !td_plan_needs_watchdogs_counter(&p->plan, &p->machine, i);
		ordered &= is_in_order(p, g);
		cloned &= has_clone(p, first, g);
	}
	ok(nr == groups, "%s: %d groups, planned %d", name, groups, nr);
	ok(is_complete(p), "%s: each event in one group", name);
	ok(schedulable, "%s: the counters suffice", name);
	ok(ordered && slots <= 1 && (!slots || first->slots),
	   "%s: SLOTS leads the first group, fields behind it", name);
	ok(cloned, "%s: further groups have a clone of their own", name);
}

static bool has_event(const struct td_group *group, int event)
{
	for (size_t i = 0; i < group->nr; i++) {
		if (group->members[i] == event)
			return true;
	}
	return false;
}

static bool has_level_1(const struct planned *p, const struct td_group *group)
{
	for (size_t i = 0; i < p->tree.nr_needs; i++) {
		const struct td_need *need = &p->tree.needs[i];

		for (size_t e = 0; need->rank == 1 && e < need->nr; e++) {
			if (has_event(group, need->events[e]))
				return true;
		}
	}
	return false;
}

/* Level 1 goes first: whatever else is counted, it takes no more groups. */
static void check_level_1(const struct planned *p, const char *name, int groups)
{
	int nr = 0;

	for (size_t g = 0; g < p->plan.nr_groups; g++)
		nr += p->plan.groups[g].pmu == p->pmu && has_level_1(p, &p->plan.groups[g]);
	ok(nr == groups, "%s: level 1 in %d groups", name, groups);
}

/*
 * Multiplexed fields of PERF_METRICS would add up to more than all slots, so all of level 1 is
 * pinned, and no other event with it.
 */
static void check_pinned(const struct planned *p, const char *name)
{
	bool fields = true;

	for (size_t g = 0; g < p->plan.nr_groups; g++) {
		const struct td_group *group = &p->plan.groups[g];

		if (group->pmu == p->pmu)
			fields &= group->pinned == has_level_1(p, group) &&
				  (group->slots || group->nr <= 8);
	}
	ok(fields, "%s: level 1 is pinned", name);
}

static void test_row(size_t r, int level, bool watchdog)
{
	struct planned p = { .name = rows[r].model, .general = rows[r].general };
	struct td_err err = { 0 };
	char name[80];

	test_machine(&p.machine, rows[r].model);
	p.machine.nmi_watchdog = watchdog;
	while (strcmp(p.machine.pmus[p.pmu].name, rows[r].pmu) != 0)
		p.pmu++;
	p.skymont = p.machine.pmus[p.pmu].uarch == TD_SKYMONT ||
		    p.machine.pmus[p.pmu].uarch == TD_DARKMONT;
	snprintf(name, sizeof(name), "%s %s, level %d%s", rows[r].model, rows[r].pmu, level,
		 watchdog ? ", watchdog" : "");
	test_build_levels(&p.tree, &p.plan, &p.machine, level, false, &err);
	p.nr_initial = p.plan.events.nr;
	ok(test_plan_levels(&p.plan, &p.machine, &p.tree, &err) == 0, "%s", name);
	check(&p, name, rows[r].groups[level - 1][watchdog]);
	check_level_1(&p, name, rows[r].groups[0][watchdog]);
	if (level == 2 && strcmp(rows[r].model, "icx") == 0)
		check_pinned(&p, name);
	td_tree_free(&p.tree);
	td_plan_free(&p.plan);
	td_machine_free(&p.machine);
}

int main(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(rows); i++) {
		for (int level = 1; level <= 2; level++) {
			test_row(i, level, false);
			test_row(i, level, true);
		}
	}
	return done_testing();
}
