/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_COUNTER_TSC_H
#define TD_LIB_COUNTER_TSC_H

#include <stdint.h>

/*
 * The frequency that the kernel has found for the time-stamp counter; 0 if it
 * does not tell.  For processors whose CPUID does not have it.
 */
uint64_t td_tsc_hz_of_kernel(void);

#endif
