// SPDX-License-Identifier: GPL-2.0-only
#include "lib/event/events.h"

#include <stdlib.h>

#include "lib/base/util.h"

struct td_event *td_events_add(struct td_events *events)
{
	struct td_event *event =
		td_array_add(&events->v, events->nr, sizeof(*event));

	events->nr += event != NULL;
	return event;
}

int td_events_add_slots(struct td_events *events, const struct td_pmu *pmu,
			size_t field, struct td_err *err)
{
	struct td_event *slots = td_events_add(events);
	int rc;

	if (!slots)
		return td_err_nomem(err);
	rc = td_event_init(slots, pmu, events->v[field].pmu, "slots", NULL,
			   err);
	if (rc)
		return rc;
	slots->mods = events->v[field].mods;
	slots->group = events->v[field].group;
	slots->hidden = true;
	return 0;
}

void td_events_drop(struct td_events *events, size_t from)
{
	for (size_t i = from; i < events->nr; i++)
		td_event_free(&events->v[i]);
	events->nr = from;
}

void td_events_free(struct td_events *events)
{
	td_events_drop(events, 0);
	free(events->v);
	*events = (struct td_events){ 0 };
}
