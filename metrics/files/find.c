// SPDX-License-Identifier: GPL-2.0-only
/* Finds events by name; files are parsed only when a name needs them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/base/regex.h"
#include "lib/base/util.h"
#include "lib/machine/pmu.h"
#include "metrics/files/parts.h"
#include "metrics/files/text.h"

/* --- mapfile.csv ---------------------------------------------------------- */

static size_t count_commas(const char *text, size_t len)
{
	size_t nr = 0;

	for (size_t i = 0; i < len; i++)
		nr += text[i] == ',';
	return nr;
}

/* Sets the identity alone, for map_matches(). */
static void map_identify(struct td_map *map, const struct td_cpuid *cpuid)
{
	td_cpuid_format(cpuid, map->whole);
	memcpy(map->model, map->whole, sizeof(map->model));
	*strrchr(map->model, '-') = '\0';
}

/*
 * The first line names the columns: four in the kernel tree, seven in
 * intel/perfmon.
 */
void td_map_begin(struct td_map *map, const struct td_cpuid *cpuid)
{
	map->rest = map->text;
	map_identify(map, cpuid);
	map->perfmon = count_commas(map->text, strcspn(map->text, "\n")) >= 6;
}

/*
 * Most expressions are plain text and are compared as such, which is
 * cheaper.  Most have no stepping, but Skylake-X and Cascade Lake differ only
 * in that.
 */
static int map_matches(const char *expression, const struct td_map *map,
		       char *why, size_t size)
{
	td_autofree char *whole = NULL;
	regex_t regex;
	int rc;

	if (!expression[strcspn(expression, "[](){}.*+?|^$\\")])
		return strcmp(expression, map->whole) == 0 ||
		       strcmp(expression, map->model) == 0;
	if (asprintf(&whole, "^(%s)$", expression) < 0)
		return -ENOMEM;
	rc = td_regex_compile(&regex, whole, why, size);
	if (rc)
		return rc;
	rc = regexec(&regex, map->whole, 0, NULL, 0) == 0 ||
	     regexec(&regex, map->model, 0, NULL, 0) == 0;
	regfree(&regex);
	return rc;
}

static const char *column(char **line)
{
	const char *text = strsep(line, ",");

	return text ? text : "";
}

/*
 * Reads a line such as
 *
 * "GenuineIntel-6-8[CD],v1.16,tigerlake,core", or
 * "GenuineIntel-6-97,V1.40,/ADL/events/x.json,hybridcore,0x40,0x000001,Core"
 */
static int read_line(const struct td_map *map, char *line,
		     struct td_map_row *row, char *why, size_t size)
{
	const char *expression = column(&line);

	row->version = column(&line);
	row->file = column(&line);
	row->type = column(&line);
	row->core = column(&line);
	strsep(&line, ","); /* the native model */
	row->role = column(&line);
	if (!*row->file) {
		snprintf(why, size, "not expression,version,%s,type",
			 map->perfmon ? "file" : "folder");
		return -EINVAL;
	}
	return map_matches(expression, map, why, size);
}

int td_map_next(struct td_map *map, struct td_map_row *row, struct td_err *err)
{
	char why[128];
	char *line;
	int rc = 0;

	while (!rc && (line = strsep(&map->rest, "\n"))) {
		map->line++;
		line[strcspn(line, "\r")] = '\0';
		if (map->line == 1 || line[0] == '\0' || line[0] == '#')
			continue;
		rc = read_line(map, line, row, why, sizeof(why));
	}
	if (rc == -ENOMEM)
		return td_err_nomem(err);
	if (rc < 0)
		return td_err_set(err, rc, "%s:%zu: %s", map->path, map->line,
				  why);
	return rc;
}

int td_map_none(const struct td_map *map, struct td_err *err)
{
	return td_err_set(err, -ENOENT, "%s: has no events of %s", map->path,
			  map->whole);
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

static void sort_events(struct td_pmu_events *events)
{
	if (events->nr_events)
		qsort(events->events, events->nr_events,
		      sizeof(*events->events), event_order);
}

void td_pmu_events_sort(struct td_pmu_events *events)
{
	sort_events(events);
	if (events->nr_metrics)
		qsort(events->metrics, events->nr_metrics,
		      sizeof(*events->metrics), metric_order);
}

struct key {
	const char *name, *pmu;
	size_t len; /* how many characters of pmu are compared */
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

static const struct td_model_event *
find_parsed(const struct td_pmu_events *events, const char *pmu,
	    const char *name)
{
	struct key key = { name, pmu, strlen(pmu) };
	const struct td_model_event *event = find(events, &key);

	if (event)
		return event;
	key.len = td_pmu_stem_length(pmu);
	return find(events, &key);
}

int td_pmu_events_parse_file(struct td_pmu_events *events, size_t index,
			     struct td_err *err)
{
	struct td_events_file *file = &events->unread[index];
	size_t nr_events = events->nr_events, nr_metrics = events->nr_metrics;
	int rc = td_pmu_events_parse(events, file->path, file->text, err);

	if (rc) {
		/* the last one may lack a name */
		td_pmu_events_keep(events, nr_events, nr_metrics,
				   events->nr_unread);
		return rc;
	}
	td_events_file_clear(file);
	events->nr_unread--;
	memmove(file, file + 1, (events->nr_unread - index) * sizeof(*file));
	return 0;
}

/* The first unread file that contains the name, or else the first one. */
static size_t likeliest_file(const struct td_pmu_events *events,
			     const char *name)
{
	for (size_t i = 0; i < events->nr_unread; i++) {
		if (strcasestr(events->unread[i].text, name))
			return i;
	}
	return 0;
}

int td_pmu_events_find(struct td_pmu_events *events, const char *pmu,
		       const char *name, const struct td_model_event **out,
		       struct td_err *err)
{
	int rc = 0;

	*out = find_parsed(events, pmu, name);
	while (!rc && !*out && events->nr_unread) {
		rc = td_pmu_events_parse_file(
			events, likeliest_file(events, name), err);
		sort_events(events); /* such a file has no metrics */
		*out = find_parsed(events, pmu, name);
	}
	return rc;
}

int td_pmu_events_parse_all(struct td_pmu_events *events, struct td_err *err)
{
	int rc = 0;

	while (!rc && events->nr_unread)
		rc = td_pmu_events_parse_file(events, 0, err);
	td_pmu_events_sort(events);
	return rc;
}

/* --- the names of models: the folders that mapfile.csv has ---------------- */

#define MODELS    0x100
#define STEPPINGS 0x10

/* What is looked for, and what was found of it. */
struct wanted {
	const char *folder;
	struct td_suggest *near;
	struct td_cpuid *out;
	bool found;
	/* of the lines before, which have their processors first */
	const char **taken;
	size_t nr_taken;
	bool no_memory;
};

/* Does the expression match?  What cannot be read matches nothing. */
static bool is_matched(const char *expression, const struct td_cpuid *cpuid)
{
	struct td_map map = { 0 };
	char why[128];

	map_identify(&map, cpuid);
	return map_matches(expression, &map, why, sizeof(why)) > 0;
}

static bool is_taken(const struct wanted *wanted, const struct td_cpuid *cpuid)
{
	for (size_t i = 0; i < wanted->nr_taken; i++) {
		if (is_matched(wanted->taken[i], cpuid))
			return true;
	}
	return false;
}

/*
 * Expressions have vendor and family as plain text, so that trying what there
 * may be behind is quick: GenuineIntel-6-(97|9A).
 */
static bool find_match(const struct wanted *wanted, const char *expression)
{
	const char *dash = strchr(expression, '-');
	size_t len = dash ? (size_t)(dash - expression) : 0;
	struct td_cpuid cpuid = { 0 };
	char *end;

	if (!len || len >= sizeof(cpuid.vendor))
		return false;
	memcpy(cpuid.vendor, expression, len);
	cpuid.family = (unsigned int)strtoul(dash + 1, &end, 10);
	if (end == dash + 1 || *end != '-')
		return false;
	for (unsigned int i = 0; i < MODELS * STEPPINGS; i++) {
		cpuid.model = i % MODELS;
		cpuid.stepping = i / MODELS;
		if (is_matched(expression, &cpuid) &&
		    !is_taken(wanted, &cpuid)) {
			*wanted->out = cpuid;
			return true;
		}
	}
	return false;
}

static void look_at_line(struct wanted *wanted, char *line)
{
	const char *expression = strsep(&line, ",");
	const char *folder;

	strsep(&line, ","); /* the version */
	folder = strsep(&line, ",");
	if (!folder || wanted->found)
		return;
	td_suggest_offer(wanted->near, folder, NULL);
	if (strcasecmp(folder, wanted->folder) == 0)
		wanted->found = find_match(wanted, expression);
	if (td_array_push(&wanted->taken, &wanted->nr_taken, &expression,
			  sizeof(expression)))
		wanted->no_memory = true;
}

int td_pmu_events_find_model(const char *root, const char *folder,
			     struct td_suggest *near, struct td_cpuid *out,
			     struct td_err *err)
{
	td_autofree char *path = td_aprintf("%s/mapfile.csv", root);
	td_autofree char *text = NULL;
	struct wanted wanted = { .folder = folder, .near = near, .out = out };
	char *rest, *line;
	int rc;

	if (!path)
		return td_err_nomem(err);
	rc = td_pmu_events_text(path, &text, err);
	if (rc)
		return rc;
	rest = text;
	strsep(&rest, "\n"); /* the names of the columns */
	while ((line = strsep(&rest, "\n"))) {
		if (*line && *line != '#')
			look_at_line(&wanted, line);
	}
	free(wanted.taken);
	if (wanted.no_memory)
		return td_err_nomem(err);
	return wanted.found ? 0 : 1;
}
