// SPDX-License-Identifier: GPL-2.0-only
/* Timed calls in a recording. */
#include "lib/recording/parts.h"

#include <errno.h>
#include <json-c/json.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>

#include "lib/base/json.h"
#include "lib/base/util.h"

#define MOST (INT64_MAX / 4) /* of numbers that are added up */

/* The facts of calls, and their keys. */
static const struct {
	const char *key;
	size_t offset;
} facts[] = {
	{ "waited_ns", offsetof(struct td_call_facts, waited_ns) },
	{ "preempted_ns", offsetof(struct td_call_facts, preempted_ns) },
	{ "faults", offsetof(struct td_call_facts, faults) },
	{ "switches", offsetof(struct td_call_facts, switches) },
	{ "migrations", offsetof(struct td_call_facts, migrations) },
};

static uint64_t *fact_at(struct td_call_facts *of, size_t i)
{
	return (uint64_t *)(void *)((char *)of + facts[i].offset);
}

static size_t nr_facts(const struct td_call_facts *of)
{
	if (!of->known)
		return 0;
	return of->waiting_only ? 1 : TD_ARRAY_SIZE(facts);
}

/* --- writing ---------------------------------------------------------------- */

static void put(struct json_object *to, const char *key, uint64_t number)
{
	td_json_put_int(to, key, (int64_t)number);
}

/* Pairs of a step and its calls, as most have none. */
static struct json_object *steps_array(const struct td_durations *durations)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < TD_REGION_STEPS; i++) {
		if (!durations->counts[i])
			continue;
		td_json_append(array, json_object_new_int((int)i));
		td_json_append(array, json_object_new_int64(
					      (int64_t)durations->counts[i]));
	}
	return array;
}

static struct json_object *slowest_array(const struct td_timed *timed)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < timed->nr_slowest; i++) {
		const struct td_slow_call *call = &timed->slowest[i];
		struct json_object *o = json_object_new_object();

		put(o, "ns", call->time_ns);
		put(o, "start_ns", call->start_ns);
		td_json_put_int(o, "tid", call->tid);
		td_json_put_int(o, "cpu", call->cpu);
		td_json_append(array, o);
	}
	return array;
}

void td_timed_put(struct json_object *line, const struct td_regions *regions)
{
	struct json_object *array;

	if (!regions->nr_timed)
		return;
	array = json_object_new_array();
	for (size_t i = 0; i < regions->nr_timed; i++) {
		const struct td_timed *timed = &regions->timed[i];
		struct json_object *o = json_object_new_object();

		td_json_put_string(o, "name", timed->name);
		if (timed->engine)
			td_json_put_string(o, "engine",
					   td_timed_engine(timed->engine));
		if (timed->all)
			put(o, "all", timed->all);
		if (timed->period)
			put(o, "period", timed->period);
		if (timed->counting_ns) {
			put(o, "traced_ns", timed->traced_ns);
			put(o, "counting_ns", timed->counting_ns);
		}
		put(o, "middle", timed->middle);
		put(o, "slow", timed->slow);
		put(o, "max_ns", timed->durations.max_ns);
		td_json_add(o, "steps", steps_array(&timed->durations));
		td_json_add(o, "slowest", slowest_array(timed));
		td_json_append(array, o);
	}
	td_json_add(line, "timed", array);
}

static struct json_object *by_pmu(const struct td_machine *machine,
				  const uint64_t ns[TD_REGION_PMUS])
{
	struct json_object *o = json_object_new_object();

	for (size_t i = 0; i < machine->nr_core && i < TD_REGION_PMUS; i++) {
		if (ns[i])
			put(o, machine->pmus[i].name, ns[i]);
	}
	return o;
}

void td_timed_put_region(struct json_object *object,
			 const struct td_machine *machine,
			 const struct td_region *region)
{
	struct td_call_facts of = region->facts;

	if (!region->timed)
		return;
	td_json_put_int(object, "timed", region->timed);
	put(object, "bucket", region->bucket);
	if (region->slow)
		td_json_add(object, "slow", json_object_new_boolean(true));
	td_json_add(object, "took_ns", by_pmu(machine, region->took_ns));
	td_json_add(object, "on_ns", by_pmu(machine, region->on_ns));
	if (of.interrupts)
		td_json_add(object, "interrupted_ns",
			    by_pmu(machine, region->interrupted_ns));
	for (size_t i = 0; i < nr_facts(&of); i++)
		put(object, facts[i].key, *fact_at(&of, i));
}

/* --- reading ---------------------------------------------------------------- */

static bool read_number(struct json_object *of, const char *key, int64_t most,
			uint64_t *out)
{
	struct json_object *value;
	int64_t number;

	if (!json_object_object_get_ex(of, key, &value) ||
	    !td_json_whole(value, 0, most, &number))
		return false;
	*out = (uint64_t)number;
	return true;
}

static bool read_bucket(struct json_object *of, const char *key,
			unsigned int *bucket)
{
	uint64_t number;

	if (!read_number(of, key, TD_REGION_BUCKETS - 1, &number))
		return false;
	*bucket = (unsigned int)number;
	return true;
}

static bool read_steps(struct json_object *o, struct td_durations *durations)
{
	struct json_object *array = td_json_member(o, "steps", json_type_array);
	size_t nr = array ? json_object_array_length(array) : 1;

	for (size_t i = 0; i + 1 < nr; i += 2) {
		int64_t step, calls;

		if (!td_json_whole(json_object_array_get_idx(array, i), 0,
				   TD_REGION_STEPS - 1, &step) ||
		    !td_json_whole(json_object_array_get_idx(array, i + 1), 0,
				   MOST / TD_REGION_STEPS, &calls))
			return false;
		durations->counts[step] = (uint64_t)calls;
	}
	for (size_t i = 0; i < TD_REGION_STEPS; i++)
		durations->nr += durations->counts[i];
	return nr % 2 == 0 && durations->nr &&
	       read_number(o, "max_ns", MOST, &durations->max_ns);
}

static bool read_call(struct json_object *o, struct td_slow_call *call)
{
	uint64_t tid, cpu;

	if (!read_number(o, "ns", MOST, &call->time_ns) ||
	    !read_number(o, "start_ns", INT64_MAX - 1, &call->start_ns) ||
	    !read_number(o, "tid", INT_MAX, &tid) ||
	    !read_number(o, "cpu", INT_MAX, &cpu))
		return false;
	call->tid = (int)tid;
	call->cpu = (int)cpu;
	return true;
}

static bool read_slowest(struct json_object *o, struct td_timed *timed)
{
	struct json_object *array =
		td_json_member(o, "slowest", json_type_array);

	if (!array || json_object_array_length(array) > TD_SLOWEST)
		return false;
	timed->nr_slowest = json_object_array_length(array);
	for (size_t i = 0; i < timed->nr_slowest; i++) {
		if (!read_call(json_object_array_get_idx(array, i),
			       &timed->slowest[i]))
			return false;
	}
	return true;
}

/* A function without calls has nothing but its name. */
static int read_one(struct json_object *o, struct td_regions *regions)
{
	const char *name = td_json_string(o, "name");
	struct json_object *steps = td_json_member(o, "steps", json_type_array);
	struct td_timed *timed;

	if (!name || !steps)
		return -EINVAL;
	timed = td_regions_add_timed(regions, name);
	if (!timed)
		return -ENOMEM;
	timed->engine = td_timed_engine_find(td_json_string(o, "engine"));
	if (json_object_object_get_ex(o, "counting_ns", NULL) &&
	    (!read_number(o, "counting_ns", MOST, &timed->counting_ns) ||
	     !read_number(o, "traced_ns", (int64_t)timed->counting_ns,
			  &timed->traced_ns)))
		return -EINVAL;
	if (!json_object_array_length(steps))
		return 0;
	if (json_object_object_get_ex(o, "all", NULL) &&
	    !read_number(o, "all", MOST, &timed->all))
		return -EINVAL;
	if (json_object_object_get_ex(o, "period", NULL) &&
	    !read_number(o, "period", MOST, &timed->period))
		return -EINVAL;
	return read_bucket(o, "middle", &timed->middle) &&
			       read_bucket(o, "slow", &timed->slow) &&
			       read_steps(o, &timed->durations) &&
			       read_slowest(o, timed)
		       ? 0
		       : -EINVAL;
}

int td_timed_read(struct json_object *line, struct td_regions *regions)
{
	struct json_object *array;
	int rc = 0;

	if (!json_object_object_get_ex(line, "timed", &array))
		return 0;
	if (json_object_get_type(array) != json_type_array)
		return -EINVAL;
	for (size_t i = 0; !rc && i < json_object_array_length(array); i++)
		rc = read_one(json_object_array_get_idx(array, i), regions);
	return rc;
}

static bool read_by_pmu(struct json_object *object, const char *key,
			const struct td_machine *machine,
			uint64_t ns[TD_REGION_PMUS])
{
	struct json_object *of = td_json_member(object, key, json_type_object);

	for (size_t i = 0; of && i < machine->nr_core && i < TD_REGION_PMUS;
	     i++) {
		if (json_object_object_get_ex(of, machine->pmus[i].name,
					      NULL) &&
		    !read_number(of, machine->pmus[i].name, MOST, &ns[i]))
			return false;
	}
	return of;
}

/* Those of marks have the first one alone. */
static bool read_facts(struct json_object *object, struct td_call_facts *of)
{
	of->known = json_object_object_get_ex(object, facts[0].key, NULL);
	of->waiting_only = of->known && !json_object_object_get_ex(
						object, facts[1].key, NULL);
	for (size_t i = 0; i < nr_facts(of); i++) {
		if (!read_number(object, facts[i].key, MOST, fact_at(of, i)))
			return false;
	}
	return true;
}

int td_timed_read_region(struct json_object *object,
			 const struct td_machine *machine,
			 const struct td_regions *regions,
			 struct td_region *region)
{
	struct json_object *slow =
		td_json_member(object, "slow", json_type_boolean);
	uint64_t timed;

	/* a region beside its buckets has neither */
	if (!json_object_object_get_ex(object, "timed", NULL))
		return json_object_object_get_ex(object, "bucket", NULL)
			       ? -EINVAL
			       : 0;
	region->facts.interrupts =
		json_object_object_get_ex(object, "interrupted_ns", NULL);
	if (!read_number(object, "timed", INT_MAX, &timed) || !timed ||
	    timed > regions->nr_timed || !region->calls.counted ||
	    !read_bucket(object, "bucket", &region->bucket) ||
	    !read_by_pmu(object, "took_ns", machine, region->took_ns) ||
	    !read_by_pmu(object, "on_ns", machine, region->on_ns) ||
	    (region->facts.interrupts &&
	     !read_by_pmu(object, "interrupted_ns", machine,
			  region->interrupted_ns)) ||
	    !read_facts(object, &region->facts))
		return -EINVAL;
	region->timed = (int)timed;
	region->slow = slow && json_object_get_boolean(slow);
	return 0;
}
