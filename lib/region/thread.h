/* SPDX-License-Identifier: MIT */
#ifndef TD_REGION_THREAD_H
#define TD_REGION_THREAD_H

#include "lib/region/state.h"

/* The calling thread's; NULL if it cannot be counted. */
struct td_thread *td_thread_self(void);
/*
 * The same for td_read(), for which the library counts without tdstat, too.  Returns 0
 * or a negative errno.
 */
int td_thread_to_read(struct td_thread **thread);
/* The thread's region of that name; NULL if memory ran out. */
struct td_thread_region *td_thread_region(struct td_thread *thread,
					  const char *name);

#endif
