// SPDX-License-Identifier: GPL-2.0-only
/*
 * pack FROM TO: a program of the build.  Writes the kernel tree's event and metric
 * files in FROM into TO in the form of metrics/files/parts.h.
 */
#include <dirent.h>
#include <errno.h>
#include <json-c/json.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/base/util.h"
#include "metrics/files/parts.h"
#include "metrics/files/text.h"

/* A file of FROM. */
struct file {
	char *name; /* "alderlake/cache.json" */
	struct td_pmu_events events;
};

struct pack {
	const char *from, *to;
	struct file *files;
	size_t nr_files;
	/* all descriptions, sorted, each once; and where each begins */
	const char **texts;
	size_t nr_texts;
	size_t *places;
	struct td_err err;
};

/* --- read ------------------------------------------------------------------- */

static int read_file(struct pack *p, const char *folder, const char *name)
{
	td_autofree char *path = td_aprintf("%s/%s/%s", p->from, folder, name);
	struct file *file = td_array_add(&p->files, p->nr_files, sizeof(*file));
	char *text = NULL;
	int rc;

	if (!file || !path)
		return td_err_nomem(&p->err);
	p->nr_files++;
	file->name = td_aprintf("%s/%s", folder, name);
	rc = file->name ? td_pmu_events_text(path, &text, &p->err)
			: td_err_nomem(&p->err);
	if (!rc)
		rc = td_pmu_events_parse(&file->events, path, text, &p->err);
	free(text);
	/* of these, only metrics are read */
	if (strcmp(folder, "common") == 0)
		td_pmu_events_keep(&file->events, 0, file->events.nr_metrics,
				   0);
	return rc;
}

/* metricgroups.json has only texts of groups, counter.json nothing that is read. */
static int is_read(const struct dirent *entry)
{
	return td_ends_with(entry->d_name, ".json") &&
	       strcmp(entry->d_name, "metricgroups.json") != 0 &&
	       strcmp(entry->d_name, "counter.json") != 0;
}

/* A formula has events of other files of its folder, too. */
static int spread_errata(struct pack *p, size_t first)
{
	int rc = 0;

	for (size_t i = first; i < p->nr_files; i++) {
		for (size_t j = first; !rc && j < p->nr_files; j++)
			rc = td_errata_spread(&p->files[i].events, 0,
					      &p->files[j].events);
	}
	return rc ? td_err_nomem(&p->err) : 0;
}

static int read_folder(struct pack *p, const char *folder)
{
	td_autofree char *path = td_aprintf("%s/%s", p->from, folder);
	size_t first = p->nr_files;
	struct dirent **entries;
	int nr = path ? scandir(path, &entries, is_read, alphasort) : -1;
	int rc = 0;

	if (nr < 0)
		return td_err_set(&p->err, -errno, "%s/%s: %s", p->from, folder,
				  strerror(errno));
	for (int i = 0; i < nr; i++) {
		if (!rc)
			rc = read_file(p, folder, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return rc ? rc : spread_errata(p, first);
}

static int is_folder(const struct dirent *entry)
{
	return entry->d_type == DT_DIR && entry->d_name[0] != '.';
}

static int read_all(struct pack *p)
{
	struct dirent **entries;
	int nr = scandir(p->from, &entries, is_folder, alphasort), rc = 0;

	if (nr < 0)
		return td_err_set(&p->err, -errno, "%s: %s", p->from,
				  strerror(errno));
	for (int i = 0; i < nr; i++) {
		if (!rc)
			rc = read_folder(p, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return rc;
}

/* --- descriptions ----------------------------------------------------------- */

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int add_text(struct pack *p, const char *text)
{
	return text && td_array_push(&p->texts, &p->nr_texts, &text,
				     sizeof(text))
		       ? td_err_nomem(&p->err)
		       : 0;
}

static int collect_texts(struct pack *p)
{
	int rc = 0;

	for (size_t f = 0; f < p->nr_files; f++) {
		const struct td_pmu_events *e = &p->files[f].events;

		for (size_t i = 0; !rc && i < e->nr_events; i++)
			rc = add_text(p, e->events[i].desc);
		for (size_t i = 0; !rc && i < e->nr_metrics; i++)
			rc = add_text(p, e->metrics[i].desc);
	}
	return rc;
}

static int find_places(struct pack *p)
{
	size_t nr = 0, place = 0;

	if (p->nr_texts)
		qsort(p->texts, p->nr_texts, sizeof(*p->texts), by_text);
	p->places = calloc(p->nr_texts + 1, sizeof(*p->places));
	if (!p->places)
		return td_err_nomem(&p->err);
	for (size_t i = 0; i < p->nr_texts; i++) {
		if (nr && strcmp(p->texts[nr - 1], p->texts[i]) == 0)
			continue;
		p->texts[nr] = p->texts[i];
		p->places[nr++] = place;
		place += strlen(p->texts[i]) + 1;
	}
	p->nr_texts = nr;
	return 0;
}

static struct json_object *place_of(const struct pack *p, const char *text)
{
	const char **found = text ? bsearch(&text, p->texts, p->nr_texts,
					    sizeof(*p->texts), by_text)
				  : NULL;

	return found ? json_object_new_int64(
			       (int64_t)p->places[found - p->texts])
		     : NULL;
}

/* --- write ------------------------------------------------------------------ */

static struct json_object *text_or_null(const char *text)
{
	return text ? json_object_new_string(text) : NULL;
}

/* Nothing, where nothing has to follow. */
static void add_errata(struct json_object *array, const char *errata)
{
	if (errata)
		json_object_array_add(array, json_object_new_string(errata));
}

static struct json_object *pack_event(const struct pack *p,
				      const struct td_model_event *event)
{
	struct json_object *array = json_object_new_array();

	json_object_array_add(array, text_or_null(event->name));
	json_object_array_add(array, text_or_null(event->terms));
	json_object_array_add(array, place_of(p, event->desc));
	if (!isnan(event->retire_latency))
		json_object_array_add(
			array, json_object_new_double(event->retire_latency));
	add_errata(array, event->errata);
	return array;
}

static struct json_object *pack_events(const struct pack *p,
				       const struct td_pmu_events *events)
{
	struct json_object *pmus = json_object_new_object(), *array;

	for (size_t i = 0; i < events->nr_events; i++) {
		const struct td_model_event *event = &events->events[i];

		if (!json_object_object_get_ex(pmus, event->pmu, &array)) {
			array = json_object_new_array();
			json_object_object_add(pmus, event->pmu, array);
		}
		json_object_array_add(array, pack_event(p, event));
	}
	return pmus;
}

static struct json_object *pack_metric(const struct pack *p,
				       const struct td_model_metric *metric)
{
	struct json_object *array = json_object_new_array();

	json_object_array_add(array, text_or_null(metric->name));
	json_object_array_add(array, text_or_null(metric->pmu));
	json_object_array_add(array, text_or_null(metric->groups));
	json_object_array_add(array, place_of(p, metric->desc));
	json_object_array_add(array, text_or_null(metric->unit));
	json_object_array_add(array, text_or_null(metric->formula));
	json_object_array_add(array, text_or_null(metric->threshold));
	json_object_array_add(array, text_or_null(metric->sample));
	json_object_array_add(array,
			      json_object_new_int((int32_t)metric->split));
	add_errata(array, metric->errata);
	return array;
}

static struct json_object *pack_metrics(const struct pack *p,
					const struct td_pmu_events *events)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < events->nr_metrics; i++)
		json_object_array_add(array,
				      pack_metric(p, &events->metrics[i]));
	return array;
}

static struct json_object *pack_file(const struct pack *p,
				     const struct td_pmu_events *events)
{
	struct json_object *file = json_object_new_object();

	json_object_object_add(file, "events", pack_events(p, events));
	if (events->nr_metrics)
		json_object_object_add(file, "metrics",
				       pack_metrics(p, events));
	return file;
}

static FILE *create(struct pack *p, const char *name)
{
	td_autofree char *path = td_aprintf("%s/%s", p->to, name);
	char *slash = path ? strrchr(path, '/') : NULL;
	FILE *fp;

	if (!slash) {
		td_err_nomem(&p->err);
		return NULL;
	}
	*slash = '\0';
	mkdir(path, 0777);
	*slash = '/';
	fp = fopen(path, "we");
	if (!fp)
		td_err_set(&p->err, -errno, "%s: %s", path, strerror(errno));
	return fp;
}

static int finish(struct pack *p, FILE *fp, const char *name)
{
	bool failed = ferror(fp);

	if (fclose(fp) || failed)
		return td_err_set(&p->err, -EIO, "%s/%s: cannot be written",
				  p->to, name);
	return 0;
}

static int write_file(struct pack *p, const struct file *file)
{
	struct json_object *packed = pack_file(p, &file->events);
	FILE *fp = create(p, file->name);

	if (fp)
		fputs(json_object_to_json_string_ext(
			      packed, JSON_C_TO_STRING_PLAIN |
					      JSON_C_TO_STRING_NOSLASHESCAPE),
		      fp);
	json_object_put(packed);
	return fp ? finish(p, fp, file->name) : p->err.code;
}

static int write_texts(struct pack *p)
{
	FILE *fp = create(p, TD_DESCRIPTIONS);

	for (size_t i = 0; fp && i < p->nr_texts; i++)
		fprintf(fp, "%s\n", p->texts[i]);
	return fp ? finish(p, fp, TD_DESCRIPTIONS) : p->err.code;
}

static int write_all(struct pack *p)
{
	int rc = collect_texts(p);

	if (!rc)
		rc = find_places(p);
	if (!rc)
		rc = write_texts(p);
	for (size_t i = 0; !rc && i < p->nr_files; i++) {
		const struct td_pmu_events *e = &p->files[i].events;

		if (e->nr_events || e->nr_metrics)
			rc = write_file(p, &p->files[i]);
	}
	return rc;
}

static void clear(struct pack *p)
{
	for (size_t i = 0; i < p->nr_files; i++) {
		free(p->files[i].name);
		td_pmu_events_free(&p->files[i].events);
	}
	free(p->files);
	free(p->texts);
	free(p->places);
}

int main(int argc, char **argv)
{
	struct pack p = { .nr_files = 0 };
	int rc;

	if (argc != 3) {
		fputs("usage: pack FROM TO\n", stderr);
		return 64;
	}
	p.from = argv[1];
	p.to = argv[2];
	rc = read_all(&p);
	if (!rc)
		rc = write_all(&p);
	if (rc)
		fprintf(stderr, "pack: %s\n", p.err.msg);
	clear(&p);
	return rc ? 1 : 0;
}
