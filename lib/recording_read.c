// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <json-c/json.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/json_member.h"
#include "lib/recording.h"
#include "lib/recording_typed.h"
#include "lib/util.h"

#define MAX_LINE   (64 << 20) /* a line of 1,024 CPUs and 100 events is 6 MB */
#define MAX_DEPTH  8
#define MAX_EVENTS 10000
/* json-c makes INT64_MAX of all that is larger, so that is not one. */
#define MAX_COUNT (INT64_MAX - 1)

static int bad(const struct td_recording *rec, struct td_err *err,
	       const char *what)
{
	return td_err_set(err, -EINVAL, "%s:%zu: %s", rec->path, rec->line,
			  what);
}

/*
 * The next whole line; 1: none.  Its end is the line's: text without one was
 * cut off.
 */
static int next_line(struct td_recording *rec, struct td_err *err)
{
	size_t len = 0;
	int c;

	while ((c = getc(rec->fp)) != EOF && c != '\n') {
		if (len == MAX_LINE)
			return bad(rec, err, "a line of more than 64 MiB");
		if (len + 1 >= rec->size) {
			size_t size = rec->size ? rec->size * 2 : 4096;
			char *text = realloc(rec->text, size);

			if (!text)
				return td_err_nomem(err);
			rec->text = text;
			rec->size = size;
		}
		rec->text[len++] = (char)c;
	}
	if (ferror(rec->fp))
		return td_err_set(err, -EIO, "%s: %s", rec->path,
				  strerror(errno));
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

static int parse_line(struct td_recording *rec, struct json_object **out,
		      struct td_err *err)
{
	struct json_tokener *tokener = json_tokener_new_ex(MAX_DEPTH);
	enum json_tokener_error rc;
	size_t end;

	if (!tokener)
		return td_err_nomem(err);
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT);
	*out = json_tokener_parse_ex(tokener, rec->text, -1);
	rc = json_tokener_get_error(tokener);
	end = json_tokener_get_parse_end(tokener);
	json_tokener_free(tokener);
	if (rc == json_tokener_success &&
	    json_object_is_type(*out, json_type_object))
		return 0;
	json_object_put(*out);
	*out = NULL;
	if (rc == json_tokener_success)
		return bad(rec, err, "not a JSON object");
	return td_err_set(err, -EINVAL, "%s:%zu:%zu: not JSON: %s", rec->path,
			  rec->line, end + 1, json_tokener_error_desc(rc));
}

static int read_pmu(struct td_recording *rec, struct json_object *object,
		    struct td_err *err)
{
	const char *name = td_json_string(object, "name");
	const char *cpus = td_json_string(object, "cpus");
	struct td_machine *machine = &rec->machine;
	struct td_pmu *pmu;
	int64_t type;

	if (!name || !cpus ||
	    !td_json_int(object, "type", 0, UINT32_MAX, &type))
		return bad(rec, err, "\"pmus\": needs name, type and cpus");
	pmu = td_array_add(&machine->pmus, machine->nr_pmus, sizeof(*pmu));
	if (!pmu)
		return td_err_nomem(err);
	pmu->kind = rec->plan.asked ? td_pmu_kind(name) : TD_PMU_CORE;
	if (pmu->kind == TD_PMU_CORE && machine->nr_core < machine->nr_pmus)
		return bad(rec, err, "\"pmus\": core PMUs come first");
	machine->nr_core += pmu->kind == TD_PMU_CORE;
	machine->nr_pmus++;
	pmu->name = strdup(name);
	if (!pmu->name)
		return td_err_nomem(err);
	pmu->type = (uint32_t)type;
	pmu->uarch = td_model_uarch(machine->model, name);
	if (td_ints_parse(cpus, TD_MAX_CPU, &pmu->cpus))
		return bad(rec, err, "\"pmus\": cpus is not a CPU list");
	return 0;
}

/* "cpu_core/slots/" -> an alias "slots" of cpu_core: what it can count. */
static int add_alias(struct td_pmu *pmu, const char *event, double scale)
{
	size_t len = strlen(pmu->name), end = strlen(event);
	struct td_alias *alias;

	if (strncmp(event, pmu->name, len) != 0 || event[len] != '/' ||
	    end < len + 2 || event[end - 1] != '/')
		return 0; /* not of that form: it has no alias */
	alias = td_array_add(&pmu->aliases, pmu->nr_aliases, sizeof(*alias));
	if (!alias)
		return -ENOMEM;
	pmu->nr_aliases++;
	alias->scale = scale;
	alias->name = strndup(event + len + 1, end - len - 2);
	alias->terms = strdup("");
	return alias->name && alias->terms ? 0 : -ENOMEM;
}

static int add_to_group(struct td_plan *plan, int64_t index, int pmu)
{
	struct td_group *group;
	int *place;

	while (plan->nr_groups <= (size_t)index) {
		group = td_array_add(&plan->groups, plan->nr_groups,
				     sizeof(*group));
		if (!group)
			return -ENOMEM;
		plan->nr_groups++;
	}
	group = &plan->groups[index];
	if (group->nr == 0) {
		group->pmu = pmu;
		group->at_once = 1;
	}
	/* a software event may be in a group of the hardware's */
	if (group->pmu != pmu && !plan->asked)
		return -EINVAL;
	place = td_array_add(&group->members, group->nr, sizeof(*place));
	if (!place)
		return -ENOMEM;
	*place = (int)plan->nr_events - 1;
	group->nr++;
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
	       *out >= 0 && *out <= MAX_EVENTS;
}

static int read_event(struct td_recording *rec, struct json_object *object,
		      struct td_err *err)
{
	const char *name = td_json_string(object, "name");
	const char *pmu_name = td_json_string(object, "pmu");
	int pmu = pmu_name ? td_machine_find_pmu(&rec->machine, pmu_name) : -1;
	struct td_plan *plan = &rec->plan;
	struct json_object *scale;
	struct td_event *event;
	int64_t group;
	int rc;

	if (!name || pmu < 0 ||
	    !td_json_int(object, "group", plan->asked ? -1 : 0, MAX_EVENTS,
			 &group))
		return bad(rec, err, "\"events\": needs name, pmu and group");
	event = td_array_add(&plan->events, plan->nr_events, sizeof(*event));
	if (!event)
		return td_err_nomem(err);
	plan->nr_events++;
	event->name = strdup(name);
	event->pmu = pmu;
	event->type = rec->machine.pmus[pmu].type;
	event->scale = 1;
	event->spec = event->group = -1;
	if (plan->asked &&
	    (td_typed_get(object, event) ||
	     (event->tool && rec->machine.pmus[pmu].kind != TD_PMU_TOOL)))
		return bad(rec, err,
			   "\"events\": an event that makes no "
			   "sense");
	if (json_object_object_get_ex(object, "scale", &scale) &&
	    !parse_scale(scale, &event->scale))
		return bad(rec, err, "\"scale\" is not a number above 0");
	if (!event->name ||
	    add_alias(&rec->machine.pmus[pmu], name, event->scale))
		return td_err_nomem(err);
	rc = group < 0 ? 0 : add_to_group(plan, group, pmu);
	if (!rc && group >= 0 &&
	    !get_at_once(object, &plan->groups[group].at_once))
		return bad(rec, err, "\"at_once\" is not a number");
	if (rc == -EINVAL)
		return bad(rec, err, "\"events\": a group of two PMUs");
	return rc ? td_err_nomem(err) : 0;
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

	if (nr == 0 && rec->plan.asked && array)
		return 0; /* --null; a machine without a PMU */
	if (nr == 0 || nr > MAX_EVENTS)
		return td_err_set(err, -EINVAL,
				  "%s:%zu: \"%s\" is not a list with entries",
				  rec->path, rec->line, key);
	for (size_t i = 0; !rc && i < nr; i++)
		rc = read_one(rec, json_object_array_get_idx(array, i), err);
	return rc;
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
		return bad(rec, err, "not a recording of tdstat's");
	if (version != 1)
		return bad(rec, err, "a recording of a later tdstat");
	if (!cpuid || !target || !smt ||
	    !td_json_int(head, "interval_ms", 0, INT_MAX, &interval))
		return bad(rec, err,
			   "needs cpuid, smt, interval_ms and target");
	if (td_cpuid_parse(cpuid, &machine->cpuid, err))
		return bad(rec, err,
			   "\"cpuid\" is not of the form "
			   "GenuineIntel-6-97-2");
	if (strcmp(machine->cpuid.vendor, "GenuineIntel") == 0)
		machine->model = td_model_find(machine->cpuid.family,
					       machine->cpuid.model);
	machine->smt = json_object_get_boolean(smt);
	if (td_json_int(head, "tsc_hz", 0, INT64_MAX, &tsc_hz))
		rec->info.tsc_hz = (uint64_t)tsc_hz;
	table = td_json_string(head, "table");
	rec->plan.asked = table && strcmp(table, "events") == 0;
	rec->info.interval_ms = (int)interval;
	rec->info.target = strdup(target);
	return rec->info.target ? 0 : td_err_nomem(err);
}

static int read_head(struct td_recording *rec, struct td_err *err)
{
	struct json_object *head;
	int rc = next_line(rec, err);

	if (rc > 0)
		return td_err_set(err, -EINVAL,
				  "%s: not a recording: it has "
				  "no whole line",
				  rec->path);
	if (!rc)
		rc = parse_line(rec, &head, err);
	if (rc)
		return rc;
	rc = read_info(rec, head, err);
	if (!rc)
		rc = read_array(rec, head, "pmus", read_pmu, err);
	if (!rc)
		rc = read_array(rec, head, "events", read_event, err);
	td_plan_find_clones(&rec->plan);
	json_object_put(head);
	return rc;
}

int td_recording_open(struct td_recording *rec, const char *path,
		      struct td_err *err)
{
	*rec = (struct td_recording){ .path = path };
	rec->fp = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
	if (!rec->fp)
		return td_err_set(err, -errno, "%s: %s", path, strerror(errno));
	return read_head(rec, err);
}

static bool parse_reading(const struct td_recording *rec,
			  struct json_object *array, struct td_reading *out)
{
	int64_t n[6];

	if (!json_object_is_type(array, json_type_array) ||
	    json_object_array_length(array) != 6)
		return false;
	for (size_t i = 0; i < 6; i++) {
		int64_t min = i == 1 || i == 2 ? -1 : 0;
		int64_t max = i < 3 ? INT_MAX : MAX_COUNT;

		if (!td_json_whole(json_object_array_get_idx(array, i), min,
				   max, &n[i]))
			return false;
	}
	if ((size_t)n[0] >= rec->plan.nr_events || n[5] > n[4])
		return false;
	*out = (struct td_reading){
		(int)n[0],      (int)n[1],      (int)n[2],
		(uint64_t)n[3], (uint64_t)n[4], (uint64_t)n[5],
	};
	return true;
}

static void read_times(struct td_recording *rec, struct json_object *line,
		       uint64_t time_ns)
{
	struct td_times *times = &rec->times;

	times->elapsed_ns = time_ns > rec->time_ns ? time_ns - rec->time_ns : 0;
	times->has_cpu_times = td_json_seconds(line, "user", &times->user_ns) &&
			       td_json_seconds(line, "sys", &times->system_ns);
	rec->time_ns = time_ns;
}

static int read_counts(struct td_recording *rec, struct json_object *line,
		       uint64_t *time_ns, struct td_readings *readings,
		       struct td_err *err)
{
	struct json_object *counts =
		td_json_member(line, "counts", json_type_array);
	size_t nr = counts ? json_object_array_length(counts) : 0;
	struct td_reading *v;

	if (!counts || !td_json_seconds(line, "time", time_ns))
		return bad(rec, err, "neither counts with a time nor an end");
	read_times(rec, line, *time_ns);
	v = reallocarray(readings->v, nr + 1, sizeof(*v));
	if (!v)
		return td_err_nomem(err);
	readings->v = v;
	readings->nr = nr;
	for (size_t i = 0; i < nr; i++) {
		if (!parse_reading(rec, json_object_array_get_idx(counts, i),
				   &v[i]))
			return td_err_set(err, -EINVAL,
					  "%s:%zu: counts[%zu] is not [event, "
					  "cpu, tid, value, enabled, running]",
					  rec->path, rec->line, i);
	}
	return 0;
}

static int read_end(struct td_recording *rec, struct json_object *end,
		    struct td_err *err)
{
	struct td_usage *usage = &rec->usage;

	if (!td_json_seconds(end, "elapsed", &usage->elapsed_ns))
		return bad(rec, err, "\"end\" needs elapsed");
	usage->has_times = td_json_seconds(end, "user", &usage->user_ns) &&
			   td_json_seconds(end, "sys", &usage->sys_ns);
	rec->ended = true;
	return 1;
}

int td_recording_next(struct td_recording *rec, uint64_t *time_ns,
		      struct td_readings *readings, struct td_err *err)
{
	struct json_object *line, *end;
	int rc = rec->ended ? 1 : next_line(rec, err);

	if (!rc)
		rc = parse_line(rec, &line, err);
	if (rc)
		return rc;
	end = td_json_member(line, "end", json_type_object);
	rc = end ? read_end(rec, end, err)
		 : read_counts(rec, line, time_ns, readings, err);
	json_object_put(line);
	return rc;
}

void td_recording_close(struct td_recording *rec)
{
	if (rec->fp && rec->fp != stdin)
		fclose(rec->fp);
	free(rec->text);
	free(rec->info.target);
	td_plan_free(&rec->plan);
	td_machine_free(&rec->machine);
	*rec = (struct td_recording){ 0 };
}
