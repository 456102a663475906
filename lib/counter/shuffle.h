/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_COUNTER_SHUFFLE_H
#define TD_LIB_COUNTER_SHUFFLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * How td_counter_pause_some() changes the order of groups.  Pure; random is a state of
 * td_next_random().
 */

/* Chooses which of nr groups pause: one or more of them, but not all; nr is 2 or more. */
void td_pause_choose(uint64_t *random, bool *paused, size_t nr);
/* For how long, where nr groups take turns. */
uint64_t td_pause_ns(uint64_t *random, size_t nr);

#endif
