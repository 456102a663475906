/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

/* The parts that read and write a recording. */
#include <json-c/json.h>

#include "lib/count/regions.h"
#include "lib/event/event.h"
#include "lib/machine/machine.h"
#include "lib/recording/recording.h"

/* --- request.c: the request, in the first line ---------------------------- */

/*
 * Write the members of an event that only recordings of -e contain: the event table needs them
 * to show it and to choose the ratios beside counts.
 */
void td_typed_put(struct json_object *object, const struct td_event *event);
/* Read what td_typed_put() wrote.  Returns -EINVAL for a wrong type or a value out of range. */
int td_typed_get(struct json_object *object, struct td_event *event);

/*
 * Write the members of the first line: the request, its aggregation and the names of its cgroups.
 */
void td_recording_put_request(struct json_object *head, const struct td_recording_info *info);
/* Read what td_recording_put_request() wrote. */
int td_recording_parse_request(struct td_recording *rec, struct json_object *head,
			       struct td_err *err);

/* --- region_line.c -------------------------------------------------------- */

/* Read the line with the regions of the counts that follow. */
int td_recording_read_regions(struct td_recording *rec, struct json_object *line,
			      struct td_err *err);

/* --- lines.c: the format that write.c writes, read from rec->fp ----------- */

/* Read the first line into rec. */
int td_recording_read_head(struct td_recording *rec, struct td_err *err);
/* Read a line into an object, which the caller frees.  Returns 1 at the end. */
int td_recording_next_line(struct td_recording *rec, struct json_object **line, struct td_err *err);
/* Read the end line.  Returns 1 if it is valid. */
int td_recording_read_end(struct td_recording *rec, struct json_object *end, struct td_err *err);
/* Implements td_recording_next() for recordings. */
int td_recording_read_interval(struct td_recording *rec, uint64_t *time_ns,
			       struct td_readings *readings, struct td_err *err);
