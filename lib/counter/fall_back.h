/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_COUNTER_FALL_BACK_H
#define TD_LIB_COUNTER_FALL_BACK_H

#include "lib/counter/counter.h"

/*
 * One step of what can be done about the kernel's refusal (rc, negative errno)
 * to open a member of a group: the plan or the target is changed and a note
 * says so (0: try again), or it is an error in words.
 */
int td_fall_back(const struct td_counter_setup *setup, size_t group,
		 size_t member, int rc, struct td_err *err);

#endif
