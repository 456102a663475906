// SPDX-License-Identifier: GPL-2.0-only
/* The files of a checkout of intel/perfmon. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "lib/base/json.h"
#include "lib/base/util.h"
#include "metrics/files/parts.h"
#include "metrics/files/text.h"

/* Adds one entry of a file's array. */
typedef int (*entry_fn)(struct td_pmu_events *out,
			const struct td_perfmon_file *file,
			const struct td_entry *entry, struct td_err *err);

static int add_event(struct td_pmu_events *out,
		     const struct td_perfmon_file *file,
		     const struct td_entry *entry, struct td_err *err)
{
	int rc = td_perfmon_event(file, entry, err);

	return rc ? rc : td_entry_add(out, entry, err);
}

static int add_array(struct td_pmu_events *out,
		     const struct td_perfmon_file *file,
		     struct json_object *array, entry_fn add,
		     struct td_err *err)
{
	struct td_entry entry = { .path = file->path, .topic = file->topic };
	size_t nr = json_object_array_length(array);
	int rc = 0;

	while (!rc && entry.nr < nr) {
		entry.object = json_object_array_get_idx(array, entry.nr++);
		if (json_object_is_type(entry.object, json_type_object))
			rc = add(out, file, &entry, err);
		else
			rc = td_err_set(err, -EINVAL,
					"%s: entry %zu: not an object",
					file->path, entry.nr);
	}
	return rc;
}

/*
 * Sets latencies of events that were read before:
 * {"NAME":{"MIN":0,"MAX":888,"MEAN":6.11}}.
 */
static int add_latencies(struct td_pmu_events *out,
			 const struct td_perfmon_file *file,
			 struct json_object *data, struct td_err *err)
{
	struct td_entry entry = { .path = file->path };

	json_object_object_foreach(data, name, value)
	{
		double mean;

		entry.nr++;
		entry.object = value;
		if (!json_object_is_type(value, json_type_object))
			return td_err_set(err, -EINVAL, "%s: %s: not an object",
					  file->path, name);
		if (td_entry_double(&entry, "MEAN", &mean, err))
			return err->code;
		for (size_t i = 0; i < out->nr_events; i++) {
			if (strcasecmp(out->events[i].name, name) == 0)
				out->events[i].retire_latency = mean;
		}
	}
	return 0;
}

static int add_file(struct td_pmu_events *out,
		    const struct td_perfmon_file *file,
		    struct json_object *object, struct td_err *err)
{
	struct json_object *part;

	part = td_json_member(object, "Events", json_type_array);
	if (part)
		return add_array(out, file, part, add_event, err);
	part = td_json_member(object, "Metrics", json_type_array);
	if (part)
		return add_array(out, file, part, td_perfmon_metric, err);
	part = td_json_member(object, "Data", json_type_object);
	if (part)
		return add_latencies(out, file, part, err);
	return td_err_set(err, -EINVAL,
			  "%s: has no array Events or Metrics, and no Data",
			  file->path);
}

/* The version of TMA, which the head of metrics tells; "": there is none. */
static int take_tma(struct td_pmu_events *out, struct json_object *object,
		    struct td_err *err)
{
	const char *tma = td_json_string(
		td_json_member(object, "Header", json_type_object),
		"TmaVersion");

	if (!tma || !*tma || out->version)
		return 0;
	out->version = td_aprintf("TMA %s", tma);
	return out->version ? 0 : td_err_nomem(err);
}

int td_perfmon_parse(struct td_pmu_events *out,
		     const struct td_perfmon_file *file, const char *text,
		     struct td_err *err)
{
	struct json_object *object;
	int rc = td_json_parse(file->path, text, &object, err);

	if (!rc)
		rc = add_file(out, file, object, err);
	if (!rc)
		rc = take_tma(out, object, err);
	json_object_put(object);
	return rc;
}

/*
 * Reads metrics in perf's form, which "ADL/metrics/x.json" may have in
 * "ADL/metrics/perf/x_perf.json".  They are read first because
 * td_perfmon_metric() skips metrics that are known already.
 */
static int read_plain(struct td_pmu_events *out, const char *path,
		      struct td_err *err)
{
	const char *name = strrchr(path, '/') + 1;
	td_autofree char *plain =
		td_aprintf("%.*sperf/%.*s_perf.json", (int)(name - path), path,
			   (int)strcspn(name, "."), name);
	td_autofree char *text = NULL;
	int rc;

	if (!plain)
		return td_err_nomem(err);
	rc = td_pmu_events_text(plain, &text, err);
	if (rc == -ENOENT) {
		*err = (struct td_err){ 0 };
		return 0;
	}
	return rc ? rc : td_pmu_events_parse(out, plain, text, err);
}

/* The PMU of a map's row; "cpu" stands for the only core PMU of a machine. */
static const char *pmu_of(const struct td_map_row *row)
{
	if (strncasecmp(row->role, "LowPower", strlen("LowPower")) == 0)
		return "cpu_lowpower";
	if (strcasecmp(row->core, "0x20") == 0)
		return "cpu_atom";
	if (strcasecmp(row->core, "0x40") == 0)
		return "cpu_core";
	return "cpu";
}

/* The topic of "hybridcore" files is "core", too. */
static const char *topic_of(const struct td_map_row *row)
{
	return strcmp(row->type, "hybridcore") == 0 ? "core" : row->type;
}

static bool is_uncore(const char *type)
{
	return strncmp(type, "uncore", strlen("uncore")) == 0;
}

/*
 * Does the type have named events or metrics?  Other types describe event bits.
 */
static bool is_core(const char *type)
{
	return strcmp(type, "core") == 0 || strcmp(type, "hybridcore") == 0 ||
	       strcmp(type, "metrics") == 0;
}

/* Sets out->dir once, to "<root>/ADL" for the file "/ADL/events/x.json". */
static int set_folder(struct td_pmu_events *out, const char *root,
		      const char *file, struct td_err *err)
{
	file += strspn(file, "/");
	if (out->dir)
		return 0;
	out->dir = td_aprintf("%s/%.*s", root, (int)strcspn(file, "/"), file);
	return out->dir ? 0 : td_err_nomem(err);
}

static int read_row(struct td_pmu_events *out, const char *root,
		    const struct td_map_row *row, struct td_err *err)
{
	td_autofree char *path =
		td_aprintf("%s/%s", root, row->file + strspn(row->file, "/"));
	td_autofree char *text = NULL;
	struct td_perfmon_file file = {
		.path = path,
		.folder = strrchr(out->dir, '/') + 1,
		.pmu = pmu_of(row),
		.topic = topic_of(row),
	};
	int rc = 0;

	if (!path)
		return td_err_nomem(err);
	if (strcmp(row->type, "metrics") == 0)
		rc = read_plain(out, path, err);
	if (!rc)
		rc = td_pmu_events_text(path, &text, err);
	return rc ? rc : td_perfmon_parse(out, &file, text, err);
}

int td_perfmon_read(struct td_pmu_events *out, const char *root,
		    struct td_map *map, struct td_err *err)
{
	struct td_map_row row, latency = { .file = NULL };
	int rc;

	out->perfmon = true;
	while ((rc = td_map_next(map, &row, err)) > 0) {
		if (set_folder(out, root, row.file, err))
			return err->code;
		if (is_uncore(row.type))
			out->has_uncore = true;
		else if (strcmp(row.type, "retire latency") == 0)
			latency = row;
		else if (is_core(row.type) && read_row(out, root, &row, err))
			return err->code;
	}
	if (!rc && !out->dir)
		rc = td_map_none(map, err);
	/* latencies are set on events, which are all read now */
	if (!rc && latency.file)
		rc = read_row(out, root, &latency, err);
	return rc;
}

int td_perfmon_read_uncore(struct td_pmu_events *out, const char *root,
			   struct td_map *map, struct td_err *err)
{
	struct td_map_row row;
	int rc;

	while ((rc = td_map_next(map, &row, err)) > 0) {
		if (is_uncore(row.type) && read_row(out, root, &row, err))
			return err->code;
	}
	return rc;
}
