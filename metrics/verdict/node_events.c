// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events to sample for nodes without "Sample with" in the metric files of Linux 6.12 and
 * 7.2: some nodes of P-cores, and all nodes of E-cores and of AMD.  The events are from
 * the event files of these kernels.
 */
#include "metrics/verdict/verdict.h"

#include "lib/base/util.h"

/* Events of persistent memory, before their names contained CXL. */
#define PMM "MEM_LOAD_RETIRED.LOCAL_PMM;MEM_LOAD_L3_MISS_RETIRED.REMOTE_PMM"
#define CXL                                                         \
	"MEM_LOAD_RETIRED.LOCAL_CXL_MEM|MEM_LOAD_RETIRED.LOCAL_PMM" \
	";MEM_LOAD_L3_MISS_RETIRED.REMOTE_CXL_MEM|"                 \
	"MEM_LOAD_L3_MISS_RETIRED.REMOTE_PMM"

/* Full buffers are mostly caused by loads that missed the L2 cache. */
#define LOADS                                                     \
	"MEM_LOAD_UOPS_RETIRED.L2_MISS;MEM_LOAD_UOPS_RETIRED.L3_" \
	"HIT;MEM_LOAD_UOPS_RETIRED.DRAM_HIT"

static const struct {
	const char *node, *events;
} rows[] = {
	/*
	 * P-cores: the events in the node's formula.  For mispredictions, formulas use
	 * events named _COST, whose samples, according to their descriptions, are of
	 * the instruction after the branch; samples of the events here are of the branch.
	 */
	{ "tma_cond_nt_mispredicts", "BR_MISP_RETIRED.COND_NTAKEN" },
	{ "tma_cond_tk_mispredicts", "BR_MISP_RETIRED.COND_TAKEN" },
	{ "tma_cond_tk_bwd_mispredicts", "BR_MISP_RETIRED.COND_TAKEN_BWD" },
	{ "tma_cond_tk_fwd_mispredicts", "BR_MISP_RETIRED.COND_TAKEN_FWD" },
	{ "tma_ind_call_mispredicts", "BR_MISP_RETIRED.INDIRECT_CALL" },
	/* includes calls, because no event counts only jumps */
	{ "tma_ind_jump_mispredicts", "BR_MISP_RETIRED.INDIRECT" },
	{ "tma_ret_mispredicts", "BR_MISP_RETIRED.RET" },
	{ "tma_cxl_mem_bound", CXL },
	{ "tma_pmm_bound", PMM },
	{ "tma_ms", "UOPS_RETIRED.MS|IDQ.MS_UOPS" },
	{ "tma_code_l2_hit", "FRONTEND_RETIRED.L1I_MISS" },
	{ "tma_code_l2_miss", "FRONTEND_RETIRED.L2_MISS" },
	{ "tma_code_stlb_hit", "FRONTEND_RETIRED.ITLB_MISS" },
	{ "tma_code_stlb_miss", "FRONTEND_RETIRED.STLB_MISS" },
	{ "tma_l1_latency_capacity", "MEM_LOAD_RETIRED.L1_HIT_L1" },
	{ "tma_store_early_blk", "LD_BLOCKS.STORE_EARLY" },
	{ "tma_fp_divider", "ARITH.FPDIV_ACTIVE|ARITH.FP_DIVIDER_ACTIVE" },
	{ "tma_int_divider", "ARITH.IDIV_ACTIVE" },
	/*
	 * E-cores: Alder Lake, Meteor Lake, Arrow Lake and Lunar Lake (cpu_atom;
	 * cpu_lowpower), Sierra Forest and Grand Ridge.  Events of retired
	 * uops come first where they mean the same as the node, because they can be
	 * precise.  The others are the events in the node's formula.
	 */
	{ "tma_retiring", "INST_RETIRED.ANY_P" },
	{ "tma_backend_bound", "TOPDOWN_BE_BOUND.ALL|TOPDOWN_BE_BOUND.ALL_P" },
	{ "tma_core_bound", "TOPDOWN_BE_BOUND.ALLOC_RESTRICTIONS" },
	{ "tma_allocation_restriction", "TOPDOWN_BE_BOUND.ALLOC_RESTRICTIONS" },
	{ "tma_resource_bound", LOADS },
	{ "tma_mem_scheduler", LOADS },
	/* some files use the name of P-cores for this node */
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
	{ "tma_itlb_misses", "TOPDOWN_FE_BOUND.ITLB_MISS|TOPDOWN_FE_BOUND.ITLB" },
	{ "tma_branch_detect", "TOPDOWN_FE_BOUND.BRANCH_DETECT" },
	{ "tma_branch_resteer", "TOPDOWN_FE_BOUND.BRANCH_RESTEER" },
	{ "tma_ifetch_bandwidth", "TOPDOWN_FE_BOUND.FRONTEND_BANDWIDTH" },
	{ "tma_cisc", "UOPS_RETIRED.MS" },
	{ "tma_decode", "TOPDOWN_FE_BOUND.DECODE" },
	{ "tma_predecode", "TOPDOWN_FE_BOUND.PREDECODE" },
	{ "tma_other_fb", "TOPDOWN_FE_BOUND.OTHER" },
	{ "tma_bad_speculation", "TOPDOWN_BAD_SPECULATION.ALL|TOPDOWN_BAD_SPECULATION.ALL_P" },
	{ "tma_branch_mispredicts", "BR_MISP_RETIRED.ALL_BRANCHES" },
	{ "tma_machine_clears", "TOPDOWN_BAD_SPECULATION.MACHINE_CLEARS" },
	{ "tma_nuke", "TOPDOWN_BAD_SPECULATION.NUKE" },
	{ "tma_fast_nuke", "TOPDOWN_BAD_SPECULATION.FASTNUKE" },
	/*
	 * AMD, using instruction-based sampling (IBS): fetches, and dispatched uops, of
	 * which only loads that waited are used (lib/sample/record.h).
	 */
	{ "backend_bound_memory", "ibs_op/cnt_ctl=1/" },
	{ "frontend_bound", "ibs_fetch//" },
	{ "frontend_bound_latency", "ibs_fetch//" },
};

const char *td_node_events_find(const char *node)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(rows); i++) {
		if (strcmp(rows[i].node, node) == 0)
			return rows[i].events;
	}
	return NULL;
}
