/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_EVENT_TOPDOWN_H
#define TD_LIB_EVENT_TOPDOWN_H

#include "lib/event/event.h"
#include "lib/event/text.h"
#include "lib/machine/machine.h"

/*
 * Finds uses of SLOTS and the fields of PERF_METRICS that the kernel would
 * refuse, or would take for something else (intel_pmu_hw_config() in
 * arch/x86/events/intel/core.c).  An error points at the event.
 */
int td_topdown_check(const struct td_events *events,
		     const struct td_event_text *text,
		     const struct td_machine *machine, struct td_err *err);

#endif
