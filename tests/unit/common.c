// SPDX-License-Identifier: GPL-2.0-only
/* Reads the metrics that all models share, from directories made here. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"
#include "metrics/files/pmu_events.h"
#include "tests/unit/test.h"
#include "tests/unit/tree.h"

#define HEAD   "Family-model,Version,Filename,EventType\n"
#define INSIDE "x86/common/metrics.json"
#define BESIDE "common/common/metrics.json"

/* clang-format off */
#define METRIC(name, formula) \
	"{\"MetricName\":\"" name "\",\"MetricExpr\":\"" formula "\"}"

/* The files of a tree whose root is x86, and each metric's PMU and name. */
static const struct {
	const char *name, *cpuid, *model, *path, *common, *want;
	int code;
} trees[] = {
	{ "of each core, or of none", "GenuineIntel-6-97-2", "[]", INSIDE,
	  "[" METRIC("A", "instructions / cpu\\\\-cycles") ","
	  METRIC("B", "software@page\\\\-faults\\\\,name\\\\=page\\\\-faults@ / duration_time")
	  "," METRIC("C", "branches / software@cpu\\\\-clock@") "]",
	  "each core/A;the machine/B;each core/C;" },
	{ "on one side of a choice", "GenuineIntel-6-97-2", "[]", INSIDE,
	  "[" METRIC("A", "(software@cpu\\\\-clock@ if #target_cpu else instructions) / 1e9")
	  "," METRIC("B", "(software@cs@ if #target_cpu else software@faults@)") "]",
	  "each core/A;the machine/B;" },
	{ "beside the root, as in the kernel's tree", "GenuineIntel-6-97-2", "[]",
	  BESIDE, "[" METRIC("A", "branches") "]", "each core/A;" },
	{ "the model's own come first, in any case", "GenuineIntel-6-97-2",
	  "[" METRIC("Own", "1 + slots") "," METRIC("b", "1 + slots") "]", INSIDE,
	  "[" METRIC("A", "branches") "," METRIC("OWN", "branches") ","
	  METRIC("b", "branches") "," METRIC("C", "branches") "]",
	  "each core/A;each core/C;cpu/Own;cpu/b;" },
	{ "no events", "GenuineIntel-6-97-2", "[]", INSIDE,
	  "[{\"EventName\":\"cpu-clock\"}," METRIC("A", "branches") "]", "each core/A;" },
	{ "of no other file", "GenuineIntel-6-97-2", "[]", "x86/common/tool.json",
	  "[" METRIC("A", "branches") "]", "" },
	{ "of a model without files", "GenuineIntel-6-1-1", "[]", INSIDE,
	  "[" METRIC("A", "branches") "]", "each core/A;", -ENOENT },
	{ "a formula that cannot be parsed", "GenuineIntel-6-97-2", "[]", INSIDE,
	  "[" METRIC("A", "software@cs@ +") "]", "each core/A;" },
	{ "not JSON", "GenuineIntel-6-97-2", "[" METRIC("A", "1") "]", INSIDE,
	  "[{", "", -EINVAL },
};
/* clang-format on */

static char *describe(const struct td_pmu_events *events)
{
	char *text = NULL;
	size_t size;
	FILE *fp = open_memstream(&text, &size);

	if (!fp)
		return NULL;
	for (size_t i = 0; i < events->nr_metrics; i++)
		fprintf(fp, "%s/%s;", events->metrics[i].pmu, events->metrics[i].name);
	for (size_t i = 0; i < events->nr_events; i++)
		fprintf(fp, "event %s;", events->events[i].name);
	fclose(fp);
	return text;
}

static void put(const char *root, const char *path, const char *text)
{
	test_file(root, path, text, strlen(text));
}

static void test_tree(size_t i)
{
	char root[] = "/tmp/tdstat-test-XXXXXX", x86[64];
	td_autofree char *got = NULL;
	struct td_pmu_events events;
	struct td_err err = { 0 };
	struct td_cpuid id;
	int rc;

	if (!mkdtemp(root))
		perror(root);
	snprintf(x86, sizeof(x86), "%s/x86", root);
	put(root, "x86/mapfile.csv", HEAD "GenuineIntel-6-97,v1,m,core\n");
	put(root, "x86/m/metrics.json", trees[i].model);
	put(root, trees[i].path, trees[i].common);
	td_cpuid_parse(trees[i].cpuid, &id, &err);
	rc = td_pmu_events_read(&events, x86, &id, &err);
	got = describe(&events);
	ok(rc == trees[i].code, "%s: %d %s", trees[i].name, rc, err.msg);
	is_str(got, trees[i].want, "%s: metrics", trees[i].name);
	ok(rc != -ENOENT || !events.dir, "%s: the folder", trees[i].name);
	td_pmu_events_free(&events);
	test_tree_remove(root);
}

int main(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(trees); i++)
		test_tree(i);
	return done_testing();
}
