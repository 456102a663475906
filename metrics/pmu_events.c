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

static int read_text(const char *path, char **text, struct td_err *err)
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

/* *dir to be freed, whatever the result. */
static int find_folder(const char *root, const struct td_cpuid *cpuid,
		       char **dir, struct td_err *err)
{
	td_autofree char *path = NULL, *text = NULL;
	const char *folder;
	int rc;

	if (asprintf(&path, "%s/mapfile.csv", root) < 0) {
		path = NULL;
		return td_err_nomem(err);
	}
	rc = read_text(path, &text, err);
	if (rc)
		return rc;
	rc = td_pmu_map_find(text, path, cpuid, &folder, err);
	if (rc)
		return rc;
	if (asprintf(dir, "%s/%s", root, folder) < 0) {
		*dir = NULL;
		return td_err_nomem(err);
	}
	return 0;
}

static int read_file(struct td_pmu_events *out, const char *name,
		     struct td_err *err)
{
	td_autofree char *path = NULL, *text = NULL;
	int rc;

	if (asprintf(&path, "%s/%s", out->dir, name) < 0) {
		path = NULL;
		return td_err_nomem(err);
	}
	rc = read_text(path, &text, err);
	return rc ? rc : td_pmu_events_parse(out, path, text, err);
}

/* metricgroups.json describes groups and defines nothing. */
static bool is_events_file(const char *name)
{
	size_t len = strlen(name), end = strlen(".json");

	return len > end && strcmp(name + len - end, ".json") == 0 &&
	       strcmp(name, "metricgroups.json") != 0;
}

static int read_folder(struct td_pmu_events *out, struct td_err *err)
{
	struct td_names names;
	int rc = td_sysfs_list(AT_FDCWD, out->dir, &names);

	if (rc)
		return td_err_set(err, rc, "%s: %s", out->dir, strerror(-rc));
	for (size_t i = 0; !rc && i < names.nr; i++) {
		if (is_events_file(names.v[i]))
			rc = read_file(out, names.v[i], err);
	}
	td_names_free(&names);
	return rc;
}

int td_pmu_events_read(struct td_pmu_events *out, const char *root,
		       const struct td_cpuid *cpuid, struct td_err *err)
{
	int rc;

	*out = (struct td_pmu_events){ 0 };
	rc = find_folder(root, cpuid, &out->dir, err);
	if (!rc)
		rc = read_folder(out, err);
	if (!rc)
		td_pmu_events_sort(out);
	return rc;
}

void td_pmu_events_free(struct td_pmu_events *events)
{
	for (size_t i = 0; i < events->nr_events; i++) {
		struct td_model_event *event = &events->events[i];

		free(event->name);
		free(event->pmu);
		free(event->terms);
		free(event->desc);
		free(event->topic);
	}
	for (size_t i = 0; i < events->nr_metrics; i++) {
		struct td_model_metric *metric = &events->metrics[i];

		free(metric->name);
		free(metric->pmu);
		free(metric->groups);
		free(metric->desc);
		free(metric->unit);
	}
	free(events->events);
	free(events->metrics);
	free(events->dir);
	*events = (struct td_pmu_events){ 0 };
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
