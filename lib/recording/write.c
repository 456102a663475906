// SPDX-License-Identifier: GPL-2.0-only
#include <json-c/json.h>
#include <math.h>

#include "lib/base/json.h"
#include "lib/recording/parts.h"

static struct json_object *pmu_objects(const struct td_machine *machine, const struct td_plan *plan)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < machine->nr_pmus; i++) {
		const struct td_pmu *pmu = &machine->pmus[i];
		td_autofree char *cpus = td_ints_format(&pmu->cpus);
		struct json_object *object;

		if (pmu->kind != TD_PMU_CORE && !td_plan_uses(plan, (int)i))
			continue;
		object = json_object_new_object();
		td_json_put_string(object, "name", pmu->name);
		td_json_put_int(object, "type", pmu->type);
		td_json_put_string(object, "cpus", cpus);
		if (pmu->kind != TD_PMU_CORE)
			td_json_add(object, "core", json_object_new_boolean(false));
		td_json_put_flag(object, "skip", pmu->skip);
		td_json_append(array, object);
	}
	return array;
}

/* Write the ids of a CPU's caches, from level 1 to the last known one. */
static void put_caches(struct json_object *object, const struct td_place *place)
{
	int levels = TD_MAX_CACHE;
	struct json_object *array;

	while (levels && place->cache[levels - 1] < 0)
		levels--;
	if (!levels)
		return;
	array = json_object_new_array();
	for (int i = 0; i < levels; i++)
		td_json_append(array, json_object_new_int(place->cache[i]));
	td_json_add(object, "caches", array);
}

static struct json_object *place_objects(const struct td_place *places, size_t nr)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < nr; i++) {
		struct json_object *object = json_object_new_object();

		td_json_put_int(object, "cpu", places[i].cpu);
		td_json_put_int(object, "core", places[i].core);
		td_json_put_int(object, "cluster", places[i].cluster);
		td_json_put_int(object, "die", places[i].die);
		td_json_put_int(object, "socket", places[i].socket);
		td_json_put_int(object, "node", places[i].node);
		put_caches(object, &places[i]);
		td_json_append(array, object);
	}
	return array;
}

/* Write at_once if the event is the first of its group, unless it is 1, the default. */
static void put_at_once(struct json_object *object, const struct td_plan *plan, int event,
			int group)
{
	double at_once = group < 0 ? 1 : plan->groups[group].at_once;

	if (group < 0 || plan->groups[group].members[0] != event || fabs(at_once - 1) < 1e-9)
		return;
	td_json_add(object, "at_once", json_object_new_double(at_once));
}

static struct json_object *event_objects(const struct td_machine *machine,
					 const struct td_plan *plan, bool of_events)
{
	struct json_object *array = json_object_new_array();
	td_autofree int *groups = td_plan_groups(plan);

	for (size_t i = 0; i < plan->events.nr; i++) {
		const struct td_event *event = &plan->events.v[i];
		int group = groups[i];
		struct json_object *object = json_object_new_object();

		td_json_put_string(object, "name", event->name);
		td_json_put_string(object, "pmu", machine->pmus[event->pmu].name);
		td_json_put_int(object, "group", group);
		put_at_once(object, plan, (int)i, group);
		/* its group counts it as a clone of the reference event */
		td_json_put_flag(object, "clone",
				 group >= 0 && plan->groups[group].clone == (int)i);
		if (event->scale < 1 || event->scale > 1)
			td_json_add(object, "scale", json_object_new_double(event->scale));
		if (of_events)
			td_typed_put(object, event);
		else if (event->refusal)
			td_json_put_string(object, "refused", event->refusal);
		td_json_append(array, object);
	}
	return array;
}

void td_recording_write_head(FILE *fp, const struct td_machine *machine,
			     const struct td_place *places, const struct td_plan *plan,
			     const struct td_recording_info *info)
{
	struct json_object *head = td_json_line();
	td_autofree char *target = td_target_name_format(&info->target);
	char cpuid[48];
	const char *slash = info->files ? strrchr(info->files, '/') : NULL;

	td_cpuid_format(&machine->cpuid, cpuid);
	td_json_put_int(head, "tdstat", 1);
	td_json_put_string(head, "cpuid", cpuid);
	td_json_add(head, "smt", json_object_new_boolean(machine->smt));
	td_json_put_flag(head, "pmem", machine->has_pmem);
	td_json_put_flag(head, "latencies", info->latencies);
	td_json_put_flag(head, "tasks", info->tasks);
	if (info->tsc_hz)
		td_json_put_int(head, "tsc_hz", (int64_t)info->tsc_hz);
	td_json_put_int(head, "interval_ms", info->interval_ms);
	if (info->start_ns)
		td_json_put_seconds(head, "start", info->start_ns);
	td_json_put_clocks(head, &info->clocks);
	/* for people; these are never read back */
	if (info->files)
		td_json_put_string(head, "files", slash ? slash + 1 : info->files);
	if (info->files_version)
		td_json_put_string(head, "files_version", info->files_version);
	td_recording_put_request(head, info);
	td_json_put_string(head, "target", target);
	td_json_add(head, "pmus", pmu_objects(machine, plan));
	td_json_add(head, "topology", place_objects(places, machine->online.nr));
	if (info->of_events)
		td_json_put_string(head, "table", "events");
	td_json_add(head, "events", event_objects(machine, plan, info->of_events));
	td_json_put_line(fp, head);
}

void td_recording_write_topology(FILE *fp, const struct td_machine *machine,
				 const struct td_place *places)
{
	struct json_object *line = td_json_line();

	td_json_add(line, "topology", place_objects(places, machine->online.nr));
	td_json_put_line(fp, line);
}

static struct json_object *reading_array(const struct td_reading *reading)
{
	struct json_object *array = json_object_new_array_ext(9);

	td_json_append(array, json_object_new_int(reading->event));
	td_json_append(array, json_object_new_int(reading->cpu));
	td_json_append(array, json_object_new_int(reading->tid));
	td_json_append(array, json_object_new_uint64(reading->value));
	td_json_append(array, json_object_new_uint64(reading->enabled_ns));
	td_json_append(array, json_object_new_uint64(reading->running_ns));
	if (reading->cgroup || reading->life || reading->region)
		td_json_append(array, json_object_new_int(reading->cgroup - 1));
	if (reading->life || reading->region)
		td_json_append(array, json_object_new_int(reading->life + 1));
	if (reading->region)
		td_json_append(array, json_object_new_int(reading->region - 1));
	return array;
}

static void put_task_names(FILE *fp, struct td_task_names *names)
{
	const struct td_task_name *name = td_task_names_next(names);
	struct json_object *line, *object;
	char task[32];

	if (!name)
		return;
	line = td_json_line();
	object = json_object_new_object();
	for (; name; name = td_task_names_next(names)) {
		if (name->life)
			snprintf(task, sizeof(task), "%d#%d", name->tid, name->life + 1);
		else
			snprintf(task, sizeof(task), "%d", name->tid);
		td_json_put_string(object, task, name->name);
	}
	td_json_add(line, "threads", object);
	td_json_put_line(fp, line);
}

void td_recording_write_counts(FILE *fp, uint64_t time_ns, const struct td_times *times,
			       struct td_task_names *names, const struct td_readings *delta)
{
	struct json_object *line, *counts;

	put_task_names(fp, names);
	line = td_json_line();
	counts = json_object_new_array();
	td_json_put_seconds(line, "time", time_ns);
	if (td_times_are_unsure(times))
		td_json_put_seconds(line, "unsure", times->unsure_ns);
	if (times->has_cpu_times) {
		td_json_put_seconds(line, "user", times->user_ns);
		td_json_put_seconds(line, "sys", times->system_ns);
	}
	for (size_t i = 0; i < delta->nr; i++)
		td_json_append(counts, reading_array(&delta->v[i]));
	td_json_add(line, "counts", counts);
	td_json_put_line(fp, line);
}

void td_recording_write_latencies(FILE *fp, const struct td_latencies *latencies)
{
	struct json_object *line = td_json_line();
	struct json_object *object = json_object_new_object();

	td_for_each(const struct td_latency, latency, latencies->v, latencies->nr) {
		struct json_object *pair = json_object_new_array_ext(2);

		td_json_append(pair, json_object_new_uint64(td_latency_sum(latency)));
		td_json_append(pair, json_object_new_uint64(latency->nr));
		td_json_add(object, latency->event, pair);
	}
	td_json_add(line, "latencies", object);
	td_json_put_line(fp, line);
}

static struct json_object *sum_array(const struct td_timeline_sum *sum)
{
	struct json_object *array = json_object_new_array_ext(3);

	td_json_append(array, json_object_new_uint64(sum->value));
	td_json_append(array, json_object_new_uint64(sum->enabled_ns));
	td_json_append(array, json_object_new_uint64(sum->running_ns));
	return array;
}

void td_recording_write_timeline(FILE *fp, const struct td_timeline *timeline)
{
	for (size_t i = 0; timeline->nr > 1 && i < timeline->nr; i++) {
		const struct td_timeline_point *point = &timeline->points[i];
		struct json_object *line = td_json_line();
		struct json_object *sums = json_object_new_array();

		td_json_put_seconds(line, "so_far", point->time_ns);
		for (size_t r = 0; r < point->nr; r++)
			td_json_append(sums, sum_array(&point->v[r]));
		td_json_add(line, "sums", sums);
		td_json_put_line(fp, line);
	}
}

void td_recording_write_end(FILE *fp, const struct td_usage *usage, int exit_status)
{
	struct json_object *line = td_json_line();
	struct json_object *end = json_object_new_object();

	td_json_put_seconds(end, "elapsed", usage->elapsed_ns);
	if (usage->has_times) {
		td_json_put_seconds(end, "user", usage->user_ns);
		td_json_put_seconds(end, "sys", usage->sys_ns);
		td_json_put_int(end, "exit", exit_status);
	}
	td_json_add(line, "end", end);
	td_json_put_line(fp, line);
}
