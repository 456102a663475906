/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_FILES_TEXT_H
#define TD_METRICS_FILES_TEXT_H

#include "lib/base/err.h"
#include "metrics/files/pmu_events.h"

/* Reads a whole file.  The caller frees *text, even after an error. */
int td_pmu_events_text(const char *path, char **text, struct td_err *err);
/* Converts A to Z to lower case in place.  Returns text, which may be NULL. */
char *td_lower(char *text);

/*
 * Returns "A.B;C.D" for the description "... Sample with: A.B_PS;C.D. Related metrics: ...",
 * or NULL if it names no events.  The caller frees it.
 */
char *td_sample_from_words(const char *desc);

/*
 * If the file has no ScaleUnit, sets metric->unit to the unit in the description or name ("1GB/s"),
 * provided the formula agrees.
 */
void td_unit_from_words(struct td_model_metric *metric);

#endif
