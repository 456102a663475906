// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events that show where P-cores lose slots, for nodes of which the metric files of
 * Linux 6.12 and 7.2 name none ("Sample with").  They are from the event files there:
 * what the node's formula counts, and no more.
 *
 * The formulas count mispredictions by events named _COST.  Their samples are of the
 * instruction behind the branch, says the description; those here of the branch.
 */
#include "metrics/verdict/core_events.h"

#include "lib/base/util.h"
#include "metrics/verdict/node_events.h"

/* The names before CXL. */
#define PMM "MEM_LOAD_RETIRED.LOCAL_PMM;MEM_LOAD_L3_MISS_RETIRED.REMOTE_PMM"
#define CXL                                                         \
	"MEM_LOAD_RETIRED.LOCAL_CXL_MEM|MEM_LOAD_RETIRED.LOCAL_PMM" \
	";MEM_LOAD_L3_MISS_RETIRED.REMOTE_CXL_MEM|"                 \
	"MEM_LOAD_L3_MISS_RETIRED.REMOTE_PMM"

static const struct td_node_events rows[] = {
	{ "tma_cond_nt_mispredicts", "BR_MISP_RETIRED.COND_NTAKEN" },
	{ "tma_cond_tk_mispredicts", "BR_MISP_RETIRED.COND_TAKEN" },
	{ "tma_cond_tk_bwd_mispredicts", "BR_MISP_RETIRED.COND_TAKEN_BWD" },
	{ "tma_cond_tk_fwd_mispredicts", "BR_MISP_RETIRED.COND_TAKEN_FWD" },
	{ "tma_ind_call_mispredicts", "BR_MISP_RETIRED.INDIRECT_CALL" },
	/* and calls: no event has jumps alone */
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
};

const char *td_verdict_core_events(const char *node)
{
	return td_node_events_find(rows, TD_ARRAY_SIZE(rows), node);
}
