/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_RECORDING_HEAD_H
#define TD_LIB_RECORDING_HEAD_H

#include <json-c/json.h>

#include "lib/recording/recording.h"

/* Replaces the topology by that of a line, which has more CPUs. */
int td_recording_read_topology(struct td_recording *rec,
			       struct json_object *line, struct td_err *err);

/* Fills rec with what a recording's first line says. */
int td_recording_parse_head(struct td_recording *rec, struct json_object *head,
			    struct td_err *err);

#endif
