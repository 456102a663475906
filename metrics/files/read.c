// SPDX-License-Identifier: GPL-2.0-only
/* Reads a model's files, in the kernel tree's form or intel/perfmon's. */
#include "metrics/files/pmu_events.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/base/util.h"
#include "lib/event/symbols.h"
#include "lib/machine/sysfs.h"
#include "metrics/files/parts.h"
#include "metrics/files/text.h"
#include "metrics/formula/expr.h"

/* --- reads the metrics that all models have in common --------------------- */

/* Where the folder is, seen from the root; the first one is taken. */
static const char *const folders[] = { "common", "../common/common" };

static bool is_metrics_file(const char *name)
{
	return strncmp(name, "metrics", strlen("metrics")) == 0 &&
	       td_ends_with(name, ".json");
}

/* Adds the metrics of a file, but not its events. */
static int read_file(struct td_pmu_events *out, const char *dir,
		     const char *name, struct td_err *err)
{
	td_autofree char *path = td_aprintf("%s/%s", dir, name);
	td_autofree char *text = NULL;
	size_t nr_events = out->nr_events;
	int rc;

	if (!path)
		return td_err_nomem(err);
	rc = td_pmu_events_text(path, &text, err);
	if (!rc)
		rc = td_pmu_events_parse(out, path, text, err);
	td_pmu_events_keep(out, nr_events, out->nr_metrics, out->nr_unread);
	return rc;
}

static int read_common_folder(struct td_pmu_events *out, const char *dir,
			      struct td_err *err)
{
	struct td_names names;
	int rc = td_sysfs_list(AT_FDCWD, dir, &names);

	if (rc)
		return rc == -ENOENT ? rc
				     : td_err_set(err, rc, "%s: %s", dir,
						  strerror(-rc));
	for (size_t i = 0; !rc && i < names.nr; i++) {
		if (is_metrics_file(names.v[i]))
			rc = read_file(out, dir, names.v[i], err);
	}
	td_names_free(&names);
	return rc;
}

static int read_folders(struct td_pmu_events *out, const char *root,
			struct td_err *err)
{
	int rc = -ENOENT;

	for (size_t i = 0; rc == -ENOENT && i < TD_ARRAY_SIZE(folders); i++) {
		td_autofree char *dir = td_aprintf("%s/%s", root, folders[i]);

		rc = dir ? read_common_folder(out, dir, err)
			 : td_err_nomem(err);
	}
	return rc == -ENOENT ? 0 : rc;
}

bool td_is_core_event(const char *name)
{
	const struct td_symbol *symbol = td_symbol_find(name);
	char pmu[64];

	if (*name == '#' || strchr(name, '('))
		return false;
	if (symbol)
		return !symbol->tool && symbol->type == PERF_TYPE_HARDWARE;
	if (!strchr(name, '/'))
		return strcasecmp(name, "tsc") != 0 &&
		       strncasecmp(name, "UNC_", strlen("UNC_")) != 0;
	snprintf(pmu, sizeof(pmu), "%.*s", (int)strcspn(name, "/"), name);
	return td_pmu_kind(pmu) == TD_PMU_CORE;
}

/* Sets *ctx if the name in the formula is a count of the cores'. */
static int look_at_name(void *ctx, const char *name)
{
	bool *counts_cores = ctx;

	*counts_cores |= td_is_core_event(name);
	return 0;
}

static int no_pmu(struct td_model_metric *metric, struct td_err *err)
{
	metric->pmu = NULL;
	return td_err_nomem(err);
}

/*
 * What counts an event of the cores is a metric of each kind of core, and
 * everything else is one of the machine.  A formula that cannot be parsed is
 * reported when the metric is asked for.
 */
static int find_pmu(struct td_model_metric *metric, struct td_err *err)
{
	struct td_expr *formula = NULL;
	struct td_err unused = { 0 };
	bool counts_cores = false;
	const char *pmu;
	int rc = td_expr_parse(&formula, metric->formula, look_at_name,
			       &counts_cores, &unused);

	td_expr_free(formula);
	if (rc == -ENOMEM)
		return td_err_nomem(err);
	pmu = rc || counts_cores ? TD_EACH_CORE : TD_NO_CORE;
	free(metric->pmu);
	return asprintf(&metric->pmu, "%s", pmu) < 0 ? no_pmu(metric, err) : 0;
}

static bool is_defined(const struct td_pmu_events *events, size_t nr,
		       const char *name)
{
	for (size_t i = 0; i < nr; i++) {
		if (strcasecmp(events->metrics[i].name, name) == 0)
			return true;
	}
	return false;
}

/* Of the metrics from first on, removes those that were there before. */
static void remove_defined(struct td_pmu_events *out, size_t first)
{
	size_t kept = first;

	for (size_t i = first; i < out->nr_metrics; i++) {
		struct td_model_metric *metric = &out->metrics[i];

		if (is_defined(out, first, metric->name)) {
			td_model_metric_clear(metric);
			continue;
		}
		if (kept != i) {
			out->metrics[kept] = *metric;
			*metric = (struct td_model_metric){ 0 };
		}
		kept++;
	}
	td_pmu_events_keep(out, out->nr_events, kept, out->nr_unread);
}

/*
 * Adds the metrics that all models have in common, which are in
 * <root>/common/metrics*.json, or where the kernel's tree has them, in
 * <root>/../common/common.  A metric whose name the model's own files define is
 * left out.  Without such a folder nothing is added.
 */
static int common_read(struct td_pmu_events *out, const char *root,
		       struct td_err *err)
{
	size_t first = out->nr_metrics;
	int rc = read_folders(out, root, err);

	for (size_t i = first; !rc && i < out->nr_metrics; i++)
		rc = find_pmu(&out->metrics[i], err);
	if (!rc)
		remove_defined(out, first);
	return rc;
}

/* --- the files of a model ------------------------------------------------- */

static int add_file(struct td_pmu_events *out, const char *name,
		    struct td_err *err)
{
	struct td_events_file *file =
		td_array_add(&out->unread, out->nr_unread, sizeof(*file));

	if (!file)
		return td_err_nomem(err);
	out->nr_unread++;
	file->path = td_aprintf("%s/%s", out->dir, name);
	if (!file->path)
		return td_err_nomem(err);
	return td_pmu_events_text(file->path, &file->text, err);
}

/* Does the text end as it began?  If not, the file was cut off. */
static bool is_whole(const char *text)
{
	size_t len = strlen(text);

	while (len && isspace((unsigned char)text[len - 1]))
		len--;
	return len && text[len - 1] == (td_is_packed(text) ? '}' : ']');
}

/*
 * Can the file wait, as it defines no metric?  An escape (\u) could hide a key.
 */
static bool has_only_events(const char *text)
{
	if (td_is_packed(text))
		return is_whole(text) && td_packed_has_only_events(text);
	return is_whole(text) && strstr(text, "\"EventName\"") &&
	       !strstr(text, "\"MetricName\"") && !strstr(text, "\\u");
}

/* Parses the unread files from first on, except those with only events. */
static int parse_metrics(struct td_pmu_events *out, size_t first,
			 struct td_err *err)
{
	size_t i = first;
	int rc = 0;

	while (!rc && i < out->nr_unread) {
		if (has_only_events(out->unread[i].text))
			i++;
		else
			rc = td_pmu_events_parse_file(out, i, err);
	}
	return rc;
}

/* metricgroups.json only describes groups. */
static bool is_events_file(const char *name)
{
	return td_ends_with(name, ".json") &&
	       strcmp(name, "metricgroups.json") != 0;
}

/* Uncore units, and the metrics that perf's build makes: metrics/files/fetch. */
static bool is_on_request(const char *name)
{
	return strncmp(name, "uncore", strlen("uncore")) == 0 ||
	       strcmp(name, "extra-metrics.json") == 0;
}

/*
 * Reads the files of the cores, or those of the uncore units; *nr: how many
 * files the folder has.
 */
static int read_folder(struct td_pmu_events *out, bool uncore, size_t *nr,
		       struct td_err *err)
{
	size_t first = out->nr_unread;
	struct td_names names;
	int rc = td_sysfs_list(AT_FDCWD, out->dir, &names);

	*nr = 0;
	if (rc)
		return td_err_set(err, rc, "%s: %s", out->dir, strerror(-rc));
	for (size_t i = 0; !rc && i < names.nr; i++) {
		if (!is_events_file(names.v[i]))
			continue;
		++*nr;
		if (is_on_request(names.v[i]))
			out->has_uncore = true;
		if (is_on_request(names.v[i]) == uncore)
			rc = add_file(out, names.v[i], err);
	}
	td_names_free(&names);
	return rc ? rc : parse_metrics(out, first, err);
}

/*
 * Reads a folder without map, which is one model's folder if it has such files.
 */
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

/* With the kernel's, which the folder that comes with tdstat has in a file. */
static char *version_of(const char *root, const char *of_model)
{
	td_autofree char *path = td_aprintf("%s/version", root);
	char *text = NULL, *version;
	struct td_err unused;
	int rc;

	if (!path)
		return NULL;
	rc = td_pmu_events_text(path, &text, &unused);
	if (rc == -ENOMEM)
		return NULL;
	if (rc) {
		version = strdup(of_model);
	} else {
		text[strcspn(text, "\r\n")] = '\0';
		version = td_aprintf("%s of %s", of_model, text);
	}
	free(text);
	return version;
}

/*
 * The kernel's files do not tell the version of TMA.  Names do: a release of
 * TMA_Metrics-full.csv (intel/perfmon) calls these as none before it does, and the
 * kernel's metrics of all models are made from one release.
 */
static const struct {
	const char *metric, *tma;
} brought[] = {
	{ "tma_l3_miss_bound", "5.2" }, /* before: tma_dram_bound */
	/* before: tma_bottleneck_cache_memory_bandwidth */
	{ "tma_bottleneck_data_cache_memory_bandwidth", "5.1" },
};

static bool has_metric(const struct td_pmu_events *events, const char *name)
{
	for (size_t i = 0; i < events->nr_metrics; i++) {
		if (strcmp(events->metrics[i].name, name) == 0)
			return true;
	}
	return false;
}

static int add_tma(struct td_pmu_events *out)
{
	char *version;
	size_t i = 0;

	while (i < TD_ARRAY_SIZE(brought) &&
	       !has_metric(out, brought[i].metric))
		i++;
	if (i == TD_ARRAY_SIZE(brought))
		return 0;
	version = td_aprintf("%s, TMA %s", out->version, brought[i].tma);
	if (!version)
		return -ENOMEM;
	free(out->version);
	out->version = version;
	return 0;
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
	out->version = version_of(root, row.version);
	if (!out->dir || !out->version)
		return td_err_nomem(err);
	rc = read_folder(out, false, &nr, err);
	return rc || !add_tma(out) ? rc : td_err_nomem(err);
}

/*
 * Opens root's map; -ENOENT if there is none.  Call close_map() even after an
 * error.
 */
static int open_map(struct td_map *map, const char *root,
		    const struct td_cpuid *cpuid, struct td_err *err)
{
	int rc;

	*map = (struct td_map){ 0 };
	map->path = td_aprintf("%s/mapfile.csv", root);
	if (!map->path)
		return td_err_nomem(err);
	rc = td_pmu_events_text(map->path, &map->text, err);
	if (!rc)
		td_map_begin(map, cpuid);
	return rc;
}

static void close_map(struct td_map *map)
{
	free(map->path);
	free(map->text);
}

static int read_root(struct td_pmu_events *out, const char *root,
		     const struct td_cpuid *cpuid, struct td_err *err)
{
	struct td_map map;
	int rc = open_map(&map, root, cpuid, err);

	if (!rc && map.perfmon) {
		rc = td_perfmon_read(out, root, &map, err);
	} else if (!rc) {
		rc = read_mapped(out, root, &map, err);
	} else if (rc == -ENOENT) {
		*err = (struct td_err){ 0 };
		rc = read_model(out, root, err);
	}
	close_map(&map);
	return rc;
}

/*
 * Reads uncore files of intel/perfmon; events->dir is a folder of its checkout.
 */
static int read_perfmon_uncore(struct td_pmu_events *events,
			       const struct td_cpuid *cpuid, struct td_err *err)
{
	td_autofree char *root = strdup(events->dir);
	struct td_map map;
	int rc;

	if (!root)
		return td_err_nomem(err);
	*strrchr(root, '/') = '\0';
	rc = open_map(&map, root, cpuid, err);
	if (!rc)
		rc = td_perfmon_read_uncore(events, root, &map, err);
	close_map(&map);
	return rc;
}

int td_pmu_events_read_uncore(struct td_pmu_events *events,
			      const struct td_cpuid *cpuid, struct td_err *err)
{
	size_t nr_events = events->nr_events, nr_metrics = events->nr_metrics;
	size_t nr_unread = events->nr_unread, nr;
	int rc;

	if (!events->has_uncore || events->uncore_read)
		return 0;
	rc = events->perfmon ? read_perfmon_uncore(events, cpuid, err)
			     : read_folder(events, true, &nr, err);
	if (rc) {
		td_pmu_events_keep(events, nr_events, nr_metrics, nr_unread);
		return rc;
	}
	events->uncore_read = true;
	rc = td_errata_find(events, nr_metrics, err);
	if (!rc && (td_pmu_events_correct(events, nr_metrics) ||
		    td_pmu_events_find_parents(events, nr_metrics)))
		rc = td_err_nomem(err);
	td_pmu_events_sort(events);
	return rc;
}

/* Reads what models have in common; returns rc, what reading the model's gave. */
static int read_common(struct td_pmu_events *out, const char *root, int rc,
		       struct td_err *err)
{
	struct td_err why = { 0 };
	int failed = common_read(out, root, &why);

	if (failed)
		*err = why;
	return failed ? failed : rc;
}

int td_pmu_events_read(struct td_pmu_events *out, const char *root,
		       const struct td_cpuid *cpuid, struct td_err *err)
{
	int rc;

	*out = (struct td_pmu_events){ 0 };
	rc = read_root(out, root, cpuid, err);
	if (rc == -ENOENT)
		td_pmu_events_free(out); /* the name of an empty folder */
	if (!rc || rc == -ENOENT)
		rc = read_common(out, root, rc, err);
	if (!rc)
		rc = td_errata_find(out, 0, err);
	if (!rc && (td_pmu_events_correct(out, 0) ||
		    td_pmu_events_find_parents(out, 0)))
		rc = td_err_nomem(err);
	if (rc && rc != -ENOENT)
		td_pmu_events_free(out);
	else
		td_pmu_events_sort(out);
	return rc;
}
