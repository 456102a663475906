/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_RECORDING_LINES_H
#define TD_LIB_RECORDING_LINES_H

#include "lib/recording/recording.h"

/* Reads the format that write.c writes from rec->fp, line by line. */

/* Reads the first line into rec. */
int td_recording_read_head(struct td_recording *rec, struct td_err *err);
/* Reads a line into an object, which the caller frees.  Returns 1 at the end. */
struct json_object;
int td_recording_next_line(struct td_recording *rec, struct json_object **line,
			   struct td_err *err);
/* Reads what "end" is; returns 1, if it is right. */
int td_recording_read_end(struct td_recording *rec, struct json_object *end,
			  struct td_err *err);
/* Does the same as td_recording_next(). */
int td_recording_read_interval(struct td_recording *rec, uint64_t *time_ns,
			       struct td_readings *readings,
			       struct td_err *err);

#endif
