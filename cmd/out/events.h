/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_OUT_EVENTS_H
#define TD_CMD_OUT_EVENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/count/report.h"

#define TD_CGROUP_WIDTH 16 /* of a cgroup's column */

/* True unless the row is of "all". */
bool td_out_has_id(const struct td_event_row *row);

/* The text in place of a value, or NULL if there is a value. */
const char *td_out_missing(enum td_status status);

/* The unit without blanks and %: "insn per cycle", "of all branches". */
const char *td_out_ratio_unit(const struct td_ratio *ratio);

#endif
