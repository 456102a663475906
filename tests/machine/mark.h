/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_TESTS_MACHINE_MARK_H
#define TD_TESTS_MACHINE_MARK_H

#include "lib/region/tdstat.h"

/* Make calls of a region; each adds a number of integers. */
static inline void mark_work(const char *name, unsigned int calls, unsigned int numbers)
{
	for (; calls; calls--) {
		td_begin(name);
		for (volatile unsigned int i = 0; i < numbers; i++)
			;
		td_end(name);
	}
}

#endif
