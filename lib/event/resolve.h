/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_EVENT_RESOLVE_H
#define TD_LIB_EVENT_RESOLVE_H

#include "lib/base/closest.h"
#include "lib/base/notes.h"
#include "lib/event/text.h"
#include "lib/event/tracepoint.h"
#include "lib/machine/machine.h"
#include "lib/plan/plan.h"

/* Where names come from that a PMU's folder in sysfs does not have. */
struct td_event_source {
	void *ctx;
	/* *terms: "event=0xc0" of a PMU's event in the model's files; NULL: none. */
	int (*model_event)(void *ctx, const struct td_pmu *pmu,
			   const char *name, const char **terms,
			   struct td_err *err);
	/* All that there are, for a name that is wrong.  Returns why they are
	 * not all, NULL: they are. */
	const char *(*offer_names)(void *ctx, struct td_closest *closest);
	/* As td_tracepoints_find(). */
	int (*tracepoints)(void *ctx, const char *system, const char *name,
			   struct td_tracepoints *out, struct td_err *err);
};

/*
 * What was typed -> events of this machine, appended to plan->events: one for
 * each PMU that a name is meant for, the core PMUs that are not skipped first.
 * Pure but for source.  1: a name is nothing of what machine holds, and it does
 * not hold all PMUs yet: read the others, and call again with an empty plan.
 * An error points at the word.
 */
int td_event_resolve(struct td_plan *plan, const struct td_event_text *text,
		     const struct td_machine *machine,
		     const struct td_event_source *source,
		     struct td_notes *notes, struct td_err *err);

#endif
