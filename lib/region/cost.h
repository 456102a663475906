/* SPDX-License-Identifier: MIT */
#ifndef TD_REGION_COST_H
#define TD_REGION_COST_H

#include "lib/region/state.h"

/*
 * Measures what an empty call counts and takes, once for each kind of core.  Not
 * in a region, which would count it.
 */
void td_cost_measure(struct td_thread *thread);

#endif
