/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_COUNTER_OFFLINE_H
#define TD_LIB_COUNTER_OFFLINE_H

#include "lib/base/ints.h"

/*
 * Lists those of cpus that have gone offline: the kernel opens no event there.
 * Returns 0 or -ENOMEM; free *out with td_ints_free().
 */
int td_find_offline(const struct td_ints *cpus, struct td_ints *out);

#endif
