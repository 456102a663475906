/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_OUT_EVENTS_H
#define TD_OUT_EVENTS_H

#include <stddef.h>

#include "lib/report.h"

/* How ids of one kind are shown. */
struct td_id_kind {
	const char *name; /* over its column, and JSON's key: "cpu" */
	int width;        /* of its column */
	size_t prefix;    /* so much of an id says the kind: "CPU" */
};

/* NULL: "all", which no id is shown for. */
const struct td_id_kind *td_out_id_kind(const char *id);

/* What stands in place of a value; NULL: the value. */
const char *td_out_missing(enum td_status status);

/* The unit alone: "insn per cycle", "of all branches". */
const char *td_out_beside_unit(const struct td_beside *beside);

#endif
