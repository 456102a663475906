// SPDX-License-Identifier: GPL-2.0-only
/* Packs the events of each family into groups of their own. */
#include <errno.h>
#include <stdlib.h>

#include "lib/base/util.h"
#include "lib/plan/scheduling.h"

/* Adds the groups of one family behind those of the families before. */
static int add_packed(struct td_scheduling *s, struct td_packing *part)
{
	struct td_packing *p = &s->packing;
	int rc = td_pack(part);

	for (size_t i = 0; !rc && i < part->nr; i++)
		p->homes[part->events[i]] =
			part->homes[part->events[i]] + (int)p->nr_groups;
	p->nr_placed += part->nr_placed;
	p->nr_groups += part->nr_groups;
	return rc;
}

/*
 * Packs one family, or with 0 what is counted all the time; homes and events
 * have room for all events.
 */
static int pack_family(struct td_scheduling *s, int family, int *homes,
		       int *events)
{
	struct td_packing *p = &s->packing;
	struct td_packing part = *p;

	part.homes = homes;
	part.events = events;
	part.order = p->order + p->nr_placed;
	part.nr = 0;
	if (family)
		part.first = p->further;
	for (int i = 0; i < s->nr_initial; i++)
		homes[i] = TD_NOT_PACKED;
	for (size_t i = 0; i < p->nr; i++) {
		int event = p->events[i];

		if (td_scheduling_family(s, event) != family)
			continue;
		homes[event] = TD_NOWHERE;
		events[part.nr++] = event;
	}
	/*
	 * without events, a family needs no group; what is counted all the time
	 * may have one already, with the reference
	 */
	return family && !part.nr ? 0 : add_packed(s, &part);
}

int td_pack_families(struct td_scheduling *s)
{
	size_t nr = (size_t)s->nr_initial;
	td_autofree int *ints = calloc(2 * nr + 1, sizeof(*ints));
	int last = 0, rc = ints ? 0 : -ENOMEM;

	for (int i = 0; i < s->nr_initial; i++) {
		if (td_scheduling_family(s, i) > last)
			last = td_scheduling_family(s, i);
	}
	if (!last)
		return rc ? rc : td_pack(&s->packing);
	s->packing.nr_groups = s->packing.nr_placed = 0;
	for (int family = 0; !rc && family <= last; family++)
		rc = pack_family(s, family, ints, ints + nr);
	return rc;
}
