/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_COUNTER_FALL_BACK_H
#define TD_LIB_COUNTER_FALL_BACK_H

#include "lib/counter/counter.h"

/*
 * Handles the kernel's refusal (rc, a negative errno) to open a member of a
 * group.  Returns 0 to try again, after one change of the plan or the target
 * and a note, or sets an error in words.
 */
int td_fall_back(const struct td_counter_setup *setup, size_t group,
		 size_t member, int rc, struct td_err *err);

#endif
