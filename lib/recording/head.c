// SPDX-License-Identifier: GPL-2.0-only
/* The first line of a recording: machine, events, groups. */
#include "lib/recording/parts.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/json.h"
#include "lib/base/util.h"
#include "lib/recording/fill.h"

/* --- places --------------------------------------------------------------- */

static const struct td_json_optional of_place[] = {
	{ "caches", json_type_array },
	{ NULL },
};

/* Reads "caches", the ids of levels 1, 2 ...; older recordings lack it. */
static int read_caches(struct td_recording *rec, struct json_object *object,
		       struct td_place *place, struct td_err *err)
{
	struct json_object *array =
		td_json_member(object, "caches", json_type_array);
	size_t nr = array ? json_object_array_length(array) : 0;

	for (size_t i = 0; i < nr; i++) {
		int64_t id;

		if (i == TD_MAX_CACHE ||
		    !td_json_whole(json_object_array_get_idx(array, i), -1,
				   TD_MAX_CPU, &id))
			return td_recording_bad(rec, err,
						"\"caches\": not a list of "
						"up to four numbers");
		place->cache[i] = (int)id;
	}
	return 0;
}

/* Reads the place of a CPU; unknown ids are -1. */
static int read_place(struct td_recording *rec, struct json_object *object,
		      struct td_err *err)
{
	struct td_place place = { .cache = { -1, -1, -1, -1 } };
	const struct {
		const char *key;
		int *to;
	} members[] = {
		{ "cpu", &place.cpu },         { "core", &place.core },
		{ "cluster", &place.cluster }, { "die", &place.die },
		{ "socket", &place.socket },   { "node", &place.node },
	};
	int rc;

	for (size_t i = 0; i < TD_ARRAY_SIZE(members); i++) {
		int64_t n;

		if (!td_json_int(object, members[i].key, i ? -1 : 0,
				 i ? INT_MAX : TD_MAX_CPU, &n))
			return td_recording_bad(rec, err,
						"\"topology\": needs cpu, "
						"core, cluster, die, socket "
						"and node");
		*members[i].to = (int)n;
	}
	if (td_recording_check_types(rec, object, of_place, err))
		return err->code;
	rc = td_recording_add_place(rec, &place);
	if (rc == -EINVAL)
		return td_recording_bad(rec, err,
					"\"topology\": CPUs are not in order");
	if (rc)
		return td_err_nomem(err);
	return read_caches(rec, object,
			   &rec->places[rec->machine.online.nr - 1], err);
}

/* Leaves rec->places NULL if there is no topology, as in older recordings. */
static int recording_read_places(struct td_recording *rec,
				 struct json_object *head, struct td_err *err)
{
	struct json_object *array =
		td_json_member(head, "topology", json_type_array);
	size_t nr = array ? json_object_array_length(array) : 0;
	int rc = 0;

	for (size_t i = 0; !rc && i < nr; i++)
		rc = read_place(rec, json_object_array_get_idx(array, i), err);
	return rc;
}

int td_recording_read_topology(struct td_recording *rec,
			       struct json_object *line, struct td_err *err)
{
	size_t nr = rec->machine.online.nr;
	int rc;

	free(rec->places);
	rec->places = NULL;
	td_ints_free(&rec->machine.online);
	rc = recording_read_places(rec, line, err);
	if (!rc && rec->machine.online.nr <= nr)
		rc = td_recording_bad(rec, err,
				      "\"topology\": no more CPUs than before");
	return rc;
}

/* --- the first line ------------------------------------------------------- */

/* In the year 2255; ns since 1970 have 64 bits until 2554. */
#define LAST_START 9e9

/* What older recordings lack, or is only there if it says something. */
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
	{ NULL },
};
static const struct td_json_optional of_event[] = {
	{ "clone", json_type_boolean },
	{ "refused", json_type_string },
	{ NULL },
};
/* A tree is counted on PMUs of cores, unless the recording says otherwise. */
static enum td_pmu_kind pmu_kind(const struct td_recording *rec,
				 struct json_object *object, const char *name)
{
	struct json_object *core =
		td_json_member(object, "core", json_type_boolean);

	if (rec->info.of_events || (core && !json_object_get_boolean(core)))
		return td_pmu_kind(name);
	return TD_PMU_CORE;
}

static int read_pmu(struct td_recording *rec, struct json_object *object,
		    struct td_err *err)
{
	const char *name = td_json_string(object, "name");
	const char *cpus = td_json_string(object, "cpus");
	struct td_machine *machine = &rec->machine;
	int64_t type;
	int rc;

	if (!name || !cpus ||
	    !td_json_int(object, "type", 0, UINT32_MAX, &type))
		return td_recording_bad(rec, err,
					"\"pmus\": needs name, type and cpus");
	if (td_recording_check_types(rec, object, of_pmu, err))
		return err->code;
	rc = td_recording_add_pmu(rec, name, pmu_kind(rec, object, name),
				  (uint32_t)type);
	if (rc == -EINVAL)
		return td_recording_bad(rec, err,
					"\"pmus\": core PMUs come first");
	if (rc)
		return td_err_nomem(err);
	rc = td_ints_parse(cpus, TD_MAX_CPU,
			   &machine->pmus[machine->nr_pmus - 1].cpus);
	if (rc == -ENOMEM)
		return td_err_nomem(err);
	if (rc)
		return td_recording_bad(rec, err,
					"\"pmus\": cpus is not a CPU list");
	return 0;
}

static bool parse_scale(struct json_object *value, double *scale)
{
	*scale = json_object_get_double(value);
	return (json_object_is_type(value, json_type_double) ||
		json_object_is_type(value, json_type_int)) &&
	       *scale > 0 && isfinite(*scale);
}

static bool get_at_once(struct json_object *object, double *out)
{
	struct json_object *value;

	if (!json_object_object_get_ex(object, "at_once", &value))
		return true;
	*out = json_object_get_double(value);
	return (json_object_is_type(value, json_type_double) ||
		json_object_is_type(value, json_type_int)) &&
	       *out >= 0 && *out <= TD_RECORDING_MAX_EVENTS;
}

/* Reads the members of an event other than name and PMU. */
static int read_described(struct td_recording *rec, struct json_object *object,
			  struct td_event *event, struct td_err *err)
{
	const char *refused = td_json_string(object, "refused");
	enum td_pmu_kind kind = rec->machine.pmus[event->pmu].kind;
	struct json_object *scale;
	int rc = rec->info.of_events ? td_typed_get(object, event) : 0;

	if (rc == -ENOMEM)
		return td_err_nomem(err);
	if (rc || (rec->info.of_events && event->tool && kind != TD_PMU_TOOL))
		return td_recording_bad(rec, err,
					"\"events\": an invalid event");
	if (!rec->info.of_events && refused &&
	    td_event_set_refusal(event, refused))
		return td_err_nomem(err);
	if (json_object_object_get_ex(object, "scale", &scale) &&
	    !parse_scale(scale, &event->scale))
		return td_recording_bad(rec, err,
					"\"scale\" is not a number above 0");
	return 0;
}

/* Adds the event that was read last to its group. */
static int read_membership(struct td_recording *rec, struct json_object *object,
			   int64_t group, struct td_err *err)
{
	struct td_plan *plan = &rec->plan;
	int rc = td_recording_add_to_group(rec, (size_t)group);

	if (rc == -EINVAL)
		return td_recording_bad(rec, err,
					"\"events\": a group of two PMUs");
	if (rc)
		return td_err_nomem(err);
	if (!get_at_once(object, &plan->groups[group].at_once))
		return td_recording_bad(rec, err,
					"\"at_once\" is not a number");
	return 0;
}

static int read_event(struct td_recording *rec, struct json_object *object,
		      struct td_err *err)
{
	const char *name = td_json_string(object, "name");
	const char *pmu_name = td_json_string(object, "pmu");
	int pmu = pmu_name ? td_machine_find_pmu(&rec->machine, pmu_name) : -1;
	struct td_event *event;
	int64_t group;

	if (!name || pmu < 0 ||
	    !td_json_int(object, "group", -1, TD_RECORDING_MAX_EVENTS, &group))
		return td_recording_bad(
			rec, err, "\"events\": needs name, pmu and group");
	if (td_recording_check_types(rec, object, of_event, err))
		return err->code;
	event = td_recording_add_event(rec, name, pmu);
	if (!event)
		return td_err_nomem(err);
	if (read_described(rec, object, event, err))
		return err->code;
	return group < 0 ? 0 : read_membership(rec, object, group, err);
}

static int read_array(struct td_recording *rec, struct json_object *head,
		      const char *key,
		      int (*read_one)(struct td_recording *,
				      struct json_object *, struct td_err *),
		      struct td_err *err)
{
	struct json_object *array = td_json_member(head, key, json_type_array);
	size_t nr = array ? json_object_array_length(array) : 0;
	int rc = 0;

	if (nr == 0 && rec->info.of_events && array)
		return 0; /* --null; a machine without a PMU */
	if (nr == 0 || nr > TD_RECORDING_MAX_EVENTS)
		return td_err_set(err, -EINVAL,
				  "%s:%zu: \"%s\" is not a list with entries",
				  rec->path, rec->line, key);
	for (size_t i = 0; !rc && i < nr; i++)
		rc = read_one(rec, json_object_array_get_idx(array, i), err);
	return rc;
}

static bool get_flag(struct json_object *head, const char *key)
{
	return json_object_get_boolean(
		td_json_member(head, key, json_type_boolean));
}

/*
 * In seconds.  What is no time is as good as none, 0: nothing but a way of
 * showing needs it.
 */
static double get_moment(struct json_object *head, const char *key)
{
	struct json_object *moment;
	double seconds;

	if (!json_object_object_get_ex(head, key, &moment))
		return 0;
	seconds = json_object_get_double(moment);
	return seconds > 0 && seconds < LAST_START ? seconds : 0;
}

/* A double has no room for ns since 1970, but for ms. */
static uint64_t get_start(struct json_object *head)
{
	return (uint64_t)llround(get_moment(head, "start") * 1000) * 1000000;
}

static struct td_clocks get_clocks(struct json_object *head)
{
	double mono = get_moment(head, "monotonic");
	double boot = get_moment(head, "boottime");

	return (struct td_clocks){
		.mono_ns = (uint64_t)llround(mono * 1e9),
		.suspended_ns = mono > 0 && boot > mono
					? (uint64_t)llround((boot - mono) * 1e9)
					: 0,
	};
}

static int read_info(struct td_recording *rec, struct json_object *head,
		     struct td_err *err)
{
	struct td_machine *machine = &rec->machine;
	const char *cpuid = td_json_string(head, "cpuid");
	const char *target = td_json_string(head, "target");
	struct json_object *smt =
		td_json_member(head, "smt", json_type_boolean);
	const char *table;
	int64_t version, interval = 0, tsc_hz = 0;

	if (!td_json_int(head, "tdstat", 0, INT_MAX, &version))
		return td_recording_bad(rec, err, "not a recording of tdstat");
	if (version != 1)
		return td_recording_bad(rec, err,
					"a recording of a newer tdstat");
	if (!cpuid || !target || !smt ||
	    !td_json_int(head, "interval_ms", 0, INT_MAX, &interval))
		return td_recording_bad(
			rec, err, "needs cpuid, smt, interval_ms and target");
	if (td_cpuid_parse(cpuid, &machine->cpuid, err))
		return td_recording_bad(rec, err,
					"\"cpuid\" is not of the form "
					"GenuineIntel-6-97-2");
	if (td_recording_check_types(rec, head, of_head, err))
		return err->code;
	machine->model = td_model_find(&machine->cpuid);
	machine->smt = json_object_get_boolean(smt);
	machine->has_pmem = get_flag(head, "pmem");
	rec->info.tasks = get_flag(head, "tasks");
	rec->info.latencies = get_flag(head, "latencies");
	rec->info.start_ns = get_start(head);
	rec->info.clocks = get_clocks(head);
	if (td_json_int(head, "tsc_hz", 0, INT64_MAX, &tsc_hz))
		rec->info.tsc_hz = (uint64_t)tsc_hz;
	table = td_json_string(head, "table");
	rec->info.of_events = table && strcmp(table, "events") == 0;
	rec->info.interval_ms = (int)interval;
	return td_target_name_parse(&rec->info.target, target)
		       ? td_err_nomem(err)
		       : 0;
}

/*
 * Finds the clones of events.  Older recordings do not mark them, but there all
 * later events of a name are clones.
 */
static int find_clones(struct td_recording *rec, struct json_object *head,
		       struct td_err *err)
{
	struct json_object *events =
		td_json_member(head, "events", json_type_array);
	td_autofree bool *clones = NULL;

	if (!td_ask_is_made(&rec->info.ask)) {
		return td_plan_find_clones(&rec->plan, NULL) ? td_err_nomem(err)
							     : 0;
	}
	clones = calloc(rec->plan.events.nr + 1, sizeof(*clones));
	if (!clones)
		return td_err_nomem(err);
	for (size_t i = 0; i < rec->plan.events.nr; i++)
		clones[i] =
			get_flag(json_object_array_get_idx(events, i), "clone");
	return td_plan_find_clones(&rec->plan, clones) ? td_err_nomem(err) : 0;
}

int td_recording_parse_head(struct td_recording *rec, struct json_object *head,
			    struct td_err *err)
{
	int rc = read_info(rec, head, err);

	if (!rc)
		rc = read_array(rec, head, "pmus", read_pmu, err);
	if (!rc)
		rc = read_array(rec, head, "events", read_event, err);
	if (!rc)
		rc = recording_read_places(rec, head, err);
	if (!rc)
		rc = td_recording_parse_request(rec, head, err);
	if (!rc)
		rc = find_clones(rec, head, err);
	return rc;
}
