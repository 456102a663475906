// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compares the encodings of events in the built-in trees with those of the
 * kernel tree's event files (TD_PMU_EVENTS).
 */
#include <dirent.h>
#include <json-c/json.h>
#include <limits.h>

#include "lib/event/event.h"
#include "metrics/sets/set.h"
#include "tests/unit/machine.h"
#include "tests/unit/test.h"

/* clang-format off */
static const struct {
	const char *dir, *unit; /* unit NULL: the only PMU */
	const char *model, *pmu;
	int nr; /* events of the set that have terms */
} rows[] = {
	{ "alderlake", "cpu_core", "adl", "cpu_core", 1 },
	{ "alderlake", "cpu_atom", "adl", "cpu_atom", 6 },
	{ "alderlaken", NULL, "adl-n", "cpu", 6 },
	{ "sapphirerapids", NULL, "spr", "cpu", 1 },
	{ "emeraldrapids", NULL, "spr", "cpu", 1 },
	{ "icelake", NULL, "icx", "cpu", 16 },
	{ "icelakex", NULL, "icx", "cpu", 16 },
	{ "tigerlake", NULL, "icx", "cpu", 16 },
	{ "rocketlake", NULL, "icx", "cpu", 16 },
	{ "skylake", NULL, "skx", "cpu", 10 },
	{ "skylakex", NULL, "skx", "cpu", 10 },
	{ "cascadelakex", NULL, "skx", "cpu", 10 },
	{ "meteorlake", "cpu_core", "mtl", "cpu_core", 1 },
	{ "meteorlake", "cpu_atom", "mtl", "cpu_atom", 7 },
	{ "sierraforest", NULL, "srf", "cpu", 7 },
	{ "grandridge", NULL, "srf", "cpu", 7 },
	/* the files have no FRONTEND_LATENCY and FRONTEND_BANDWIDTH */
	{ "snowridgex", NULL, "ehl", "cpu", 4 },
	{ "elkhartlake", NULL, "ehl", "cpu", 4 },
};

/*
 * Finds the event by its other name in the files, as the code of the first one
 * is a pseudo code of a fixed counter.
 */
static const struct {
	const char *ours, *theirs;
} names[] = {
	{ "cycles", "CPU_CLK_UNHALTED.CORE_P" },
	{ "INST_RETIRED.ANY", "INST_RETIRED.ANY_P" },
	{ "topdown-retiring", "TOPDOWN_RETIRING.ALL_P" },
};
/* clang-format on */

#define MAX_FILES 32

struct folder {
	struct json_object *files[MAX_FILES];
	size_t nr;
};

static void load(struct folder *folder, const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)) && folder->nr < MAX_FILES) {
		struct json_object *file;
		char name[PATH_MAX + 256];

		/* files of uncore units */
		if (!strstr(entry->d_name, ".json") || strncmp(entry->d_name, "uncore", 6) == 0)
			continue;
		snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
		file = json_object_from_file(name);
		if (json_object_is_type(file, json_type_array))
			folder->files[folder->nr++] = file;
		else
			json_object_put(file);
	}
	if (dir)
		closedir(dir);
}

static void unload(struct folder *folder)
{
	while (folder->nr)
		json_object_put(folder->files[--folder->nr]);
}

static const char *text(struct json_object *object, const char *key)
{
	struct json_object *value;

	if (!json_object_object_get_ex(object, key, &value))
		return NULL;
	return json_object_get_string(value);
}

static uint64_t number(struct json_object *object, const char *key)
{
	const char *value = text(object, key);

	return value ? strtoull(value, NULL, 0) : 0;
}

static struct json_object *find(const struct folder *folder, const char *unit, const char *name)
{
	for (size_t f = 0; f < folder->nr; f++) {
		struct json_object *file = folder->files[f];

		for (size_t i = 0; i < json_object_array_length(file); i++) {
			struct json_object *event = json_object_array_get_idx(file, i);
			const char *its_name = text(event, "EventName");
			const char *its_unit = text(event, "Unit");

			if (its_name && strcmp(its_name, name) == 0 &&
			    (!unit || (its_unit && !strcmp(its_unit, unit))))
				return event;
		}
	}
	return NULL;
}

static uint64_t config_of(struct json_object *event)
{
	return number(event, "EventCode") | number(event, "UMask") << 8 |
	       number(event, "EdgeDetect") << 18 | number(event, "AnyThread") << 21 |
	       number(event, "Invert") << 23 | number(event, "CounterMask") << 24;
}

/* "UOPS_DECODED.DEC0,cmask=1" is the event UOPS_DECODED.DEC0 plus a term. */
static bool find_config(const struct folder *folder, const char *unit, const char *name,
			uint64_t *config)
{
	const char *comma = strchr(name, ',');
	td_autofree char *plain = comma ? strndup(name, (size_t)(comma - name)) : strdup(name);
	struct json_object *event;

	for (size_t i = 0; i < TD_ARRAY_SIZE(names); i++) {
		if (strcmp(names[i].ours, name) == 0) {
			free(plain);
			plain = strdup(names[i].theirs);
		}
	}
	event = find(folder, unit, plain);
	if (!event)
		return false;
	*config = config_of(event);
	if (comma && strcmp(comma, ",cmask=1") == 0)
		*config |= 1 << 24;
	return true;
}

static void test_row(const char *root, size_t r)
{
	const struct td_metric_set *set = NULL;
	const struct td_pmu *pmu = NULL;
	struct folder folder = { 0 };
	struct td_machine machine;
	char path[PATH_MAX];
	int nr = 0;

	snprintf(path, sizeof(path), "%s/%s", root, rows[r].dir);
	load(&folder, path);
	test_machine(&machine, rows[r].model);
	for (size_t i = 0; i < machine.nr_pmus; i++) {
		if (strcmp(machine.pmus[i].name, rows[r].pmu) == 0)
			pmu = &machine.pmus[i];
	}
	set = pmu ? td_builtin_find(&machine, pmu) : NULL;
	for (size_t i = 0; set && i < set->nr_events; i++) {
		const struct td_event_def *def = &set->events[i];
		struct td_err err = { 0 };
		struct td_event event;
		uint64_t want;

		if (!def->terms || !find_config(&folder, rows[r].unit, def->name, &want))
			continue;
		nr++;
		ok(td_event_init(&event, pmu, 0, def->name, def->terms, &err) == 0 &&
			   event.config[0] == want && !event.config[1],
		   "%s: %s is %#llx", rows[r].dir, event.name, (unsigned long long)want);
		td_event_free(&event);
	}
	ok(nr == rows[r].nr, "%s %s: %d events", rows[r].dir, rows[r].pmu, nr);
	td_machine_free(&machine);
	unload(&folder);
}

int main(void)
{
	const char *root = getenv("TD_PMU_EVENTS");
	DIR *dir = root ? opendir(root) : NULL;

	if (!dir) {
		ok(true, "the kernel's event files # SKIP no TD_PMU_EVENTS");
		return done_testing();
	}
	closedir(dir);
	for (size_t i = 0; i < TD_ARRAY_SIZE(rows); i++)
		test_row(root, i);
	return done_testing();
}
