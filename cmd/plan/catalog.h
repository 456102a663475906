/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_PLAN_CATALOG_H
#define TD_CMD_PLAN_CATALOG_H

#include "lib/event/resolve.h"
#include "metrics/files/pmu_events.h"

/*
 * The names that this machine's model has: read when the first one is wanted.
 * Free with td_catalog_free().
 */
struct td_catalog {
	const struct td_sysfs *fs; /* borrowed, as is the machine */
	struct td_machine *machine;
	const char *dir; /* the user's; NULL: that of the program */
	bool read;
	struct td_pmu_events events;
	struct td_err missing; /* why there are none */
	struct td_event_source source;
};

/* metrics_dir: of --metrics-dir, or NULL. */
void td_catalog_init(struct td_catalog *catalog, const struct td_sysfs *fs,
		     struct td_machine *machine, const char *metrics_dir);
/* Reads the files now.  A model without files is none: missing says so. */
int td_catalog_read(struct td_catalog *catalog, struct td_err *err);
/*
 * td_event_resolve() with the core PMUs, which nearly always have all that is
 * asked for; with all others that fs has, if they do not.
 */
int td_catalog_resolve(struct td_catalog *catalog, struct td_plan *plan,
		       const struct td_event_text *text, struct td_notes *notes,
		       struct td_err *err);
void td_catalog_free(struct td_catalog *catalog);

#endif
