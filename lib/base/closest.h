/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_BASE_CLOSEST_H
#define TD_LIB_BASE_CLOSEST_H

#include <stddef.h>

#define TD_CLOSEST_SIZE 128 /* longer names are not compared */

/* Of many names the one that was probably meant. */
struct td_closest {
	const char *wanted;         /* as typed; borrowed */
	char best[TD_CLOSEST_SIZE]; /* "": none is close */
	size_t distance;
};

/* Letters that were added, left out, changed or swapped, in any case. */
void td_closest_offer(struct td_closest *closest, const char *name);

#endif
