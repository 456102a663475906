/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_SAMPLE_CALLS_COST_H
#define TD_CMD_SAMPLE_CALLS_COST_H

#include "cmd/plan/job.h"
#include "lib/sample/call_counts.h"
#include "lib/sample/sampler.h"
#include "lib/sample/symbols.h"

/* Kinds of empty functions, whose calls cost what their probes do. */
enum {
	TD_EMPTY_PUSHES,
	TD_EMPTY_STEPPED, /* td_entry_point.stepped */
	TD_EMPTY_KERNEL,
	TD_NR_EMPTY,
};

/* To be probed: of tdstat itself, or of the kernel.  Free it even after an error. */
int td_empty_find(struct td_entry_point *entry, int kind, struct td_err *err);
/*
 * Calls the empty function, on a CPU of each kind that this process may use, to learn
 * what its probes add to a call.  companions: as those of a function, with its probes.
 * Where it cannot be learned, the costs are 0, and a note says so.
 */
int td_call_cost_measure(struct td_call_cost *cost, struct td_job *job,
			 const struct td_companion *companions, size_t nr,
			 int kind, struct td_err *err);

#endif
