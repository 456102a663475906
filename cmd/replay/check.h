/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_REPLAY_CHECK_H
#define TD_CMD_REPLAY_CHECK_H

#include "cmd/opts/opts.h"
#include "lib/recording/recording.h"

/* What a recording cannot be shown as is an error, which says why. */

/* By this aggregation, and with the times that the options ask for. */
int td_recorded_check(const struct td_recording *rec, enum td_aggregation how,
		      const struct td_opts *opts, struct td_err *err);
/*
 * td_recording_next(), and its errors.  Counts of threads cannot be shown per CPU,
 * nor those of CPUs per thread.
 */
int td_recorded_next(struct td_recording *rec, enum td_aggregation how,
		     uint64_t *time_ns, struct td_readings *delta,
		     struct td_err *err);

#endif
