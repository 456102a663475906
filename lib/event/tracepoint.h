/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_EVENT_TRACEPOINT_H
#define TD_LIB_EVENT_TRACEPOINT_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"

/* A tracepoint: "sched:sched_switch" and the number that perf_event_attr.config takes. */
struct td_tracepoint {
	char *system, *name;
	uint64_t id;
};

struct td_tracepoints {
	struct td_tracepoint *v; /* sorted by system, then name */
	size_t nr;
};

/*
 * The tracepoints of the running kernel whose system and name match; both may
 * be globs (fnmatch(3)).  *out is filled in and, whatever the result, freed
 * with td_tracepoints_free().  -ENOENT: there is none (the message names what
 * was asked for, the hint a close name or how to list them); -EACCES: this
 * user may not read tracefs (the hint says what would let him); -ENODEV: no
 * tracefs on this machine.
 */
int td_tracepoints_find(struct td_tracepoints *out, const char *system,
			const char *name, struct td_err *err);
void td_tracepoints_free(struct td_tracepoints *list);

/*
 * Is filter ("prev_pid == 0 && comm ~ \"cc*\"") one that the tracepoint takes?
 * -EINVAL: the message says what is wrong with it, and names the fields there
 * are where a field is unknown.
 */
int td_tracepoint_check_filter(const char *system, const char *name,
			       const char *filter, struct td_err *err);

#endif
