// SPDX-License-Identifier: GPL-2.0-only
/* The first line of a recording of what perf counted. */
#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/json_put.h"
#include "lib/base/util.h"
#include "lib/recording/perf/parts.h"
#include "lib/recording/typed.h"

/* --- PMUs ----------------------------------------------------------------------- */

struct pmus {
	const char **v; /* borrowed names, cores' first */
	size_t nr;
};

static int find_pmu(const struct pmus *pmus, const char *name)
{
	for (size_t i = 0; i < pmus->nr; i++) {
		if (strcmp(pmus->v[i], name) == 0)
			return (int)i;
	}
	return -1;
}

/* Of cores, or the others. */
static int collect_pmus(const struct td_perf_file *file, bool core,
			struct pmus *pmus)
{
	for (size_t i = 0; i < file->nr_events; i++) {
		const char *name = file->events[i].pmu;
		const char **slot;

		if ((td_pmu_kind(name) == TD_PMU_CORE) != core ||
		    find_pmu(pmus, name) >= 0)
			continue;
		slot = td_array_add(&pmus->v, pmus->nr, sizeof(*slot));
		if (!slot)
			return -ENOMEM;
		pmus->v[pmus->nr++] = name;
	}
	return 0;
}

/* Of PMUs whose number every kernel has; others: one that no kernel has. */
static uint32_t pmu_type(const char *name, uint32_t index)
{
	static const struct {
		const char *name;
		uint32_t type;
	} types[] = {
		{ "cpu", 4 },        { "cpu_core", 4 },
		{ "software", 1 },   { "tracepoint", 2 },
		{ "breakpoint", 5 }, { "tool", UINT32_MAX },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(types); i++) {
		if (strcmp(types[i].name, name) == 0)
			return types[i].type;
	}
	return UINT32_MAX - 1 - index;
}

static struct json_object *pmu_objects(const struct pmus *pmus)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < pmus->nr; i++) {
		struct json_object *object = json_object_new_object();

		td_json_put_string(object, "name", pmus->v[i]);
		td_json_put_int(object, "type",
				pmu_type(pmus->v[i], (uint32_t)i));
		td_json_put_string(object, "cpus", "");
		if (td_pmu_kind(pmus->v[i]) != TD_PMU_CORE)
			json_object_object_add(object, "core",
					       json_object_new_boolean(false));
		json_object_array_add(array, object);
	}
	return array;
}

/* --- events --------------------------------------------------------------------- */

/* Clocks are in ns, as they are counted; others in millionths where they must. */
bool td_perf_in_millionths(const struct td_perf_event *event)
{
	return event->fraction || strcmp(event->unit, "msec") == 0;
}

static struct json_object *event_object(struct td_perf_event *event, int index,
					const struct pmus *pmus)
{
	struct json_object *object = json_object_new_object();
	bool grouped = !event->event.tool && event->counted;
	td_autofree char *refusal = NULL;

	td_json_put_string(object, "name", event->name);
	td_json_put_string(object, "pmu", event->pmu);
	/* the file does not say which; each was scaled on its own */
	td_json_put_int(object, "group", grouped ? index : -1);
	if (grouped)
		td_json_put_int(object, "at_once", 0);
	if (td_perf_in_millionths(event))
		json_object_object_add(object, "scale",
				       json_object_new_double(1e-6));
	if (!event->typed)
		event->event.type = pmu_type(
			event->pmu, (uint32_t)find_pmu(pmus, event->pmu));
	event->event.unit = *event->unit ? event->unit : NULL;
	if (event->refused && !event->counted &&
	    asprintf(&refusal, "%s: not supported where perf counted",
		     event->name) < 0)
		refusal = NULL;
	event->event.refusal = refusal;
	td_typed_put(object, &event->event);
	event->event.unit = event->event.refusal = NULL;
	return object;
}

/* "cycles/u" of "cpu_core/cycles/u"; NULL: not of one kind of core. */
static const char *core_event(const struct td_perf_event *event)
{
	const char *slash = strchr(event->name, '/');

	return slash && strncmp(event->name, "cpu_", 4) == 0 ? slash + 1 : NULL;
}

/* One name that was typed stands for all kinds of core; names: of those before. */
static int spec_of(const struct td_perf_file *file, struct td_index *names,
		   size_t index)
{
	const char *name = core_event(&file->events[index]);
	uint64_t hash = name ? td_hash_text(name) : 0;
	size_t step = 0, at;

	if (!name)
		return (int)index;
	while ((at = td_index_next(names, hash, &step)) != TD_NOT_FOUND) {
		if (strcmp(name, core_event(&file->events[at])) == 0)
			return file->events[at].event.spec;
	}
	/* without memory it stands for itself */
	td_index_add(names, hash, index);
	return (int)index;
}

static struct json_object *event_objects(struct td_perf_file *file,
					 const struct pmus *pmus)
{
	struct json_object *array = json_object_new_array();
	struct td_index names = { 0 };

	for (size_t i = 0; i < file->nr_events; i++)
		file->events[i].event.spec = spec_of(file, &names, i);
	td_index_free(&names);
	for (size_t i = 0; i < file->nr_events; i++)
		json_object_array_add(
			array, event_object(&file->events[i], (int)i, pmus));
	return array;
}

/* --- places --------------------------------------------------------------------- */

static struct json_object *topology_object(const struct td_perf_unit *unit)
{
	struct json_object *object = json_object_new_object(), *caches;

	td_json_put_int(object, "cpu", unit->place.cpu);
	td_json_put_int(object, "core", unit->place.core);
	td_json_put_int(object, "cluster", unit->place.cluster);
	td_json_put_int(object, "die", unit->place.die);
	td_json_put_int(object, "socket", unit->place.socket);
	td_json_put_int(object, "node", unit->place.node);
	if (unit->how != TD_AGGREGATE_CACHE)
		return object;
	caches = json_object_new_array();
	for (int i = 0; i < TD_MAX_CACHE; i++)
		json_object_array_add(
			caches, json_object_new_int(unit->place.cache[i]));
	json_object_object_add(object, "caches", caches);
	return object;
}

static int by_cpu(const void *a, const void *b)
{
	const struct td_perf_unit *x = a, *y = b;

	return (x->place.cpu > y->place.cpu) - (x->place.cpu < y->place.cpu);
}

/* Empty where the file does not say on which CPUs. */
static struct json_object *topology(const struct td_perf_file *file)
{
	struct td_perf_unit *units = calloc(file->nr_places, sizeof(*units));
	struct json_object *array = json_object_new_array();
	int last = -1;

	if (!units) {
		json_object_put(array);
		return NULL;
	}
	for (size_t i = 0; i < file->nr_places; i++)
		units[i] = file->places[i].unit;
	qsort(units, file->nr_places, sizeof(*units), by_cpu);
	for (size_t i = 0; i < file->nr_places; i++) {
		/* once more for each cgroup */
		if (units[i].place.cpu <= last)
			continue;
		last = units[i].place.cpu;
		json_object_array_add(array, topology_object(&units[i]));
	}
	free(units);
	return array;
}

static struct json_object *cgroup_names(const struct td_perf_file *file)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < file->nr_cgroups; i++)
		json_object_array_add(array,
				      json_object_new_string(file->cgroups[i]));
	return array;
}

/* --- the line -------------------------------------------------------------------- */

static int interval_ms(const struct td_perf_file *file)
{
	uint64_t ms;

	if (!file->timed)
		return 0;
	ms = (file->intervals[0].time_ns + 500000) / 1000000;
	return ms < 1 ? 1 : ms > INT32_MAX ? INT32_MAX : (int)ms;
}

static void put_head(struct td_perf_file *file, const struct pmus *pmus,
		     FILE *out)
{
	struct json_object *head = json_object_new_object();
	const struct td_perf_unit *unit = &file->places[0].unit;

	td_json_put_int(head, "tdstat", 1);
	td_json_put_string(head, "cpuid", "unknown-0-0-0");
	json_object_object_add(head, "smt", json_object_new_boolean(false));
	if (unit->how == TD_AGGREGATE_THREAD)
		json_object_object_add(head, "tasks",
				       json_object_new_boolean(true));
	td_json_put_int(head, "interval_ms", interval_ms(file));
	td_json_put_string(head, "target", file->path);
	td_json_put_string(head, "aggregation", td_aggregation_name(unit->how));
	json_object_object_add(head, "sums", json_object_new_boolean(true));
	if (unit->how == TD_AGGREGATE_CACHE)
		td_json_put_int(head, "cache_level", unit->cache_level);
	if (file->nr_cgroups)
		json_object_object_add(head, "cgroups", cgroup_names(file));
	json_object_object_add(head, "pmus", pmu_objects(pmus));
	json_object_object_add(head, "topology", topology(file));
	td_json_put_string(head, "table", "events");
	json_object_object_add(head, "events", event_objects(file, pmus));
	td_json_put_line(out, head);
}

int td_perf_file_write_head(struct td_perf_file *file, FILE *out)
{
	struct pmus pmus = { 0 };
	int rc = collect_pmus(file, true, &pmus);

	if (!rc)
		rc = collect_pmus(file, false, &pmus);
	if (!rc)
		put_head(file, &pmus, out);
	free(pmus.v);
	return rc;
}
