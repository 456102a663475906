// SPDX-License-Identifier: GPL-2.0-only
#include "metrics/pmu_events.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/util.h"
#include "metrics/perfmon.h"
#include "metrics/pmu_events_parts.h"

/* All of fp, up to a NUL, which is then its last character. */
static int read_stream(FILE *fp, char **text)
{
	size_t size = 0;
	ssize_t len;

	errno = 0;
	len = getdelim(text, &size, '\0', fp);
	if (len < 0 && !feof(fp))
		return errno ? -errno : -EIO;
	if (len < 0) {
		free(*text);
		*text = strdup("");
		return *text ? 0 : -ENOMEM;
	}
	return (*text)[len - 1] ? 0 : -EILSEQ;
}

int td_pmu_events_text(const char *path, char **text, struct td_err *err)
{
	FILE *fp = fopen(path, "re");
	int rc;

	if (!fp)
		return td_err_set(err, -errno, "%s: %s", path, strerror(errno));
	rc = read_stream(fp, text);
	fclose(fp);
	if (rc == -EILSEQ)
		return td_err_set(err, -EINVAL, "%s: a NUL byte", path);
	if (rc)
		return td_err_set(err, rc, "%s: %s", path, strerror(-rc));
	return 0;
}

static int read_file(struct td_pmu_events *out, const char *name,
		     struct td_err *err)
{
	td_autofree char *path = td_aprintf("%s/%s", out->dir, name);
	td_autofree char *text = NULL;
	int rc;

	if (!path)
		return td_err_nomem(err);
	rc = td_pmu_events_text(path, &text, err);
	return rc ? rc : td_pmu_events_parse(out, path, text, err);
}

/* metricgroups.json describes groups and defines nothing. */
static bool is_events_file(const char *name)
{
	size_t len = strlen(name), end = strlen(".json");

	return len > end && strcmp(name + len - end, ".json") == 0 &&
	       strcmp(name, "metricgroups.json") != 0;
}

static bool is_uncore_file(const char *name)
{
	return strncmp(name, "uncore", strlen("uncore")) == 0;
}

/* The files of the cores, or of the other units; *nr: how many there are. */
static int read_folder(struct td_pmu_events *out, bool uncore, size_t *nr,
		       struct td_err *err)
{
	struct td_names names;
	int rc = td_sysfs_list(AT_FDCWD, out->dir, &names);

	*nr = 0;
	if (rc)
		return td_err_set(err, rc, "%s: %s", out->dir, strerror(-rc));
	for (size_t i = 0; !rc && i < names.nr; i++) {
		if (!is_events_file(names.v[i]))
			continue;
		++*nr;
		if (is_uncore_file(names.v[i]))
			out->has_uncore = true;
		if (is_uncore_file(names.v[i]) == uncore)
			rc = read_file(out, names.v[i], err);
	}
	td_names_free(&names);
	return rc;
}

/* What has no map is one model's folder, if it has such files. */
static int read_model(struct td_pmu_events *out, const char *root,
		      struct td_err *err)
{
	size_t nr;
	int rc;

	out->dir = strdup(root);
	if (!out->dir)
		return td_err_nomem(err);
	rc = read_folder(out, false, &nr, err);
	if (rc || nr)
		return rc;
	td_err_set(err, -ENOENT,
		   "%s: neither a mapfile.csv nor event files, *.json", root);
	return td_err_hint(
		err, "give the kernel's tools/perf/pmu-events/arch/x86, "
		     "a model's folder in it, or a checkout of intel/perfmon");
}

static int read_mapped(struct td_pmu_events *out, const char *root,
		       struct td_map *map, struct td_err *err)
{
	struct td_map_row row;
	size_t nr;
	int rc = td_map_next(map, &row, err);

	if (rc <= 0)
		return rc ? rc : td_map_none(map, err);
	out->dir = td_aprintf("%s/%s", root, row.file);
	if (!out->dir)
		return td_err_nomem(err);
	return read_folder(out, false, &nr, err);
}

struct map_file {
	char *path, *text;
	struct td_map map;
};

/* To be closed, whatever the result; -ENOENT: there is none. */
static int open_map(struct map_file *file, const char *root,
		    const struct td_cpuid *cpuid, struct td_err *err)
{
	int rc;

	*file = (struct map_file){ NULL, NULL };
	file->path = td_aprintf("%s/mapfile.csv", root);
	if (!file->path)
		return td_err_nomem(err);
	rc = td_pmu_events_text(file->path, &file->text, err);
	if (!rc)
		td_map_begin(&file->map, file->text, file->path, cpuid);
	return rc;
}

static void close_map(struct map_file *file)
{
	free(file->path);
	free(file->text);
}

static int read_root(struct td_pmu_events *out, const char *root,
		     const struct td_cpuid *cpuid, struct td_err *err)
{
	struct map_file file;
	int rc = open_map(&file, root, cpuid, err);

	if (!rc && file.map.perfmon) {
		rc = td_perfmon_read(out, root, &file.map, err);
	} else if (!rc) {
		rc = read_mapped(out, root, &file.map, err);
	} else if (rc == -ENOENT) {
		*err = (struct td_err){ 0 };
		rc = read_model(out, root, err);
	}
	close_map(&file);
	return rc;
}

/* The first ones stay. */
static void free_events(struct td_pmu_events *events, size_t first)
{
	for (size_t i = first; i < events->nr_events; i++) {
		struct td_model_event *event = &events->events[i];

		free(event->name);
		free(event->pmu);
		free(event->terms);
		free(event->desc);
		free(event->topic);
	}
	events->nr_events = first;
}

void td_model_metric_clear(struct td_model_metric *metric)
{
	free(metric->name);
	free(metric->pmu);
	free(metric->groups);
	free(metric->desc);
	free(metric->unit);
	free(metric->formula);
	free(metric->threshold);
	*metric = (struct td_model_metric){ 0 };
}

static void free_metrics(struct td_pmu_events *events, size_t first)
{
	for (size_t i = first; i < events->nr_metrics; i++)
		td_model_metric_clear(&events->metrics[i]);
	events->nr_metrics = first;
}

/* dir is a folder of the checkout. */
static int read_perfmon_uncore(struct td_pmu_events *events,
			       const struct td_cpuid *cpuid, struct td_err *err)
{
	td_autofree char *root = strdup(events->dir);
	struct map_file file;
	int rc;

	if (!root)
		return td_err_nomem(err);
	*strrchr(root, '/') = '\0';
	rc = open_map(&file, root, cpuid, err);
	if (!rc)
		rc = td_perfmon_read_uncore(events, root, &file.map, err);
	close_map(&file);
	return rc;
}

int td_pmu_events_read_uncore(struct td_pmu_events *events,
			      const struct td_cpuid *cpuid, struct td_err *err)
{
	size_t nr_events = events->nr_events, nr_metrics = events->nr_metrics;
	size_t nr;
	int rc;

	if (!events->has_uncore || events->uncore_read)
		return 0;
	rc = events->perfmon ? read_perfmon_uncore(events, cpuid, err)
			     : read_folder(events, true, &nr, err);
	if (rc) {
		free_events(events, nr_events);
		free_metrics(events, nr_metrics);
		return rc;
	}
	events->uncore_read = true;
	td_pmu_events_sort(events);
	return 0;
}

void td_pmu_events_free(struct td_pmu_events *events)
{
	free_events(events, 0);
	free_metrics(events, 0);
	free(events->events);
	free(events->metrics);
	free(events->dir);
	free(events->skipped);
	*events = (struct td_pmu_events){ 0 };
}

int td_pmu_events_read(struct td_pmu_events *out, const char *root,
		       const struct td_cpuid *cpuid, struct td_err *err)
{
	int rc;

	*out = (struct td_pmu_events){ 0 };
	rc = read_root(out, root, cpuid, err);
	if (rc)
		td_pmu_events_free(out);
	else
		td_pmu_events_sort(out);
	return rc;
}

static int event_order(const void *a, const void *b)
{
	const struct td_model_event *x = a, *y = b;
	int rc = strcmp(x->name, y->name);

	return rc ? rc : strcmp(x->pmu, y->pmu);
}

static int metric_order(const void *a, const void *b)
{
	const struct td_model_metric *x = a, *y = b;
	int rc = strcmp(x->name, y->name);

	return rc ? rc : strcmp(x->pmu, y->pmu);
}

void td_pmu_events_sort(struct td_pmu_events *events)
{
	if (events->nr_events)
		qsort(events->events, events->nr_events,
		      sizeof(*events->events), event_order);
	if (events->nr_metrics)
		qsort(events->metrics, events->nr_metrics,
		      sizeof(*events->metrics), metric_order);
}

struct key {
	const char *name, *pmu;
	size_t len; /* how much of pmu counts */
};

static int key_order(const void *a, const void *b)
{
	const struct key *key = a;
	const struct td_model_event *event = b;
	int rc = strcasecmp(key->name, event->name);

	if (!rc)
		rc = strncmp(key->pmu, event->pmu, key->len);
	if (!rc && event->pmu[key->len])
		rc = -1;
	return rc;
}

static const struct td_model_event *find(const struct td_pmu_events *events,
					 const struct key *key)
{
	if (!events->nr_events)
		return NULL;
	return bsearch(key, events->events, events->nr_events,
		       sizeof(*events->events), key_order);
}

/* The length of a PMU's name without its number: of "uncore_cha" in _0. */
static size_t unit_length(const char *pmu)
{
	size_t len = strlen(pmu), end = len;

	while (end && isdigit((unsigned char)pmu[end - 1]))
		end--;
	return end && end < len && pmu[end - 1] == '_' ? end - 1 : len;
}

const struct td_model_event *
td_pmu_events_find(const struct td_pmu_events *events, const char *pmu,
		   const char *name)
{
	struct key key = { name, pmu, strlen(pmu) };
	const struct td_model_event *event = find(events, &key);

	if (event)
		return event;
	key.len = unit_length(pmu);
	return find(events, &key);
}
