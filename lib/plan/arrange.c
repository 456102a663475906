// SPDX-License-Identifier: GPL-2.0-only
/* The scheduler of typed events. */

#include "lib/base/util.h"
#include "lib/plan/fit.h"
#include "lib/plan/plan.h"

/* Identity of a group.  Events with the same key are in one group. */
struct group_key {
	int braces; /* number of the {}, SINGLES, or less for a group of one event */
	int pmu;
};

#define SINGLES (-1) /* the group of software events typed outside of {} */
/*
 * Maximum size of a group.  The kernel accepts about a thousand events
 * (perf_event_validate_size()).
 */
#define MAX_GATHERED 500

struct arranging {
	struct td_plan *plan;
	const struct td_machine *machine;
	struct td_notes *notes;
	struct group_key *keys; /* one for each event */
	struct td_index by_key; /* finds the first event with each key */
	int *next, *last;       /* links the events with the same key; -1 ends a list */
	struct td_index slots;  /* finds the keys of groups with SLOTS */
	/* [is software]: index to find the PMU of the first such event in each {} of the text */
	struct td_index pmu_of_braces[2];
};

static const struct td_pmu *pmu_of(const struct arranging *a, size_t event)
{
	return &a->machine->pmus[a->plan->events.v[event].pmu];
}

static bool is_software(const struct arranging *a, size_t event)
{
	return pmu_of(a, event)->kind == TD_PMU_SOFTWARE;
}

/*
 * Does the kernel count the event?  It does not if the event was refused, or is measured by tdstat
 * itself.
 */
static bool is_counted(const struct arranging *a, size_t event)
{
	return pmu_of(a, event)->kind != TD_PMU_TOOL && !a->plan->events.v[event].refusal;
}

/* Return the PMU of the first software (or hardware) event in the same {}, or -1. */
static int pmu_in_braces(const struct arranging *a, size_t event, bool software)
{
	int braces = a->plan->events.v[event].group;
	size_t pmu =
		braces < 0 ? TD_NOT_FOUND
			   : td_index_find(&a->pmu_of_braces[software], td_hash((uint32_t)braces));

	return pmu == TD_NOT_FOUND ? -1 : (int)pmu;
}

static int own_braces(const struct arranging *a, size_t event)
{
	const struct td_event *e = &a->plan->events.v[event];
	bool joins = a->plan->gathers && e->type == PERF_TYPE_SOFTWARE && !e->mods.pinned &&
		     !e->mods.exclusive && event < MAX_GATHERED;

	if (e->group >= 0)
		return e->group;
	return joins ? SINGLES : SINGLES - 1 - (int)event;
}

/*
 * Return the key of an event's group.  A software event may join a hardware group.  If its PMU is
 * only on some CPUs (of a hybrid, or an uncore unit), the software event would miss the other CPUs,
 * so it stays in a group of its own.
 */
static struct group_key find_key(const struct arranging *a, size_t event)
{
	const struct td_event *e = &a->plan->events.v[event];
	struct group_key key = { own_braces(a, event), e->cpu_pmu };
	int hardware;

	if (!is_software(a, event))
		return key;
	/* software, tracepoint and breakpoint events share a group */
	if (e->group >= 0)
		key.pmu = pmu_in_braces(a, event, true);
	hardware = pmu_in_braces(a, event, false);
	if (hardware < 0)
		return key;
	if (a->machine->pmus[hardware].cpus.nr == a->machine->online.nr)
		key.pmu = hardware;
	else
		td_notes_add(
			a->notes,
			"%s is counted outside of its group, which counts only on the CPUs of %s",
			e->name, a->machine->pmus[hardware].name);
	return key;
}

/* Return a bit for the PMU of a hardware event; 0 for other events, which do not split groups. */
static uint64_t pmu_bit(const struct arranging *a, size_t event)
{
	if (is_software(a, event) || !is_counted(a, event))
		return 0;
	return UINT64_C(1) << (a->plan->events.v[event].pmu & 63);
}

/* Return the PMUs of one event of the text, and set *event to the next one. */
static uint64_t spec_bits(const struct arranging *a, size_t *event)
{
	const struct td_plan *plan = a->plan;
	int spec = plan->events.v[*event].spec;
	uint64_t bits = 0;

	for (; *event < plan->events.nr && plan->events.v[*event].spec == spec; (*event)++)
		bits |= pmu_bit(a, *event);
	return bits;
}

/* Add one note if events in a {} of the text have no common PMU. */
static void note_split(const struct arranging *a)
{
	const struct td_plan *plan = a->plan;
	uint64_t common = 0;
	int braces = -1;

	for (size_t i = 0; i < plan->events.nr;) {
		const struct td_event *event = &plan->events.v[i];
		uint64_t bits = spec_bits(a, &i);

		if (event->group != braces || !common)
			common = bits;
		braces = event->group;
		if (braces < 0 || !bits)
			continue;
		if (!(common & bits)) {
			td_notes_add(
				a->notes,
				"a group counts on one PMU: a group with events of two PMUs is "
				"counted as two groups");
			return;
		}
		common &= bits;
	}
}

/* --- SLOTS ---------------------------------------------------------------- */

static bool is_slots(const struct arranging *a, size_t event)
{
	return is_counted(a, event) && td_pmu_has_slots(pmu_of(a, event)) &&
	       td_event_is_slots(&a->plan->events.v[event]);
}

/* Is it a field of SLOTS that may move?  :X keeps it in its place. */
static bool is_field(const struct arranging *a, size_t event)
{
	const struct td_event *e = &a->plan->events.v[event];

	return is_counted(a, event) && td_pmu_has_slots(pmu_of(a, event)) &&
	       td_event_is_metric(e) && !e->mods.dont_regroup;
}

/* Return the first event of a PMU for which is() is true, or -1. */
static int find_first(const struct arranging *a, int pmu,
		      bool (*is)(const struct arranging *a, size_t event))
{
	for (size_t i = 0; i < a->plan->events.nr; i++) {
		if (a->plan->events.v[i].pmu == pmu && is(a, i))
			return (int)i;
	}
	return -1;
}

static int add_missing_slots(struct arranging *a, struct td_err *err)
{
	for (int pmu = 0; pmu < (int)a->machine->nr_core; pmu++) {
		int field = find_first(a, pmu, is_field), rc = 0;

		if (field >= 0 && find_first(a, pmu, is_slots) < 0)
			rc = td_events_add_slots(&a->plan->events, &a->machine->pmus[pmu],
						 (size_t)field, err);
		if (rc)
			return rc;
	}
	return 0;
}

static uint64_t hash_key(const struct group_key *key)
{
	return td_hash((uint64_t)(uint32_t)key->braces << 32 | (uint32_t)key->pmu);
}

/* Move the fields of a PMU into the group of its first SLOTS. */
static void gather_topdown(struct arranging *a, int pmu)
{
	int slots = find_first(a, pmu, is_slots);

	for (size_t i = 0; slots >= 0 && i < a->plan->events.nr; i++) {
		if (a->plan->events.v[i].pmu == pmu && is_field(a, i) &&
		    td_index_find(&a->slots, hash_key(&a->keys[i])) == TD_NOT_FOUND)
			a->keys[i] = a->keys[slots];
	}
}

/* --- groups --------------------------------------------------------------- */

/* Return the rank of an event in a group: SLOTS, then its fields, then other events. */
static int rank(const struct arranging *a, size_t event)
{
	if (is_slots(a, event))
		return 0;
	return is_field(a, event) ? 1 : 2;
}

/* Link the events with the same key into a list. */
static void link_keys(struct arranging *a)
{
	for (int i = 0; i < (int)a->plan->events.nr; i++) {
		uint64_t hash = hash_key(&a->keys[i]);
		size_t first = td_index_find(&a->by_key, hash);

		a->next[i] = -1;
		a->last[i] = i;
		if (!is_counted(a, (size_t)i))
			continue;
		if (first != TD_NOT_FOUND) {
			a->next[a->last[first]] = i;
			a->last[first] = i;
		} else {
			td_index_add(&a->by_key, hash, (size_t)i);
		}
	}
}

static void make_group(struct arranging *a, size_t first)
{
	struct td_plan *plan = a->plan;
	const struct group_key *key = &a->keys[first];
	struct td_group *group = td_plan_new_group(plan, key->pmu);

	for (int wanted = 0; wanted <= 2; wanted++) {
		for (int i = (int)first; i >= 0; i = a->next[i]) {
			if (rank(a, (size_t)i) == wanted)
				td_group_add(group, &i, 1);
		}
	}
	group->slots = is_slots(a, (size_t)group->members[0]);
	group->weak = true;
	for (size_t i = 0; i < group->nr; i++) {
		const struct td_event *event = &a->plan->events.v[group->members[i]];

		/* fields that were moved here do not count */
		if (key->braces >= 0 && event->group != key->braces)
			continue;
		group->pinned |= event->mods.pinned;
		group->exclusive |= event->mods.exclusive;
		group->weak &= event->mods.weak;
	}
}

/*
 * Break weak groups that do not fit the counters: the kernel would refuse them or, with
 * the NMI watchdog, accept them and never count them.
 */
static void break_weak(struct arranging *a)
{
	size_t nr = a->plan->nr_groups;

	for (size_t g = 0; g < nr; g++) {
		if (!td_plan_is_breakable(a->plan, g) || td_plan_group_fits(a->plan, a->machine, g))
			continue;
		td_notes_add(
			a->notes,
			"%s: the group of %s needs more counters than there are: its events are "
			"multiplexed",
			a->machine->pmus[a->plan->groups[g].pmu].name,
			a->plan->events.v[a->plan->groups[g].members[0]].name);
		td_plan_break(a->plan, g);
	}
}

static void find_keys(struct arranging *a)
{
	size_t nr = a->plan->events.nr;

	for (size_t i = a->plan->events.nr; i > 0; i--) {
		const struct td_event *event = &a->plan->events.v[i - 1];

		if (event->group >= 0 && is_counted(a, i - 1))
			td_index_set(&a->pmu_of_braces[is_software(a, i - 1)],
				     td_hash((uint32_t)event->group), (size_t)event->pmu);
	}
	for (size_t i = 0; i < nr; i++)
		a->keys[i] = find_key(a, i);
	for (size_t i = 0; i < nr; i++) {
		if (is_slots(a, i))
			td_index_set(&a->slots, hash_key(&a->keys[i]), i);
	}
	for (int pmu = 0; pmu < (int)a->machine->nr_core; pmu++)
		gather_topdown(a, pmu);
	link_keys(a);
}

static void make_groups(struct arranging *a)
{
	size_t nr = a->plan->events.nr;
	td_autofree struct group_key *keys = td_calloc(nr + 1, sizeof(*keys));
	td_autofree int *links = td_calloc(2 * nr + 1, sizeof(*links));

	a->keys = keys;
	a->next = links;
	a->last = links + nr;
	find_keys(a);
	for (size_t i = 0; i < nr; i++) {
		if (is_counted(a, i) && td_index_find(&a->by_key, hash_key(&a->keys[i])) == i)
			make_group(a, i);
	}
	td_index_free(&a->by_key);
	td_index_free(&a->slots);
	td_index_free(&a->pmu_of_braces[false]);
	td_index_free(&a->pmu_of_braces[true]);
}

int td_plan_arrange(struct td_plan *plan, const struct td_machine *machine, struct td_notes *notes,
		    struct td_err *err)
{
	struct arranging a = { plan, machine, notes };
	int rc = add_missing_slots(&a, err);

	if (rc)
		return rc;
	make_groups(&a);
	break_weak(&a);
	note_split(&a);
	td_plan_fill_at_once(plan, machine);
	return 0;
}
