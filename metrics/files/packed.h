/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_FILES_PACKED_H
#define TD_METRICS_FILES_PACKED_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>

#include "metrics/files/pmu_events.h"

/*
 * The form in which the files are installed: what is read of the kernel's, and
 * nothing else.  That is 6 MB, where the kernel's JSON has 20 without its blanks
 * (12 without the members that are never read), and a model's metrics are listed
 * with a third of the instructions.  The folders, and the names of the files, are the same.  A file
 * is one object, whose members may be missing:
 *
 * {"events":{"cpu_core":[["inst_retired.any","event=0xc0",1234], ...]},
 *  "metrics":[["tma_retiring","cpu_core","TopdownL1;tma_L1_group",5678,"100%",
 *              "FORMULA","THRESHOLD","A.B;C.D",0], ...]}
 *
 * An event has name, terms, description and, if known, the mean of its retire
 * latency; a metric what is in struct td_model_metric.  null: there is none.  A
 * description is the place in <root>/descriptions where its line begins, as many
 * models share it.
 */

#define TD_DESCRIPTIONS "descriptions"

/* Is it such a file, from its text? */
bool td_is_packed(const char *text);
/* Has it no metrics?  An escape could hide them. */
bool td_packed_has_only_events(const char *text);
/*
 * Adds the events and metrics of a file that was parsed; path, "<root>/MODEL/F",
 * is for messages, and where the descriptions are found.  Returns -EINVAL if it is
 * not of that form.
 */
int td_packed_add(struct td_pmu_events *out, const char *path,
		  const char *topic, struct json_object *file,
		  struct td_err *err);
void td_descriptions_close(struct td_pmu_events *events);

#endif
