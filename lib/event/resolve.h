/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_EVENT_RESOLVE_H
#define TD_LIB_EVENT_RESOLVE_H

#include "lib/base/err.h"
#include "lib/base/suggest.h"
#include "lib/event/event.h"
#include "lib/event/spec.h"
#include "lib/event/tracepoint.h"
#include "lib/machine/machine.h"

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

/*
 * Append the events of a text: one for each PMU that a name means, in the order of the
 * machine's PMUs, without skipped ones.  Pure, except that source may read more PMUs into the
 * machine.  An error points at the wrong word.
 */
int td_event_resolve(struct td_events *events, const struct td_event_text *text,
		     const struct td_machine *machine, const struct td_event_source *source,
		     struct td_notes *notes, struct td_err *err);

#endif
