/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_EVENT_TOPDOWN_H
#define TD_LIB_EVENT_TOPDOWN_H

#include "lib/event/text.h"
#include "lib/machine/machine.h"
#include "lib/plan/plan.h"

/*
 * What the kernel refuses of SLOTS and the fields of PERF_METRICS, or, worse,
 * takes for something else (arch/x86/events/intel/core.c,
 * intel_pmu_hw_config()): said before anything is opened.  An error points at
 * the event.
 */
int td_topdown_check(const struct td_plan *plan,
		     const struct td_event_text *text,
		     const struct td_machine *machine, struct td_err *err);

#endif
