// SPDX-License-Identifier: GPL-2.0-only
/* What the kernel tree's files (TD_PMU_EVENTS) say about metrics. */
#include "cmd/plan/facts.h"

#include <stdlib.h>

#include "cmd/plan/catalog.h"
#include "lib/base/util.h"
#include "metrics/explain/explain.h"
#include "metrics/verdict/atom_events.h"
#include "tests/unit/test.h"

#define ADL "GenuineIntel-6-97-2"
#define SRF "GenuineIntel-6-AF-3"
#define SPR "GenuineIntel-6-8F-8"
#define LNL "GenuineIntel-6-BD-1"

/* events: "" for none; from "Sample with" of the files, or from our table */
static const struct {
	const char *cpuid, *pmu, *metric, *events;
	bool has_group;
	int levels;
} rows[] = {
	{ ADL, "cpu_core", "tma_l3_bound", "MEM_LOAD_RETIRED.L3_HIT", true, 6 },
	{ ADL, "cpu_core", "tma_l1_bound",
	  "MEM_LOAD_RETIRED.L1_HIT MEM_LOAD_RETIRED.FB_HIT", true, 6 },
	{ ADL, "cpu_core", "tma_memory_bound", "", true, 6 },
	{ ADL, "cpu_core", "tma_backend_bound", "TOPDOWN.BACKEND_BOUND_SLOTS",
	  true, 6 },
	{ ADL, "cpu_core", "tma_divider", "ARITH.DIVIDER_ACTIVE", false, 6 },
	{ ADL, "cpu_atom", "tma_resource_bound",
	  "MEM_LOAD_UOPS_RETIRED.L3_HIT MEM_LOAD_UOPS_RETIRED.DRAM_HIT", true,
	  3 },
	{ ADL, "cpu_atom", "tma_branch_mispredicts",
	  "BR_MISP_RETIRED.ALL_BRANCHES", false, 3 },
	{ SRF, "cpu", "tma_resource_bound",
	  "MEM_LOAD_UOPS_RETIRED.L2_MISS MEM_LOAD_UOPS_RETIRED.L3_HIT", true,
	  3 },
	{ SPR, "cpu", "tma_l3_bound", "MEM_LOAD_RETIRED.L3_HIT", true, 6 },
	{ LNL, "cpu_core", "tma_backend_bound", "", false, 0 },
	{ "GenuineIntel-6-FF-1", "cpu", "tma_backend_bound", "", false, 0 },
};

static void make(struct td_catalog *catalog, struct td_machine *machine,
		 const char *cpuid, const char *root)
{
	struct td_err err;

	*machine = (struct td_machine){ 0 };
	td_cpuid_parse(cpuid, &machine->cpuid, &err);
	td_catalog_init(catalog, NULL, machine, root);
}

static void test_row(size_t r, const char *root)
{
	struct td_catalog catalog;
	struct td_machine machine;
	struct td_metric_facts facts;
	char events[2 * TD_SAMPLED_SIZE] = "";

	make(&catalog, &machine, rows[r].cpuid, root);
	td_facts_find(&catalog, rows[r].pmu, rows[r].metric, &facts);
	for (size_t i = 0; i < facts.nr_events; i++) {
		strcat(events, i ? " " : "");
		strcat(events, facts.events[i]);
	}
	is_str(events, rows[r].events, "%s %s %s: events", rows[r].cpuid,
	       rows[r].pmu, rows[r].metric);
	ok(facts.has_group == rows[r].has_group &&
		   facts.levels == rows[r].levels,
	   "%s: group, levels: %d", rows[r].metric, facts.levels);
	td_catalog_free(&catalog);
}

/* Is there an event to sample for every node of the E-cores that we explain? */
static void test_atoms(const char *cpuid, const char *pmu, const char *root)
{
	struct td_catalog catalog;
	struct td_machine machine;
	size_t nr = 0;

	make(&catalog, &machine, cpuid, root);
	for (size_t i = 0; i < td_nr_explained_atom; i++) {
		const char *name = td_explained_atom[i].name;
		struct td_metric_facts facts;

		td_facts_find(&catalog, pmu, name, &facts);
		if (!facts.nr_events)
			printf("# %s: none for %s\n", cpuid, name);
		nr += facts.nr_events > 0;
	}
	ok(nr == td_nr_explained_atom, "%s has an event for each node", cpuid);
	td_catalog_free(&catalog);
}

int main(void)
{
	const char *root = getenv("TD_PMU_EVENTS");

	ok(!td_verdict_atom_events("tma_nosuch"), "no events of no node");
	if (!root) {
		ok(true, "the kernel's files # SKIP no TD_PMU_EVENTS");
		return done_testing();
	}
	for (size_t r = 0; r < TD_ARRAY_SIZE(rows); r++)
		test_row(r, root);
	test_atoms(ADL, "cpu_atom", root);
	test_atoms(SRF, "cpu", root);
	test_atoms("GenuineIntel-6-AA-4", "cpu_atom", root);
	test_atoms("GenuineIntel-6-B6-0", "cpu", root);
	return done_testing();
}
