// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds which events and groups fit the counters simultaneously, and for what part of the
 * time each multiplexed group is counted.
 */
#include "lib/plan/fit.h"

#include <linux/perf_event.h>
#include <math.h>

#include "lib/base/util.h"
#include "lib/event/event.h"
#include "lib/plan/plan.h"

#define FIXED_CYCLES TD_FIXED(1)

/*
 * Returns the raw config that the kernel uses for its own event names (intel_perfmon_event_map in
 * arch/x86/events/intel/core.c).  Cache events get a config without constraints.
 */
static uint64_t raw_config(const struct td_event *event)
{
	static const uint64_t map[] = {
		[PERF_COUNT_HW_CPU_CYCLES] = 0x003c,
		[PERF_COUNT_HW_INSTRUCTIONS] = 0x00c0,
		[PERF_COUNT_HW_CACHE_REFERENCES] = 0x4f2e,
		[PERF_COUNT_HW_CACHE_MISSES] = 0x412e,
		[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = 0x00c4,
		[PERF_COUNT_HW_BRANCH_MISSES] = 0x00c5,
		[PERF_COUNT_HW_BUS_CYCLES] = 0x013c,
		[PERF_COUNT_HW_REF_CPU_CYCLES] = 0x0300,
	};
	uint64_t id = event->config[0] & UINT32_MAX;

	if (event->type == PERF_TYPE_HW_CACHE)
		return 0x412e;
	if (event->type != PERF_TYPE_HARDWARE)
		return event->config[0];
	return id < TD_ARRAY_SIZE(map) && map[id] ? map[id] : 0x412e;
}

/* Returns the mask of the counter of cycles that the NMI watchdog uses. */
static uint32_t watchdogs(enum td_uarch uarch)
{
	return td_uarch_has(uarch, TD_CORE_NO_FIXED) ? UINT32_C(1) << (td_uarch_general(uarch) - 1)
						     : FIXED_CYCLES;
}

/* Returns the maximum number of general counters that events can use; 0: no limit. */
static int most_general(const struct td_machine *machine, const struct td_pmu *pmu, bool leaks)
{
	int all = td_uarch_general(pmu->uarch);
	/* the watchdog may use a counter that held_general does not include */
	bool less = pmu->held_general && machine->nmi_watchdog &&
		    td_uarch_has(pmu->uarch, TD_CORE_NO_FIXED);
	int left = all - pmu->held_general - less;

	if (leaks && machine->smt && left > all / 2)
		return all / 2;
	return left < all ? left : 0;
}

struct td_claim td_claim_of(const struct td_machine *machine, const struct td_event *event)
{
	const struct td_pmu *pmu = &machine->pmus[event->pmu];
	uint64_t config = raw_config(event);
	struct td_placement place = td_uarch_place(pmu->uarch, config, machine->kernel);
	struct td_claim claim = { .mask = place.general };

	if (pmu->kind != TD_PMU_CORE || td_event_is_metric(event))
		return (struct td_claim){ 0 };
	if (place.fixed >= 0)
		claim.mask |= TD_FIXED(place.fixed);
	if (machine->nmi_watchdog)
		claim.mask &= ~watchdogs(pmu->uarch);
	claim.held = claim.mask && !(claim.mask & ~pmu->held_fixed);
	if (!claim.held)
		claim.mask &= ~pmu->held_fixed;
	claim.most = most_general(machine, pmu, place.leaks);
	claim.reg = td_uarch_register(config, event->config[1]);
	claim.value = event->config[1];
	return claim;
}

/*
 * Finds a counter for event i.  Moves other events if needed (Kuhn's algorithm for
 * bipartite matching).
 */
static bool place_event(struct td_fit *fit, int i, uint32_t *tried)
{
	for (int c = 0; c < TD_NR_COUNTERS; c++) {
		uint32_t bit = UINT32_C(1) << c;

		if (!(fit->masks[i] & bit) || *tried & bit)
			continue;
		*tried |= bit;
		if (!fit->owners[c] || place_event(fit, fit->owners[c] - 1, tried)) {
			fit->owners[c] = (uint8_t)(i + 1);
			return true;
		}
	}
	return false;
}

/* Can a register contain the value?  Sets *is_new if none contains it yet. */
static bool register_suffices(const struct td_fit *fit, const struct td_claim *claim, bool *is_new)
{
	int used = 0;

	*is_new = claim->reg != TD_REGISTER_NONE;
	for (int i = 0; i < fit->nr_registers; i++) {
		if (fit->registers[i].reg != claim->reg)
			continue;
		if (fit->registers[i].value == claim->value)
			*is_new = false;
		used++;
	}
	return !*is_new || used < (claim->reg == TD_REGISTER_OFFCORE ? 2 : 1);
}

/*
 * Is the number of general counters in use within the limit?  Events that can use a fixed
 * counter get it from the kernel, and are not included.
 */
static bool is_within_most(const struct td_fit *fit, const struct td_claim *claim, int most)
{
	uint32_t fixed = fit->fixed | (claim->mask & TD_FIXED_ALL);

	return !most || fit->nr + 1 - __builtin_popcount(fixed) <= most;
}

bool td_fit_add(struct td_fit *fit, const struct td_claim *claim)
{
	int most = claim->most ? claim->most : fit->most;
	uint32_t tried = 0;
	bool is_new;

	if (!claim->mask)
		return true;
	if (claim->held || fit->nr == TD_NR_COUNTERS || !register_suffices(fit, claim, &is_new) ||
	    !is_within_most(fit, claim, most))
		return false;
	fit->masks[fit->nr] = claim->mask;
	if (!place_event(fit, fit->nr, &tried)) {
		fit->masks[fit->nr] = 0;
		return false;
	}
	fit->nr++;
	fit->most = most;
	fit->fixed |= claim->mask & TD_FIXED_ALL;
	if (is_new) {
		fit->registers[fit->nr_registers].reg = claim->reg;
		fit->registers[fit->nr_registers].value = claim->value;
		fit->nr_registers++;
	}
	return true;
}

/* Adds all events of a group, or none if they do not fit. */
static bool fit_add_group(struct td_fit *fit, const struct td_plan *plan,
			  const struct td_machine *machine, const struct td_group *group)
{
	struct td_fit with = *fit;

	for (size_t i = 0; i < group->nr; i++) {
		struct td_claim claim = td_claim_of(machine, &plan->events.v[group->members[i]]);

		if (!td_fit_add(&with, &claim))
			return false;
	}
	*fit = with;
	return true;
}

bool td_plan_group_fits(const struct td_plan *plan, const struct td_machine *machine, size_t group)
{
	struct td_fit fit = { 0 };

	return fit_add_group(&fit, plan, machine, &plan->groups[group]);
}

bool td_plan_needs_watchdogs_counter(const struct td_plan *plan, const struct td_machine *machine,
				     size_t group)
{
	const struct td_pmu *pmu = &machine->pmus[plan->groups[group].pmu];
	struct td_machine without = *machine;

	without.nmi_watchdog = false;
	return machine->nmi_watchdog && pmu->kind == TD_PMU_CORE &&
	       pmu->uarch != TD_UARCH_UNKNOWN && !td_plan_group_fits(plan, machine, group) &&
	       td_plan_group_fits(plan, &without, group);
}

/* --- groups that count at the same time ----------------------------------- */

/* The groups of a PMU that count at the same time.  A zeroed struct is empty. */
struct concurrent {
	struct td_fit fit;
	size_t nr;
	bool closed; /* no group can be added, because one is exclusive */
};

/* Add a group.  Returns false, with *concurrent unchanged, if it does not fit. */
static bool concurrent_add(struct concurrent *concurrent, const struct td_plan *plan,
			   const struct td_machine *machine, const struct td_group *group)
{
	if (concurrent->closed || (group->exclusive && concurrent->nr) ||
	    !fit_add_group(&concurrent->fit, plan, machine, group))
		return false;
	concurrent->nr++;
	concurrent->closed = group->exclusive;
	return true;
}

/* Returns the pinned groups of a PMU, which count all the time. */
static struct concurrent concurrent_pinned(const struct td_plan *plan,
					   const struct td_machine *machine, int pmu)
{
	struct concurrent concurrent = { .nr = 0 };

	td_for_each(const struct td_group, group, plan->groups, plan->nr_groups) {
		if (group->pmu == pmu && group->pinned)
			concurrent_add(&concurrent, plan, machine, group);
	}
	return concurrent;
}

/*
 * Returns the number of groups, including pinned ones, that count simultaneously when
 * group first is at the head of the queue.
 */
static size_t side_by_side(const struct td_plan *plan, const struct td_machine *machine, int pmu,
			   struct concurrent concurrent, size_t first)
{
	for (size_t i = 0; i < plan->nr_groups; i++) {
		const struct td_group *group = &plan->groups[(first + i) % plan->nr_groups];

		if (group->pmu == pmu && !group->pinned &&
		    !concurrent_add(&concurrent, plan, machine, group))
			break;
	}
	return concurrent.nr;
}

/* Returns the number of groups of a PMU that are multiplexed. */
static size_t count_queue(const struct td_plan *plan, int pmu)
{
	size_t nr = 0;

	for (size_t i = 0; i < plan->nr_groups; i++)
		nr += plan->groups[i].pmu == pmu && !plan->groups[i].pinned;
	return nr;
}

/*
 * Returns the average number of groups of a PMU that count simultaneously.  After the pinned
 * groups, the kernel adds groups from the head of a queue until one does not fit
 * (merge_sched_in() in kernel/events/core.c); each tick moves the head to the end.
 */
static double average_side_by_side(const struct td_plan *plan, const struct td_machine *machine,
				   int pmu)
{
	const struct concurrent pinned = concurrent_pinned(plan, machine, pmu);
	size_t sum = 0, nr = 0, queue = count_queue(plan, pmu);

	for (size_t i = 0; i < plan->nr_groups; i++) {
		size_t now;

		if (plan->groups[i].pmu != pmu || plan->groups[i].pinned)
			continue;
		now = side_by_side(plan, machine, pmu, pinned, i);
		/* all of them fit, in any order */
		if (now == pinned.nr + queue)
			return (double)now;
		sum += now;
		nr++;
	}
	if (!nr) /* all groups are pinned, or there are no groups */
		return fmax(1, (double)pinned.nr);
	return sum ? (double)sum / (double)nr : 1;
}

/* Returns td_group.at_once: 0 unless the machine is hybrid and this is a core PMU. */
static double at_once(const struct td_plan *plan, const struct td_machine *machine, int pmu)
{
	if (machine->nr_core < 2 || machine->pmus[pmu].kind != TD_PMU_CORE)
		return 0;
	return average_side_by_side(plan, machine, pmu);
}

void td_plan_fill_at_once(struct td_plan *plan, const struct td_machine *machine)
{
	for (int pmu = 0; pmu < (int)machine->nr_pmus; pmu++) {
		double value = at_once(plan, machine, pmu);

		for (size_t i = 0; i < plan->nr_groups; i++) {
			if (plan->groups[i].pmu == pmu)
				plan->groups[i].at_once = value;
		}
	}
}

/* --- with the groups of a sampler ------------------------------------------ */

/* Returns a group of the queue of two plans, in which those of the second plan come last. */
static const struct td_group *group_at(const struct td_plan *plan, const struct td_plan *sampled,
				       size_t at)
{
	at %= plan->nr_groups + sampled->nr_groups;
	return at < plan->nr_groups ? &plan->groups[at] : &sampled->groups[at - plan->nr_groups];
}

/* Returns the number of groups of plan that count when group first is at the head. */
static size_t beside_sampled(const struct td_plan *plan, const struct td_plan *sampled,
			     const struct td_machine *machine, size_t first)
{
	struct concurrent concurrent = { .nr = 0 };
	int pmu = group_at(plan, sampled, first)->pmu;
	size_t all = plan->nr_groups + sampled->nr_groups, nr = 0;

	for (size_t i = 0; i < all; i++) {
		const struct td_group *group = group_at(plan, sampled, first + i);
		bool counts = (first + i) % all < plan->nr_groups; /* else it samples */

		if (group->pmu != pmu)
			continue;
		if (!concurrent_add(&concurrent, counts ? plan : sampled, machine, group))
			break;
		nr += counts;
	}
	return nr;
}

static double average_beside(const struct td_plan *plan, const struct td_plan *sampled,
			     const struct td_machine *machine, int pmu)
{
	size_t all = plan->nr_groups + sampled->nr_groups, sum = 0, nr = 0;

	for (size_t i = 0; i < all; i++) {
		if (group_at(plan, sampled, i)->pmu != pmu)
			continue;
		sum += beside_sampled(plan, sampled, machine, i);
		nr++;
	}
	return (double)sum / (double)nr;
}

void td_plan_share_turns(struct td_plan *plan, const struct td_plan *sampled,
			 const struct td_machine *machine)
{
	td_for_each(struct td_group, group, plan->groups, plan->nr_groups) {
		double beside;

		if (group->at_once <= 0 || !td_plan_has_groups(sampled, group->pmu) ||
		    concurrent_pinned(plan, machine, group->pmu).nr)
			continue;
		beside = average_beside(plan, sampled, machine, group->pmu);
		if (beside > 0)
			group->at_once = beside;
	}
}

/* --- shares ---------------------------------------------------------------- */

/* Adds 1 to the share of each group that counts when group first is at the head. */
static void add_shares(const struct td_plan *plan, const struct td_machine *machine, size_t first,
		       struct concurrent concurrent, double *shares)
{
	int pmu = plan->groups[first].pmu;

	for (size_t i = 0; i < plan->nr_groups; i++) {
		size_t g = (first + i) % plan->nr_groups;

		if (plan->groups[g].pmu != pmu || plan->groups[g].pinned)
			continue;
		if (!concurrent_add(&concurrent, plan, machine, &plan->groups[g]))
			return;
		shares[g]++;
	}
}

void td_plan_shares(const struct td_plan *plan, const struct td_machine *machine, double *shares)
{
	for (size_t g = 0; g < plan->nr_groups; g++)
		shares[g] = 0;
	for (size_t g = 0; g < plan->nr_groups; g++) {
		const struct td_group *group = &plan->groups[g];

		if (!group->pinned)
			add_shares(plan, machine, g, concurrent_pinned(plan, machine, group->pmu),
				   shares);
	}
	for (size_t g = 0; g < plan->nr_groups; g++) {
		const struct td_group *group = &plan->groups[g];

		if (group->pinned)
			shares[g] = 1;
		else
			shares[g] /= (double)count_queue(plan, group->pmu);
	}
}

/* The event that measures a run's work; its counter is a fixed one. */
#define WORK_NAME  "instructions"
#define WORK_TERMS "event=0xc0"

/* --- the sets of groups --------------------------------------------------- */

/* Pinned groups count all the time; the number of counters of uncore PMUs is unknown. */
static bool is_in_every_run(const struct td_machine *machine, const struct td_group *group)
{
	return group->pinned || machine->pmus[group->pmu].kind != TD_PMU_CORE;
}

/*
 * Put each group of a PMU into the first set with room; a group that is too large for the
 * counters gets a set of its own.  Sets sets[group], with the meaning of td_group.set, for the
 * groups of this PMU.  Returns the number of sets.
 */
static unsigned int split(const struct td_plan *plan, const struct td_machine *machine, int pmu,
			  unsigned int *sets)
{
	const struct concurrent base = concurrent_pinned(plan, machine, pmu);
	td_autofree struct concurrent *concurrent =
		td_calloc(plan->nr_groups + 1, sizeof(*concurrent));
	unsigned int nr = 0;

	for (size_t g = 0; g < plan->nr_groups; g++) {
		const struct td_group *group = &plan->groups[g];
		unsigned int set = 0;

		if (group->pmu != pmu || is_in_every_run(machine, group))
			continue;
		while (set < nr && !concurrent_add(&concurrent[set], plan, machine, group))
			set++;
		if (set == nr) {
			concurrent[nr] = base;
			concurrent[nr].closed |=
				!concurrent_add(&concurrent[nr], plan, machine, group);
			nr++;
		}
		sets[g] = set + 1;
	}
	return nr;
}

unsigned int td_plan_count_sets(const struct td_plan *plan, const struct td_machine *machine)
{
	td_autofree unsigned int *sets = td_calloc(plan->nr_groups + 1, sizeof(*sets));
	unsigned int max = 1;

	for (int pmu = 0; pmu < (int)machine->nr_core; pmu++) {
		unsigned int nr = split(plan, machine, pmu, sets);

		max = nr > max ? nr : max;
	}
	return max;
}

/* --- the work of a run ---------------------------------------------------- */

static bool is_instructions(const struct td_machine *machine, const struct td_event *event)
{
	static const struct td_modifiers none;

	return td_claim_of(machine, event).mask & TD_FIXED(0) &&
	       td_modifiers_same_rings(&event->mods, &none);
}

/* Return the event of the group that counts instructions, or -1. */
static int find_work(const struct td_plan *plan, const struct td_machine *machine,
		     const struct td_group *group)
{
	for (size_t i = 0; i < group->nr; i++) {
		if (is_instructions(machine, &plan->events.v[group->members[i]]))
			return group->members[i];
	}
	return -1;
}

/* Find an event that counts instructions in a set, and mark it. */
static bool mark_work(struct td_plan *plan, const struct td_machine *machine, int pmu,
		      unsigned int set)
{
	td_for_each(const struct td_group, group, plan->groups, plan->nr_groups) {
		int event = -1;

		if (group->pmu == pmu && (!group->set || group->set == set))
			event = find_work(plan, machine, group);
		if (event < 0)
			continue;
		plan->events.v[event].is_work = true;
		return true;
	}
	return false;
}

static int add_event(struct td_plan *plan, const struct td_machine *machine, int pmu,
		     struct td_err *err)
{
	struct td_event *event = td_events_add(&plan->events);
	int rc = td_event_init(event, &machine->pmus[pmu], pmu, WORK_NAME, WORK_TERMS, err);
	event->hidden = event->is_work = true;
	return rc;
}

static void add_group(struct td_plan *plan, int pmu, unsigned int set, int event)
{
	struct td_group *group = td_plan_new_group(plan, pmu);

	td_group_add(group, &event, 1);
	group->set = set;
}

/*
 * Make each set of a PMU count instructions, with an event that it contains or an added
 * one, which uses a fixed counter.
 */
static int add_work(struct td_plan *plan, const struct td_machine *machine, int pmu,
		    unsigned int nr, struct td_err *err)
{
	bool any = !nr && mark_work(plan, machine, pmu, 0);
	int event;

	for (unsigned int set = 1; set <= nr; set++)
		any |= mark_work(plan, machine, pmu, set);
	if (!td_plan_has_groups(plan, pmu) || (any && !nr))
		return 0;
	if (add_event(plan, machine, pmu, err))
		return err->code;
	event = (int)plan->events.nr - 1;
	if (!any) {
		add_group(plan, pmu, 0, event);
		return 0;
	}
	for (unsigned int set = 1; set <= nr; set++) {
		if (!mark_work(plan, machine, pmu, set))
			add_group(plan, pmu, set, event);
	}
	return 0;
}

int td_plan_make_sets(struct td_plan *plan, const struct td_machine *machine, struct td_err *err)
{
	int rc = 0;

	plan->nr_sets = td_plan_count_sets(plan, machine);
	for (int pmu = 0; !rc && plan->nr_sets > 1 && pmu < (int)machine->nr_core; pmu++) {
		td_autofree unsigned int *sets = td_calloc(plan->nr_groups + 1, sizeof(*sets));
		unsigned int nr = split(plan, machine, pmu, sets);

		for (size_t g = 0; g < plan->nr_groups; g++) {
			if (plan->groups[g].pmu == pmu)
				plan->groups[g].set = sets[g];
		}
		rc = add_work(plan, machine, pmu, nr, err);
	}
	return rc;
}

/* --- runs ----------------------------------------------------------------- */

static unsigned int count_sets(const struct td_plan *plan, int pmu)
{
	unsigned int nr = 0;

	td_for_each(const struct td_group, group, plan->groups, plan->nr_groups) {
		if (group->pmu == pmu && group->set > nr)
			nr = group->set;
	}
	return nr;
}

/* A PMU with fewer sets than another one repeats them. */
bool td_plan_run_counts(const struct td_plan *plan, const struct td_group *group, unsigned int run)
{
	return !group->set || group->set == run % count_sets(plan, group->pmu) + 1;
}

void td_plan_select_set(struct td_plan *plan, unsigned int run)
{
	td_autofree bool *stays = td_calloc(plan->nr_groups + 1, sizeof(*stays));
	size_t kept = 0;

	plan->parked = td_calloc(plan->nr_groups + 1, sizeof(*plan->parked));
	plan->nr_parked = 0;
	for (size_t g = 0; g < plan->nr_groups; g++)
		stays[g] = td_plan_run_counts(plan, &plan->groups[g], run);
	for (size_t g = 0; g < plan->nr_groups; g++) {
		if (stays[g])
			plan->groups[kept++] = plan->groups[g];
		else
			plan->parked[plan->nr_parked++] = plan->groups[g];
	}
	plan->nr_groups = kept;
}

void td_plan_restore_groups(struct td_plan *plan)
{
	while (plan->nr_parked)
		td_array_push(&plan->groups, &plan->nr_groups, &plan->parked[--plan->nr_parked],
			      sizeof(*plan->groups));
	free(plan->parked);
	plan->parked = NULL;
}

/* --- one group per PMU ---------------------------------------------------- */

/* Return the group that others of its PMU join: the first, or the one with SLOTS, which leads. */
static size_t find_first(const struct td_plan *plan, int pmu)
{
	size_t first = plan->nr_groups;

	for (size_t g = 0; g < plan->nr_groups; g++) {
		const struct td_group *group = &plan->groups[g];

		if (group->pmu == pmu && group->slots)
			return g;
		if (group->pmu == pmu && first == plan->nr_groups)
			first = g;
	}
	return first;
}

static bool has(const struct td_group *group, int event)
{
	for (size_t i = 0; i < group->nr; i++) {
		if (group->members[i] == event)
			return true;
	}
	return false;
}

/* Add the events of a group to another group, except its clone, which is already there. */
static void join(struct td_plan *plan, const struct td_machine *machine, size_t from, size_t to)
{
	const struct td_group *group = &plan->groups[from];

	for (size_t i = 0; i < group->nr; i++) {
		int event = group->members[i];

		if (event == group->clone || has(&plan->groups[to], event))
			continue;
		td_group_add(&plan->groups[to], &event, 1);
		if (td_plan_group_fits(plan, machine, to))
			continue;
		plan->groups[to].nr--;
		td_event_set_refusal(&plan->events.v[event], TD_NO_COUNTER_LEFT);
	}
}

static void join_pmu(struct td_plan *plan, const struct td_machine *machine, size_t to)
{
	for (size_t g = 0; g < plan->nr_groups; g++) {
		if (g != to && plan->groups[g].pmu == plan->groups[to].pmu)
			join(plan, machine, g, to);
	}
	plan->groups[to].at_once = 1;
	plan->groups[to].pinned = plan->groups[to].may_unpin = false;
	plan->groups[to].reference = plan->groups[to].clone = -1;
}

void td_plan_join(struct td_plan *plan, const struct td_machine *machine)
{
	td_autofree bool *keep = td_calloc(plan->nr_groups + 1, sizeof(*keep));
	size_t kept = 0;

	for (size_t g = 0; g < plan->nr_groups; g++) {
		keep[g] = find_first(plan, plan->groups[g].pmu) == g;
		if (keep[g])
			join_pmu(plan, machine, g);
	}
	for (size_t g = 0; g < plan->nr_groups; g++) {
		if (keep[g])
			plan->groups[kept++] = plan->groups[g];
		else
			free(plan->groups[g].members);
	}
	plan->nr_groups = kept;
}
