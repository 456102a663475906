// SPDX-License-Identifier: GPL-2.0-only
/* Turns what perf counted into a recording's PMUs, events and places. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"
#include "lib/recording/fill.h"
#include "lib/recording/perf/parts.h"

/* --- PMUs ----------------------------------------------------------------- */

/* Some PMUs have the same type in every kernel; others get unused ones. */
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

/* Adds the PMUs of cores, or all others. */
static int add_pmus(const struct td_perf_file *file, bool core,
		    struct td_recording *rec)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < file->nr_events; i++) {
		const char *name = file->events[i].pmu;
		enum td_pmu_kind kind = td_pmu_kind(name);
		uint32_t type = pmu_type(name, (uint32_t)rec->machine.nr_pmus);

		if ((kind == TD_PMU_CORE) == core &&
		    td_machine_find_pmu(&rec->machine, name) < 0)
			rc = td_recording_add_pmu(rec, name, kind, type);
	}
	return rc;
}

/* --- events --------------------------------------------------------------- */

/* The reason for an event that was never supported. */
static int set_refusal(struct td_event *event)
{
	td_autofree char *why = NULL;

	if (asprintf(&why, "%s: perf could not count it", event->name) < 0) {
		why = NULL;
		return -ENOMEM;
	}
	return td_event_set_refusal(event, why);
}

/* Adds a group of one event: the file does not say which groups there were. */
static int add_own_group(struct td_recording *rec)
{
	struct td_plan *plan = &rec->plan;
	int rc = td_recording_add_to_group(rec, plan->nr_groups);

	if (!rc)
		plan->groups[plan->nr_groups - 1].at_once = 0;
	return rc;
}

static int add_event(const struct td_perf_event *from, int spec,
		     struct td_recording *rec)
{
	int pmu = td_machine_find_pmu(&rec->machine, from->pmu);
	struct td_event *event = td_recording_add_event(rec, from->name, pmu);
	int rc = event ? 0 : -ENOMEM;

	if (rc)
		return rc;
	if (from->typed)
		event->type = from->event.type;
	memcpy(event->config, from->event.config, sizeof(event->config));
	event->mods = from->event.mods;
	event->tool = from->event.tool;
	event->spec = spec;
	if (td_perf_in_millionths(from))
		event->scale = 1e-6;
	if (*from->unit)
		rc = td_event_set_unit(event, from->unit);
	if (!rc && from->refused && !from->counted)
		rc = set_refusal(event);
	if (!rc && from->counted && !event->tool)
		rc = add_own_group(rec);
	return rc;
}

/* "cycles/u" for "cpu_core/cycles/u"; NULL if it names no kind of core. */
static const char *core_event(const struct td_perf_event *event)
{
	const char *slash = strchr(event->name, '/');

	return slash && strncmp(event->name, "cpu_", 4) == 0 ? slash + 1 : NULL;
}

/* Events of one name on several kinds of core have one spec. */
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
	/* if out of memory, it stays alone */
	td_index_add(names, hash, index);
	return (int)index;
}

static int add_events(const struct td_perf_file *file, struct td_recording *rec)
{
	struct td_index names = { 0 };
	int rc = 0;

	for (size_t i = 0; !rc && i < file->nr_events; i++)
		rc = add_event(&file->events[i],
			       spec_of(file, &rec->plan, &names, i), rec);
	td_index_free(&names);
	return rc ? rc : td_plan_find_clones(&rec->plan, NULL);
}

/* --- places --------------------------------------------------------------- */

static int by_cpu(const void *a, const void *b)
{
	const struct td_place *x = a, *y = b;

	return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

/* Adds no place if the file does not say on which CPUs. */
static int add_places(const struct td_perf_file *file, struct td_recording *rec)
{
	td_autofree struct td_place *places =
		calloc(file->nr_places, sizeof(*places));
	int last = -1, rc = 0;

	if (!places)
		return -ENOMEM;
	for (size_t i = 0; i < file->nr_places; i++)
		places[i] = file->places[i].unit.place;
	qsort(places, file->nr_places, sizeof(*places), by_cpu);
	for (size_t i = 0; !rc && i < file->nr_places; i++) {
		/* each cgroup repeats the CPU */
		if (places[i].cpu <= last)
			continue;
		last = places[i].cpu;
		rc = td_recording_add_place(rec, &places[i]);
	}
	return rc;
}

static int add_threads(const struct td_perf_file *file,
		       struct td_task_names *names)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < file->nr_places; i++) {
		const struct td_perf_place *place = &file->places[i];
		td_autofree char *comm = strndup(place->id, place->unit.comm);

		rc = comm ? td_task_names_set(names, place->unit.tid, comm)
			  : -ENOMEM;
	}
	return rc;
}

static int add_cgroups(const struct td_perf_file *file,
		       struct td_recording_info *info)
{
	for (size_t i = 0; i < file->nr_cgroups; i++) {
		char **slot = td_array_add(&info->cgroups, info->nr_cgroups,
					   sizeof(*slot));

		if (!slot)
			return -ENOMEM;
		*slot = strdup(file->cgroups[i]);
		if (!*slot)
			return -ENOMEM;
		info->nr_cgroups++;
	}
	return 0;
}

/* --- the whole head ------------------------------------------------------- */

static int interval_ms(const struct td_perf_file *file)
{
	uint64_t ms;

	if (!file->timed)
		return 0;
	ms = (file->intervals[0].time_ns + 500000) / 1000000;
	return ms < 1 ? 1 : ms > INT32_MAX ? INT32_MAX : (int)ms;
}

static int fill_info(const struct td_perf_file *file,
		     struct td_recording_info *info)
{
	const struct td_perf_unit *unit = &file->places[0].unit;

	info->tasks = unit->how == TD_AGGREGATE_THREAD;
	info->interval_ms = interval_ms(file);
	info->how = unit->how;
	info->sums = true;
	if (unit->how == TD_AGGREGATE_CACHE)
		info->cache_level = unit->cache_level;
	info->target.kind = TD_TARGET_FILE;
	info->target.text = strdup(file->path);
	return info->target.text ? add_cgroups(file, info) : -ENOMEM;
}

int td_perf_file_fill(const struct td_perf_file *file, struct td_recording *rec)
{
	int rc = fill_info(file, &rec->info);

	strcpy(rec->machine.cpuid.vendor, "unknown");
	rec->info.of_events = true;
	if (!rc)
		rc = add_pmus(file, true, rec);
	if (!rc)
		rc = add_pmus(file, false, rec);
	if (!rc)
		rc = add_events(file, rec);
	if (!rc)
		rc = add_places(file, rec);
	if (!rc && rec->info.how == TD_AGGREGATE_THREAD)
		rc = add_threads(file, &rec->names);
	return rc;
}
