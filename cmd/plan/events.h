/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_PLAN_EVENTS_H
#define TD_CMD_PLAN_EVENTS_H

#include "cmd/run/run.h"

/* -e, -d, --filter and --null -> the run's plan. */
int td_events_plan(struct td_run *run, struct td_err *err);

#endif
