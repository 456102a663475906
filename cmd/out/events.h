/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_OUT_EVENTS_H
#define TD_CMD_OUT_EVENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/count/report.h"

#define TD_CGROUP_WIDTH 16 /* of a cgroup's column */

/* How ids of one kind are shown: perf stat's way. */
struct td_id_kind {
	const char *name; /* over its column, and JSON's key: "cpu" */
	int width;        /* of its column */
	size_t prefix;    /* JSON leaves so much of an id out: "CPU" */
	bool counted;     /* the number of counters stands behind it */
};

/* name NULL: there are no ids. */
const struct td_id_kind *td_out_id_kind(enum td_aggregation how);
/* Of that kind; else it is a row of all, which has none. */
bool td_out_has_id(const struct td_event_row *row);

/* What stands in place of a value; NULL: the value. */
const char *td_out_missing(enum td_status status);

/* The unit alone: "insn per cycle", "of all branches". */
const char *td_out_beside_unit(const struct td_beside *beside);

#endif
