/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_FILES_TEXT_H
#define TD_METRICS_FILES_TEXT_H

#include "lib/base/err.h"

/* Reads a whole file.  *text is to be freed even after an error. */
int td_pmu_events_text(const char *path, char **text, struct td_err *err);
/* Like asprintf(3), but returns the text; NULL if memory ran out. */
char *td_aprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Lowers A to Z in place and returns text, which may be NULL. */
char *td_lower(char *text);

#endif
