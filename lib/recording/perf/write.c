// SPDX-License-Identifier: GPL-2.0-only
/* What perf counted, as a recording: its threads, intervals and end. */
#include <errno.h>
#include <json-c/json.h>
#include <math.h>
#include <string.h>

#include "lib/base/json_put.h"
#include "lib/base/util.h"
#include "lib/recording/perf/parts.h"

#define MILLION 1000000

/* The best that there is: a time, perf's own quotient; 0: it is not known. */
static uint64_t elapsed_ns(const struct td_perf_file *file)
{
	if (file->timed)
		return file->intervals[file->nr_intervals - 1].time_ns;
	if (file->duration_ns)
		return file->duration_ns;
	return file->utilized_ns;
}

/* All of them before the first count. */
static int put_threads(const struct td_perf_file *file, FILE *out)
{
	struct json_object *line, *names;

	if (file->places[0].unit.how != TD_AGGREGATE_THREAD)
		return 0;
	line = json_object_new_object();
	names = json_object_new_object();
	json_object_object_add(line, "threads", names);
	for (size_t i = 0; i < file->nr_places; i++) {
		const struct td_perf_place *place = &file->places[i];
		td_autofree char *comm = strndup(place->id, place->unit.comm);
		char tid[16];

		snprintf(tid, sizeof(tid), "%d", place->unit.tid);
		if (!comm) {
			json_object_put(line);
			return -ENOMEM;
		}
		td_json_put_string(names, tid, comm);
	}
	td_json_put_line(out, line);
	return 0;
}

static uint64_t part(uint64_t value, uint64_t enabled, uint64_t running)
{
	return (uint64_t)llround((double)value * (double)running /
				 (double)enabled);
}

static bool gives_back(uint64_t value, uint64_t count,
		       const struct td_perf_reading *r)
{
	double scaled =
		(double)count * (double)r->enabled_ns / (double)r->running_ns;

	return fabs(scaled - (double)value) < 0.5;
}

/*
 * perf wrote value, scaled up to the time enabled, and of that no more than a
 * rounded percentage.  What was counted is such that, scaled up, it is value
 * again: around the time that the percentage says, there is one with which
 * that is so.
 */
static uint64_t unscaled(uint64_t value, struct td_perf_reading *r)
{
	uint64_t said = r->enabled_ns, fits, count;

	if (!r->running_ns || r->running_ns >= said)
		return value;
	count = part(value, said, r->running_ns);
	fits = count ? part(value, count, r->running_ns) : said;
	if (fits < said + said / 200 && fits + said / 200 > said)
		r->enabled_ns = fits;
	for (int i = 0; i < 64; i++) {
		count = part(value, r->enabled_ns, r->running_ns);
		if (gives_back(value, count, r))
			return count;
		r->enabled_ns += 1 + said / MILLION;
	}
	r->enabled_ns = said;
	return part(value, said, r->running_ns);
}

/* Of a finite size: the reader has whole numbers up to 2^63 - 2. */
static bool count_of(const struct td_perf_event *event,
		     struct td_perf_reading *r, uint64_t *count)
{
	uint64_t value = r->value.whole;

	if (td_perf_in_millionths(event)) {
		if (value >= TD_PERF_MAX_WHOLE)
			return false;
		value = value * MILLION + r->value.micro;
	}
	*count = unscaled(value, r);
	return true;
}

static void put_count(const struct td_perf_file *file, struct json_object *to,
		      const struct td_perf_reading *r, uint64_t count)
{
	const struct td_perf_place *place = &file->places[r->place];
	struct json_object *array = json_object_new_array();
	const int64_t v[] = {
		(int64_t)r->event,      place->unit.place.cpu,
		place->unit.tid,        (int64_t)count,
		(int64_t)r->enabled_ns, (int64_t)r->running_ns,
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(v); i++)
		json_object_array_add(array, json_object_new_int64(v[i]));
	if (place->cgroup_index >= 0)
		json_object_array_add(array,
				      json_object_new_int(place->cgroup_index));
	json_object_array_add(to, array);
}

static int put_interval(struct td_perf_file *file, size_t index, FILE *out,
			struct td_err *err)
{
	const struct td_perf_interval *interval = &file->intervals[index];
	size_t end = index + 1 < file->nr_intervals ? interval[1].first
						    : file->nr_readings;
	struct json_object *line = json_object_new_object();
	struct json_object *counts = json_object_new_array();

	td_json_put_seconds(line, "time",
			    file->timed ? interval->time_ns : elapsed_ns(file));
	json_object_object_add(line, "counts", counts);
	for (size_t i = interval->first; i < end; i++) {
		struct td_perf_reading *r = &file->readings[i];
		const struct td_perf_event *event = &file->events[r->event];
		uint64_t count;

		if (!count_of(event, r, &count)) {
			json_object_put(line);
			return td_err_set(err, -ERANGE,
					  "%s: a count of %s is too large",
					  file->path, event->name);
		}
		put_count(file, counts, r, count);
	}
	if (file->has_cpu_times) {
		td_json_put_seconds(line, "user", interval->user_ns);
		td_json_put_seconds(line, "sys", interval->system_ns);
	}
	td_json_put_line(out, line);
	return 0;
}

static void put_end(const struct td_perf_file *file, FILE *out)
{
	struct json_object *line = json_object_new_object();
	struct json_object *end = json_object_new_object();

	td_json_put_seconds(end, "elapsed", elapsed_ns(file));
	json_object_object_add(line, "end", end);
	td_json_put_line(out, line);
}

int td_perf_file_write(struct td_perf_file *file, FILE *out, struct td_err *err)
{
	int rc = 0;

	if (td_perf_file_write_head(file, out) || put_threads(file, out))
		return td_err_nomem(err);
	for (size_t i = 0; !rc && i < file->nr_intervals; i++)
		rc = put_interval(file, i, out, err);
	if (!rc && !file->cut_off)
		put_end(file, out);
	return rc;
}
