// SPDX-License-Identifier: GPL-2.0-only
/* The time of a row. */
#include "cmd/output/frame.h"

#include <json-c/json.h>
#include <time.h>

#include "lib/base/json.h"
#include "lib/base/number.h"

#define WALL_WIDTH  29
#define EPOCH_WIDTH 20

/* Format a wall-clock time.  strftime() would write the zone without a colon. */
static const char *format_wall(char buf[TD_CLOCK_SIZE], uint64_t ns)
{
	uint64_t ms = ns / TD_NS_A_MS;
	time_t seconds = (time_t)(ms / 1000);
	struct tm tm = { 0 };
	int zone;

	localtime_r(&seconds, &tm);
	zone = (int)(tm.tm_gmtoff / 60);
	snprintf(buf, TD_CLOCK_SIZE, "%04d-%02d-%02dT%02d:%02d:%02d.%03d%c%02d:%02d",
		 tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec,
		 (int)(ms % 1000), zone < 0 ? '-' : '+', abs(zone) / 60, abs(zone) % 60);
	return buf;
}

const char *td_time_format_name(enum td_time_format format)
{
	static const char *const names[TD_NR_TIME_FORMATS] = {
		[TD_TIME_SECONDS] = "seconds",
		[TD_TIME_WALL] = "wall",
		[TD_TIME_EPOCH] = "epoch",
	};

	return names[format];
}

const char *td_out_time(char buf[TD_CLOCK_SIZE], const struct td_frame *frame, uint64_t time_ns)
{
	if (frame->time == TD_TIME_WALL)
		return format_wall(buf, frame->start_ns + time_ns);
	if (frame->time == TD_TIME_EPOCH)
		return td_format_seconds(buf, frame->start_ns + time_ns);
	return frame->of_perf && !time_ns ? "" : td_format_seconds(buf, time_ns);
}

int td_out_time_width(const struct td_frame *frame, int of_seconds)
{
	static const int widths[TD_NR_TIME_FORMATS] = {
		[TD_TIME_WALL] = WALL_WIDTH,
		[TD_TIME_EPOCH] = EPOCH_WIDTH,
	};

	return widths[frame->time] ? widths[frame->time] : of_seconds;
}
