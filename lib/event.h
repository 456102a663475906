/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_EVENT_H
#define TD_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/pmu.h"

/* One event on one PMU. */
struct td_event {
	char *name; /* an event string: "cpu_core/topdown-retiring/" */
	int pmu;    /* index of its PMU in the machine */
	uint32_t type;
	uint64_t config[TD_NR_CONFIGS];
	double scale; /* of sysfs' .scale file, else 1 */
};

/*
 * id on pmu: an event that sysfs names (terms NULL), or terms such as
 * "event=0xad,umask=0x10" called id.  index is the PMU's in its machine.
 * -ENOENT: pmu has no such event or term; -ERANGE: a value too large for its
 * bits.  Pure.  Free with td_event_free(), whatever the result.
 */
int td_event_init(struct td_event *event, const struct td_pmu *pmu, int index,
		  const char *id, const char *terms, struct td_err *err);
void td_event_free(struct td_event *event);

/* SLOTS, and a field of PERF_METRICS, which only counts in a group of it. */
bool td_event_is_slots(const struct td_event *event);
bool td_event_is_metric(const struct td_event *event);

#endif
