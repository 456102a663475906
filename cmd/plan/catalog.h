/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_PLAN_CATALOG_H
#define TD_CMD_PLAN_CATALOG_H

#include "lib/event/resolve.h"
#include "metrics/files/pmu_events.h"

/*
 * The event and metric files of this machine's model, read when they are first
 * needed.  Free with td_catalog_free().
 */
struct td_catalog {
	const struct td_sysfs *fs; /* borrowed, like the machine */
	struct td_machine *machine;
	const char *dir; /* the user's folder; NULL: the installed one */
	bool read;
	struct td_pmu_events events;
	struct td_err missing; /* why there are no files */
	struct td_event_source source;
};

/* metrics_dir: the argument of --metrics-dir, or NULL. */
void td_catalog_init(struct td_catalog *catalog, const struct td_sysfs *fs,
		     struct td_machine *machine, const char *metrics_dir);
/*
 * Reads the files if that was not done.  A model without files is no error:
 * missing has the reason.
 */
int td_catalog_read(struct td_catalog *catalog, struct td_err *err);
/*
 * Calls td_event_resolve() with the core PMUs, which nearly always have all
 * events of text, and again with all PMUs of fs if they do not.
 */
int td_catalog_resolve(struct td_catalog *catalog, struct td_events *events,
		       const struct td_event_text *text, struct td_notes *notes,
		       struct td_err *err);
void td_catalog_free(struct td_catalog *catalog);

#endif
