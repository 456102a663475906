// SPDX-License-Identifier: GPL-2.0-only
/*
 * Facts about metrics in the kernel's files: those in TD_PMU_EVENTS, and of Linux 6.12 in
 * TD_PMU_EVENTS_OLD.
 */
#include "cmd/plan/catalog.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/base/util.h"
#include "metrics/explain/explain.h"
#include "metrics/verdict/verdict.h"
#include "tests/unit/test.h"

#define ADL "GenuineIntel-6-97-2"
#define MTL "GenuineIntel-6-AA-4"
#define SRF "GenuineIntel-6-AF-3"
#define SPR "GenuineIntel-6-8F-8"
#define ICX "GenuineIntel-6-6A-6"
#define EHL "GenuineIntel-6-96-1"
/* these have metrics in newer files only */
#define LNL "GenuineIntel-6-BD-1"
#define ARL "GenuineIntel-6-C5-2"
#define GNR "GenuineIntel-6-AD-1"

/* events: "" for none; from "Sample with" of the files, or from our tables */
static const struct row {
	const char *cpuid, *pmu, *metric, *events;
	bool has_group;
	int levels;
} rows[] = {
	{ ADL, "cpu_core", "tma_l3_bound", "MEM_LOAD_RETIRED.L3_HIT", true, 6 },
	{ ADL, "cpu_core", "tma_fetch_bandwidth",
	  "FRONTEND_RETIRED.LATENCY_GE_2_BUBBLES_GE_1 FRONTEND_RETIRED.LATENCY_GE_1",
	  true, 6 },
	{ ADL, "cpu_core", "tma_memory_bound", "", true, 6 },
	{ ADL, "cpu_core", "tma_backend_bound", "TOPDOWN.BACKEND_BOUND_SLOTS",
	  true, 6 },
	{ ADL, "cpu_core", "tma_l3_hit_latency", "MEM_LOAD_RETIRED.L3_HIT",
	  false, 6 },
	{ ADL, "cpu_atom", "tma_l3_bound", "MEM_LOAD_UOPS_RETIRED.L3_HIT",
	  false, 3 },
	{ ADL, "cpu_atom", "tma_branch_mispredicts",
	  "BR_MISP_RETIRED.ALL_BRANCHES", false, 3 },
	{ SRF, "cpu", "tma_resource_bound",
	  "MEM_LOAD_UOPS_RETIRED.L2_MISS MEM_LOAD_UOPS_RETIRED.L3_HIT", true,
	  3 },
	/* the event does not exist */
	{ SRF, "cpu", "tma_dram_bound", "", false, 3 },
	/* the first name of an event that the core has */
	{ SRF, "cpu", "tma_itlb_misses", "TOPDOWN_FE_BOUND.ITLB_MISS", false,
	  3 },
	{ EHL, "cpu", "tma_itlb_misses", "TOPDOWN_FE_BOUND.ITLB", false, 0 },
	{ SPR, "cpu", "tma_l3_bound", "MEM_LOAD_RETIRED.L3_HIT", true, 6 },
	{ "GenuineIntel-6-FF-1", "cpu", "tma_backend_bound", "", false, 0 },
	/* an event of another PMU, which a machine without sysfs lacks */
	{ "AuthenticAMD-25-11-1", "cpu", "backend_bound_memory", "", false, 2 },
}, newer[] = {
	{ LNL, "cpu_core", "tma_backend_bound", "TOPDOWN.BACKEND_BOUND_SLOTS",
	  true, 6 },
	{ LNL, "cpu_core", "tma_cond_tk_bwd_mispredicts",
	  "BR_MISP_RETIRED.COND_TAKEN_BWD", false, 6 },
	{ LNL, "cpu_atom", "tma_itlb_misses", "TOPDOWN_FE_BOUND.ITLB_MISS",
	  false, 3 },
	{ ARL, "cpu_lowpower", "tma_backend_bound", "TOPDOWN_BE_BOUND.ALL_P",
	  false, 0 },
	{ GNR, "cpu", "tma_cxl_mem_bound",
	  "MEM_LOAD_RETIRED.LOCAL_CXL_MEM MEM_LOAD_L3_MISS_RETIRED.REMOTE_CXL_MEM",
	  false, 6 },
	{ ICX, "cpu", "tma_cxl_mem_bound",
	  "MEM_LOAD_RETIRED.LOCAL_PMM MEM_LOAD_L3_MISS_RETIRED.REMOTE_PMM",
	  false, 6 },
	{ "GenuineIntel-6-CC-1", "cpu_core", "tma_backend_bound",
	  "TOPDOWN.BACKEND_BOUND_SLOTS", true, 6 },
};

/* Nodes of P-cores for which the files name no event; where they are, we do. */
static const char *const without_sample[] = {
	"tma_cond_nt_mispredicts",
	"tma_cond_tk_mispredicts",
	"tma_cond_tk_bwd_mispredicts",
	"tma_cond_tk_fwd_mispredicts",
	"tma_ind_call_mispredicts",
	"tma_ind_jump_mispredicts",
	"tma_ret_mispredicts",
	"tma_cxl_mem_bound",
	"tma_ms",
	"tma_code_l2_hit",
	"tma_code_l2_miss",
	"tma_code_stlb_hit",
	"tma_code_stlb_miss",
	"tma_l1_latency_capacity",
	"tma_store_early_blk",
	"tma_fp_divider",
};

static void make(struct td_catalog *catalog, struct td_machine *machine, const char *cpuid,
		 const char *root)
{
	struct td_err err;

	*machine = (struct td_machine){ 0 };
	td_cpuid_parse(cpuid, &machine->cpuid, &err);
	td_catalog_init(catalog, NULL, machine, root);
}

static void test_row(const struct row *row, const char *root)
{
	struct td_catalog catalog;
	struct td_machine machine;
	struct td_metric_facts facts;
	char events[2 * TD_SAMPLED_SIZE] = "";

	make(&catalog, &machine, row->cpuid, root);
	td_facts_find(&catalog, row->pmu, row->metric, &facts);
	for (size_t i = 0; i < facts.nr_events; i++) {
		strcat(events, i ? " " : "");
		strcat(events, facts.events[i]);
	}
	is_str(events, row->events, "%s %s %s: events", row->cpuid, row->pmu, row->metric);
	ok(facts.has_group == row->has_group && facts.levels == row->levels,
	   "%s: group, levels: %d", row->metric, facts.levels);
	td_catalog_free(&catalog);
}

/* Is there an event to sample for every node of the E-cores that we explain? */
static void test_atoms(const char *cpuid, const char *pmu, const char *root)
{
	struct td_catalog catalog;
	struct td_machine machine;
	const struct td_explanation *text;
	size_t nr = 0, wanted = 0;

	make(&catalog, &machine, cpuid, root);
	for (size_t i = 0; (text = td_explanation_at(i)); i++) {
		const char *name = text->name;
		struct td_metric_facts facts;

		if (text->cores != TD_EXPLAINED_ATOM)
			continue;
		wanted++;
		td_facts_find(&catalog, pmu, name, &facts);
		if (!facts.nr_events)
			printf("# %s: none for %s\n", cpuid, name);
		nr += facts.nr_events > 0;
	}
	ok(nr && nr == wanted, "%s has an event for each node", cpuid);
	td_catalog_free(&catalog);
}

static bool has_metric(const struct td_catalog *catalog, const char *pmu, const char *name)
{
	const struct td_pmu_events *files = &catalog->events;

	for (size_t i = 0; i < files->nr_metrics; i++) {
		if (strcmp(files->metrics[i].pmu, pmu) == 0 &&
		    strcmp(files->metrics[i].name, name) == 0)
			return true;
	}
	return false;
}

/* Is there an event to sample for those of the nodes that the model has? */
static void test_cores(const char *cpuid, const char *pmu, const char *root)
{
	struct td_catalog catalog;
	struct td_machine machine;
	size_t nr = 0, nr_found = 0;

	make(&catalog, &machine, cpuid, root);
	for (size_t i = 0; i < TD_ARRAY_SIZE(without_sample); i++) {
		const char *name = without_sample[i];
		struct td_metric_facts facts;

		td_facts_find(&catalog, pmu, name, &facts);
		if (!has_metric(&catalog, pmu, name))
			continue;
		if (!facts.nr_events)
			printf("# %s: none for %s\n", cpuid, name);
		nr++;
		nr_found += facts.nr_events > 0;
	}
	ok(nr > 0 && nr_found == nr, "%s: events for %zu nodes", cpuid, nr);
	td_catalog_free(&catalog);
}

/* Facts in the files of Linux 7.2 that 6.12 lacks. */
static void test_newer(const char *root)
{
	for (size_t r = 0; r < TD_ARRAY_SIZE(newer); r++)
		test_row(&newer[r], root);
	test_atoms(LNL, "cpu_atom", root);
	test_atoms(ARL, "cpu_atom", root);
	test_cores(ADL, "cpu_core", root);
	test_cores(MTL, "cpu_core", root);
	test_cores(ARL, "cpu_core", root);
	test_cores(LNL, "cpu_core", root);
	test_cores(SPR, "cpu", root);
	test_cores(GNR, "cpu", root);
	test_cores(ICX, "cpu", root);
	test_cores("GenuineIntel-6-55-7", "cpu", root);
}

static bool has_newer(const char *root)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/arrowlake", root);
	return access(path, F_OK) == 0;
}

/* Facts in the files of both. */
static void test_files(const char *root)
{
	for (size_t r = 0; r < TD_ARRAY_SIZE(rows); r++)
		test_row(&rows[r], root);
	test_atoms(ADL, "cpu_atom", root);
	test_atoms(SRF, "cpu", root);
	test_atoms(MTL, "cpu_atom", root);
	test_atoms("GenuineIntel-6-B6-0", "cpu", root);
}

int main(void)
{
	const char *root = getenv("TD_PMU_EVENTS");
	const char *old = getenv("TD_PMU_EVENTS_OLD");

	ok(!td_node_events_find("tma_nosuch"), "no events of no node");
	if (!root)
		ok(true, "the kernel's files # SKIP no TD_PMU_EVENTS");
	if (root)
		test_files(root);
	if (root && has_newer(root))
		test_newer(root);
	if (old)
		test_files(old);
	return done_testing();
}
