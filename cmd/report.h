/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_REPORT_H
#define TD_CMD_REPORT_H

#include "cmd/opts/opts.h"

/* tdstat report: a recording through the same formulas and writers. */
int td_report_run(const struct td_opts *opts, struct td_err *err);

#endif
