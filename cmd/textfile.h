/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_TEXTFILE_H
#define TD_CMD_TEXTFILE_H

#include "cmd/opts/opts.h"

/*
 * --openmetrics: counts as tdstat does, and replaces opts->show.output by the counters
 * so far at each interval, as a whole.  It is in Prometheus's text format if its
 * name ends in ".prom", else in OpenMetrics.
 */
int td_textfile_run(const struct td_opts *opts, int *status,
		    struct td_err *err);

#endif
