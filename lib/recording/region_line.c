// SPDX-License-Identifier: GPL-2.0-only
/* Writes and reads the line with the regions of a program, and its timed calls. */
#include <json-c/json.h>
#include <limits.h>

#include "lib/base/json.h"
#include "lib/recording/parts.h"
#include "lib/recording/recording.h"

#define MAX_CALLS (INT64_MAX - 1)
#define MAX_SUM   (INT64_MAX / 4) /* limit of numbers that are summed */
#define MAX_LEAST 1e18            /* limit of "least_slots" */

/* --- numbers that are both written and read --------------------------------- */

/* A uint64_t in a struct, and its key in the file. */
struct number {
	const char *key;
	size_t offset;
};

static const struct number of_calls[] = {
	{ "calls", offsetof(struct td_calls, counted) },
	{ "recursive", offsetof(struct td_calls, recursive) },
	{ "lost", offsetof(struct td_calls, lost) },
	{ "skipped", offsetof(struct td_calls, skipped) },
	{ "moved", offsetof(struct td_calls, moved) },
	{ "migrated", offsetof(struct td_calls, migrated) },
	{ "switched", offsetof(struct td_calls, switched) },
};

static const struct number of_facts[] = {
	{ "waited_ns", offsetof(struct td_call_facts, waited_ns) },
	{ "preempted_ns", offsetof(struct td_call_facts, preempted_ns) },
	{ "faults", offsetof(struct td_call_facts, faults) },
	{ "switches", offsetof(struct td_call_facts, switches) },
	{ "migrations", offsetof(struct td_call_facts, migrations) },
};

/* Return the number of facts in the file: calls between marks have only the first. */
static size_t nr_facts(const struct td_call_facts *facts)
{
	if (!facts->known)
		return 0;
	return facts->waiting_only ? 1 : TD_ARRAY_SIZE(of_facts);
}

static void put(struct json_object *to, const char *key, uint64_t number)
{
	td_json_put_int(to, key, (int64_t)number);
}

static void put_numbers(struct json_object *to, const struct number *numbers, size_t nr,
			const void *base)
{
	for (size_t i = 0; i < nr; i++)
		put(to, numbers[i].key,
		    *(const uint64_t *)(const void *)((const char *)base + numbers[i].offset));
}

static bool has(struct json_object *object, const char *key)
{
	return json_object_object_get_ex(object, key, NULL);
}

static bool read_number(struct json_object *from, const char *key, int64_t max, uint64_t *out)
{
	int64_t number;

	if (!td_json_int(from, key, 0, max, &number))
		return false;
	*out = (uint64_t)number;
	return true;
}

static bool read_numbers(struct json_object *from, const struct number *numbers, size_t nr,
			 int64_t max, void *base)
{
	for (size_t i = 0; i < nr; i++) {
		if (!read_number(from, numbers[i].key, max,
				 (uint64_t *)(void *)((char *)base + numbers[i].offset)))
			return false;
	}
	return true;
}

/* Read a number if it exists. */
static bool read_optional(struct json_object *from, const char *key, uint64_t *out)
{
	return !has(from, key) || read_number(from, key, MAX_SUM, out);
}

/* --- writing ---------------------------------------------------------------- */

static void put_by_pmu(struct json_object *to, const char *key, const struct td_machine *machine,
		       const uint64_t numbers[TD_REGION_PMUS])
{
	struct json_object *object = json_object_new_object();

	for (size_t i = 0; i < machine->nr_core && i < TD_REGION_PMUS; i++) {
		if (numbers[i])
			put(object, machine->pmus[i].name, numbers[i]);
	}
	td_json_add(to, key, object);
}

/* Return an array of pairs, a step and its number of calls; steps without calls are left out. */
static struct json_object *steps_array(const struct td_durations *durations)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < TD_REGION_STEPS; i++) {
		if (!durations->counts[i])
			continue;
		td_json_append(array, json_object_new_int((int)i));
		td_json_append(array, json_object_new_int64((int64_t)durations->counts[i]));
	}
	return array;
}

static struct json_object *slowest_array(const struct td_timed *timed)
{
	struct json_object *array = json_object_new_array();

	td_for_each(const struct td_slow_call, call, timed->slowest, timed->nr_slowest) {
		struct json_object *o = json_object_new_object();

		put(o, "ns", call->time_ns);
		put(o, "start_ns", call->start_ns);
		td_json_put_int(o, "tid", call->tid);
		td_json_put_int(o, "cpu", call->cpu);
		td_json_append(array, o);
	}
	return array;
}

static struct json_object *cost_array(const struct td_timed *timed)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < timed->nr_cost; i++)
		td_json_append(array, json_object_new_int64((int64_t)timed->cost[i]));
	return array;
}

static struct json_object *timed_object(const struct td_timed *timed)
{
	struct json_object *o = json_object_new_object();

	td_json_put_string(o, "name", timed->name);
	if (timed->engine)
		td_json_put_string(o, "engine", td_timed_engine(timed->engine));
	if (timed->all)
		put(o, "all", timed->all);
	if (timed->period)
		put(o, "period", timed->period);
	if (timed->counting_ns) {
		put(o, "traced_ns", timed->traced_ns);
		put(o, "counting_ns", timed->counting_ns);
	}
	if (timed->cost)
		td_json_add(o, "cost", cost_array(timed));
	put(o, "middle", timed->middle);
	put(o, "slow", timed->slow);
	put(o, "max_ns", timed->durations.max_ns);
	td_json_add(o, "steps", steps_array(&timed->durations));
	td_json_add(o, "slowest", slowest_array(timed));
	return o;
}

static struct json_object *region_object(const struct td_machine *machine,
					 const struct td_region *region, bool functions)
{
	struct json_object *object = json_object_new_object();
	const struct td_calls *calls = &region->calls;

	td_json_put_string(object, "name", region->name);
	td_json_put_flag(object, "own", region->own);
	td_json_put_flag(object, "outside", region->outside);
	put_numbers(object, of_calls, TD_ARRAY_SIZE(of_calls), calls);
	td_json_put_int(object, "threads", calls->threads);
	td_json_put_seconds(object, "time", calls->time_ns);
	td_json_put_seconds(object, "cost", calls->cost_ns);
	put_by_pmu(object, "on", machine, region->on);
	if (functions && !region->outside)
		put_by_pmu(object, "whole", machine, region->whole);
	if (region->timed) {
		const struct td_call_facts *facts = &region->facts;

		td_json_put_int(object, "timed", region->timed);
		put(object, "bucket", region->bucket);
		td_json_put_flag(object, "slow", region->slow);
		put_by_pmu(object, "took_ns", machine, region->took_ns);
		put_by_pmu(object, "on_ns", machine, region->on_ns);
		if (facts->interrupts)
			put_by_pmu(object, "interrupted_ns", machine, region->interrupted_ns);
		put_numbers(object, of_facts, nr_facts(facts), facts);
	}
	return object;
}

void td_recording_write_regions(FILE *fp, const struct td_machine *machine,
				const struct td_regions *regions)
{
	struct json_object *line = td_json_line();
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < regions->nr; i++)
		td_json_append(array, region_object(machine, &regions->v[i], regions->functions));
	td_json_add(line, "regions", array);
	if (regions->nr_timed) {
		array = json_object_new_array();
		for (size_t i = 0; i < regions->nr_timed; i++)
			td_json_append(array, timed_object(&regions->timed[i]));
		td_json_add(line, "timed", array);
	}
	td_json_add(line, "least_slots", json_object_new_double(regions->least_slots));
	td_json_put_flag(line, "functions", regions->functions);
	td_json_put_line(fp, line);
}

/* --- reading timed calls ------------------------------------------------------ */

static bool read_bucket(struct json_object *from, const char *key, unsigned int *bucket)
{
	uint64_t number;

	if (!read_number(from, key, TD_REGION_BUCKETS - 1, &number))
		return false;
	*bucket = (unsigned int)number;
	return true;
}

static bool read_steps(struct json_object *array, struct td_durations *durations)
{
	size_t nr = json_object_array_length(array);

	for (size_t i = 0; i + 1 < nr; i += 2) {
		int64_t step, calls;

		if (!td_json_integer(json_object_array_get_idx(array, i), 0, TD_REGION_STEPS - 1,
				     &step) ||
		    !td_json_integer(json_object_array_get_idx(array, i + 1), 0,
				     MAX_SUM / TD_REGION_STEPS, &calls))
			return false;
		durations->counts[step] = (uint64_t)calls;
	}
	for (size_t i = 0; i < TD_REGION_STEPS; i++)
		durations->nr += durations->counts[i];
	return nr % 2 == 0 && durations->nr;
}

static bool read_call(struct json_object *o, struct td_slow_call *call)
{
	uint64_t tid, cpu;

	if (!read_number(o, "ns", MAX_SUM, &call->time_ns) ||
	    !read_number(o, "start_ns", INT64_MAX - 1, &call->start_ns) ||
	    !read_number(o, "tid", INT_MAX, &tid) || !read_number(o, "cpu", INT_MAX, &cpu))
		return false;
	call->tid = (int)tid;
	call->cpu = (int)cpu;
	return true;
}

static bool read_slowest(struct json_object *o, struct td_timed *timed)
{
	struct json_object *array = td_json_member(o, "slowest", json_type_array);

	if (!array || json_object_array_length(array) > TD_SLOWEST)
		return false;
	timed->nr_slowest = json_object_array_length(array);
	for (size_t i = 0; i < timed->nr_slowest; i++) {
		if (!read_call(json_object_array_get_idx(array, i), &timed->slowest[i]))
			return false;
	}
	return true;
}

static bool read_cost(struct json_object *o, struct td_timed *timed)
{
	struct json_object *array = td_json_member(o, "cost", json_type_array);

	if (!array)
		return !has(o, "cost");
	td_timed_add_cost(timed, json_object_array_length(array));
	for (size_t i = 0; i < timed->nr_cost; i++) {
		int64_t count;

		if (!td_json_integer(json_object_array_get_idx(array, i), 0, INT_MAX, &count))
			return false;
		timed->cost[i] = (uint64_t)count;
	}
	return true;
}

/* Read a function.  One without calls only has a name. */
static bool read_one(struct json_object *o, struct td_regions *regions)
{
	const char *name = td_json_string(o, "name");
	struct json_object *steps = td_json_member(o, "steps", json_type_array);
	struct td_timed *timed;

	if (!name || !steps)
		return false;
	timed = td_regions_add_timed(regions, name);
	timed->engine = td_timed_engine_find(td_json_string(o, "engine"));
	if (has(o, "counting_ns") &&
	    (!read_number(o, "counting_ns", MAX_SUM, &timed->counting_ns) ||
	     !read_number(o, "traced_ns", (int64_t)timed->counting_ns, &timed->traced_ns)))
		return false;
	if (!json_object_array_length(steps))
		return true;
	return read_optional(o, "all", &timed->all) && read_optional(o, "period", &timed->period) &&
	       read_cost(o, timed) && read_bucket(o, "middle", &timed->middle) &&
	       read_bucket(o, "slow", &timed->slow) && read_steps(steps, &timed->durations) &&
	       read_number(o, "max_ns", MAX_SUM, &timed->durations.max_ns) &&
	       read_slowest(o, timed);
}

/* Read the functions of timed calls, if there are any.  Returns false if they are invalid. */
static bool read_timed(struct json_object *line, struct td_regions *regions)
{
	struct json_object *array;

	if (!json_object_object_get_ex(line, "timed", &array))
		return true;
	if (json_object_get_type(array) != json_type_array)
		return false;
	for (size_t i = 0; i < json_object_array_length(array); i++) {
		if (!read_one(json_object_array_get_idx(array, i), regions))
			return false;
	}
	return true;
}

static bool read_ns_by_pmu(struct json_object *object, const char *key,
			   const struct td_machine *machine, uint64_t ns[TD_REGION_PMUS])
{
	struct json_object *of = td_json_member(object, key, json_type_object);

	for (size_t i = 0; of && i < machine->nr_core && i < TD_REGION_PMUS; i++) {
		if (!read_optional(of, machine->pmus[i].name, &ns[i]))
			return false;
	}
	return of;
}

/*
 * Read the members that only a region of timed calls has.  Its other members must have been read.
 */
static bool read_timed_region(struct json_object *object, const struct td_machine *machine,
			      const struct td_regions *regions, struct td_region *region)
{
	struct td_call_facts *facts = &region->facts;
	uint64_t timed;

	if (!has(object, "timed"))
		return !has(object, "bucket");
	facts->interrupts = has(object, "interrupted_ns");
	facts->known = has(object, of_facts[0].key);
	facts->waiting_only = facts->known && !has(object, of_facts[1].key);
	if (!read_number(object, "timed", INT_MAX, &timed) || !timed || timed > regions->nr_timed ||
	    !region->calls.counted || !read_bucket(object, "bucket", &region->bucket) ||
	    !read_ns_by_pmu(object, "took_ns", machine, region->took_ns) ||
	    !read_ns_by_pmu(object, "on_ns", machine, region->on_ns) ||
	    (facts->interrupts &&
	     !read_ns_by_pmu(object, "interrupted_ns", machine, region->interrupted_ns)) ||
	    !read_numbers(object, of_facts, nr_facts(facts), MAX_SUM, facts))
		return false;
	region->timed = (int)timed;
	region->slow = td_json_flag(object, "slow");
	return true;
}

/* --- reading regions ---------------------------------------------------------- */

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

static bool read_calls_by_pmu(const struct td_machine *machine, struct json_object *of,
			      uint64_t calls[TD_REGION_PMUS])
{
	if (!of)
		return false;
	json_object_object_foreach(of, name, value)
	{
		int pmu = td_machine_find_pmu(machine, name);
		int64_t nr;

		if (pmu < 0 || pmu >= TD_REGION_PMUS || !td_json_integer(value, 0, MAX_CALLS, &nr))
			return false;
		calls[pmu] = (uint64_t)nr;
	}
	return true;
}

static bool read_calls(struct json_object *object, struct td_calls *calls)
{
	uint64_t threads;

	if (!read_numbers(object, of_calls, TD_ARRAY_SIZE(of_calls), MAX_CALLS, calls) ||
	    !read_number(object, "threads", INT_MAX, &threads))
		return false;
	calls->threads = (unsigned int)threads;
	return td_json_seconds(object, "time", &calls->time_ns) &&
	       td_json_seconds(object, "cost", &calls->cost_ns) &&
	       calls->recursive <= calls->counted;
}

static int read_region(struct td_recording *rec, struct json_object *object, struct td_err *err)
{
	const struct td_machine *machine = &rec->machine;
	const char *name = td_json_string(object, "name");
	struct json_object *on = td_json_member(object, "on", json_type_object);
	struct json_object *whole = td_json_member(object, "whole", json_type_object);
	struct td_region *region;

	if (!name)
		return td_recording_bad(rec, err, "a region without a name");
	if (td_recording_check_types(rec, object, of_region, err))
		return err->code;
	region = td_regions_add(&rec->regions, name, td_json_flag(object, "own"),
				td_json_flag(object, "outside"));
	if (read_calls(object, &region->calls) && read_calls_by_pmu(machine, on, region->on) &&
	    (!whole || read_calls_by_pmu(machine, whole, region->whole)) &&
	    read_timed_region(object, machine, &rec->regions, region))
		return 0;
	return td_recording_bad(rec, err, "a region whose calls are not numbers");
}

int td_recording_read_regions(struct td_recording *rec, struct json_object *line,
			      struct td_err *err)
{
	struct json_object *array = td_json_member(line, "regions", json_type_array);
	struct td_regions *regions = &rec->regions;
	struct json_object *least;

	if (regions->nr)
		return td_recording_bad(rec, err, "regions a second time");
	if (td_recording_check_types(rec, line, of_line, err))
		return err->code;
	if (json_object_object_get_ex(line, "least_slots", &least))
		regions->least_slots = json_object_get_double(least);
	/* also refuses NaN, which json-c reads */
	if (!(regions->least_slots >= 0 && regions->least_slots < MAX_LEAST))
		return td_recording_bad(rec, err, "\"least_slots\" is out of range");
	regions->functions = td_json_flag(line, "functions");
	if (!read_timed(line, regions))
		return td_recording_bad(rec, err, "timed calls that are none");
	for (size_t i = 0; i < json_object_array_length(array); i++) {
		if (read_region(rec, json_object_array_get_idx(array, i), err))
			return err->code;
	}
	return 0;
}
