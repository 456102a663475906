// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/plan/catalog.h"

#include <strings.h>
#include <unistd.h>

#include "cmd/rights.h"
#include "lib/base/suggest.h"
#include "metrics/verdict/verdict.h"

/*
 * Find the directory of metric files: next to the program, where the build puts it, or else
 * where it is installed.
 */
static void find_root(char root[PATH_MAX])
{
	ssize_t len = readlink("/proc/self/exe", root, PATH_MAX - 32);
	char *slash;

	if (len > 0) {
		root[len] = '\0';
		slash = strrchr(root, '/');
		strcpy(slash ? slash : root, "/pmu-events");
		if (access(root, F_OK) == 0)
			return;
	}
	strcpy(root, TDSTAT_DATADIR "/pmu-events");
}

int td_catalog_read(struct td_catalog *catalog, struct td_err *err)
{
	char root[PATH_MAX];
	int rc;

	if (catalog->read)
		return 0;
	catalog->read = true;
	/* without the processor's identity, no model matches */
	if (catalog->machine->no_identity.code) {
		catalog->missing = catalog->machine->no_identity;
		return 0;
	}
	if (!catalog->dir)
		find_root(root);
	rc = td_pmu_events_read(&catalog->events, catalog->dir ? catalog->dir : root,
				&catalog->machine->cpuid, &catalog->missing);
	/* only a directory that the user named must exist */
	if (rc == -ENOENT && !catalog->dir)
		return 0;
	if (rc)
		*err = catalog->missing;
	return rc;
}

static int model_event(void *ctx, const struct td_pmu *pmu, const char *name, const char **terms,
		       struct td_err *err)
{
	struct td_catalog *catalog = ctx;
	const struct td_model_event *event;
	int rc = 0;

	*terms = NULL;
	if (pmu->kind == TD_PMU_CORE || pmu->kind == TD_PMU_OTHER)
		rc = td_catalog_read(catalog, err);
	if (rc)
		return rc;
	if (pmu->kind == TD_PMU_OTHER && catalog->events.dir)
		rc = td_pmu_events_read_uncore(&catalog->events, err);
	if (rc)
		return rc;
	rc = td_pmu_events_find(&catalog->events, pmu->name, name, &event, err);
	if (!rc && event)
		*terms = event->terms;
	return rc;
}

/* Offer the name of an uncore event, if it is the wanted one. */
static void offer_units(struct td_catalog *catalog, struct td_closest *closest)
{
	struct td_pmu_events *events = &catalog->events;
	struct td_err unused = { 0 };

	if (!events->dir || td_pmu_events_read_uncore(events, &unused) ||
	    td_pmu_events_parse_with(events, closest->wanted, &unused))
		return;
	for (size_t i = 0; i < events->nr_events; i++) {
		if (strcasecmp(events->events[i].name, closest->wanted) == 0)
			td_closest_offer(closest, events->events[i].name);
	}
}

static const char *offer_names(void *ctx, struct td_closest *closest)
{
	struct td_catalog *catalog = ctx;

	for (size_t i = 0; i < catalog->events.nr_events; i++)
		td_closest_offer(closest, catalog->events.events[i].name);
	offer_units(catalog, closest);
	return catalog->missing.code ? catalog->missing.msg : NULL;
}

static int find_tracepoints(void *ctx, const char *system, const char *name,
			    struct td_tracepoints *out, struct td_err *err)
{
	(void)ctx;
	return td_tracepoints_find(out, system, name, err);
}

static int read_pmus(void *ctx, const char *name, struct td_err *err)
{
	struct td_catalog *catalog = ctx;
	int rc;

	td_machine_add_builtin(catalog->machine);
	rc = td_machine_read_others(catalog->fs, name, catalog->machine, err);
	if (rc)
		catalog->unreadable = *err;
	return rc;
}

/* Return the directory of --metrics-dir, else of TDSTAT_METRICS, else NULL: the installed one. */
static const char *find_dir(const char *option)
{
	const char *variable = td_rights_getenv("TDSTAT_METRICS");

	if (option)
		return option;
	return variable && *variable ? variable : NULL;
}

void td_catalog_init(struct td_catalog *catalog, const struct td_sysfs *fs,
		     struct td_machine *machine, const char *metrics_dir)
{
	*catalog = (struct td_catalog){
		.fs = fs,
		.machine = machine,
		.dir = find_dir(metrics_dir),
		.source = { catalog, model_event, offer_names, find_tracepoints,
			    fs ? read_pmus : NULL },
	};
}

void td_catalog_free(struct td_catalog *catalog)
{
	td_pmu_events_free(&catalog->events);
}

/* --- the model of --model ------------------------------------------------- */

/* Parse an identity in perf's format; the stepping may be left out and is then 0. */
static bool parse_identity(const char *name, struct td_cpuid *out)
{
	struct td_err unused = { 0 };
	char whole[64];

	if (td_cpuid_parse(name, out, &unused) == 0)
		return true;
	unused = (struct td_err){ 0 };
	return snprintf(whole, sizeof(whole), "%s-0", name) < (int)sizeof(whole) &&
	       td_cpuid_parse(whole, out, &unused) == 0;
}

static bool find_in_table(const char *name, struct td_suggest *near, struct td_cpuid *out)
{
	const struct td_model *model;
	struct td_cpuid cpuid;

	for (size_t i = 0; (model = td_model_at(i, &cpuid)); i++) {
		td_suggest_offer(near, model->name, NULL);
		if (strcasecmp(model->name, name) != 0)
			continue;
		*out = cpuid;
		return true;
	}
	return false;
}

static int unknown(const char *name, const struct td_suggest *near, struct td_err *err)
{
	char names[sizeof(err->hint) / 2];

	td_err_usage(err, "--model %s: no such processor", name);
	td_suggest_format(near, names, sizeof(names));
	if (names[0])
		return td_err_hint(err, "did you mean %s?", names);
	return td_err_hint(err, "names are such as alderlake, 'Alder Lake' and GenuineIntel-6-97");
}

static int find_model(const struct td_request *request, struct td_cpuid *out, struct td_err *err)
{
	struct td_suggest near = { .wanted = request->model };
	const char *dir = find_dir(request->metrics_dir);
	char root[PATH_MAX];
	int rc;

	if (parse_identity(request->model, out) || find_in_table(request->model, &near, out))
		return 0;
	if (!dir)
		find_root(root);
	rc = td_pmu_events_find_model(dir ? dir : root, request->model, &near, out, err);
	/* a directory without a map contains no names of models */
	if (rc > 0 || rc == -ENOENT)
		return unknown(request->model, &near, err);
	return rc;
}

int td_select_model(struct td_sysfs *fs, struct td_machine *machine,
		    const struct td_request *request, struct td_err *err)
{
	struct td_cpuid cpuid;
	int rc = find_model(request, &cpuid, err);

	*fs = (struct td_sysfs){ -1, -1, "/sys", "/proc" };
	if (!rc)
		td_machine_make_up(&cpuid, machine);
	return rc;
}

/* --- facts of metrics ----------------------------------------------------- */

static bool is_in_group(const struct td_model_metric *metric, const char *group)
{
	const char *list = metric->groups ? metric->groups : "";
	char name[TD_GROUP_NAME];

	while (td_next_group(&list, name)) {
		if (strcmp(name, group) == 0)
			return true;
	}
	return false;
}

/*
 * Does the PMU have the event?  "ibs_op/cnt_ctl=1/" needs that PMU, which the machine of a
 * recording does not have.
 */
static bool has_event(struct td_catalog *catalog, const char *pmu, const char *name)
{
	const struct td_model_event *event;
	struct td_err unused;

	if (strchr(name, '/'))
		return td_pmu_exists(catalog->fs, name);
	return !td_pmu_events_find(&catalog->events, pmu, name, &event, &unused) && event;
}

/* Find the first event of "A.B|A.C" that the PMU has.  Returns false if there is none. */
static bool choose_event(struct td_catalog *catalog, const char *pmu, const char *names, size_t len,
			 char name[TD_SAMPLED_SIZE])
{
	const char *end = names + len;

	for (; names < end; names += len + 1) {
		len = strcspn(names, "|;");
		if (len >= TD_SAMPLED_SIZE)
			continue;
		snprintf(name, TD_SAMPLED_SIZE, "%.*s", (int)len, names);
		if (has_event(catalog, pmu, name))
			return true;
	}
	return false;
}

/* Add the events of "A.B;C.D" that the PMU has. */
static void add_events(struct td_catalog *catalog, const char *pmu, const char *names,
		       struct td_metric_facts *facts)
{
	while (facts->nr_events < TD_MAX_SAMPLED && *names) {
		size_t len = strcspn(names, ";");

		facts->nr_events +=
			choose_event(catalog, pmu, names, len, facts->events[facts->nr_events]);
		names += len + (names[len] == ';');
	}
}

void td_facts_find(void *ctx, const char *pmu, const char *metric, struct td_metric_facts *facts)
{
	struct td_catalog *catalog = ctx;
	struct td_pmu_events *files = &catalog->events;
	const char *sample = NULL;
	char group[TD_GROUP_NAME];
	struct td_err unused;

	*facts = (struct td_metric_facts){ 0 };
	if (td_catalog_read(catalog, &unused))
		return;
	snprintf(group, sizeof(group), "%s_group", metric);
	td_for_each(const struct td_model_metric, m, files->metrics, files->nr_metrics) {
		if (strcmp(pmu, m->pmu) != 0)
			continue;
		if (m->level > facts->levels)
			facts->levels = m->level;
		facts->has_group |= is_in_group(m, group);
		if (strcasecmp(m->name, metric) == 0 && m->sample)
			sample = m->sample;
	}
	if (!sample)
		sample = td_node_events_find(metric);
	if (sample)
		add_events(catalog, pmu, sample, facts);
}
