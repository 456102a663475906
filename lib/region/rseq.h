/* SPDX-License-Identifier: MIT */
/*
 * Reads counters with RDPMC on one kind of core for sure: an Atom core has no
 * PERF_METRICS, and RDPMC of what a core does not have is a general protection
 * fault, which would end the program.
 */
#ifndef TD_REGION_RSEQ_H
#define TD_REGION_RSEQ_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Has the thread restartable sequences, which glibc registers since 2.35, and does
 * the processor tell the CPU?
 */
bool td_rseq_works(void);
/* The CPU that the thread is on, with and without them. */
uint32_t td_rseq_cpu(void);
/* The time-stamp counter. */
uint64_t td_rseq_cycles(void);
/*
 * Reads nr counters while the thread is on one CPU and has not been interrupted.
 * selectors: what RDPMC takes.  False: the CPU's element of group_of_cpu was not
 * the wanted one, or the caller is another task with the thread's block, as vfork()
 * and clone() make them; nothing was read.
 */
bool td_rseq_read(const uint8_t *group_of_cpu, uint8_t group,
		  const uint32_t *selectors, uint64_t *values, uint64_t nr);

#endif
