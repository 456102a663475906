/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_OUT_TIME_H
#define TD_CMD_OUT_TIME_H

#include <stdint.h>

#include "cmd/out/frame.h"

struct json_object;

#define TD_CLOCK_SIZE 96

/*
 * The end of a row: seconds since the start ("" if perf's file does not tell
 * it), or the wall-clock time as RFC 3339 has it, with milliseconds and the zone:
 * 2026-11-23T09:10:11.123+00:00; or seconds since 1970.
 */
const char *td_out_time(char buf[TD_CLOCK_SIZE], const struct td_frame *frame,
			uint64_t time_ns);
/* The width of the column, which is this one for seconds. */
int td_out_time_width(const struct td_frame *frame, int of_seconds);
/* A number, or a string if it is a wall-clock time. */
void td_out_json_time(struct json_object *to, const char *key,
		      const struct td_frame *frame, uint64_t time_ns);

#endif
