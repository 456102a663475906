// SPDX-License-Identifier: GPL-2.0-only
/*
 * Plans of many events: which are pinned, which events multiplexed groups count in addition, and
 * which groups have only one event.
 */
#include "lib/plan/fit.h"
#include "lib/plan/plan.h"

#include "tests/unit/letters.h"
#include "tests/unit/machine.h"
#include "tests/unit/test.h"

/*
 * spr: eight general counters, and fixed ones for instructions, cycles,
 * reference cycles and SLOTS; skx: four general ones, and the first three.
 */
/* clang-format off */
static const struct {
	const char *name, *model, *events, *needs;
	bool single, together, watchdog; /* together: not always */
	bool clocks;
	uint32_t held; /* fixed counters of other programs */
	const char *families; /* a digit for each event; NULL: none */
	const char *want;     /* its groups; after ":", those of a family */
} rows[] = {
	{ "all fit at once", "spr", "srbade", "1srb 2a 3de",
	  .want = "srbade" },
	{ "levels 1 and 2, all the time", "spr", "srbuadefghjkl",
	  "1srb 2u 3ade 3fgh 3jkl", .want = "!srbu Cadefgh Cjkl" },
	{ "the watchdog has the cycles' counter", "spr", "srbuadefghjkl",
	  "1srb 2u 3ade 3fgh 3jkl", .watchdog = true,
	  .want = "!srbu Radefgh Rjkl" },
	{ "somebody asked for cycles", "spr", "srbuadefghjklc",
	  "1srb 2u 3adec 3fgh 3jkl", .want = "!srbu cadefgh Cjkl" },
	{ "for reference cycles, beside the watchdog", "spr",
	  "srbuadefghjklx", "1srb 2u 3adex 3fgh 3jkl", .watchdog = true,
	  .want = "!srbu xadefgh Xjkl" },
	{ "cycles are pinned", "spr", "srbuadefghjklc",
	  "1srbc 2u 3adec 3fgh 3jkl", .want = "!srbuc Radefgh Rjkl" },
	{ "cycles and reference cycles are", "spr", "srbuadefghjklcx",
	  "1srbcx 2u 3ade 3fgh 3jkl", .want = "!srbucx Iadefgh Ijkl" },
	{ "all of them are", "spr", "srbuadefghjklcxi",
	  "1srbcxi 2u 3ade 3fgh 3jkl", .want = "!srbucxi adefgh jkl" },
	{ "a field that no need names is with SLOTS", "spr", "srbuadefghjkl",
	  "1r 2u 3ade 3fgh 3jkl", .want = "!srbu Cadefgh Cjkl" },
	{ "what fixed counters count is not pinned with it", "spr",
	  "sruadefghjklci", "1sr 2u 3aic 3def 3ghj 3kl",
	  .want = "!sru caikldef Cghj" },
	{ "level 1 alone, where both do not fit", "skx", "adefghjk",
	  "1ad 2efg 3h 3jk", .want = "!ad Cef Cgh Cjk" },
	{ "not if another event is left without a counter", "skx",
	  "adefgh", "1adef 3gh", .want = "Cadef Cgh" },
	{ "nor if that needs a register", "spr", "sopqadefghj",
	  "1sop 3qadef 3ghj", .want = "sCopghj Cqadef" },
	{ "a pinned value can be shared", "spr", "sopvadefghjkl",
	  "1sop 3vade 3fghjkl", .want = "!sop Cvade Cfghjkl" },
	{ "without levels 1 and 2", "skx", "adefghj", "3adef 3ghj",
	  .want = "Cghj Cadef" },
	{ "a core that is not known", "new-8", "sradefghjk",
	  "1sr 3adef 3ghjk", .want = "!sr adef ghjk" },
	{ "with the SLOTS in their turn", "spr", "srabcdefghjklmnuwyz",
	  "3sr 3adefghjk", .want = "srbcadefghjk Clmnuwyz" },
	{ "each for itself", "spr", "asrdcf", "1sra 2dcf", .single = true,
	  .want = "a sr d c f" },
	{ "metrics that have SLOTS of their own", "spr", "srtb",
	  "1sr 1tb", .together = true, .want = "sr tb" },
	{ "together", "new-8", "adefghjk", "1ade 1fgh 1jk",
	  .together = true, .want = "jkfg adeh" },
	{ "apart", "new-8", "adefghjk", "~1ade 1fgh 1jk",
	  .together = true, .want = "jkad fghe" },
	{ "two values at once", "spr", "opqade", "1opqade",
	  .together = true, .want = "opade q" },
	{ "values with their own", "spr", "opqade", "1qad 1ope",
	  .together = true, .want = "qad ope" },

	{ "families: each has groups of its own", "spr", "srbuadefghjkl",
	  "1srb 2u 3ade 3fgh 3jkl", .families = "0000111222333",
	  .want = "!srbu Cade:1 Cfgh:2 Cjkl:3" },
	{ "families: what is always counted is in none", "spr",
	  "srbuadefghjkl", "1srb 2u 3ade 3fgh 3jkl",
	  .families = "0000011202330", .want = "!srbu Cagl Cde:1 Cfh:2 Cjk:3" },
	{ "families: a large one has several groups", "skx", "adefghjklmn",
	  "1ad 3efghjk 3lmn", .families = "00111111222",
	  .want = "!ad Cef:1 Cgh:1 Cjk:1 Clm:2 Cn:2" },
	{ "families: each event for itself", "spr", "asrdcf", "1sra 3dcf",
	  .single = true, .families = "000111", .want = "a sr d:1 c:1 f:1" },

	{ "clocks: both have a fixed counter", "spr", "srb", "1srb",
	  .together = true, .clocks = true, .want = "srbRCI" },
	{ "clocks: one is counted already", "spr", "srbc", "1srbc",
	  .together = true, .clocks = true, .want = "srbcRI" },
	{ "clocks: both are", "spr", "srbxc", "1srb 2xc",
	  .together = true, .clocks = true, .want = "srbxcI" },
	{ "clocks: with what is pinned; cycles are the reference", "spr",
	  "srbuadefghjkl", "1srb 2u 3ade 3fgh 3jkl",
	  .clocks = true, .want = "!srbuRI Cadefgh CIjkl" },
	{ "clocks: no instructions that would take the last general counter", "spr",
	  "srbuadefghjklmnwz", "1srb 2u 3adefghj 3klmnwz", .clocks = true,
	  .want = "!srbuRI Cklmnwz Cadefghj" },
	{ "clocks: instructions in each of those that take turns", "skx", "adefghj",
	  "3adef 3ghj", .clocks = true, .want = "CghjRI CIadef" },
	{ "clocks: not in those of a family", "spr", "srbuadefghjkl",
	  "1srb 2u 3ade 3fgh 3jkl", .clocks = true, .families = "0000000111222",
	  .want = "!srbuRI Cade Cfgh:1 Cjkl:2" },
	{ "clocks: the watchdog leaves a general counter", "spr", "srbade",
	  "1srb 2ade", .together = true, .watchdog = true, .clocks = true,
	  .want = "srbadeRCI" },
	{ "clocks: it leaves none", "spr", "srbadefghjk", "1srbadefghjk",
	  .together = true, .watchdog = true, .clocks = true,
	  .want = "srbadefghjkRI" },
	{ "clocks: none that groups would take turns for", "spr",
	  "srbuadefghjkl", "1srb 2u 3ade 3fgh 3jkl", .watchdog = true,
	  .clocks = true, .want = "!srbuI Radefgh RIjkl" },
	{ "clocks: general counters are full", "skx", "adef", "1adef",
	  .together = true, .clocks = true, .want = "adefRCI" },
	{ "clocks: with the first of those that take turns", "skx", "adefgh",
	  "1adef 3gh", .together = true, .clocks = true, .want = "adefRCI gh" },
	{ "clocks: a core that is not known", "new-8", "srad", "1srad",
	  .together = true, .clocks = true, .want = "sradRCI" },
	{ "clocks: not if each is for itself", "spr", "srad", "1srad",
	  .single = true, .clocks = true, .want = "sr a d" },
	{ "clocks: no cycles that groups would take turns for", "skx",
	  "adefgh", "1adef 3gh", .together = true, .watchdog = true,
	  .clocks = true, .want = "adefRI gh" },
	{ "held: reference cycles are alone", "spr", "srbx", "1srbx",
	  .held = TD_FIXED(2), .want = "srb x" },
	{ "held: alone in their family, without clocks", "skx", "adefxgh",
	  "1adef 3xgh", .together = true, .clocks = true, .held = TD_FIXED(2),
	  .families = "0000111", .want = "adefCI gh:1 x" },
	{ "clocks: not on AMD", "zen", "ad", "1ad", .together = true,
	  .clocks = true, .want = "ad" },
};
/* clang-format on */

/* Appends the family to each group that test_format_plan() has written. */
static void put_families(const struct td_plan *plan, const char *plain, char *out)
{
	for (size_t g = 0; g < plan->nr_groups; g++) {
		size_t len = strcspn(plain, " ");

		out += sprintf(out, "%s%.*s", g ? " " : "", (int)len, plain);
		if (plan->groups[g].family)
			out += sprintf(out, ":%d", plan->groups[g].family);
		plain += len + (plain[len] == ' ');
	}
}

static void test_row(size_t r)
{
	int families[TEST_MAX_EVENTS];
	int events[TEST_MAX_EVENTS][TEST_MAX_EVENTS];
	struct td_need needs[TEST_MAX_EVENTS];
	struct td_schedule schedule = {
		.needs = needs,
		.always = !rows[r].together,
		.single = rows[r].single,
		.clocks = rows[r].clocks,
	};
	struct td_machine machine;
	struct td_plan plan = { 0 };
	struct td_err err = { 0 };
	char plain[128], got[192] = "";

	for (size_t i = 0; rows[r].families && rows[r].families[i]; i++)
		families[i] = rows[r].families[i] - '0';
	schedule.families = rows[r].families ? families : NULL;
	test_machine(&machine, rows[r].model);
	machine.nmi_watchdog = rows[r].watchdog;
	machine.pmus[0].held_fixed = rows[r].held;
	test_add_letters(&plan, &machine.pmus[0], rows[r].events);
	schedule.nr_needs = test_make_needs(&plan, rows[r].needs, needs, events);
	ok(td_plan_build(&plan, &machine, &schedule, &err) == 0, "%s", rows[r].name);
	test_format_plan(&plan, strlen(rows[r].events), plain);
	put_families(&plan, plain, got);
	is_str(got, rows[r].want, "%s: groups", rows[r].name);
	for (size_t g = 0; g < plan.nr_groups; g++) {
		const struct td_group *group = &plan.groups[g];
		char first = plan.events.v[group->members[0]].name[4];

		ok(group->slots == (first == 's' || first == 't'),
		   "%s: group %zu: whether SLOTS leads", rows[r].name, g);
		ok(group->may_split && group->may_unpin == group->pinned,
		   "%s: group %zu: may be changed", rows[r].name, g);
	}
	td_plan_free(&plan);
	td_machine_free(&machine);
}

/* clang-format off */
static const struct {
	const char *name;
	const char *mods[3]; /* modifiers of a third of the events each */
	const char *want; /* the reference's name */
} rings[] = {
	{ "no modifiers", { "", "", "" }, "cpu/cpu-cycles/" },
	{ "user space", { "u", "u", "u" }, "cpu/cpu-cycles/u" },
	{ "more of them", { "ukI", "ukI", "ukI" }, "cpu/cpu-cycles/ukI" },
	/* those of most events, the first ones of as many */
	{ "a third in user space", { "", "u", "" }, "cpu/cpu-cycles/" },
	{ "each third another", { "u", "k", "" }, "cpu/cpu-cycles/u" },
	{ "guests", { "G", "G", "G" }, "cpu/cpu-cycles/G" },
};
/* clang-format on */

static void set_mods(struct td_event *event, const char *mods)
{
	event->mods.user = strchr(mods, 'u');
	event->mods.kernel = strchr(mods, 'k');
	event->mods.guest = strchr(mods, 'G');
	event->mods.non_idle = strchr(mods, 'I');
}

static void test_rings(size_t r)
{
	const struct td_schedule schedule = { .always = true };
	struct td_machine machine;
	struct td_plan plan = { 0 };
	struct td_err err = { 0 };
	const struct td_event *reference = NULL;
	const struct td_group *last;
	bool same = true;

	test_machine(&machine, "skx");
	test_add_letters(&plan, &machine.pmus[0], "adefgh");
	for (int i = 0; i < 6; i++)
		set_mods(&plan.events.v[i], rings[r].mods[i / 2]);
	ok(td_plan_build(&plan, &machine, &schedule, &err) == 0 && plan.nr_groups == 2,
	   "rings, %s: two groups", rings[r].name);
	last = &plan.groups[plan.nr_groups - 1];
	ok(last->reference >= 0 && last->clone >= 0, "rings, %s: there is a reference",
	   rings[r].name);
	for (int i = 6; i < (int)plan.events.nr; i++) {
		reference = &plan.events.v[i];
		same &= reference->hidden && reference->config[0] == 0x3c &&
			strcmp(reference->name, rings[r].want) == 0 &&
			memcmp(&reference->mods, &plan.events.v[0].mods, sizeof(reference->mods)) ==
				0;
	}
	ok(same && plan.events.nr == 8, "rings, %s: %s in each group", rings[r].name,
	   reference ? reference->name : "none");
	ok(plan.groups[0].clone == -1 && plan.groups[0].reference == last->reference,
	   "rings, %s: the first one's is no clone", rings[r].name);
	td_plan_free(&plan);
	td_machine_free(&machine);
}

/* Events outside of cores have a group each, and events without a counter none. */
static void test_others(void)
{
	const struct td_schedule schedule = { .always = true };
	struct td_machine machine;
	struct td_plan plan = { 0 };
	struct td_err err = { 0 };
	char why[] = "why not";
	char got[64];
	int tool, software;

	test_machine(&machine, "spr");
	td_machine_add_builtin(&machine);
	tool = td_machine_find_pmu(&machine, "tool");
	software = td_machine_find_pmu(&machine, "software");
	test_add_letters(&plan, &machine.pmus[0], "adefgh");
	plan.events.v[1].pmu = plan.events.v[1].cpu_pmu = tool;
	plan.events.v[2].pmu = plan.events.v[3].pmu = software;
	plan.events.v[2].cpu_pmu = plan.events.v[3].cpu_pmu = software;
	td_event_set_refusal(&plan.events.v[4], why);
	ok(td_plan_build(&plan, &machine, &schedule, &err) == 0, "other PMUs");
	test_format_plan(&plan, plan.events.nr, got);
	is_str(got, "ah e f", "other PMUs: groups");
	td_plan_free(&plan);
	td_machine_free(&machine);
}

int main(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(rows); i++)
		test_row(i);
	for (size_t i = 0; i < TD_ARRAY_SIZE(rings); i++)
		test_rings(i);
	test_others();
	return done_testing();
}
