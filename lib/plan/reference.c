// SPDX-License-Identifier: GPL-2.0-only
#include "lib/plan/reference.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"
#include "lib/event/modifiers.h"

static const struct {
	const char *name, *terms;
	uint64_t config;
	int fixed;
} kinds[] = {
	[TD_CLOCK_REFERENCE] = { "ref-cycles", "event=0x00,umask=0x03", 0x0300,
				 2 },
	[TD_CLOCK_CYCLES] = { "cpu-cycles", "event=0x3c", 0x003c, 1 },
	[TD_CLOCK_INSTRUCTIONS] = { "instructions", "event=0xc0", 0x00c0, 0 },
};

/* The best reference first. */
static const enum td_clock_event by_worth[TD_NR_CLOCKS] = {
	TD_CLOCK_CYCLES,
	TD_CLOCK_REFERENCE,
	TD_CLOCK_INSTRUCTIONS,
};

/* The number of the PMU's events that count in the same privilege levels. */
static size_t count_alike(const struct td_plan *plan,
			  const struct td_event *one)
{
	size_t nr = 0;

	for (size_t i = 0; i < plan->events.nr; i++) {
		const struct td_event *event = &plan->events.v[i];

		nr += event->pmu == one->pmu && !event->refusal &&
		      td_modifiers_same_rings(&event->mods, &one->mods);
	}
	return nr;
}

/*
 * An event of the PMU with the most common privilege levels, or NULL. The
 * reference gets these; it also scales groups that count other levels, where
 * the work in these levels still says more than time does.
 */
static const struct td_event *find_typical(const struct td_plan *plan, int pmu)
{
	const struct td_event *best = NULL;
	size_t most = 0;

	for (size_t i = 0; i < plan->events.nr; i++) {
		const struct td_event *event = &plan->events.v[i];
		size_t nr;

		if (event->pmu != pmu || event->refusal ||
		    (best &&
		     td_modifiers_same_rings(&best->mods, &event->mods)))
			continue;
		nr = count_alike(plan, event);
		if (nr > most) {
			most = nr;
			best = event;
		}
	}
	return best;
}

static bool is_kind(const struct td_event *event, const struct td_pmu *pmu,
		    int kind)
{
	return event->type == pmu->type && !event->refusal &&
	       event->config[0] == kinds[kind].config && !event->config[1] &&
	       !event->config[2] && !event->config[3] && !event->mods.precise;
}

static int find_event(const struct td_plan *plan,
		      const struct td_machine *machine,
		      const struct td_event *typical, int kind)
{
	int pmu = typical->pmu;

	for (int i = 0; i < (int)plan->events.nr; i++) {
		if (plan->events.v[i].pmu == pmu &&
		    is_kind(&plan->events.v[i], &machine->pmus[pmu], kind) &&
		    td_modifiers_same_rings(&plan->events.v[i].mods,
					    &typical->mods))
			return i;
	}
	return -1;
}

int td_reference_find(const struct td_plan *plan,
		      const struct td_machine *machine, int pmu,
		      enum td_clock_event kind)
{
	const struct td_event *typical = find_typical(plan, pmu);

	return typical ? find_event(plan, machine, typical, (int)kind) : -1;
}

struct td_claim td_reference_claim(const struct td_machine *machine, int pmu,
				   enum td_clock_event kind)
{
	const struct td_event event = {
		.pmu = pmu,
		.type = machine->pmus[pmu].type,
		.config = { kinds[kind].config },
	};

	return td_claim_of(machine, &event);
}

void td_reference_choose(struct td_reference *reference,
			 const struct td_plan *plan,
			 const struct td_machine *machine, int pmu,
			 uint32_t taken)
{
	const struct td_event *typical = find_typical(plan, pmu);

	*reference = (struct td_reference){ .event = -1, .kind = -1 };
	if (machine->pmus[pmu].uarch == TD_UARCH_UNKNOWN || !typical)
		return;
	for (size_t i = 0; i < TD_NR_CLOCKS; i++) {
		enum td_clock_event kind = by_worth[i];
		uint32_t counter = TD_FIXED(kinds[kind].fixed);

		reference->claim = td_reference_claim(machine, pmu, kind);
		/* the NMI watchdog or a pinned event has this counter */
		if (!(reference->claim.mask & counter & ~taken))
			continue;
		reference->kind = (int)kind;
		reference->event =
			find_event(plan, machine, typical, (int)kind);
		return;
	}
}

/* Adds the modifiers to the name: "cpu/ref-cycles/u". */
static int name_rings(struct td_event *event)
{
	char letters[TD_MODIFIERS_SIZE], *name;

	td_modifiers_format(&event->mods, TD_RING_LETTERS, letters);
	if (asprintf(&name, "%s%s", event->name, letters) < 0)
		return -ENOMEM;
	event->has_suffix = strcmp(name, event->name) != 0;
	free(event->name);
	event->name = name;
	return 0;
}

int td_reference_make(struct td_reference *reference, struct td_plan *plan,
		      const struct td_machine *machine, int pmu,
		      struct td_err *err)
{
	const struct td_event *typical;
	struct td_modifiers mods = { 0 };
	struct td_event *event;
	int rc;

	if (reference->event >= 0)
		return 0;
	/* before the new event, which would count as one without modifiers */
	typical = find_typical(plan, pmu);
	if (typical)
		mods = typical->mods;
	event = td_events_add(&plan->events);
	if (!event)
		return td_err_nomem(err);
	rc = td_event_init(event, &machine->pmus[pmu], pmu,
			   kinds[reference->kind].name,
			   kinds[reference->kind].terms, err);
	reference->event = (int)plan->events.nr - 1;
	if (rc)
		return rc;
	event->hidden = true;
	td_modifiers_copy_rings(&event->mods, &mods);
	return name_rings(event) ? td_err_nomem(err) : 0;
}
