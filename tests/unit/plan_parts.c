// SPDX-License-Identifier: GPL-2.0-only
/* Plans of other events, splitting, what the kernel is asked for. */
#include "lib/plan/plan.h"

#include <errno.h>

#include "tests/unit/letters.h"
#include "tests/unit/levels.h"
#include "tests/unit/machine.h"
#include "tests/unit/test.h"

/* clang-format off */
static const struct {
	const char *name, *model;
	const char *events;   /* a letter each */
	const char *needs;    /* words of letters, after their rank */
	char reference;       /* a letter; 0: none */
	bool watchdog;
	const char *want; /* groups; a clone is its reference's capital */
} rows[] = {
	{ "nothing", "spr", "", "", 0, .want = "" },
	{ "SLOTS leads, fields follow", "spr", "abcsr", "", 0,
	  .want = "sbrac" },
	{ "SLOTS alone", "spr", "s", "", 0, .want = "s" },
	{ "without SLOTS", "spr", "ac", "", 0, .want = "ac" },
	{ "as many as there are", "new-8", "adef", "", 0, .want = "adef" },
	{ "one more", "new-8", "adefg", "", 0, .want = "adef g" },
	{ "one more, with fixed counters", "new-8", "adefci", "", 0,
	  .want = "adefci" },
	{ "the watchdog holds one of them", "new-8", "adefci", "", 0, true,
	  .want = "adefi c" },
	{ "SLOTS has its own", "new-8", "adefs", "", 0, .want = "sadef" },
	{ "the reference leads", "new-8", "adefc", "", 'c',
	  .want = "cadef" },
	{ "a clone leads the others", "new-8", "adefghjklc", "", 'c',
	  .want = "cadef Cghjk Cl" },
	{ "a clone that takes a counter", "new-8", "adefghc", "", 'c', true,
	  .want = "cade Cfgh" },
	{ "needs stay together", "new-8", "adefgh", "1aeg 1dfh", 0,
	  .want = "aeg dfh" },
	{ "lower ranks first", "new-8", "adefgh", "2ade 1fgh", 0,
	  .want = "fgh ade" },
	{ "small ones beside the reference", "new-8", "adefgc", "1cadef 1cg", 'c',
	  .want = "cg Cadef" },
	{ "not for the price of a group", "new-8", "adefghjk",
	  "1ade 1fgh 1jk", 0, .want = "jkfg adeh" },
	{ "more than a group holds", "new-8", "adefghj", "1adefghj", 0,
	  .want = "adef ghj" },
	{ "what two needs share has one place", "new-8", "adef",
	  "1ade 1adf", 0, .want = "adef" },
};
/* clang-format on */

static void test_row(size_t r)
{
	int events[TEST_MAX_EVENTS][TEST_MAX_EVENTS], reference = -1;
	struct td_need needs[TEST_MAX_EVENTS];
	struct td_schedule schedule = {
		.needs = needs,
		.references = rows[r].reference ? &reference : NULL,
	};
	struct td_machine machine;
	struct td_plan plan = { 0 };
	struct td_err err = { 0 };
	char got[128];
	size_t nr;
	int rc;

	test_machine(&machine, rows[r].model);
	machine.nmi_watchdog = rows[r].watchdog;
	test_add_letters(&plan, &machine.pmus[0], rows[r].events);
	nr = test_make_needs(&plan, rows[r].needs, needs, events);
	reference = rows[r].reference ? test_event_of(&plan, rows[r].reference) : -1;
	schedule.nr_needs = nr;
	rc = td_plan_build(&plan, &machine, &schedule, &err);
	ok(rc == 0, "%s", rows[r].name);
	test_format_plan(&plan, strlen(rows[r].events), got);
	is_str(got, rows[r].want, "%s: groups", rows[r].name);
	td_plan_free(&plan);
	td_machine_free(&machine);
}

/* Every event of a group is still there, once; the clones are new. */
static bool same_events(const struct td_plan *plan, size_t nr_events)
{
	for (int e = 0; e < (int)nr_events; e++) {
		int times = 0;

		for (size_t g = 0; g < plan->nr_groups; g++) {
			for (size_t i = 0; i < plan->groups[g].nr; i++)
				times += plan->groups[g].members[i] == e;
		}
		if (times != 1)
			return false;
	}
	return true;
}

static bool is_further(const struct td_plan *plan, const struct td_group *half, int reference)
{
	if (reference < 0)
		return half->clone < 0;
	return half->clone >= 0 && half->members[0] == half->clone &&
	       half->reference == reference && half->nr >= 2 &&
	       strcmp(plan->events.v[half->clone].name, plan->events.v[reference].name) == 0 &&
	       plan->events.v[half->clone].config[0] == plan->events.v[reference].config[0];
}

/* Splits every group as far as it goes. */
static void test_split(const char *model, int level)
{
	struct td_machine machine;
	struct td_plan plan = { 0 };
	struct td_tree tree;
	struct td_err err = { 0 };
	bool halves = true, refused = true, slots = true;
	size_t nr_initial;

	test_machine(&machine, model);
	test_build_levels(&tree, &plan, &machine, level, false, &err);
	nr_initial = plan.events.nr;
	test_plan_levels(&plan, &machine, &tree, &err);
	for (size_t g = 0; g < plan.nr_groups && plan.nr_groups < 100;) {
		int pmu = plan.groups[g].pmu;
		int reference = plan.groups[g].reference;
		size_t before = plan.groups[g].nr, nr = plan.nr_groups;
		bool was_slots = plan.groups[g].slots;
		int rc = td_plan_split(&plan, g, &err);

		if (rc) {
			refused &= rc == -EINVAL && plan.nr_groups == nr &&
				   plan.groups[g].nr == before && (was_slots || before <= 2);
			g++;
			continue;
		}
		slots &= !was_slots;
		halves &= plan.nr_groups == nr + 1 && plan.groups[nr].pmu == pmu &&
			  plan.groups[g].nr < before && plan.groups[nr].nr <= before &&
			  is_further(&plan, &plan.groups[nr], reference);
	}
	ok(slots, "split %s: never a group with SLOTS", model);
	ok(halves, "split %s: two smaller ones, the second with a clone", model);
	ok(refused, "split %s: what is too small is refused, and stays", model);
	ok(same_events(&plan, nr_initial), "split %s: no event is lost", model);
	td_tree_free(&tree);
	td_plan_free(&plan);
	td_machine_free(&machine);
}

/* clang-format off */
static const struct {
	const char *name;
	struct td_target target;
	bool disabled, enable_on_exec; /* only the leader */
	bool inherit, exclude_kernel, exclude_guest;
} attrs[] = {
	{ "system wide", { .system_wide = true }, .disabled = true },
	{ "a command", { .inherit = true, .enable_on_exec = true },
	  .disabled = true, .enable_on_exec = true, .inherit = true },
	{ "a running process", { .inherit = true }, .disabled = true,
	  .inherit = true },
	{ "user space only", { .inherit = true, .exclude_kernel = true },
	  .disabled = true, .inherit = true, .exclude_kernel = true },
	{ "without guests", { .system_wide = true, .exclude_guest = true },
	  .disabled = true, .exclude_guest = true },
};

static const struct {
	const char *name, *pmu_cpus, *cpus, *want; /* cpus NULL: all */
} places[] = {
	{ "all of the PMU's", "4-7", NULL, "4-7" },
	{ "some of them", "4-7", "5,7", "5,7" },
	{ "some, and others", "4-7", "0-5", "4-5" },
	{ "none of them", "4-7", "0-3", "" },
};
/* clang-format on */

static void test_attrs(void)
{
	struct td_event events[] = {
		{ .type = 4, .config = { 0x400 } },
		{ .type = 10, .config = { 0x12a, 0x3fc0000001, 7 } },
	};
	int members[] = { 0, 1 };
	struct td_plan plan = { .events.v = events, .events.nr = 2 };
	struct td_group group = { .members = members, .nr = 2 };

	for (size_t r = 0; r < TD_ARRAY_SIZE(attrs); r++) {
		for (size_t i = 0; i < 2; i++) {
			const struct td_event *e = &events[i];
			struct perf_event_attr a = td_plan_attr(&plan, &group, i, &attrs[r].target);

			ok(a.type == e->type && a.config == e->config[0] &&
				   a.config1 == e->config[1] && a.config2 == e->config[2] &&
				   a.size >= PERF_ATTR_SIZE_VER5,
			   "%s, member %zu: what", attrs[r].name, i);
			ok(a.disabled == (attrs[r].disabled && i == 0) &&
				   a.enable_on_exec == (attrs[r].enable_on_exec && i == 0),
			   "%s, member %zu: when", attrs[r].name, i);
			ok(a.inherit == attrs[r].inherit &&
				   a.exclude_kernel == attrs[r].exclude_kernel &&
				   a.exclude_guest == attrs[r].exclude_guest && !a.exclude_user &&
				   !a.sample_period && !a.pinned && !a.exclusive,
			   "%s, member %zu: where", attrs[r].name, i);
			ok(a.read_format == (PERF_FORMAT_GROUP | PERF_FORMAT_ID |
					     PERF_FORMAT_TOTAL_TIME_ENABLED |
					     PERF_FORMAT_TOTAL_TIME_RUNNING),
			   "%s, member %zu: read", attrs[r].name, i);
		}
	}
}

static void test_cpus(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(places); i++) {
		struct td_target target = { .has_cpus = places[i].cpus };
		td_autofree char *got = NULL;
		struct td_pmu pmu = { 0 };
		struct td_ints out;

		td_ints_parse(places[i].pmu_cpus, TD_MAX_CPU, &pmu.cpus);
		if (places[i].cpus)
			td_ints_parse(places[i].cpus, TD_MAX_CPU, &target.cpus);
		td_plan_cpus(&pmu, &target, &out);
		got = td_ints_format(&out);
		is_str(got, places[i].want, "CPUs: %s: these", places[i].name);
		td_ints_free(&out);
		td_ints_free(&pmu.cpus);
		td_ints_free(&target.cpus);
	}
}

/* A recording names events twice where a group had a clone. */
static void test_find_clones(void)
{
	char cycles[] = "cpu/cycles/", a[] = "cpu/a/", b[] = "cpu/b/";
	struct td_event events[] = { { .name = cycles },
				     { .name = a },
				     { .name = cycles },
				     { .name = b },
				     { .name = cycles } };
	int m0[] = { 0, 1 }, m1[] = { 2, 3 }, m2[] = { 4 };
	struct td_group groups[] = {
		{ .members = m0, .nr = 2, .clone = 7 },
		{ .members = m1, .nr = 2 },
		{ .members = NULL, .nr = 0 },
		{ .members = m2, .nr = 1 },
	};
	struct td_plan plan = { { events, 5 }, groups, 4 };

	td_plan_find_clones(&plan, NULL);
	ok(groups[0].clone == -1, "clones: none in the first group");
	ok(groups[1].clone == 2 && groups[1].reference == 0, "clones: the second group's");
	ok(groups[2].clone == -1, "clones: none in an empty one");
	ok(groups[3].clone == 4 && groups[3].reference == 0,
	   "clones: the last one's, of the first");
}

/* Units of an uncore count events of the same name. */
static void test_no_clones_of_units(void)
{
	char reads[] = "UNC_M_CAS_COUNT.RD";
	struct td_event events[] = { { .name = reads, .pmu = 3 },
				     { .name = reads, .pmu = 4 },
				     { .name = reads, .pmu = 4 } };
	int members[] = { 0, 1, 2 };
	struct td_group groups[] = {
		{ .members = &members[0], .nr = 1 },
		{ .members = &members[1], .nr = 1 },
		{ .members = &members[2], .nr = 1 },
	};
	struct td_plan plan = { { events, 3 }, groups, 3 };

	td_plan_find_clones(&plan, NULL);
	ok(groups[0].clone == -1 && groups[1].clone == -1, "clones: none on another unit");
	ok(groups[2].clone == 2 && groups[2].reference == 1, "clones: on the same unit");
}

int main(void)
{
	static const char *const models[] = { "spr", "adl", "icx",   "skx-smt",
					      "ehl", "mtl", "arl-h", "cwf" };

	for (size_t i = 0; i < TD_ARRAY_SIZE(rows); i++)
		test_row(i);
	for (size_t i = 0; i < TD_ARRAY_SIZE(models); i++) {
		for (int level = 1; level <= 2; level++)
			test_split(models[i], level);
	}
	test_attrs();
	test_cpus();
	test_find_clones();
	test_no_clones_of_units();
	return done_testing();
}
