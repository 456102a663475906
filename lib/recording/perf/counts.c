// SPDX-License-Identifier: GPL-2.0-only
/* Turns what perf counted into readings, interval by interval. */
#include <errno.h>
#include <math.h>

#include "lib/base/util.h"
#include "lib/recording/fill.h"
#include "lib/recording/perf/output.h"
#include "lib/recording/perf/parts.h"

#define MILLION 1000000

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
 * perf wrote the scaled value, and of the time enabled only a rounded
 * percentage.  Finds a raw count, and a time enabled close to that percentage,
 * which give exactly value when scaled up.
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

static uint64_t count_of(const struct td_perf_event *event,
			 struct td_perf_reading *r)
{
	uint64_t value = r->value.whole;

	if (td_perf_in_millionths(event))
		value = value * MILLION + r->value.micro;
	return unscaled(value, r);
}

static struct td_reading reading_of(const struct td_perf_file *file,
				    struct td_perf_reading r)
{
	const struct td_perf_place *place = &file->places[r.place];
	uint64_t count = count_of(&file->events[r.event], &r);

	return (struct td_reading){
		.event = (int)r.event,
		.cpu = place->unit.place.cpu,
		.tid = place->unit.tid,
		.value = count,
		.enabled_ns = r.enabled_ns,
		.running_ns = r.running_ns,
		.cgroup = place->cgroup_index + 1,
	};
}

static int fill_readings(const struct td_perf_file *file, size_t from,
			 size_t end, struct td_readings *readings)
{
	if (td_recording_resize(readings, end - from))
		return -ENOMEM;
	for (size_t i = from; i < end; i++)
		readings->v[i - from] = reading_of(file, file->readings[i]);
	return 0;
}

/* Returns 1: there are no more intervals. */
static int end(struct td_recording *rec)
{
	rec->ended = !rec->perf->cut_off;
	if (rec->ended)
		rec->usage.elapsed_ns = td_perf_file_elapsed_ns(rec->perf);
	return 1;
}

int td_perf_output_next(struct td_recording *rec, uint64_t *time_ns,
			struct td_readings *readings, struct td_err *err)
{
	struct td_perf_file *file = rec->perf;
	size_t next = file->next_interval + 1;
	const struct td_perf_interval *interval = &file->intervals[next - 1];

	if (next > file->nr_intervals)
		return end(rec);
	*time_ns =
		file->timed ? interval->time_ns : td_perf_file_elapsed_ns(file);
	if (td_recording_set_time(rec, *time_ns))
		return td_err_set(err, -EINVAL, "%s: the time goes backwards",
				  file->path);
	rec->times.has_cpu_times = file->has_cpu_times;
	rec->times.user_ns = interval->user_ns;
	rec->times.system_ns = interval->system_ns;
	file->next_interval = next;
	return fill_readings(file, interval->first,
			     next < file->nr_intervals ? interval[1].first
						       : file->nr_readings,
			     readings)
		       ? td_err_nomem(err)
		       : 0;
}
