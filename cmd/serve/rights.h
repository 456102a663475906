/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_SERVE_RIGHTS_H
#define TD_CMD_SERVE_RIGHTS_H

#include "lib/base/err.h"

/*
 * Gives up all capabilities but CAP_PERFMON, if we have it, for good: of this
 * thread and of those that it starts.  Counters that are open stay so.
 */
int td_rights_drop(struct td_err *err);

#endif
