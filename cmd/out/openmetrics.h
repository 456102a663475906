/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_OUT_OPENMETRICS_H
#define TD_CMD_OUT_OPENMETRICS_H

#include <stdio.h>

#include "metrics/counters/counters.h"

/* Both are what Prometheus reads; only the first has units, types and an end. */
enum td_exposition {
	TD_EXPOSE_OPENMETRICS, /* OpenMetrics 1.0 */
	TD_EXPOSE_TEXT,        /* Prometheus's text format 0.0.4 */
};

#define TD_NR_EXPOSITIONS (TD_EXPOSE_TEXT + 1)

/* Writes all counters as text. */
void td_out_openmetrics(FILE *fp, enum td_exposition how,
			const struct td_counters *counters);
/* What an HTTP header calls the text. */
const char *td_out_openmetrics_type(enum td_exposition how);

#endif
