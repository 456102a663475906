/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_RECORDING_TYPED_H
#define TD_LIB_RECORDING_TYPED_H

#include <json-c/json.h>

#include "lib/event/event.h"

/*
 * What a recording of -e says of an event beyond its name: what the event table
 * shows, and what decides which ratios stand beside the counts.
 */
void td_typed_put(struct json_object *object, const struct td_event *event);
/* -EINVAL: a value is of the wrong type or too large, or there is no memory. */
int td_typed_get(struct json_object *object, struct td_event *event);

#endif
