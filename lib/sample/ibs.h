/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_SAMPLE_IBS_H
#define TD_LIB_SAMPLE_IBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What AMD's instruction-based sampling (IBS) tells of one operation or one fetch.  The
 * registers are those of a record's PERF_SAMPLE_RAW, behind the word with the features
 * (struct perf_ibs_data in arch/x86/include/asm/amd-ibs.h; what the bits mean is in the
 * PPR of family 19h model 11h, MSRC001_1030 and on).  With fewer registers it is 0.
 */

/*
 * The cycles that a load waited for data that was not in the L1 cache, and for the
 * address if that was not in the L1 TLB; 0 of one that did not, and of all other
 * operations.
 */
uint64_t td_ibs_load_wait(const uint64_t *regs, size_t nr);
/*
 * The latency in cycles of a fetch whose code was not in the instruction cache, or
 * whose address was not in the L1 TLB; 0 of others.
 */
uint64_t td_ibs_fetch_wait(const uint64_t *regs, size_t nr);

#endif
