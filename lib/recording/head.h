/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_RECORDING_HEAD_H
#define TD_LIB_RECORDING_HEAD_H

#include <json-c/json.h>

#include "lib/recording/recording.h"

/* Fills rec with what a recording's first line says. */
int td_recording_parse_head(struct td_recording *rec, struct json_object *head,
			    struct td_err *err);

#endif
