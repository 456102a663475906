// SPDX-License-Identifier: GPL-2.0-only
/* Collects what perf counted, line by line: events, intervals, counts. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/printable.h"
#include "lib/base/util.h"
#include "lib/recording/fill.h"
#include "lib/recording/perf/parts.h"

/* --- intervals ------------------------------------------------------------ */

static int add_interval(struct td_perf_file *file, uint64_t time_ns,
			struct td_err *err)
{
	const struct td_perf_interval interval = { .time_ns = time_ns,
						   .first = file->nr_readings };

	return td_array_push(&file->intervals, &file->nr_intervals, &interval,
			     sizeof(interval))
		       ? td_err_nomem(err)
		       : 0;
}

/* Returns 1 if the line is of the summary, which repeats all intervals. */
static int find_interval(struct td_perf_file *file,
			 const struct td_perf_line *line, struct td_err *err)
{
	const struct td_perf_interval *last =
		file->nr_intervals ? &file->intervals[file->nr_intervals - 1]
				   : NULL;

	if (!last)
		file->timed = line->has_time;
	else if (file->timed && !line->has_time)
		return 1;
	else if (!file->timed && line->has_time)
		return td_perf_file_bad(file, err,
					"a time, which the lines before do "
					"not have");
	else if (!file->timed || line->time_ns == last->time_ns)
		return 0;
	else if (line->time_ns < last->time_ns)
		return td_perf_file_bad(file, err,
					"its time is before that of the "
					"previous line: a file must have one "
					"run only");
	return add_interval(file, line->time_ns, err);
}

/* --- events --------------------------------------------------------------- */

static int add_event(struct td_perf_file *file, const struct td_perf_line *line,
		     struct td_err *err)
{
	struct td_perf_event *event;

	if (file->nr_events == TD_RECORDING_MAX_EVENTS)
		return td_perf_file_bad(file, err, "more than 10000 events");
	if (!td_is_text(line->event) || !td_is_text(line->unit))
		return td_perf_file_bad(file, err,
					"the name or unit of the event is "
					"not printable text");
	event = td_array_add(&file->events, file->nr_events, sizeof(*event));
	if (!event)
		return td_err_nomem(err);
	file->event = file->nr_events++;
	event->name = strdup(line->event);
	event->unit = strdup(line->unit);
	if (!event->name || !event->unit ||
	    td_perf_name_parse(line->event, &event->event, &event->pmu,
			       &event->typed))
		return td_err_nomem(err);
	return 0;
}

/* True if this interval already has a count of the event for this id. */
static bool was_seen(const struct td_perf_file *file, size_t event)
{
	const struct td_perf_event *e = &file->events[event];

	return file->place < e->nr_seen &&
	       e->seen[file->place] == file->nr_intervals;
}

static int set_seen(struct td_perf_file *file)
{
	struct td_perf_event *event = &file->events[file->event];

	while (event->nr_seen <= file->place) {
		if (!td_array_add(&event->seen, event->nr_seen,
				  sizeof(*event->seen)))
			return -ENOMEM;
		event->nr_seen++;
	}
	event->seen[file->place] = file->nr_intervals;
	return 0;
}

/* Finds the first event of that name; false if there is none. */
static bool find_name(const struct td_perf_file *file, const char *name,
		      size_t *out)
{
	const size_t near[] = { file->event, file->event + 1, 0 };
	uint64_t hash = td_hash_text(name);
	size_t step = 0;

	for (size_t i = 0; i < TD_ARRAY_SIZE(near); i++) {
		/* find_event() goes from the first of a name to the others */
		if (near[i] >= file->nr_events || file->events[near[i]].twin ||
		    strcmp(file->events[near[i]].name, name) != 0)
			continue;
		*out = near[i];
		return true;
	}
	do {
		*out = td_index_next(&file->by_name, hash, &step);
	} while (*out != TD_NOT_FOUND &&
		 strcmp(file->events[*out].name, name) != 0);
	return *out != TD_NOT_FOUND;
}

/* An event that was asked for twice is two events. */
static int find_event(struct td_perf_file *file,
		      const struct td_perf_line *line, struct td_err *err)
{
	size_t i;
	int rc;

	if (!find_name(file, line->event, &i)) {
		if (td_index_add(&file->by_name, td_hash_text(line->event),
				 file->nr_events))
			return td_err_nomem(err);
		return add_event(file, line, err);
	}
	while (was_seen(file, i) && file->events[i].next)
		i = file->events[i].next;
	if (!was_seen(file, i)) {
		file->event = i;
		return 0;
	}
	rc = add_event(file, line, err);
	if (rc)
		return rc;
	file->events[i].next = file->event;
	file->events[file->event].twin = true;
	return 0;
}

/* --- counts --------------------------------------------------------------- */

/* The run time over its percentage; 1 ns for an event that never ran. */
static uint64_t enabled_ns(const struct td_perf_line *line)
{
	double pct = line->pct > 0.005 ? line->pct : 0.005;
	double ns = (double)line->running_ns * 100 / pct;

	if (line->pct >= 100)
		return line->running_ns;
	if (!line->running_ns)
		return 1;
	return ns < 9e18 ? (uint64_t)ns : UINT64_MAX;
}

bool td_perf_in_millionths(const struct td_perf_event *event)
{
	return event->fraction || strcmp(event->unit, "msec") == 0;
}

/* Names the number in the line that is too large to keep, or returns NULL. */
static const char *too_large(const struct td_perf_file *file,
			     const struct td_perf_line *line)
{
	const struct td_perf_interval *interval =
		&file->intervals[file->nr_intervals - 1];
	const struct td_perf_event *event = &file->events[file->event];
	uint64_t tool_ns = event->event.tool ? line->value.whole : 0;

	if (line->time_ns >= TD_PERF_MAX_NS ||
	    line->running_ns >= TD_PERF_MAX_NS || tool_ns >= TD_PERF_MAX_NS ||
	    interval->user_ns + interval->system_ns + tool_ns >= TD_PERF_MAX_NS)
		return "a time of more than 31 years";
	if (enabled_ns(line) == UINT64_MAX)
		return "a percentage that makes the time enabled too large";
	if (td_perf_in_millionths(event) || line->value.micro) {
		if (line->value.whole >= TD_PERF_MAX_WHOLE)
			return "a count that is too large";
	}
	return NULL;
}

static int add_reading(struct td_perf_file *file,
		       const struct td_perf_line *line)
{
	size_t room = file->room ? file->room * 2 : 256;
	struct td_perf_reading *v = file->readings;

	if (file->nr_readings == file->room) {
		v = reallocarray(v, room, sizeof(*v));
		if (!v)
			return -ENOMEM;
		file->readings = v;
		file->room = room;
	}
	file->has_fractions |= line->pct != floor(line->pct);
	v[file->nr_readings++] = (struct td_perf_reading){
		.event = (uint32_t)file->event,
		.place = (uint32_t)file->place,
		.nr = line->has_nr && line->nr < INT_MAX ? (int)line->nr : 0,
		.value = line->value,
		.enabled_ns = enabled_ns(line),
		.running_ns =
			line->status == TD_PERF_COUNTED ? line->running_ns : 0,
		.pct = line->pct,
	};
	return 0;
}

/* user_time and system_time belong to the interval, not to a counter. */
static void add_tool(struct td_perf_file *file, const struct td_perf_line *line,
		     enum td_tool tool)
{
	struct td_perf_interval *interval =
		&file->intervals[file->nr_intervals - 1];

	if (line->status != TD_PERF_COUNTED)
		return;
	if (tool == TD_TOOL_DURATION_TIME) {
		if (line->value.whole > file->duration_ns)
			file->duration_ns = line->value.whole;
		return;
	}
	file->has_cpu_times = true;
	if (tool == TD_TOOL_USER_TIME)
		interval->user_ns += line->value.whole;
	else
		interval->system_ns += line->value.whole;
}

/* A clock divided by its "CPUs utilized" is the elapsed time. */
static void note_length(struct td_perf_file *file,
			const struct td_perf_line *line)
{
	double clock_ns =
		((double)line->value.whole * 1e6 + (double)line->value.micro);

	if (!file->utilized_ns && line->utilized > 0 &&
	    strcmp(line->unit, "msec") == 0 &&
	    clock_ns / line->utilized < TD_PERF_MAX_NS)
		file->utilized_ns = (uint64_t)(clock_ns / line->utilized);
}

static int take_count(struct td_perf_file *file,
		      const struct td_perf_line *line)
{
	struct td_perf_event *event = &file->events[file->event];

	if (line->status == TD_PERF_NOT_SUPPORTED) {
		event->refused = true;
		return 0;
	}
	event->counted = true;
	if (event->event.tool) {
		add_tool(file, line, event->event.tool);
		return 0;
	}
	/* no CPU of the id has the event's PMU, so perf counted nothing */
	if (line->has_nr && !line->nr)
		return 0;
	if (line->status == TD_PERF_COUNTED) {
		event->fraction |= line->value.micro != 0;
		note_length(file, line);
	}
	return add_reading(file, line);
}

int td_perf_file_add(struct td_perf_file *file, const struct td_perf_line *line,
		     struct td_err *err)
{
	int rc = find_interval(file, line, err);
	const char *large;

	if (rc > 0)
		return TD_PERF_IS_SUMMARY;
	if (!rc)
		rc = td_perf_find_place(file, line, err);
	if (!rc)
		rc = find_event(file, line, err);
	if (rc)
		return rc;
	if (line->status == TD_PERF_COUNTED && !line->running_ns &&
	    !file->events[file->event].event.tool &&
	    (line->value.whole || line->value.micro))
		return td_perf_file_bad(file, err,
					"a count of an event that never ran");
	large = too_large(file, line);
	if (large)
		return td_perf_file_bad(file, err, large);
	return set_seen(file) || take_count(file, line) ? td_err_nomem(err) : 0;
}

int td_perf_file_check_counts(const struct td_perf_file *file,
			      struct td_err *err)
{
	for (size_t i = 0; i < file->nr_readings; i++) {
		const struct td_perf_reading *r = &file->readings[i];
		const struct td_perf_event *event = &file->events[r->event];

		if (td_perf_in_millionths(event) &&
		    r->value.whole >= TD_PERF_MAX_WHOLE)
			return td_err_set(err, -ERANGE,
					  "%s: a count of %s is too large",
					  file->path, event->name);
	}
	return 0;
}

uint64_t td_perf_file_elapsed_ns(const struct td_perf_file *file)
{
	if (file->timed)
		return file->intervals[file->nr_intervals - 1].time_ns;
	if (file->duration_ns)
		return file->duration_ns;
	return file->utilized_ns;
}

void td_perf_file_free(struct td_perf_file *file)
{
	for (size_t i = 0; i < file->nr_events; i++) {
		free(file->events[i].name);
		free(file->events[i].unit);
		free(file->events[i].pmu);
		free(file->events[i].seen);
	}
	for (size_t i = 0; i < file->nr_places; i++) {
		free(file->places[i].id);
		free(file->places[i].cgroup);
	}
	free(file->events);
	free(file->places);
	free(file->cgroups);
	td_index_free(&file->by_name);
	td_index_free(&file->by_place);
	free(file->intervals);
	free(file->readings);
	*file = (struct td_perf_file){ 0 };
}
