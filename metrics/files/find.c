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

int td_map_open(struct td_map *map, const char *root, struct td_err *err)
{
	int rc;

	*map = (struct td_map){ .path = td_aprintf("%s/mapfile.csv", root) };
	rc = td_pmu_events_text(map->path, &map->text, err);
	/*
	 * the map of intel/perfmon contains names of files, and the kernel's map names of
	 * directories
	 */
	if (!rc && strstr(map->text, ".json,"))
		rc = td_intel_form(map->path, err);
	return rc;
}

void td_map_close(struct td_map *map)
{
	free(map->path);
	free(map->text);
	free(map->lines);
}

/* Set only the identity, which map_matches() needs. */
static void map_identify(struct td_map *map, const struct td_cpuid *cpuid)
{
	td_cpuid_format(cpuid, map->whole);
	memcpy(map->model, map->whole, sizeof(map->model));
	*strrchr(map->model, '-') = '\0';
}

void td_map_begin(struct td_map *map, const struct td_cpuid *cpuid)
{
	free(map->lines);
	map->lines = map->rest = td_strdup(map->text);
	map->line = 0;
	map_identify(map, cpuid);
}

/*
 * Does the expression match the processor?  Most expressions are plain text and compared as such,
 * which is cheaper.  Most omit the stepping, which distinguishes Skylake-X and Cascade Lake.
 */
static int map_matches(const char *expression, const struct td_map *map, char *why, size_t size)
{
	td_autofree char *whole = NULL;
	regex_t regex;
	int rc;

	if (!expression[strcspn(expression, "[](){}.*+?|^$\\")])
		return strcmp(expression, map->whole) == 0 || strcmp(expression, map->model) == 0;
	whole = td_aprintf("^(%s)$", expression);
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

/* Is it the line of a model, rather than a comment or the optional header? */
static bool is_of_model(const char *line)
{
	return *line && *line != '#' &&
	       strncmp(line, "Family-model,", strlen("Family-model,")) != 0;
}

/* Read a line such as "GenuineIntel-6-8[CD],v1.16,tigerlake,core". */
static int read_line(const struct td_map *map, char *line, struct td_map_row *row, char *why,
		     size_t size)
{
	const char *expression = column(&line);

	row->version = column(&line);
	row->folder = column(&line);
	if (!*row->folder) {
		snprintf(why, size, "not expression,version,folder,type");
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
		if (is_of_model(line))
			rc = read_line(map, line, row, why, sizeof(why));
	}
	if (rc < 0)
		return td_err_set(err, rc, "%s:%zu: %s", map->path, map->line, why);
	return rc;
}

int td_map_none(const struct td_map *map, struct td_err *err)
{
	return td_err_set(err, -ENOENT, "%s: has no events of %s", map->path, map->whole);
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
		qsort(events->events, events->nr_events, sizeof(*events->events), event_order);
}

void td_pmu_events_sort(struct td_pmu_events *events)
{
	sort_events(events);
	if (events->nr_metrics)
		qsort(events->metrics, events->nr_metrics, sizeof(*events->metrics), metric_order);
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

static const struct td_model_event *find(const struct td_pmu_events *events, const struct key *key)
{
	if (!events->nr_events)
		return NULL;
	return bsearch(key, events->events, events->nr_events, sizeof(*events->events), key_order);
}

static const struct td_model_event *find_parsed(const struct td_pmu_events *events, const char *pmu,
						const char *name)
{
	struct key key = { name, pmu, strlen(pmu) };
	const struct td_model_event *event = find(events, &key);

	if (event)
		return event;
	key.len = td_pmu_stem_length(pmu);
	return find(events, &key);
}

int td_pmu_events_parse_file(struct td_pmu_events *events, size_t index, struct td_err *err)
{
	struct td_events_file *file = &events->unread[index];
	size_t nr_events = events->nr_events, nr_metrics = events->nr_metrics;
	int rc = td_pmu_events_parse(events, file->path, file->text, err);

	if (rc) {
		/* drop the file's entries: the last one may be incomplete */
		td_pmu_events_keep(events, nr_events, nr_metrics, events->nr_unread);
		return rc;
	}
	td_events_file_clear(file);
	events->nr_unread--;
	memmove(file, file + 1, (events->nr_unread - index) * sizeof(*file));
	return 0;
}

int td_pmu_events_parse_with(struct td_pmu_events *events, const char *name, struct td_err *err)
{
	size_t before = events->nr_unread, i = 0;
	int rc = 0;

	while (!rc && i < events->nr_unread) {
		if (strcasestr(events->unread[i].text, name))
			rc = td_pmu_events_parse_file(events, i, err);
		else
			i++;
	}
	if (events->nr_unread < before)
		sort_events(events); /* unread files contain no metrics to sort */
	return rc;
}

int td_pmu_events_find(struct td_pmu_events *events, const char *pmu, const char *name,
		       const struct td_model_event **out, struct td_err *err)
{
	int rc;

	*out = find_parsed(events, pmu, name);
	if (*out || !events->nr_unread)
		return 0;
	rc = td_pmu_events_parse_with(events, name, err);
	if (!rc)
		*out = find_parsed(events, pmu, name);
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

/* --- the names of models, which are the directories in mapfile.csv ---------- */

#define MODELS    0x100
#define STEPPINGS 0x10

/* State of the search for a model. */
struct wanted {
	const char *folder;
	struct td_suggest *near;
	struct td_cpuid *out;
	bool found;
	const char **claimed; /* expressions in earlier lines, which take precedence */
	size_t nr_claimed;
};

/* Does the expression match?  Invalid expressions do not. */
static bool is_matched(const char *expression, const struct td_cpuid *cpuid)
{
	struct td_map map = { 0 };
	char why[128];

	map_identify(&map, cpuid);
	return map_matches(expression, &map, why, sizeof(why)) > 0;
}

static bool is_claimed(const struct wanted *wanted, const struct td_cpuid *cpuid)
{
	for (size_t i = 0; i < wanted->nr_claimed; i++) {
		if (is_matched(wanted->claimed[i], cpuid))
			return true;
	}
	return false;
}

/*
 * Find a processor that an expression such as GenuineIntel-6-(97|9A) matches.  Vendor and family
 * are plain text, so trying all models is quick.
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
		if (is_matched(expression, &cpuid) && !is_claimed(wanted, &cpuid)) {
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
	td_array_push(&wanted->claimed, &wanted->nr_claimed, &expression, sizeof(expression));
}

int td_pmu_events_find_model(const char *root, const char *folder, struct td_suggest *near,
			     struct td_cpuid *out, struct td_err *err)
{
	struct wanted wanted = { .folder = folder, .near = near, .out = out };
	struct td_map map;
	char *rest, *line;
	int rc = td_map_open(&map, root, err);

	rest = rc ? NULL : map.text;
	while ((line = strsep(&rest, "\n"))) {
		if (is_of_model(line))
			look_at_line(&wanted, line);
	}
	free(wanted.claimed);
	td_map_close(&map);
	if (rc)
		return rc;
	return wanted.found ? 0 : 1;
}
