/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_RECORDING_SUMS_H
#define TD_LIB_RECORDING_SUMS_H

#include <json-c/json.h>

#include "lib/recording/recording.h"

/* Adds a point, {"so_far":0.1,"sums":[[value,enabled,running]...]}, to rec->course. */
int td_recording_read_sums(struct td_recording *rec, struct json_object *line,
			   struct json_object *sums, struct td_err *err);
/* An error if the counts of the interval do not go on from its course. */
int td_recording_check_course(const struct td_recording *rec,
			      const struct td_readings *readings,
			      struct td_err *err);

#endif
