/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "lib/base/err.h"

/* A tracepoint such as "sched:sched_switch"; id is its perf_event_attr.config. */
struct td_tracepoint {
	char *system, *name;
	uint64_t id;
};

struct td_tracepoints {
	struct td_tracepoint *v; /* sorted by system, then name */
	size_t nr;
};

/*
 * Find the tracepoints of the running kernel whose system and name match; both may be globs
 * (fnmatch(3)).  Returns -ENOENT if there are none, with a similar name or how to list them
 * as the hint; -EACCES if this user may not read tracefs, with the remedy as the hint;
 * -ENODEV without tracefs.  Call td_tracepoints_free() on error as well.
 */
int td_tracepoints_find(struct td_tracepoints *out, const char *system, const char *name,
			struct td_err *err);
/* Find all tracepoints.  No error message names a tracepoint. */
int td_tracepoints_find_all(struct td_tracepoints *out, struct td_err *err);
void td_tracepoints_free(struct td_tracepoints *list);
