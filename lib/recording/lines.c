// SPDX-License-Identifier: GPL-2.0-only
/* JSON, a line an interval: what tdstat-recording(5) describes. */
#include "lib/recording/parts.h"

#include <errno.h>
#include <json-c/json.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/compress.h"
#include "lib/base/json.h"
#include "lib/base/number.h"
#include "lib/base/util.h"
#include "lib/recording/fill.h"
#include "lib/recording/recording.h"

/* --- the course of an interval: a line for each point, before its counts ---- */

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

/* Adds a point, {"so_far":0.1,"sums":[[value,enabled,running]...]}, to rec->course. */
static int recording_read_sums(struct td_recording *rec,
			       struct json_object *line,
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

/* An error if the counts of the interval do not go on from its course. */
static int recording_check_course(const struct td_recording *rec,
				  const struct td_readings *readings,
				  struct td_err *err)
{
	if (goes_on(&rec->course, readings))
		return 0;
	return td_recording_bad(rec, err,
				"the counts are less than the sums before");
}

/* --- the recording -------------------------------------------------------- */

#define MAX_LINE  (64 << 20) /* a line of 1,024 CPUs and 100 events is 6 MB */
#define MAX_DEPTH 8
/* json-c reads every larger number as INT64_MAX, so INT64_MAX is refused. */
#define MAX_COUNT (INT64_MAX - 1)
#define MOST_EACH 65535 /* cycles: the field of a record has 16 bits */

static int bad(const struct td_recording *rec, struct td_err *err,
	       const char *what)
{
	return td_recording_bad(rec, err, what);
}

static int read_error(const struct td_recording *rec, struct td_err *err)
{
	const char *why = rec->zstd ? td_zstd_why(rec->zstd) : NULL;

	if (why)
		return td_err_set(err, -EINVAL,
				  "%s: cannot be unpacked behind line %zu: %s",
				  rec->path, rec->line, why);
	return td_err_set(err, -EIO, "%s: %s", rec->path, strerror(errno));
}

/* Returns 1 at the end.  Text without a line feed was cut off. */
static int next_line(struct td_recording *rec, struct td_err *err)
{
	size_t len = 0;
	int c;

	while ((c = getc(rec->fp)) != EOF && c != '\n') {
		if (len == MAX_LINE)
			return bad(rec, err, "a line of more than 64 MiB");
		if (len + 1 >= rec->size) {
			size_t size = rec->size ? rec->size * 2 : 4096;
			char *text = realloc(rec->text, size);

			if (!text)
				return td_err_nomem(err);
			rec->text = text;
			rec->size = size;
		}
		rec->text[len++] = (char)c;
	}
	if (ferror(rec->fp))
		return read_error(rec, err);
	if (c == EOF) {
		rec->cut_off = len > 0;
		return 1;
	}
	rec->line++;
	if (!len)
		return bad(rec, err, "an empty line");
	rec->text[len] = '\0';
	return strlen(rec->text) == len ? 0 : bad(rec, err, "a NUL byte");
}

static int parse_line(struct td_recording *rec, struct json_object **out,
		      struct td_err *err)
{
	struct td_json_fault fault;
	int rc = td_json_text(rec->text, MAX_DEPTH, JSON_TOKENER_STRICT, out,
			      &fault);

	if (!rc && json_object_is_type(*out, json_type_object))
		return 0;
	json_object_put(*out);
	*out = NULL;
	if (rc == -ENOMEM)
		return td_err_nomem(err);
	if (!rc)
		return bad(rec, err, "not a JSON object");
	td_err_set(err, rc, "%s:%zu:%zu: not JSON: %s", rec->path, rec->line,
		   fault.at + 1, fault.why);
	return rec->line > 1 ? rc
			     : td_err_hint(err, "it is neither a recording of "
						"tdstat nor what perf stat -x "
						"or -j wrote");
}

int td_recording_next_line(struct td_recording *rec, struct json_object **line,
			   struct td_err *err)
{
	int rc = next_line(rec, err);

	return rc ? rc : parse_line(rec, line, err);
}

int td_recording_read_head(struct td_recording *rec, struct td_err *err)
{
	struct json_object *head;
	int rc = td_recording_next_line(rec, &head, err);

	if (rc > 0)
		return td_err_set(err, -EINVAL,
				  "%s: not a recording: it has "
				  "no whole line",
				  rec->path);
	if (rc)
		return rc;
	rc = td_recording_parse_head(rec, head, err);
	json_object_put(head);
	return rc;
}

/* -1 means none, also for the cgroup in a reading that has a life. */
static const struct {
	int64_t min, max;
} reading_limits[] = {
	{ 0, INT_MAX },     /* event */
	{ -1, TD_MAX_CPU }, /* CPU */
	{ -1, INT_MAX },    /* TID */
	{ 0, MAX_COUNT },   /* value */
	{ 0, MAX_COUNT },   /* time enabled */
	{ 0, MAX_COUNT },   /* time running */
	{ -1, INT_MAX },    /* cgroup */
	{ 1, INT_MAX },     /* life: 2 is the second task of this TID */
	{ 0, INT_MAX },     /* region */
};

static bool parse_reading(const struct td_recording *rec,
			  struct json_object *array, struct td_reading *out)
{
	int64_t n[TD_ARRAY_SIZE(reading_limits)] = { 0 };
	size_t nr;

	if (!json_object_is_type(array, json_type_array))
		return false;
	nr = json_object_array_length(array);
	if (nr < 6 || nr > TD_ARRAY_SIZE(n))
		return false;
	for (size_t i = 0; i < nr; i++) {
		if (!td_json_whole(json_object_array_get_idx(array, i),
				   reading_limits[i].min, reading_limits[i].max,
				   &n[i]))
			return false;
	}
	if ((size_t)n[0] >= rec->plan.events.nr || n[5] > n[4] ||
	    (nr == 7 && (n[6] < 0 || (size_t)n[6] >= rec->info.nr_cgroups)) ||
	    (nr >= 8 && (n[6] != -1 || n[2] < 0)) || (nr == 8 && n[7] < 2) ||
	    (nr == 9 && (size_t)n[8] >= rec->regions.nr))
		return false;
	*out = (struct td_reading){
		(int)n[0],
		(int)n[1],
		(int)n[2],
		(uint64_t)n[3],
		(uint64_t)n[4],
		(uint64_t)n[5],
		nr == 7 ? (int)n[6] + 1 : 0,
		nr >= 8 ? (int)n[7] - 1 : 0,
		nr == 9 ? (int)n[8] + 1 : 0,
	};
	return true;
}

/* Reads user and system time: both must be there, or none. */
static int read_cpu_times(const struct td_recording *rec,
			  struct json_object *from, bool *has,
			  uint64_t *user_ns, uint64_t *sys_ns,
			  struct td_err *err)
{
	*has = json_object_object_get_ex(from, "user", NULL) ||
	       json_object_object_get_ex(from, "sys", NULL);
	if (!*has || (td_json_seconds(from, "user", user_ns) &&
		      td_json_seconds(from, "sys", sys_ns)))
		return 0;
	return bad(rec, err, "\"user\" and \"sys\" are not both times");
}

static int read_times(struct td_recording *rec, struct json_object *line,
		      uint64_t time_ns, struct td_err *err)
{
	struct td_times *times = &rec->times;

	if (td_recording_set_time(rec, time_ns))
		return bad(rec, err, "the time goes backwards");
	if (!td_json_seconds(line, "unsure", &times->unsure_ns))
		times->unsure_ns = 0;
	return read_cpu_times(rec, line, &times->has_cpu_times, &times->user_ns,
			      &times->system_ns, err);
}

static int read_counts(struct td_recording *rec, struct json_object *line,
		       uint64_t *time_ns, struct td_readings *readings,
		       struct td_err *err)
{
	struct json_object *counts =
		td_json_member(line, "counts", json_type_array);
	size_t nr = counts ? json_object_array_length(counts) : 0;
	struct td_reading *v;

	if (td_json_member(line, "samples", json_type_object))
		return td_err_set(err, -EINVAL,
				  "%s has samples: report --locate or "
				  "--profile shows them",
				  rec->path);
	if (!counts || !td_json_seconds(line, "time", time_ns))
		return bad(rec, err,
			   "neither counts with a time nor an end "
			   "line");
	*time_ns += rec->base_ns;
	if (read_times(rec, line, *time_ns, err))
		return err->code;
	if (td_recording_resize(readings, nr))
		return td_err_nomem(err);
	v = readings->v;
	for (size_t i = 0; i < nr; i++) {
		if (!parse_reading(rec, json_object_array_get_idx(counts, i),
				   &v[i]) ||
		    (v[i].cpu < 0) != (v[0].cpu < 0) ||
		    (v[i].tid < 0) != (v[0].tid < 0))
			return td_err_set(err, -EINVAL,
					  "%s:%zu: counts[%zu] is not [event, "
					  "cpu, tid, value, enabled, running]",
					  rec->path, rec->line, i);
		if (rec->regions.nr && !v[i].region)
			return td_err_set(err, -EINVAL,
					  "%s:%zu: counts[%zu] is of no region",
					  rec->path, rec->line, i);
	}
	return recording_check_course(rec, readings, err);
}

/* Only blanks may follow the end line: then returns 1. */
static int check_rest(struct td_recording *rec, struct td_err *err)
{
	int c;

	rec->line++;
	while ((c = getc(rec->fp)) != EOF) {
		if (c == '\n')
			rec->line++;
		else if (c != ' ' && c != '\t' && c != '\r')
			return bad(rec, err, "something follows the end line");
	}
	return ferror(rec->fp) ? read_error(rec, err) : 1;
}

int td_recording_read_end(struct td_recording *rec, struct json_object *end,
			  struct td_err *err)
{
	struct td_usage *usage = &rec->usage;

	if (!td_json_seconds(end, "elapsed", &usage->elapsed_ns))
		return bad(rec, err, "\"end\" needs elapsed");
	rec->ended = true;
	if (read_cpu_times(rec, end, &usage->has_times, &usage->user_ns,
			   &usage->sys_ns, err))
		return err->code;
	/* of several files, they would be those of the last one */
	usage->has_times = usage->has_times && !rec->base_ns;
	usage->elapsed_ns += rec->base_ns;
	return check_rest(rec, err);
}

/* "123", or "123#2" for the second task of that TID */
static bool parse_task(const char *key, int *tid, int *life)
{
	char number[16];
	size_t len = strcspn(key, "#");

	*life = 1;
	if (len >= sizeof(number))
		return false;
	*(char *)mempcpy(number, key, len) = '\0';
	if (key[len] && td_parse_int(key + len + 1, 2, INT_MAX, life))
		return false;
	(*life)--;
	return td_parse_int(number, 0, INT_MAX, tid) == 0;
}

/* "threads": {"123":"make"} */
static int read_names(struct td_recording *rec, struct json_object *names,
		      struct td_err *err)
{
	json_object_object_foreach(names, key, value)
	{
		int tid, life;

		if (!parse_task(key, &tid, &life) ||
		    !json_object_is_type(value, json_type_string))
			return bad(rec, err, "\"threads\": not a tid's name");
		if (td_task_names_begin(&rec->names, tid, life) ||
		    td_task_names_set(&rec->names, tid,
				      json_object_get_string(value)))
			return td_err_nomem(err);
	}
	return 0;
}

static bool parse_pair(struct json_object *pair, int64_t *sum, int64_t *nr)
{
	return json_object_is_type(pair, json_type_array) &&
	       json_object_array_length(pair) == 2 &&
	       td_json_whole(json_object_array_get_idx(pair, 0), 0, MAX_COUNT,
			     sum) &&
	       td_json_whole(json_object_array_get_idx(pair, 1), 0, MAX_COUNT,
			     nr) &&
	       *sum / MOST_EACH + (*sum % MOST_EACH > 0) <= *nr;
}

/* {"EVENT":[sum,number],...}: takes the place of what was before. */
static int read_latencies(struct td_recording *rec, struct json_object *object,
			  struct td_err *err)
{
	td_latencies_free(&rec->latencies);
	json_object_object_foreach(object, event, pair)
	{
		int64_t sum, nr;

		if (!parse_pair(pair, &sum, &nr))
			return bad(rec, err,
				   "\"latencies\" are not of the "
				   "form [sum, number]");
		if (td_latencies_add(&rec->latencies, event, (uint64_t)sum,
				     (uint64_t)nr))
			return td_err_nomem(err);
	}
	return 0;
}

/*
 * Sets *more if the line has names of tasks, latencies, a topology or a point of
 * the course, which come before an interval.
 */
static int read_line(struct td_recording *rec, uint64_t *time_ns,
		     struct td_readings *readings, bool *more,
		     struct td_err *err)
{
	struct json_object *line, *end, *names, *sums, *regions, *latencies,
		*topology;
	int rc = td_recording_next_line(rec, &line, err);

	if (rc)
		return rc;
	end = td_json_member(line, "end", json_type_object);
	names = td_json_member(line, "threads", json_type_object);
	sums = td_json_member(line, "sums", json_type_array);
	regions = td_json_member(line, "regions", json_type_array);
	latencies = td_json_member(line, "latencies", json_type_object);
	topology = td_json_member(line, "topology", json_type_array);
	*more = names || sums || regions || latencies || topology;
	rc = end         ? td_recording_read_end(rec, end, err)
	     : names     ? read_names(rec, names, err)
	     : sums      ? recording_read_sums(rec, line, sums, err)
	     : regions   ? td_recording_read_regions(rec, line, err)
	     : latencies ? read_latencies(rec, latencies, err)
	     : topology  ? td_recording_read_topology(rec, line, err)
			 : read_counts(rec, line, time_ns, readings, err);
	json_object_put(line);
	return rc;
}

int td_recording_read_interval(struct td_recording *rec, uint64_t *time_ns,
			       struct td_readings *readings, struct td_err *err)
{
	bool more = true;
	int rc = rec->ended ? 1 : 0;

	td_course_clear(&rec->course);
	while (!rc && more)
		rc = read_line(rec, time_ns, readings, &more, err);
	return rc;
}
