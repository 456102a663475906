// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads a checkout of intel/perfmon (TD_PERFMON): each model's files must be
 * valid, and name events that exist, and the formulas of levels 1 and 2 must
 * have the values of those of the kernel tree (TD_PMU_EVENTS).
 */
#include <errno.h>
#include <limits.h>
#include <strings.h>

#include "lib/base/util.h"
#include "metrics/files/pmu_events.h"
#include "metrics/formula/expr.h"
#include "tests/unit/test.h"

/* clang-format off */
/* A processor of each model; metrics: its files have some. */
static const struct {
	const char *dir, *cpuid;
	bool metrics;
} models[] = {
	{ "ADL", "GenuineIntel-6-97-2", true }, { "ADL", "GenuineIntel-6-BE-0", false },
	{ "ARL", "GenuineIntel-6-C5-2", true }, { "ARL", "GenuineIntel-6-C6-2", true },
	{ "BDW", "GenuineIntel-6-3D-4", true }, { "BDW-DE", "GenuineIntel-6-56-2", false },
	{ "BDX", "GenuineIntel-6-4F-1", true }, { "BNL", "GenuineIntel-6-1C-A", false },
	{ "CLX", "GenuineIntel-6-55-7", true }, { "CWF", "GenuineIntel-6-DD-0", true },
	{ "EHL", "GenuineIntel-6-96-1", false }, { "EMR", "GenuineIntel-6-CF-2", true },
	{ "GLM", "GenuineIntel-6-5C-9", false }, { "GLP", "GenuineIntel-6-7A-1", false },
	{ "GNR", "GenuineIntel-6-AD-1", true }, { "GRR", "GenuineIntel-6-B6-0", true },
	{ "HSW", "GenuineIntel-6-3C-3", true }, { "HSX", "GenuineIntel-6-3F-2", true },
	{ "ICL", "GenuineIntel-6-7E-5", true }, { "ICX", "GenuineIntel-6-6A-6", true },
	{ "IVB", "GenuineIntel-6-3A-9", false }, { "IVT", "GenuineIntel-6-3E-4", false },
	{ "JKT", "GenuineIntel-6-2D-7", false }, { "KNL", "GenuineIntel-6-57-1", false },
	{ "LNL", "GenuineIntel-6-BD-1", true }, { "MTL", "GenuineIntel-6-AA-4", true },
	{ "NHM-EP", "GenuineIntel-6-1A-5", false }, { "NHM-EX", "GenuineIntel-6-2E-6", false },
	{ "NVL", "GenuineIntel-18-1-0", false }, { "PTL", "GenuineIntel-6-CC-1", false },
	{ "RKL", "GenuineIntel-6-A7-1", true }, { "SKL", "GenuineIntel-6-9E-A", true },
	{ "SKX", "GenuineIntel-6-55-4", true }, { "SLM", "GenuineIntel-6-37-8", false },
	{ "SNB", "GenuineIntel-6-2A-7", false }, { "SNR", "GenuineIntel-6-86-4", false },
	{ "SPR", "GenuineIntel-6-8F-8", true }, { "SRF", "GenuineIntel-6-AF-3", true },
	{ "TGL", "GenuineIntel-6-8C-1", true }, { "WSM-EP-DP", "GenuineIntel-6-2C-2", false },
	{ "WSM-EP-SP", "GenuineIntel-6-25-5", false }, { "WSM-EX", "GenuineIntel-6-2F-2", false },
};

/* Events of the kernel and perf that no file has. */
static const char *const known[] = {
	"TSC", "duration_time", "slots", "topdown-retiring", "topdown-bad-spec",
	"topdown-fe-bound", "topdown-be-bound", "topdown-heavy-ops",
	"topdown-br-mispredict", "topdown-fetch-lat", "topdown-mem-bound",
	"power/energy-pkg/", "power/energy-ram/",
};
/* clang-format on */

static bool read_model(struct td_pmu_events *out, const char *root,
		       const char *cpuid)
{
	struct td_cpuid id;
	struct td_err err = { 0 };
	int rc = td_cpuid_parse(cpuid, &id, &err);

	*out = (struct td_pmu_events){ 0 };
	if (!rc)
		rc = td_pmu_events_read(out, root, &id, &err);
	if (!rc)
		rc = td_pmu_events_read_uncore(out, &id, &err);
	ok(rc == 0, "%s: read %s", cpuid, err.msg);
	return rc == 0;
}

/* Finds an event of the PMU, or else of an uncore unit. */
static const struct td_model_event *
find_event(struct td_pmu_events *events, const char *pmu, const char *name)
{
	const struct td_model_event *event;
	struct td_err err = { 0 };

	if (td_pmu_events_find(events, pmu, name, &event, &err))
		ok(false, "find %s/%s %s", pmu, name, err.msg);
	for (size_t i = 0; !event && i < events->nr_events; i++) {
		if (strncmp(events->events[i].pmu, "cpu", 3) != 0 &&
		    strcasecmp(events->events[i].name, name) == 0)
			event = &events->events[i];
	}
	return event;
}

static const struct td_model_metric *
find_metric(const struct td_pmu_events *events, const char *pmu,
	    const char *name)
{
	for (size_t i = 0; i < events->nr_metrics; i++) {
		const struct td_model_metric *metric = &events->metrics[i];

		if (strcmp(metric->name, name) == 0 &&
		    strcmp(metric->pmu, pmu) == 0)
			return metric;
	}
	return NULL;
}

/*
 * The name in "pmu/NAME,term=1/u" or "NAME:R"; *terms are the other terms.
 * "uncore_cha_0/event=0x1/" has terms only, and no name.
 */
static void split_name(char *text, const char **name, const char **terms)
{
	char *slash = strchr(text, '/'), *comma;

	text = slash ? slash + 1 : text;
	text[strcspn(text, "/:")] = '\0';
	comma = strchr(text, ',');
	*name = text;
	*terms = comma ? comma + 1 : "";
	if (strcspn(text, "=") < strcspn(text, ",")) {
		*name = NULL;
		*terms = text;
	} else if (comma) {
		*comma = '\0';
	}
}

/* --- that all names are known --------------------------------------------- */

struct names {
	struct td_pmu_events *events;
	const char *pmu;
	size_t nr, unknown;
};

static bool is_known(const struct names *names, const char *text)
{
	td_autofree char *copy = strdup(text);
	const char *name, *terms;

	for (size_t i = 0; i < TD_ARRAY_SIZE(known); i++) {
		if (strcmp(known[i], text) == 0)
			return true;
	}
	if (text[0] == '#' || strchr(text, '(') ||
	    find_metric(names->events, names->pmu, text))
		return true;
	if (!copy)
		return false;
	split_name(copy, &name, &terms);
	return !name || find_event(names->events, names->pmu, name);
}

static int see_name(void *ctx, const char *text)
{
	struct names *names = ctx;

	names->nr++;
	if (!is_known(names, text)) {
		printf("# unknown: %s\n", text);
		names->unknown++;
	}
	return 0;
}

static bool parses(struct names *names, const char *formula)
{
	struct td_expr *expr = NULL;
	struct td_err err = { 0 };
	int rc = td_expr_parse(&expr, formula, see_name, names, &err);

	td_expr_free(expr);
	if (rc)
		printf("# %s\n", err.msg);
	return rc == 0;
}

static void check_formulas(const char *dir, struct td_pmu_events *events)
{
	struct names names = { .events = events };
	size_t good = 0;

	for (size_t i = 0; i < events->nr_metrics; i++) {
		const struct td_model_metric *metric = &events->metrics[i];

		names.pmu = metric->pmu;
		if (parses(&names, metric->formula) &&
		    (!metric->threshold || parses(&names, metric->threshold)))
			good++;
	}
	ok(good == events->nr_metrics, "%s: %zu formulas make sense", dir,
	   good);
	ok(names.unknown == 0, "%s: %zu names, %zu not known", dir, names.nr,
	   names.unknown);
	ok(events->nr_skipped == 0, "%s: %zu left out %s", dir,
	   events->nr_skipped, events->skipped ? events->skipped : "");
}

/* Below level 1, the parent must be among the groups, and must exist. */
static bool has_parent(const struct td_pmu_events *events,
		       const struct td_model_metric *metric)
{
	const char *groups = metric->groups ? metric->groups : "";

	if (metric->level < 2)
		return true;
	for (size_t i = 0; i < events->nr_metrics; i++) {
		char group[256];

		snprintf(group, sizeof(group), ";%s_group;",
			 events->metrics[i].name);
		group[strlen(group) - 1] = '\0';
		if (strstr(groups, group) &&
		    strcmp(events->metrics[i].pmu, metric->pmu) == 0)
			return true;
	}
	printf("# no parent: %s %s\n", metric->name, groups);
	return false;
}

static void check_tree(const char *dir, const struct td_pmu_events *events)
{
	size_t nr = 0, lost = 0;

	for (size_t i = 0; i < events->nr_metrics; i++) {
		const struct td_model_metric *metric = &events->metrics[i];

		nr += metric->level == 1;
		lost += has_parent(events, metric) ? 0 : 1;
	}
	ok(nr == 4 || nr == 0, "%s: %zu metrics at level 1", dir, nr);
	ok(lost == 0, "%s: parents are there", dir);
}

static void test_model(const char *root, size_t i)
{
	struct td_pmu_events events;
	char dir[PATH_MAX];

	snprintf(dir, sizeof(dir), "%s/%s", root, models[i].dir);
	if (read_model(&events, root, models[i].cpuid)) {
		is_str(events.dir, dir, "%s", models[i].cpuid);
		ok(events.perfmon && events.nr_events > 80 &&
			   (events.nr_metrics > 0) == models[i].metrics,
		   "%s: %zu events, %zu metrics", models[i].dir,
		   events.nr_events, events.nr_metrics);
		check_formulas(models[i].dir, &events);
		check_tree(models[i].dir, &events);
	}
	td_pmu_events_free(&events);
}

/* --- that values are the kernel tree's ------------------------------------ */

#define MAX_VALUES 4096

struct evaluation {
	struct td_pmu_events *events;
	const char *pmu;
	uint64_t seed;
	double values[MAX_VALUES];
	int nr, depth;
};

/* splitmix64's finalizer */
static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

static uint64_t hash(const char *text, size_t len)
{
	uint64_t x = 1;

	for (size_t i = 0; i < len; i++)
		x = mix(x + (unsigned char)text[i]);
	return x;
}

/* The value of the last "key=number"; a key without number is 1. */
static bool is_overridden(const char *rest, const char *key, size_t len)
{
	for (; rest && *rest; rest = strchr(rest, ',')) {
		rest += *rest == ',';
		if (strncmp(rest, key, len) == 0 && strchr("=,", rest[len]))
			return true;
	}
	return false;
}

/* A key that is the same for each name and spelling of an event. */
static uint64_t hash_terms(const char *terms)
{
	uint64_t sum = 0;

	while (*terms) {
		size_t len = strcspn(terms, ","), key = strcspn(terms, "=,");
		uint64_t value = 1;

		if (terms[key] == '=')
			value = strtoull(terms + key + 1, NULL, 0);
		if (value && !is_overridden(terms + len, terms, key))
			sum += mix(hash(terms, key) ^ mix(value));
		terms += len + (terms[len] == ',');
	}
	return sum;
}

/*
 * Shares of the slots for the fields, in the order of their umasks from 0x80
 * on.
 */
static const struct {
	const char *name;
	double share;
} fields[] = {
	{ "topdown-retiring", 0.31 },  { "topdown-bad-spec", 0.12 },
	{ "topdown-fe-bound", 0.22 },  { "topdown-be-bound", 0.35 },
	{ "topdown-heavy-ops", 0.05 }, { "topdown-br-mispredict", 0.09 },
	{ "topdown-fetch-lat", 0.14 }, { "topdown-mem-bound", 0.23 },
};

#define SLOTS 6e9

/* Up to a sixth of the cycles, a plausible count of most events. */
static double count_of(const struct evaluation *e, const char *terms)
{
	if (hash_terms(terms) == hash_terms("event=0x0,umask=0x4"))
		return SLOTS;
	if (hash_terms(terms) == hash_terms("event=0x3c"))
		return SLOTS / 5;
	return (double)(mix(hash_terms(terms) + e->seed) % 200000000);
}

static double event_value(const struct evaluation *e, const char *text)
{
	td_autofree char *copy = strdup(text), *all = NULL;
	const struct td_model_event *event;
	const char *name, *terms;

	if (!copy)
		return (double)NAN;
	split_name(copy, &name, &terms);
	if (strcasecmp(name ? name : "", "slots") == 0)
		return SLOTS;
	for (size_t i = 0; name && i < TD_ARRAY_SIZE(fields); i++) {
		if (strcmp(fields[i].name, name) == 0)
			return fields[i].share * SLOTS;
	}
	event = name ? find_event(e->events, e->pmu, name) : NULL;
	if (name && !event)
		return (double)NAN;
	if (asprintf(&all, "%s,%s", event ? event->terms : "", terms) < 0)
		return (double)NAN;
	return count_of(e, all);
}

static double metric_value(struct evaluation *e,
			   const struct td_model_metric *metric);

static int get_value(void *ctx, const char *name)
{
	struct evaluation *e = ctx;
	const struct td_model_metric *metric =
		find_metric(e->events, e->pmu, name);
	double value;

	if (metric && e->depth < 32)
		value = metric_value(e, metric);
	else if (name[0] == '#')
		value = strcmp(name, "#core_wide") == 0 ? 1 : 0;
	else if (strchr(name, '(') || strcmp(name, "duration_time") == 0)
		value = 1;
	else
		value = event_value(e, name);
	if (e->nr >= MAX_VALUES)
		return -ENOENT;
	e->values[e->nr] = value;
	return e->nr++;
}

static double metric_value(struct evaluation *e,
			   const struct td_model_metric *metric)
{
	struct td_expr *expr = NULL;
	struct td_err err = { 0 };
	double value = (double)NAN;

	e->depth++;
	if (td_expr_parse(&expr, metric->formula, get_value, e, &err) == 0)
		value = td_expr_eval(expr, e->values);
	td_expr_free(expr);
	e->depth--;
	return value;
}

static double value_of(struct td_pmu_events *events,
		       const struct td_model_metric *metric, uint64_t seed)
{
	static struct evaluation e;
	double scale = metric->unit ? strtod(metric->unit, NULL) : 1;

	e = (struct evaluation){ .events = events,
				 .pmu = metric->pmu,
				 .seed = seed };
	return scale * metric_value(&e, metric);
}

static void compare_metric(const char *dir, struct td_pmu_events *kernel,
			   struct td_pmu_events *perfmon,
			   const struct td_model_metric *want)
{
	const struct td_model_metric *got =
		find_metric(perfmon, want->pmu, want->name);

	if (!got) {
		ok(false, "%s: %s is in both", dir, want->name);
		return;
	}
	for (uint64_t seed = 1; seed <= 3; seed++) {
		double a = value_of(kernel, want, seed);
		double b = value_of(perfmon, got, seed);

		ok(!isnan(a) && test_near(a, b, 1e-9), "%s: %s: %.12g %.12g",
		   dir, want->name, a, b);
	}
}

static const struct {
	const char *dir, *pmu, *cpuid;
	size_t nr; /* the number of metrics at levels 1 and 2 */
} pairs[] = {
	{ "ADL", "cpu_core", "GenuineIntel-6-97-2", 12 },
	{ "ICX", "cpu", "GenuineIntel-6-6A-6", 12 },
	{ "MTL", "cpu_core", "GenuineIntel-6-AA-4", 12 },
	{ "SKX", "cpu", "GenuineIntel-6-55-4", 12 },
	{ "SPR", "cpu", "GenuineIntel-6-8F-8", 12 },
	{ "SRF", "cpu", "GenuineIntel-6-AF-3", 10 },
};

static void compare(size_t i, const char *tree, const char *checkout)
{
	struct td_pmu_events kernel, perfmon;
	size_t nr = 0;

	if (!read_model(&kernel, tree, pairs[i].cpuid) ||
	    !read_model(&perfmon, checkout, pairs[i].cpuid))
		return;
	for (size_t k = 0; k < kernel.nr_metrics; k++) {
		const struct td_model_metric *metric = &kernel.metrics[k];

		if (strcmp(metric->pmu, pairs[i].pmu) != 0 ||
		    metric->level < 1 || metric->level > 2)
			continue;
		compare_metric(pairs[i].dir, &kernel, &perfmon, metric);
		nr++;
	}
	ok(nr == pairs[i].nr, "%s: %zu metrics at levels 1 and 2", pairs[i].dir,
	   nr);
	td_pmu_events_free(&kernel);
	td_pmu_events_free(&perfmon);
}

int main(void)
{
	const char *root = getenv("TD_PERFMON"),
		   *tree = getenv("TD_PMU_EVENTS");

	if (!root || !*root) {
		ok(true, "intel/perfmon's files # SKIP no TD_PERFMON");
		return done_testing();
	}
	for (size_t i = 0; i < TD_ARRAY_SIZE(models); i++)
		test_model(root, i);
	for (size_t i = 0; tree && i < TD_ARRAY_SIZE(pairs); i++)
		compare(i, tree, root);
	return done_testing();
}
