// SPDX-License-Identifier: GPL-2.0-only
/*
 * A trace for Perfetto: the JSON of Chrome's Trace Event Format, as an array, which
 * can be loaded even if it was cut off.  A counter keeps its value until the next
 * event of its track, so a value stands at the beginning of its interval, and "NaN",
 * which Perfetto takes for no value, where there is none.
 */
#include <inttypes.h>
#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/out/format.h"
#include "cmd/out/out.h"
#include "lib/base/index.h"
#include "lib/base/json.h"
#include "lib/base/util.h"

/* --- tracks: a thread of the trace for each name -------------------------- */

/* What a trace has so far: tracks of counters, in what it calls processes. */
struct td_track {
	char *name, *unit;
	bool has_value; /* in the last interval */
};

/* The rows of one id and PMU. */
struct td_track_process {
	char *name;
	int pid;   /* not one that a real process can have */
	bool seen; /* in this interval */
	struct td_track *v;
	size_t nr;
	size_t next; /* where to look first: rows have a constant order */
};

struct td_tracks {
	struct td_track_process *v;
	size_t nr;
	struct td_index index; /* by name */
	uint64_t from_ns;      /* the beginning of the interval */
	bool running;          /* a run has begun, and not ended */
	bool has_events;       /* the file is not empty */
};

/* The pid of what is of the whole trace. */
#define TD_TRACKS_PID 5000000

/* PID_MAX_LIMIT of the kernel is 4194304. */
_Static_assert(TD_TRACKS_PID > 4194304, "no pid of the kernel");

/* The functions that return a pointer return NULL if out of memory. */
static struct td_tracks *tracks_new(void)
{
	return calloc(1, sizeof(struct td_tracks));
}

static struct td_track_process *add_process(struct td_tracks *tracks,
					    const char *name, uint64_t hash)
{
	struct td_track_process *process =
		td_array_add(&tracks->v, tracks->nr, sizeof(*process));

	if (!process)
		return NULL;
	process->name = strdup(name);
	if (!process->name || td_index_add(&tracks->index, hash, tracks->nr)) {
		free(process->name);
		return NULL;
	}
	process->pid = TD_TRACKS_PID + 1 + (int)tracks->nr++;
	return process;
}

/* Finds the process of this name, or adds it: *is_new. */
static struct td_track_process *tracks_process(struct td_tracks *tracks,
					       const char *name, bool *is_new)
{
	uint64_t hash = td_hash_text(name);
	size_t step = 0, at;

	*is_new = false;
	while ((at = td_index_next(&tracks->index, hash, &step)) !=
	       TD_NOT_FOUND) {
		if (strcmp(tracks->v[at].name, name) == 0)
			return &tracks->v[at];
	}
	*is_new = true;
	return add_process(tracks, name, hash);
}

static struct td_track *add_track(struct td_track_process *process,
				  const char *name, const char *unit)
{
	struct td_track *track =
		td_array_add(&process->v, process->nr, sizeof(*track));

	if (!track)
		return NULL;
	*track = (struct td_track){ strdup(name), strdup(unit), false };
	if (!track->name || !track->unit) {
		free(track->name);
		free(track->unit);
		return NULL;
	}
	process->nr++;
	return track;
}

/* Finds a track, or adds it.  A later track may move it. */
static struct td_track *tracks_track(struct td_track_process *process,
				     const char *name, const char *unit)
{
	for (size_t i = 0; i < process->nr; i++) {
		size_t at = (process->next + i) % process->nr;

		if (strcmp(process->v[at].name, name) != 0)
			continue;
		process->next = at + 1;
		return &process->v[at];
	}
	return add_track(process, name, unit);
}

static void free_process(struct td_track_process *process)
{
	for (size_t i = 0; i < process->nr; i++) {
		free(process->v[i].name);
		free(process->v[i].unit);
	}
	free(process->v);
	free(process->name);
}

static void tracks_free(struct td_tracks *tracks)
{
	if (!tracks)
		return;
	for (size_t i = 0; i < tracks->nr; i++)
		free_process(&tracks->v[i]);
	free(tracks->v);
	td_index_free(&tracks->index);
	free(tracks);
}

/* --- events of the trace ---------------------------------------------------- */

/* When time 0 was, in the best clock that is known; 0: in none. */
static uint64_t origin_ns(const struct td_frame *frame)
{
	return frame->clocks.mono_ns ? frame->clocks.mono_ns : frame->start_ns;
}

/* In microseconds, with three decimals. */
static void add_us(struct json_object *o, const char *key, uint64_t ns)
{
	char buf[64];

	snprintf(buf, sizeof(buf), "%" PRIu64 ".%03" PRIu64, ns / 1000,
		 ns % 1000);
	td_json_add(o, key, json_object_new_double_s((double)ns / 1e3, buf));
}

static struct json_object *new_event(const char *phase, const char *name,
				     int pid)
{
	struct json_object *o = json_object_new_object();

	td_json_put_string(o, "name", name);
	td_json_put_string(o, "ph", phase);
	td_json_put_int(o, "pid", pid);
	td_json_put_int(o, "tid", pid);
	return o;
}

static void put_event(struct td_writer *writer, struct json_object *event,
		      struct json_object *args)
{
	td_json_add(event, "args", args);
	fputc(writer->tracks->has_events ? ',' : '[', writer->fp);
	writer->tracks->has_events = true;
	td_out_json_line(writer, event);
}

static void put_metadata(struct td_writer *writer, const char *what, int pid,
			 const char *key, struct json_object *value)
{
	struct json_object *args = json_object_new_object();

	td_json_add(args, key, value);
	put_event(writer, new_event("M", what, pid), args);
}

static void put_process(struct td_writer *writer, const char *name, int pid)
{
	put_metadata(writer, "process_name", pid, "name",
		     json_object_new_string(name));
	put_metadata(writer, "process_sort_index", pid, "sort_index",
		     json_object_new_int(pid - TD_TRACKS_PID));
}

/* value NULL: there is none from here on. */
static void put_value(struct td_writer *writer, int pid, struct td_track *track,
		      struct json_object *value)
{
	struct json_object *args = json_object_new_object();
	struct json_object *o = new_event("C", track->name, pid);

	track->has_value = value != NULL;
	add_us(o, "ts", origin_ns(writer->frame) + writer->tracks->from_ns);
	td_json_add(args, track->unit,
		    value ? value : json_object_new_string("NaN"));
	put_event(writer, o, args);
}

/* --- the run ---------------------------------------------------------------- */

static const char *clock_of(const struct td_frame *frame)
{
	if (frame->clocks.mono_ns)
		return "CLOCK_MONOTONIC";
	return frame->start_ns ? "CLOCK_REALTIME" : "since the start";
}

/* Says what the timestamps mean. */
static void put_begin(struct td_writer *writer)
{
	const struct td_frame *frame = writer->frame;
	struct json_object *args = json_object_new_object();
	struct json_object *o =
		new_event("i", "counting begins", TD_TRACKS_PID);

	td_json_put_string(o, "s", "p");
	add_us(o, "ts", origin_ns(frame));
	td_json_put_string(args, "clock", clock_of(frame));
	if (frame->start_ns)
		td_json_put_seconds(args, "realtime", frame->start_ns);
	td_json_put_clocks(args, &frame->clocks);
	put_event(writer, o, args);
}

/* False if out of memory. */
static bool begin(struct td_writer *writer)
{
	td_autofree char *name = NULL;

	if (!writer->tracks)
		writer->tracks = tracks_new();
	writer->no_memory |= !writer->tracks;
	if (!writer->tracks || writer->tracks->running)
		return writer->tracks;
	if (asprintf(&name, "tdstat: %s%s",
		     td_target_words(writer->frame->target_kind),
		     writer->frame->target ? writer->frame->target : "") < 0) {
		name = NULL;
		writer->no_memory = true;
	}
	if (!writer->tracks->has_events)
		put_process(writer, name ? name : "tdstat", TD_TRACKS_PID);
	put_begin(writer);
	writer->tracks->running = true;
	writer->tracks->from_ns = 0;
	return true;
}

/* Ends all tracks of a process. */
static void end_tracks(struct td_writer *writer,
		       struct td_track_process *process)
{
	for (size_t i = 0; i < process->nr; i++) {
		if (process->v[i].has_value)
			put_value(writer, process->pid, &process->v[i], NULL);
	}
}

/* Ends what this interval does not have, and goes on to the next one. */
static void end_interval(struct td_writer *writer, uint64_t time_ns)
{
	struct td_tracks *tracks = writer->tracks;

	for (size_t i = 0; i < tracks->nr; i++) {
		if (!tracks->v[i].seen)
			end_tracks(writer, &tracks->v[i]);
		tracks->v[i].seen = false;
	}
	tracks->from_ns = time_ns;
}

static void perfetto_end(struct td_writer *writer, const struct td_usage *usage)
{
	(void)usage;
	if (!begin(writer))
		return;
	end_interval(writer, writer->tracks->from_ns);
	writer->tracks->running = false;
}

static void perfetto_close(struct td_writer *writer)
{
	if (writer->tracks && writer->tracks->has_events)
		fputs("]\n", writer->fp);
	tracks_free(writer->tracks);
	writer->tracks = NULL;
}

/* --- rows ------------------------------------------------------------------- */

/* The process of a row; what says more of the id is its PMU, or its cgroup. */
static struct td_track_process *find_process(struct td_writer *writer,
					     const char *id, const char *more)
{
	bool has_id = strcmp(id, "all") != 0, is_new;
	struct td_track_process *process;
	td_autofree char *name = NULL;

	if (asprintf(&name, "tdstat %s%s%s", has_id ? id : "",
		     has_id && *more ? " " : "",
		     has_id || *more ? more : "all") < 0) {
		name = NULL;
		writer->no_memory = true;
		return NULL;
	}
	process = tracks_process(writer->tracks, name, &is_new);
	writer->no_memory |= !process;
	if (process && is_new) {
		put_process(writer, name, process->pid);
		put_metadata(writer, "thread_name", process->pid, "name",
			     json_object_new_string("not counted"));
	}
	if (process)
		process->seen = true;
	return process;
}

/* One value of a row, or why there is none. */
struct shown {
	const char *name, *unit, *why;
	enum td_status status;
	double value;
};

static void put_shown(struct td_writer *writer,
		      struct td_track_process *process,
		      const struct shown *shown, struct json_object *missing)
{
	const char *unit = *shown->unit ? shown->unit : "value";
	struct td_track *track;

	if (shown->status == TD_STATUS_NONE ||
	    shown->status == TD_STATUS_NOT_SUPPORTED)
		return;
	track = tracks_track(process, shown->name, unit);
	writer->no_memory |= !track;
	if (!track)
		return;
	if (shown->status == TD_STATUS_OK) {
		put_value(writer, process->pid, track,
			  td_out_json_number(shown->value));
		return;
	}
	if (track->has_value)
		put_value(writer, process->pid, track, NULL);
	td_json_put_string(missing, shown->name,
			   shown->why ? shown->why
				      : td_out_missing(shown->status));
}

/* A slice over the interval, with the reasons.  Takes missing. */
static void put_missing(struct td_writer *writer,
			const struct td_track_process *process,
			uint64_t time_ns, struct json_object *missing)
{
	const struct td_tracks *tracks = writer->tracks;
	struct json_object *o;

	writer->no_memory |= !missing;
	if (!missing || !json_object_object_length(missing)) {
		json_object_put(missing);
		return;
	}
	o = new_event("X", "not counted", process->pid);
	add_us(o, "ts", origin_ns(writer->frame) + tracks->from_ns);
	add_us(o, "dur", td_since(time_ns, tracks->from_ns));
	put_event(writer, o, missing);
}

static void put_row(struct td_writer *writer, const struct td_report *report,
		    const struct td_row *row)
{
	struct td_track_process *process =
		find_process(writer, row->id, row->pmu);
	struct json_object *missing;

	if (!process)
		return;
	missing = json_object_new_object();
	for (size_t i = 0; i < row->nr_nodes; i++) {
		const struct td_column *column =
			&report->columns[row->nodes[i].column];
		const struct td_cell *cell = &row->cells[row->nodes[i].column];

		put_shown(writer, process,
			  &(struct shown){ column->name, column->unit,
					   cell->why, cell->status,
					   cell->value },
			  missing);
	}
	put_missing(writer, process, report->time_ns, missing);
}

/* A summary is of no interval. */
static void perfetto_report(struct td_writer *writer,
			    const struct td_report *report)
{
	if (writer->summary || !begin(writer))
		return;
	for (size_t r = 0; r < report->nr_rows; r++)
		put_row(writer, report, &report->rows[r]);
	end_interval(writer, report->time_ns);
}

static void put_event_row(struct td_writer *writer, uint64_t time_ns,
			  const struct td_event_row *row)
{
	struct td_track_process *process =
		find_process(writer, row->id, row->cgroup ? row->cgroup : "");
	struct json_object *missing;

	if (!process)
		return;
	missing = json_object_new_object();
	put_shown(writer, process,
		  &(struct shown){ row->event, *row->unit ? row->unit : "count",
				   NULL, row->status, row->value },
		  missing);
	put_missing(writer, process, time_ns, missing);
}

static void perfetto_events(struct td_writer *writer,
			    const struct td_event_report *report)
{
	if (writer->summary || !begin(writer))
		return;
	for (size_t r = 0; r < report->nr_rows; r++)
		put_event_row(writer, report->time_ns, &report->rows[r]);
	end_interval(writer, report->time_ns);
}

const struct td_out td_out_perfetto = {
	.option = "--perfetto",
	.arg = "FILE",
	.own_file = true,
	.help = "with -I: a trace for Perfetto, tracks of counters, to FILE",
	.report = perfetto_report,
	.events = perfetto_events,
	.end = perfetto_end,
	.close = perfetto_close,
};
