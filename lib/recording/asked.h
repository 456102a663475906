/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_RECORDING_ASKED_H
#define TD_LIB_RECORDING_ASKED_H

#include <json-c/json.h>

#include "lib/recording/recording.h"

/* Reads what was asked for, and the cgroups, from a recording's first line. */
int td_recording_parse_asked(struct td_recording *rec, struct json_object *head,
			     struct td_err *err);

#endif
