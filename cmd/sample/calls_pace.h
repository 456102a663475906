/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_SAMPLE_CALLS_PACE_H
#define TD_CMD_SAMPLE_CALLS_PACE_H

#include "cmd/sample/calling.h"

/*
 * --overhead: if the calls of a stretch of time cost more than that, entries are not
 * probed for a while, whose length is random, so that it has nothing in common with
 * what the program does.  Returns are, until all calls of the stretch have ended: else
 * long calls would be missing.
 */

/* How soon to look again whether something can be done. */
#define TD_CALLS_LOOK_NS (2 * TD_NS_A_MS)
/* The rings have to be read so often until all of the stretch is known. */
#define TD_CALLS_READS 2

/* From half to one and a half of it, by chance. */
uint64_t td_calls_about(double ns);
/* A call of a function has begun.  0 or -ENOMEM. */
int td_calls_note_entry(struct td_calling *calling, int tid, size_t function);
/* An interrupt of a thread has begun. */
void td_calls_note_interrupt(struct td_calling *calling, int tid);
/* Looks whether something is to be done.  ctx: the calling. */
int td_calls_pace(void *ctx, struct td_err *err);
/* At the end: tells the functions which share of the calls was counted. */
void td_calls_end_pace(struct td_calling *calling);
/* Says what the probes cost, if it is much, and how sure times are without. */
void td_calls_say_cost(const struct td_calling *calling);

#endif
