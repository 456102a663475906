// SPDX-License-Identifier: GPL-2.0-only
/* The scheduler of events that were typed. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/index.h"
#include "lib/base/util.h"
#include "lib/plan/fit.h"
#include "lib/plan/group.h"

/* Which events are counted together: those of the same home. */
struct home {
	int braces; /* which {} of the text; SINGLES; below: one event's own */
	int pmu;
};

#define SINGLES (-1) /* software events that were typed alone */
/* perf_event_validate_size() in the kernel takes a thousand in a group. */
#define MAX_GATHERED 500

struct arranging {
	struct td_plan *plan;
	const struct td_machine *machine;
	struct td_notes *notes;
	struct home *homes;      /* one an event */
	struct td_index by_home; /* the first event of each home */
	int *next, *last;        /* of a home's events; -1: no further one */
	struct td_index slots;   /* the homes that have SLOTS */
	/* The first software and hardware PMU in each of the text's braces. */
	struct td_index beside[2];
};

static const struct td_pmu *pmu_of(const struct arranging *a, size_t event)
{
	return &a->machine->pmus[a->plan->events[event].pmu];
}

static bool is_software(const struct arranging *a, size_t event)
{
	return pmu_of(a, event)->kind == TD_PMU_SOFTWARE;
}

/* Neither a tool's, nor known to be impossible. */
static bool is_counted(const struct arranging *a, size_t event)
{
	return pmu_of(a, event)->kind != TD_PMU_TOOL &&
	       !a->plan->events[event].refusal;
}

static int find_besides(struct arranging *a)
{
	int rc = 0;

	for (size_t i = a->plan->nr_events; !rc && i > 0; i--) {
		const struct td_event *event = &a->plan->events[i - 1];

		if (event->group >= 0 && is_counted(a, i - 1))
			rc = td_index_set(&a->beside[is_software(a, i - 1)],
					  td_hash((uint32_t)event->group),
					  (size_t)event->pmu);
	}
	return rc;
}

/* The PMU of the first event in the same braces of that kind; -1: none. */
static int pmu_beside(const struct arranging *a, size_t event, bool software)
{
	int braces = a->plan->events[event].group;
	size_t pmu = braces < 0 ? TD_NOT_FOUND
				: td_index_find(&a->beside[software],
						td_hash((uint32_t)braces));

	return pmu == TD_NOT_FOUND ? -1 : (int)pmu;
}

static int own_braces(const struct arranging *a, size_t event)
{
	const struct td_event *e = &a->plan->events[event];
	bool own_way =
		e->mods.pinned || e->mods.exclusive || event >= MAX_GATHERED;

	if (e->group >= 0)
		return e->group;
	return a->plan->gathers && e->type == PERF_TYPE_SOFTWARE && !own_way
		       ? SINGLES
		       : SINGLES - 1 - (int)event;
}

/*
 * A software event may count in a group of the hardware's.  Where a group is
 * on some of the CPUs alone (a hybrid's, an uncore unit's) it would miss the
 * others: it stays apart.
 */
static struct home find_home(const struct arranging *a, size_t event)
{
	const struct td_event *e = &a->plan->events[event];
	struct home home = { own_braces(a, event), e->pmu };
	int hardware;

	if (!is_software(a, event))
		return home;
	/* software, tracepoints and breakpoints make one group */
	if (e->group >= 0)
		home.pmu = pmu_beside(a, event, true);
	hardware = pmu_beside(a, event, false);
	if (hardware < 0)
		return home;
	if (a->machine->pmus[hardware].cpus.nr == a->machine->online.nr)
		home.pmu = hardware;
	else
		td_notes_add(a->notes,
			     "%s is counted apart from its group, which is on "
			     "the CPUs of %s alone",
			     e->name, a->machine->pmus[hardware].name);
	return home;
}

/* A hardware PMU as a bit; 0: one that is never the reason for a split. */
static uint64_t pmu_bit(const struct arranging *a, size_t event)
{
	bool hardware = !is_software(a, event) && is_counted(a, event);

	return hardware ? UINT64_C(1) << (a->plan->events[event].pmu & 63) : 0;
}

/* The PMUs that one event of the text is on; its events stand together. */
static uint64_t spec_bits(const struct arranging *a, size_t *event)
{
	const struct td_plan *plan = a->plan;
	int spec = plan->events[*event].spec;
	uint64_t bits = 0;

	for (; *event < plan->nr_events && plan->events[*event].spec == spec;
	     (*event)++)
		bits |= pmu_bit(a, *event);
	return bits;
}

/* Once for all groups that name two PMUs, with nothing that is on both. */
static void note_split(const struct arranging *a)
{
	const struct td_plan *plan = a->plan;
	uint64_t common = 0;
	int braces = -1;

	for (size_t i = 0; i < plan->nr_events;) {
		const struct td_event *event = &plan->events[i];
		uint64_t bits = spec_bits(a, &i);

		if (event->group != braces || !common)
			common = bits;
		braces = event->group;
		if (braces < 0 || !bits)
			continue;
		if (!(common & bits)) {
			td_notes_add(a->notes,
				     "a group counts on one PMU: what was "
				     "typed in one for two of them is counted "
				     "as a group each");
			return;
		}
		common &= bits;
	}
}

/* --- SLOTS ------------------------------------------------------------------- */

static bool is_slots(const struct arranging *a, size_t event)
{
	return is_counted(a, event) && td_pmu_has_slots(pmu_of(a, event)) &&
	       td_event_is_slots(&a->plan->events[event]);
}

/* :X is for fields that are to stay where they are. */
static bool is_field(const struct arranging *a, size_t event)
{
	const struct td_event *e = &a->plan->events[event];

	return is_counted(a, event) && td_pmu_has_slots(pmu_of(a, event)) &&
	       td_event_is_metric(e) && !e->mods.dont_regroup;
}

/* The first event of a PMU for which is() holds; -1: none. */
static int find_first(const struct arranging *a, int pmu,
		      bool (*is)(const struct arranging *a, size_t event))
{
	for (size_t i = 0; i < a->plan->nr_events; i++) {
		if (a->plan->events[i].pmu == pmu && is(a, i))
			return (int)i;
	}
	return -1;
}

static int add_missing_slots(struct arranging *a, struct td_err *err)
{
	int rc = 0;

	for (int pmu = 0; !rc && pmu < (int)a->machine->nr_core; pmu++) {
		int metric = find_first(a, pmu, is_field);

		if (metric >= 0 && find_first(a, pmu, is_slots) < 0)
			rc = td_plan_add_slots(a->plan, a->machine, metric,
					       err);
	}
	return rc;
}

static uint64_t hash_home(const struct home *home)
{
	return td_hash((uint64_t)(uint32_t)home->braces << 32 |
		       (uint32_t)home->pmu);
}

static int find_slots(struct arranging *a)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < a->plan->nr_events; i++) {
		if (is_slots(a, i))
			rc = td_index_set(&a->slots, hash_home(&a->homes[i]),
					  i);
	}
	return rc;
}

/* Was it typed beside a SLOTS of its own? */
static bool has_slots(const struct arranging *a, size_t metric)
{
	return td_index_find(&a->slots, hash_home(&a->homes[metric])) !=
	       TD_NOT_FOUND;
}

/* Fields go where SLOTS stands, beside what was typed beside it. */
static void gather_topdown(struct arranging *a, int pmu)
{
	int slots = find_first(a, pmu, is_slots);

	for (size_t i = 0; slots >= 0 && i < a->plan->nr_events; i++) {
		if (a->plan->events[i].pmu == pmu && is_field(a, i) &&
		    !has_slots(a, i))
			a->homes[i] = a->homes[slots];
	}
}

/* --- groups ------------------------------------------------------------------ */

/* SLOTS first, then its fields, then the rest. */
static int rank(const struct arranging *a, size_t event)
{
	if (is_slots(a, event))
		return 0;
	return is_field(a, event) ? 1 : 2;
}

/* Each home's events, one behind the other. */
static int link_homes(struct arranging *a)
{
	for (int i = 0; i < (int)a->plan->nr_events; i++) {
		uint64_t hash = hash_home(&a->homes[i]);
		size_t first = td_index_find(&a->by_home, hash);

		a->next[i] = -1;
		a->last[i] = i;
		if (!is_counted(a, (size_t)i))
			continue;
		if (first != TD_NOT_FOUND) {
			a->next[a->last[first]] = i;
			a->last[first] = i;
		} else if (td_index_add(&a->by_home, hash, (size_t)i)) {
			return -ENOMEM;
		}
	}
	return 0;
}

static bool is_earliest(const struct arranging *a, size_t event)
{
	return td_index_find(&a->by_home, hash_home(&a->homes[event])) == event;
}

/* What the letters behind the braces say of the whole. */
static void set_flags(const struct arranging *a, const struct home *home,
		      struct td_group *group)
{
	group->slots = is_slots(a, (size_t)group->members[0]);
	group->weak = true;
	for (size_t i = 0; i < group->nr; i++) {
		const struct td_event *event =
			&a->plan->events[group->members[i]];

		/* fields of other braces bring nothing along */
		if (home->braces >= 0 && event->group != home->braces)
			continue;
		group->pinned |= event->mods.pinned;
		group->exclusive |= event->mods.exclusive;
		group->weak &= event->mods.weak;
	}
}

static int make_group(struct arranging *a, size_t first)
{
	struct td_plan *plan = a->plan;
	const struct home *home = &a->homes[first];
	struct td_group *group = td_plan_new_group(plan, home->pmu);

	if (!group)
		return -ENOMEM;
	for (int wanted = 0; wanted <= 2; wanted++) {
		for (int i = (int)first; i >= 0; i = a->next[i]) {
			if (rank(a, (size_t)i) == wanted &&
			    td_group_add(group, &i, 1))
				return -ENOMEM;
		}
	}
	set_flags(a, home, group);
	return 0;
}

/*
 * A weak group that the counters cannot hold: the kernel would refuse it, or,
 * if it is one too many beside the NMI watchdog, take it and never count it.
 */
static int break_weak(struct arranging *a)
{
	size_t nr = a->plan->nr_groups;
	struct td_err unused;

	for (size_t g = 0; g < nr; g++) {
		if (!td_plan_is_breakable(a->plan, g) ||
		    td_plan_group_fits(a->plan, a->machine, g))
			continue;
		td_notes_add(
			a->notes,
			"%s: the counters do not hold the group of %s at "
			"once: it takes turns",
			a->machine->pmus[a->plan->groups[g].pmu].name,
			a->plan->events[a->plan->groups[g].members[0]].name);
		if (td_plan_break(a->plan, g, &unused))
			return -ENOMEM;
	}
	return 0;
}

static int find_homes(struct arranging *a)
{
	size_t nr = a->plan->nr_events;
	int rc = find_besides(a);

	for (size_t i = 0; !rc && i < nr; i++)
		a->homes[i] = find_home(a, i);
	if (!rc)
		rc = find_slots(a);
	for (int pmu = 0; !rc && pmu < (int)a->machine->nr_core; pmu++)
		gather_topdown(a, pmu);
	return rc ? rc : link_homes(a);
}

/* Only memory can be missing. */
static int make_groups(struct arranging *a)
{
	size_t nr = a->plan->nr_events;
	td_autofree struct home *homes = calloc(nr + 1, sizeof(*homes));
	td_autofree int *links = calloc(2 * nr + 1, sizeof(*links));
	int rc = homes && links ? 0 : -ENOMEM;

	a->homes = homes;
	a->next = links;
	a->last = links + nr;
	if (!rc)
		rc = find_homes(a);
	for (size_t i = 0; !rc && i < nr; i++) {
		if (is_counted(a, i) && is_earliest(a, i))
			rc = make_group(a, i);
	}
	td_index_free(&a->by_home);
	td_index_free(&a->slots);
	td_index_free(&a->beside[false]);
	td_index_free(&a->beside[true]);
	return rc;
}

int td_plan_arrange(struct td_plan *plan, const struct td_machine *machine,
		    struct td_notes *notes, struct td_err *err)
{
	struct arranging a = { .plan = plan,
			       .machine = machine,
			       .notes = notes };
	int rc = add_missing_slots(&a, err);

	plan->asked = true;
	if (rc)
		return rc;
	if (make_groups(&a) || break_weak(&a))
		return td_err_nomem(err);
	note_split(&a);
	td_plan_fill_at_once(plan, machine);
	return 0;
}
