// SPDX-License-Identifier: GPL-2.0-only
/* Reads the metrics that all models have in common. */
#include "metrics/files/common.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/base/util.h"
#include "lib/machine/sysfs.h"
#include "metrics/files/parts.h"
#include "metrics/files/text.h"
#include "metrics/formula/expr.h"

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

static int read_folder(struct td_pmu_events *out, const char *dir,
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

		rc = dir ? read_folder(out, dir, err) : td_err_nomem(err);
	}
	return rc == -ENOENT ? 0 : rc;
}

/* Is the name in the formula a count of the cores'?  Sets *ctx if it is. */
static int look_at_name(void *ctx, const char *name)
{
	static const char *const others[] = { "#", "software/", "duration_time",
					      "user_time", "system_time" };
	bool *counts_cores = ctx;

	for (size_t i = 0; i < TD_ARRAY_SIZE(others); i++) {
		if (strncmp(name, others[i], strlen(others[i])) == 0)
			return 0;
	}
	*counts_cores = true;
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

int td_common_read(struct td_pmu_events *out, const char *root,
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
