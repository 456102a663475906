/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_EVENT_SOURCE_H
#define TD_LIB_EVENT_SOURCE_H

#include "lib/base/closest.h"
#include "lib/base/err.h"
#include "lib/event/tracepoint.h"
#include "lib/machine/pmu.h"

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

#endif
