// SPDX-License-Identifier: GPL-2.0-only
/*
 * A trace for Perfetto: the JSON of Chrome's Trace Event Format, as an array, which
 * can be loaded even if it was cut off.  A counter keeps its value until the next
 * event of its track, so values are written with the start time of their interval, and
 * missing values are "NaN", which Perfetto does not show.
 */
#include <inttypes.h>
#include <json-c/json.h>

#include "cmd/output/format.h"
#include "cmd/output/out.h"
#include "cmd/pictures/page.h"
#include "lib/base/json.h"

/* --- tracks: a thread of the trace for each name -------------------------- */

/* A track of counters, in a process of the trace. */
struct td_track {
	char *name, *unit;
	bool has_value; /* the last interval had a value */
};

/* The rows of one id and PMU. */
struct td_track_process {
	char *name;
	int pid;   /* larger than those of real processes */
	bool seen; /* the current interval has a row */
	struct td_track *v;
	size_t nr;
	size_t next; /* the next expected track: rows have a constant order */
};

struct td_tracks {
	struct td_track_process *v;
	size_t nr;
	struct td_index index; /* processes by name */
	uint64_t from_ns;      /* the beginning of the interval */
	bool running;          /* a run has begun and not ended */
	bool has_events;       /* the file is not empty */
};

/* The pid of the trace itself. */
#define TD_TRACKS_PID 5000000

/* The kernel's PID_MAX_LIMIT is 4194304. */
_Static_assert(TD_TRACKS_PID > 4194304, "no pid of the kernel");

/* Find or add a track.  The result is valid until the next call. */
static struct td_track *find_track(struct td_track_process *process, const char *name,
				   const char *unit)
{
	struct td_track *track;

	for (size_t i = 0; i < process->nr; i++) {
		size_t at = (process->next + i) % process->nr;

		if (strcmp(process->v[at].name, name) != 0)
			continue;
		process->next = at + 1;
		return &process->v[at];
	}
	track = td_array_add(&process->v, process->nr++, sizeof(*track));
	*track = (struct td_track){ td_strdup(name), td_strdup(unit), false };
	return track;
}

static void tracks_free(struct td_tracks *tracks)
{
	if (!tracks)
		return;
	td_for_each(struct td_track_process, process, tracks->v, tracks->nr) {
		for (size_t i = 0; i < process->nr; i++) {
			free(process->v[i].name);
			free(process->v[i].unit);
		}
		free(process->v);
		free(process->name);
	}
	free(tracks->v);
	td_index_free(&tracks->index);
	free(tracks);
}

/* --- events of the trace ---------------------------------------------------- */

/* Return time 0 of the best known clock; 0 without one. */
static uint64_t origin_ns(const struct td_frame *frame)
{
	return frame->clocks.mono_ns ? frame->clocks.mono_ns : frame->start_ns;
}

/* Add a time in microseconds, with three decimals. */
static void add_us(struct json_object *o, const char *key, uint64_t ns)
{
	char buf[64];

	snprintf(buf, sizeof(buf), "%" PRIu64 ".%03" PRIu64, ns / 1000, ns % 1000);
	td_json_add(o, key, json_object_new_double_s((double)ns / 1e3, buf));
}

static struct json_object *new_event(const char *phase, const char *name, int pid)
{
	struct json_object *o = json_object_new_object();

	td_json_put_string(o, "name", name);
	td_json_put_string(o, "ph", phase);
	td_json_put_int(o, "pid", pid);
	td_json_put_int(o, "tid", pid);
	return o;
}

static void put_event(struct td_writer *writer, struct json_object *event, struct json_object *args)
{
	td_json_add(event, "args", args);
	fputc(writer->tracks->has_events ? ',' : '[', writer->fp);
	writer->tracks->has_events = true;
	td_out_json_line(writer, event);
}

static void put_metadata(struct td_writer *writer, const char *what, int pid, const char *key,
			 struct json_object *value)
{
	struct json_object *args = json_object_new_object();

	td_json_add(args, key, value);
	put_event(writer, new_event("M", what, pid), args);
}

static void put_process(struct td_writer *writer, const char *name, int pid)
{
	put_metadata(writer, "process_name", pid, "name", json_object_new_string(name));
	put_metadata(writer, "process_sort_index", pid, "sort_index",
		     json_object_new_int(pid - TD_TRACKS_PID));
}

/* value NULL: the value ends here. */
static void put_value(struct td_writer *writer, int pid, struct td_track *track,
		      struct json_object *value)
{
	struct json_object *args = json_object_new_object();
	struct json_object *o = new_event("C", track->name, pid);

	track->has_value = value != NULL;
	add_us(o, "ts", origin_ns(writer->frame) + writer->tracks->from_ns);
	td_json_add(args, track->unit, value ? value : json_object_new_string("NaN"));
	put_event(writer, o, args);
}

/* --- the run ---------------------------------------------------------------- */

static const char *clock_of(const struct td_frame *frame)
{
	if (frame->clocks.mono_ns)
		return "CLOCK_MONOTONIC";
	return frame->start_ns ? "CLOCK_REALTIME" : "since the start";
}

/* Write which clock the timestamps have. */
static void put_begin(struct td_writer *writer)
{
	const struct td_frame *frame = writer->frame;
	struct json_object *args = json_object_new_object();
	struct json_object *o = new_event("i", "counting begins", TD_TRACKS_PID);

	td_json_put_string(o, "s", "p");
	add_us(o, "ts", origin_ns(frame));
	td_json_put_string(args, "clock", clock_of(frame));
	if (frame->start_ns)
		td_json_put_seconds(args, "realtime", frame->start_ns);
	td_json_put_clocks(args, &frame->clocks);
	put_event(writer, o, args);
}

static void begin(struct td_writer *writer)
{
	td_autofree char *name = NULL;

	if (!writer->tracks)
		writer->tracks = td_calloc(1, sizeof(*writer->tracks));
	if (writer->tracks->running)
		return;
	name = td_aprintf("tdstat: %s%s", td_target_words(writer->frame->target_kind),
			  writer->frame->target ? writer->frame->target : "");
	if (!writer->tracks->has_events)
		put_process(writer, name, TD_TRACKS_PID);
	put_begin(writer);
	writer->tracks->running = true;
	writer->tracks->from_ns = 0;
}

/* End processes without a row in this interval, and begin the next interval. */
static void end_interval(struct td_writer *writer, uint64_t time_ns)
{
	struct td_tracks *tracks = writer->tracks;

	td_for_each(struct td_track_process, process, tracks->v, tracks->nr) {
		for (size_t i = 0; !process->seen && i < process->nr; i++) {
			if (process->v[i].has_value)
				put_value(writer, process->pid, &process->v[i], NULL);
		}
		process->seen = false;
	}
	tracks->from_ns = time_ns;
}

/* Begin an interval; values end where it does not follow the previous one. */
static void begin_interval(struct td_writer *writer, uint64_t start_ns)
{
	begin(writer);
	if (start_ns > writer->tracks->from_ns)
		end_interval(writer, start_ns);
}

static void perfetto_end(struct td_writer *writer, const struct td_usage *usage)
{
	(void)usage;
	begin(writer);
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

static struct td_track_process *add_process(struct td_writer *writer, const char *name,
					    uint64_t hash)
{
	struct td_tracks *tracks = writer->tracks;
	struct td_track_process *process = td_array_add(&tracks->v, tracks->nr, sizeof(*process));

	process->name = td_strdup(name);
	td_index_add(&tracks->index, hash, tracks->nr);
	process->pid = TD_TRACKS_PID + 1 + (int)tracks->nr++;
	put_process(writer, name, process->pid);
	put_metadata(writer, "thread_name", process->pid, "name",
		     json_object_new_string("not counted"));
	return process;
}

/* Find or add the process of a row; more: the PMU, or the cgroup. */
static struct td_track_process *find_process(struct td_writer *writer, const char *id,
					     const char *more)
{
	bool has_id = strcmp(id, "all") != 0;
	struct td_tracks *tracks = writer->tracks;
	struct td_track_process *process;
	td_autofree char *name =
		td_aprintf("tdstat %s%s%s", has_id ? id : "", has_id && *more ? " " : "",
			   has_id || *more ? more : "all");
	uint64_t hash = td_hash_text(name);
	size_t step = 0, at;

	do {
		at = td_index_next(&tracks->index, hash, &step);
	} while (at != TD_NOT_FOUND && strcmp(tracks->v[at].name, name) != 0);
	process = at == TD_NOT_FOUND ? add_process(writer, name, hash) : &tracks->v[at];
	process->seen = true;
	return process;
}

/* A value of a row, or the reason for none. */
struct shown {
	const char *name, *unit, *why;
	enum td_status status;
	double value;
};

static void put_shown(struct td_writer *writer, struct td_track_process *process,
		      const struct shown *shown, struct json_object *missing)
{
	const char *unit = *shown->unit ? shown->unit : "value";
	struct td_track *track;

	if (shown->status == TD_STATUS_NONE || shown->status == TD_STATUS_NOT_SUPPORTED)
		return;
	track = find_track(process, shown->name, unit);
	if (shown->status == TD_STATUS_OK) {
		put_value(writer, process->pid, track, td_out_json_number(shown->value));
		return;
	}
	if (track->has_value)
		put_value(writer, process->pid, track, NULL);
	td_json_put_string(missing, shown->name,
			   shown->why ? shown->why : td_out_missing(shown->status));
}

/* Write a slice over the interval with the reasons.  Takes over missing. */
static void put_missing(struct td_writer *writer, const struct td_track_process *process,
			uint64_t time_ns, struct json_object *missing)
{
	const struct td_tracks *tracks = writer->tracks;
	struct json_object *o;

	if (!json_object_object_length(missing)) {
		json_object_put(missing);
		return;
	}
	o = new_event("X", "not counted", process->pid);
	add_us(o, "ts", origin_ns(writer->frame) + tracks->from_ns);
	add_us(o, "dur", td_since(time_ns, tracks->from_ns));
	put_event(writer, o, missing);
}

static void perfetto_report(struct td_writer *writer, const struct td_report *report)
{
	if (writer->summary)
		return;
	begin_interval(writer, report->time_ns - report->elapsed_ns);
	td_for_each(const struct td_row, row, report->rows, report->nr_rows) {
		struct td_track_process *process = find_process(writer, row->id, row->pmu);
		struct json_object *missing = json_object_new_object();

		for (size_t i = 0; i < row->nr_nodes; i++) {
			const struct td_column *column = &report->columns[row->nodes[i].column];
			const struct td_cell *cell = &row->cells[row->nodes[i].column];

			put_shown(writer, process,
				  &(struct shown){ column->name, column->unit, cell->why,
						   cell->status, cell->value },
				  missing);
		}
		put_missing(writer, process, report->time_ns, missing);
	}
	end_interval(writer, report->time_ns);
}

static void perfetto_events(struct td_writer *writer, const struct td_event_report *report)
{
	if (writer->summary)
		return;
	begin_interval(writer, report->time_ns - report->elapsed_ns);
	td_for_each(const struct td_event_row, row, report->rows, report->nr_rows) {
		struct td_track_process *process =
			find_process(writer, row->id, row->cgroup ? row->cgroup : "");
		struct json_object *missing = json_object_new_object();

		put_shown(writer, process,
			  &(struct shown){ row->event, *row->unit ? row->unit : "count", NULL,
					   row->status, row->value },
			  missing);
		put_missing(writer, process, report->time_ns, missing);
	}
	end_interval(writer, report->time_ns);
}

const struct td_out td_out_perfetto = {
	.option = "--perfetto",
	.own_file = true,
	.report = perfetto_report,
	.events = perfetto_events,
	.end = perfetto_end,
	.close = perfetto_close,
};
