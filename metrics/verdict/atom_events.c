// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events that show where E-cores lose slots.  The metric files of Linux (as of 6.12
 * and 7.2) name events for sampling ("Sample with") of P-cores only.
 *
 * These are from the event files there: of Alder Lake, Meteor Lake, Arrow Lake and
 * Lunar Lake (cpu_atom; cpu_lowpower), Sierra Forest and Grand Ridge.  Events of
 * retired operations come first where they mean the same as the node, because they
 * can be precise.  The others are the very events that the node's formula has.
 */
#include "metrics/verdict/atom_events.h"

#include "lib/base/util.h"
#include "metrics/verdict/node_events.h"

/* What holds the buffers full is mostly a load that missed the L2 cache. */
#define LOADS                                                     \
	"MEM_LOAD_UOPS_RETIRED.L2_MISS;MEM_LOAD_UOPS_RETIRED.L3_" \
	"HIT;MEM_LOAD_UOPS_RETIRED.DRAM_HIT"

static const struct td_node_events rows[] = {
	{ "tma_retiring", "INST_RETIRED.ANY_P" },
	{ "tma_backend_bound", "TOPDOWN_BE_BOUND.ALL|TOPDOWN_BE_BOUND.ALL_P" },
	{ "tma_core_bound", "TOPDOWN_BE_BOUND.ALLOC_RESTRICTIONS" },
	{ "tma_allocation_restriction", "TOPDOWN_BE_BOUND.ALLOC_RESTRICTIONS" },
	{ "tma_resource_bound", LOADS },
	{ "tma_mem_scheduler", LOADS },
	/* P-cores call it so; what it means is the same */
	{ "tma_memory_bound", LOADS },
	{ "tma_l2_bound", "MEM_LOAD_UOPS_RETIRED.L2_HIT" },
	{ "tma_l3_bound", "MEM_LOAD_UOPS_RETIRED.L3_HIT" },
	{ "tma_dram_bound", "MEM_LOAD_UOPS_RETIRED.DRAM_HIT" },
	{ "tma_non_mem_scheduler", "TOPDOWN_BE_BOUND.NON_MEM_SCHEDULER" },
	{ "tma_register", "TOPDOWN_BE_BOUND.REGISTER" },
	{ "tma_reorder_buffer", LOADS },
	{ "tma_serialization", "TOPDOWN_BE_BOUND.SERIALIZATION" },
	{ "tma_frontend_bound", "TOPDOWN_FE_BOUND.ALL|TOPDOWN_FE_BOUND.ALL_P" },
	{ "tma_ifetch_latency", "TOPDOWN_FE_BOUND.FRONTEND_LATENCY" },
	{ "tma_icache_misses", "TOPDOWN_FE_BOUND.ICACHE" },
	{ "tma_itlb_misses",
	  "TOPDOWN_FE_BOUND.ITLB_MISS|TOPDOWN_FE_BOUND.ITLB" },
	{ "tma_branch_detect", "TOPDOWN_FE_BOUND.BRANCH_DETECT" },
	{ "tma_branch_resteer", "TOPDOWN_FE_BOUND.BRANCH_RESTEER" },
	{ "tma_ifetch_bandwidth", "TOPDOWN_FE_BOUND.FRONTEND_BANDWIDTH" },
	{ "tma_cisc", "UOPS_RETIRED.MS" },
	{ "tma_decode", "TOPDOWN_FE_BOUND.DECODE" },
	{ "tma_predecode", "TOPDOWN_FE_BOUND.PREDECODE" },
	{ "tma_other_fb", "TOPDOWN_FE_BOUND.OTHER" },
	{ "tma_bad_speculation",
	  "TOPDOWN_BAD_SPECULATION.ALL|TOPDOWN_BAD_SPECULATION.ALL_P" },
	{ "tma_branch_mispredicts", "BR_MISP_RETIRED.ALL_BRANCHES" },
	{ "tma_machine_clears", "TOPDOWN_BAD_SPECULATION.MACHINE_CLEARS" },
	{ "tma_nuke", "TOPDOWN_BAD_SPECULATION.NUKE" },
	{ "tma_fast_nuke", "TOPDOWN_BAD_SPECULATION.FASTNUKE" },
};

const char *td_verdict_atom_events(const char *node)
{
	return td_node_events_find(rows, TD_ARRAY_SIZE(rows), node);
}
