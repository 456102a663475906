/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_FILES_TEXT_H
#define TD_METRICS_FILES_TEXT_H

#include "lib/base/err.h"

/* The whole file; *text to be freed, whatever the result. */
int td_pmu_events_text(const char *path, char **text, struct td_err *err);
/* As asprintf(3); NULL: out of memory. */
char *td_aprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* A to Z in place, returned; NULL stays NULL. */
char *td_lower(char *text);

#endif
