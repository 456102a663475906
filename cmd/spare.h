/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_SPARE_H
#define TD_CMD_SPARE_H

#include "cmd/opts/opts.h"

/*
 * An error if a file that a result shall replace, or be appended to, holds a
 * recording: that may be all that is left of a run.  Only --force, and tdstat
 * record for its own, write over one.
 */
int td_spare_recordings(const struct td_opts *opts, struct td_err *err);

#endif
