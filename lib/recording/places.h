/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_RECORDING_PLACES_H
#define TD_LIB_RECORDING_PLACES_H

#include <json-c/json.h>

#include "lib/recording/recording.h"

/* Leaves rec->places NULL if there is no topology, as in older recordings. */
int td_recording_read_places(struct td_recording *rec, struct json_object *head,
			     struct td_err *err);
/* Replaces the topology by that of a line, which has more CPUs. */
int td_recording_read_topology(struct td_recording *rec,
			       struct json_object *line, struct td_err *err);

#endif
