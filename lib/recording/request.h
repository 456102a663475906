/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_RECORDING_REQUEST_H
#define TD_LIB_RECORDING_REQUEST_H

#include <json-c/json.h>

#include "lib/event/event.h"
#include "lib/recording/recording.h"

/*
 * Members of an event in a recording of -e: what the event table needs to show
 * it and to choose the ratios that are shown next to counts.
 */
void td_typed_put(struct json_object *object, const struct td_event *event);
/* -EINVAL if a value is of the wrong type or too large; -ENOMEM. */
int td_typed_get(struct json_object *object, struct td_event *event);

/*
 * The members of a recording's first line that say what was requested, how it
 * was aggregated and the names of its cgroups.
 */
void td_recording_put_request(struct json_object *head,
			      const struct td_recording_info *info);
int td_recording_parse_request(struct td_recording *rec,
			       struct json_object *head, struct td_err *err);

#endif
