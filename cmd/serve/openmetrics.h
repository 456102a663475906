/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_SERVE_OPENMETRICS_H
#define TD_CMD_SERVE_OPENMETRICS_H

#include <stdio.h>

#include "cmd/serve/counters.h"

/* Formats that Prometheus reads. */
enum td_exposition {
	TD_EXPOSE_OPENMETRICS, /* OpenMetrics 1.0 */
	TD_EXPOSE_TEXT,        /* Prometheus's text format 0.0.4 */
};

#define TD_NR_EXPOSITIONS (TD_EXPOSE_TEXT + 1)

/* Write all counters as text. */
void td_out_openmetrics(FILE *fp, enum td_exposition how, const struct td_counters *counters);
/* Return the content type for the HTTP header. */
const char *td_out_openmetrics_type(enum td_exposition how);

#endif
