/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_RECORDING_LATENCY_LINE_H
#define TD_LIB_RECORDING_LATENCY_LINE_H

#include <json-c/json.h>

#include "lib/recording/recording.h"

/* Reads {"EVENT":[sum,number],...}, which takes the place of what was before. */
int td_recording_read_latencies(struct td_recording *rec,
				struct json_object *object, struct td_err *err);

#endif
