/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_SAMPLE_INTERRUPTS_H
#define TD_LIB_SAMPLE_INTERRUPTS_H

#include "lib/sample/probes.h"

#define TD_NR_INTERRUPTS 6

/*
 * Finds the tracepoints at the beginning and the end of interrupts: of devices, of
 * softirqs, of the local timer, and of what CPUs ask of each other.  -EACCES if this
 * user may not read tracefs, -ENODEV or -ENOENT if the kernel lacks one of them.
 */
int td_interrupts_find(struct td_probe out[TD_NR_INTERRUPTS],
		       struct td_err *err);

#endif
