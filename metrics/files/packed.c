// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/json.h"
#include "lib/base/util.h"
#include "metrics/files/parts.h"
#include "metrics/files/pmu_events.h"
#include "metrics/files/text.h"

/* A file that is being read. */
struct packed {
	struct td_pmu_events *out;
	const char *path, *topic;
	struct td_err *err;
};

bool td_is_packed(const char *text)
{
	return text[0] == '{';
}

bool td_packed_has_only_events(const char *text)
{
	return !strstr(text, "\"metrics\":") && !strchr(text, '\\');
}

static int bad(const struct packed *p, const char *what, size_t index)
{
	return td_err_set(p->err, -EINVAL, "%s: %s %zu: not of the packed form",
			  p->path, what, index + 1);
}

/* --- descriptions ----------------------------------------------------------- */

/* "<root>/MODEL/FILE" -> "<root>/descriptions" */
static char *descriptions_path(const char *path)
{
	const char *end = strrchr(path, '/');

	while (end && end > path && end[-1] != '/')
		end--;
	return end ? td_aprintf("%.*s" TD_DESCRIPTIONS, (int)(end - path), path)
		   : strdup("../" TD_DESCRIPTIONS);
}

static int map_file(struct td_pmu_events *events, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc = 0;
	struct stat st;
	void *text;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || !st.st_size) {
		rc = fd < 0 ? -errno : -EINVAL;
		td_close_fd(&fd);
		return rc;
	}
	text = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (text == MAP_FAILED) {
		rc = -errno;
	} else {
		events->descriptions = text;
		events->descriptions_size = (size_t)st.st_size;
	}
	td_close_fd(&fd);
	return rc;
}

static int open_descriptions(const struct packed *p)
{
	td_autofree char *path = NULL;
	int rc;

	if (p->out->descriptions)
		return 0;
	path = descriptions_path(p->path);
	if (!path)
		return td_err_nomem(p->err);
	rc = map_file(p->out, path);
	return rc ? td_err_set(p->err, rc, "%s: %s: %s", p->path, path,
			       strerror(-rc))
		  : 0;
}

void td_descriptions_close(struct td_pmu_events *events)
{
	if (events->descriptions)
		munmap(events->descriptions, events->descriptions_size);
	events->descriptions = NULL;
}

/* A copy of the line at this place; NULL for null. */
static int read_desc(const struct packed *p, struct json_object *place,
		     char **out)
{
	const char *line, *end;
	size_t size;
	int64_t at;

	*out = NULL;
	if (!place)
		return 0;
	if (open_descriptions(p))
		return p->err->code;
	size = p->out->descriptions_size;
	if (!td_json_whole(place, 0, (int64_t)size - 1, &at))
		return td_err_set(p->err, -EINVAL, "%s: no such description",
				  p->path);
	line = p->out->descriptions + at;
	size -= (size_t)at;
	end = memchr(line, '\n', size);
	size = end ? (size_t)(end - line) : size;
	if (!size)
		return td_err_set(p->err, -EINVAL, "%s: no such description",
				  p->path);
	*out = strndup(line, size);
	return *out ? 0 : td_err_nomem(p->err);
}

/* --- events ----------------------------------------------------------------- */

/* A text of an array, and where a copy of it goes. */
struct field {
	size_t index;
	char **out; /* NULL for null */
	bool needed;
};

/* Returns -EINVAL if what is there is no text, or an empty one, or -ENOMEM. */
static int copy_text(struct json_object *array, const struct field *field)
{
	struct json_object *text =
		json_object_array_get_idx(array, field->index);

	*field->out = NULL;
	if (!text)
		return field->needed ? -EINVAL : 0;
	if (!json_object_is_type(text, json_type_string))
		return -EINVAL;
	*field->out = strdup(json_object_get_string(text));
	if (!*field->out)
		return -ENOMEM;
	return **field->out ? 0 : -EINVAL;
}

static int copy_texts(struct json_object *array, const struct field *fields,
		      size_t nr)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < nr; i++)
		rc = copy_text(array, &fields[i]);
	return rc;
}

/* What few events have. */
static int read_more(struct td_model_event *event, struct json_object *array)
{
	struct json_object *number = json_object_array_get_idx(array, 3);
	bool has_latency = json_object_is_type(number, json_type_double) ||
			   json_object_is_type(number, json_type_int);

	if (has_latency)
		event->retire_latency = json_object_get_double(number);
	return copy_text(array, &(const struct field){ has_latency ? 4 : 3,
						       &event->errata });
}

/* As pack wrote it: names are looked for in small letters, terms are NAME=VALUE. */
static bool is_event(const struct td_model_event *event)
{
	for (const char *c = event->name; *c; c++) {
		if (isupper((unsigned char)*c))
			return false;
	}
	return *event->pmu && strchr(event->terms, '=');
}

static int add_event(const struct packed *p, const char *pmu,
		     struct json_object *object, size_t index)
{
	struct td_pmu_events *out = p->out;
	struct td_model_event *event;
	int rc;

	if (!json_object_is_type(object, json_type_array))
		return bad(p, "event", index);
	event = td_array_add(&out->events, out->nr_events, sizeof(*event));
	if (!event)
		return td_err_nomem(p->err);
	out->nr_events++;
	event->pmu = strdup(pmu);
	event->topic = strdup(p->topic);
	if (!event->pmu || !event->topic)
		return td_err_nomem(p->err);
	event->retire_latency = (double)NAN;
	rc = copy_texts(object,
			(const struct field[]){ { 0, &event->name, true },
						{ 1, &event->terms, true } },
			2);
	if (!rc && json_object_array_length(object) > 3)
		rc = read_more(event, object);
	if (rc == -ENOMEM)
		return td_err_nomem(p->err);
	if (rc || !is_event(event))
		return bad(p, "event", index);
	return read_desc(p, json_object_array_get_idx(object, 2), &event->desc);
}

static int add_events(const struct packed *p, struct json_object *pmus)
{
	json_object_object_foreach(pmus, pmu, array)
	{
		size_t nr = json_object_is_type(array, json_type_array)
				    ? json_object_array_length(array)
				    : 0;

		for (size_t i = 0; i < nr; i++) {
			if (add_event(p, pmu,
				      json_object_array_get_idx(array, i), i))
				return p->err->code;
		}
	}
	return 0;
}

/* --- metrics ---------------------------------------------------------------- */

static int fill_texts(struct td_model_metric *metric,
		      struct json_object *object)
{
	const struct field fields[] = {
		{ 0, &metric->name, true },    { 1, &metric->pmu, true },
		{ 2, &metric->groups, false }, { 4, &metric->unit, false },
		{ 5, &metric->formula, true }, { 6, &metric->threshold, false },
		{ 7, &metric->sample, false }, { 9, &metric->errata, false },
	};

	return copy_texts(object, fields, TD_ARRAY_SIZE(fields));
}

static int add_metric(const struct packed *p, struct json_object *object,
		      size_t index)
{
	struct td_pmu_events *out = p->out;
	struct td_model_metric *metric;
	int64_t split;
	int rc;

	if (!json_object_is_type(object, json_type_array))
		return bad(p, "metric", index);
	metric = td_array_add(&out->metrics, out->nr_metrics, sizeof(*metric));
	if (!metric)
		return td_err_nomem(p->err);
	out->nr_metrics++;
	rc = fill_texts(metric, object);
	if (rc == -ENOMEM)
		return td_err_nomem(p->err);
	if (rc || !td_json_whole(json_object_array_get_idx(object, 8),
				 TD_SPLIT_NEVER, TD_SPLIT_SMT, &split))
		return bad(p, "metric", index);
	metric->split = (enum td_split)split;
	metric->level = td_groups_level(metric->name, metric->groups);
	return read_desc(p, json_object_array_get_idx(object, 3),
			 &metric->desc);
}

int td_packed_add(struct td_pmu_events *out, const char *path,
		  const char *topic, struct json_object *file,
		  struct td_err *err)
{
	const struct packed p = { out, path, topic, err };
	struct json_object *events =
		td_json_member(file, "events", json_type_object);
	struct json_object *metrics =
		td_json_member(file, "metrics", json_type_array);
	size_t nr = metrics ? json_object_array_length(metrics) : 0;
	int rc = events ? add_events(&p, events) : 0;

	out->packed = true;
	if (!events && !metrics) {
		td_err_set(err, -EINVAL, "%s: neither events nor metrics",
			   path);
		/* intel/perfmon's files begin so */
		return td_json_member(file, "Header", json_type_object)
			       ? td_err_hint(err,
					     "this is a file of intel/perfmon: "
					     "give the folder that has its "
					     "mapfile.csv")
			       : err->code;
	}
	for (size_t i = 0; !rc && i < nr; i++)
		rc = add_metric(&p, json_object_array_get_idx(metrics, i), i);
	return rc;
}
