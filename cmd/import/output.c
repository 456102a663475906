// SPDX-License-Identifier: GPL-2.0-only
/* Read the output of perf stat and turn it into a recording. */
#include <ctype.h>
#include <json-c/json.h>
#include <limits.h>
#include <math.h>

#include "cmd/import/parts.h"
#include "cmd/import/perf.h"
#include "lib/base/printable.h"
#include "lib/recording/recording.h"

/* --- lines: intervals ----------------------------------------------------- */

/* Returns 1 for a line of the summary, which repeats all intervals. */
static int find_interval(struct td_perf_file *file, const struct td_perf_line *line,
			 struct td_err *err)
{
	const struct td_perf_interval next = { .time_ns = line->time_ns,
					       .first = file->nr_readings };
	const struct td_perf_interval *last =
		file->nr_intervals ? &file->intervals[file->nr_intervals - 1] : NULL;

	if (!last)
		file->timed = line->has_time;
	else if (file->timed && !line->has_time)
		return 1;
	else if (!file->timed && line->has_time)
		return td_perf_file_bad(file, err, "a time, which the lines before do not have");
	else if (!file->timed || line->time_ns == last->time_ns)
		return 0;
	else if (line->time_ns < last->time_ns)
		return td_perf_file_bad(
			file, err,
			"its time is before that of the previous line: a file must have one run "
			"only");
	td_array_push(&file->intervals, &file->nr_intervals, &next, sizeof(next));
	return 0;
}

/* --- lines: events -------------------------------------------------------- */

static int file_add_event(struct td_perf_file *file, const struct td_perf_line *line,
			  struct td_err *err)
{
	struct td_perf_event *event;

	if (file->nr_events == TD_RECORDING_MAX_EVENTS)
		return td_perf_file_bad(file, err, "more than 10000 events");
	if (!td_is_text(line->event) || !td_is_text(line->unit))
		return td_perf_file_bad(file, err,
					"the name or unit of the event is not printable text");
	event = td_array_add(&file->events, file->nr_events, sizeof(*event));
	file->event = file->nr_events++;
	event->name = td_strdup(line->event);
	td_perf_name_parse(line->event, &event->event, &event->pmu, &event->typed);
	/* older perf writes milliseconds without a unit */
	event->unit = td_strdup(!*line->unit && event->typed && td_event_is_clock(&event->event)
					? "msec"
					: line->unit);
	return 0;
}

/* Does this interval already have a count of the event for this id? */
static bool was_seen(const struct td_perf_file *file, size_t event)
{
	const struct td_perf_event *e = &file->events[event];

	return file->place < e->nr_seen && e->seen[file->place] == file->nr_intervals;
}

/* Find the first event with this name.  Returns false if there is none. */
static bool find_name(const struct td_perf_file *file, const char *name, size_t *out)
{
	const size_t near[] = { file->event, file->event + 1, 0 };
	uint64_t hash = td_hash_text(name);
	size_t step = 0;

	for (size_t i = 0; i < TD_ARRAY_SIZE(near); i++) {
		/* find_event() follows the links from the first event with a name */
		if (near[i] >= file->nr_events || file->events[near[i]].twin ||
		    strcmp(file->events[near[i]].name, name) != 0)
			continue;
		*out = near[i];
		return true;
	}
	do {
		*out = td_index_next(&file->by_name, hash, &step);
	} while (*out != TD_NOT_FOUND && strcmp(file->events[*out].name, name) != 0);
	return *out != TD_NOT_FOUND;
}

/* Find or add the event of a line.  An event that was given twice is two events. */
static int find_event(struct td_perf_file *file, const struct td_perf_line *line,
		      struct td_err *err)
{
	size_t i;
	int rc;

	if (!find_name(file, line->event, &i)) {
		td_index_add(&file->by_name, td_hash_text(line->event), file->nr_events);
		return file_add_event(file, line, err);
	}
	while (was_seen(file, i) && file->events[i].next)
		i = file->events[i].next;
	if (!was_seen(file, i)) {
		file->event = i;
		return 0;
	}
	rc = file_add_event(file, line, err);
	if (rc)
		return rc;
	file->events[i].next = file->event;
	file->events[file->event].twin = true;
	return 0;
}

/* --- lines: counts -------------------------------------------------------- */

/* Return the run time divided by its percentage; 1 ns for an event that never ran. */
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

/* Are counts in millionths?  True for clocks (in ns), and for events with decimals. */
static bool perf_in_millionths(const struct td_perf_event *event)
{
	return event->fraction || strcmp(event->unit, "msec") == 0;
}

/* Return which number of the line is too large; NULL: none. */
static const char *too_large(const struct td_perf_file *file, const struct td_perf_line *line)
{
	const struct td_perf_interval *interval = &file->intervals[file->nr_intervals - 1];
	const struct td_perf_event *event = &file->events[file->event];
	uint64_t tool_ns = event->event.tool ? line->value.whole : 0;

	if (line->time_ns >= TD_PERF_MAX_NS || line->running_ns >= TD_PERF_MAX_NS ||
	    tool_ns >= TD_PERF_MAX_NS ||
	    interval->user_ns + interval->system_ns + tool_ns >= TD_PERF_MAX_NS)
		return "a time of more than 31 years";
	if (enabled_ns(line) == UINT64_MAX)
		return "a percentage that makes the time enabled too large";
	if ((perf_in_millionths(event) || line->value.micro) &&
	    line->value.whole >= TD_PERF_MAX_WHOLE)
		return "a count that is too large";
	return NULL;
}

static void add_reading(struct td_perf_file *file, const struct td_perf_line *line)
{
	size_t room = file->room ? file->room * 2 : 256;
	struct td_perf_reading *v = file->readings;

	if (file->nr_readings == file->room) {
		v = td_reallocarray(v, room, sizeof(*v));
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
		.running_ns = line->status == TD_PERF_COUNTED ? line->running_ns : 0,
		.pct = line->pct,
	};
}

/* Add a tool's time to the interval; it is not a counter. */
static void add_tool(struct td_perf_file *file, const struct td_perf_line *line, enum td_tool tool)
{
	struct td_perf_interval *interval = &file->intervals[file->nr_intervals - 1];

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

/* Note the elapsed time: the count of a clock, divided by its "CPUs utilized". */
static void note_length(struct td_perf_file *file, const struct td_perf_line *line)
{
	double clock_ns = ((double)line->value.whole * 1e6 + (double)line->value.micro);
	const char *unit = file->events[file->event].unit;

	if (!file->utilized_ns && line->utilized > 0 && strcmp(unit, "msec") == 0 &&
	    clock_ns / line->utilized < TD_PERF_MAX_NS)
		file->utilized_ns = (uint64_t)(clock_ns / line->utilized);
}

static void take_count(struct td_perf_file *file, const struct td_perf_line *line)
{
	struct td_perf_event *event = &file->events[file->event];

	if (line->status == TD_PERF_NOT_SUPPORTED) {
		event->refused = true;
		return;
	}
	event->counted = true;
	if (event->event.tool) {
		add_tool(file, line, event->event.tool);
		return;
	}
	/* no CPU of the id has the event's PMU */
	if (line->has_nr && !line->nr)
		return;
	if (line->status == TD_PERF_COUNTED) {
		event->fraction |= line->value.micro != 0;
		note_length(file, line);
	}
	add_reading(file, line);
}

/* Add the count of a line.  Errors name path and line. */
static int perf_file_add(struct td_perf_file *file, const struct td_perf_line *line,
			 struct td_err *err)
{
	int rc = find_interval(file, line, err);
	const char *large;
	struct td_perf_event *event;

	if (rc > 0)
		return TD_PERF_IS_SUMMARY;
	rc = rc ?: td_perf_find_place(file, line, err);
	rc = rc ?: find_event(file, line, err);
	if (rc)
		return rc;
	if (line->status == TD_PERF_COUNTED && !line->running_ns &&
	    !file->events[file->event].event.tool && (line->value.whole || line->value.micro))
		return td_perf_file_bad(file, err, "a count of an event that never ran");
	large = too_large(file, line);
	if (large)
		return td_perf_file_bad(file, err, large);
	event = &file->events[file->event];
	while (event->nr_seen <= file->place)
		td_array_add(&event->seen, event->nr_seen++, sizeof(*event->seen));
	event->seen[file->place] = file->nr_intervals;
	take_count(file, line);
	return 0;
}

static int perf_file_check_counts(const struct td_perf_file *file, struct td_err *err)
{
	td_for_each(const struct td_perf_reading, r, file->readings, file->nr_readings) {
		const struct td_perf_event *event = &file->events[r->event];

		if (perf_in_millionths(event) && r->value.whole >= TD_PERF_MAX_WHOLE)
			return td_err_set(err, -ERANGE, "%s: a count of %s is too large",
					  file->path, event->name);
	}
	return 0;
}

/* Return the elapsed time from the best source; 0 if unknown. */
static uint64_t perf_file_elapsed_ns(const struct td_perf_file *file)
{
	if (file->timed)
		return file->intervals[file->nr_intervals - 1].time_ns;
	if (file->duration_ns)
		return file->duration_ns;
	return file->utilized_ns;
}

static void perf_output_free(struct td_perf_file *file)
{
	if (!file)
		return;
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
	free(file);
}

/* --- the recording: PMUs -------------------------------------------------- */

/* Some PMUs have the same type in every kernel; others get unused ones. */
static uint32_t pmu_type(const char *name, uint32_t index)
{
	static const struct {
		const char *name;
		uint32_t type;
	} types[] = {
		{ "cpu", 4 },        { "cpu_core", 4 },   { "software", 1 },
		{ "tracepoint", 2 }, { "breakpoint", 5 }, { "tool", UINT32_MAX },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(types); i++) {
		if (strcmp(types[i].name, name) == 0)
			return types[i].type;
	}
	return UINT32_MAX - 1 - index;
}

/* Add the PMUs of cores, or all other PMUs. */
static void add_pmus(const struct td_perf_file *file, bool core, struct td_recording *rec)
{
	for (size_t i = 0; i < file->nr_events; i++) {
		const char *name = file->events[i].pmu;
		enum td_pmu_kind kind = td_pmu_kind(name);
		uint32_t type = pmu_type(name, (uint32_t)rec->machine.nr_pmus);

		if ((kind == TD_PMU_CORE) == core && td_machine_find_pmu(&rec->machine, name) < 0)
			td_recording_add_pmu(rec, name, kind, type);
	}
}

/* --- the recording: events ------------------------------------------------ */

/* Add an event as a group of its own, because only names of --print-perf have one. */
static void add_event(const struct td_perf_event *from, int spec, struct td_recording *rec)
{
	struct td_plan *plan = &rec->plan;
	int pmu = td_machine_find_pmu(&rec->machine, from->pmu);
	struct td_event *event = td_recording_add_event(rec, from->name, pmu);
	td_autofree char *refusal = td_aprintf("%s: perf could not count it", event->name);

	if (from->typed)
		event->type = from->event.type;
	memcpy(event->config, from->event.config, sizeof(event->config));
	event->mods = from->event.mods;
	event->tool = from->event.tool;
	event->spec = spec;
	if (perf_in_millionths(from))
		event->scale = 1e-6;
	if (*from->unit)
		td_event_set_unit(event, from->unit);
	if (from->refused && !from->counted)
		td_event_set_refusal(event, refusal);
	if (!from->counted || event->tool)
		return;
	td_recording_add_to_group(rec, plan->nr_groups);
	plan->groups[plan->nr_groups - 1].at_once = 0;
}

/* Return "cycles/u" for "cpu_core/cycles/u"; NULL for an event of no core type. */
static const char *core_event(const struct td_perf_event *event)
{
	const char *slash = strchr(event->name, '/');

	return slash && strncmp(event->name, "cpu_", 4) == 0 ? slash + 1 : NULL;
}

/* Events with one name on several core types share a spec. */
static int spec_of(const struct td_perf_file *file, const struct td_plan *plan,
		   struct td_index *names, size_t index)
{
	const char *name = core_event(&file->events[index]);
	uint64_t hash = name ? td_hash_text(name) : 0;
	size_t step = 0, at;

	if (!name)
		return (int)index;
	while ((at = td_index_next(names, hash, &step)) != TD_NOT_FOUND) {
		const char *other = core_event(&file->events[at]);

		if (other && strcmp(name, other) == 0)
			return plan->events.v[at].spec;
	}
	td_index_add(names, hash, index);
	return (int)index;
}

static void add_events(const struct td_perf_file *file, struct td_recording *rec)
{
	struct td_index names = { 0 };

	for (size_t i = 0; i < file->nr_events; i++)
		add_event(&file->events[i], spec_of(file, &rec->plan, &names, i), rec);
	td_index_free(&names);
	td_plan_find_clones(&rec->plan, NULL);
}

/* --- the recording: places ------------------------------------------------ */

static int by_cpu(const void *a, const void *b)
{
	const struct td_place *x = a, *y = b;

	return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

/* Add the CPUs of the file, if it has any. */
static void add_places(const struct td_perf_file *file, struct td_recording *rec)
{
	td_autofree struct td_place *places = td_calloc(file->nr_places, sizeof(*places));
	int last = -1;

	for (size_t i = 0; i < file->nr_places; i++)
		places[i] = file->places[i].unit.place;
	qsort(places, file->nr_places, sizeof(*places), by_cpu);
	for (size_t i = 0; i < file->nr_places; i++) {
		/* each cgroup repeats the CPUs */
		if (places[i].cpu <= last)
			continue;
		last = places[i].cpu;
		td_recording_add_place(rec, &places[i]);
	}
}

static int interval_ms(const struct td_perf_file *file)
{
	uint64_t ms;

	if (!file->timed)
		return 0;
	ms = (file->intervals[0].time_ns + 500000) / 1000000;
	return ms < 1 ? 1 : ms > INT32_MAX ? INT32_MAX : (int)ms;
}

/* Fill rec, except for the intervals. */
static void perf_file_fill(const struct td_perf_file *file, struct td_recording *rec)
{
	const struct td_perf_unit *unit = &file->places[0].unit;

	rec->info.tasks = unit->how == TD_AGGREGATE_THREAD;
	rec->info.interval_ms = interval_ms(file);
	rec->info.how = unit->how;
	rec->info.sums = true;
	if (unit->how == TD_AGGREGATE_CACHE)
		rec->info.cache_level = unit->cache_level;
	rec->info.target.kind = TD_TARGET_FILE;
	rec->info.target.text = td_strdup(file->path);
	for (size_t i = 0; i < file->nr_cgroups; i++) {
		char *name = td_strdup(file->cgroups[i]);

		td_array_push(&rec->info.cgroups, &rec->info.nr_cgroups, &name, sizeof(name));
	}
	strcpy(rec->machine.cpuid.vendor, "unknown");
	rec->info.of_events = true;
	add_pmus(file, true, rec);
	add_pmus(file, false, rec);
	add_events(file, rec);
	add_places(file, rec);
	if (rec->info.how == TD_AGGREGATE_THREAD) {
		td_for_each(const struct td_perf_place, place, file->places, file->nr_places) {
			td_autofree char *comm = td_strndup(place->id, place->unit.comm);

			td_task_names_set(&rec->names, place->unit.tid, comm);
		}
	}
}

/* --- the recording: intervals --------------------------------------------- */

#define MILLION 1000000

/* Return the count before perf scaled it up from the time that the event ran. */
static uint64_t count_of(const struct td_perf_event *event, const struct td_perf_reading *r)
{
	uint64_t value = r->value.whole;

	if (perf_in_millionths(event))
		value = value * MILLION + r->value.micro;
	if (!r->running_ns || r->running_ns >= r->enabled_ns)
		return value;
	return (uint64_t)llround((double)value * (double)r->running_ns / (double)r->enabled_ns);
}

/* Return the number of CPUs in a count; if the file does not have it, that of its times. */
static int cpus_of(const struct td_perf_file *file, const struct td_perf_reading *r,
		   uint64_t length_ns)
{
	double nr = length_ns ? (double)r->enabled_ns / (double)length_ns : 0;

	return r->nr || file->places[r->place].id || file->of_command || nr >= INT_MAX
		       ? r->nr
		       : (int)lround(nr);
}

static struct td_reading reading_of(const struct td_perf_file *file,
				    const struct td_perf_reading *r, uint64_t length_ns)
{
	const struct td_perf_place *place = &file->places[r->place];

	return (struct td_reading){
		.event = (int)r->event,
		.cpu = place->unit.place.cpu,
		.tid = file->of_command && place->unit.tid < 0 ? 0 : place->unit.tid,
		.value = count_of(&file->events[r->event], r),
		.enabled_ns = r->enabled_ns,
		.running_ns = r->running_ns,
		.cgroup = place->cgroup_index + 1,
		.nr = cpus_of(file, r, length_ns),
	};
}

static void fill_readings(const struct td_perf_file *file, size_t from, size_t end,
			  uint64_t length_ns, struct td_readings *readings)
{
	td_recording_resize(readings, end - from);
	for (size_t i = from; i < end; i++)
		readings->v[i - from] = reading_of(file, &file->readings[i], length_ns);
}

/* Returns 1: there are no more intervals. */
static int end(struct td_recording *rec)
{
	rec->ended = !rec->perf->cut_off;
	if (rec->ended)
		rec->usage.elapsed_ns = perf_file_elapsed_ns(rec->perf);
	return 1;
}

static int perf_output_next(struct td_recording *rec, uint64_t *time_ns,
			    struct td_readings *readings, struct td_err *err)
{
	struct td_perf_file *file = rec->perf;
	size_t next = file->next_interval + 1;
	const struct td_perf_interval *interval = &file->intervals[next - 1];

	if (next > file->nr_intervals)
		return end(rec);
	*time_ns = file->timed ? interval->time_ns : perf_file_elapsed_ns(file);
	if (td_recording_set_time(rec, *time_ns))
		return td_err_set(err, -EINVAL, "%s: the time goes backwards", file->path);
	rec->times.has_cpu_times = file->has_cpu_times;
	rec->times.user_ns = interval->user_ns;
	rec->times.system_ns = interval->system_ns;
	file->next_interval = next;
	fill_readings(file, interval->first,
		      next < file->nr_intervals ? interval[1].first : file->nr_readings,
		      rec->times.elapsed_ns, readings);
	return 0;
}

/* --- reading lines -------------------------------------------------------- */

#define MAX_LINE (1 << 20) /* metric-only lines are the longest */

#define NEITHER "this is neither a recording nor what perf stat -x or -j wrote"

struct reader {
	struct td_perf_file *file;
	FILE *in;
	char *text;
	char separator; /* '{': JSON; '\0': unknown */
	/* separator of several characters, which separator replaces; "": none */
	char long_separator[TD_PERF_LONG_SEPARATOR];
	bool started; /* perf's first line was read */
};

/* Read the next complete line, without its line feed.  Returns 1 at the end. */
static int next_line(struct reader *r, struct td_err *err)
{
	size_t len;

	if (!fgets(r->text, MAX_LINE, r->in)) {
		if (ferror(r->in))
			return td_err_set(err, -EIO, "%s: %s", r->file->path, strerror(errno));
		return 1;
	}
	r->file->line++;
	len = strlen(r->text);
	if (len && r->text[len - 1] == '\n') {
		r->text[len - 1] = '\0';
		return 0;
	}
	if (!feof(r->in))
		return td_perf_file_bad(r->file, err,
					r->file->line > 1 ? "a NUL byte, or more than 1 MiB"
							  : NEITHER);
	r->file->cut_off = true;
	return 1;
}

/* The first line has names, other lines have values; both end in a separator. */
static bool is_metric_only(const struct reader *r)
{
	size_t len = strlen(r->text);
	const char *text = r->text + strspn(r->text, " ");

	/* counts without a metric end in two separators */
	return len > 1 && strchr(",;|@\t: ", r->text[len - 1]) &&
	       r->text[len - 1] != r->text[len - 2] &&
	       (r->started || isdigit((unsigned char)*text) || strncmp(text, "time,", 5) == 0 ||
		strstr(text, "%  "));
}

/*
 * Return the number of fields, each of which ends with the last character; 0 if a field is empty.
 */
static size_t count_named(const char *text)
{
	size_t len = strlen(text), nr = 0, width = 0;

	for (size_t i = 0; i < len; i++) {
		if (text[i] != text[len - 1]) {
			width++;
			continue;
		}
		if (!width)
			return 0;
		width = 0;
		nr++;
	}
	return nr;
}

/*
 * Are this line and the next one names and values of metrics, as --metric-only writes
 * them?  Reads the next line if this one may contain names.
 */
static bool has_names_and_values(struct reader *r)
{
	size_t len = strcspn(r->text, "\r"), nr;
	char separator = len ? r->text[len - 1] : '\0';
	const char *last;

	r->text[len] = '\0';
	nr = strchr(",;|@\t:", separator) ? count_named(r->text) : 0;
	if (!separator || !nr || !fgets(r->text, MAX_LINE, r->in))
		return false;
	len = strcspn(r->text, "\r\n");
	r->text[len] = '\0';
	if (!len || r->text[len - 1] != separator || count_named(r->text) != nr)
		return false;
	r->text[len - 1] = '\0';
	last = strrchr(r->text, separator);
	last = last ? last + 1 : r->text;
	return *last && last[strspn(last, "0123456789.-naif")] == '\0';
}

static int only_metrics(const struct reader *r, struct td_err *err)
{
	td_err_set(err, -EINVAL, "%s: only metrics, no counts; nothing to show", r->file->path);
	return td_err_hint(err, "perf stat without --metric-only and --topdown writes the counts");
}

static int text_output(const struct reader *r, struct td_err *err)
{
	td_err_set(err, -EINVAL, "%s: the text output of perf stat", r->file->path);
	return td_err_hint(err, "use perf stat -x, or perf stat -j");
}

/* "311478,100,00," is a run time and its percentage, 100.00, in some locales. */
static bool has_decimal_commas(const char *text)
{
	for (; *text; text++) {
		size_t run = strspn(text, "0123456789");
		const char *pct = text + run + 1;
		size_t whole = run && text[run] == ',' ? strspn(pct, "0123456789") : 0;
		const char *rest = pct + whole + 1;

		if (whole && whole <= 3 && pct[whole] == ',' && strspn(rest, "0123456789") == 2 &&
		    (rest[2] == ',' || !rest[2]))
			return true;
		text += run;
		if (!*text)
			break;
	}
	return false;
}

/* Find the separator with which text can be parsed as a count; '\0': none. */
static char separator_of(const char *text)
{
	/* rare ones come last, because they may be part of a name or unit */
	static const char separators[] = ",;|@\t~^!&#$'\"%*+?=\\:_/ ";

	for (const char *s = separators; *s; s++) {
		td_autofree char *copy = td_strdup(text);
		struct td_perf_line line;

		if (td_perf_csv_parse(copy, *s, &line) == TD_PERF_IS_COUNT)
			return *s;
	}
	return '\0';
}

/* Find out from the first line with text whether the file is from -x or -j. */
static int find_form(struct reader *r, struct td_err *err)
{
	if (*r->text == '{')
		r->separator = '{';
	else
		r->separator = separator_of(r->text);
	if (!r->separator) {
		td_perf_csv_long_separator(r->text, r->long_separator);
		r->separator = *r->long_separator ? TD_PERF_SHORT : '\0';
	}
	if (r->separator)
		return 0;
	if (strstr(r->text, "Performance counter stats for"))
		return text_output(r, err);
	if (has_decimal_commas(r->text)) {
		td_err_set(err, -EINVAL,
			   "%s:%zu: decimal commas between columns that are separated by commas",
			   r->file->path, r->file->line);
		return td_err_hint(
			err,
			"LC_ALL=C perf stat -x, writes decimal points; -x\\; separates the columns "
			"by semicolons");
	}
	if (is_metric_only(r) || has_names_and_values(r))
		return only_metrics(r, err);
	if (!r->started)
		return 1;
	td_perf_file_bad(
		r->file, err,
		"no count of perf stat -x: expected value, unit, event, run time and percentage "
		"between separators such as , or ;");
	return td_err_hint(err, "a separator must not be a part of numbers or names, such as . and "
				"-; perf stat -x, and perf stat -j are always read");
}

static int bad_csv(const struct reader *r, struct td_err *err)
{
	char one[] = { r->separator, '\0' };

	return td_err_set(
		err, -EINVAL,
		"%s:%zu: no count of perf stat -x '%s': expected value, unit, event, run time and "
		"percentage",
		r->file->path, r->file->line, *r->long_separator ? r->long_separator : one);
}

static int bad_json(struct reader *r, int rc, struct td_err *err)
{
	/* lines with metrics only, as perf 6.1 writes them */
	if (!r->file->nr_events && (r->file->metrics || strstr(r->text, "}{")) &&
	    !strstr(r->text, "\"counter-value\""))
		return only_metrics(r, err);
	if (rc == -EILSEQ)
		return td_perf_file_bad(r->file, err, "not JSON");
	if (!r->started && !r->file->nr_events && !r->file->metrics)
		return 1;
	return td_perf_file_bad(
		r->file, err,
		"no count of perf stat -j: expected counter-value, event, event-runtime and "
		"pcnt-running");
}

static int add_line(struct reader *r, struct td_err *err)
{
	struct td_perf_line line = { 0 };
	struct json_object *object = NULL;
	bool is_json = r->separator == '{';
	int rc;

	if (*r->long_separator)
		td_perf_csv_shorten(r->text, r->long_separator);
	rc = is_json ? td_perf_json_parse(&object, r->text, &line)
		     : td_perf_csv_parse(r->text, r->separator, &line);
	if (rc == TD_PERF_IS_COUNT)
		rc = perf_file_add(r->file, &line, err);
	else if (rc == TD_PERF_IS_METRIC)
		r->file->metrics = true;
	else if (rc < 0)
		rc = is_json ? bad_json(r, rc, err) : bad_csv(r, err);
	json_object_put(object);
	return rc == TD_PERF_IS_METRIC || rc == TD_PERF_IS_SUMMARY ? 0 : rc;
}

/* perf begins with "# started on"; a second one means another run. */
static int take_comment(struct reader *r, struct td_err *err)
{
	bool started = strncmp(r->text, "# started on", 12) == 0;
	const char *title = r->text + 1 + strspn(r->text + 1, " ");

	/* with -I, text begins with the titles of its columns */
	if (title > r->text + 1 && strncmp(title, "time ", 5) == 0)
		return text_output(r, err);

	if (started && r->file->nr_events)
		return td_perf_file_bad(
			r->file, err,
			"a second run (perf stat --append): a file must have one run only");
	r->started |= started;
	return 0;
}

/* Return true for "cycles: 123 456 456", as perf stat -v prints counts and both times. */
static bool is_raw_count(const char *text)
{
	const char *at = strrchr(text, ':');
	int nr = 0;

	for (at = at ? at + 1 : ""; *at == ' ' && isdigit((unsigned char)at[1]); nr++)
		at += 1 + strspn(at + 1, "0123456789");
	return nr == 3 && !*at;
}

/* Return true for a note that perf prints between counts. */
static bool is_note(const char *text)
{
	static const char *const notes[] = {
		"Events disabled",
		"Events enabled",
		"WARNING: ",
		"warning: processing task data",
		"timeout < 100ms",
		"Using CPUID ",
		"Control descriptor is not initialized",
		"[ perf stat: executing run #",
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(notes); i++) {
		if (strncmp(text, notes[i], strlen(notes[i])) == 0)
			return true;
	}
	/* as perf 7.2 prints the PMU of a name */
	return strstr(text, " -> ") && text[strlen(text) - 1] == '/';
}

/* Returns 1 if the line is not perf's. */
static int take_line(struct reader *r, struct td_err *err)
{
	int rc = 0;

	if (r->text[strspn(r->text, " \r")] == '\0' || is_raw_count(r->text))
		return 0;
	if (is_note(r->text)) {
		r->started = true;
		return 0;
	}
	if (*r->text == '#')
		return take_comment(r, err);
	if (!r->separator)
		rc = find_form(r, err);
	return rc ?: add_line(r, err);
}

static int check_counts(const struct reader *r, struct td_err *err)
{
	if (r->file->nr_events)
		return 0;
	if (r->file->metrics)
		return only_metrics(r, err);
	if (!r->started)
		return 1;
	return td_err_set(err, -EINVAL, "%s: perf stat wrote no counts", r->file->path);
}

/* Lines of a program before those of perf */
#define MAX_FOREIGN 1000

/* Is it a line with a count? */
static bool is_count(const char *text)
{
	char separator;

	if (strstr(text, "\"counter-value\" : "))
		return true;
	separator = separator_of(text);
	return separator && strchr(",;|\t", separator);
}

/* Report that the line is not perf's; perf writes to standard error unless -o is given. */
static int not_perf(struct reader *r, struct td_err *err)
{
	size_t line = r->file->line;
	struct td_err unused;
	bool found = false;

	for (int i = 0; i < MAX_FOREIGN && !found && !next_line(r, &unused); i++) {
		if (strstr(r->text, "Performance counter stats for"))
			return text_output(r, err);
		found = is_count(r->text);
	}
	r->file->line = line;
	if (!found)
		return td_perf_file_bad(r->file, err, NEITHER);
	td_perf_file_bad(r->file, err, "this is not what perf stat wrote, but later lines are");
	return td_err_hint(err, "perf stat -o FILE keeps the output of programs out of its file");
}

/* Returns 1 if the file is not perf's. */
static int read_file(FILE *in, struct td_perf_file *file, struct td_err *err)
{
	td_autofree char *text = td_malloc(MAX_LINE);
	struct reader r = { .file = file, .in = in, .text = text };
	int rc;

	while (!(rc = next_line(&r, err))) {
		rc = take_line(&r, err);
		/* the reader of recordings reports errors of JSON */
		if (rc > 0 && *text != '{')
			return not_perf(&r, err);
		if (rc)
			return rc;
	}
	if (rc > 0)
		rc = check_counts(&r, err);
	return rc ?: perf_file_check_counts(file, err);
}

/* --- the kind of file ----------------------------------------------------- */

/* Return true for a recording or an empty file, after putting back the bytes read. */
static bool is_own(FILE *fp)
{
	static const char head[] = "{\"td";
	size_t nr = 0;
	int c = 0;
	bool own;

	while (nr < sizeof(head) - 1 && (c = getc(fp)) == head[nr])
		nr++;
	own = nr == sizeof(head) - 1 || c == EOF;
	if (!own)
		ungetc(c, fp);
	while (nr > 0)
		ungetc(head[--nr], fp);
	return own;
}

/* Rewind the file, so that the reader of recordings can report its error. */
static int give_back(FILE *fp, const char *path, struct td_err *err)
{
	if (fseek(fp, 0, SEEK_SET) == 0)
		return 1;
	return td_err_set(err, -EINVAL, "%s: neither a recording nor output of perf stat -x or -j",
			  path);
}

static int perf_output_open(struct td_recording *rec, struct td_err *err)
{
	struct td_perf_file *file;
	int rc;

	if (is_own(rec->fp))
		return 1;
	file = td_calloc(1, sizeof(*file));
	file->path = rec->path;
	rc = read_file(rec->fp, file, err);
	if (rc) {
		perf_output_free(file);
		return rc > 0 ? give_back(rec->fp, rec->path, err) : rc;
	}
	perf_file_fill(file, rec);
	rec->perf = file;
	td_perf_find_command(rec);
	return 0;
}

const struct td_foreign td_perf_output = {
	.open = perf_output_open,
	.next = perf_output_next,
	.free = perf_output_free,
};
