/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_SAMPLE_CALLS_TURNS_H
#define TD_CMD_SAMPLE_CALLS_TURNS_H

#include "cmd/sample/calling.h"

/*
 * Several functions by Processor Trace: from the range of one to that of another nothing
 * is traced, so that calls of one by the other would not be known.  So each is traced
 * alone, for turns of random length, which have nothing in common with what the program
 * does.  Calls that are open at the end of a turn are given up.
 */

#define TD_TURN_MS 200

/* The calls of the function whose turn it is. */
struct td_traced_calls *td_calls_of_turn(struct td_calling *calling);
/* Sets the filter to that of the function whose turn it is. */
int td_calls_turn_filter(struct td_calling *calling, struct td_err *err);
/* Looks whether the next turn begins.  ctx: the calling, of one function, too. */
int td_calls_turn(void *ctx, struct td_err *err);
/* At the end: tells the functions for which share of the time they were traced. */
void td_calls_end_turns(struct td_calling *calling);

#endif
