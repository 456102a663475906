// SPDX-License-Identifier: GPL-2.0-only
/*
 * The scheduler with many events: a real list and random ones.  Hall's theorem decides whether the
 * counters suffice, using the tables of the kernel's driver, which are repeated here.
 */
#include "lib/plan/plan.h"

#include "tests/unit/machine.h"
#include "tests/unit/sapphire_rapids.h"
#include "tests/unit/test.h"

#define MAX_NEEDS  64
#define MAX_EVENTS 128
#define FIXED(n)   (1u << (16 + (n)))
#define SLOTS      0x400

struct list {
	struct td_machine machine;
	struct td_plan plan;
	struct td_need needs[MAX_NEEDS];
	size_t nr_needs;
	int members[MAX_NEEDS][MAX_EVENTS];
	size_t nr_initial;
};

static int find_or_add(struct list *l, uint64_t config, uint64_t config1)
{
	struct td_plan *plan = &l->plan;
	struct td_err err = { 0 };
	struct td_event *event;
	char name[64];

	snprintf(name, sizeof(name), "cpu/%llx,%llx/", (unsigned long long)config,
		 (unsigned long long)config1);
	for (size_t i = 0; i < plan->events.nr; i++) {
		if (strcmp(plan->events.v[i].name, name) == 0)
			return (int)i;
	}
	event = td_events_add(&plan->events);
	name[strlen(name) - 1] = '\0';
	td_event_init(event, &l->machine.pmus[0], 0, name + strlen("cpu/"), "config=0", &err);
	event->config[0] = config;
	event->config[1] = config1;
	return (int)plan->events.nr - 1;
}

static void add_need(struct list *l, int rank, const char *events)
{
	size_t n = l->nr_needs++;

	l->needs[n] = (struct td_need){ l->members[n], 0, rank, false };
	while (*events) {
		char *end;
		uint64_t config = strtoull(events, &end, 16), config1 = 0;

		if (*end == '/')
			config1 = strtoull(end + 1, &end, 16);
		events = end;
		l->members[n][l->needs[n].nr++] = find_or_add(l, config, config1);
	}
}

static void free_list(struct list *l)
{
	td_plan_free(&l->plan);
	td_machine_free(&l->machine);
}

/* --- what counters there are ---------------------------------------------- */

static bool is_field(const struct td_event *event)
{
	return event->config[0] >= 0x8000 && event->config[0] <= 0x8700 &&
	       !(event->config[0] & 0xff);
}

/* intel_glc_event_constraints[] of Linux 6.12; 0: it needs none. */
static unsigned int counters_of(const struct list *l, const struct td_event *event)
{
	unsigned int code = event->config[0] & 0xff;
	unsigned int umask = event->config[0] >> 8 & 0xff;
	unsigned int cycles = l->machine.nmi_watchdog ? 0 : FIXED(1);
	bool plain = event->config[0] <= 0xffff;

	if (is_field(event))
		return 0;
	if (event->config[0] == SLOTS)
		return FIXED(3);
	if (event->config[0] == 0x300)
		return FIXED(2);
	if (code == 0xc0 && umask == 0 && plain)
		return 0xff | FIXED(0);
	if (code == 0x3c && umask == 0 && plain)
		return 0xff | cycles;
	if (code == 0x3c && umask == 1 && plain)
		return 0xff | FIXED(2);
	if (code == 0x2e || code == 0x3c)
		return 0xff;
	if ((code == 0xa4 && (umask == 4 || umask == 8)) || (code == 0xcd && umask == 2) ||
	    code == 0xce)
		return 0x1;
	if (code < 0x90 || (code >= 0xd0 && code <= 0xdf) ||
	    (code == 0xa3 && (umask == 1 || umask == 2 || umask == 8)))
		return 0xf;
	return 0xff;
}

/* intel_glc_extra_regs[]: two for offcore events, one for the frontend's. */
static bool registers_suffice(const struct td_plan *plan, const int *events, size_t nr)
{
	uint64_t offcore[2] = { 0 }, frontend = 0;

	for (size_t i = 0; i < nr; i++) {
		const struct td_event *e = &plan->events.v[events[i]];
		unsigned int code = e->config[0] & 0xff;
		uint64_t *place = &frontend;

		if (!e->config[1])
			continue;
		if (code == 0x2a || code == 0x2b)
			place = !offcore[0] || offcore[0] == e->config[1] ? &offcore[0]
									  : &offcore[1];
		if (*place && *place != e->config[1])
			return false;
		*place = e->config[1];
	}
	return true;
}

/*
 * No set of counters is wanted by more events than it has: of the unions of
 * what events want, which are few.
 */
static bool counters_suffice(const unsigned int *masks, size_t nr)
{
	unsigned int kinds[16];
	size_t nr_kinds = 0;

	for (size_t i = 0; i < nr; i++) {
		size_t k = 0;

		while (k < nr_kinds && kinds[k] != masks[i])
			k++;
		if (k == nr_kinds)
			kinds[nr_kinds++] = masks[i];
	}
	for (unsigned int set = 1; set < 1u << nr_kinds; set++) {
		unsigned int together = 0;
		int inside = 0;

		for (size_t k = 0; k < nr_kinds; k++)
			together |= set >> k & 1 ? kinds[k] : 0;
		for (size_t i = 0; i < nr; i++)
			inside += (masks[i] & ~together) == 0;
		if (inside > __builtin_popcount(together))
			return false;
	}
	return true;
}

static bool fit_at_once(const struct list *l, const int *events, size_t nr)
{
	unsigned int masks[2 * MAX_EVENTS];
	size_t nr_masks = 0;

	for (size_t i = 0; i < nr; i++) {
		unsigned int mask = counters_of(l, &l->plan.events.v[events[i]]);

		if (mask)
			masks[nr_masks++] = mask;
	}
	return registers_suffice(&l->plan, events, nr) && counters_suffice(masks, nr_masks);
}

/* --- what a plan must be -------------------------------------------------- */

static const struct td_group *pinned_of(const struct list *l)
{
	const struct td_plan *plan = &l->plan;

	return plan->nr_groups && plan->groups[0].pinned ? &plan->groups[0] : NULL;
}

/* Do groups a and b (which may be NULL) count beside the pinned one? */
static bool are_beside(const struct list *l, const struct td_group *a, const struct td_group *b)
{
	const struct td_group *groups[] = { pinned_of(l), a, b };
	int events[4 * MAX_EVENTS];
	size_t nr = 0;

	for (size_t g = 0; g < TD_ARRAY_SIZE(groups); g++) {
		for (size_t i = 0; groups[g] && i < groups[g]->nr; i++) {
			/* merged, they need the reference once */
			if (groups[g] == b && groups[g]->members[i] == b->clone)
				continue;
			events[nr++] = groups[g]->members[i];
		}
	}
	return fit_at_once(l, events, nr);
}

static bool is_complete(const struct list *l)
{
	for (int e = 0; e < (int)l->plan.events.nr; e++) {
		int nr = 0;

		for (size_t g = 0; g < l->plan.nr_groups; g++) {
			const struct td_group *group = &l->plan.groups[g];

			for (size_t i = 0; i < group->nr; i++)
				nr += group->members[i] == e;
		}
		if (nr != 1)
			return false;
	}
	return true;
}

static bool all_fit(const struct list *l)
{
	for (size_t g = 0; g < l->plan.nr_groups; g++) {
		const struct td_group *group = &l->plan.groups[g];

		if (!are_beside(l, group == pinned_of(l) ? NULL : group, NULL))
			return false;
	}
	return true;
}

static bool none_could_be_merged(const struct list *l)
{
	const struct td_plan *plan = &l->plan;
	size_t first = pinned_of(l) != NULL;

	for (size_t a = first; a < plan->nr_groups; a++) {
		for (size_t b = a + 1; b < plan->nr_groups; b++) {
			if (are_beside(l, &plan->groups[a], &plan->groups[b]))
				return false;
		}
	}
	return true;
}

/* Return true if every multiplexed group has the reference or a clone of it. */
static bool has_references(const struct list *l, bool wanted)
{
	const struct td_plan *plan = &l->plan;
	size_t first = pinned_of(l) != NULL;

	for (size_t g = first; g < plan->nr_groups; g++) {
		const struct td_group *group = &plan->groups[g];

		if ((group->reference >= 0) != wanted ||
		    (group->clone >= 0) != (wanted && g > first) ||
		    group->reference != plan->groups[first].reference)
			return false;
	}
	return true;
}

/* Return the number of multiplexed events that need counters of the set. */
static size_t count_bound(const struct list *l, unsigned int set)
{
	const struct td_plan *plan = &l->plan;
	size_t nr = 0;

	for (size_t g = pinned_of(l) != NULL; g < plan->nr_groups; g++) {
		for (size_t i = 0; i < plan->groups[g].nr; i++) {
			int e = plan->groups[g].members[i];
			unsigned int mask = counters_of(l, &plan->events.v[e]);

			nr += mask && !(mask & ~set) && e < (int)l->nr_initial &&
			      e != plan->groups[g].reference;
		}
	}
	return nr;
}

/*
 * Return the number of such events for which a group has room next to the events that are always
 * there.
 */
static size_t room_for(const struct list *l, unsigned int set)
{
	const struct td_plan *plan = &l->plan;
	const struct td_group *pinned = pinned_of(l);
	const struct td_group *last = &plan->groups[plan->nr_groups - 1];
	unsigned int masks[MAX_EVENTS];
	size_t nr = 0, always;

	for (size_t i = 0; pinned && i < pinned->nr; i++) {
		masks[nr] = counters_of(l, &plan->events.v[pinned->members[i]]);
		nr += masks[nr] != 0;
	}
	if (last->reference >= 0)
		masks[nr++] = counters_of(l, &plan->events.v[last->reference]);
	always = nr;
	do {
		masks[nr++] = set;
	} while (counters_suffice(masks, nr));
	return nr - 1 - always;
}

/* The fewest groups that the counters allow, whatever the registers do. */
static size_t fewest_groups(const struct list *l)
{
	static const unsigned int sets[] = { 0x1,
					     0xf,
					     0xff,
					     0xff | FIXED(0),
					     0xff | FIXED(1),
					     0xff | FIXED(2),
					     0xff | FIXED(0) | FIXED(1) };
	size_t fewest = 1;

	for (size_t i = 0; i < TD_ARRAY_SIZE(sets); i++) {
		size_t room = room_for(l, sets[i]);
		size_t groups = room ? (count_bound(l, sets[i]) + room - 1) / room : 0;

		fewest = groups > fewest ? groups : fewest;
	}
	return fewest;
}

static void build(struct list *l, const char *name)
{
	const struct td_schedule schedule = {
		.needs = l->needs,
		.nr_needs = l->nr_needs,
		.always = true,
	};
	struct td_err err = { 0 };

	l->nr_initial = l->plan.events.nr;
	ok(td_plan_build(&l->plan, &l->machine, &schedule, &err) == 0, "%s: %zu events", name,
	   l->nr_initial);
}

static void check(const struct list *l, const char *name)
{
	ok(is_complete(l), "%s: each event in one group", name);
	ok(all_fit(l), "%s: the counters suffice, beside the pinned ones", name);
	ok(none_could_be_merged(l), "%s: no group is one too many", name);
	ok(has_references(l, l->plan.nr_groups > 1), "%s: a reference where groups take turns",
	   name);
}

/* --- the real list -------------------------------------------------------- */

static void test_real(int level, bool watchdog, bool pinned)
{
	struct list l = { .nr_needs = 0 };
	size_t turns;
	char name[64];

	snprintf(name, sizeof(name), "Sapphire Rapids, level %d%s", level,
		 watchdog ? ", watchdog" : "");
	test_machine(&l.machine, "spr");
	l.machine.nmi_watchdog = watchdog;
	for (size_t i = 0; i < TD_ARRAY_SIZE(sapphire_rapids); i++) {
		if (sapphire_rapids[i].level <= level)
			add_need(&l, sapphire_rapids[i].level, sapphire_rapids[i].events);
	}
	build(&l, name);
	check(&l, name);
	turns = l.plan.nr_groups - (pinned_of(&l) != NULL);
	ok((pinned_of(&l) != NULL) == pinned, "%s: whether some are pinned", name);
	ok(turns == fewest_groups(&l), "%s: %zu groups take turns, %zu must", name, turns,
	   fewest_groups(&l));
	if (pinned) {
		const struct td_group *group = &l.plan.groups[0];

		/* SLOTS, eight fields, INT_MISC.UOP_DROPPING */
		ok(group->slots && group->nr == 10 &&
			   l.plan.events.v[group->members[9]].config[0] == 0x10ad,
		   "%s: levels 1 and 2 are pinned, and nothing else", name);
	}
	free_list(&l);
}

/* --- random lists ------------------------------------------------------------- */

static unsigned int below(unsigned int *state, unsigned int limit)
{
	*state = *state * 1103515245u + 12345u;
	return (*state >> 16) % limit;
}

/* Make a config of one of the kinds that the constraints distinguish. */
static void chance_event(unsigned int *state, bool registers, char *out, size_t size)
{
	static const unsigned int codes[] = { 0x10, 0x47, 0xa6, 0xb1, 0xc4,
					      0xe7, 0xd1, 0xa3, 0xa4, 0x2e };
	unsigned int umask = 1u << below(state, 6);

	switch (below(state, registers ? 12 : 10)) {
	case 0:
		snprintf(out, size, "3c");
		break;
	case 1:
		snprintf(out, size, "c0");
		break;
	case 10:
		snprintf(out, size, "12a/%x", 1 + below(state, 5));
		break;
	case 11:
		snprintf(out, size, "1c6/%x", 1 + below(state, 3));
		break;
	default:
		snprintf(out, size, "%x%02x", umask, codes[below(state, TD_ARRAY_SIZE(codes))]);
	}
}

static void chance_need(struct list *l, unsigned int *state, bool registers)
{
	unsigned int nr = 1 + below(state, 9);
	int rank = 1 + (int)below(state, 5);
	char text[256] = "";

	if (rank <= 2)
		snprintf(text, sizeof(text), "400 8000 8100 %x10ad", below(state, 3));
	for (unsigned int i = 0; i < nr && rank > 2; i++) {
		char event[32];

		chance_event(state, registers, event, sizeof(event));
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", i ? " " : "",
			 event);
	}
	add_need(l, rank, text);
}

static void test_chance(unsigned int seed)
{
	struct list l = { .nr_needs = 0 };
	unsigned int state = seed, nr;
	bool registers = seed % 2;
	char name[64];

	test_machine(&l.machine, "spr");
	l.machine.nmi_watchdog = below(&state, 2);
	nr = 1 + below(&state, 30);
	for (unsigned int i = 0; i < nr; i++)
		chance_need(&l, &state, registers);
	snprintf(name, sizeof(name), "by chance, %u", seed);
	build(&l, name);
	check(&l, name);
	if (!registers)
		ok(l.plan.nr_groups - (pinned_of(&l) != NULL) == fewest_groups(&l),
		   "%s: as few groups as can be", name);
	free_list(&l);
}

int main(void)
{
	for (int watchdog = 0; watchdog <= 1; watchdog++) {
		/* UOP_DROPPING and the fields beside SLOTS: one group */
		test_real(2, watchdog, false);
		test_real(3, watchdog, true);
	}
	for (unsigned int seed = 1; seed <= 150; seed++)
		test_chance(seed);
	return done_testing();
}
