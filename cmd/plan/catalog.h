/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <limits.h>

#include "cmd/request.h"
#include "cmd/view/source.h"
#include "lib/event/resolve.h"
#include "lib/machine/machine.h"
#include "metrics/files/pmu_events.h"

/*
 * All names of events: the event and metric files of the machine's model, and its PMUs other
 * than those of cores, read when they are first needed.
 */
struct td_catalog {
	const struct td_sysfs *fs;  /* borrowed */
	struct td_machine *machine; /* borrowed */
	const char *dir;            /* the user's directory; NULL: the installed one */
	bool read;
	struct td_pmu_events events;
	struct td_err missing;    /* why there are no files */
	struct td_err unreadable; /* why the PMUs could not be read */
	struct td_event_source source;
};

/*
 * Initialize an empty catalog.  metrics_dir: the argument of --metrics-dir, or NULL; fs is NULL for
 * a recording.
 */
void td_catalog_init(struct td_catalog *catalog, const struct td_sysfs *fs,
		     struct td_machine *machine, const char *metrics_dir);
/*
 * Read the files unless they have been read.  A model without files is not an error: missing
 * contains the reason.
 */
int td_catalog_read(struct td_catalog *catalog, struct td_err *err);
void td_catalog_free(struct td_catalog *catalog);

/*
 * --model: make up a machine of the named model.  The name is a directory of the files
 * ("alderlake"), one of the table ("Alder Lake"), or an identity ("GenuineIntel-6-97", with
 * or without a stepping).  An unknown name is a usage error with similar names as the hint.
 * This machine is not read: fs finds no file.
 */
int td_select_model(struct td_sysfs *fs, struct td_machine *machine,
		    const struct td_request *request, struct td_err *err);

/*
 * find_facts() of a struct td_source whose facts_ctx is a struct td_catalog.  It reads the files
 * if necessary; without them there are no facts.
 */
void td_facts_find(void *ctx, const char *pmu, const char *metric, struct td_metric_facts *facts);
