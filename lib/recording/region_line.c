// SPDX-License-Identifier: GPL-2.0-only
/* The line of a recording with the regions of a program. */
#include "lib/recording/parts.h"

#include <errno.h>
#include <json-c/json.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>

#include "lib/base/json.h"
#include "lib/base/util.h"
#include "lib/recording/fill.h"

#define MAX_CALLS (INT64_MAX - 1)
#define MAX_LEAST 1e18 /* slots */

/* The numbers of calls, and their keys. */
static const struct {
	const char *key;
	size_t offset;
} numbers[] = {
	{ "calls", offsetof(struct td_calls, counted) },
	{ "recursive", offsetof(struct td_calls, recursive) },
	{ "lost", offsetof(struct td_calls, lost) },
	{ "skipped", offsetof(struct td_calls, skipped) },
	{ "moved", offsetof(struct td_calls, moved) },
	{ "migrated", offsetof(struct td_calls, migrated) },
	{ "switched", offsetof(struct td_calls, switched) },
};

static uint64_t *number_at(struct td_calls *calls, size_t i)
{
	return (uint64_t *)(void *)((char *)calls + numbers[i].offset);
}

/* --- writing ---------------------------------------------------------------- */

static void put_flag(struct json_object *to, const char *key, bool flag)
{
	if (flag)
		td_json_add(to, key, json_object_new_boolean(true));
}

/* Numbers of calls by PMU. */
static struct json_object *by_pmu(const struct td_machine *machine,
				  const uint64_t calls[TD_REGION_PMUS])
{
	struct json_object *object = json_object_new_object();

	for (size_t i = 0; i < machine->nr_core && i < TD_REGION_PMUS; i++) {
		if (calls[i])
			td_json_put_int(object, machine->pmus[i].name,
					(int64_t)calls[i]);
	}
	return object;
}

static struct json_object *region_object(const struct td_machine *machine,
					 const struct td_region *region,
					 bool functions)
{
	struct json_object *object = json_object_new_object();
	struct td_calls calls = region->calls;

	td_json_put_string(object, "name", region->name);
	put_flag(object, "own", region->own);
	put_flag(object, "outside", region->outside);
	for (size_t i = 0; i < TD_ARRAY_SIZE(numbers); i++)
		td_json_put_int(object, numbers[i].key,
				(int64_t)*number_at(&calls, i));
	td_json_put_int(object, "threads", calls.threads);
	td_json_put_seconds(object, "time", calls.time_ns);
	td_json_put_seconds(object, "cost", calls.cost_ns);
	td_json_add(object, "on", by_pmu(machine, region->on));
	if (functions && !region->outside)
		td_json_add(object, "whole", by_pmu(machine, region->whole));
	td_timed_put_region(object, machine, region);
	return object;
}

int td_recording_write_regions(FILE *fp, const struct td_machine *machine,
			       const struct td_regions *regions)
{
	struct json_object *line = td_json_line();
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < regions->nr; i++)
		td_json_append(array, region_object(machine, &regions->v[i],
						    regions->functions));
	td_json_add(line, "regions", array);
	td_timed_put(line, regions);
	td_json_add(line, "least_slots",
		    json_object_new_double(regions->least_slots));
	put_flag(line, "functions", regions->functions);
	return td_json_put_line(fp, line);
}

/* --- reading ---------------------------------------------------------------- */

static const struct td_json_optional of_line[] = {
	{ "least_slots", json_type_double },
	{ "functions", json_type_boolean },
	{ NULL },
};
static const struct td_json_optional of_region[] = {
	{ "own", json_type_boolean },
	{ "outside", json_type_boolean },
	{ NULL },
};

static bool read_flag(struct json_object *object, const char *key)
{
	struct json_object *flag =
		td_json_member(object, key, json_type_boolean);

	return flag && json_object_get_boolean(flag);
}

static bool read_whole(struct json_object *object, const char *key,
		       int64_t most, int64_t *out)
{
	struct json_object *value;

	return json_object_object_get_ex(object, key, &value) &&
	       td_json_whole(value, 0, most, out);
}

static bool read_by_pmu(const struct td_machine *machine,
			struct json_object *of, uint64_t calls[TD_REGION_PMUS])
{
	if (!of)
		return false;
	json_object_object_foreach(of, name, value)
	{
		int pmu = td_machine_find_pmu(machine, name);
		int64_t nr;

		if (pmu < 0 || pmu >= TD_REGION_PMUS ||
		    !td_json_whole(value, 0, MAX_CALLS, &nr))
			return false;
		calls[pmu] = (uint64_t)nr;
	}
	return true;
}

static bool read_on(const struct td_machine *machine,
		    struct json_object *object, struct td_region *region)
{
	struct json_object *whole =
		td_json_member(object, "whole", json_type_object);

	return read_by_pmu(machine,
			   td_json_member(object, "on", json_type_object),
			   region->on) &&
	       (!whole || read_by_pmu(machine, whole, region->whole));
}

static bool read_calls(struct json_object *object, struct td_calls *calls)
{
	int64_t nr;

	for (size_t i = 0; i < TD_ARRAY_SIZE(numbers); i++) {
		if (!read_whole(object, numbers[i].key, MAX_CALLS, &nr))
			return false;
		*number_at(calls, i) = (uint64_t)nr;
	}
	if (!read_whole(object, "threads", INT_MAX, &nr))
		return false;
	calls->threads = (unsigned int)nr;
	return td_json_seconds(object, "time", &calls->time_ns) &&
	       td_json_seconds(object, "cost", &calls->cost_ns) &&
	       calls->recursive <= calls->counted;
}

static int read_region(struct td_recording *rec, struct json_object *object,
		       struct td_err *err)
{
	struct json_object *name =
		td_json_member(object, "name", json_type_string);
	struct td_region *region;
	int rc = -EINVAL;

	if (!name)
		return td_recording_bad(rec, err, "a region without a name");
	if (td_recording_check_types(rec, object, of_region, err))
		return err->code;
	region = td_regions_add(&rec->regions, json_object_get_string(name),
				read_flag(object, "own"),
				read_flag(object, "outside"));
	if (!region)
		return td_err_nomem(err);
	if (read_calls(object, &region->calls) &&
	    read_on(&rec->machine, object, region))
		rc = td_timed_read_region(object, &rec->machine, &rec->regions,
					  region);
	if (!rc)
		return 0;
	return td_recording_bad(rec, err,
				"a region whose calls are not "
				"numbers");
}

int td_recording_read_regions(struct td_recording *rec,
			      struct json_object *line, struct td_err *err)
{
	struct json_object *array =
		td_json_member(line, "regions", json_type_array);
	struct json_object *least;
	int rc;

	if (rec->regions.nr)
		return td_recording_bad(rec, err, "regions a second time");
	if (td_recording_check_types(rec, line, of_line, err))
		return err->code;
	if (json_object_object_get_ex(line, "least_slots", &least))
		rec->regions.least_slots = json_object_get_double(least);
	/* also refuses NaN, which json-c reads */
	if (!(rec->regions.least_slots >= 0 &&
	      rec->regions.least_slots < MAX_LEAST))
		return td_recording_bad(rec, err,
					"\"least_slots\" is out of range");
	rec->regions.functions = read_flag(line, "functions");
	rc = td_timed_read(line, &rec->regions);
	if (rc == -ENOMEM)
		return td_err_nomem(err);
	if (rc)
		return td_recording_bad(rec, err, "timed calls that are none");
	for (size_t i = 0; !rc && i < json_object_array_length(array); i++)
		rc = read_region(rec, json_object_array_get_idx(array, i), err);
	return rc;
}
