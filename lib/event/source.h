/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "lib/base/suggest.h"
#include "lib/event/tracepoint.h"
#include "lib/machine/pmu.h"

/* Event names beyond those of the machine. */
struct td_event_source {
	void *ctx;
	/* Sets *terms to those of an event in the model's files ("event=0xc0"), or NULL. */
	int (*model_event)(void *ctx, const struct td_pmu *pmu, const char *name,
			   const char **terms, struct td_err *err);
	/* Offers all names to closest.  Returns NULL, or the reason why some are missing. */
	const char *(*offer_names)(void *ctx, struct td_closest *closest);
	/* Like td_tracepoints_find(). */
	int (*tracepoints)(void *ctx, const char *system, const char *name,
			   struct td_tracepoints *out, struct td_err *err);
	/*
	 * Reads more PMUs into the machine: those that the name means, because a server has
	 * about 200.  If name is NULL, reads all and sets the machine's has_others.  Pointers
	 * to PMUs become invalid.  The member is NULL if there are no more PMUs.
	 */
	int (*read_pmus)(void *ctx, const char *name, struct td_err *err);
};
