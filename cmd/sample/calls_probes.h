/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_SAMPLE_CALLS_PROBES_H
#define TD_CMD_SAMPLE_CALLS_PROBES_H

#include "cmd/sample/calling.h"

/*
 * The companions of each group: probes at the functions, and beginnings and ends of
 * interrupts.  Also measures what probes cost.  Notes tell why interrupts are unknown.
 */
int td_calls_open_probes(struct td_calling *calling, struct td_err *err);
/* The companion at the entry of a function; the one at its return is behind it. */
size_t td_calls_entry(const struct td_calling *calling, size_t function);
/* What the samples of a companion are of; of which function, else 0. */
enum td_probed td_calls_probed(const struct td_calling *calling,
			       size_t companion, size_t *function);

#endif
