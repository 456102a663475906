/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_RECORDING_REGION_LINE_H
#define TD_LIB_RECORDING_REGION_LINE_H

#include "lib/recording/recording.h"

struct json_object;

/* Reads the line with the regions that the counts behind it refer to. */
int td_recording_read_regions(struct td_recording *rec,
			      struct json_object *line, struct td_err *err);

#endif
