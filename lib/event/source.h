/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_EVENT_SOURCE_H
#define TD_LIB_EVENT_SOURCE_H

#include "lib/base/err.h"
#include "lib/base/suggest.h"
#include "lib/event/tracepoint.h"
#include "lib/machine/pmu.h"

/* Event names that the machine does not have, or not yet. */
struct td_event_source {
	void *ctx;
	/*
	 * Sets *terms ("event=0xc0") of an event in the model's files, or NULL.
	 */
	int (*model_event)(void *ctx, const struct td_pmu *pmu,
			   const char *name, const char **terms,
			   struct td_err *err);
	/*
	 * Offers all names, to correct a wrong one.  Returns NULL, or why some
	 * names are missing.
	 */
	const char *(*offer_names)(void *ctx, struct td_closest *closest);
	/* Like td_tracepoints_find(). */
	int (*tracepoints)(void *ctx, const char *system, const char *name,
			   struct td_tracepoints *out, struct td_err *err);
	/*
	 * Reads more PMUs into the machine: those that the name means (a server
	 * has some 200), or for NULL all, and sets its has_others then.
	 * Pointers to PMUs become invalid.  NULL: there are no more.
	 */
	int (*read_pmus)(void *ctx, const char *name, struct td_err *err);
};

#endif
