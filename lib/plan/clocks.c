// SPDX-License-Identifier: GPL-2.0-only
#include "lib/plan/clocks.h"

#include <strings.h>

#include "lib/base/util.h"
#include "lib/event/event.h"
#include "lib/machine/uarch.h"

/* --- reference events ----------------------------------------------------- */

static const struct {
	const char *name, *terms;
	uint64_t config;
	int fixed;
} kinds[] = {
	[TD_CLOCK_REFERENCE] = { "ref-cycles", "event=0x00,umask=0x03", 0x0300, 2 },
	[TD_CLOCK_CYCLES] = { "cpu-cycles", "event=0x3c", 0x003c, 1 },
	[TD_CLOCK_INSTRUCTIONS] = { "instructions", "event=0xc0", 0x00c0, 0 },
};

/* Candidates in the order of preference. */
static const enum td_clock_event candidates[TD_NR_CLOCKS] = {
	TD_CLOCK_CYCLES,
	TD_CLOCK_REFERENCE,
	TD_CLOCK_INSTRUCTIONS,
};

/* Return the number of events of the PMU that count in the same privilege levels. */
static size_t count_alike(const struct td_plan *plan, const struct td_event *one)
{
	size_t nr = 0;

	td_for_each(const struct td_event, event, plan->events.v, plan->events.nr) {
		nr += event->pmu == one->pmu && !event->refusal &&
		      td_modifiers_same_rings(&event->mods, &one->mods);
	}
	return nr;
}

/*
 * Return an event of the PMU with the most common privilege levels, or NULL.  The reference
 * event counts in these.  It also scales groups that count in other levels, for which it is
 * still a better measure than time.
 */
static const struct td_event *find_typical(const struct td_plan *plan, int pmu)
{
	const struct td_event *best = NULL;
	size_t most = 0;

	td_for_each(const struct td_event, event, plan->events.v, plan->events.nr) {
		size_t nr;

		if (event->pmu != pmu || event->refusal ||
		    (best && td_modifiers_same_rings(&best->mods, &event->mods)))
			continue;
		nr = count_alike(plan, event);
		if (nr > most) {
			most = nr;
			best = event;
		}
	}
	return best;
}

static bool is_kind(const struct td_event *event, const struct td_pmu *pmu, int kind)
{
	return event->type == pmu->type && !event->refusal &&
	       event->config[0] == kinds[kind].config && !event->config[1] && !event->config[2] &&
	       !event->config[3] && !event->mods.precise;
}

static int find_event(const struct td_plan *plan, const struct td_machine *machine,
		      const struct td_event *typical, int kind)
{
	int pmu = typical->pmu;

	for (int i = 0; i < (int)plan->events.nr; i++) {
		if (plan->events.v[i].pmu == pmu &&
		    is_kind(&plan->events.v[i], &machine->pmus[pmu], kind) &&
		    td_modifiers_same_rings(&plan->events.v[i].mods, &typical->mods))
			return i;
	}
	return -1;
}

/*
 * Return an event of this kind that the plan already contains, with the privilege levels of the
 * reference; -1 if there is none.
 */
static int find_reference(const struct td_plan *plan, const struct td_machine *machine, int pmu,
			  enum td_clock_event kind)
{
	const struct td_event *typical = find_typical(plan, pmu);

	return typical ? find_event(plan, machine, typical, (int)kind) : -1;
}

/* Return the claim of an event of this kind, which need not be in the plan. */
static struct td_claim claim_of_clock(const struct td_machine *machine, int pmu,
				      enum td_clock_event kind)
{
	const struct td_event event = {
		.pmu = pmu,
		.type = machine->pmus[pmu].type,
		.config = { kinds[kind].config },
	};

	return td_claim_of(machine, &event);
}

void td_reference_choose(struct td_reference *reference, const struct td_plan *plan,
			 const struct td_machine *machine, int pmu, uint32_t used)
{
	const struct td_event *typical = find_typical(plan, pmu);

	*reference = (struct td_reference){ .event = -1, .kind = -1 };
	if (machine->pmus[pmu].uarch == TD_UARCH_UNKNOWN || !typical)
		return;
	for (size_t i = 0; i < TD_NR_CLOCKS; i++) {
		enum td_clock_event kind = candidates[i];
		uint32_t counter = TD_FIXED(kinds[kind].fixed);

		reference->claim = claim_of_clock(machine, pmu, kind);
		/* the NMI watchdog, a pinned event or another program may use this counter */
		if (!(reference->claim.mask & counter & ~used & ~machine->pmus[pmu].held_fixed))
			continue;
		reference->kind = (int)kind;
		reference->event = find_event(plan, machine, typical, (int)kind);
		return;
	}
}

int td_reference_make(struct td_reference *reference, struct td_plan *plan,
		      const struct td_machine *machine, int pmu, struct td_err *err)
{
	const struct td_event *typical;
	struct td_modifiers mods = { 0 };
	struct td_event *event;
	int rc;
	char letters[TD_MODIFIERS_SIZE], *name;

	if (reference->event >= 0)
		return 0;
	typical = find_typical(plan, pmu); /* must come before the new event is added */
	if (typical)
		mods = typical->mods;
	event = td_events_add(&plan->events);
	rc = td_event_init(event, &machine->pmus[pmu], pmu, kinds[reference->kind].name,
			   kinds[reference->kind].terms, err);
	reference->event = (int)plan->events.nr - 1;
	if (rc)
		return rc;
	event->hidden = true;
	td_modifiers_copy_rings(&event->mods, &mods);
	td_modifiers_format(&event->mods, TD_RING_LETTERS, letters);
	name = td_aprintf("%s%s", event->name, letters);
	event->has_suffix = strcmp(name, event->name) != 0;
	free(event->name);
	event->name = name;
	return 0;
}

/* --- adding --------------------------------------------------------------- */

/* Return the group that counts most of the time: a pinned one, else the first. */
static int find_group(const struct td_plan *plan, int pmu)
{
	int first = -1;

	for (size_t g = 0; g < plan->nr_groups; g++) {
		if (plan->groups[g].pmu != pmu)
			continue;
		if (plan->groups[g].pinned)
			return (int)g;
		first = first < 0 ? (int)g : first;
	}
	return first;
}

/*
 * Adds the claims of all groups of the PMU, or only of one group and the pinned ones.  Returns false
 * if they do not fit together.
 */
static bool fit_groups(struct td_fit *fit, const struct td_plan *plan,
		       const struct td_machine *machine, int pmu, const struct td_group *one)
{
	td_for_each(const struct td_group, group, plan->groups, plan->nr_groups) {
		bool counts = group->pmu == pmu && (!one || group == one || group->pinned);

		for (size_t i = 0; counts && i < group->nr; i++) {
			struct td_claim claim =
				td_claim_of(machine, &plan->events.v[group->members[i]]);

			if (!td_fit_add(fit, &claim))
				return false;
		}
	}
	return true;
}

/* Can all events of the PMU and one more count at the same time? */
static bool fits_beside_all(const struct td_plan *plan, const struct td_machine *machine, int pmu,
			    const struct td_claim *claim)
{
	struct td_fit fit = { 0 };

	return fit_groups(&fit, plan, machine, pmu, NULL) && td_fit_add(&fit, claim);
}

/* Does the event use a fixed counter that no other event of the PMU can use? */
static bool has_own_counter(const struct td_plan *plan, const struct td_machine *machine, int pmu,
			    const struct td_claim *claim)
{
	uint32_t fixed = claim->mask & TD_FIXED_ALL;

	td_for_each(const struct td_group, group, plan->groups, plan->nr_groups) {
		for (size_t i = 0; group->pmu == pmu && i < group->nr; i++)
			fixed &= ~td_claim_of(machine, &plan->events.v[group->members[i]]).mask;
	}
	return fixed != 0;
}

static int add(struct td_plan *plan, const struct td_machine *machine, int pmu,
	       enum td_clock_event kind, struct td_err *err)
{
	struct td_claim claim = claim_of_clock(machine, pmu, kind);
	struct td_reference made = { .event = -1, .kind = (int)kind };
	int group = find_group(plan, pmu), rc;

	/* a group with a held event would not be counted */
	if (claim.held || group < 0 || find_reference(plan, machine, pmu, kind) >= 0 ||
	    (!has_own_counter(plan, machine, pmu, &claim) &&
	     !fits_beside_all(plan, machine, pmu, &claim)))
		return 0;
	rc = td_reference_make(&made, plan, machine, pmu, err);
	if (rc)
		return rc;
	plan->events.v[made.event].spare = true;
	td_group_add(&plan->groups[group], &made.event, 1);
	return 0;
}

/* --- instructions of multiplexed groups ----------------------------------- */

static bool is_in_turns(const struct td_group *group, int pmu)
{
	return group->pmu == pmu && !group->pinned && !group->family;
}

/* Does one of the group's events have the encoding of this one? */
static bool has_event(const struct td_plan *plan, const struct td_machine *machine,
		      const struct td_group *group, enum td_clock_event kind)
{
	for (size_t i = 0; i < group->nr; i++) {
		const struct td_event *event = &plan->events.v[group->members[i]];

		if (is_kind(event, &machine->pmus[group->pmu], (int)kind))
			return true;
	}
	return false;
}

/*
 * Is a counter free beside the group and all pinned ones?  Another program may need a general
 * counter later, so that one has to remain.
 */
static bool has_spare_counter(const struct td_plan *plan, const struct td_machine *machine,
			      const struct td_group *group, const struct td_claim *claim)
{
	struct td_fit fit = { 0 };

	if (!fit_groups(&fit, plan, machine, group->pmu, group))
		return false;
	return (claim->mask & TD_FIXED_ALL & ~fit.fixed) ||
	       (td_fit_add(&fit, claim) && td_fit_add(&fit, claim));
}

/* Add an event after the leader, so that both remain together if the group is split. */
static void add_after_leader(struct td_group *group, int event)
{
	size_t after = group->slots ? group->nr : 1;

	td_group_add(group, &event, 1);
	memmove(group->members + after + 1, group->members + after,
		(group->nr - 1 - after) * sizeof(event));
	group->members[after] = event;
}

/*
 * Count instructions in each multiplexed group with room for them: groups with other instructions
 * per cycle are in step with the program (td_timeline_in_step()).
 */
static void add_to_turns(struct td_plan *plan, const struct td_machine *machine, int pmu)
{
	struct td_claim claim = claim_of_clock(machine, pmu, TD_CLOCK_INSTRUCTIONS);
	int instructions = find_reference(plan, machine, pmu, TD_CLOCK_INSTRUCTIONS);
	size_t nr = 0;

	for (size_t g = 0; g < plan->nr_groups; g++)
		nr += is_in_turns(&plan->groups[g], pmu);
	for (size_t g = 0; nr > 1 && instructions >= 0 && !claim.held && g < plan->nr_groups; g++) {
		struct td_group *group = &plan->groups[g];
		int copy;

		if (!is_in_turns(group, pmu) || group->reference < 0 ||
		    has_event(plan, machine, group, TD_CLOCK_INSTRUCTIONS) ||
		    !has_spare_counter(plan, machine, group, &claim))
			continue;
		copy = td_plan_copy_event(plan, instructions);
		plan->events.v[copy].spare = plan->events.v[copy].hidden = true;
		add_after_leader(group, copy);
	}
}

bool td_clocks_has(const struct td_machine *machine, int pmu)
{
	const struct td_pmu *core = &machine->pmus[pmu];

	return td_vendor_of(&machine->cpuid)->architectural && td_pmu_format(core, "event") &&
	       td_pmu_format(core, "umask");
}

int td_clocks_add(struct td_plan *plan, const struct td_machine *machine, int pmu,
		  struct td_err *err)
{
	int rc = 0;

	if (!td_clocks_has(machine, pmu))
		return 0;
	for (enum td_clock_event i = 0; !rc && i < TD_NR_CLOCKS; i++)
		rc = add(plan, machine, pmu, i, err);
	if (!rc)
		add_to_turns(plan, machine, pmu);
	return rc;
}

bool td_clocks_drop(struct td_plan *plan, const struct td_machine *machine, int pmu)
{
	bool any = false;

	for (size_t g = 0; g < plan->nr_groups; g++) {
		struct td_group *group = &plan->groups[g];

		for (size_t i = group->nr; group->pmu == pmu && i-- > 1;) {
			const struct td_event *event = &plan->events.v[group->members[i]];

			if (!event->spare || td_claim_of(machine, event).mask & ~TD_FIXED_ALL)
				continue;
			td_plan_refuse(plan, g, i, "another program holds its counter");
			any = true;
		}
	}
	return any;
}

/* --- finding -------------------------------------------------------------- */

/* Names in sysfs and in the files of models. */
static const struct {
	enum td_clock_event clock;
	const char *name;
} names[] = {
	{ TD_CLOCK_REFERENCE, "ref-cycles" },
	{ TD_CLOCK_REFERENCE, "CPU_CLK_UNHALTED.REF_TSC" },
	{ TD_CLOCK_REFERENCE, "CPU_CLK_UNHALTED.REF" },
	{ TD_CLOCK_CYCLES, "cpu-cycles" },
	{ TD_CLOCK_CYCLES, "cycles" },
	{ TD_CLOCK_CYCLES, "CPU_CLK_UNHALTED.THREAD" },
	{ TD_CLOCK_CYCLES, "CPU_CLK_UNHALTED.THREAD_P" },
	{ TD_CLOCK_CYCLES, "CPU_CLK_UNHALTED.CORE" },
	{ TD_CLOCK_CYCLES, "CPU_CLK_UNHALTED.CORE_P" },
	{ TD_CLOCK_CYCLES, "ls_not_halted_cyc" },
	{ TD_CLOCK_INSTRUCTIONS, "instructions" },
	{ TD_CLOCK_INSTRUCTIONS, "INST_RETIRED.ANY" },
	{ TD_CLOCK_INSTRUCTIONS, "INST_RETIRED.ANY_P" },
	{ TD_CLOCK_INSTRUCTIONS, "ex_ret_instr" },
};

const char *td_clock_modifiers(const char *event, enum td_clock_event clock)
{
	const char *slash = strchr(event, '/');
	const char *name = slash ? slash + 1 : event;
	size_t len = strcspn(name, slash ? "/" : ":");

	for (size_t i = 0; i < TD_ARRAY_SIZE(names); i++) {
		if (names[i].clock == clock && strlen(names[i].name) == len &&
		    strncasecmp(name, names[i].name, len) == 0)
			return name + len + (name[len] != '\0');
	}
	return NULL;
}

static bool counts_all(const struct td_modifiers *mods)
{
	return !mods->user && !mods->kernel && !mods->hypervisor && !mods->guest && !mods->host &&
	       !mods->non_idle;
}

static int find_named(const struct td_plan *plan, int pmu, enum td_clock_event clock)
{
	for (size_t i = 0; i < plan->events.nr; i++) {
		const struct td_event *event = &plan->events.v[i];
		const char *modifiers = td_clock_modifiers(event->name, clock);

		if (event->pmu == pmu && !event->refusal && modifiers && !*modifiers)
			return (int)i;
	}
	return -1;
}

int td_clocks_find(const struct td_plan *plan, const struct td_machine *machine, int pmu,
		   enum td_clock_event clock, bool recorded)
{
	int event;

	if (recorded)
		return find_named(plan, pmu, clock);
	event = find_reference(plan, machine, pmu, clock);
	return event >= 0 && counts_all(&plan->events.v[event].mods) ? event : -1;
}
