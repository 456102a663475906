/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_PLAN_EVENTS_H
#define TD_CMD_PLAN_EVENTS_H

#include "cmd/opts/opts.h"
#include "lib/base/notes.h"
#include "lib/event/text.h"
#include "lib/machine/sysfs.h"
#include "lib/plan/plan.h"

/* What was typed becomes a plan; all of it is the caller's. */
struct td_typing {
	const struct td_opts *opts;
	const struct td_sysfs *fs;
	struct td_machine *machine; /* PMUs are added that events name */
	struct td_event_text *text; /* filled in: what -e said */
	struct td_target *target;   /* the whole machine, if events need it */
	struct td_plan *plan;       /* filled in */
	struct td_notes *notes;
};

/* -e, -d, --filter and --null -> the plan. */
int td_events_plan(struct td_typing *t, struct td_err *err);

#endif
