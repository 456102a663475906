/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_BASE_CLOSEST_H
#define TD_LIB_BASE_CLOSEST_H

#include <stdbool.h>
#include <stddef.h>

#define TD_CLOSEST_SIZE 128 /* longer names are not compared */

/* Finds the name closest to a mistyped one.  Set wanted, zero the rest. */
struct td_closest {
	const char *wanted;         /* as typed; borrowed */
	char best[TD_CLOSEST_SIZE]; /* "" if no name is close */
	size_t distance;
	bool within; /* it is a part of a name, whatever their case */
};

/*
 * Takes name if it is closer than the best so far.  The distance is the number
 * of letters added, left out, changed or swapped; case does not matter.
 */
void td_closest_offer(struct td_closest *closest, const char *name);

#endif
