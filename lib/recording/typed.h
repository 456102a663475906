/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_RECORDING_TYPED_H
#define TD_LIB_RECORDING_TYPED_H

#include <json-c/json.h>

#include "lib/event/event.h"

/*
 * Members of an event in a recording of -e: what the event table needs to show
 * it and to choose the ratios that are shown next to counts.
 */
void td_typed_put(struct json_object *object, const struct td_event *event);
/* -EINVAL if a value is of the wrong type or too large; -ENOMEM. */
int td_typed_get(struct json_object *object, struct td_event *event);

#endif
