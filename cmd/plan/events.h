/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_PLAN_EVENTS_H
#define TD_CMD_PLAN_EVENTS_H

#include "cmd/request.h"
#include "lib/base/err.h"
#include "lib/event/spec.h"
#include "lib/machine/sysfs.h"
#include "lib/plan/plan.h"

/* Input and output of td_events_plan(), owned by the caller. */
struct td_typing {
	const struct td_request *request;
	const struct td_sysfs *fs;
	struct td_machine *machine; /* gets the PMUs that events name */
	struct td_event_text *text; /* filled in: the parsed -e */
	struct td_target *target;   /* becomes system-wide if events need it */
	struct td_plan *plan;       /* filled in */
	struct td_events *sampled;  /* filled in: events with R; NULL: R is refused */
	struct td_notes *notes;
};

/* Plan the events of -e, -d, --filter and --null. */
int td_events_plan(struct td_typing *t, struct td_err *err);

#endif
