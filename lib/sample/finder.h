/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_SAMPLE_FINDER_H
#define TD_LIB_SAMPLE_FINDER_H

#include <sys/types.h>

#include "lib/sample/finds.h"
#include "lib/sample/search.h"

/* A process that looks for symbols, and what it writes (finds.h). */
struct td_finder {
	pid_t pid;
	int fd;
};

/*
 * Starts one, confined, for the unknown spots of the objects from one on.  It ends
 * with us.  0 or a negative errno.
 */
int td_finder_start(struct td_finder *finder, const struct td_search *search,
		    const struct td_spots *spots,
		    const struct td_unknown *unknown, int from);
/*
 * Ends it.  0 if it had ended by itself; else how, -ENOMEM for lack of memory or
 * -EFAULT.
 */
int td_finder_end(struct td_finder *finder);

#endif
