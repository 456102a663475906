/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_RECORDING_TYPED_H
#define TD_LIB_RECORDING_TYPED_H

#include <json-c/json.h>

#include "lib/event/event.h"

/*
 * What a recording of -e says of an event beyond its name: all that the event
 * table shows, and the ratios beside the counts are told by.
 */
void td_typed_put(struct json_object *object, const struct td_event *event);
/* -EINVAL: what is there makes no sense; -ENOMEM. */
int td_typed_get(struct json_object *object, struct td_event *event);

#endif
