// SPDX-License-Identifier: GPL-2.0-only
/* Reads the lines of a recording: tdstat-recording(5) describes them. */
#include <float.h>
#include <json-c/json.h>
#include <limits.h>
#include <math.h>

#include "lib/base/compress.h"
#include "lib/base/json.h"
#include "lib/base/number.h"
#include "lib/recording/parts.h"
#include "lib/recording/recording.h"

/* --- places --------------------------------------------------------------- */

static const struct td_json_optional of_place[] = {
	{ "caches", json_type_array },
	{ NULL },
};

/* Read "caches", the ids of levels 1, 2 ...; older recordings lack it. */
static int read_caches(struct td_recording *rec, struct json_object *object, struct td_place *place,
		       struct td_err *err)
{
	struct json_object *array = td_json_member(object, "caches", json_type_array);
	size_t nr = array ? json_object_array_length(array) : 0;

	for (size_t i = 0; i < nr; i++) {
		int64_t id;

		if (i == TD_MAX_CACHE ||
		    !td_json_integer(json_object_array_get_idx(array, i), -1, TD_MAX_CPU, &id))
			return td_recording_bad(rec, err,
						"\"caches\": not a list of up to four numbers");
		place->cache[i] = (int)id;
	}
	return 0;
}

/* Read the place of a CPU; unknown ids are -1. */
static int read_place(struct td_recording *rec, struct json_object *object, struct td_err *err)
{
	struct td_place place = { .cache = { -1, -1, -1, -1 } };
	const struct {
		const char *key;
		int *to;
	} members[] = {
		{ "cpu", &place.cpu }, { "core", &place.core },     { "cluster", &place.cluster },
		{ "die", &place.die }, { "socket", &place.socket }, { "node", &place.node },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(members); i++) {
		int64_t n;

		if (!td_json_int(object, members[i].key, i ? -1 : 0, i ? INT_MAX : TD_MAX_CPU, &n))
			return td_recording_bad(
				rec, err,
				"\"topology\": needs cpu, core, cluster, die, socket and node");
		*members[i].to = (int)n;
	}
	if (td_recording_check_types(rec, object, of_place, err))
		return err->code;
	if (td_recording_add_place(rec, &place))
		return td_recording_bad(rec, err, "\"topology\": CPUs are not in order");
	return read_caches(rec, object, &rec->places[rec->machine.online.nr - 1], err);
}

/* Read the topology.  Leaves rec->places NULL without one, as in older recordings. */
static int read_places(struct td_recording *rec, struct json_object *head, struct td_err *err)
{
	struct json_object *array = td_json_member(head, "topology", json_type_array);
	size_t nr = array ? json_object_array_length(array) : 0;
	int rc = 0;

	for (size_t i = 0; !rc && i < nr; i++)
		rc = read_place(rec, json_object_array_get_idx(array, i), err);
	return rc;
}

/* Replace the topology with the one in a line, which has more CPUs. */
static int read_topology(struct td_recording *rec, struct json_object *line, struct td_err *err)
{
	size_t nr = rec->machine.online.nr;

	free(rec->places);
	rec->places = NULL;
	td_ints_free(&rec->machine.online);
	if (read_places(rec, line, err))
		return err->code;
	if (rec->machine.online.nr > nr)
		return 0;
	return td_recording_bad(rec, err, "\"topology\": no more CPUs than before");
}

/* --- the first line ------------------------------------------------------- */

/* Maximum start in s, in the year 2255; ns since 1970 fit into 64 bits until 2554. */
#define MAX_START 9e9

/* Members that older recordings lack, or that are only written if they differ from the default. */
static const struct td_json_optional of_head[] = {
	{ "pmem", json_type_boolean },
	{ "tasks", json_type_boolean },
	{ "latencies", json_type_boolean },
	{ "tsc_hz", json_type_int },
	{ "table", json_type_string },
	{ "topology", json_type_array },
	{ NULL },
};
static const struct td_json_optional of_pmu[] = {
	{ "core", json_type_boolean },
	{ "skip", json_type_boolean },
	{ NULL },
};
static const struct td_json_optional of_event[] = {
	{ "clone", json_type_boolean },
	{ "refused", json_type_string },
	{ NULL },
};

/* Return the kind of a PMU: in recordings of a tree, all are core PMUs unless "core" is false. */
static enum td_pmu_kind pmu_kind(const struct td_recording *rec, struct json_object *object,
				 const char *name)
{
	struct json_object *core = td_json_member(object, "core", json_type_boolean);

	if (rec->info.of_events || (core && !json_object_get_boolean(core)))
		return td_pmu_kind(name);
	return TD_PMU_CORE;
}

static int read_pmu(struct td_recording *rec, struct json_object *object, struct td_err *err)
{
	const char *name = td_json_string(object, "name");
	const char *cpus = td_json_string(object, "cpus");
	struct td_machine *machine = &rec->machine;
	struct td_pmu *pmu;
	int64_t type;

	if (!name || !cpus || !td_json_int(object, "type", 0, UINT32_MAX, &type))
		return td_recording_bad(rec, err, "\"pmus\": needs name, type and cpus");
	if (td_recording_check_types(rec, object, of_pmu, err))
		return err->code;
	if (td_recording_add_pmu(rec, name, pmu_kind(rec, object, name), (uint32_t)type))
		return td_recording_bad(rec, err, "\"pmus\": core PMUs come first");
	pmu = &machine->pmus[machine->nr_pmus - 1];
	pmu->skip = td_json_flag(object, "skip");
	if (td_ints_parse(cpus, TD_MAX_CPU, &pmu->cpus))
		return td_recording_bad(rec, err, "\"pmus\": cpus is not a CPU list");
	return 0;
}

/* Read a number, if it exists. */
static bool get_double(struct json_object *object, const char *key, double min, double max,
		       double *out)
{
	struct json_object *value;

	if (!json_object_object_get_ex(object, key, &value))
		return true;
	*out = json_object_get_double(value);
	return (json_object_is_type(value, json_type_double) ||
		json_object_is_type(value, json_type_int)) &&
	       *out >= min && *out <= max;
}

/* Read the members of an event, except for name and PMU. */
static int read_described(struct td_recording *rec, struct json_object *object,
			  struct td_event *event, struct td_err *err)
{
	const char *refused = td_json_string(object, "refused");
	enum td_pmu_kind kind = rec->machine.pmus[event->pmu].kind;
	int rc = rec->info.of_events ? td_typed_get(object, event) : 0;

	if (rc || (rec->info.of_events && event->tool && kind != TD_PMU_TOOL))
		return td_recording_bad(rec, err, "\"events\": an invalid event");
	if (!rec->info.of_events && refused)
		td_event_set_refusal(event, refused);
	if (!get_double(object, "scale", DBL_TRUE_MIN, DBL_MAX, &event->scale))
		return td_recording_bad(rec, err, "\"scale\" is not a number above 0");
	return 0;
}

/* Add the last event to its group. */
static int read_membership(struct td_recording *rec, struct json_object *object, int64_t group,
			   struct td_err *err)
{
	if (td_recording_add_to_group(rec, (size_t)group))
		return td_recording_bad(rec, err, "\"events\": a group of two PMUs");
	if (!get_double(object, "at_once", 0, TD_RECORDING_MAX_EVENTS,
			&rec->plan.groups[group].at_once))
		return td_recording_bad(rec, err, "\"at_once\" is not a number");
	return 0;
}

static int read_event(struct td_recording *rec, struct json_object *object, struct td_err *err)
{
	const char *name = td_json_string(object, "name");
	const char *pmu_name = td_json_string(object, "pmu");
	int pmu = pmu_name ? td_machine_find_pmu(&rec->machine, pmu_name) : -1;
	struct td_event *event;
	int64_t group;

	if (!name || pmu < 0 || !td_json_int(object, "group", -1, TD_RECORDING_MAX_EVENTS, &group))
		return td_recording_bad(rec, err, "\"events\": needs name, pmu and group");
	if (td_recording_check_types(rec, object, of_event, err))
		return err->code;
	event = td_recording_add_event(rec, name, pmu);
	if (read_described(rec, object, event, err))
		return err->code;
	return group < 0 ? 0 : read_membership(rec, object, group, err);
}

static int read_array(struct td_recording *rec, struct json_object *head, const char *key,
		      int (*read_one)(struct td_recording *, struct json_object *, struct td_err *),
		      struct td_err *err)
{
	struct json_object *array = td_json_member(head, key, json_type_array);
	size_t nr = array ? json_object_array_length(array) : 0;
	int rc = 0;

	if (nr == 0 && rec->info.of_events && array)
		return 0; /* --null; a machine without a PMU */
	if (nr == 0 || nr > TD_RECORDING_MAX_EVENTS)
		return td_err_set(err, -EINVAL, "%s:%zu: \"%s\" is not a list with entries",
				  rec->path, rec->line, key);
	for (size_t i = 0; !rc && i < nr; i++)
		rc = read_one(rec, json_object_array_get_idx(array, i), err);
	return rc;
}

/* Return a time in seconds.  Returns 0 if it is invalid, because it is only shown. */
static double get_moment(struct json_object *head, const char *key)
{
	struct json_object *moment;
	double seconds;

	if (!json_object_object_get_ex(head, key, &moment))
		return 0;
	seconds = json_object_get_double(moment);
	return seconds > 0 && seconds < MAX_START ? seconds : 0;
}

static struct td_clocks get_clocks(struct json_object *head)
{
	double mono = get_moment(head, "monotonic");
	double boot = get_moment(head, "boottime");

	return (struct td_clocks){
		.mono_ns = (uint64_t)llround(mono * 1e9),
		.suspended_ns =
			mono > 0 && boot > mono ? (uint64_t)llround((boot - mono) * 1e9) : 0,
	};
}

static int read_info(struct td_recording *rec, struct json_object *head, struct td_err *err)
{
	struct td_machine *machine = &rec->machine;
	const char *cpuid = td_json_string(head, "cpuid");
	const char *target = td_json_string(head, "target");
	struct json_object *smt = td_json_member(head, "smt", json_type_boolean);
	const char *table;
	int64_t version, interval = 0, tsc_hz = 0;

	if (!td_json_int(head, "tdstat", 0, INT_MAX, &version))
		return td_recording_bad(rec, err, "not a recording of tdstat");
	if (version != 1)
		return td_recording_bad(rec, err, "a recording of a newer tdstat");
	if (!cpuid || !target || !smt || !td_json_int(head, "interval_ms", 0, INT_MAX, &interval))
		return td_recording_bad(rec, err, "needs cpuid, smt, interval_ms and target");
	if (td_cpuid_parse(cpuid, &machine->cpuid, err))
		return td_recording_bad(rec, err,
					"\"cpuid\" is not of the form GenuineIntel-6-97-2");
	if (td_recording_check_types(rec, head, of_head, err))
		return err->code;
	machine->model = td_model_find(&machine->cpuid);
	machine->smt = json_object_get_boolean(smt);
	machine->has_pmem = td_json_flag(head, "pmem");
	rec->info.tasks = td_json_flag(head, "tasks");
	rec->info.latencies = td_json_flag(head, "latencies");
	/* in whole ms because a double is not exact to ns */
	rec->info.start_ns = (uint64_t)llround(get_moment(head, "start") * 1000) * 1000000;
	rec->info.clocks = get_clocks(head);
	if (td_json_int(head, "tsc_hz", 0, INT64_MAX, &tsc_hz))
		rec->info.tsc_hz = (uint64_t)tsc_hz;
	table = td_json_string(head, "table");
	rec->info.of_events = table && strcmp(table, "events") == 0;
	rec->info.interval_ms = (int)interval;
	td_target_name_parse(&rec->info.target, target);
	return 0;
}

/*
 * Find the clones of events.  Older recordings do not mark them; there, all events are clones
 * that have the name of an earlier one.
 */
static void find_clones(struct td_recording *rec, struct json_object *head)
{
	struct json_object *events = td_json_member(head, "events", json_type_array);
	td_autofree bool *clones = NULL;

	if (!td_ask_is_made(&rec->info.ask)) {
		td_plan_find_clones(&rec->plan, NULL);
		return;
	}
	clones = td_calloc(rec->plan.events.nr + 1, sizeof(*clones));
	for (size_t i = 0; i < rec->plan.events.nr; i++)
		clones[i] = td_json_flag(json_object_array_get_idx(events, i), "clone");
	td_plan_find_clones(&rec->plan, clones);
}

static int parse_head(struct td_recording *rec, struct json_object *head, struct td_err *err)
{
	if (read_info(rec, head, err) || read_array(rec, head, "pmus", read_pmu, err) ||
	    read_array(rec, head, "events", read_event, err) || read_places(rec, head, err) ||
	    td_recording_parse_request(rec, head, err))
		return err->code;
	find_clones(rec, head);
	return 0;
}

/* --- the timeline of an interval: a line for each point, before its counts ---- */

/* INT64_MAX is refused because json-c returns it for all larger numbers. */
#define MAX_COUNT (INT64_MAX - 1)

static bool parse_sum(struct json_object *array, struct td_reading *out)
{
	int64_t n[3];

	if (!json_object_is_type(array, json_type_array) || json_object_array_length(array) != 3)
		return false;
	for (size_t i = 0; i < 3; i++) {
		if (!td_json_integer(json_object_array_get_idx(array, i), 0, MAX_COUNT, &n[i]))
			return false;
	}
	*out = (struct td_reading){
		.value = (uint64_t)n[0],
		.enabled_ns = (uint64_t)n[1],
		.running_ns = (uint64_t)n[2],
	};
	return n[2] <= n[1];
}

/* Are all sums at least as large as at the last point? */
static bool is_continued(const struct td_timeline *timeline, const struct td_readings *sums)
{
	const struct td_timeline_point *last;

	if (!timeline->nr)
		return true;
	last = &timeline->points[timeline->nr - 1];
	if (sums->nr < last->nr)
		return false;
	for (size_t i = 0; i < last->nr; i++) {
		const struct td_timeline_sum *sum = &last->v[i];

		if (sums->v[i].value < sum->value || sums->v[i].enabled_ns < sum->enabled_ns ||
		    sums->v[i].running_ns < sum->running_ns)
			return false;
	}
	return true;
}

/* Add a point, {"so_far":0.1,"sums":[[value,enabled,running]...]}, to rec->timeline. */
static int read_sums(struct td_recording *rec, struct json_object *line, struct json_object *sums,
		     struct td_err *err)
{
	struct td_readings point = { 0 };
	uint64_t time_ns;
	bool ok = true;

	/* points are of calls or samples if there are regions, as in td_batched_end() */
	rec->timeline.samples = rec->regions.nr > 0;
	if (rec->timeline.nr == TD_TIMELINE_POINTS)
		return td_recording_bad(rec, err, "too many points before an interval");
	if (!td_json_seconds(line, "so_far", &time_ns) ||
	    (rec->timeline.nr &&
	     time_ns + rec->base_ns < rec->timeline.points[rec->timeline.nr - 1].time_ns))
		return td_recording_bad(rec, err, "\"sums\" need a later so_far");
	td_recording_resize(&point, json_object_array_length(sums));
	for (size_t i = 0; ok && i < point.nr; i++)
		ok = parse_sum(json_object_array_get_idx(sums, i), &point.v[i]);
	ok = ok && is_continued(&rec->timeline, &point);
	if (ok)
		td_timeline_add(&rec->timeline, &point, time_ns + rec->base_ns);
	free(point.v);
	if (ok)
		return 0;
	return td_recording_bad(
		rec, err, "\"sums\" are not [value, enabled, running], none smaller than before");
}

/* --- the recording -------------------------------------------------------- */

#define MAX_LINE  (64 << 20) /* a line of 1,024 CPUs and 100 events is 6 MB */
#define MAX_DEPTH 8
#define MAX_EACH  65535 /* cycles of a sample: the field of a record has 16 bits */

static int bad(const struct td_recording *rec, struct td_err *err, const char *what)
{
	return td_recording_bad(rec, err, what);
}

static int read_error(const struct td_recording *rec, struct td_err *err)
{
	const char *why = rec->zstd ? td_zstd_why(rec->zstd) : NULL;

	if (why)
		return td_err_set(err, -EINVAL, "%s: cannot be unpacked after line %zu: %s",
				  rec->path, rec->line, why);
	return td_err_set(err, -EIO, "%s: %s", rec->path, strerror(errno));
}

/* Read the next line into rec->text.  Returns 1 at the end.  A line without end is cut off. */
static int next_line(struct td_recording *rec, struct td_err *err)
{
	size_t len = 0;
	int c;

	while ((c = getc(rec->fp)) != EOF && c != '\n') {
		if (len == MAX_LINE)
			return bad(rec, err, "a line of more than 64 MiB");
		if (len + 1 >= rec->size) {
			rec->size = rec->size ? rec->size * 2 : 4096;
			rec->text = td_realloc(rec->text, rec->size);
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

static int parse_line(struct td_recording *rec, struct json_object **out, struct td_err *err)
{
	struct td_json_fault fault;
	int rc = td_json_text(rec->text, MAX_DEPTH, JSON_TOKENER_STRICT, out, &fault);

	if (!rc && json_object_is_type(*out, json_type_object))
		return 0;
	json_object_put(*out);
	*out = NULL;
	if (!rc)
		return bad(rec, err, "not a JSON object");
	td_err_set(err, rc, "%s:%zu:%zu: not JSON: %s", rec->path, rec->line, fault.at + 1,
		   fault.why);
	return rec->line > 1
		       ? rc
		       : td_err_hint(
				 err,
				 "it is neither a recording of tdstat nor what perf stat -x or -j "
				 "wrote");
}

int td_recording_next_line(struct td_recording *rec, struct json_object **line, struct td_err *err)
{
	int rc = next_line(rec, err);

	return rc ?: parse_line(rec, line, err);
}

int td_recording_read_head(struct td_recording *rec, struct td_err *err)
{
	struct json_object *head;
	int rc = td_recording_next_line(rec, &head, err);

	if (rc > 0)
		return td_err_set(err, -EINVAL, "%s: not a recording: it has no whole line",
				  rec->path);
	if (rc)
		return rc;
	rc = parse_head(rec, head, err);
	json_object_put(head);
	return rc;
}

/*
 * Limits of the numbers of a reading.  -1 means none; for the cgroup, it is also written if a life
 * follows.
 */
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
	{ 1, INT_MAX },     /* life; 2 means the second task with this TID */
	{ 0, INT_MAX },     /* region */
};

static bool parse_reading(const struct td_recording *rec, struct json_object *array,
			  struct td_reading *out)
{
	int64_t n[TD_ARRAY_SIZE(reading_limits)] = { 0 };
	size_t nr;

	if (!json_object_is_type(array, json_type_array))
		return false;
	nr = json_object_array_length(array);
	if (nr < 6 || nr > TD_ARRAY_SIZE(n))
		return false;
	for (size_t i = 0; i < nr; i++) {
		if (!td_json_integer(json_object_array_get_idx(array, i), reading_limits[i].min,
				     reading_limits[i].max, &n[i]))
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

/* Read user and system time.  Sets *has if they exist; one without the other is an error. */
static int read_cpu_times(const struct td_recording *rec, struct json_object *from, bool *has,
			  uint64_t *user_ns, uint64_t *sys_ns, struct td_err *err)
{
	*has = json_object_object_get_ex(from, "user", NULL) ||
	       json_object_object_get_ex(from, "sys", NULL);
	if (!*has ||
	    (td_json_seconds(from, "user", user_ns) && td_json_seconds(from, "sys", sys_ns)))
		return 0;
	return bad(rec, err, "\"user\" and \"sys\" are not both times");
}

static int read_times(struct td_recording *rec, struct json_object *line, uint64_t time_ns,
		      struct td_err *err)
{
	struct td_times *times = &rec->times;

	if (td_recording_set_time(rec, time_ns))
		return bad(rec, err, "the time goes backwards");
	if (!td_json_seconds(line, "unsure", &times->unsure_ns))
		times->unsure_ns = 0;
	return read_cpu_times(rec, line, &times->has_cpu_times, &times->user_ns, &times->system_ns,
			      err);
}

static int read_counts(struct td_recording *rec, struct json_object *line, uint64_t *time_ns,
		       struct td_readings *readings, struct td_err *err)
{
	struct json_object *counts = td_json_member(line, "counts", json_type_array);
	size_t nr = counts ? json_object_array_length(counts) : 0;
	struct td_reading *v;

	if (td_json_member(line, "samples", json_type_object))
		return td_err_set(err, -EINVAL,
				  "%s has samples: report --locate or --profile shows them",
				  rec->path);
	if (!counts || !td_json_seconds(line, "time", time_ns))
		return bad(rec, err, "neither counts with a time nor an end line");
	*time_ns += rec->base_ns;
	if (read_times(rec, line, *time_ns, err))
		return err->code;
	td_recording_resize(readings, nr);
	v = readings->v;
	for (size_t i = 0; i < nr; i++) {
		if (!parse_reading(rec, json_object_array_get_idx(counts, i), &v[i]) ||
		    (v[i].cpu < 0) != (v[0].cpu < 0) || (v[i].tid < 0) != (v[0].tid < 0))
			return td_err_set(
				err, -EINVAL,
				"%s:%zu: counts[%zu] is not [event, cpu, tid, value, enabled, "
				"running]",
				rec->path, rec->line, i);
		if (rec->regions.nr && !v[i].region)
			return td_err_set(err, -EINVAL, "%s:%zu: counts[%zu] is of no region",
					  rec->path, rec->line, i);
	}
	if (is_continued(&rec->timeline, readings))
		return 0;
	return bad(rec, err, "the counts are less than the sums before");
}

/* Read the text after the end line.  Returns 1 if it is blank, or else an error. */
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

int td_recording_read_end(struct td_recording *rec, struct json_object *end, struct td_err *err)
{
	struct td_usage *usage = &rec->usage;

	if (!td_json_seconds(end, "elapsed", &usage->elapsed_ns))
		return bad(rec, err, "\"end\" needs elapsed");
	rec->ended = true;
	if (read_cpu_times(rec, end, &usage->has_times, &usage->user_ns, &usage->sys_ns, err))
		return err->code;
	/* after several files, usage has only the times of the last one */
	usage->has_times = usage->has_times && !rec->base_ns;
	usage->elapsed_ns += rec->base_ns;
	return check_rest(rec, err);
}

/* Parse "123", or "123#2" for the second task with TID 123. */
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

/* Read the names of threads, {"123":"make"}. */
static int read_names(struct td_recording *rec, struct json_object *names, struct td_err *err)
{
	json_object_object_foreach(names, key, value)
	{
		int tid, life;

		if (!parse_task(key, &tid, &life) || !json_object_is_type(value, json_type_string))
			return bad(rec, err, "\"threads\": not a tid's name");
		td_task_names_begin(&rec->names, tid, life);
		td_task_names_set(&rec->names, tid, json_object_get_string(value));
	}
	return 0;
}

static bool parse_pair(struct json_object *pair, int64_t *sum, int64_t *nr)
{
	return json_object_is_type(pair, json_type_array) && json_object_array_length(pair) == 2 &&
	       td_json_integer(json_object_array_get_idx(pair, 0), 0, MAX_COUNT, sum) &&
	       td_json_integer(json_object_array_get_idx(pair, 1), 0, MAX_COUNT, nr) &&
	       *sum / MAX_EACH + (*sum % MAX_EACH > 0) <= *nr;
}

/* Read latencies, {"EVENT":[sum,number],...}, which replace the previous ones. */
static int read_latencies(struct td_recording *rec, struct json_object *object, struct td_err *err)
{
	td_latencies_free(&rec->latencies);
	json_object_object_foreach(object, event, pair)
	{
		int64_t sum, nr;

		if (!parse_pair(pair, &sum, &nr))
			return bad(rec, err, "\"latencies\" are not of the form [sum, number]");
		td_latencies_add(&rec->latencies, event, (uint64_t)sum, (uint64_t)nr);
	}
	return 0;
}

/*
 * Read a line.  Sets *more if it precedes an interval: names of tasks, regions, latencies, a
 * topology or a point of the timeline.
 */
static int read_line(struct td_recording *rec, uint64_t *time_ns, struct td_readings *readings,
		     bool *more, struct td_err *err)
{
	struct json_object *line, *end, *names, *sums, *regions, *latencies, *topology;
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
	     : sums      ? read_sums(rec, line, sums, err)
	     : regions   ? td_recording_read_regions(rec, line, err)
	     : latencies ? read_latencies(rec, latencies, err)
	     : topology  ? read_topology(rec, line, err)
			 : read_counts(rec, line, time_ns, readings, err);
	json_object_put(line);
	return rc;
}

int td_recording_read_interval(struct td_recording *rec, uint64_t *time_ns,
			       struct td_readings *readings, struct td_err *err)
{
	bool more = true;
	int rc = rec->ended ? 1 : 0;

	td_timeline_clear(&rec->timeline);
	while (!rc && more)
		rc = read_line(rec, time_ns, readings, &more, err);
	return rc;
}
