/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_FILES_TEXT_H
#define TD_METRICS_FILES_TEXT_H

#include "lib/base/err.h"
#include "metrics/files/pmu_events.h"

/* Reads a whole file.  *text is to be freed even after an error. */
int td_pmu_events_text(const char *path, char **text, struct td_err *err);
/* Like asprintf(3), but returns the text; NULL if memory ran out. */
char *td_aprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Lowers A to Z in place and returns text, which may be NULL. */
char *td_lower(char *text);

/*
 * The events of "... Sample with: A.B_PS;C.D. Related metrics: ..." as "A.B;C.D",
 * to be freed; NULL if the description names none.  Returns 0 or -ENOMEM.
 */
int td_sample_from_words(const char *desc, char **out);
/* The same of "A.B_PS;C.D" alone. */
int td_sample_names(const char *text, char **out);

/*
 * Sets metric->unit, if the file has no ScaleUnit, to the unit that the
 * description or name tells ("1GB/s"), provided the formula agrees.
 */
int td_unit_from_words(struct td_model_metric *metric, struct td_err *err);

#endif
