// SPDX-License-Identifier: GPL-2.0-only
/* Reads the course of an interval: a line for each point, before its counts. */
#include "lib/recording/sums.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/base/json_member.h"
#include "lib/recording/fill.h"

#define MAX_SUM (INT64_MAX - 1)

static bool parse_sum(struct json_object *array, struct td_reading *out)
{
	int64_t n[3];

	if (!json_object_is_type(array, json_type_array) ||
	    json_object_array_length(array) != 3)
		return false;
	for (size_t i = 0; i < 3; i++) {
		if (!td_json_whole(json_object_array_get_idx(array, i), 0,
				   MAX_SUM, &n[i]))
			return false;
	}
	*out = (struct td_reading){
		.value = (uint64_t)n[0],
		.enabled_ns = (uint64_t)n[1],
		.running_ns = (uint64_t)n[2],
	};
	return n[2] <= n[1];
}

static bool parse_sums(struct json_object *sums, struct td_readings *out)
{
	for (size_t i = 0; i < out->nr; i++) {
		if (!parse_sum(json_object_array_get_idx(sums, i), &out->v[i]))
			return false;
	}
	return true;
}

/* Did no sum get smaller since the last point? */
static bool goes_on(const struct td_course *course,
		    const struct td_readings *sums)
{
	const struct td_course_point *last;

	if (!course->nr)
		return true;
	last = &course->points[course->nr - 1];
	if (sums->nr < last->nr)
		return false;
	for (size_t i = 0; i < last->nr; i++) {
		const struct td_course_sum *sum = &last->v[i];

		if (sums->v[i].value < sum->value ||
		    sums->v[i].enabled_ns < sum->enabled_ns ||
		    sums->v[i].running_ns < sum->running_ns)
			return false;
	}
	return true;
}

int td_recording_read_sums(struct td_recording *rec, struct json_object *line,
			   struct json_object *sums, struct td_err *err)
{
	struct td_readings point = { 0 };
	uint64_t time_ns;
	int rc;

	/* as td_batched_end() has it: of calls, or of samples */
	rec->course.samples = rec->regions.nr > 0;
	if (rec->course.nr == TD_COURSE_POINTS)
		return td_recording_bad(rec, err,
					"too many points before an interval");
	if (!td_json_seconds(line, "so_far", &time_ns) ||
	    (rec->course.nr &&
	     time_ns + rec->base_ns <
		     rec->course.points[rec->course.nr - 1].time_ns))
		return td_recording_bad(rec, err,
					"\"sums\" need a later so_far");
	if (td_recording_resize(&point, json_object_array_length(sums)))
		return td_err_nomem(err);
	if (!parse_sums(sums, &point) || !goes_on(&rec->course, &point))
		rc = td_recording_bad(rec, err,
				      "\"sums\" are not [value, enabled, "
				      "running], none smaller than before");
	else
		rc = td_course_add(&rec->course, &point, time_ns + rec->base_ns)
			     ? td_err_nomem(err)
			     : 0;
	free(point.v);
	return rc;
}

int td_recording_check_course(const struct td_recording *rec,
			      const struct td_readings *readings,
			      struct td_err *err)
{
	if (goes_on(&rec->course, readings))
		return 0;
	return td_recording_bad(rec, err,
				"the counts are less than the sums before");
}
