/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmd/sample: samples of a program, and the functions that they are of.
 *
 * In: a job whose plan has the events (cmd/plan), and how each is sampled.
 * Out: resolved spots, and what each subcommand makes of samples: locate.c sums
 * them up, profile.c takes the counts between them.
 */
#ifndef TD_CMD_SAMPLE_GATHER_H
#define TD_CMD_SAMPLE_GATHER_H

#include "cmd/run/signals.h"
#include "cmd/sample/gathering.h"

/* Sets how samples come with their callers. */
void td_gathering_want(struct td_gathering *gathering,
		       const struct td_opts *opts);
/*
 * Runs the command of the job to its end, or samples what runs until it ends, a
 * signal comes or the time is over; then resolves the spots.  An error leaves
 * the status of a command that has run, and whether it is over.  Free it even then.
 */
int td_gather(struct td_gathering *gathering, struct td_inherited *inherited,
	      struct td_err *err);
/* Says, once each, what was lost. */
void td_gathering_say(const struct td_gathering *gathering);
/* Returns rc, or an error from closing what was written. */
int td_gathering_close(struct td_gathering *gathering, int rc,
		       struct td_err *err);

#endif
